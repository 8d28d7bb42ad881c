//! kstep-even-idle-cpu: a run of a real v6.17 kernel, driven tick by tick, that leaves a CPU idle beside two tasks for ever; and the
//! same with the patch that mends it. Every balance pass and every state must come at the recorded tick.
//!
//! Measured with kSTEP (<https://github.com/kstep-dev/results>, repro_even_idle_cpu): all ticks and the clock
//! are the driver's, every CPU ticks each millisecond whether it idles or not, passes are those that were not
//! refused. CPU 0 is the driver's own. Before it begins the driver sets back the state of the kernel: all load
//! is gone but for the tasks' own, which is full, while they never used a CPU; hence the test is in here.

use std::collections::BTreeMap;

use teeter_machine::{Cpu, CpuId, CpuSet, NodeId, Topology};
use teeter_scenario::Nanos;
use teeter_scenario::document::{Kernel, Policy, SettingValue};

use crate::pelt::SchedAvg;
use crate::{Effect, GroupId, NewTask, Rules, Sched, TaskId};

/// Clusters {1,2} and {3,4} under one last-level cache, with a big and a small CPU each.
fn machine() -> Topology {
    let cpu = |number: u16| Cpu {
        core: number,
        cluster: number.div_ceil(2),
        llc: u16::from(number == 0),
        die: 0,
        package: 0,
        node: NodeId(0),
        capacity: if matches!(number, 2 | 4) { 512 } else { 1024 },
    };
    Topology {
        cpus: (0..5).map(cpu).collect(),
        online: CpuSet::first_n(5),
        isolated: CpuSet::of(CpuId(0)),
        nodes: vec![CpuSet::first_n(5)],
        memory: vec![None],
        distances: vec![10],
        reclaim_distance: 30,
        asym_packing: false,
    }
}

fn cpus(list: &[u16]) -> CpuSet {
    list.iter().map(|&cpu| CpuId(cpu)).collect()
}

/// What one run showed.
#[derive(Debug, Default, PartialEq, Eq)]
struct Run {
    /// Ticks of the passes of each CPU at each level.
    passes: BTreeMap<(u16, &'static str), Vec<u64>>,
    /// Tasks on CPUs 1 to 4, whenever that changed, with the tick.
    states: Vec<(u64, [u32; 4])>,
}

struct Harness {
    sched: Sched,
    now: u64,
    effects: Vec<Effect>,
}

const TICK_NS: u64 = 1_000_000;

/// The tasks have slept long before the run begins.
const START_NS: u64 = 10_000 * TICK_NS;

impl Harness {
    fn new(kernel: &str) -> Self {
        let mut kernel = Kernel::new(kernel);
        kernel.set.insert("hz".into(), SettingValue::Int(1000));
        let rules = Rules::from_kernel(&kernel).unwrap();
        Self {
            sched: Sched::new(&machine(), rules),
            now: 0,
            effects: Vec::new(),
        }
    }

    /// Answers what the kernel asks. All happens between two ticks, since the clock stands still.
    fn settle(&mut self) {
        loop {
            self.effects.clear();
            self.sched.take_effects(&mut self.effects);
            if self.effects.is_empty() {
                return;
            }
            for effect in &self.effects {
                let now = Nanos(self.now);
                match *effect {
                    Effect::Resched { cpu, .. } => self.sched.schedule(now, cpu),
                    Effect::NohzKick { cpu, .. } => self.sched.nohz_balance(now, cpu),
                    Effect::ActiveBalance { cpu, .. } => self.sched.active_balance(now, cpu),
                    Effect::Stop { cpu, .. } => self.sched.run_stopper(now, cpu),
                    Effect::Unthrottle { cpu, .. } => self.sched.unthrottle_queued(now, cpu),
                    Effect::Switch { .. } | Effect::Migrate { .. } | Effect::Throttle { .. } => {}
                }
            }
        }
    }

    /// Sets the kernel back to its start, with tasks that come from other CPUs.
    fn reset(&mut self, tasks: &[TaskId]) {
        self.now = START_NS;
        self.sched.advance(Nanos(START_NS));
        for cpu in 0..5 {
            let last_update_time = self.sched.clock_pelt(CpuId(cpu));
            self.sched.cfs_rqs[usize::from(cpu)].avg = SchedAvg {
                last_update_time,
                ..SchedAvg::default()
            };
        }
        for &task in tasks {
            let se = self.sched.task(task).se;
            self.sched.se_mut(se).avg = SchedAvg {
                load_avg: 1024,
                ..SchedAvg::default()
            };
        }
        self.sched.date_domains();
    }

