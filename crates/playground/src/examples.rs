//! The presets as examples: in topics, each with a sentence and a picture of what it looks like. Pure: no browser here.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::rc::Rc;

use serde::Deserialize;
use teeter_scenario::{Scenario, presets};

use crate::drawing::palette::Wearers;

/// Topics in their order, each with its presets. What is in none is in the last.
const TOPICS: [(&str, &[&str]); 5] = [
    (
        "Cgroups and load",
        &["lu-group", "lu-normal", "schbench-root", "schbench-cgroup"],
    ),
    (
        "An imbalance between NUMA nodes",
        &[
            "netperf-stream",
            "schbench-nodes",
            "nas-half",
            "perf-pipe",
            "numa01",
            "numa02",
            "numa03",
            "numa04",
            "numa05",
            "numa06",
            "numa07",
            "numa08",
            "numa09",
            "numa10",
        ],
    ),
    (
        "Where a woken task goes",
        &[
            "hackbench",
            "tbench",
            "netperf-pairs",
            "stream",
            "ycsb",
            "services",
            "genoa-hackbench",
        ],
    ),
    ("Everyday mixes", &["laptop-mix", "milan-periodic"]),
    ("Cases seen on real machines", &[]),
];

/// An example.
#[derive(Clone, Debug, PartialEq)]
pub struct Example {
    /// The preset's name.
    pub name: &'static str,
    /// Its topic.
    pub topic: &'static str,
    /// What it is.
    pub scenario: Rc<Scenario>,
}

/// All of them, topic after topic.
pub fn all() -> Vec<Example> {
    let last = TOPICS[TOPICS.len() - 1].0;
    let known = presets::ALL.iter().filter_map(|preset| {
        let found = TOPICS
            .iter()
            .find(|(_, names)| names.contains(&preset.name));
        Some(Example {
            name: preset.name,
            topic: found.map_or(last, |(topic, _)| topic),
            scenario: Rc::new(preset.scenario().ok()?),
        })
    });
    let mut all: Vec<Example> = known.collect();
    all.sort_by_key(|example| topics().position(|topic| topic == example.topic));
    all
}

/// The topics in their order.
pub fn topics() -> impl Iterator<Item = &'static str> {
    TOPICS.iter().map(|(topic, _)| *topic)
}

impl Example {
    /// One sentence about it.
    pub fn sentence(&self) -> &str {
        let about = self.scenario.about.as_str();
        about.find(". ").map_or(about, |end| &about[..=end])
    }

    /// Its kernels, "v5.3 and v5.5".
    pub fn kernels(&self) -> String {
        let names: Vec<&str> = self
            .scenario
            .kernels
            .iter()
            .map(|kernel| kernel.base.as_str())
            .collect();
        match names.split_last() {
            None => String::new(),
            Some((last, [])) => (*last).to_owned(),
            Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        }
    }

    /// Whether it has all these words.
    pub fn matches(&self, words: &str) -> bool {
        let tasks = self.scenario.tasks.iter().map(|task| task.workload.name());
        let text = format!(
            "{} {} {} {} {} {}",
            self.name,
            self.topic,
            self.scenario.name,
            self.scenario.about,
            self.kernels(),
            tasks.collect::<Vec<_>>().join(" ")
        )
        .to_lowercase();
        words
            .to_lowercase()
            .split_whitespace()
            .all(|word| text.contains(word))
    }
}

/// What examples look like, by their names; as `teeter gallery` prints it.
pub type Pictures = BTreeMap<String, Picture>;

/// What one looks like at a moment.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Picture {
    /// The moment.
    pub at: String,
    /// Under each kernel.
    pub kernels: Vec<OfKernel>,
}

/// The machine under a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct OfKernel {
    /// The kernel's name.
    pub kernel: String,
    /// Each node's CPUs, two characters each: what runs, and how many wait.
    pub nodes: Vec<String>,
}

/// A picture as paths: of one fill each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Paths {
    /// Frames of nodes.
    pub frames: String,
    /// CPUs that idle.
    pub idle: String,
    /// CPUs that are busy, by the colour's place.
    pub busy: [String; 6],
    /// Marks of tasks that wait.
    pub waiting: String,
}

/// Size of a picture, in its own units.
pub const SIZE: (f64, f64) = (256.0, 104.0);

impl Picture {
    /// The paths, each kernel beside the one before.
    pub fn paths(&self, scenario: &Scenario) -> Paths {
        let wearers = Wearers::of_scenario(scenario);
        let mut paths = Paths::default();
        let count = self.kernels.len().max(1) as f64;
        let gap = 12.0;
        let wide = (SIZE.0 - gap * (count - 1.0)) / count;
        for (slot, kernel) in self.kernels.iter().enumerate() {
            let left = slot as f64 * (wide + gap);
            draw(&mut paths, kernel, (left, wide), &wearers);
        }
        paths
    }
}

/// How many columns let so many squares fill a box best.
fn columns(count: usize, wide: f64, high: f64) -> usize {
    let side = |columns: usize| {
        let rows = count.div_ceil(columns);
        (wide / columns as f64).min(high / rows as f64)
    };
    (1..=count.max(1))
        .max_by(|a, b| side(*a).total_cmp(&side(*b)).then(b.cmp(a)))
        .unwrap_or(1)
}

