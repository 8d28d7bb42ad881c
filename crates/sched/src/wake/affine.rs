//! The choice between the waker's CPU and the one the task was on.
//!
//! Source: kernel/sched/fair.c `wake_wide`, `wake_affine` (v4.14, v5.3, v5.10; SCHED.md 6.1 to 6.3).

use teeter_machine::CpuId;

use crate::decision::Affine;
use crate::ids::{EntityId, SdId, TaskId};
use crate::rules::Feature;
use crate::sched::Sched;

/// Whether waker and wakee change partners so much that pulling them together would crowd the waker's
/// LLC (`wake_wide`).
pub(crate) fn wake_wide(waker_flips: u32, wakee_flips: u32, llc_size: u32) -> bool {
    let (most, least) = (waker_flips.max(wakee_flips), waker_flips.min(wakee_flips));
    least >= llc_size && u64::from(most) >= u64::from(least) * u64::from(llc_size)
}

/// What `wake_affine_weight` weighs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct AffineWeight {
    pub(crate) this_load: u64,
    pub(crate) prev_load: u64,
    pub(crate) task_h_load: u64,
    /// `task_h_load` of the waker if it is about to sleep.
    pub(crate) sync_h_load: Option<u64>,
    pub(crate) this_capacity: u64,
    pub(crate) prev_capacity: u64,
    /// Of the domain that holds both CPUs; `None`: neither is favoured (WA_BIAS is off).
    pub(crate) bias_pct: Option<u32>,
    /// Whether the waker's CPU is taken of two that are equally loaded.
    pub(crate) of_equals: bool,
}

impl AffineWeight {
    /// Whether the waker's CPU is the less loaded one (`wake_affine_weight`).
    pub(crate) fn prefers_this(&self) -> bool {
        let mut this = self.this_load as i64;
        if let Some(current) = self.sync_h_load {
            if current > self.this_load {
                return true;
            }
            this -= current as i64;
        }
        let (this_scale, prev_scale) = match self.bias_pct {
            Some(pct) => (100, 100 + (i64::from(pct) - 100) / 2),
            None => (1, 1),
        };
        let task = self.task_h_load as i64;
        let this = (this + task) * this_scale * self.prev_capacity as i64;
        let prev = (self.prev_load as i64 - task) * prev_scale * self.this_capacity as i64;
        let equals = self.of_equals || self.sync_h_load.is_some();
        this < prev + i64::from(equals)
    }
}

impl Sched {
    /// Counts how often the waker changes whom it wakes (`record_wakee`).
    pub(super) fn record_wakee(&mut self, waker: TaskId, wakee: TaskId) {
        let jiffies = self.jiffies();
        let hz = u64::from(self.rules.hz);
        let waker = self.task_mut(waker);
        if jiffies > waker.wakee_flip_decay_ts + hz {
            waker.wakee_flips >>= 1;
            waker.wakee_flip_decay_ts = jiffies;
        }
        if waker.last_wakee != Some(wakee) {
            waker.last_wakee = Some(wakee);
            waker.wakee_flips += 1;
        }
    }

    /// The waker's CPU or the previous one (`wake_affine`).
    pub(super) fn wake_affine(
        &mut self,
        sd: SdId,
        task: TaskId,
        this: CpuId,
        prev: CpuId,
        sync: bool,
    ) -> CpuId {
        let mut affine = Affine {
            task,
            prev_cpu: prev,
            chosen_cpu: prev,
            imbalance_pct: self.domains.sd(sd).imbalance_pct,
            weight: None,
        };
        let features = self.rules.features;
        if self.rules.wake.by_effective_load {
            affine.chosen_cpu = self.wake_affine_by_effective_load(sd, task, this, prev, sync);
        } else if features.has(Feature::WaIdle)
            && let Some(cpu) = self.wake_affine_idle(this, prev, sync)
        {
            affine.chosen_cpu = cpu;
        } else if features.has(Feature::WaWeight) {
            let weight = self.affine_weight(sd, task, this, prev, sync);
            affine.weight = Some(weight);
            affine.chosen_cpu = if weight.prefers_this() { this } else { prev };
        }
        self.note_affine(this, affine)
    }

    /// What the two CPUs carry, and what the task would add.
    fn affine_weight(
        &mut self,
        sd: SdId,
        task: TaskId,
        this: CpuId,
        prev: CpuId,
        sync: bool,
    ) -> AffineWeight {
        let features = self.rules.features;
        let se = self.task(task).se;
        self.sync_entity_load_avg(se);
        let waker = self.rqs[this.index()].curr.filter(|_| sync);
        let waker_se: Option<EntityId> = waker.map(|waker| self.task(waker).se);
        AffineWeight {
            this_load: self.wake_load(this),
            prev_load: self.wake_load(prev),
            task_h_load: self.task_h_load(se),
            sync_h_load: waker_se.map(|se| self.task_h_load(se)),
            this_capacity: self.rqs[this.index()].cpu_capacity,
            prev_capacity: self.rqs[prev.index()].cpu_capacity,
            bias_pct: features
                .has(Feature::WaBias)
                .then_some(self.domains.sd(sd).imbalance_pct),
            of_equals: self.rules.wake.affine_of_equals,
        }
    }

    /// An idle one of the two, or one that soon will be.
    fn wake_affine_idle(&self, this: CpuId, prev: CpuId, sync: bool) -> Option<CpuId> {
        let idle = |cpu: CpuId| self.rqs[cpu.index()].is_idle();
        if idle(this) && self.rules.wake.affine_to_any_idle {
            return Some(this);
        }
        if idle(this) && self.shares_llc(this, prev) {
            return Some(if idle(prev) { prev } else { this });
        }
        if sync && self.rqs[this.index()].nr_running == 1 {
            return Some(this);
        }
        (self.rules.wake.affine_keeps_idle_prev && idle(prev)).then_some(prev)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tie_keeps_the_previous_cpu() {
        let weight = AffineWeight {
            this_load: 500,
            prev_load: 1000,
            task_h_load: 300,
            sync_h_load: None,
            this_capacity: 1024,
            prev_capacity: 1024,
            bias_pct: Some(117),
            of_equals: false,
        };
        assert!(!weight.prefers_this());
        assert!(
            AffineWeight {
                prev_load: 1500,
                ..weight
            }
            .prefers_this()
        );
    }

    #[test]
    fn to_v4_16_a_tie_takes_the_wakers_cpu() {
        let tie = AffineWeight {
            this_load: 700,
            prev_load: 1300,
            task_h_load: 300,
            sync_h_load: None,
            this_capacity: 1024,
            prev_capacity: 1024,
            bias_pct: None,
            of_equals: true,
        };
        assert!(tie.prefers_this());
        let this_load = 701;
        assert!(!AffineWeight { this_load, ..tie }.prefers_this());
        let of_equals = false;
        assert!(!AffineWeight { of_equals, ..tie }.prefers_this());
    }

    #[test]
    fn the_bias_favours_the_wakers_cpu() {
        let weight = AffineWeight {
            this_load: 700,
            prev_load: 1300,
            task_h_load: 300,
            sync_h_load: None,
            this_capacity: 1024,
            prev_capacity: 1024,
            bias_pct: Some(117),
            of_equals: false,
        };
        assert!(weight.prefers_this());
        let unbiased = AffineWeight {
            bias_pct: None,
            ..weight
        };
        assert!(!unbiased.prefers_this());
    }

    #[test]
    fn many_partners_on_both_sides_are_wide() {
        assert!(!wake_wide(100, 3, 4));
        assert!(wake_wide(100, 5, 4));
        assert!(!wake_wide(19, 5, 4));
    }
}
