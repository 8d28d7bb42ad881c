//! The steps of a `program` as they are edited: what there is, where a list of them stands, and how it changes.
//! Pure: no browser here.

use serde_json::{Value, json};

use crate::workload_form::value;

/// A kind of step.
pub struct Kind {
    /// Its name in a scenario.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    /// Its members where it has several, in their order; none where its value is one.
    pub members: &'static [&'static str],
    /// A value to begin with, as JSON.
    begin: &'static str,
}

impl Kind {
    /// A step of this kind to begin with.
    pub fn step(&self) -> Value {
        json!({ self.name: serde_json::from_str::<Value>(self.begin).unwrap_or_default() })
    }
}

/// The kind of that name.
pub fn kind(name: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.name == name)
}

const fn one(name: &'static str, begin: &'static str, about: &'static str) -> Kind {
    Kind {
        name,
        about,
        members: &[],
        begin,
    }
}

const fn many(
    name: &'static str,
    members: &'static [&'static str],
    begin: &'static str,
    about: &'static str,
) -> Kind {
    Kind {
        name,
        about,
        members,
        begin,
    }
}

/// Every kind, the ones that are asked for most first.
pub const KINDS: [Kind; 25] = [
    one(
        "run",
        "\"3ms\"",
        "computes for so much CPU time at full speed",
    ),
    one("sleep", "\"10ms\"", "sleeps for so long"),
    many(
        "timer",
        &["period"],
        "{\"period\":\"10ms\"}",
        "sleeps until the next multiple of a period; a missed one is not caught up",
    ),
    one("lock", "\"m\"", "takes the named mutex, waiting for it"),
    one("unlock", "\"m\"", "gives the named mutex back"),
    one(
        "barrier",
        "\"b\"",
        "waits until every thread of all tasks with the named barrier has come to it",
    ),
    one(
        "send",
        "\"q\"",
        "puts a message into the named channel, waiting for room",
    ),
    one(
        "receive",
        "\"q\"",
        "takes a message from the named channel, waiting for one",
    ),
    many(
        "loop",
        &["times"],
        "{\"times\":10,\"steps\":[{\"run\":\"1ms\"}]}",
        "repeats steps",
    ),
    one(
        "runtime",
        "\"3ms\"",
        "computes for so long on the clock, whether running or not",
    ),
    one("yield", "true", "calls sched_yield(); false does nothing"),
    one(
        "exec",
        "true",
        "calls exec(), at which the kernel may put the thread on an idler CPU; false does nothing",
    ),
    one("affinity", "\"0\"", "calls sched_setaffinity() for itself"),
    many(
        "touch",
        &["size"],
        "{\"size\":\"64MB\"}",
        "touches some of the task's memory",
    ),
    one(
        "spin_until",
        "\"f\"",
        "computes until the named flag is set, then clears it",
    ),
    one("set", "\"f\"", "sets the named flag"),
    many(
        "wait",
        &["condition", "mutex"],
        "{\"condition\":\"c\"}",
        "waits on the named condition until it is signalled; the mutex is given back meanwhile",
    ),
    one(
        "signal",
        "\"c\"",
        "wakes the one that has waited longest on the named condition",
    ),
    one(
        "broadcast",
        "\"c\"",
        "wakes all that wait on the named condition, one after another",
    ),
    one("suspend", "\"s\"", "waits until resumed by this name"),
    one(
        "resume",
        "\"s\"",
        "wakes all that are suspended by this name",
    ),
    one(
        "begin",
        "\"l\"",
        "begins to measure a latency of that name, which the result then has",
    ),
    one("end", "\"l\"", "ends the measuring of the named latency"),
    many(
        "mutex",
        &["name", "handoff"],
        "{\"name\":\"m\",\"handoff\":true}",
        "says what a named mutex is like: whether it is handed to the one that has waited longest",
    ),
    many(
        "channel",
        &["name", "kind", "bytes", "messages"],
        "{\"name\":\"q\",\"kind\":\"socket\"}",
        "says what a named channel is like: pipe, socket, tcp or semaphore, and how much it holds",
    ),
];

/// What is done to a list of steps.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// A step comes in before that place.
    Insert(usize, Value),
    /// It takes the place of the one there.
    Set(usize, Value),
    /// It goes.
    Remove(usize),
    /// It changes places with the one before.
    Raise(usize),
    /// A member of it has this text; an empty one leaves it out.
    Member(usize, String, String),
}

