//! CPUs that are switched off and on.
//!
//! Source: kernel/sched/core.c `sched_cpu_deactivate`, `migrate_tasks` (to v5.10), `balance_push` (v5.11),
//! `sched_cpu_activate`; kernel/sched/fair.c `rq_offline_fair`; kernel/sched/topology.c
//! `partition_sched_domains`.

use std::sync::Arc;

use teeter_machine::{CpuId, CpuSet};
use teeter_scenario::Nanos;

use super::Sched;
use crate::cfs_rq::cfs_rq_of;
use crate::domain::Domains;
use crate::ids::GroupId;
use crate::switch::Outgoing;

impl Sched {
    /// Switches CPUs off. Domains are built without them, and their tasks move, each to the first CPU of the
    /// same node that it may use, or else to any. Nothing happens if no CPU would be left.
    pub fn set_offline(&mut self, now: Nanos, cpus: &CpuSet) {
        self.advance(now);
        let gone = cpus.and(&self.nohz.online);
        let left = self.nohz.online.minus(&gone);
        if gone.is_empty() || left.is_empty() {
            return;
        }
        self.change_online(left);
        for cpu in &gone {
            self.unthrottle_offline_cfs_rqs(cpu);
            self.migrate_tasks(cpu);
            self.nohz.idle_cpus_mask.remove(cpu);
        }
    }

    /// Switches CPUs on, with nothing to run at first.
    pub fn set_online(&mut self, now: Nanos, cpus: &CpuSet) {
        self.advance(now);
        let known = cpus.and(&CpuSet::first_n(self.nr_cpus));
        let come = known.minus(&self.nohz.online);
        if come.is_empty() {
            return;
        }
        let jiffies = self.jiffies();
        for cpu in &come {
            let rq = &mut self.rqs[cpu.index()];
            rq.next_balance = jiffies;
            rq.idle_stamp = self.now;
            rq.tick_stopped = true;
            for group in 1..self.groups.len() {
                let enabled = self.groups[group].bandwidth.quota.is_some();
                let id = cfs_rq_of(GroupId(group as u32), cpu.index(), self.nr_cpus);
                self.cfs_mut(id).bandwidth.enabled = enabled;
            }
        }
        self.change_online(self.nohz.online.or(&come));
    }

    /// CPUs that are online.
    pub fn online(&self) -> &CpuSet {
        &self.nohz.online
    }

    fn change_online(&mut self, online: CpuSet) {
        self.nohz.online = online;
        self.nr_online = online.len();
        self.slices = self.rules.slices(self.nr_online);
        self.numa.nodes.set_online(&online);
        for task in &mut self.tasks {
            task.affinity = task.cpus_mask.and(&online);
        }
        self.update_cpusets();
    }

    /// Builds all domains anew (`partition_sched_domains`). They begin as at boot.
    pub(super) fn rebuild_domains(&mut self) {
        if !self.rules.change.rebuild_keeps_numa {
            self.rules.topology.numa_levels = false;
        }
        let topology = Arc::make_mut(&mut self.topology);
        topology.online = self.nohz.online;
        for (rq, cpu) in self.rqs.iter_mut().zip(&topology.cpus) {
            let capacity = u64::from(cpu.capacity);
            (rq.cpu_capacity, rq.cpu_capacity_orig) = (capacity, capacity);
        }
        self.domains = Domains::build(topology, &self.rules, &self.maps, &mut self.rqs);
        self.date_domains();
        let mut idle = CpuSet::EMPTY;
        for cpu in &self.nohz.online {
            let rq = &self.rqs[cpu.index()];
            if rq.sd.is_none() {
                continue;
            }
            if rq.tick_stopped {
                idle.insert(cpu);
            } else {
                self.domains.llcs[rq.llc].nr_busy_cpus += 1;
            }
        }
        self.nohz.idle_cpus_mask = idle;
    }

    /// `unthrottle_offline_cfs_rqs`
    fn unthrottle_offline_cfs_rqs(&mut self, cpu: CpuId) {
        for group in (1..self.groups.len() as u32).map(GroupId) {
            let id = cfs_rq_of(group, cpu.index(), self.nr_cpus);
            let own = &mut self.cfs_mut(id).bandwidth;
            if own.enabled {
                own.remaining = 1;
                own.enabled = false;
            }
            if self.cfs(id).bandwidth.throttled {
                self.unthrottle_cfs_rq(id, cpu);
            }
        }
    }

    /// Moves all tasks away from a CPU, in the order in which it would run them (`migrate_tasks`).
    fn migrate_tasks(&mut self, cpu: CpuId) {
        self.rqs[cpu.index()].to_move.clear();
        self.displace(cpu);
        while let Some(se) = self.pick_task(cpu) {
            let Some(task) = self.task_of(se) else { break };
            let to = self.select_fallback_rq(task, cpu);
            self.move_queued_task(task, to);
        }
        self.pick_and_switch(cpu, Outgoing::PutBack);
    }
}
