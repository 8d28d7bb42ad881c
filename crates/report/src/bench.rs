//! The standard scenarios by which the engine's speed is told.
//!
//! They never change, so that numbers of different days can be compared; `flat32` is the one that LinSched (the
//! scheduler of 2.6.32 in user space) was measured with: 433 simulated seconds per second of CPU time, or 13.8 million
//! CPU-ticks.
//!
//! # What was tried, and what it gave
//!
//! Counts are callgrind's, of `flat32` between its first second and its third, for each tick with what follows from it:
//! three ticks in four end with no more, one in four with a switch, which takes some 1,700 instructions. They were
//! 1,907 and are 1,427; on one of two cores of an Intel Xeon (model 207) with other work beside it, an event took 187
//! ns and takes 146 (both programs in turn), which is 214 simulated seconds per second.
//!
//! - Ticks in a fixed order, with a bit for each CPU that ticks, in place of a tournament tree of the next times: 195
//!   instructions were spent on the tree, 60 are on the order, on 1,024 CPUs as well.
//! - What the scheduler has done is taken one by one where it lies, not moved to a list first: 150.
//! - Load tracking is compiled once for each of its forms, not with a test of the form at each step; for decay by less
//!   than a half, which is all that ticks see, without shifts by a variable: 90 of 454.
//! - The tick's account of run time and load is compiled into it; slices are computed when a tunable changes, not when
//!   they are asked for: 100.
//! - The entity that is picked is mostly the leftmost, and is popped: 5.
//! - The whole program optimised as one (`lto`, one unit): calls between crates no longer go through a table.
//!
//! Of what is left of a tick without a switch, some 850 instructions, load tracking of the task and of its queue takes
//! 220, the slice 110, virtual time 60, the loop and the queue of events 160, and finding the structures by their
//! numbers, with bounds checked, most of the rest. Twice LinSched's rate would be about 36 ns a tick, or 450
//! instructions; that is not reached.
//!
//! Memory: latencies are counted in a table that grows with the longest one (145 kB a task before, of whatever range),
//! and all groups have their room made at once. `groups-1000` takes 135 MB (186 before), most of it still these tables:
//! three digits up to milliseconds are some 80 kB for each task that the scenario names.

use serde::Serialize;
use teeter_scenario::document::workload::{Hackbench, Numa, NumaKind, Periodic, Schbench};
use teeter_scenario::document::{
    Cgroup, Kernel, Machine, MachineSource, Scenario, SettingValue, Tasks, Workload,
};
use teeter_scenario::{Bytes, Nanos, Problems, presets};
use teeter_sim::RunResult;

/// One of the standard scenarios.
#[derive(Clone, Debug)]
pub struct Bench {
    /// Its name.
    pub name: String,
    /// One sentence about it.
    pub about: String,
    /// What is run, under its first kernel.
    pub scenario: Scenario,
}

/// What was measured of one. Rates are per second of CPU time where that is known, and of wall time elsewhere.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Speed {
    /// The scenario's name.
    pub name: String,
    /// Events handled.
    pub events: u64,
    /// Events per second.
    pub events_per_s: f64,
    /// Simulated seconds per second.
    pub simulated_s_per_s: f64,
    /// Ticks of CPUs that were not idle (an idle one has none), per second.
    pub cpu_ticks_per_s: f64,
    /// Memory at its peak beyond what the process held before; `None` where the system does not tell.
    pub peak_bytes: Option<u64>,
    /// That for each thread and for each CPU: all of it, of whatever kind.
    pub bytes_per_thread: Option<f64>,
    /// See [`Speed::bytes_per_thread`].
    pub bytes_per_cpu: Option<f64>,
    /// Decisions that went on record.
    pub decisions: u64,
    /// Time from the first event to the last.
    pub wall_s: f64,
    /// CPU time of that; `None` where the system does not tell.
    pub cpu_s: Option<f64>,
    /// Time it took to build the scenario.
    pub build_s: f64,
    /// CPUs of the machine.
    pub cpus: usize,
    /// Threads.
    pub threads: u64,
    /// Cgroups but the root.
    pub cgroups: usize,
}

