//! Load balancing of one domain: find the busiest group and queue, and pull from it.
//!
//! Source: kernel/sched/fair.c `load_balance`, `should_we_balance`, `need_active_balance` (v5.3 to v6.17;
//! SCHED.md 4.5, 4.6, 5.2 and 14).

mod active;
mod asym;
pub(crate) mod average_load;
mod busiest;
pub(crate) mod contest;
pub(crate) mod detach;
pub(crate) mod group;
pub(crate) mod group_type;
mod misfit;
pub(crate) mod newidle;
pub(crate) mod numa_imbalance;
mod own;
pub(crate) mod periodic;

use teeter_machine::{CpuId, CpuSet};

use crate::decision::{Balance, Seen, Why};
use crate::domain::Flags;
use crate::effect::{Cause, Effect};
use crate::ids::{SdId, TaskId};
use crate::sched::Sched;
pub(crate) use group::IdleType;
pub(crate) use group_type::Migration;
pub(crate) use periodic::Turn;

/// What one look at a CPU's run-queue costs in a balance pass, and what a pass costs beside, ns. Decides
/// how far up a CPU about to idle looks; an assumption of ours (SCHED.md 5.1).
const PASS_COST_NS: u64 = 1_500;
const PASS_COST_PER_CPU_NS: u64 = 150;

/// Balance interval at which a domain of pinned tasks stops backing off, ms (`MAX_PINNED_INTERVAL`).
const MAX_PINNED_INTERVAL_MS: u32 = 512;

/// Moving average of a CPU's idle time, by an eighth, at most twice what balancing costs (ns).
pub(crate) fn avg_idle(avg_idle: u64, idle: u64, max_idle_balance_cost: u64) -> u64 {
    let diff = idle as i64 - avg_idle as i64;
    avg_idle
        .saturating_add_signed(diff >> 3)
        .min(2 * max_idle_balance_cost)
}

/// One balance pass (`lb_env`).
#[expect(
    clippy::struct_excessive_bools,
    reason = "most are flags of their own in the kernel"
)]
#[derive(Clone, Debug)]
pub(crate) struct Env {
    pub(crate) sd: SdId,
    pub(crate) idle: IdleType,
    pub(crate) dst_cpu: CpuId,
    pub(crate) src_cpu: CpuId,
    /// CPUs that take part.
    pub(crate) cpus: CpuSet,
    /// CPUs of the local group, to one of which a task may go that cannot go to `dst_cpu`.
    pub(crate) dst_grpmask: CpuSet,
    pub(crate) new_dst_cpu: Option<CpuId>,
    pub(crate) migration: Migration,
    pub(crate) imbalance: i64,
    /// Every task looked at was pinned.
    pub(crate) all_pinned: bool,
    /// Some task was pinned.
    pub(crate) some_pinned: bool,
    /// Tasks looked at, and how many may be.
    pub(crate) looked: u32,
    pub(crate) loop_max: u32,
    /// The busiest group has a task too big for its CPU, whatever is to be moved.
    pub(crate) src_misfit: bool,
    /// It pushes the task of its own source, by the stopper.
    pub(crate) active: bool,
    pub(crate) cause: Cause,
    /// What it saw, if that is on record.
    pub(crate) seen: Option<Seen>,
}

/// The CPU that balances for its group: the first idle one, of the first choice if there is such a one; else
/// the first of all (`should_we_balance`).
pub(crate) fn balancer(
    mask: &CpuSet,
    idle: impl Fn(CpuId) -> bool,
    first_choice: impl Fn(CpuId) -> bool,
) -> Option<CpuId> {
    let mut second = None;
    for cpu in mask.iter().filter(|&cpu| idle(cpu)) {
        if first_choice(cpu) {
            return Some(cpu);
        }
        second = second.or(Some(cpu));
    }
    second.or_else(|| mask.first())
}

/// Whether passes failed often enough to have the running task pushed (`imbalanced_active_balance`).
pub(crate) fn failed_often(
    any_type: bool,
    migration: Migration,
    nr_balance_failed: u32,
    cache_nice_tries: u32,
) -> bool {
    (any_type || migration == Migration::Task) && nr_balance_failed > cache_nice_tries + 2
}

