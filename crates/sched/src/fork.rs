//! Where a forked task runs: the idlest CPU of the idlest group, from the widest domain down.
//!
//! Source: kernel/sched/fair.c `find_idlest_cpu`, `find_idlest_group_cpu` (v5.3, v5.5; SCHED.md 6.5).

mod group_type;
pub(crate) mod spare_capacity;

use teeter_machine::{CpuId, CpuSet};

use crate::domain::Flags;
use crate::ids::{SdId, SgId, TaskId};
use crate::rules::Idlest;
use crate::sched::Sched;

/// Load by which another group must be less loaded, unscaled: the domain's percentage of a nice-0 task.
pub(super) fn load_margin(imbalance_pct: u32) -> u64 {
    1024 * (u64::from(imbalance_pct) - 100) / 100
}

impl Sched {
    /// The CPU for a new task (`select_task_rq_fair`, SD_BALANCE_FORK).
    pub(crate) fn select_task_rq_fork(&mut self, task: TaskId, parent_cpu: CpuId) -> CpuId {
        let allowed = self.task(task).affinity;
        let mut cpu = parent_cpu;
        let mut next = self.widest_fork_domain(cpu, None);
        while let Some(sd) = next {
            next = self.domains.sd(sd).child;
            if !self.domains.sd(sd).flags.has(Flags::BALANCE_FORK) {
                continue;
            }
            let Some(group) = self.find_idlest_group(sd, &allowed, cpu) else {
                continue;
            };
            let idlest = self.find_idlest_group_cpu(group, &allowed, cpu);
            if idlest != cpu {
                cpu = idlest;
                next = self.widest_fork_domain(cpu, Some(self.domains.sd(sd).span_weight));
            }
        }
        if allowed.contains(cpu) {
            return cpu;
        }
        allowed.iter_wrap(cpu).next().unwrap_or(cpu)
    }

    /// The widest domain that balances forks, of fewer CPUs than `below`.
    fn widest_fork_domain(&self, cpu: CpuId, below: Option<u32>) -> Option<SdId> {
        let mut widest = None;
        let mut next = self.rqs[cpu.index()].sd;
        while let Some(sd) = next {
            let domain = self.domains.sd(sd);
            if below.is_some_and(|below| below <= domain.span_weight) {
                break;
            }
            if domain.flags.has(Flags::BALANCE_FORK) {
                widest = Some(sd);
            } else if below.is_none() {
                break;
            }
            next = domain.parent;
        }
        widest
    }

    fn find_idlest_group(&self, sd: SdId, allowed: &CpuSet, cpu: CpuId) -> Option<SgId> {
        match self.rules.fork.idlest {
            Idlest::SpareCapacity => self.idlest_by_load(sd, allowed, cpu),
            Idlest::GroupType | Idlest::GroupTypeLoad | Idlest::GroupTypeUtil => {
                self.idlest_by_group_type(sd, allowed, cpu)
            }
        }
    }

    /// The CPU that went idle last, else the least loaded one (`find_idlest_group_cpu`, without
    /// knowledge of idle states).
    fn find_idlest_group_cpu(&self, group: SgId, allowed: &CpuSet, this_cpu: CpuId) -> CpuId {
        let cpus = &self.domains.sg(group).cpus;
        if let [only] = cpus.as_slice() {
            return *only;
        }
        let mut latest_idle = 0;
        let mut idlest = None;
        let mut least: Option<(u64, CpuId)> = None;
        for &cpu in cpus.iter().filter(|&&cpu| allowed.contains(cpu)) {
            let rq = &self.rqs[cpu.index()];
            if self.rules.wake.sched_idle_cpus && self.sched_idle_cpu(cpu) {
                return cpu;
            }
            if rq.is_idle() {
                if rq.idle_stamp > latest_idle {
                    latest_idle = rq.idle_stamp;
                    idlest = Some(cpu);
                }
            } else if idlest.is_none() {
                let load = self.lb_load(cpu);
                if least.is_none_or(|(least, _)| load < least) {
                    least = Some((load, cpu));
                }
            }
        }
        idlest.or(least.map(|(_, cpu)| cpu)).unwrap_or(this_cpu)
    }
}
