//! Where a waking task runs.
//!
//! Source: kernel/sched/fair.c `select_task_rq_fair` for SD_BALANCE_WAKE, `wake_wide`, `wake_affine`
//! (v5.3, v5.5; SCHED.md 6.1 to 6.3).

pub(crate) mod idle_sibling;

use teeter_machine::CpuId;

use crate::domain::Flags;
use crate::ids::{EntityId, SdId, TaskId};
use crate::rules::LoadMetric;
use crate::sched::Sched;

/// Whether waker and wakee change partners so much that pulling them together would crowd the waker's
/// LLC (`wake_wide`).
pub(crate) fn wake_wide(waker_flips: u32, wakee_flips: u32, llc_size: u32) -> bool {
    let (most, least) = (waker_flips.max(wakee_flips), waker_flips.min(wakee_flips));
    least >= llc_size && u64::from(most) >= u64::from(least) * u64::from(llc_size)
}

/// What `wake_affine_weight` weighs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AffineWeight {
    pub(crate) this_load: u64,
    pub(crate) prev_load: u64,
    pub(crate) task_h_load: u64,
    /// `task_h_load` of the waker if it is about to sleep.
    pub(crate) sync_h_load: Option<u64>,
    pub(crate) this_capacity: u64,
    pub(crate) prev_capacity: u64,
    pub(crate) imbalance_pct: u32,
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
        let task = self.task_h_load as i64;
        let this = (this + task) * 100 * self.prev_capacity as i64;
        let scale = 100 + (i64::from(self.imbalance_pct) - 100) / 2;
        let prev = (self.prev_load as i64 - task) * scale * self.this_capacity as i64;
        this < prev + i64::from(self.sync_h_load.is_some())
    }
}

impl Sched {
    /// The CPU for a waking task (`select_task_rq_fair`, SD_BALANCE_WAKE).
    pub(crate) fn select_task_rq_wake(
        &mut self,
        task: TaskId,
        this_cpu: CpuId,
        sync: bool,
    ) -> CpuId {
        let allowed = self.task(task).affinity;
        let prev = self.task(task).cpu;
        if allowed.len() == 1 {
            return allowed.first().unwrap_or(prev);
        }
        let waker = self.rqs[this_cpu.index()].curr;
        if let Some(waker) = waker {
            self.record_wakee(waker, task);
        }
        let flips = waker.map_or(0, |waker| self.task(waker).wakee_flips);
        let llc_size = self.domains.llcs[self.rqs[this_cpu.index()].llc].size;
        let wide = wake_wide(flips, self.task(task).wakee_flips, llc_size);
        let want_affine = !wide && allowed.contains(this_cpu);
        let mut target = prev;
        if want_affine && this_cpu != prev {
            let mut next = self.rqs[this_cpu.index()].sd;
            while let Some(sd) = next {
                let domain = self.domains.sd(sd);
                if domain.flags.has(Flags::WAKE_AFFINE) && domain.span.contains(prev) {
                    target = self.wake_affine(sd, task, this_cpu, prev, sync);
                    break;
                }
                next = domain.parent;
            }
        }
        let cpu = self.select_idle_sibling(task, this_cpu, prev, target);
        if want_affine && let Some(waker) = waker {
            self.task_mut(waker).recent_used_cpu = this_cpu;
        }
        if allowed.contains(cpu) {
            cpu
        } else {
            self.fallback_cpu(task, prev)
        }
    }

    /// Any CPU the task may use, nearest first by number: affinity changed while it slept.
    fn fallback_cpu(&self, task: TaskId, prev: CpuId) -> CpuId {
        self.task(task)
            .affinity
            .iter_wrap(prev)
            .next()
            .unwrap_or(prev)
    }

    /// Counts how often the waker changes whom it wakes (`record_wakee`).
    fn record_wakee(&mut self, waker: TaskId, wakee: TaskId) {
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
    fn wake_affine(
        &mut self,
        sd: SdId,
        task: TaskId,
        this: CpuId,
        prev: CpuId,
        sync: bool,
    ) -> CpuId {
        // wake_affine_idle
        if self.rqs[this.index()].is_idle() && self.shares_llc(this, prev) {
            return if self.rqs[prev.index()].is_idle() {
                prev
            } else {
                this
            };
        }
        if sync && self.rqs[this.index()].nr_running == 1 {
            return this;
        }
        if self.rules.wake.affine_keeps_idle_prev && self.rqs[prev.index()].is_idle() {
            return prev;
        }
        let se = self.task(task).se;
        self.sync_entity_load_avg(se);
        let waker = self.rqs[this.index()].curr.filter(|_| sync);
        let waker_se: Option<EntityId> = waker.map(|waker| self.task(waker).se);
        let weight = AffineWeight {
            this_load: self.lb_load(this),
            prev_load: self.lb_load(prev),
            task_h_load: self.task_h_load(se),
            sync_h_load: waker_se.map(|se| self.task_h_load(se)),
            this_capacity: self.rqs[this.index()].cpu_capacity,
            prev_capacity: self.rqs[prev.index()].cpu_capacity,
            imbalance_pct: self.domains.sd(sd).imbalance_pct,
        };
        if weight.prefers_this() { this } else { prev }
    }

    /// Whether two CPUs share the last-level cache (`cpus_share_cache`).
    #[inline]
    pub(crate) fn shares_llc(&self, a: CpuId, b: CpuId) -> bool {
        self.rqs[a.index()].llc == self.rqs[b.index()].llc
    }

    /// Load of a CPU as this version's balancer sees it.
    #[inline]
    pub(crate) fn lb_load(&self, cpu: CpuId) -> u64 {
        let avg = &self.cfs_rqs[cpu.index()].avg;
        match self.rules.load.metric {
            LoadMetric::RunnableLoad => avg.runnable_avg,
            LoadMetric::Load => avg.load_avg,
        }
    }

    /// Estimated utilization of a CPU (`cpu_util`).
    #[inline]
    pub(crate) fn lb_util(&self, cpu: CpuId) -> u64 {
        let avg = &self.cfs_rqs[cpu.index()].avg;
        avg.util_avg
            .max(avg.util_est.enqueued)
            .min(self.rqs[cpu.index()].cpu_capacity_orig)
    }

    /// Whether the CPU idles or runs only tasks of idle policy, where that counts.
    #[inline]
    pub(crate) fn available_for_wakeup(&self, cpu: CpuId) -> bool {
        let rq = &self.rqs[cpu.index()];
        rq.is_idle() || (self.rules.wake.sched_idle_cpus && self.sched_idle_cpu(cpu))
    }

    /// Whether all tasks of a busy CPU are of idle policy (`sched_idle_cpu`).
    pub(crate) fn sched_idle_cpu(&self, cpu: CpuId) -> bool {
        let rq = &self.rqs[cpu.index()];
        rq.nr_running > 0 && rq.nr_idle_policy == rq.nr_running
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
            imbalance_pct: 117,
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
    fn many_partners_on_both_sides_are_wide() {
        assert!(!wake_wide(100, 3, 4));
        assert!(wake_wide(100, 5, 4));
        assert!(!wake_wide(19, 5, 4));
    }
}