/// The steps of a program or of a loop in it: the places of the loops that are around them, from the outside in.
pub fn list<'a>(workload: &'a Value, loops: &[usize]) -> Option<&'a Vec<Value>> {
    loops
        .iter()
        .try_fold(workload.get("program")?, |list, at| {
            list.get(at)?.get("loop")?.get("steps")
        })?
        .as_array()
}

/// The workload with a list of its steps changed; `None` where there is no such list or step.
pub fn with(workload: &Value, loops: &[usize], change: Change) -> Option<Value> {
    let mut workload = workload.clone();
    let steps = loops
        .iter()
        .try_fold(workload.get_mut("program")?, |list, at| {
            list.get_mut(*at)?.get_mut("loop")?.get_mut("steps")
        })?
        .as_array_mut()?;
    match change {
        Change::Insert(at, step) if at <= steps.len() => steps.insert(at, step),
        Change::Set(at, step) => *steps.get_mut(at)? = step,
        Change::Remove(at) if at < steps.len() && steps.len() > 1 => {
            steps.remove(at);
        }
        Change::Raise(at) if at > 0 && at < steps.len() => steps.swap(at - 1, at),
        Change::Member(at, name, text) => {
            let members = steps
                .get_mut(at)?
                .as_object_mut()?
                .values_mut()
                .next()?
                .as_object_mut()?;
            if text.is_empty() {
                members.remove(&name);
            } else {
                let old = members.get(&name).cloned().unwrap_or_default();
                members.insert(name, typed(&old, &text));
            }
        }
        _ => return None,
    }
    Some(workload)
}

/// A step's name and value.
pub fn parts(step: &Value) -> Option<(&str, &Value)> {
    let (name, value) = step.as_object()?.iter().next()?;
    Some((name, value))
}

/// A typed text as a value in the place of `old`: what was a text stays one, a list of CPUs such as 3 too.
pub fn typed(old: &Value, text: &str) -> Value {
    if old.is_string() {
        Value::String(text.to_owned())
    } else {
        value(text)
    }
}

/// A value as it is typed.
pub fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload_form::read;
    use teeter_scenario::presets;

    #[test]
    fn every_kind_of_step_can_be_begun_with() {
        let scenario = presets::get("lu-group").unwrap();
        for kind in &KINDS {
            let (name, value) = (kind.name, kind.step());
            let mut steps = vec![value];
            // What waits needs someone who wakes it, what is taken has to be given back.
            steps.push(json!({ "run": "1ms" }));
            read(&scenario, 0, json!({ "program": steps }))
                .unwrap_or_else(|why| panic!("{name}: {why}"));
        }
    }

    #[test]
    fn lists_are_changed_where_they_stand() {
        let loop_ = |steps: Value| json!({ "loop": { "times": 2, "steps": steps } });
        let program = json!({ "program": [{ "run": "1ms" }, loop_(json!([{ "sleep": "2ms" }]))] });
        assert_eq!(list(&program, &[1]).unwrap().len(), 1);
        assert_eq!(list(&program, &[0]), None);
        let more = with(&program, &[1], Change::Insert(1, json!({ "yield": true }))).unwrap();
        assert_eq!(
            more["program"][1],
            loop_(json!([{ "sleep": "2ms" }, { "yield": true }]))
        );
        let raised = with(&more, &[1], Change::Raise(1)).unwrap();
        assert_eq!(list(&raised, &[1]).unwrap()[0], json!({ "yield": true }));
        let times = with(
            &raised,
            &[],
            Change::Member(1, "times".to_owned(), "5".to_owned()),
        )
        .unwrap();
        assert_eq!(times["program"][1]["loop"]["times"], 5);
        let gone = with(&times, &[], Change::Remove(0)).unwrap();
        assert_eq!(gone["program"].as_array().unwrap().len(), 1);
        assert_eq!(
            with(&gone, &[], Change::Remove(0)),
            None,
            "a program has a step"
        );
        assert_eq!(typed(&json!("0-3"), "2"), json!("2"));
        assert_eq!(typed(&json!(true), "false"), json!(false));
    }
}
