//! The timers that fill the pool and give run time out, and limits as they are written.

use teeter_machine::CpuId;
use teeter_scenario::Nanos;

use super::{DEFAULT_PERIOD_NS, MIN_EXPIRATION_NS, SLACK_PERIOD_NS, SLICE_NS};
use crate::balance::newidle::Dice;
use crate::cfs_rq::cfs_rq_of;
use crate::effect::Effect;
use crate::ids::{CfsRqId, GroupId};
use crate::rules::{Expiry, PeriodPhase};
use crate::sched::{BOOT_NS, Sched};

impl Sched {
    /// When a timer of the kernel expires next; the engine calls [`Sched::run_timers`] then.
    #[inline]
    pub fn next_timer(&self) -> Option<Nanos> {
        self.next_timer.map(|time| Nanos(time - BOOT_NS))
    }

    /// Timers of the kernel have expired.
    pub fn run_timers(&mut self, now: Nanos) {
        self.advance(now);
        while self.next_timer.is_some_and(|time| time <= self.now) {
            for group in (1..self.groups.len() as u32).map(GroupId) {
                let pool = &self.groups[group.index()].bandwidth;
                let period = pool.period_active && pool.period_expires <= self.now;
                let slack = pool.slack_expires.is_some_and(|time| time <= self.now);
                if period {
                    self.sched_cfs_period_timer(group);
                }
                if slack {
                    self.sched_cfs_slack_timer(group);
                }
            }
            self.find_next_timer();
        }
    }

    fn find_next_timer(&mut self) {
        let timers = self.groups.iter().flat_map(|group| {
            let pool = &group.bandwidth;
            let period = pool.period_active.then_some(pool.period_expires);
            period.into_iter().chain(pool.slack_expires)
        });
        self.next_timer = timers.min();
    }

    /// Lets the periods of all groups begin where this kernel does (`init_cfs_bandwidth`).
    pub(crate) fn begin_periods(&mut self, mut dice: Dice) {
        let now = self.now;
        let together = dice.below(self.tick_ns);
        for group in self.groups.iter_mut().skip(1) {
            let pool = &mut group.bandwidth;
            let phase = match self.rules.bandwidth.phase {
                PeriodPhase::Clock => together,
                PeriodPhase::Random => dice.below(DEFAULT_PERIOD_NS),
            };
            pool.period_expires = if pool.period_active {
                now + 1 + phase % pool.period
            } else {
                (now + 1 + phase).saturating_sub(DEFAULT_PERIOD_NS)
            };
        }
        self.find_next_timer();
    }

    /// Writes `cpu.max` and `cpu.max.burst` of a group (`tg_set_cfs_bandwidth`); a quota of `None` is no
    /// limit. Kernels before v5.14 know no burst.
    pub fn set_group_bandwidth(
        &mut self,
        now: Nanos,
        group: GroupId,
        quota: Option<Nanos>,
        period: Nanos,
        burst: Nanos,
    ) {
        self.advance(now);
        if group == GroupId::ROOT || group.index() >= self.groups.len() {
            return;
        }
        let pool = &mut self.groups[group.index()].bandwidth;
        pool.throttled.reserve(self.nr_cpus);
        pool.meanwhile.reserve(self.nr_cpus);
        pool.quota = quota.map(|quota| quota.0);
        pool.period = period.0.max(1);
        pool.burst = if self.rules.bandwidth.burst {
            burst.0
        } else {
            0
        };
        self.refill_runtime(group);
        if quota.is_some() {
            self.start_cfs_bandwidth(group, CpuId(0));
        }
        for cpu in 0..self.nr_cpus {
            let id = cfs_rq_of(group, cpu, self.nr_cpus);
            let own = &mut self.cfs_mut(id).bandwidth;
            own.enabled = quota.is_some();
            own.remaining = 0;
            if own.throttled {
                self.unthrottle_cfs_rq(id, CpuId(cpu as u16));
            }
            let to_unthrottle = &mut self.rqs[cpu].to_unthrottle;
            to_unthrottle.reserve(self.groups.len());
        }
    }

    /// Fills the pool (`__refill_cfs_bandwidth_runtime`).
    fn refill_runtime(&mut self, group: GroupId) {
        let (now, expiry) = (self.now, self.rules.bandwidth.expiry);
        let pool = &mut self.groups[group.index()].bandwidth;
        let Some(quota) = pool.quota else { return };
        let saved = if pool.burst > 0 { pool.runtime } else { 0 };
        pool.runtime = (saved + quota).min(quota + pool.burst);
        if expiry != Expiry::Never {
            pool.runtime_expires = now + pool.period;
            pool.expires_seq = pool.expires_seq.wrapping_add(1);
        }
    }

    /// Starts the period timer unless it runs (`start_cfs_bandwidth`). It expires at a multiple of the period from
    /// where it last did, or was to do first.
    pub(super) fn start_cfs_bandwidth(&mut self, group: GroupId, cpu: CpuId) {
        let now = self.now;
        let pool = &mut self.groups[group.index()].bandwidth;
        if pool.period_active || pool.quota.is_none() {
            return;
        }
        pool.period_active = true;
        pool.timer_cpu = cpu;
        if pool.period_expires <= now {
            let past = now - pool.period_expires;
            pool.period_expires = now + pool.period - past % pool.period;
        }
        self.find_next_timer();
    }

