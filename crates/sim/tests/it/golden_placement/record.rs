//! What was measured.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden");

/// Rows whose nodes differed from repeat to repeat.
const UNSTABLE: [&str; 2] = ["w100n_w300n", "w1000n_w10n"];

/// One scenario with what each repeat gave.
pub(super) struct Case {
    /// Set, kernel and machine.
    pub(super) set: String,
    pub(super) label: String,
    /// Whether it was the first after boot.
    pub(super) first: bool,
    pub(super) kernel: String,
    /// A scenario's `machine`.
    pub(super) machine: Value,
    /// The measurement's own record of the scenario.
    pub(super) spec: Vec<String>,
    pub(super) weights: BTreeMap<String, u64>,
    pub(super) max: Vec<(String, String)>,
    pub(super) warmup_ms: u64,
    pub(super) window_ms: u64,
    /// When each task was forked.
    pub(super) forks_ms: Vec<f64>,
    /// CPU of the program that took samples.
    pub(super) sampler: u16,
    pub(super) repeats: Vec<Measured>,
    /// Of a release: the most tasks a CPU may have to be called spread.
    pub(super) most: Option<u32>,
}

/// What one repeat gave; nodes and CPUs sorted.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Measured {
    pub(super) nodes: Vec<f64>,
    pub(super) cpus: Vec<f64>,
    pub(super) migrations: u64,
    /// Of a release: when all were spread, ms after it.
    pub(super) balanced_ms: Option<f64>,
}

impl Case {
    /// Tasks that never sleep.
    pub(super) fn is_hogs(&self) -> bool {
        let kinds = self.spec.iter().filter(|word| word.contains(':'));
        let mut kinds = kinds.map(|word| word.split(':').next().unwrap());
        kinds.all(|kind| kind == "burn" || kind == "pin")
    }

    /// Whether repeats of the measurement agreed.
    pub(super) fn is_stable(&self) -> bool {
        !UNSTABLE.contains(&self.label.as_str())
    }

    /// The number after `key=` in the spec.
    pub(super) fn option(&self, key: &str) -> Option<u64> {
        let value = self
            .spec
            .iter()
            .find_map(|word| word.strip_prefix(key)?.strip_prefix('='));
        value.map(|value| value.parse().unwrap())
    }
}

/// All scenarios, repeats together.
pub(super) fn cases() -> Vec<Case> {
    let mut cases: BTreeMap<(String, usize), Case> = BTreeMap::new();
    for kind in ["placement", "release", "numa_imbalance"] {
        let mut files: Vec<_> = std::fs::read_dir(Path::new(GOLDEN).join(kind))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        files.sort();
        for file in files {
            let name = file.file_stem().unwrap().to_str().unwrap().to_owned();
            let document: Value =
                serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
            for (at, row) in document["scenarios"].as_array().unwrap().iter().enumerate() {
                let set = without_repeat(&name);
                let case = cases
                    .entry((set.clone(), at))
                    .or_insert_with(|| case(set, at == 0, &document, row));
                case.repeats.push(measured(row));
            }
        }
    }
    cases.into_values().collect()
}

/// The name of a file without what tells a repeat: another boot, clock or state of NUMA balancing.
fn without_repeat(name: &str) -> String {
    let mut name = name;
    for repeat in ["_r2", "_r3", "_shift0", "_numabal"] {
        name = name.strip_suffix(repeat).unwrap_or(name);
    }
    name.to_owned()
}

fn case(set: String, first: bool, document: &Value, row: &Value) -> Case {
    let words = row["spec"].as_str().unwrap().split(' ');
    let weights = row["weights"].as_object().into_iter().flatten();
    let limits = row["max"].as_object().into_iter().flatten();
    Case {
        set,
        first,
        label: row["label"].as_str().unwrap().to_owned(),
        kernel: document["kernel"].as_str().unwrap().to_owned(),
        machine: document["machine"].clone(),
        spec: words.map(str::to_owned).collect(),
        weights: weights
            .map(|(path, weight)| (path.clone(), weight.as_u64().unwrap()))
            .collect(),
        max: limits
            .map(|(path, max)| (path.clone(), max.as_str().unwrap().to_owned()))
            .collect(),
        warmup_ms: row["warmup_ms"].as_u64().unwrap(),
        window_ms: row["window_ms"].as_u64().unwrap(),
        forks_ms: row["forks_ms"]
            .as_array()
            .unwrap()
            .iter()
            .map(|ms| ms.as_f64().unwrap())
            .collect(),
        sampler: row["sampler"].as_u64().unwrap() as u16,
        repeats: Vec::new(),
        most: row["most"].as_u64().map(|most| most as u32),
    }
}

fn measured(row: &Value) -> Measured {
    let sorted = |key: &str| {
        let list = row[key].as_array().unwrap();
        super::measure::sorted(list.iter().map(|mean| mean.as_f64().unwrap()).collect())
    };
    Measured {
        nodes: sorted("nodes"),
        cpus: sorted("cpus"),
        migrations: row["migrations"].as_u64().unwrap(),
        balanced_ms: row["balanced_ms"].as_f64(),
    }
}
