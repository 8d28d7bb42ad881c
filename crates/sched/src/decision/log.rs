//! The record while the kernel runs.

use teeter_machine::CpuId;
use teeter_scenario::Nanos;

use super::{
    Affine, Balance, Compared, Decisions, GroupSeen, Idlest, NumaMigrate, Placement, Seen, Verdict,
};
use crate::ids::{SdId, TaskId};
use crate::sched::{BOOT_NS, Sched};

/// Decisions not yet taken out, and the tasks the pass under way has looked at.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log {
    decisions: Decisions,
    candidates: Vec<(TaskId, Verdict)>,
}

impl Sched {
    /// Puts decisions on record from now on, or no longer.
    pub fn record_decisions(&mut self, on: bool) {
        self.log = on.then(Box::default);
    }

    /// Puts the decisions since the last call in place of those that `into` holds, whose memory serves for the next
    /// ones.
    pub fn take_decisions(&mut self, into: &mut Decisions) {
        into.clear();
        if let Some(log) = &mut self.log {
            std::mem::swap(into, &mut log.decisions);
        }
    }

    /// Whether decisions are on record.
    #[inline]
    pub(crate) fn recording(&self) -> bool {
        self.log.is_some()
    }

    /// Notes what became of a task that a pass looked at.
    #[inline]
    pub(crate) fn note_candidate(&mut self, task: TaskId, verdict: Verdict) {
        if let Some(log) = &mut self.log {
            log.candidates.push((task, verdict));
        }
    }

    /// Notes a placement, and gives the CPU chosen.
    pub(crate) fn note_placement(&mut self, cpu: CpuId, placement: Placement) -> CpuId {
        let made = self.made(cpu);
        if let Some(log) = &mut self.log {
            log.decisions.add_placement(made, placement);
        }
        placement.chosen_cpu
    }

    /// Notes a choice of `wake_affine`, and gives the CPU chosen.
    pub(crate) fn note_affine(&mut self, this_cpu: CpuId, affine: Affine) -> CpuId {
        let made = self.made(this_cpu);
        if let Some(log) = &mut self.log {
            log.decisions.add_affine(made, affine);
        }
        affine.chosen_cpu
    }

    /// Notes a choice of `find_idlest_group`, seen from a CPU.
    pub(crate) fn note_idlest(
        &mut self,
        cpu: CpuId,
        sd: SdId,
        task: TaskId,
        stays: bool,
        compared: &Compared,
    ) {
        let made = self.made(cpu);
        let domain = self.domains.sd(sd);
        if let Some(log) = &mut self.log {
            let stats = compared.stats.as_ref();
            let idlest = Idlest {
                task,
                domain: domain.name,
                level: domain.level,
                span_weight: domain.span_weight,
                imbalance_pct: domain.imbalance_pct,
                stats: stats
                    .map(|(local, idlest)| (GroupSeen::from(local), GroupSeen::from(idlest))),
                loads: compared.loads,
                stays,
            };
            log.decisions.add_idlest(made, idlest);
        }
    }

    /// Notes the end of a pass and what it saw, with the tasks noted since the last one.
    pub(crate) fn note_balance(&mut self, cpu: CpuId, balance: Balance, seen: Option<&Seen>) {
        let made = self.made(cpu);
        if let Some(log) = &mut self.log {
            log.decisions
                .add_balance(made, balance, seen, &log.candidates);
            log.candidates.clear();
        }
    }

    /// Notes an attempt to bring a task to its preferred node.
    pub(crate) fn note_numa_migrate(&mut self, attempt: NumaMigrate) {
        let made = self.made(attempt.src_cpu);
        if let Some(log) = &mut self.log {
            log.decisions.add_numa(made, attempt);
        }
    }

    /// When and where a decision is made.
    fn made(&self, cpu: CpuId) -> (Nanos, CpuId) {
        (Nanos(self.now - BOOT_NS), cpu)
    }
}
