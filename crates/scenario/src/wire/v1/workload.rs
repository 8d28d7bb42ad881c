//! `workload`: a name, or a name with parameters.

use std::borrow::Cow;
use std::fmt;
use std::iter;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::{MapAccessDeserializer, MapDeserializer};
use serde::de::{Deserializer, Error, IgnoredAny, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use crate::document as doc;
use crate::document::workload::{
    Dbench, Hackbench, Kworker, Netperf, Npb, NpbLu, Numa, Periodic, Pipe, Schbench, Services,
    Step, Stream, Tbench, Ycsb,
};

/// What the threads do.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Workload(Named);

/// A workload's name and its parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Named {
    /// Computes for ever.
    Hog(NoParameters),
    /// Computes for ever, as a worker of `stress --cpu`.
    Stress(NoParameters),
    /// Runs and sleeps by a timer.
    Periodic(Periodic),
    /// NPB LU (OpenMP): a wavefront whose waits spin.
    NpbLu(NpbLu),
    /// Other programs of NPB (OpenMP), whose waits are barriers.
    Npb(Npb),
    /// Messengers that wake workers.
    Schbench(Schbench),
    /// Groups of senders and receivers.
    Hackbench(Hackbench),
    /// Pairs over loopback.
    Netperf(Netperf),
    /// Clients and servers over loopback.
    Tbench(Tbench),
    /// `perf bench sched pipe`.
    Pipe(Pipe),
    /// Memory bandwidth.
    Stream(Stream),
    /// `perf bench numa mem`.
    Numa(Numa),
    /// A database under YCSB.
    Ycsb(Ycsb),
    /// A chain of microservices.
    Services(Services),
    /// Clients of a file system.
    Dbench(Dbench),
    /// A per-CPU kernel thread.
    Kworker(Kworker),
    /// An rt-app document, as it is.
    Rtapp(Value),
    /// `sched_switch` and `sched_wakeup` lines.
    Trace(String),
    /// Steps, which begin again at their end.
    Program(Vec<Step>),
}

/// No parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NoParameters {}

/// Nothing written beside a bare name: reads as an object without keys.
struct Bare;

impl<'de, E: Error> IntoDeserializer<'de, E> for Bare {
    type Deserializer =
        MapAccessDeserializer<MapDeserializer<'de, iter::Empty<(&'static str, &'static str)>, E>>;

    fn into_deserializer(self) -> Self::Deserializer {
        MapAccessDeserializer::new(MapDeserializer::new(iter::empty()))
    }
}

/// The workload that a bare name stands for, all its parameters at their defaults.
fn bare<E: Error>(name: &str) -> Result<Named, E> {
    let pair = iter::once((name, Bare));
    Named::deserialize(MapAccessDeserializer::new(MapDeserializer::new(pair)))
}

impl<'de> Deserialize<'de> for Workload {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct WorkloadVisitor;

        impl<'de> Visitor<'de> for WorkloadVisitor {
            type Value = Workload;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a workload, or an object with its name as the key")
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<Workload, E> {
                match name {
                    "rtapp" | "trace" | "program" => Err(E::custom(format!(
                        "`{name}` needs its content: {{ \"{name}\": … }}"
                    ))),
                    _ => bare(name).map(Workload),
                }
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Workload, A::Error> {
                let named = Named::deserialize(MapAccessDeserializer::new(&mut map))?;
                match map.next_entry::<IgnoredAny, IgnoredAny>()? {
                    Some(_) => Err(A::Error::custom("a workload has one name")),
                    None => Ok(Workload(named)),
                }
            }
        }

        deserializer.deserialize_any(WorkloadVisitor)
    }
}

impl Serialize for Workload {
    /// Leaves out parameters at their default, and the object where none is left.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut written = serde_json::to_value(&self.0).map_err(serde::ser::Error::custom)?;
        if let Value::Object(object) = &mut written
            && let Some((name, Value::Object(parameters))) = object.iter_mut().next()
            && let Ok(Value::Object(default)) =
                bare::<serde_json::Error>(name).and_then(serde_json::to_value)
        {
            let default = default.get(name);
            parameters.retain(|key, value| {
                default.and_then(|parameters| parameters.get(key)) != Some(&*value)
            });
            if parameters.is_empty() && name != "rtapp" {
                return serializer.serialize_str(name);
            }
        }
        written.serialize(serializer)
    }
}

impl JsonSchema for Workload {
    fn schema_name() -> Cow<'static, str> {
        "Workload".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let named = generator.subschema_for::<Named>();
        let names: Vec<&str> = doc::Workload::NAMES
            .into_iter()
            .filter(|name| bare::<serde_json::Error>(name).is_ok() && *name != "rtapp")
            .collect();
        json_schema!({
            "description": "What the threads do: a name, or a name with parameters.",
            "anyOf": [{ "enum": names }, named]
        })
    }
}

impl From<Workload> for doc::Workload {
    fn from(Workload(named): Workload) -> Self {
        match named {
            Named::Hog(NoParameters {}) => Self::Hog,
            Named::Stress(NoParameters {}) => Self::Stress,
            Named::Periodic(p) => Self::Periodic(p),
            Named::NpbLu(p) => Self::NpbLu(p),
            Named::Npb(p) => Self::Npb(p),
            Named::Schbench(p) => Self::Schbench(p),
            Named::Hackbench(p) => Self::Hackbench(p),
            Named::Netperf(p) => Self::Netperf(p),
            Named::Tbench(p) => Self::Tbench(p),
            Named::Pipe(p) => Self::Pipe(p),
            Named::Stream(p) => Self::Stream(p),
            Named::Numa(p) => Self::Numa(p),
            Named::Ycsb(p) => Self::Ycsb(p),
            Named::Services(p) => Self::Services(p),
            Named::Dbench(p) => Self::Dbench(p),
            Named::Kworker(p) => Self::Kworker(p),
            Named::Rtapp(document) => Self::RtApp(document),
            Named::Trace(text) => Self::Trace(text),
            Named::Program(steps) => Self::Program(steps),
        }
    }
}

impl From<doc::Workload> for Workload {
    fn from(workload: doc::Workload) -> Self {
        Self(match workload {
            doc::Workload::Hog => Named::Hog(NoParameters {}),
            doc::Workload::Stress => Named::Stress(NoParameters {}),
            doc::Workload::Periodic(p) => Named::Periodic(p),
            doc::Workload::NpbLu(p) => Named::NpbLu(p),
            doc::Workload::Npb(p) => Named::Npb(p),
            doc::Workload::Schbench(p) => Named::Schbench(p),
            doc::Workload::Hackbench(p) => Named::Hackbench(p),
            doc::Workload::Netperf(p) => Named::Netperf(p),
            doc::Workload::Tbench(p) => Named::Tbench(p),
            doc::Workload::Pipe(p) => Named::Pipe(p),
            doc::Workload::Stream(p) => Named::Stream(p),
            doc::Workload::Numa(p) => Named::Numa(p),
            doc::Workload::Ycsb(p) => Named::Ycsb(p),
            doc::Workload::Services(p) => Named::Services(p),
            doc::Workload::Dbench(p) => Named::Dbench(p),
            doc::Workload::Kworker(p) => Named::Kworker(p),
            doc::Workload::RtApp(document) => Named::Rtapp(document),
            doc::Workload::Trace(text) => Named::Trace(text),
            doc::Workload::Program(steps) => Named::Program(steps),
        })
    }
}
