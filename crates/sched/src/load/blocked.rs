//! Ageing the load of what sleeps on a CPU.
//!
//! Source: kernel/sched/fair.c `update_blocked_averages`, `list_add_leaf_cfs_rq` (v5.3; SCHED.md 2.11).

use teeter_machine::CpuId;

use super::Update;
use crate::ids::CfsRqId;
use crate::sched::Sched;

impl Sched {
    /// Ages all queues of the CPU that have load, bottom up.
    pub(crate) fn update_blocked_averages(&mut self, cpu: CpuId) {
        self.rqs[cpu.index()].last_blocked_load_update_tick = self.jiffies();
        let forgets = self.rules.load.forgets_decayed;
        let mut has_blocked = false;
        let mut at = 0;
        while let Some(&id) = self.rqs[cpu.index()].leaf_cfs_rqs.get(at) {
            if self.throttled_hierarchy(id) {
                at += 1;
                continue;
            }
            if self.update_cfs_rq_load_avg(id) {
                self.update_tg_load_avg(id);
            }
            if let Some(se) = self.cfs(id).se {
                let avg = &self.se(se).avg;
                if self.rules.load.pelt.is_weighted()
                    || avg.load_avg > 0
                    || avg.util_avg > 0
                    || self.cfs(id).propagate
                {
                    self.update_load_avg(se, Update::Age);
                }
            }
            let cfs_rq = self.cfs_mut(id);
            has_blocked |= cfs_rq.has_blocked();
            if forgets && cfs_rq.is_decayed() {
                cfs_rq.on_list = false;
                self.rqs[cpu.index()].leaf_cfs_rqs.remove(at);
            } else {
                at += 1;
            }
        }
        if !has_blocked {
            self.rqs[cpu.index()].has_blocked_load = false;
        }
    }

    /// Puts a queue and those above it on its CPU's list of queues with load, each before its parent.
    pub(crate) fn list_add_leaf_cfs_rq(&mut self, cpu: CpuId, id: CfsRqId) {
        if self.cfs(id).on_list {
            return;
        }
        let above = self.cfs(id).se.map(|se| self.se(se).cfs_rq);
        if let Some(above) = above {
            self.list_add_leaf_cfs_rq(cpu, above);
        }
        self.cfs_mut(id).on_list = true;
        let list = &mut self.rqs[cpu.index()].leaf_cfs_rqs;
        let parent_at = list.iter().position(|&other| Some(other) == above);
        list.insert(parent_at.unwrap_or(list.len()), id);
    }
}
