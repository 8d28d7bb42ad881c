//! Reading and writing the JSON document.

mod complaint;
mod strict;
mod text;
pub mod v1;

use serde_json::Value;

use crate::document::Scenario;
use crate::problem::{Problem, Problems};
use crate::validate::validate;
use crate::{limits, pointer};

/// The newest version of the format.
pub const VERSION: u32 = 1;

/// What came of reading a document.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The scenario; where there are problems, what is left of it without the parts at fault, if that is one.
    pub scenario: Option<Scenario>,
    /// What is wrong with the document, in the order it was found.
    pub problems: Vec<Problem>,
}

impl Scenario {
    /// Reads and validates a document.
    ///
    /// # Errors
    /// All that is wrong with it. A text that is not JSON is one problem, with its line and column.
    ///
    /// ```
    /// use teeter_scenario::Scenario;
    ///
    /// let text = r#"{ "teeter": 1, "machine": { "preset": "4n-80c" },
    ///                 "tasks": [ { "name": "stress", "workload": "hog", "threds": 2 } ] }"#;
    /// let problems = Scenario::from_json(text).unwrap_err();
    /// assert_eq!(problems.to_string(), "/tasks/0/threds: unknown key (did you mean `threads`?)");
    /// ```
    pub fn from_json(text: &str) -> Result<Self, Problems> {
        let reading = read(text);
        match reading.scenario {
            Some(scenario) if reading.problems.is_empty() => Ok(scenario),
            _ => Err(Problems(reading.problems)),
        }
    }

    /// Reads and validates a document that is parsed already.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub fn from_value(value: &Value) -> Result<Self, Problems> {
        let reading = read_value(value.clone());
        match reading.scenario {
            Some(scenario) if reading.problems.is_empty() => Ok(scenario),
            _ => Err(Problems(reading.problems)),
        }
    }

    /// The document in its canonical form: keys in a fixed order, defaults left out, no space.
    pub fn to_json(&self) -> String {
        self.to_value().to_string()
    }

    /// The canonical document laid out for people.
    pub fn to_json_pretty(&self) -> String {
        format!("{:#}", self.to_value())
    }

    /// The canonical document as a value.
    pub fn to_value(&self) -> Value {
        // Every key of a document is a text, so that nothing can fail here.
        serde_json::to_value(v1::Scenario::from(self.clone())).unwrap_or_default()
    }
}

/// Reads a document as far as it can be read.
pub fn read(text: &str) -> Reading {
    let nothing = |problem| Reading {
        scenario: None,
        problems: vec![problem],
    };
    if text.len() > limits::DOCUMENT {
        let message = format!("longer than {} bytes", limits::DOCUMENT);
        return nothing(Problem::new("", message));
    }
    match strict::parse(text) {
        Ok(value) => read_value(value),
        Err(problem) => nothing(problem),
    }
}

/// Reads a parsed document: notes what is wrong, takes it out, and reads the rest again.
fn read_value(mut value: Value) -> Reading {
    if let Err(problem) = check_version(&value) {
        return Reading {
            scenario: None,
            problems: vec![problem],
        };
    }
    let mut problems: Vec<Problem> = Vec::new();
    let mut removed: Vec<String> = Vec::new();
    // Once an element is gone from a list, later ones have other numbers: report nothing more, only repair.
    let mut reporting = true;
    for _ in 0..limits::PROBLEMS {
        let (scenario, found) = attempt(&value);
        if found.is_empty() {
            return Reading { scenario, problems };
        }
        let places: Vec<String> = found.iter().map(|problem| problem.path.clone()).collect();
        if reporting {
            let caused = |problem: &Problem| {
                problem.message == complaint::MISSING
                    && removed.iter().any(|place| place.starts_with(&problem.path))
            };
            problems.extend(found.into_iter().filter(|problem| !caused(problem)));
        }
        // From the last to the first, so that numbers of list elements stay true.
        for place in places.iter().rev() {
            match pointer::remove(&mut value, place) {
                Some(pointer::Removed::Key) => {}
                Some(pointer::Removed::Element) => reporting = false,
                None => {
                    return Reading {
                        scenario: None,
                        problems,
                    };
                }
            }
        }
        removed.extend(places);
    }
    Reading {
        scenario: None,
        problems,
    }
}

