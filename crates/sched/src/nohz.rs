//! Idle CPUs have no tick; one of them balances on behalf of all when a busy CPU kicks it.
//!
//! Source: kernel/sched/fair.c `nohz_balancer_kick`, `kick_ilb`, `nohz_idle_balance`,
//! `nohz_newidle_balance`, `nohz_balance_enter_idle`, `nohz_balance_exit_idle` (v5.3 to v6.17; SCHED.md
//! 5.1 and 14).

use teeter_machine::{CpuId, CpuSet};

use crate::balance::IdleType;
use crate::effect::{Cause, Effect};
use crate::rq::Kick;
use crate::sched::Sched;

/// How old the blocked load of idle CPUs may get, ms (`LOAD_AVG_PERIOD`).
const BLOCKED_PERIOD_MS: u64 = 32;

/// The CPUs without a tick (`nohz`).
#[derive(Clone, Debug)]
pub(crate) struct Nohz {
    pub(crate) online: CpuSet,
    pub(crate) idle_cpus_mask: CpuSet,
    /// Jiffy.
    pub(crate) next_balance: u64,
    /// Jiffy of the next update of blocked load.
    next_blocked: u64,
    has_blocked: bool,
    /// More CPUs idle than when the date of the next balance was computed (v5.15).
    needs_update: bool,
}

impl Nohz {
    /// No tick has stopped yet.
    pub(crate) fn new(online: CpuSet) -> Self {
        Self {
            online,
            idle_cpus_mask: CpuSet::EMPTY,
            next_balance: 0,
            next_blocked: 0,
            has_blocked: false,
            needs_update: false,
        }
    }
}

impl Sched {
    /// At boot all CPUs idle, without a tick. One without domains takes no part in balancing.
    pub(crate) fn stop_ticks(&mut self) {
        let balanced = |cpu: &CpuId| self.rqs[cpu.index()].sd.is_some();
        self.nohz.idle_cpus_mask = self.nohz.online.iter().filter(balanced).collect();
    }

    /// The CPU goes idle: its tick stops.
    pub(crate) fn enter_idle(&mut self, cpu: CpuId) {
        self.update_idle_core(cpu);
        self.cpu_load_stop(cpu);
        self.nohz.has_blocked = true;
        let rq = &mut self.rqs[cpu.index()];
        rq.has_blocked_load = true;
        if !rq.tick_stopped {
            rq.tick_stopped = true;
            if rq.sd.is_none() {
                return;
            }
            self.nohz.idle_cpus_mask.insert(cpu);
            self.nohz.needs_update = self.rules.idle.next_on_idle;
            let llc = &mut self.domains.llcs[self.rqs[cpu.index()].llc];
            llc.nr_busy_cpus = llc.nr_busy_cpus.saturating_sub(1);
        }
    }

    /// The first tick of a busy CPU takes it out of the mask.
    pub(crate) fn nohz_balance_exit_idle(&mut self, cpu: CpuId) {
        let rq = &mut self.rqs[cpu.index()];
        if rq.tick_stopped {
            rq.tick_stopped = false;
            self.nohz.idle_cpus_mask.remove(cpu);
            self.domains.llcs[rq.llc].nr_busy_cpus += 1;
        }
    }

    /// At a tick of a busy CPU: kicks an idle one if this CPU has work to share.
    pub(crate) fn nohz_balancer_kick(&mut self, cpu: CpuId) {
        if self.rqs[cpu.index()].idle_balance {
            return;
        }
        self.nohz_balance_exit_idle(cpu);
        if self.nohz.idle_cpus_mask.is_empty() {
            return;
        }
        let jiffies = self.jiffies();
        let balance = jiffies >= self.nohz.next_balance && self.has_work_to_share(cpu);
        let kick = Kick {
            stats: self.rules.idle.blocked_kicks
                && (balance || (self.nohz.has_blocked && jiffies > self.nohz.next_blocked)),
            balance,
            next: self.nohz.needs_update,
        };
        if kick != Kick::default() {
            self.kick_ilb(cpu, kick);
        }
    }

    fn has_work_to_share(&self, cpu: CpuId) -> bool {
        let rq = &self.rqs[cpu.index()];
        if rq.nr_running >= 2 {
            return true;
        }
        if self.cfs_rqs[cpu.index()].h_nr_runnable() >= 1
            && let Some(sd) = rq.sd
            && self.check_cpu_capacity(cpu, sd)
        {
            return true;
        }
        if let Some(sd) = self.sd_asym_packing(cpu) {
            let idle = self.domains.sd(sd).span.and(&self.nohz.idle_cpus_mask);
            if idle.first().is_some_and(|preferred| preferred < cpu) {
                return true;
            }
        }
        if let Some(sd) = self.sd_asym_cpucapacity(cpu) {
            // Where capacities differ, caches are not filled evenly for their own sake.
            return self.check_misfit_status(cpu, sd);
        }
        rq.sd_llc.is_some() && self.domains.llcs[rq.llc].nr_busy_cpus > 1
    }