/// Times and memory of a run.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// See [`Speed::wall_s`].
    pub wall_s: f64,
    /// See [`Speed::cpu_s`].
    pub cpu_s: Option<f64>,
    /// See [`Speed::build_s`].
    pub build_s: f64,
    /// See [`Speed::peak_bytes`].
    pub peak_bytes: Option<u64>,
    /// See [`Speed::decisions`].
    pub decisions: u64,
}

impl Bench {
    /// All of them, in the order they are run.
    ///
    /// # Errors
    /// Where a preset has a problem: none as released.
    pub fn all() -> Result<Vec<Self>, Problems> {
        let mut all = vec![
            bench(
                "flat32",
                "512 hogs of nice -2 to 2 on 32 CPUs of one cache, at 1000 Hz",
                flat32(),
            ),
            bench(
                "lu-group-v5.3",
                "lu.C beside two hogs in another cgroup, average load",
                lu_group("v5.3")?,
            ),
            bench("lu-group-v5.5", "the same, group types", lu_group("v5.5")?),
            bench(
                "numa02",
                "256 threads that walk their own 32 MB on 8 nodes",
                numa02(),
            ),
            bench(
                "hackbench-16",
                "640 tasks that write and read pipes on 2 sockets",
                hackbench(),
            ),
            bench(
                "schbench-256",
                "2 messengers of 128 workers each on 2 sockets",
                schbench(),
            ),
            bench("idle-1024", "16 periodic tasks on 1024 CPUs", idle()),
            bench(
                "groups-1000",
                "a periodic task in each of 1000 cgroups, three deep, on 64 CPUs",
                groups(),
            ),
        ];
        for nodes in [2, 4, 8, 16, 32] {
            let cpus = 32 * nodes;
            let about = "a hog on every second CPU, a periodic task for each CPU";
            all.push(bench(&format!("scale-{cpus}"), about, scale(nodes)));
        }
        Ok(all)
    }

    /// Ticks a second of the kernel it runs under.
    fn hz(&self) -> f64 {
        let hz = self
            .scenario
            .kernels
            .first()
            .and_then(|kernel| kernel.set.get("hz"));
        match hz {
            Some(SettingValue::Int(hz)) => *hz as f64,
            _ => 250.0,
        }
    }

    /// What a run of it and what that cost come to.
    pub fn speed(&self, run: &RunResult, cost: Cost) -> Speed {
        let seconds = cost.cpu_s.unwrap_or(cost.wall_s).max(1e-9);
        let simulated = run.elapsed_ns as f64 / 1e9;
        let busy: f64 = run.cpus.busy.iter().sum();
        let bytes_per = |parts: u64| cost.peak_bytes.map(|bytes| bytes as f64 / parts as f64);
        Speed {
            name: self.name.clone(),
            events: run.events,
            events_per_s: run.events as f64 / seconds,
            simulated_s_per_s: simulated / seconds,
            cpu_ticks_per_s: busy * self.hz() * simulated / seconds,
            peak_bytes: cost.peak_bytes,
            bytes_per_thread: bytes_per(self.scenario.threads()),
            bytes_per_cpu: bytes_per(run.cpus.busy.len() as u64),
            decisions: cost.decisions,
            wall_s: cost.wall_s,
            cpu_s: cost.cpu_s,
            build_s: cost.build_s,
            cpus: run.cpus.busy.len(),
            threads: self.scenario.threads(),
            cgroups: run.cgroups.len(),
        }
    }
}

fn bench(name: &str, about: &str, scenario: Scenario) -> Bench {
    let (name, about) = (name.to_owned(), about.to_owned());
    Bench {
        name,
        about,
        scenario,
    }
}

/// Tasks on a machine for some seconds, under a kernel at so many ticks a second.
fn scenario(machine: Machine, tasks: Vec<Tasks>, kernel: &str, hz: i64, seconds: u64) -> Scenario {
    let mut scenario = Scenario::new(machine, tasks);
    let mut kernel = Kernel::new(kernel);
    kernel.set.insert("hz".to_owned(), SettingValue::Int(hz));
    scenario.kernels = vec![kernel];
    scenario.run.duration = Nanos::from_secs(seconds);
    // Few samples: what is measured is the engine.
    scenario.run.sample = Nanos::from_secs(1);
    scenario
}