/// One reading: a scenario if it can be read at all, and what is wrong.
fn attempt(value: &Value) -> (Option<Scenario>, Vec<Problem>) {
    match serde_path_to_error::deserialize::<_, v1::Scenario>(value) {
        Ok(wire) => {
            let mut problems = wire.shape_problems();
            let scenario = Scenario::from(wire);
            // What has the wrong shape was not read as it was meant: nothing more is said about it.
            let mut meant = validate(&scenario);
            meant.retain(|problem| {
                !problems
                    .iter()
                    .any(|shape| problem.path.starts_with(&shape.path))
            });
            problems.append(&mut meant);
            problems.truncate(limits::PROBLEMS);
            (Some(scenario), problems)
        }
        Err(error) => (None, vec![complaint::problem(&error)]),
    }
}

/// Whether the document says that it is of a version this crate knows.
fn check_version(value: &Value) -> Result<(), Problem> {
    let Some(object) = value.as_object() else {
        return Err(Problem::new("", "a scenario is a JSON object"));
    };
    let hint = format!("write \"teeter\": {VERSION}");
    match object.get("teeter") {
        None => Err(Problem::new("/teeter", complaint::MISSING).with_hint(hint)),
        Some(version) => match version.as_u64() {
            Some(version) if version == u64::from(VERSION) => Ok(()),
            Some(version) if version > u64::from(VERSION) => {
                let message =
                    format!("format {version} is newer than this Teeter, which reads {VERSION}");
                Err(Problem::new("/teeter", message))
            }
            _ => Err(Problem::new(
                "/teeter",
                format!("{version} is not a version of the format"),
            )
            .with_hint(hint)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The problems of a document with this at the end, after a machine and a task.
    fn problems(rest: &str) -> Vec<String> {
        problems_of(&format!(
            r#"{{"teeter":1,"machine":{{"preset":"laptop"}},"tasks":[{{"name":"a","workload":"hog"}}]{rest}}}"#
        ))
    }

    fn problems_of(text: &str) -> Vec<String> {
        read(text).problems.iter().map(Problem::to_string).collect()
    }

    #[test]
    fn a_small_document_gets_its_defaults() {
        let text =
            r#"{"teeter":1,"machine":{"preset":"laptop"},"tasks":[{"name":"a","workload":"hog"}]}"#;
        let scenario = Scenario::from_json(text).unwrap();
        assert_eq!(scenario.kernels, [crate::document::Kernel::default()]);
        assert_eq!(scenario.run.duration, crate::Nanos::from_secs(30));
        assert_eq!(scenario.tasks[0].cgroup, "/");
        // The kernels are written out: what is newest today will not be when a link is opened.
        let newest = crate::document::Kernel::NEWEST;
        let written = scenario.to_json();
        assert_eq!(
            written,
            text.replace("}]}", &format!("}}],\"kernels\":[\"{newest}\"]}}"))
        );
    }

    #[test]
    fn what_is_not_json_is_told_by_line_and_column() {
        assert_eq!(
            problems_of("{\n  \"teeter\": 1,\n  oops\n}"),
            ["not JSON: key must be a string at line 3 column 3"]
        );
        assert_eq!(
            problems_of("{} {}"),
            ["not JSON: trailing characters at line 1 column 4"]
        );
        assert_eq!(problems_of("[1]"), ["a scenario is a JSON object"]);
        assert_eq!(
            problems_of(&"[".repeat(10_000)),
            ["not JSON: recursion limit exceeded at line 1 column 128"]
        );
    }

    #[test]
    fn a_key_given_twice_is_not_lost_in_silence() {
        assert_eq!(
            problems_of("{\"teeter\":1,\"run\":{\"seed\":1,\n\"seed\":2}}"),
            ["/run: the key `seed` is given twice at line 2 column 6"]
        );
    }

    #[test]
    fn the_version_is_looked_at_first() {
        assert_eq!(
            problems_of(r#"{"machine":3}"#),
            [r#"/teeter: is missing (write "teeter": 1)"#]
        );
        assert_eq!(
            problems_of(r#"{"teeter":2,"something":"new"}"#),
            ["/teeter: format 2 is newer than this Teeter, which reads 1"]
        );
        assert_eq!(
            problems_of(r#"{"teeter":"one"}"#),
            [r#"/teeter: "one" is not a version of the format (write "teeter": 1)"#]
        );
    }

    #[test]
    fn all_unknown_keys_are_found_with_the_nearest_known_one() {
        assert_eq!(
            problems(r#","kernel":["v5.5"],"run":{"sead":3,"xyz":1,"seed":2}"#),
            [
                "/kernel: unknown key (did you mean `kernels`?)",
                "/run/sead: unknown key (did you mean `seed`?)",
                "/run/xyz: unknown key (known: duration, warmup, uptime, seed, repeats, sample, until)",
            ]
        );
    }

    #[test]
    fn wrong_values_are_told_in_words() {
        for (rest, problem) in [
            (
                r#","run":{"duration":30}"#,
                "/run/duration: expected a time with its unit (ns, us, ms, s), such as \"15ms\"; found integer `30`",
            ),
            (
                r#","run":{"duration":"30"}"#,
                "/run/duration: `30` is not a time: write a number and one of ns, us, ms, s, as in \"15ms\"",
            ),
            (
                r#","run":{"repeats":-1}"#,
                "/run/repeats: expected a whole number, 0 or more; found integer `-1`",
            ),
            (
                r#","run":{"until":"dun"}"#,
                "/run/until: unknown value `dun` (did you mean `done`?)",
            ),
            (r#","run":[]"#, "/run: expected an object; found a list"),
            (
                r#","kernels":[{"set":{"hz":1000}}]"#,
                "/kernels/0/base: is missing",
            ),
            (
                r#","kernels":[{"base":"v5.5","set":{"hz":2.5}}]"#,
                "/kernels/0/set/hz: expected a whole number, true, false, or a text such as \"500us\"; found floating point `2.5`",
            ),
            (
                r#","script":[{"at":"1s"}]"#,
                "/script/0: one of `set`, `affinity`, `cgroup`, `move`, `start`, `stop`, `offline`, `online`, `nice`, `autogroup`, `slice` is needed",
            ),
            (
                r#","script":[{"at":"1s","stop":"a","nice":{"task":"a","nice":3}}]"#,
                "/script/0/nice: excludes `stop`",
            ),
        ] {
            assert_eq!(problems(rest), [problem], "{rest}");
        }
    }

    #[test]
    fn workloads_are_read_by_name_or_with_parameters() {
        let tasks = |workload: &str| {
            problems_of(&format!(
                r#"{{"teeter":1,"machine":{{"preset":"laptop"}},"tasks":[{{"name":"a","workload":{workload}}}]}}"#
            ))
        };
        for good in [
            r#""hog""#,
            r#"{"hog":{}}"#,
            r#""npb-lu""#,
            r#"{"npb-lu":{"class":"B"}}"#,
            r#""schbench""#,
            r#"{"program":[{"run":"3ms"},{"yield":true},{"loop":{"times":2,"steps":[{"sleep":"1ms"}]}}]}"#,
        ] {
            assert_eq!(tasks(good), [""; 0], "{good}");
        }
        for (bad, problem) in [
            (
                r#""hug""#,
                "/tasks/0/workload: unknown value `hug` (did you mean `hog`?)",
            ),
            (
                r#"{"npb-lu":{"clas":"B"}}"#,
                "/tasks/0/workload/npb-lu/clas: unknown key (did you mean `class`?)",
            ),
            (
                r#"{"npb-lu":{"class":"Z"}}"#,
                "/tasks/0/workload/npb-lu/class: unknown value `Z` (known: S, W, A, B, C, D, E)",
            ),
            (r#""periodic""#, "/tasks/0/workload/run: is missing"),
            (
                r#""program""#,
                "/tasks/0/workload: `program` needs its content: { \"program\": … }",
            ),
            (
                r#"{"hog":{},"stress":{}}"#,
                "/tasks/0/workload: a workload has one name",
            ),
            (
                "7",
                "/tasks/0/workload: expected the name of a workload, or an object with its name as the key; found integer `7`",
            ),
        ] {
            assert_eq!(tasks(bad), [problem], "{bad}");
        }
    }

    #[test]
    fn what_is_left_can_be_opened() {
        let text = r#"{"teeter":1,"machine":{"preset":"laptop"},"extra":1,
            "tasks":[{"name":"a","workload":"hog","threads":0},{"name":"b","workload":"hug"},{"name":"c","workload":"hog"}]}"#;
        let reading = read(text);
        assert_eq!(reading.problems.len(), 2);
        let names: Vec<String> = reading
            .scenario
            .unwrap()
            .tasks
            .into_iter()
            .map(|tasks| tasks.name)
            .collect();
        assert_eq!(names, ["a", "c"]);
        assert_eq!(read("{\"teeter\":1}").scenario, None);
    }
}
