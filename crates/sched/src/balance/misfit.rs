//! Tasks too big for the CPU they run on, on machines of different capacities.
//!
//! Source: kernel/sched/fair.c `update_misfit_status`, `check_misfit_status` (v4.20 to v6.17; SCHED.md 5.10).

use teeter_machine::CpuId;

use super::contest::fits_capacity;
use crate::domain::Flags;
use crate::ids::{SdId, TaskId};
use crate::rules::AsymCapacity;
use crate::sched::Sched;

impl Sched {
    /// Notes whether the task that runs on a CPU is too big for it, with its load.
    #[inline]
    pub(crate) fn update_misfit_status(&mut self, cpu: CpuId, task: Option<TaskId>) {
        if self.domains.asym_capacity {
            self.note_misfit_task(cpu, task);
        }
    }

    fn note_misfit_task(&mut self, cpu: CpuId, task: Option<TaskId>) {
        let misfit = task.filter(|&task| {
            self.task(task).affinity.len() > 1
                && self.could_use_bigger(task, cpu)
                && !self.task_fits_cpu(task, cpu)
        });
        self.rqs[cpu.index()].misfit_task_load = match misfit {
            Some(task) => self.task_h_load(self.task(task).se).max(1),
            None => 0,
        };
    }

    /// Whether the task may use a CPU bigger than its own, as far as this kernel looks (v6.10).
    fn could_use_bigger(&self, task: TaskId, cpu: CpuId) -> bool {
        let own = self.rqs[cpu.index()].cpu_capacity_orig;
        let bigger = |cpu: CpuId| self.rqs[cpu.index()].cpu_capacity_orig > own;
        !self.rules.balance.misfit_if_bigger || self.task(task).affinity.iter().any(bigger)
    }

    /// Whether the task's utilization fits the CPU with a fifth to spare (`task_fits_cpu`).
    pub(crate) fn task_fits_cpu(&self, task: TaskId, cpu: CpuId) -> bool {
        fits_capacity(self.task_util_est(task), self.rqs[cpu.index()].cpu_capacity)
    }

    /// A task's utilization, or what it was at its last sleep if that was more (`task_util_est`).
    pub(crate) fn task_util_est(&self, task: TaskId) -> u64 {
        let avg = &self.se(self.task(task).se).avg;
        avg.task_util_est(self.rules.load.util_est)
    }

    /// Whether a bigger CPU could run the CPU's task better (`check_misfit_status`).
    pub(crate) fn check_misfit_status(&self, cpu: CpuId, sd: SdId) -> bool {
        let rq = &self.rqs[cpu.index()];
        rq.misfit_task_load > 0
            && (rq.cpu_capacity_orig < self.domains.max_capacity
                || self.check_cpu_capacity(cpu, sd))
    }

    /// Lowest domain of the CPU that spans all capacities there are (`sd_asym_cpucapacity`).
    pub(crate) fn sd_asym_cpucapacity(&self, cpu: CpuId) -> Option<SdId> {
        if !self.domains.asym_capacity {
            return None;
        }
        let mut next = self.rqs[cpu.index()].sd;
        while let Some(sd) = next {
            let domain = self.domains.sd(sd);
            let flags = domain.flags;
            if flags.has(Flags::ASYM_CPUCAPACITY)
                && (flags.has(Flags::ASYM_CPUCAPACITY_FULL)
                    || self.rules.topology.asym_capacity != AsymCapacity::Classified)
            {
                return Some(sd);
            }
            next = domain.parent;
        }
        None
    }

    /// Highest domain of the CPU that prefers CPUs of higher priority (`sd_asym_packing`).
    pub(crate) fn sd_asym_packing(&self, cpu: CpuId) -> Option<SdId> {
        let mut highest = None;
        let mut next = self.rqs[cpu.index()].sd;
        while let Some(sd) = next {
            let domain = self.domains.sd(sd);
            if domain.flags.has(Flags::ASYM_PACKING) {
                highest = Some(sd);
            }
            next = domain.parent;
        }
        highest
    }
}
