//! Reads the values of an rt-app document; what is wrong becomes a problem with its path.

use serde_json::{Map, Value};
use teeter_scenario::problem::join;
use teeter_scenario::{CpuList, Nanos, Problem, limits};

/// Keys that an object may have.
pub(super) struct Keys(pub(super) &'static [&'static str]);

/// An object and where it is.
#[derive(Clone, Debug)]
pub(super) struct Object<'a> {
    map: &'a Map<String, Value>,
    pub(super) path: String,
}

/// Whether a key is a remark.
fn is_remark(key: &str) -> bool {
    key.starts_with('_') || key.starts_with("comment")
}

impl<'a> Object<'a> {
    pub(super) fn new(value: &'a Value, path: &str, problems: &mut Vec<Problem>) -> Option<Self> {
        let map = value.as_object();
        if map.is_none() {
            problems.push(Problem::new(path, "an object is expected"));
        }
        map.map(|map| Self {
            map,
            path: path.to_owned(),
        })
    }

    pub(super) fn get(&self, key: &str) -> Option<&'a Value> {
        self.map.get(key)
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = (&'a str, &'a Value)> + use<'a> {
        let entries = self.map.iter().filter(|(key, _)| !is_remark(key));
        entries.map(|(key, value)| (key.as_str(), value))
    }

    /// Every key must be known.
    pub(super) fn only(&self, keys: &Keys, problems: &mut Vec<Problem>) {
        for (key, _) in self.entries() {
            if !keys.0.contains(&key) {
                self.unknown(key, problems);
            }
        }
    }

    pub(super) fn unknown(&self, key: &str, problems: &mut Vec<Problem>) {
        let message = "is neither an event nor a property that is known";
        problems.push(Problem::new(join(&self.path, key), message));
    }

    fn wrong(&self, key: &str, expected: &str, problems: &mut Vec<Problem>) {
        problems.push(Problem::new(
            join(&self.path, key),
            format!("{expected} is expected"),
        ));
    }

    pub(super) fn object(&self, key: &str, problems: &mut Vec<Problem>) -> Option<Self> {
        let value = self.get(key)?;
        Object::new(value, &join(&self.path, key), problems)
    }

    pub(super) fn text(&self, key: &str, problems: &mut Vec<Problem>) -> Option<&'a str> {
        let value = self.get(key)?;
        let text = value.as_str();
        if text.is_none() {
            self.wrong(key, "a text", problems);
        }
        text
    }

    /// A whole number, at least 0.
    pub(super) fn whole(&self, key: &str, default: u32, problems: &mut Vec<Problem>) -> u32 {
        let Some(value) = self.get(key) else {
            return default;
        };
        let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
        number.unwrap_or_else(|| {
            self.wrong(key, "a whole number, at least 0,", problems);
            default
        })
    }

    /// µs, at least 0, and at most as long as any run.
    pub(super) fn micros(&self, key: &str, problems: &mut Vec<Problem>) -> Nanos {
        let Some(value) = self.get(key) else {
            return Nanos::ZERO;
        };
        let time = value.as_u64().and_then(|micros| micros.checked_mul(1000));
        let time = time.filter(|&nanos| nanos <= limits::DURATION.0);
        Nanos(time.unwrap_or_else(|| {
            self.wrong(key, "a time in µs, at most an hour,", problems);
            0
        }))
    }

    /// How often; -1 is for ever.
    pub(super) fn rounds(
        &self,
        key: &str,
        default: Option<u32>,
        problems: &mut Vec<Problem>,
    ) -> Option<u32> {
        let Some(value) = self.get(key) else {
            return default;
        };
        match value.as_i64() {
            Some(-1) => None,
            Some(rounds) if (0..i64::from(u32::MAX)).contains(&rounds) => Some(rounds as u32),
            _ => {
                self.wrong(key, "a whole number, or -1 for ever,", problems);
                default
            }
        }
    }

    /// `priority`, which is a nice level in the fair class.
    pub(super) fn nice(&self, problems: &mut Vec<Problem>) -> Option<i8> {
        let value = self.get("priority")?;
        let nice = value.as_i64().filter(|nice| (-20..=19).contains(nice));
        if nice.is_none() {
            self.wrong("priority", "a nice level, -20 to 19,", problems);
        }
        nice.map(|nice| nice as i8)
    }

    pub(super) fn cpus(&self, problems: &mut Vec<Problem>) -> Option<CpuList> {
        let value = self.get("cpus")?;
        let cpu = |value: &Value| value.as_u64().filter(|&cpu| cpu < u64::from(limits::CPUS));
        let cpus = value
            .as_array()
            .map(|list| list.iter().map(cpu).collect::<Option<Vec<u64>>>());
        match cpus.flatten() {
            Some(cpus) if !cpus.is_empty() => {
                Some(cpus.into_iter().map(|cpu| cpu as u32).collect())
            }
            _ => {
                self.wrong("cpus", "a list of numbers of CPUs", problems);
                None
            }
        }
    }

    pub(super) fn taskgroup(&self, problems: &mut Vec<Problem>) -> Option<String> {
        let group = self
            .text("taskgroup", problems)
            .filter(|group| !group.is_empty())?;
        let sound = group.starts_with('/') && group.len() <= limits::CGROUP_NAME * 4;
        if !sound {
            self.wrong("taskgroup", "a path that begins with /", problems);
        }
        sound.then(|| group.to_owned()).filter(|group| group != "/")
    }

    /// Properties that mean something and are not modelled.
    pub(super) fn refuse_unmodelled(&self, problems: &mut Vec<Problem>) {
        for (key, what) in [
            ("util_min", "utilisation clamps are not modelled"),
            ("util_max", "utilisation clamps are not modelled"),
            (
                "dl-runtime",
                "neither deadline tasks nor slices of a task's own are modelled",
            ),
            ("dl-period", "deadline tasks are not modelled"),
            ("dl-deadline", "deadline tasks are not modelled"),
            ("period", "deadline tasks are not modelled"),
            ("deadline", "deadline tasks are not modelled"),
            ("nodes_membind", "the buffers of `mem` lie on no node"),
        ] {
            if self.get(key).is_some() {
                problems.push(Problem::new(join(&self.path, key), what));
            }
        }
    }
}
