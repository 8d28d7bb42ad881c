//! Drawing run time from the pool, using it up and giving it back.

use super::{CfsBandwidth, CfsRuntime, MIN_CFS_RQ_RUNTIME_NS, SLICE_NS};
use crate::ids::CfsRqId;
use crate::rules::Expiry;
use crate::sched::Sched;

impl CfsRuntime {
    /// Drops run time of a period that is over (`expire_cfs_rq_runtime`, to v5.3). `tick` in ns.
    fn expire(&mut self, pool: &CfsBandwidth, now: u64, rule: Expiry, tick: u64) {
        if now < self.expires || self.remaining < 0 {
            return;
        }
        let current = match rule {
            Expiry::Never => return,
            Expiry::Stamp => self.expires != pool.runtime_expires,
            Expiry::Sequence => self.expires_seq == pool.expires_seq,
        };
        if current {
            // The clocks of CPUs drift apart by so much.
            self.expires += tick;
        } else {
            self.remaining = 0;
        }
    }
}

impl Sched {
    /// Charges a queue for a run of its current entity, ns, and draws more run time where none is left
    /// (`account_cfs_rq_runtime`).
    #[inline]
    pub(crate) fn account_cfs_rq_runtime(&mut self, id: CfsRqId, delta: u64) {
        if self.cfs(id).bandwidth.enabled {
            self.use_runtime(id, delta);
        }
    }

    fn use_runtime(&mut self, id: CfsRqId, delta: u64) {
        let (now, rule, tick) = (self.now, self.rules.bandwidth.expiry, self.rules.tick().0);
        let Self {
            cfs_rqs, groups, ..
        } = self;
        let cfs_rq = &mut cfs_rqs[id.index()];
        let pool = &groups[cfs_rq.group.index()].bandwidth;
        let own = &mut cfs_rq.bandwidth;
        own.remaining -= delta as i64;
        own.expire(pool, now, rule, tick);
        if own.remaining > 0 || own.throttled {
            return;
        }
        let runs = cfs_rq.curr.is_some();
        if !self.assign_cfs_rq_runtime(id, SLICE_NS as i64) && runs {
            let cpu = self.cpu_of(id);
            self.resched_curr(cpu, cpu);
        }
    }

    /// Draws from the pool up to a target, ns. Whether there is run time then (`assign_cfs_rq_runtime`).
    pub(super) fn assign_cfs_rq_runtime(&mut self, id: CfsRqId, target: i64) -> bool {
        let cpu = self.cpu_of(id);
        let group = self.cfs(id).group;
        let wanted = (target - self.cfs(id).bandwidth.remaining).max(0) as u64;
        let limited = self.groups[group.index()].bandwidth.quota.is_some();
        if limited {
            self.start_cfs_bandwidth(group, cpu);
        }
        let pool = &mut self.groups[group.index()].bandwidth;
        let mut amount = wanted;
        if limited {
            amount = wanted.min(pool.runtime);
            pool.runtime -= amount;
            if amount > 0 {
                pool.idle = false;
            }
        }
        let (seq, expires) = (pool.expires_seq, pool.runtime_expires);
        let rule = self.rules.bandwidth.expiry;
        let own = &mut self.cfs_mut(id).bandwidth;
        own.remaining += amount as i64;
        let newer = match rule {
            Expiry::Never => false,
            Expiry::Stamp => (expires.wrapping_sub(own.expires) as i64) > 0,
            Expiry::Sequence => own.expires_seq != seq,
        };
        if newer {
            own.expires_seq = seq;
            own.expires = expires;
        }
        own.remaining > 0
    }

    /// A queue that has emptied gives back what it has above the least (`return_cfs_rq_runtime`).
    pub(crate) fn return_cfs_rq_runtime(&mut self, id: CfsRqId) {
        let cfs_rq = self.cfs(id);
        let own = cfs_rq.bandwidth;
        let slack = own.remaining - MIN_CFS_RQ_RUNTIME_NS as i64;
        if !own.enabled || cfs_rq.nr_running > 0 || slack <= 0 {
            return;
        }
        let (cpu, group) = (self.cpu_of(id), cfs_rq.group);
        let rule = self.rules.bandwidth.expiry;
        let pool = &mut self.groups[group.index()].bandwidth;
        let valid = match rule {
            Expiry::Never => true,
            Expiry::Stamp => own.expires == pool.runtime_expires,
            Expiry::Sequence => own.expires_seq == pool.expires_seq,
        };
        if pool.quota.is_some() && valid {
            pool.runtime += slack as u64;
            if pool.runtime > SLICE_NS && !pool.throttled.is_empty() {
                self.start_cfs_slack_bandwidth(group, cpu);
            }
        }
        self.cfs_mut(id).bandwidth.remaining -= slack;
    }
}
