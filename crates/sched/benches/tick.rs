//! What a tick costs: one CPU that runs 16 tasks of a cgroup two levels down.
//!
//! `cargo bench -p teeter-sched -- --sample-size 200`. The aim is under 150 ns for `tick`. On two cores of an Intel
//! Xeon that other work kept busy, the fastest samples were 168 ns (v5.3), 168 ns (v5.5), 158 ns (v6.1.y) and 126 ns
//! (v6.12.y).

use divan::Bencher;
use teeter_machine::{CpuId, CpuSet, Topology};
use teeter_scenario::Nanos;
use teeter_scenario::document::{Kernel, Machine, MachineSource, Policy};
use teeter_sched::{GroupId, NewTask, Rules, Sched};

const CPU: CpuId = CpuId(0);
const TASKS: usize = 16;
const KERNELS: [&str; 4] = ["v5.3", "v5.5", "v6.1.y", "v6.12.y"];

fn main() {
    divan::main();
}

/// A kernel on one CPU that has run 16 burning tasks of the group `/a/b` for a second, and its time.
#[expect(
    clippy::unwrap_used,
    reason = "the machine and the kernels of the benchmark exist"
)]
fn busy(kernel: &str) -> (Sched, u64) {
    let machine = Machine::new(MachineSource::Synthetic("core:1 pu:1".to_owned()));
    let topology = Topology::from_spec(&machine).unwrap();
    let rules = Rules::from_kernel(&Kernel::new(kernel)).unwrap();
    let tick = rules.tick().0;
    let mut sched = Sched::new(&topology, rules);
    let outer = sched.add_group(GroupId::ROOT, 100);
    let group = sched.add_group(outer, 100);
    for _ in 0..TASKS {
        let task = sched.add_task(&NewTask {
            group,
            nice: 0,
            policy: Policy::Normal,
            affinity: CpuSet::first_n(1),
            per_cpu_kthread: false,
        });
        sched.fork(Nanos(0), CPU, task, Some(CPU));
        sched.schedule(Nanos(0), CPU);
    }
    let mut now = 0;
    for _ in 0..250 {
        now += tick;
        sched.tick(Nanos(now), CPU);
        sched.schedule(Nanos(now), CPU);
        sched.take_effects(&mut Vec::new());
    }
    (sched, now)
}

/// The tick alone.
#[divan::bench(args = KERNELS)]
fn tick(bencher: Bencher<'_, '_>, kernel: &str) {
    let (mut sched, mut now) = busy(kernel);
    let tick = sched.rules().tick().0;
    bencher.bench_local(|| {
        now += tick;
        sched.tick(Nanos(now), CPU);
    });
}

/// The tick, and the switch to another task where it asks for one.
#[divan::bench(args = KERNELS)]
fn tick_and_schedule(bencher: Bencher<'_, '_>, kernel: &str) {
    let (mut sched, mut now) = busy(kernel);
    let tick = sched.rules().tick().0;
    let mut effects = Vec::with_capacity(64);
    bencher.bench_local(|| {
        now += tick;
        sched.tick(Nanos(now), CPU);
        sched.schedule(Nanos(now), CPU);
        effects.clear();
        sched.take_effects(&mut effects);
    });
}
