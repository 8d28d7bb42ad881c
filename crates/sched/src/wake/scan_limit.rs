//! How many CPUs a search for an idle one may look at.
//!
//! Source: kernel/sched/fair.c `select_idle_cpu` (SIS_PROP of v5.3, v5.14), `update_idle_cpu_scan` (v6.0;
//! SCHED.md 6.4 and 14).

use teeter_machine::CpuId;

use crate::balance::IdleType;
use crate::ids::SdId;
use crate::rules::{Feature, SisIdle};
use crate::sched::Sched;

/// What examining one CPU costs, ns: one or two cache lines of another CPU's run-queue. Sets how soon
/// SIS_PROP narrows its search; an assumption of ours.
const SCAN_COST_PER_CPU_NS: u64 = 20;

/// How many CPUs a search may look at, plus one: the span's part of what the waker's idle time is worth,
/// 4 at least. `idle` is that time, as [`SisIdle`] counts it.
pub(crate) fn sis_prop(idle: u64, avg_scan_cost_ns: u64, span_weight: u64) -> u64 {
    let avg_cost = avg_scan_cost_ns + 1;
    let span_avg = span_weight * idle;
    if span_avg > 4 * avg_cost {
        span_avg / avg_cost
    } else {
        4
    }
}

/// How many CPUs of a cache a search may look at, by how used they are: fewer by the square, none from
/// about 85 % on (`nr_idle_scan`).
pub(crate) fn sis_util(sum_util: u64, llc_weight: u32, imbalance_pct: u32) -> u32 {
    let (weight, pct) = (u64::from(llc_weight), u64::from(imbalance_pct));
    let util = sum_util / weight.max(1);
    let used = (util * util * pct * pct / (10_000 * 1024)).min(1024);
    ((1024 - used) * weight / 1024) as u32
}

impl SisIdle {
    /// The waker's idle time as the bound counts it, of an average in ns.
    pub(crate) fn of_average(self, avg_idle_ns: u64) -> u64 {
        match self {
            Self::Divided => avg_idle_ns / 512,
            Self::Aged => avg_idle_ns,
        }
    }
}

/// A search under way: how many more CPUs it may look at, less one, and how many it has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    nr: u64,
    looked: u64,
}

impl Budget {
    pub(super) const UNLIMITED: Self = Self {
        nr: u64::MAX,
        looked: 0,
    };

    pub(crate) fn new(nr: u64) -> Self {
        Self { nr, looked: 0 }
    }

    /// Whether one more CPU may be looked at.
    pub(crate) fn spend(&mut self) -> bool {
        self.nr -= 1;
        self.looked += u64::from(self.nr > 0);
        self.nr > 0
    }
}

impl Sched {
    /// The bound by SIS_PROP of a search from a CPU over a domain.
    pub(super) fn prop_budget(&mut self, this_cpu: CpuId, this_sd: SdId, sd: SdId) -> Budget {
        if !self.rules.features.has(Feature::SisProp) {
            return Budget::UNLIMITED;
        }
        let rule = self.rules.wake.sis_idle;
        let jiffies = self.jiffies();
        let rq = &mut self.rqs[this_cpu.index()];
        let average = match rule {
            SisIdle::Divided => rq.avg_idle,
            SisIdle::Aged => {
                let passed = jiffies.saturating_sub(rq.wake_stamp).min(63);
                rq.wake_avg_idle >>= passed;
                rq.wake_stamp = rq.wake_stamp.max(jiffies);
                rq.wake_avg_idle
            }
        };
        let cost = self.domains.sd(this_sd).avg_scan_cost;
        let weight = u64::from(self.domains.sd(sd).span_weight);
        Budget::new(sis_prop(rule.of_average(average), cost, weight))
    }

    /// Books what a search took, by an eighth, that SIS_PROP bounds.
    pub(super) fn charge_scan(&mut self, this_cpu: CpuId, this_sd: SdId, budget: Budget) {
        if !self.rules.features.has(Feature::SisProp) {
            return;
        }
        let cost = budget.looked * SCAN_COST_PER_CPU_NS;
        if self.rules.wake.sis_idle == SisIdle::Aged {
            let rq = &mut self.rqs[this_cpu.index()];
            rq.wake_avg_idle = rq.wake_avg_idle.saturating_sub(cost);
        }
        let domain = self.domains.sd_mut(this_sd);
        let delta = (cost as i64 - domain.avg_scan_cost as i64) / 8;
        domain.avg_scan_cost = domain.avg_scan_cost.saturating_add_signed(delta);
    }

    /// A balance pass over a whole cache tells searches there how used it is (`update_idle_cpu_scan`).
    pub(crate) fn update_idle_cpu_scan(&mut self, sd: SdId, cpu: CpuId, idle: IdleType, util: u64) {
        if !self.rules.features.has(Feature::SisUtil) || idle == IdleType::NewlyIdle {
            return;
        }
        let domain = self.domains.sd(sd);
        let pct = domain.imbalance_pct;
        let llc = self.rqs[cpu.index()].llc;
        let llc_weight = self.domains.llcs[llc].size;
        if domain.span_weight == llc_weight {
            self.domains.llcs[llc].nr_idle_scan = sis_util(util, llc_weight, pct);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_are_cut_by_idle_time_and_cost() {
        let divided = |idle, cost, span| sis_prop(SisIdle::Divided.of_average(idle), cost, span);
        assert_eq!(divided(1_000_000, 500, 24), 93);
        assert_eq!(divided(50_000, 3000, 24), 4);
        assert_eq!(divided(1000, 10_000, 128), 4);
    }

    #[test]
    fn searches_are_cut_by_use() {
        assert_eq!(sis_util(0, 16, 117), 16);
        assert_eq!(sis_util(8192, 16, 117), 10);
        assert_eq!(sis_util(14_000, 16, 117), 0);
        assert_eq!(sis_util(0, 0, 117), 0);
    }

    #[test]
    fn a_budget_of_four_is_three_cpus() {
        let mut budget = Budget::new(4);
        assert_eq!((0..9).take_while(|_| budget.spend()).count(), 3);
        assert_eq!(budget.looked, 3);
    }
}
