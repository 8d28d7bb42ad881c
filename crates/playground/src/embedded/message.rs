//! Messages between an embed and the page around it, by `postMessage`, version 1. Pure: no browser here.
//!
//! Each is an object with `teeter: 1`, a `type`, and, where an answer is wanted, an `id` that comes back with it.
//! Objects without `teeter` are other people's and passed over in silence; what has it and is not understood is
//! answered with an `error`.

use serde::Serialize;
use serde_json::{Value, json};

/// The version of all messages here.
pub const VERSION: u64 = 1;

/// What a host asks of an embed.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Comes back with the answer.
    pub id: Option<Value>,
    /// What is asked.
    pub what: Asked,
}

/// A message of ours that is not understood.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// Why, in words.
    pub message: String,
    /// Of the request, if it had one.
    pub id: Option<Value>,
}

/// What can be asked.
#[derive(Clone, Debug, PartialEq)]
pub enum Asked {
    /// To say `ready` again.
    Ping,
    /// To show another scenario: a whole document.
    LoadScenario(Value),
    /// To show another scenario: a link or its fragment.
    LoadLink(String),
    /// To set a tunable of every kernel by its dotted name, or a place of the document by its JSON Pointer.
    Set {
        /// Name or pointer.
        path: String,
        /// The value; `null` for the default.
        value: Value,
    },
    /// To run.
    Run,
    /// To pause.
    Pause,
    /// To begin again at time 0.
    Restart,
    /// To pause and show a moment that has been, s.
    Seek(f64),
    /// To wear a theme, one of [`super::THEMES`].
    Theme(String),
    /// To tell something.
    Get(Wanted),
}

/// What an embed can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The scenario as it is now.
    Scenario,
    /// Its link.
    Link,
    /// What the kernels made of it so far.
    Metrics,
}

/// What an embed says by itself.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Said {
    /// It hears: after loading, and in answer to `ping`.
    Ready {
        /// The engine's version.
        version: String,
        /// Versions of messages it understands.
        apis: Vec<u64>,
    },
    /// Its contents are this high, CSS pixels.
    Resize {
        /// Height.
        height: u32,
    },
    /// The scenario was changed, by the reader or the host.
    Change {
        /// Its link in the playground.
        link: String,
    },
    /// There are new figures.
    Metrics(Metrics),
    /// Something asked could not be done.
    Error {
        /// `message`, `scenario`, `link`, `set`, `run`.
        code: &'static str,
        /// In words.
        message: String,
        /// Of the request, if it was one.
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<Value>,
    },
    /// The answer to a `get`, or that something asked with an id was done.
    Result {
        /// Of the request.
        id: Option<Value>,
        /// What was asked for; `null` where nothing was.
        value: Value,
    },
}

/// How the runs stand.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Metrics {
    /// Simulated time all kernels have reached, s.
    pub time_s: f64,
    /// Whether every run is over.
    pub finished: bool,
    /// One for each kernel: its name and its result so far, as `teeter run --json` has it, once there is one.
    pub kernels: Vec<(String, Option<Value>)>,
}

impl From<Fault> for Said {
    fn from(fault: Fault) -> Self {
        Self::Error {
            code: "message",
            message: fault.message,
            id: fault.id,
        }
    }
}

impl Said {
    /// As it is posted.
    pub fn to_value(&self) -> Value {
        let mut value = serde_json::to_value(self).unwrap_or_default();
        if let Some(object) = value.as_object_mut() {
            object.insert("teeter".to_owned(), json!(VERSION));
        }
        value
    }
}

