//! The choice between the waker's CPU and the previous one by what the task would add to the load of each.
//!
//! Source: kernel/sched/fair.c `effective_load`, `wake_affine` (v4.11; SCHED.md 6.2).

use teeter_machine::CpuId;

use crate::cfs_rq::cfs_rq_of;
use crate::ids::{GroupId, SdId, TaskId};
use crate::sched::Sched;
use crate::weight::{MIN_SHARES, SHIFT};

/// One group on one CPU, unscaled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupShare {
    /// Load of the group's queue there, what it contributes to the group's, and the group's.
    pub(crate) load_avg: u64,
    pub(crate) contrib: u64,
    pub(crate) tg_load_avg: u64,
    pub(crate) shares: u64,
    /// Load of the entity above.
    pub(crate) se_load_avg: u64,
}

impl GroupShare {
    /// By how much the entity's load changes if so much comes to the queue, and so much to the group.
    pub(crate) fn change(&self, to_queue: i64, to_group: i64) -> i64 {
        let (load, shares) = (self.load_avg as i64, self.shares as i64);
        let all = to_group + self.tg_load_avg as i64 - self.contrib as i64 + load;
        let here = load + to_queue;
        let weight = if all > 0 && here < all {
            here * shares / all
        } else {
            shares
        };
        weight.max(MIN_SHARES as i64) - self.se_load_avg as i64
    }
}

impl Sched {
    /// By how much the load of a CPU changes if so much load comes to a group's queue there, and so much to the
    /// group.
    fn effective_load(&self, group: GroupId, cpu: CpuId, to_queue: i64, to_group: i64) -> i64 {
        let mut queue = cfs_rq_of(group, cpu.index(), self.nr_cpus);
        let (mut to_queue, mut to_group) = (to_queue, to_group);
        while let Some(se) = self.cfs(queue).se {
            let held = self.cfs(queue);
            let group = &self.groups[held.group.index()];
            let share = GroupShare {
                load_avg: held.avg.load_avg,
                contrib: held.tg_load_avg_contrib,
                tg_load_avg: group.load_avg,
                shares: group.shares >> SHIFT,
                se_load_avg: self.se(se).avg.load_avg,
            };
            to_queue = share.change(to_queue, to_group);
            // Only the lowest group gets more load, those above it share theirs out anew.
            to_group = 0;
            queue = self.se(se).cfs_rq;
        }
        to_queue
    }

    /// The waker's CPU, unless the task would make it more loaded than the previous one.
    pub(super) fn wake_affine_by_effective_load(
        &self,
        sd: SdId,
        task: TaskId,
        this: CpuId,
        prev: CpuId,
        sync: bool,
    ) -> CpuId {
        let mut this_load = self.wake_load(this) as i64;
        let mut prev_load = self.wake_load(prev) as i64;
        if let Some(waker) = self.rqs[this.index()].curr.filter(|_| sync) {
            let waker = self.task(waker);
            let gone = -(self.se(waker.se).avg.load_avg as i64);
            this_load += self.effective_load(waker.group, this, gone, gone);
            prev_load += self.effective_load(waker.group, prev, 0, gone);
        }
        let woken = self.task(task);
        let load = self.se(woken.se).avg.load_avg as i64;
        let scale = 100 + (i64::from(self.domains.sd(sd).imbalance_pct) - 100) / 2;
        let mut this_effect = 100 * self.rqs[prev.index()].cpu_capacity as i64;
        let mut prev_effect = scale * self.rqs[this.index()].cpu_capacity as i64;
        if this_load > 0 {
            this_effect *= this_load + self.effective_load(woken.group, this, load, load);
            prev_effect *= prev_load + self.effective_load(woken.group, prev, 0, load);
        }
        if this_effect <= prev_effect {
            this
        } else {
            prev
        }
    }
}

#[cfg(test)]
mod tests {
    use super::GroupShare;

    #[test]
    fn a_group_spread_over_cpus_adds_only_its_share() {
        let share = GroupShare {
            load_avg: 1024,
            contrib: 1024,
            tg_load_avg: 4096,
            shares: 1024,
            se_load_avg: 256,
        };
        assert_eq!(share.change(1024, 1024), 2048 * 1024 / 5120 - 256);
        assert_eq!(share.change(0, 1024), 1024 * 1024 / 5120 - 256);
    }

    #[test]
    fn a_group_alone_on_its_cpu_weighs_its_shares() {
        let share = GroupShare {
            load_avg: 500,
            contrib: 500,
            tg_load_avg: 500,
            shares: 1024,
            se_load_avg: 500,
        };
        assert_eq!(share.change(1024, 1024), 524);
    }
}