fn draw(paths: &mut Paths, kernel: &OfKernel, (left, wide): (f64, f64), wearers: &Wearers) {
    let nodes = kernel.nodes.len().max(1);
    let across = columns(nodes, wide, SIZE.1);
    let down = nodes.div_ceil(across);
    let (node_wide, node_high) = (wide / across as f64, SIZE.1 / down as f64);
    for (node, cpus) in kernel.nodes.iter().enumerate() {
        let x = left + (node % across) as f64 * node_wide + 1.5;
        let y = (node / across) as f64 * node_high + 1.5;
        let (inner_wide, inner_high) = (node_wide - 3.0, node_high - 3.0);
        rectangle(&mut paths.frames, x, y, inner_wide, inner_high);
        let count = cpus.len() / 2;
        let columns = columns(count, inner_wide - 4.0, inner_high - 4.0);
        let rows = count.div_ceil(columns).max(1);
        let (cell_wide, cell_high) = (
            (inner_wide - 4.0) / columns as f64,
            (inner_high - 4.0) / rows as f64,
        );
        let air = (cell_wide.min(cell_high) * 0.14).max(0.3);
        for (cpu, shown) in cpus.as_bytes().chunks_exact(2).enumerate() {
            let x = x + 2.0 + (cpu % columns) as f64 * cell_wide + air;
            let y = y + 2.0 + (cpu / columns) as f64 * cell_high + air;
            let (wide, high) = (cell_wide - 2.0 * air, cell_high - 2.0 * air);
            let task = shown[0].checked_sub(b'a').map(usize::from);
            let place = task.and_then(|task| wearers.of_task.get(task));
            let path = match (shown[0], place) {
                (b'.', _) => &mut paths.idle,
                (_, place) => &mut paths.busy[place.copied().unwrap_or(0) % 6],
            };
            rectangle(path, x, y, wide, high);
            if shown[1] != b'0' {
                let side = wide.min(high) * 0.42;
                rectangle(
                    &mut paths.waiting,
                    x + (wide - side) / 2.0,
                    y + (high - side) / 2.0,
                    side,
                    side,
                );
            }
        }
    }
}

fn rectangle(path: &mut String, x: f64, y: f64, wide: f64, high: f64) {
    let _ = write!(path, "M{x:.1} {y:.1}h{wide:.1}v{high:.1}h-{wide:.1}z");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_an_example_with_a_sentence() {
        let all = all();
        assert_eq!(all.len(), presets::ALL.len());
        for example in &all {
            assert!(example.sentence().ends_with('.'), "{}", example.name);
            assert!(example.matches(example.name));
        }
        for (_, names) in TOPICS {
            for name in names {
                assert!(presets::get(name).is_ok(), "{name}");
            }
        }
        let found = all
            .iter()
            .filter(|example| example.matches("hog v5.3 cgroup"))
            .count();
        assert!(found >= 1 && found < all.len());
    }

    #[test]
    fn pictures_are_of_the_examples_as_they_are() {
        let pictures: Pictures =
            serde_json::from_str(include_str!("../../../static/gallery.json")).unwrap();
        for example in all() {
            // One that has just come along shows words alone until `cargo xtask gallery` has run.
            let Some(picture) = pictures.get(example.name) else {
                continue;
            };
            let bases = example.scenario.kernels.iter().map(|kernel| &kernel.base);
            let shown = picture.kernels.iter().map(|kernel| &kernel.kernel);
            assert!(bases.eq(shown), "{}", example.name);
            let machine = teeter_machine::Topology::from_spec(&example.scenario.machine).unwrap();
            let nodes = picture.kernels[0].nodes.iter();
            let cpus: usize = nodes.map(|node| node.len() / 2).sum();
            assert_eq!(cpus, machine.cpus.len(), "{}", example.name);
        }
        assert!(pictures.len() >= 30);
    }

    #[test]
    fn squares_fill_their_box() {
        assert_eq!(columns(4, 100.0, 100.0), 2);
        assert_eq!(columns(8, 400.0, 50.0), 8);
        assert_eq!(columns(20, 50.0, 40.0), 5);
        assert_eq!(columns(0, 50.0, 40.0), 1);
    }

    #[test]
    fn what_runs_wears_the_colour_of_the_page() {
        let scenario = presets::get("lu-group").unwrap();
        let picture = Picture {
            at: "1s".to_owned(),
            kernels: vec![OfKernel {
                kernel: "v5.3".to_owned(),
                nodes: vec!["a0b2.0".to_owned()],
            }],
        };
        let paths = picture.paths(&scenario);
        let wearers = Wearers::of_scenario(&scenario);
        let rectangles = |path: &str| path.matches('M').count();
        for task in 0..2 {
            assert_eq!(rectangles(&paths.busy[wearers.of_task[task]]), 1);
        }
        assert_eq!(
            [&paths.idle, &paths.waiting, &paths.frames].map(|path| rectangles(path)),
            [1, 1, 1]
        );
    }
}