    /// Sends the kick to the first idle CPU; one that has a kick pending gets no second one.
    fn kick_ilb(&mut self, from: CpuId, kick: Kick) {
        self.nohz.next_balance = match self.rules.idle.kick_from_now {
            true if kick.balance => self.jiffies() + 1,
            true => self.nohz.next_balance,
            false => self.nohz.next_balance + 1,
        };
        let idle = |cpu: &CpuId| *cpu != from && self.rqs[cpu.index()].is_idle();
        let mask = &self.nohz.idle_cpus_mask;
        let found = if self.rules.idle.kicks_first_only {
            mask.first().filter(idle)
        } else {
            mask.iter().find(idle)
        };
        let Some(cpu) = found else { return };
        let pending = &mut self.rqs[cpu.index()].nohz_kick;
        let sent = pending.is_some();
        *pending = Some(pending.unwrap_or_default().or(kick));
        if !sent {
            self.effects.push(Effect::NohzKick { cpu, from });
        }
    }

    /// A kicked CPU, if it idles still, balances for every idle CPU that is due, itself last.
    pub(crate) fn answer_nohz_kick(&mut self, cpu: CpuId) {
        let Some(kick) = self.rqs[cpu.index()].nohz_kick.take() else {
            return;
        };
        if self.rqs[cpu.index()].is_idle() {
            self.nohz_idle_balance(cpu, kick, IdleType::Idle);
        }
    }

    /// Before idling without having balanced: refreshes the blocked load of idle CPUs if that is due.
    pub(crate) fn nohz_newidle_balance(&mut self, cpu: CpuId) {
        if self.rqs[cpu.index()].avg_idle < self.rules.tunables.migration_cost.0
            || !self.rules.idle.blocked_kicks
            || !self.nohz.has_blocked
            || self.jiffies() < self.nohz.next_blocked
        {
            return;
        }
        self.nohz_idle_balance(cpu, Kick::STATS, IdleType::NewlyIdle);
    }

    fn nohz_idle_balance(&mut self, this_cpu: CpuId, kick: Kick, idle: IdleType) {
        let jiffies = self.jiffies();
        let mut next_balance = jiffies + 60 * u64::from(self.rules.hz);
        let mut update_next = false;
        let mut has_blocked = false;
        if kick.stats {
            self.nohz.has_blocked = false;
        }
        if kick.next {
            self.nohz.needs_update = false;
        }
        let round_from_self = self.rules.idle.round_from_self;
        let start = if round_from_self {
            CpuId(this_cpu.0 + 1)
        } else {
            CpuId(0)
        };
        let blocked_kicks = self.rules.idle.blocked_kicks;
        let mask = self.nohz.idle_cpus_mask;
        for cpu in mask.iter_wrap(start) {
            if !self.rqs[cpu.index()].is_idle() || (cpu == this_cpu && !round_from_self) {
                continue;
            }
            if self.rqs[this_cpu.index()].need_resched {
                if !blocked_kicks {
                    break;
                }
                // Work has come: leave the rest, and the date of the next balance, to others.
                self.nohz.has_blocked |= kick.stats;
                self.nohz.needs_update |= kick.next;
                return;
            }
            if kick.stats {
                has_blocked |= self.update_nohz_stats(cpu);
            }
            if jiffies >= self.rqs[cpu.index()].next_balance && kick.balance {
                let cause = if cpu == this_cpu {
                    Cause::Periodic
                } else {
                    Cause::Nohz
                };
                if !blocked_kicks {
                    self.cpu_load_idle(cpu);
                    self.update_blocked_averages(cpu);
                }
                self.rebalance_domains(this_cpu, cpu, IdleType::Idle, cause);
            }
            let due = self.rqs[cpu.index()].next_balance;
            if due < next_balance {
                next_balance = due;
                update_next = true;
            }
        }
        // To v4.16 the kicked CPU's own balancing may still bring the date forward.
        if update_next && !blocked_kicks {
            self.nohz.next_balance = next_balance;
        }
        if !round_from_self {
            if idle != IdleType::NewlyIdle {
                self.update_blocked_averages(this_cpu);
                has_blocked |= self.rqs[this_cpu.index()].has_blocked_load;
            }
            if kick.balance {
                self.rebalance_domains(this_cpu, this_cpu, IdleType::Idle, Cause::Periodic);
            }
        }
        if kick.stats {
            self.nohz.next_blocked = jiffies + self.msecs_to_jiffies(BLOCKED_PERIOD_MS);
        }
        self.nohz.has_blocked |= has_blocked;
        if update_next && blocked_kicks {
            self.nohz.next_balance = next_balance;
        }
    }

    /// Ages the blocked load of an idle CPU. True if some is left.
    fn update_nohz_stats(&mut self, cpu: CpuId) -> bool {
        if !self.rqs[cpu.index()].has_blocked_load {
            return false;
        }
        let fresh = self.jiffies() <= self.rqs[cpu.index()].last_blocked_load_update_tick;
        if fresh && self.rules.idle.round_from_self {
            return true;
        }
        self.update_blocked_averages(cpu);
        self.rqs[cpu.index()].has_blocked_load
    }
}