    /// Lets run time that came back be given out after a while, unless a refill is near
    /// (`start_cfs_slack_bandwidth`).
    pub(super) fn start_cfs_slack_bandwidth(&mut self, group: GroupId, cpu: CpuId) {
        let (now, once) = (self.now, self.rules.bandwidth.slack_timer_once);
        if self.refills_within(group, SLACK_PERIOD_NS + MIN_EXPIRATION_NS) {
            return;
        }
        let pool = &mut self.groups[group.index()].bandwidth;
        if once && pool.slack_expires.is_some() {
            return;
        }
        pool.slack_expires = Some(now + SLACK_PERIOD_NS);
        pool.timer_cpu = cpu;
        self.find_next_timer();
    }

    /// Whether the pool is filled within so many ns (`runtime_refresh_within`).
    fn refills_within(&self, group: GroupId, nanos: u64) -> bool {
        let pool = &self.groups[group.index()].bandwidth;
        pool.period_expires < self.now + nanos
    }

    /// A period ends: fills the pool and gives throttled queues what they lack
    /// (`do_sched_cfs_period_timer`). The timer stops once nobody has drawn for a whole period.
    fn sched_cfs_period_timer(&mut self, group: GroupId) {
        let now = self.now;
        let saves = self.rules.bandwidth.burst;
        let pool = &mut self.groups[group.index()].bandwidth;
        let overrun = 1 + (now - pool.period_expires) / pool.period;
        pool.period_expires += overrun * pool.period;
        if pool.quota.is_none() {
            pool.period_active = false;
            return;
        }
        pool.stats.nr_periods += overrun;
        let stops = pool.idle && pool.throttled.is_empty();
        if saves || !stops {
            self.refill_runtime(group);
        }
        let pool = &mut self.groups[group.index()].bandwidth;
        if stops {
            pool.period_active = false;
        } else if pool.throttled.is_empty() {
            pool.idle = true;
        } else {
            pool.stats.nr_throttled += overrun;
            self.distribute_cfs_runtime(group);
            self.groups[group.index()].bandwidth.idle = false;
        }
    }

    /// Run time has come back and waited: gives it to throttled queues (`do_sched_cfs_slack_timer`).
    fn sched_cfs_slack_timer(&mut self, group: GroupId) {
        self.groups[group.index()].bandwidth.slack_expires = None;
        if self.refills_within(group, MIN_EXPIRATION_NS) {
            return;
        }
        let pool = &self.groups[group.index()].bandwidth;
        if pool.quota.is_some() && pool.runtime > SLICE_NS {
            self.distribute_cfs_runtime(group);
        }
    }

    /// Gives throttled queues in order just what they lack to run on, as far as the pool goes
    /// (`distribute_cfs_runtime`). From v6.3 on those of other CPUs are put back there, and that of this CPU last.
    fn distribute_cfs_runtime(&mut self, group: GroupId) {
        let by_interrupt = self.rules.bandwidth.unthrottles_by_interrupt;
        let pool = &mut self.groups[group.index()].bandwidth;
        let from = pool.timer_cpu;
        let meanwhile = std::mem::take(&mut pool.meanwhile);
        let mut waiting = std::mem::replace(&mut pool.throttled, meanwhile);
        let (seq, expires) = (pool.expires_seq, pool.runtime_expires);
        waiting.retain(|&id| {
            let pool = &mut self.groups[group.index()].bandwidth;
            let own = &mut self.cfs_rqs[id.index()].bandwidth;
            let lacking = (1 - own.remaining).max(0) as u64;
            let given = lacking.min(pool.runtime);
            pool.runtime -= given;
            own.remaining += given as i64;
            own.expires_seq = seq;
            own.expires = expires;
            let runs = own.remaining > 0;
            match (runs, by_interrupt) {
                (true, true) if self.cpu_of(id) != from => self.unthrottle_cfs_rq_async(id, from),
                (true, false) => self.unthrottle_cfs_rq(id, from),
                _ => {}
            }
            !runs || by_interrupt
        });
        // Enqueueing may have throttled others meanwhile; they come after those that still wait.
        let pool = &mut self.groups[group.index()].bandwidth;
        waiting.append(&mut pool.throttled);
        pool.meanwhile = std::mem::replace(&mut pool.throttled, waiting);
        if by_interrupt {
            let here = cfs_rq_of(group, from.index(), self.nr_cpus);
            let own = &self.cfs(here).bandwidth;
            if own.throttled && own.remaining > 0 {
                self.unthrottle_cfs_rq(here, from);
            }
        }
    }

    /// Leaves it to its CPU to put a queue back (`__unthrottle_cfs_rq_async`).
    fn unthrottle_cfs_rq_async(&mut self, id: CfsRqId, from: CpuId) {
        let cpu = self.cpu_of(id);
        let queued = &mut self.rqs[cpu.index()].to_unthrottle;
        if queued.contains(&id) {
            return;
        }
        queued.push(id);
        if queued.len() == 1 {
            self.effects.push(Effect::Unthrottle { cpu, from });
        }
    }

    /// The answer to [`Effect::Unthrottle`]: the CPU puts back what has run time again (`__cfsb_csd_unthrottle`).
    pub fn unthrottle_queued(&mut self, now: Nanos, cpu: CpuId) {
        self.advance(now);
        let mut queued = std::mem::take(&mut self.rqs[cpu.index()].to_unthrottle);
        for id in queued.drain(..) {
            if self.cfs(id).bandwidth.throttled {
                self.unthrottle_cfs_rq(id, cpu);
            }
        }
        self.rqs[cpu.index()].to_unthrottle = queued;
    }
}