/// What a pass came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// Found a queue to pull from; this many tasks moved.
    Pulled(u32),
    /// Nothing to do.
    Balanced,
    /// Every task that could be moved was pinned.
    AllPinned,
    /// An active balance was wanted, and the running task may not come.
    OnePinned,
}

impl Sched {
    /// Balances one domain of a CPU. Gives how many tasks moved, and whether to go on to the domain
    /// above (`continue_balancing`).
    pub(crate) fn load_balance(
        &mut self,
        cpu: CpuId,
        sd: SdId,
        idle: IdleType,
        cause: Cause,
    ) -> (u32, bool) {
        let local = self.domains.local_group(sd);
        let mut env = Env {
            sd,
            idle,
            dst_cpu: cpu,
            src_cpu: cpu,
            cpus: self.domains.sd(sd).span,
            dst_grpmask: if self.rules.balance.detour_balances {
                self.domains.sg(local).balance_mask
            } else {
                self.domains.sg(local).span
            },
            new_dst_cpu: None,
            migration: Migration::Load,
            imbalance: 0,
            all_pinned: false,
            some_pinned: false,
            looked: 0,
            loop_max: 0,
            src_misfit: false,
            active: false,
            cause,
            seen: None,
        };
        let name = self.domains.sd(sd).name;
        self.stats.level(name).count += 1;
        let go_on = self.should_we_balance(&env);
        self.stats.level(name).refused += u64::from(!go_on);
        let outcome = if go_on {
            self.try_to_pull(&mut env)
        } else {
            Outcome::Balanced
        };
        if self.recording() {
            self.note_pass(cpu, &env, go_on, outcome);
        }
        let moved = self.settle(&env, cpu, outcome);
        (moved, go_on)
    }

    /// Puts a pass on record.
    fn note_pass(&mut self, cpu: CpuId, env: &Env, began: bool, outcome: Outcome) {
        let sd = self.domains.sd(env.sd);
        let seen = env.seen.as_ref();
        let before = seen.and_then(|seen| seen.imbalance_before);
        let imbalance = seen.and_then(|seen| seen.imbalance);
        let pulls = env.src_cpu != cpu;
        let pushes = self.rqs[env.src_cpu.index()].active_balance == Some(cpu);
        let allowed = imbalance == Some(0) && before.is_some_and(|n| n != 0);
        let why = match outcome {
            Outcome::Pulled(0) if pushes => Why::ActiveBalance,
            Outcome::Pulled(0) | Outcome::OnePinned => Why::NothingMoved,
            Outcome::Pulled(_) => Why::Moved,
            Outcome::AllPinned => Why::AllPinned,
            Outcome::Balanced if !began => Why::Refused,
            Outcome::Balanced if seen.is_none() => Why::NoBusiestGroup,
            Outcome::Balanced if allowed => Why::NumaImbalanceAllowed,
            Outcome::Balanced if imbalance.is_none_or(|n| n == 0) => Why::Balanced,
            Outcome::Balanced => Why::NoBusiestQueue,
        };
        let balance = Balance {
            domain: sd.name,
            level: sd.level,
            span_weight: sd.span_weight,
            imbalance_pct: sd.imbalance_pct,
            idle: env.idle,
            dst_cpu: cpu,
            src_cpu: pulls.then_some(env.src_cpu),
            nr_moved: match outcome {
                Outcome::Pulled(moved) => moved,
                _ => 0,
            },
            why,
        };
        self.note_balance(cpu, balance, seen);
    }

    /// Whether this CPU is the one to balance for its group. A CPU about to idle is, for itself.
    fn should_we_balance(&self, env: &Env) -> bool {
        if env.idle == IdleType::NewlyIdle {
            return true;
        }
        let local = self.domains.local_group(env.sd);
        let mask = &self.domains.sg(local).balance_mask;
        let threads = self.domains.sd(env.sd).flags.has(Flags::SHARE_CPUCAPACITY);
        let whole_cores = self.rules.balance.smt && !threads;
        let idle = |cpu: CpuId| self.rqs[cpu.index()].is_idle();
        let first_choice = |cpu| !whole_cores || self.is_core_idle(cpu);
        balancer(mask, idle, first_choice) == Some(env.dst_cpu)
    }

