//! The balance softirq: each domain in its turn.
//!
//! Source: kernel/sched/fair.c `trigger_load_balance`, `run_rebalance_domains`, `rebalance_domains`,
//! `get_sd_balance_interval` (v5.3, v5.5; SCHED.md 4.6, 5.1 and 14).

use teeter_machine::CpuId;

use super::{IdleType, PASS_COST_NS, PASS_COST_PER_CPU_NS};
use crate::domain::Flags;
use crate::effect::Cause;
use crate::ids::SdId;
use crate::rules::SchedIdleCpus;
use crate::sched::Sched;

/// Jiffies between two passes of a domain (`get_sd_balance_interval`). `less_one`: so that levels of intervals
/// that divide each other do not stay in step.
pub(crate) fn balance_interval(interval_jiffies: u64, less_one: bool, hz: u64, online: u64) -> u64 {
    let jiffies = interval_jiffies.saturating_sub(u64::from(less_one));
    jiffies.clamp(1, (hz * online / 10).max(1))
}

/// What is left after a second of the cost of a domain's most expensive pass (`update_newidle_cost`), ns.
pub(crate) fn decay_cost(max_newidle_lb_cost: u64) -> u64 {
    max_newidle_lb_cost * 253 / 256
}

/// What a pass over this many CPUs takes, ns.
pub(super) fn pass_cost_ns(cpus: u32) -> u64 {
    PASS_COST_NS + PASS_COST_PER_CPU_NS * u64::from(cpus)
}

/// The turn to balance domains that serialize: who has it, and until when (ns).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Turn {
    balancer: CpuId,
    until: u64,
}

impl Sched {
    /// At the end of a tick: starts the balance softirq if a pass is due, and an idle CPU's if it
    /// should balance for all idle ones.
    pub(crate) fn trigger_load_balance(&mut self, cpu: CpuId) {
        if self.rqs[cpu.index()].sd.is_none() {
            return;
        }
        self.nohz_balancer_kick(cpu);
        if self.jiffies() >= self.rqs[cpu.index()].next_balance {
            let idle = IdleType::of(self.rqs[cpu.index()].idle_balance);
            self.update_blocked_averages(cpu);
            self.rebalance_domains(cpu, cpu, idle, Cause::Periodic);
        }
    }

    /// Balances those domains of a CPU that are due; `balancer` does the work.
    pub(crate) fn rebalance_domains(
        &mut self,
        balancer: CpuId,
        cpu: CpuId,
        idle: IdleType,
        cause: Cause,
    ) {
        let jiffies = self.jiffies();
        let hz = u64::from(self.rules.hz);
        let mut idle = idle;
        let mut go_on = true;
        let mut need_decay = false;
        let mut max_cost = 0;
        let mut next_balance = jiffies + 60 * hz;
        let mut update_next = false;
        let mut next = self.rqs[cpu.index()].sd;
        while let Some(sd) = next {
            let domain = self.domains.sd_mut(sd);
            next = domain.parent;
            if jiffies > domain.next_decay_max_lb_cost {
                domain.max_newidle_lb_cost = decay_cost(domain.max_newidle_lb_cost);
                domain.next_decay_max_lb_cost = jiffies + hz;
                need_decay = true;
            }
            max_cost += domain.max_newidle_lb_cost;
            if !go_on {
                if need_decay {
                    continue;
                }
                break;
            }
            let mut interval = self.interval_jiffies(sd, self.balances_as_busy(cpu, idle));
            let due = self.domains.sd(sd).last_balance + interval;
            if jiffies >= due && self.take_turn(balancer, sd) {
                let (moved, on) = self.load_balance(cpu, sd, idle, cause);
                go_on = on;
                self.end_turn(balancer, sd);
                if moved > 0 {
                    idle = IdleType::of(self.rqs[cpu.index()].is_idle());
                }
                self.domains.sd_mut(sd).last_balance = jiffies;
                interval = self.interval_jiffies(sd, self.balances_as_busy(cpu, idle));
            }
            let due = self.domains.sd(sd).last_balance + interval;
            if due < next_balance {
                next_balance = due;
                update_next = true;
            }
        }
        if need_decay {
            let floor = self.rules.tunables.migration_cost.0;
            self.rqs[cpu.index()].max_idle_balance_cost = max_cost.max(floor);
        }
        if update_next {
            self.rqs[cpu.index()].next_balance = next_balance;
            let alone = !self.rules.idle.round_from_self;
            if alone && idle == IdleType::Idle && self.nohz.next_balance > next_balance {
                self.nohz.next_balance = next_balance;
            }
        }
    }

    /// Whether a CPU balances at the longer intervals of a busy one; where only tasks of idle policy run, not.
    fn balances_as_busy(&self, cpu: CpuId, idle: IdleType) -> bool {
        idle.is_busy()
            && !(self.rules.wake.sched_idle_cpus == SchedIdleCpus::Idle && self.sched_idle_cpu(cpu))
    }

    /// Jiffies between two passes of a domain for a busy or idle CPU.
    pub(super) fn interval_jiffies(&self, sd: SdId, busy: bool) -> u64 {
        let domain = self.domains.sd(sd);
        let factor = if busy {
            u64::from(domain.busy_factor)
        } else {
            1
        };
        let ms = u64::from(domain.balance_interval) * factor;
        balance_interval(
            self.msecs_to_jiffies(ms),
            busy && self.rules.balance.busy_less_one,
            u64::from(self.rules.hz),
            self.nr_online as u64,
        )
    }

    /// Whether `balancer` may balance the domain now: of those that serialize, one CPU at a time.
    fn take_turn(&self, balancer: CpuId, sd: SdId) -> bool {
        let serialize = self.domains.sd(sd).flags.has(Flags::SERIALIZE);
        !serialize || self.turn.balancer == balancer || self.now >= self.turn.until
    }

    /// Holds the turn for as long as a pass takes.
    fn end_turn(&mut self, balancer: CpuId, sd: SdId) {
        let domain = self.domains.sd(sd);
        if domain.flags.has(Flags::SERIALIZE) {
            let until = self.now.max(self.turn.until) + pass_cost_ns(domain.span_weight);
            self.turn = Turn { balancer, until };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::balance_interval;

    #[test]
    fn intervals_are_clamped_to_a_tenth_of_a_second_a_cpu() {
        assert_eq!(balance_interval(384, false, 250, 48), 384);
        assert_eq!(balance_interval(1, true, 250, 48), 1);
        assert_eq!(balance_interval(1000, false, 250, 4), 100);
    }
}
