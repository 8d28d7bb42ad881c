//! Where a forked task runs, or one that calls `exec`: the idlest CPU of the idlest group, from the widest domain
//! down. Wakeups go the same way on machines whose CPUs differ in capacity (to v5.7).
//!
//! Source: kernel/sched/fair.c `find_idlest_cpu`, `find_idlest_group_cpu` (v5.3, v5.5, v5.6; SCHED.md 6.5
//! and 14).

mod group_type;
pub(crate) mod numa;
pub(crate) mod spare_capacity;
mod without;

use teeter_machine::{CpuId, CpuSet, NodeId};

use crate::decision::Compared;
use crate::domain::Flags;
use crate::ids::{SdId, SgId, TaskId};
use crate::rules::{Idlest, SchedIdleCpus};
use crate::sched::Sched;
use without::Without;

/// Load by which another group must be less loaded, unscaled: the domain's percentage of a nice-0 task.
pub(super) fn load_margin(imbalance_pct: u32) -> u64 {
    1024 * (u64::from(imbalance_pct) - 100) / 100
}

/// A placement under way.
#[derive(Clone, Debug)]
pub(super) struct Placement {
    /// CPUs the task may use.
    allowed: CpuSet,
    /// What the CPU it is on now carries without it.
    without: Option<Without>,
    /// Utilization for which there must be spare capacity (to v5.4); `None` for a fork.
    util: Option<u64>,
    /// The node that NUMA balancing wants the task on.
    preferred: Option<NodeId>,
    /// Estimated utilization, which a group's biggest CPU should fit where they differ.
    util_est: u64,
}

impl Sched {
    /// The CPU for a new task (`select_task_rq_fair`, SD_BALANCE_FORK).
    pub(crate) fn select_task_rq_fork(&mut self, task: TaskId, parent_cpu: CpuId) -> CpuId {
        self.select_task_rq_slow(task, parent_cpu, Flags::BALANCE_FORK)
    }

    /// The CPU for the task that calls `exec` on `cpu` (`select_task_rq_fair`, SD_BALANCE_EXEC).
    pub(crate) fn select_task_rq_exec(&mut self, task: TaskId, cpu: CpuId) -> CpuId {
        self.select_task_rq_slow(task, cpu, Flags::BALANCE_EXEC)
    }

    fn select_task_rq_slow(&mut self, task: TaskId, cpu: CpuId, flag: Flags) -> CpuId {
        let found = match self.widest_flagged(cpu, flag, None) {
            Some(sd) => self.find_idlest_cpu(sd, task, cpu, flag),
            None => cpu,
        };
        self.allowed_or_fallback(task, found)
    }

    /// The idlest CPU of a domain, seen from `cpu`.
    pub(crate) fn find_idlest_cpu(
        &mut self,
        sd: SdId,
        task: TaskId,
        cpu: CpuId,
        flag: Flags,
    ) -> CpuId {
        let allowed = self.task(task).affinity;
        if !self.domains.sd(sd).span.intersects(&allowed) {
            return self.task(task).cpu;
        }
        let se = self.task(task).se;
        if flag != Flags::BALANCE_FORK {
            self.sync_entity_load_avg(se);
        }
        let placement = Placement {
            allowed,
            without: self.without(task),
            preferred: self.numa.preferred(task),
            util_est: self.task_util_est(task),
            util: (flag != Flags::BALANCE_FORK).then(|| self.se(se).avg.util_avg),
        };
        let mut cpu = cpu;
        let mut next = Some(sd);
        while let Some(sd) = next {
            let domain = self.domains.sd(sd);
            next = domain.child;
            if !domain.flags.has(flag) {
                continue;
            }
            let (group, compared) = self.find_idlest_group(sd, &placement, cpu);
            self.note_idlest(cpu, sd, task, group.is_none(), &compared);
            let Some(group) = group else { continue };
            let idlest = self.find_idlest_group_cpu(group, &allowed, cpu);
            if idlest != cpu {
                cpu = idlest;
                let below = self.domains.sd(sd).span_weight;
                next = self.widest_flagged(cpu, flag, Some(below));
            }
        }
        cpu
    }

    /// The widest domain with a flag, of fewer CPUs than `below`.
    fn widest_flagged(&self, cpu: CpuId, flag: Flags, below: Option<u32>) -> Option<SdId> {
        let mut widest = None;
        let mut next = self.rqs[cpu.index()].sd;
        while let Some(sd) = next {
            let domain = self.domains.sd(sd);
            if below.is_some_and(|below| below <= domain.span_weight) {
                break;
            }
            if domain.flags.has(flag) {
                widest = Some(sd);
            } else if below.is_none() {
                break;
            }
            next = domain.parent;
        }
        widest
    }

    /// The group to go to, `None` = the local one; and what was compared.
    fn find_idlest_group(
        &self,
        sd: SdId,
        placement: &Placement,
        cpu: CpuId,
    ) -> (Option<SgId>, Compared) {
        match self.rules.fork.idlest {
            Idlest::SpareCapacity => self.idlest_by_load(sd, placement, cpu),
            Idlest::GroupType | Idlest::GroupTypeLoad | Idlest::GroupTypeUtil => {
                self.idlest_by_group_type(sd, placement, cpu)
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
        let sched_idle = self.rules.wake.sched_idle_cpus;
        let mut latest_idle = 0;
        let mut idlest = None;
        let mut spare = None;
        let mut least: Option<(u64, CpuId)> = None;
        for &cpu in cpus.iter().filter(|&&cpu| allowed.contains(cpu)) {
            let rq = &self.rqs[cpu.index()];
            let runs_idle_policy = sched_idle != SchedIdleCpus::Busy && self.sched_idle_cpu(cpu);
            if runs_idle_policy && sched_idle == SchedIdleCpus::Idle {
                return cpu;
            }
            if rq.is_idle() {
                if rq.idle_stamp > latest_idle {
                    latest_idle = rq.idle_stamp;
                    idlest = Some(cpu);
                }
            } else if idlest.is_none() && spare.is_none() {
                let load = self.wake_load(cpu);
                let tie = cpu == this_cpu && self.rules.fork.own_cpu_of_equals;
                if runs_idle_policy {
                    spare = Some(cpu);
                } else if least.is_none_or(|(least, _)| load < least || (tie && load == least)) {
                    least = Some((load, cpu));
                }
            }
        }
        idlest
            .or(spare)
            .or(least.map(|(_, cpu)| cpu))
            .unwrap_or(this_cpu)
    }
}