fn synthetic(words: &str) -> Machine {
    Machine::new(MachineSource::Synthetic(words.to_owned()))
}

fn threads(name: impl Into<String>, workload: Workload, threads: u32) -> Tasks {
    Tasks {
        threads,
        ..Tasks::new(name, workload)
    }
}

fn periodic(run: u64, period: u64) -> Workload {
    let (run, period) = (Nanos::from_micros(run), Nanos::from_millis(period));
    Workload::Periodic(Periodic { run, period })
}

fn flat32() -> Scenario {
    // 512 = 102 + 102 + 104 + 102 + 102.
    let hogs = [(-2, 102), (-1, 102), (0, 104), (1, 102), (2, 102)];
    let tasks = hogs.map(|(nice, count)| Tasks {
        nice,
        ..threads(format!("nice {nice}"), Workload::Hog, count)
    });
    scenario(
        synthetic("l3:1 core:32 pu:1"),
        tasks.into(),
        "v5.5",
        1000,
        290,
    )
}

fn lu_group(kernel: &str) -> Result<Scenario, Problems> {
    let mut scenario = presets::get("lu-group")?;
    scenario.kernels = Kernel::replace(&scenario.kernels, &[kernel.to_owned()]);
    scenario.run.duration = Nanos::from_secs(62);
    Ok(scenario)
}

fn numa02() -> Scenario {
    let numa = Numa {
        kind: NumaKind::Local,
        loops: 800,
        size: Bytes::from_mb(32),
    };
    let tasks = vec![threads("numa02", Workload::Numa(numa), 256)];
    scenario(Machine::preset("power8-8n"), tasks, "v5.5", 250, 10)
}

fn hackbench() -> Scenario {
    let groups = Workload::Hackbench(Hackbench {
        groups: 16,
        ..Hackbench::default()
    });
    scenario(
        Machine::preset("milan-2s"),
        vec![Tasks::new("hackbench", groups)],
        "v6.7",
        250,
        2,
    )
}

fn schbench() -> Scenario {
    let schbench = Workload::Schbench(Schbench {
        messages: 2,
        workers: 128,
        ..Schbench::default()
    });
    scenario(
        Machine::preset("milan-2s"),
        vec![Tasks::new("schbench", schbench)],
        "v6.7",
        250,
        10,
    )
}

fn idle() -> Scenario {
    let machine = synthetic("node:16 l3:4 core:8 pu:2");
    scenario(
        machine,
        vec![threads("timer", periodic(1000, 10), 16)],
        "v5.5",
        250,
        60,
    )
}

fn groups() -> Scenario {
    let mut cgroups = Vec::new();
    let mut tasks = Vec::new();
    let digits = 0..10;
    for a in digits.clone() {
        for b in digits.clone() {
            for c in digits.clone() {
                let path = format!("/{a}/{b}/{c}");
                let mut task = Tasks::new(format!("t{a}{b}{c}"), periodic(1000, 20));
                task.cgroup.clone_from(&path);
                tasks.push(task);
                cgroups.push(Cgroup::new(path));
            }
        }
    }
    let machine = synthetic("node:2 l3:1 core:16 pu:2");
    let mut scenario = scenario(machine, tasks, "v5.5", 250, 10);
    scenario.cgroups = cgroups;
    scenario
}

fn scale(nodes: u32) -> Scenario {
    let cpus = 32 * nodes;
    let tasks = vec![
        threads("hog", Workload::Hog, cpus / 2),
        threads("timer", periodic(2000, 10), cpus),
    ];
    scenario(
        synthetic(&format!("node:{nodes} l3:2 core:8 pu:2")),
        tasks,
        "v5.5",
        250,
        5,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use teeter_scenario::validate::validate;

    #[test]
    fn every_scenario_is_valid_and_named_once() {
        let all = Bench::all().unwrap();
        for (at, bench) in all.iter().enumerate() {
            assert_eq!(validate(&bench.scenario), [], "{}", bench.name);
            assert!(all[..at].iter().all(|other| other.name != bench.name));
        }
        assert_eq!(all[0].scenario.threads(), 512);
        assert_eq!(all[0].hz() as u32, 1000);
    }
}
