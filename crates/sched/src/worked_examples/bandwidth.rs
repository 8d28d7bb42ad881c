//! cpu.max.

use serde_json::Value;
use teeter_machine::{CpuId, CpuSet, Topology};
use teeter_scenario::Nanos;
use teeter_scenario::document::{Kernel, Machine, MachineSource, Policy, SettingValue};

use super::uint;
use crate::effect::Effect;
use crate::ids::GroupId;
use crate::rules::Rules;
use crate::sched::Sched;
use crate::task::NewTask;

/// What became of a group whose CPUs are all busy.
struct Seen {
    throttled_at_ms: u64,
    throttled_until_ms: u64,
    slices_taken: u64,
}

/// A busy task on each CPU of a group with a limit, with a tick each ms, until it runs again.
fn exhaust(kernel: &str, cpus: u64, quota_ms: u64, period_ms: u64) -> Seen {
    let machine = Machine::new(MachineSource::Synthetic(format!("node:1 core:{cpus} pu:1")));
    let topology = Topology::from_spec(&machine).unwrap();
    let mut kernel = Kernel::new(kernel);
    kernel.set.insert("hz".to_owned(), SettingValue::Int(1000));
    let mut sched = Sched::new(&topology, Rules::from_kernel(&kernel).unwrap());
    let group = sched.add_group(GroupId::ROOT, 100);
    let (quota, period) = (Nanos::from_millis(quota_ms), Nanos::from_millis(period_ms));
    sched.set_group_bandwidth(Nanos(0), group, Some(quota), period, Nanos(0));
    let cpus: Vec<CpuId> = (0..cpus as u16).map(CpuId).collect();
    for &cpu in &cpus {
        let task = sched.add_task(&NewTask {
            group,
            nice: 0,
            policy: Policy::Normal,
            affinity: CpuSet::of(cpu),
            per_cpu_kthread: false,
        });
        sched.fork(Nanos(0), cpu, task, Some(cpu));
    }
    let pool = |sched: &Sched| sched.groups[group.index()].bandwidth.runtime;
    let mut slices_taken = (quota.0 - pool(&sched)).div_ceil(5_000_000);
    let mut throttled_at_ms = None;
    for ms in 0.. {
        let now = Nanos::from_millis(ms);
        if sched.next_timer() == Some(now) {
            sched.run_timers(now);
        }
        let before = pool(&sched);
        if ms > 0 {
            for &cpu in &cpus {
                if sched.curr(cpu).is_some() {
                    sched.tick(now, cpu);
                }
            }
        }
        answer(&mut sched, now);
        slices_taken += before.saturating_sub(pool(&sched)).div_ceil(5_000_000);
        let idle = cpus.iter().all(|&cpu| sched.curr(cpu).is_none());
        if let Some(throttled_at_ms) = throttled_at_ms
            && !idle
        {
            return Seen {
                throttled_at_ms,
                throttled_until_ms: ms,
                slices_taken,
            };
        }
        if idle && throttled_at_ms.is_none() {
            throttled_at_ms = Some(ms);
        }
        assert!(ms < 10 * period_ms, "it is throttled and runs again");
    }
    unreachable!("it is throttled and runs again")
}

fn answer(sched: &mut Sched, now: Nanos) {
    let mut effects = Vec::new();
    sched.take_effects(&mut effects);
    while !effects.is_empty() {
        for effect in std::mem::take(&mut effects) {
            if let Effect::Resched { cpu, .. } = effect {
                sched.schedule(now, cpu);
            }
        }
        sched.take_effects(&mut effects);
    }
}

/// `bw.*`
pub(super) fn check(inputs: &Value, expected: &Value) {
    for kernel in ["v4.11", "v5.3", "v5.5", "v6.1", "v6.12"] {
        let seen = exhaust(
            kernel,
            uint(inputs, "busy_cpus"),
            uint(inputs, "quota_ms"),
            uint(inputs, "period_ms"),
        );
        assert_eq!(
            seen.throttled_at_ms,
            uint(expected, "throttled_at_ms"),
            "{kernel}"
        );
        assert_eq!(
            seen.throttled_until_ms,
            uint(expected, "throttled_until_ms"),
            "{kernel}"
        );
        assert_eq!(
            seen.slices_taken,
            uint(expected, "slices_taken"),
            "{kernel}"
        );
    }
}