/// Reads what a host posted. `None`: it is no message of ours.
///
/// # Errors
/// What to answer.
pub fn read(data: &Value) -> Option<Result<Request, Fault>> {
    let object = data.as_object()?;
    let version = object.get("teeter")?;
    // A whole scenario has `teeter` as well; a message has a type.
    let kind = object.get("type")?.as_str()?;
    let id = object.get("id").cloned();
    let fault = |message: String| {
        Err(Fault {
            message,
            id: id.clone(),
        })
    };
    if version.as_u64() != Some(VERSION) {
        return Some(fault(format!(
            "messages of version {version} are not understood, only of {VERSION}"
        )));
    }
    let text = |name: &str| object.get(name).and_then(Value::as_str).map(str::to_owned);
    let what = match kind {
        "ping" => Some(Asked::Ping),
        "load" => None
            .or_else(|| object.get("scenario").cloned().map(Asked::LoadScenario))
            .or_else(|| text("link").map(Asked::LoadLink))
            .or_else(|| text("preset").map(|name| Asked::LoadLink(format!("#p={name}")))),
        "set" => text("path").map(|path| Asked::Set {
            path,
            value: object.get("value").cloned().unwrap_or_default(),
        }),
        "run" => Some(Asked::Run),
        "pause" => Some(Asked::Pause),
        "restart" => Some(Asked::Restart),
        "seek" => object.get("t").and_then(Value::as_f64).map(Asked::Seek),
        "theme" => text("theme").map(Asked::Theme),
        "get" => text("what").and_then(|what| {
            Some(Asked::Get(match what.as_str() {
                "scenario" => Wanted::Scenario,
                "link" => Wanted::Link,
                "metrics" => Wanted::Metrics,
                _ => return None,
            }))
        }),
        _ => return Some(fault(format!("there is no message of type {kind}"))),
    };
    Some(match what {
        Some(what) => Ok(Request { id, what }),
        None => fault(format!(
            "this {kind} lacks what it is about: {}",
            needs(kind)
        )),
    })
}

/// What a message of a type must have.
fn needs(kind: &str) -> &'static str {
    match kind {
        "load" => "`scenario`, `link` or `preset`",
        "set" => "`path`",
        "theme" => "`theme`",
        "seek" => "`t`, a number of seconds",
        _ => "`what`, one of scenario, link, metrics",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(data: &Value) -> Asked {
        read(data).unwrap().unwrap().what
    }

    #[test]
    fn what_is_not_ours_is_passed_over() {
        for data in [
            json!(null),
            json!("ping"),
            json!({ "type": "ping" }),
            json!({ "teeter": 1, "tasks": [] }),
            json!([1]),
        ] {
            assert_eq!(read(&data), None, "{data}");
        }
    }

    #[test]
    fn what_is_ours_and_faulty_is_answered() {
        for (data, about) in [
            (json!({ "teeter": 2, "type": "ping" }), "version 2"),
            (json!({ "teeter": 1, "type": "fly" }), "fly"),
            (
                json!({ "teeter": 1, "type": "load", "preset": 7 }),
                "preset",
            ),
            (
                json!({ "teeter": 1, "type": "get", "what": "moon" }),
                "metrics",
            ),
            (json!({ "teeter": 1, "type": "set", "id": 3 }), "path"),
        ] {
            let Err(Fault { message, id }) = read(&data).unwrap() else {
                panic!("{data} was taken");
            };
            assert!(message.contains(about), "{message}");
            assert_eq!(id, data.get("id").cloned());
        }
    }

    #[test]
    fn every_request_is_read() {
        let load = json!({ "teeter": 1, "type": "load", "preset": "lu-group" });
        assert_eq!(asked(&load), Asked::LoadLink("#p=lu-group".to_owned()));
        let set =
            json!({ "teeter": 1, "type": "set", "path": "nr_migrate", "value": 8, "id": "a" });
        let path = "nr_migrate".to_owned();
        assert_eq!(
            asked(&set),
            Asked::Set {
                path,
                value: json!(8)
            }
        );
        assert_eq!(read(&set).unwrap().unwrap().id, Some(json!("a")));
        let get = json!({ "teeter": 1, "type": "get", "what": "link" });
        assert_eq!(asked(&get), Asked::Get(Wanted::Link));
        let seek = json!({ "teeter": 1, "type": "seek", "t": 1.5 });
        assert_eq!(asked(&seek), Asked::Seek(1.5));
        let scenario = json!({ "teeter": 1, "type": "load", "scenario": { "teeter": 1 } });
        assert_eq!(
            asked(&scenario),
            Asked::LoadScenario(json!({ "teeter": 1 }))
        );
    }

    #[test]
    fn what_is_said_carries_its_version_and_type() {
        let said = Said::Resize { height: 420 };
        assert_eq!(
            said.to_value(),
            json!({ "teeter": 1, "type": "resize", "height": 420 })
        );
        let metrics = Said::Metrics(Metrics::default()).to_value();
        assert_eq!(metrics["type"], "metrics");
        assert_eq!(metrics["finished"], false);
        let error = Said::Error {
            code: "set",
            message: "no".to_owned(),
            id: None,
        };
        assert_eq!(error.to_value().get("id"), None);
    }
}
