//! Groups that give way to everything else (`cpu.idle`).
//!
//! Source: kernel/sched/fair.c `sched_group_set_idle` (v5.15).

use teeter_scenario::Nanos;

use super::Sched;
use crate::cfs_rq::cfs_rq_of;
use crate::ids::GroupId;
use crate::rules::IdleEntities;
use crate::weight::{NICE_0_LOAD, SHIFT, WEIGHT_IDLEPRIO};

impl Sched {
    /// Writes `cpu.idle` of a group: it gets the least weight, and gives way like a task of idle policy. Written
    /// back, the weight is the default again. Kernels before v5.15 have no such file: nothing changes.
    pub fn set_group_idle(&mut self, now: Nanos, group: GroupId, idle: bool) {
        self.advance(now);
        let known = group != GroupId::ROOT && group.index() < self.groups.len();
        if !known
            || self.rules.pick.idle == IdleEntities::Tasks
            || self.groups[group.index()].idle == idle
        {
            return;
        }
        self.groups[group.index()].idle = idle;
        for cpu in 0..self.nr_cpus {
            let below = self.cfs(cfs_rq_of(group, cpu, self.nr_cpus));
            let others = below.h_nr_running - below.idle_h_nr_running;
            let mut next = below.se;
            while let Some(se) = next {
                let (cfs_rq, parent, queued) = {
                    let entity = self.se(se);
                    (entity.cfs_rq, entity.parent, entity.on_rq)
                };
                if !queued {
                    break;
                }
                let queue = self.cfs_mut(cfs_rq);
                if idle {
                    queue.idle_h_nr_running += others;
                } else {
                    queue.idle_h_nr_running -= others;
                }
                // A group above that is idle counts them all already.
                next = parent.filter(|_| !self.cfs_rq_is_idle(cfs_rq));
            }
        }
        let shares = if idle {
            WEIGHT_IDLEPRIO << SHIFT
        } else {
            NICE_0_LOAD
        };
        self.set_shares(group, shares);
    }
}
