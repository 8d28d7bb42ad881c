//! The record while the kernel runs.

use teeter_machine::CpuId;
use teeter_scenario::Nanos;

use super::{About, Affine, Balance, Compared, Decision, Idlest, NumaMigrate, Placement, Verdict};
use crate::ids::{SdId, TaskId};
use crate::sched::{BOOT_NS, Sched};

/// Decisions not yet taken out, and the tasks the pass under way has looked at.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log {
    decisions: Vec<Decision>,
    candidates: Vec<(TaskId, Verdict)>,
}

impl Sched {
    /// Puts decisions on record from now on, or no longer.
    pub fn record_decisions(&mut self, on: bool) {
        self.log = on.then(Box::default);
    }

    /// Moves the decisions since the last call to the end of `into`.
    pub fn take_decisions(&mut self, into: &mut Vec<Decision>) {
        if let Some(log) = &mut self.log {
            into.append(&mut log.decisions);
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
        let chosen = placement.chosen_cpu;
        self.note(cpu, About::Placement(placement));
        chosen
    }

    /// Notes a choice of `wake_affine`, and gives the CPU chosen.
    pub(crate) fn note_affine(&mut self, this_cpu: CpuId, affine: Affine) -> CpuId {
        let chosen = affine.chosen_cpu;
        self.note(this_cpu, About::Affine(affine));
        chosen
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
        if self.recording() {
            let domain = self.domains.sd(sd);
            let idlest = Idlest {
                task,
                domain: domain.name,
                level: domain.level,
                span_weight: domain.span_weight,
                imbalance_pct: domain.imbalance_pct,
                compared: *compared,
                stays,
            };
            self.note(cpu, About::Idlest(Box::new(idlest)));
        }
    }

    /// Notes the end of a pass, with the tasks noted since the last one.
    pub(crate) fn note_balance(&mut self, cpu: CpuId, mut balance: Balance) {
        if let Some(log) = &mut self.log {
            balance.candidates.clone_from(&log.candidates);
            log.candidates.clear();
        }
        self.note(cpu, About::Balance(Box::new(balance)));
    }

    /// Notes an attempt to bring a task to its preferred node.
    pub(crate) fn note_numa_migrate(&mut self, attempt: NumaMigrate) {
        self.note(attempt.src_cpu, About::Numa(attempt));
    }

    fn note(&mut self, cpu: CpuId, about: About) {
        let at = Nanos(self.now - BOOT_NS);
        if let Some(log) = &mut self.log {
            log.decisions.push(Decision { at, cpu, about });
        }
    }
}
