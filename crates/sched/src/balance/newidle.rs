//! Pulling a task to a CPU that is about to idle.
//!
//! Source: kernel/sched/fair.c `newidle_balance`, `update_next_balance`, `update_newidle_cost` (v5.3 to v6.17;
//! SCHED.md 5.1 and 14).

mod random;

use teeter_machine::CpuId;

use super::IdleType;
use super::periodic::pass_cost_ns;
use crate::domain::Flags;
use crate::effect::Cause;
use crate::ids::SdId;
use crate::sched::Sched;
pub(crate) use random::{Dice, Success};

/// What updating the blocked load of one queue takes, ns; an assumption of ours.
const BLOCKED_UPDATE_COST_NS: u64 = 200;

impl Sched {
    /// Tries each domain from the bottom until a task comes, as far as the CPU's idle times make it
    /// worth the cost.
    pub(crate) fn newidle_balance(&mut self, cpu: CpuId) {
        self.update_misfit_status(cpu, None);
        let now = self.now;
        let rq = &mut self.rqs[cpu.index()];
        rq.idle_stamp = now;
        let Some(lowest) = rq.sd else { return };
        let mut next_balance = self.jiffies() + u64::from(self.rules.hz);
        let searched = self.worth_searching(cpu, lowest);
        if searched {
            let cost = self.search_domains(cpu, lowest, &mut next_balance);
            let rq = &mut self.rqs[cpu.index()];
            rq.max_idle_balance_cost = rq.max_idle_balance_cost.max(cost);
        } else {
            next_balance = next_balance.min(self.due_if_idle(lowest));
        }
        let rq = &mut self.rqs[cpu.index()];
        rq.next_balance = rq.next_balance.min(next_balance);
        if rq.nr_running > 0 {
            rq.idle_stamp = 0;
        } else if !searched || self.rules.idle.blocked_after_search {
            self.nohz_newidle_balance(cpu);
        }
    }

    /// Whether there is anything to pull and time for it.
    fn worth_searching(&self, cpu: CpuId, lowest: SdId) -> bool {
        let avg_idle = self.rqs[cpu.index()].avg_idle;
        let least = if self.rules.idle.cost_gate {
            self.domains.sd(lowest).max_newidle_lb_cost
        } else {
            self.rules.tunables.migration_cost.0
        };
        self.overload && avg_idle >= least
    }

    /// The jiffy at which the domain is due while its CPU idles.
    fn due_if_idle(&self, sd: SdId) -> u64 {
        self.domains.sd(sd).last_balance + self.interval_jiffies(sd, false)
    }

    /// Balances the CPU's domains until a task comes. Gives what that cost, ns.
    fn search_domains(&mut self, cpu: CpuId, lowest: SdId, next_balance: &mut u64) -> u64 {
        let avg_idle = self.rqs[cpu.index()].avg_idle;
        let cost_gate = self.rules.idle.cost_gate;
        let queues = self.rqs[cpu.index()].leaf_cfs_rqs.len() as u64;
        self.update_blocked_averages(cpu);
        // From v5.16 on the update counts towards the cost of the first domain.
        let mut uncharged = if cost_gate {
            queues * BLOCKED_UPDATE_COST_NS
        } else {
            0
        };
        let mut cost = 0;
        let mut next = Some(lowest);
        while let Some(sd) = next {
            let domain = self.domains.sd(sd);
            next = domain.parent;
            let (newidle, span) = (domain.flags.has(Flags::BALANCE_NEWIDLE), domain.span_weight);
            let too_dear = avg_idle < cost + domain.max_newidle_lb_cost;
            if cost_gate || too_dear {
                *next_balance = (*next_balance).min(self.due_if_idle(sd));
            }
            if too_dear {
                break;
            }
            let mut pulled = 0;
            if newidle {
                let Some(weight) = self.draw(sd) else {
                    continue;
                };
                (pulled, _) = self.load_balance(cpu, sd, IdleType::NewlyIdle, Cause::Newidle);
                let pass = std::mem::take(&mut uncharged) + pass_cost_ns(span);
                cost += pass;
                self.update_newidle_cost(sd, pass);
                self.note_success(sd, if pulled > 0 { weight } else { 0 });
            }
            if !cost_gate {
                *next_balance = (*next_balance).min(self.due_if_idle(sd));
            }
            if pulled > 0 || self.rqs[cpu.index()].nr_running > 0 {
                break;
            }
        }
        cost
    }

    /// Notes what a pass cost if no other cost so much; from v5.16 on it decays from then on.
    fn update_newidle_cost(&mut self, sd: SdId, cost: u64) {
        let next_decay = self.jiffies() + u64::from(self.rules.hz);
        let cost_gate = self.rules.idle.cost_gate;
        let domain = self.domains.sd_mut(sd);
        if cost > domain.max_newidle_lb_cost {
            domain.max_newidle_lb_cost = cost;
            if cost_gate {
                domain.next_decay_max_lb_cost = next_decay;
            }
        }
    }
}
