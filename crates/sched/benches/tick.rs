//! What a tick costs: one CPU that runs 16 tasks of a cgroup two levels down.
//!
//! `cargo bench -p teeter-sched -- --sample-size 100 --sample-count 20000`. The aim is under 150 ns for `tick`. Fastest
//! samples (medians are 1 to 3 ns above them) on one of two cores of an Intel Xeon (model 207, about 3.3 GHz) under KVM,
//! otherwise idle: 135 ns (v4.11), 131 ns (v4.14), 148 ns (v4.15), 128 ns (v5.3 to v5.6), 117 ns (v5.10, v5.11), 120 ns
//! (v5.18 to v6.5), 116 ns (v6.6, v6.7), 102 ns (v6.12, v6.17).
//!
//! A tick executes 4 to 5 instructions a cycle, so that nothing counts but how many there are; two thirds are load
//! tracking. What made it shorter, from 178 ns (v6.6), 176 ns (v5.3) and 177 ns (v4.11):
//! - sums below 2^32, as most are, decay and are averaged in 64 bits: 30 ns;
//! - the update of an entity and of its queue is one function without calls: 8 ns;
//! - a group's entity that keeps its weight is not taken out of its queue's virtual time and put back: 20 ns (v6.6), nor
//!   its weight off and on again, so that what follows need not wait for two divisions: 4 ns;
//! - slices without 128-bit products and without the division for `sched_nr_latency`: 2 ns.
//!
//! What did not: to keep what the last update did, for the next over as long a time (what it saves, it costs in loads;
//! 40 ns more on v4.11, whose windows differ); to test whether a reweight would change anything before it is done (from
//! v5.17 on it nearly always does, to sums).

use divan::Bencher;
use teeter_machine::{CpuId, CpuSet, Topology};
use teeter_scenario::Nanos;
use teeter_scenario::document::{Kernel, Machine, MachineSource, Policy};
use teeter_sched::{GroupId, NewTask, Rules, Sched, kernels};

const CPU: CpuId = CpuId(0);
const TASKS: usize = 16;

fn main() {
    divan::main();
}

/// Every kernel but the patch series.
fn releases() -> impl Iterator<Item = &'static str> {
    let names = kernels().iter().map(|kernel| kernel.name);
    names.filter(|name| !name.contains('+'))
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
#[divan::bench(args = releases())]
fn tick(bencher: Bencher<'_, '_>, kernel: &str) {
    let (mut sched, mut now) = busy(kernel);
    let tick = sched.rules().tick().0;
    bencher.bench_local(|| {
        now += tick;
        sched.tick(Nanos(now), CPU);
    });
}

/// The tick, and the switch to another task where it asks for one.
#[divan::bench(args = releases())]
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