    /// A task that sleeps on the CPU to which it is pinned.
    fn sleeper(&mut self, cpu: u16) -> TaskId {
        let task = self.sched.add_task(&NewTask {
            group: GroupId::ROOT,
            nice: 0,
            policy: Policy::Normal,
            affinity: cpus(&[cpu]),
            per_cpu_kthread: false,
        });
        self.sched
            .fork(Nanos(self.now), CpuId(0), task, Some(CpuId(cpu)));
        self.settle();
        self.sched.block(Nanos(self.now), CpuId(cpu));
        self.settle();
        task
    }

    /// Passes so far at each level, refused ones left out.
    fn passes(&self) -> BTreeMap<&'static str, u64> {
        let levels = self.sched.balance_stats().iter();
        levels
            .map(|level| (level.name, level.count - level.refused))
            .collect()
    }

    /// One tick of every CPU, in their order.
    fn tick(&mut self, tick: u64, run: &mut Run) {
        self.now = START_NS + tick * TICK_NS;
        for cpu in 1..5 {
            let before = self.passes();
            self.sched.tick(Nanos(self.now), CpuId(cpu));
            for (level, passes) in self.passes() {
                for _ in before.get(level).copied().unwrap_or(0)..passes {
                    run.passes.entry((cpu, level)).or_default().push(tick);
                }
            }
            self.settle();
        }
        run.note(tick, &self.sched);
    }
}

impl Run {
    fn note(&mut self, tick: u64, sched: &Sched) {
        let state = [1, 2, 3, 4].map(|cpu| sched.nr_running(CpuId(cpu)));
        if self.states.last().is_none_or(|(_, last)| *last != state) {
            self.states.push((tick, state));
        }
    }
}

/// One task on CPU 1, two on CPU 3, one on CPU 4; from tick 50 on the two may also use CPU 2.
fn even_idle_cpu(kernel: &str) -> Run {
    let mut harness = Harness::new(kernel);
    let tasks = [1, 3, 3, 4].map(|cpu| harness.sleeper(cpu));
    harness.reset(&tasks);
    for task in tasks {
        harness.sched.wake(Nanos(START_NS), CpuId(0), task, false);
        harness.settle();
    }
    let mut run = Run::default();
    run.note(0, &harness.sched);
    for tick in 1..=300 {
        harness.tick(tick, &mut run);
        if tick == 50 {
            for task in [tasks[1], tasks[2]] {
                let now = Nanos(harness.now);
                harness
                    .sched
                    .set_affinity(now, CpuId(0), task, &cpus(&[2, 3]));
                harness.settle();
            }
        }
    }
    run
}

/// Every `step`th tick from `from` to `to`.
fn every(from: u64, to: u64, step: usize) -> Vec<u64> {
    (from..=to).step_by(step).collect()
}

const BUSY_CLUSTER: [u64; 5] = [31, 94, 157, 220, 283];

#[test]
fn v6_17_leaves_a_cpu_idle_beside_two_tasks() {
    let run = even_idle_cpu("v6.17");
    let expected = Run {
        passes: BTreeMap::from([
            ((1, "CLS"), BUSY_CLUSTER.to_vec()),
            ((2, "CLS"), every(2, 298, 4)),
            ((2, "MC"), every(4, 300, 8)),
            ((3, "CLS"), BUSY_CLUSTER.to_vec()),
            ((3, "MC"), vec![63, 190]),
            ((4, "CLS"), BUSY_CLUSTER.to_vec()),
        ]),
        states: vec![(0, [1, 0, 2, 1])],
    };
    assert_eq!(run, expected);
    let passes: usize = run.passes.values().map(Vec::len).sum();
    assert_eq!(passes, 130);
}

#[test]
fn with_the_patch_it_gets_one_once_the_other_cluster_is_overloaded() {
    let run = even_idle_cpu("v6.17+even-idle");
    let mut cluster_2 = every(2, 58, 4);
    cluster_2.extend([121, 184, 247]);
    let expected = Run {
        passes: BTreeMap::from([
            ((1, "CLS"), BUSY_CLUSTER.to_vec()),
            ((1, "MC"), vec![63, 190]),
            ((2, "CLS"), cluster_2),
            ((2, "MC"), every(4, 60, 8)),
            ((3, "CLS"), BUSY_CLUSTER.to_vec()),
            ((3, "MC"), vec![63, 190]),
            ((4, "CLS"), BUSY_CLUSTER.to_vec()),
        ]),
        states: vec![(0, [1, 0, 2, 1]), (60, [1, 1, 1, 1])],
    };
    assert_eq!(run, expected);
    let passes: usize = run.passes.values().map(Vec::len).sum();
    assert_eq!(passes, 45);
}
