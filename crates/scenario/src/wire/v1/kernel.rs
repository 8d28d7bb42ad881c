//! `kernels`

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserializer, Error, MapAccess, Visitor, value::MapAccessDeserializer};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use super::changed;
use crate::document as doc;
use crate::document::SettingValue;

/// A kernel by its name, or with changes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Kernel(Changed);

/// A kernel with changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ChangedKernel")]
struct Changed {
    /// The preset: `vBASE[+PATCH…]`.
    base: String,
    /// Rules that differ from the preset, by dotted name.
    #[serde(skip_serializing_if = "Option::is_none")]
    rules: Option<BTreeMap<String, Value>>,
    /// Tunables that differ from the preset, by dotted name.
    #[serde(skip_serializing_if = "Option::is_none")]
    set: Option<BTreeMap<String, SettingValue>>,
    /// What to call it in results.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
}

impl Changed {
    fn new(base: String) -> Self {
        Self {
            base,
            rules: None,
            set: None,
            label: None,
        }
    }
}

impl Serialize for Kernel {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 == Changed::new(self.0.base.clone()) {
            serializer.serialize_str(&self.0.base)
        } else {
            self.0.serialize(serializer)
        }
    }
}

impl<'de> Deserialize<'de> for Kernel {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KernelVisitor;

        impl<'de> Visitor<'de> for KernelVisitor {
            type Value = Kernel;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a kernel, or an object with its `base`")
            }

            fn visit_str<E: Error>(self, base: &str) -> Result<Kernel, E> {
                Ok(Kernel(Changed::new(base.to_owned())))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Kernel, A::Error> {
                Changed::deserialize(MapAccessDeserializer::new(map)).map(Kernel)
            }
        }

        deserializer.deserialize_any(KernelVisitor)
    }
}

impl JsonSchema for Kernel {
    fn schema_name() -> Cow<'static, str> {
        "Kernel".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let changed = generator.subschema_for::<Changed>();
        json_schema!({
            "description": "A kernel by its name, or with changes; `teeter kernels` lists the names.",
            "anyOf": [{ "type": "string" }, changed]
        })
    }
}

impl From<Kernel> for doc::Kernel {
    fn from(Kernel(wire): Kernel) -> Self {
        Self {
            base: wire.base,
            rules: wire.rules.unwrap_or_default(),
            set: wire.set.unwrap_or_default(),
            label: wire.label,
        }
    }
}

impl From<doc::Kernel> for Kernel {
    fn from(kernel: doc::Kernel) -> Self {
        Self(Changed {
            base: kernel.base,
            rules: changed(kernel.rules, &BTreeMap::new()),
            set: changed(kernel.set, &BTreeMap::new()),
            label: kernel.label,
        })
    }
}