    /// Pulls from the busiest queue of the busiest group, and from the next busy one where all tasks of
    /// a queue are pinned.
    fn try_to_pull(&mut self, env: &mut Env) -> Outcome {
        let cpu = env.dst_cpu;
        loop {
            let group = self.find_busiest_group(env);
            let Some(busiest) = group.and_then(|group| self.find_busiest_queue(env, group)) else {
                return Outcome::Balanced;
            };
            env.src_cpu = busiest;
            env.all_pinned |= self.rules.balance.assume_pinned;
            let mut moved = 0;
            if self.rqs[busiest.index()].nr_running > 1 {
                env.all_pinned = true;
                env.looked = 0;
                env.loop_max = self
                    .rules
                    .tunables
                    .nr_migrate
                    .min(self.rqs[busiest.index()].nr_running);
                moved = self.pull_from_queue(env);
                if env.some_pinned && env.imbalance > 0 {
                    self.set_parent_imbalance(env.sd, true);
                }
                if env.all_pinned {
                    env.dst_cpu = cpu;
                    env.cpus.remove(busiest);
                    let done = if self.rules.balance.redo_to_last {
                        env.cpus.is_empty()
                    } else {
                        env.cpus.is_subset(&env.dst_grpmask)
                    };
                    if done {
                        return Outcome::AllPinned;
                    }
                    continue;
                }
            }
            env.dst_cpu = cpu;
            return self.after_pull(env, busiest, moved);
        }
    }

    /// Moves tasks to the CPU, and those that may not come there to another CPU of its group.
    fn pull_from_queue(&mut self, env: &mut Env) -> u32 {
        let mut moved = 0;
        loop {
            env.new_dst_cpu = None;
            moved += self.detach_and_attach(env);
            match env.new_dst_cpu {
                Some(cpu) if env.imbalance > 0 => {
                    env.cpus.remove(env.dst_cpu);
                    env.dst_cpu = cpu;
                    env.looked = 0;
                }
                _ => return moved,
            }
        }
    }

    /// Counts a failure, and asks the stopper for help where ordinary pulling has failed often.
    fn after_pull(&mut self, env: &mut Env, busiest: CpuId, moved: u32) -> Outcome {
        let failed_before = self.domains.sd(env.sd).nr_balance_failed;
        if moved > 0 {
            self.domains.sd_mut(env.sd).nr_balance_failed = 0;
            self.reset_interval(env.sd);
            return Outcome::Pulled(moved);
        }
        let rules = &self.rules.balance;
        let (any_type, misfit_apart) = (rules.active_any_type, rules.misfit_apart);
        let mut failed = failed_before;
        let counts = !(misfit_apart && env.migration == Migration::Misfit);
        if env.idle != IdleType::NewlyIdle && counts {
            failed += 1;
            self.domains.sd_mut(env.sd).nr_balance_failed = failed;
        }
        let tries = self.domains.sd(env.sd).cache_nice_tries;
        let voluntary = self.voluntary_active_balance(env);
        if !voluntary && !failed_often(any_type, env.migration, failed, tries) {
            self.reset_interval(env.sd);
            return Outcome::Pulled(0);
        }
        let curr = self.rqs[busiest.index()].curr;
        if curr.is_none_or(|curr| !self.task(curr).affinity.contains(env.dst_cpu)) {
            env.all_pinned |= any_type;
            return Outcome::OnePinned;
        }
        if any_type {
            self.domains.sd_mut(env.sd).nr_balance_failed = tries + 1;
        }
        let started = self.rqs[busiest.index()].active_balance.is_none();
        if started {
            self.rqs[busiest.index()].active_balance = Some(env.dst_cpu);
            let name = self.domains.sd(env.sd).name;
            self.stats.level(name).active += 1;
            self.effects.push(Effect::ActiveBalance {
                cpu: busiest,
                from: env.dst_cpu,
            });
        }
        if started && any_type && (!voluntary || self.rules.balance.voluntary_backs_off) {
            let sd = self.domains.sd_mut(env.sd);
            if sd.balance_interval < sd.max_interval {
                sd.balance_interval *= 2;
            }
        } else {
            self.reset_interval(env.sd);
        }
        Outcome::Pulled(0)
    }

