//! Pulling a task to a CPU that is about to idle.
//!
//! Source: kernel/sched/fair.c `newidle_balance`, `update_next_balance` (v5.3, v5.5; SCHED.md 5.1 and 14).

use teeter_machine::CpuId;

use super::IdleType;
use super::periodic::pass_cost_ns;
use crate::domain::Flags;
use crate::effect::Cause;
use crate::sched::Sched;

/// What updating the blocked load of one queue takes, ns; an assumption of ours.
const BLOCKED_UPDATE_COST_NS: u64 = 200;

impl Sched {
    /// Tries each domain from the bottom until a task comes, as far as the CPU's idle times make it
    /// worth the cost.
    pub(crate) fn newidle_balance(&mut self, cpu: CpuId) {
        let now = self.now;
        let jiffies = self.jiffies();
        let rq = &mut self.rqs[cpu.index()];
        rq.idle_stamp = now;
        let Some(lowest) = rq.sd else { return };
        let avg_idle = rq.avg_idle;
        let mut next_balance = jiffies + u64::from(self.rules.hz);
        let mut cost = 0;
        if avg_idle < self.rules.tunables.migration_cost.0 || !self.overload {
            let due = self.domains.sd(lowest).last_balance + self.interval_jiffies(lowest, false);
            next_balance = next_balance.min(due);
            self.nohz_newidle_balance(cpu);
        } else {
            let queues = self.rqs[cpu.index()].leaf_cfs_rqs.len() as u64;
            self.update_blocked_averages(cpu);
            cost += queues * BLOCKED_UPDATE_COST_NS;
            let mut next = Some(lowest);
            while let Some(sd) = next {
                let domain = self.domains.sd(sd);
                next = domain.parent;
                let max_cost = domain.max_newidle_lb_cost;
                if avg_idle < cost + max_cost {
                    let due = domain.last_balance + self.interval_jiffies(sd, false);
                    next_balance = next_balance.min(due);
                    break;
                }
                let mut pulled = 0;
                if domain.flags.has(Flags::BALANCE_NEWIDLE) {
                    let pass = pass_cost_ns(domain.span_weight);
                    (pulled, _) = self.load_balance(cpu, sd, IdleType::NewlyIdle, Cause::Newidle);
                    let domain = self.domains.sd_mut(sd);
                    domain.max_newidle_lb_cost = domain.max_newidle_lb_cost.max(pass);
                    cost += pass;
                }
                let domain = self.domains.sd(sd);
                let due = domain.last_balance + self.interval_jiffies(sd, false);
                next_balance = next_balance.min(due);
                if pulled > 0 || self.rqs[cpu.index()].nr_running > 0 {
                    break;
                }
            }
        }
        let rq = &mut self.rqs[cpu.index()];
        rq.max_idle_balance_cost = rq.max_idle_balance_cost.max(cost);
        rq.next_balance = rq.next_balance.min(next_balance);
        if rq.nr_running > 0 {
            rq.idle_stamp = 0;
        }
    }
}
