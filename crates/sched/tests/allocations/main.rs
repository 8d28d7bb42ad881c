//! A kernel that has seen all its tasks allocates no more. In a binary of its own: every allocation is counted.

#![expect(
    clippy::unwrap_used,
    reason = "the machines and the kernels of the tests exist"
)]

use std::ops::Range;

use teeter_machine::{CpuId, CpuSet, Topology};
use teeter_scenario::Nanos;
use teeter_scenario::document::{Kernel, Machine, MachineSource, Policy};
use teeter_sched::decision::Decisions;
use teeter_sched::{Effect, GroupId, NewTask, Rules, Sched, TaskId, kernels};

const MS: u64 = 1_000_000;

/// A kernel that answers itself at once, and tasks that sleep now and then.
struct Machinery {
    sched: Sched,
    tasks: Vec<TaskId>,
    /// A group whose run time is limited.
    limited: GroupId,
    cpus: u16,
    effects: Vec<Effect>,
    decisions: Decisions,
}

impl Machinery {
    fn new(kernel: &str) -> Self {
        let source = MachineSource::Synthetic("node:2 l3:1 core:4 pu:2".to_owned());
        let topology = Topology::from_spec(&Machine::new(source)).unwrap();
        let rules = Rules::from_kernel(&Kernel::new(kernel)).unwrap();
        let cpus = topology.cpus.len() as u16;
        let mut sched = Sched::new(&topology, rules);
        let outer = sched.add_group(GroupId::ROOT, 300);
        let inner = sched.add_group(outer, 50);
        // It runs out of time again and again.
        let (quota, period) = (Some(Nanos(40 * MS)), Nanos(20 * MS));
        sched.set_group_bandwidth(Nanos(0), inner, quota, period, Nanos(0));
        let tasks = (0..40)
            .map(|at| {
                let groups = [GroupId::ROOT, outer, inner];
                let task = NewTask {
                    group: groups[at % groups.len()],
                    nice: at as i8 % 7 - 3,
                    policy: Policy::Normal,
                    affinity: CpuSet::first_n(usize::from(cpus)),
                    per_cpu_kthread: false,
                };
                sched.add_task(&task)
            })
            .collect();
        Self {
            sched,
            tasks,
            limited: inner,
            cpus,
            effects: Vec::with_capacity(1024),
            decisions: Decisions::new(),
        }
    }

    /// Time passes, in milliseconds.
    fn run(&mut self, millis: Range<u64>) {
        for ms in millis {
            let now = Nanos(ms * MS);
            while let Some(timer) = self.sched.next_timer().filter(|&timer| timer <= now) {
                self.sched.run_timers(timer);
                self.settle(timer);
            }
            for cpu in (0..self.cpus).map(CpuId) {
                if self.sched.curr(cpu).is_some() && ms % 4 == u64::from(cpu.0) % 4 {
                    self.sched.tick(now, cpu);
                    self.settle(now);
                }
            }
            let cpu = CpuId((ms * 7 % u64::from(self.cpus)) as u16);
            if self.sched.curr(cpu).is_some() && ms % 3 == 0 {
                self.sched.block(now, cpu);
                self.settle(now);
            }
            let task = self.tasks[(ms * 11 % self.tasks.len() as u64) as usize];
            self.sched.wake(now, cpu, task, ms % 5 == 0);
            self.settle(now);
            self.sched.take_decisions(&mut self.decisions);
        }
    }

    /// Has every CPU hold all the tasks once, so that no queue has to grow any more, then lets them go again.
    fn fill_each_cpu(&mut self, from_ms: u64) -> u64 {
        let mut ms = from_ms;
        for cpu in (0..self.cpus).map(CpuId) {
            self.bind(ms, &[cpu].into_iter().collect());
            self.run(ms..ms + 80);
            ms += 80;
        }
        self.bind(ms, &CpuSet::first_n(usize::from(self.cpus)));
        ms
    }

    fn bind(&mut self, ms: u64, cpus: &CpuSet) {
        let now = Nanos(ms * MS);
        for at in 0..self.tasks.len() {
            self.sched.set_affinity(now, CpuId(0), self.tasks[at], cpus);
            self.settle(now);
            self.sched.wake(now, CpuId(0), self.tasks[at], false);
            self.settle(now);
        }
    }

    fn settle(&mut self, now: Nanos) {
        loop {
            self.effects.clear();
            self.sched.take_effects(&mut self.effects);
            if self.effects.is_empty() {
                return;
            }
            for effect in &self.effects {
                match *effect {
                    Effect::Resched { cpu, .. } => self.sched.schedule(now, cpu),
                    Effect::NohzKick { cpu, .. } => self.sched.nohz_balance(now, cpu),
                    Effect::ActiveBalance { cpu, .. } => self.sched.active_balance(now, cpu),
                    Effect::Stop { cpu, .. } => self.sched.run_stopper(now, cpu),
                    Effect::Unthrottle { cpu, .. } => self.sched.unthrottle_queued(now, cpu),
                    _ => {}
                }
            }
        }
    }
}

/// Counts what is allocated while a kernel runs, with its decisions on record or not.
fn allocated(kernel: &str, record: bool) -> u64 {
    let mut machinery = Machinery::new(kernel);
    machinery.sched.record_decisions(record);
    for at in 0..machinery.tasks.len() {
        let task = machinery.tasks[at];
        machinery.sched.fork(Nanos(0), CpuId(0), task, None);
        machinery.settle(Nanos(0));
    }
    let ms = machinery.fill_each_cpu(1);
    machinery.run(ms..ms + 10_000);
    let steady = ms + 10_000..ms + 40_000;
    let counted = allocation_counter::measure(|| machinery.run(steady));
    let limited = machinery.sched.bandwidth_stats(machinery.limited);
    assert!(limited.nr_throttled > 200, "{kernel}: {limited:?}");
    counted.count_total
}

#[test]
fn steady_state_allocates_nothing() {
    for kernel in kernels().iter().map(|info| info.name) {
        assert_eq!(allocated(kernel, false), 0, "{kernel}");
        // What is counted is counted.
        let one =
            allocation_counter::measure(|| drop(std::hint::black_box(vec![kernel.to_owned()])));
        assert_eq!(one.count_total, 2);
    }
}

#[test]
fn decisions_go_on_record_without_allocation() {
    for kernel in ["v4.11", "v5.3", "v5.5", "v6.12"] {
        assert_eq!(allocated(kernel, true), 0, "{kernel}");
    }
}