    fn reset_interval(&mut self, sd: SdId) {
        let sd = self.domains.sd_mut(sd);
        sd.balance_interval = sd.min_interval;
    }

    /// Whether other classes or interrupts take a good part of the CPU, by the domain's percentage.
    pub(crate) fn check_cpu_capacity(&self, cpu: CpuId, sd: SdId) -> bool {
        let rq = &self.rqs[cpu.index()];
        let pct = u64::from(self.domains.sd(sd).imbalance_pct);
        rq.cpu_capacity * pct < rq.cpu_capacity_orig * 100
    }

    /// What is pushed without waiting for failures: a task to a CPU of higher priority, a lone task from a CPU
    /// of reduced capacity to a better one, a task too big for its CPU.
    fn voluntary_active_balance(&self, env: &Env) -> bool {
        let (src, dst) = (
            &self.rqs[env.src_cpu.index()],
            &self.rqs[env.dst_cpu.index()],
        );
        let pct = u64::from(self.domains.sd(env.sd).imbalance_pct);
        let reduced = env.idle != IdleType::NotIdle
            && self.cfs_rqs[env.src_cpu.index()].h_nr_runnable() == 1
            && self.check_cpu_capacity(env.src_cpu, env.sd)
            && src.cpu_capacity * pct < dst.cpu_capacity * 100;
        let misfit = env.src_misfit || env.migration == Migration::Misfit;
        reduced || misfit || self.asym_active_balance(env)
    }

    /// Keeps the domain's books after a pass. Gives the tasks moved.
    fn settle(&mut self, env: &Env, cpu: CpuId, outcome: Outcome) -> u32 {
        debug_assert_eq!(env.dst_cpu, cpu, "a pass ends on the CPU it began for");
        let level = self.stats.level(self.domains.sd(env.sd).name);
        match outcome {
            Outcome::Pulled(0) | Outcome::AllPinned | Outcome::OnePinned => level.failed += 1,
            Outcome::Pulled(moved) => level.moved += u64::from(moved),
            Outcome::Balanced => level.balanced += 1,
        }
        if let Outcome::Pulled(moved) = outcome {
            return moved;
        }
        let clears = !env.all_pinned || self.rules.balance.pinned_clears_imbalance;
        if outcome == Outcome::Balanced && clears {
            self.set_parent_imbalance(env.sd, false);
        }
        let sd = self.domains.sd_mut(env.sd);
        if outcome != Outcome::OnePinned {
            sd.nr_balance_failed = 0;
        }
        let below_max = sd.balance_interval < sd.max_interval;
        let below_pinned = env.all_pinned && sd.balance_interval < MAX_PINNED_INTERVAL_MS;
        let apart = self.rules.balance.misfit_apart && env.migration == Migration::Misfit;
        let backs_off = env.idle != IdleType::NewlyIdle || self.rules.balance.newly_idle_backs_off;
        if backs_off && !apart && (below_max || below_pinned) {
            sd.balance_interval *= 2;
        }
        0
    }

    /// Sets or clears the flag by which a pass tells the level above that affinity got in its way.
    fn set_parent_imbalance(&mut self, sd: SdId, imbalance: bool) {
        if let Some(parent) = self.domains.sd(sd).parent {
            let group = self.domains.local_group(parent);
            self.domains.sgs[group.index()].imbalance = imbalance;
        }
    }

    /// Moves a task that has been dequeued to a CPU and queues it there (`attach_task`).
    pub(crate) fn attach_task(&mut self, task: TaskId, to: CpuId, cause: Cause) {
        let from = self.task(task).cpu;
        self.set_task_rq(task, to);
        self.effects.push(Effect::Migrate {
            task,
            from,
            to,
            cause,
        });
        self.enqueue_task(task, crate::queue::Enqueue::Moved);
        self.check_preempt_curr(to, task, to, crate::switch::Came::Woken);
    }
}

#[cfg(test)]
mod tests;
