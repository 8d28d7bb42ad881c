//! Moving a task to its preferred node, or swapping it with one that gains too.
//!
//! Source: kernel/sched/fair.c `numa_migrate_preferred`, `task_numa_migrate`, `task_numa_find_cpu`,
//! `update_numa_stats`, `adjust_numa_imbalance`; kernel/sched/core.c
//! `migrate_task_to`, `migrate_swap` (v4.15, v5.4, v5.7, v6.12; SCHED.md 7).

use teeter_machine::{CpuId, NodeId};

use super::node::{Loads, NodeStats, NodeType};
use super::nodes::Connection;
use crate::decision::NumaMigrate;
use crate::domain::Flags;
use crate::effect::Cause;
use crate::ids::{SdId, TaskId};
use crate::rules::{NumaImbalance, NumaMove};
use crate::sched::Sched;
use crate::switch::Outgoing;

/// Tasks of imbalance that are left alone (`NUMA_IMBALANCE_MIN`).
const IMBALANCE_MIN: i64 = 2;

/// A search for a better CPU (`task_numa_env`).
#[derive(Clone, Debug)]
pub(super) struct Env {
    pub(super) task: TaskId,
    pub(super) src_cpu: CpuId,
    pub(super) src: NodeId,
    pub(super) dst: NodeId,
    pub(super) src_stats: NodeStats,
    pub(super) dst_stats: NodeStats,
    /// An idle CPU of the destination the task may use.
    pub(super) idle_cpu: Option<CpuId>,
    pub(super) imbalance_pct: u64,
    pub(super) imb_numa_nr: u32,
    pub(super) distance: u8,
    pub(super) task_gain: i64,
    pub(super) group_gain: i64,
    pub(super) best: Option<Best>,
}

/// The best CPU so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Best {
    pub(super) cpu: CpuId,
    /// Its task, to swap with; `None`: to go there.
    pub(super) swap: Option<TaskId>,
    pub(super) gain: i64,
}

impl Env {
    pub(super) fn best_gain(&self) -> i64 {
        self.best.map_or(0, |best| best.gain)
    }

    fn on_record(&self) -> NumaMigrate {
        NumaMigrate {
            task: self.task,
            src_cpu: self.src_cpu,
            src_nid: self.src,
            dst_nid: self.dst,
            taskimp: self.task_gain,
            groupimp: self.group_gain,
            src_nr_running: self.src_stats.nr_running,
            dst_nr_running: self.dst_stats.nr_running,
            best_cpu: self.best.map(|best| best.cpu),
            best_task: self.best.and_then(|best| best.swap),
            best_imp: self.best.map(|best| best.gain),
        }
    }

    pub(super) fn loads(&self) -> Loads {
        Loads {
            src: self.src_stats.load,
            dst: self.dst_stats.load,
            src_capacity: self.src_stats.compute_capacity,
            dst_capacity: self.dst_stats.compute_capacity,
            imbalance_pct: self.imbalance_pct,
        }
    }
}

impl Sched {
    /// From time to time: tries to bring a task to its preferred node.
    pub(super) fn numa_migrate_preferred(&mut self, task: TaskId) {
        let Some(known) = self.numa.task(task).filter(|known| known.faults.is_some()) else {
            return;
        };
        let Some(preferred) = known.preferred else {
            return;
        };
        let interval = self.msecs_to_jiffies(known.scan_period) / 16;
        let interval = interval.min(u64::from(self.rules.hz));
        let retry = self.jiffies() + interval;
        if let Some(known) = self.numa.task_mut(task) {
            known.migrate_retry = retry;
        }
        if self.numa.nodes.of(self.task(task).cpu) != preferred {
            self.task_numa_migrate(task, preferred);
        }
    }

    fn task_numa_migrate(&mut self, task: TaskId, preferred: NodeId) {
        let src_cpu = self.task(task).cpu;
        let src = self.numa.nodes.of(src_cpu);
        let Some(sd) = self.lowest_numa_domain(src_cpu) else {
            // Its domains do not reach beyond the node.
            return self.sched_setnuma(task, Some(src));
        };
        let domain = self.domains.sd(sd);
        let mut env = Env {
            task,
            src_cpu,
            src,
            dst: preferred,
            src_stats: NodeStats::default(),
            dst_stats: NodeStats::default(),
            idle_cpu: None,
            imbalance_pct: 100 + (u64::from(domain.imbalance_pct) - 100) / 2,
            imb_numa_nr: domain.imb_numa_nr,
            distance: self.numa.nodes.distance(src, preferred),
            task_gain: 0,
            group_gain: 0,
            best: None,
        };
        env.src_stats = self.numa_stats_of(src, env.imbalance_pct);
        self.look_at_node(&mut env, preferred);
        let spread = self.numa.group_of(task).map(|group| group.active_nodes > 1);
        if env.best.is_none() || spread == Some(true) {
            self.look_at_others(&mut env, preferred);
        }
        self.settle_preferred(&env, preferred);
        if self.recording() {
            self.note_numa_migrate(env.on_record());
        }
        if env.best.is_some() && !self.rules.numa.move_resets_scan {
            let start = self.scan_bounds(task).start();
            if let Some(known) = self.numa.task_mut(task) {
                known.scan_period = start;
            }
        }
        match env.best {
            Some(Best {
                cpu,
                swap: Some(other),
                ..
            }) => self.migrate_swap(task, other, cpu, src_cpu),
            Some(Best { cpu, .. }) => self.migrate_task_to(task, cpu),
            None => {}
        }
    }

    /// Looks at nodes that are neither its own nor preferred, where the task or its group would gain.
    fn look_at_others(&mut self, env: &mut Env, preferred: NodeId) {
        for node in self.numa.nodes.ids() {
            let without = self.rules.numa.cpu_nodes_only && self.numa.nodes.cpus(node).is_empty();
            if node == env.src || node == preferred || without {
                continue;
            }
            if self.numa.nodes.connection == Connection::Backplane {
                // As in the kernel: the distance of the node looked at last.
                env.distance = self.numa.nodes.distance(env.src, env.dst);
            }
            let (task_gain, group_gain) = self.gains(env, node);
            if task_gain >= 0 || group_gain >= 0 {
                self.look_at_node(env, node);
            }
        }
    }

    /// A task that goes to one of its group's own nodes belongs there, so that the group comes to rest.
    fn settle_preferred(&mut self, env: &Env, preferred: NodeId) {
        let Some(group) = self.numa.group_of(env.task) else {
            return;
        };
        let node = match self.rules.numa.moves {
            NumaMove::Slope if group.active_nodes > 1 && group.is_active(env.dst) => env.dst,
            NumaMove::Slope => return,
            NumaMove::Load | NumaMove::Spare => env
                .best
                .map_or(env.src, |best| self.numa.nodes.of(best.cpu)),
        };
        if node != preferred {
            self.sched_setnuma(env.task, Some(node));
        }
    }

    /// The lowest domain that spans nodes (`sd_numa`).
    fn lowest_numa_domain(&self, cpu: CpuId) -> Option<SdId> {
        let mut next = self.rqs[cpu.index()].sd;
        while let Some(sd) = next {
            let domain = self.domains.sd(sd);
            if domain.flags.has(Flags::NUMA) {
                return Some(sd);
            }
            next = domain.parent;
        }
        None
    }

    /// What the task and its group gain on a node, in thousandths of their faults.
    fn gains(&self, env: &Env, node: NodeId) -> (i64, i64) {
        let (numa, task, distance) = (&self.numa, env.task, env.distance);
        (
            numa.task_weight(task, node, distance) - numa.task_weight(task, env.src, distance),
            numa.group_weight(task, node, distance) - numa.group_weight(task, env.src, distance),
        )
    }

    /// Sums over a node's CPUs.
    pub(super) fn numa_stats_of(&self, node: NodeId, imbalance_pct: u64) -> NodeStats {
        let mut stats = NodeStats::default();
        let by_spare = self.rules.numa.moves == NumaMove::Spare;
        for &cpu in self.numa.nodes.cpus(node) {
            let rq = &self.rqs[cpu.index()];
            let root = &self.cfs_rqs[cpu.index()];
            if by_spare {
                stats.load += root.avg.load_avg;
                stats.runnable += root.avg.runnable_avg;
                stats.util += self.lb_util(cpu);
                stats.nr_running += root.h_nr_runnable();
            } else {
                stats.load += root.avg.runnable_avg;
                stats.nr_running += rq.nr_running;
            }
            stats.compute_capacity += rq.cpu_capacity;
            stats.weight += 1;
        }
        stats.node_type = stats.classify(imbalance_pct);
        stats
    }

    /// An idle CPU of a node for a task, on an idle core if there is one.
    fn numa_idle_cpu(&self, task: TaskId, node: NodeId) -> Option<CpuId> {
        let allowed = self.task(task).affinity;
        let idle = |cpu: &&CpuId| self.rqs[cpu.index()].is_idle() && allowed.contains(**cpu);
        let whole = |cpu: &&CpuId| {
            let mut threads = self.domains.smt[cpu.index()].iter();
            threads.all(|thread| self.rqs[thread.index()].is_idle())
        };
        let cpus = self.numa.nodes.cpus(node);
        let core = cpus.iter().filter(idle).find(whole);
        core.or_else(|| cpus.iter().find(idle)).copied()
    }

    /// Searches one node (`update_numa_stats`, `task_numa_find_cpu`).
    fn look_at_node(&mut self, env: &mut Env, node: NodeId) {
        env.dst = node;
        env.dst_stats = self.numa_stats_of(node, env.imbalance_pct);
        (env.task_gain, env.group_gain) = self.gains(env, node);
        let load = self.task_h_load(self.task(env.task).se) as i64;
        let rule = self.rules.numa.moves;
        let may_move = match rule {
            NumaMove::Slope => {
                if !has_capacity(env) {
                    return;
                }
                true
            }
            NumaMove::Spare if env.dst_stats.node_type == NodeType::HasSpare => {
                env.idle_cpu = self.numa_idle_cpu(env.task, node);
                let allowed = self.numa_imbalance_allowed(env);
                if let Some(cpu) = env.idle_cpu.filter(|_| allowed) {
                    let (swap, gain) = (None, 0);
                    env.best = Some(Best { cpu, swap, gain });
                    return;
                }
                allowed
            }
            NumaMove::Spare => {
                env.idle_cpu = self.numa_idle_cpu(env.task, node);
                !env.loads().too_imbalanced(load, rule)
            }
            NumaMove::Load => !env.loads().too_imbalanced(load, rule),
        };
        let allowed = self.task(env.task).affinity;
        for at in 0..self.numa.nodes.cpus(node).len() {
            let cpu = self.numa.nodes.cpus(node)[at];
            if !allowed.contains(cpu) {
                continue;
            }
            let stop = match rule {
                NumaMove::Slope => self.compare_by_slope(env, cpu, load),
                NumaMove::Load | NumaMove::Spare => {
                    self.task_numa_compare(env, cpu, load, may_move)
                }
            };
            if stop {
                break;
            }
        }
    }

    /// Whether load balancing would leave the nodes alone after the move (`adjust_numa_imbalance`).
    fn numa_imbalance_allowed(&self, env: &Env) -> bool {
        let src = i64::from(env.src_stats.nr_running) - 1;
        let dst = i64::from(env.dst_stats.nr_running) + 1;
        let imbalance = (dst - src).max(0);
        let judged = if self.rules.numa.by_destination {
            dst
        } else {
            src
        };
        let left_alone = match self.rules.balance.numa_imbalance {
            NumaImbalance::Pair => judged <= IMBALANCE_MIN,
            NumaImbalance::Quarter => {
                dst < i64::from(env.dst_stats.weight >> 2) && imbalance <= IMBALANCE_MIN
            }
            _ => dst <= i64::from(env.imb_numa_nr) && imbalance <= IMBALANCE_MIN,
        };
        imbalance == 0 || left_alone
    }

    /// The stopper of the task's CPU sends it to another.
    fn migrate_task_to(&mut self, task: TaskId, cpu: CpuId) {
        let from = self.task(task).cpu;
        if cpu == from || !self.task(task).affinity.contains(cpu) {
            return;
        }
        self.displace(from);
        self.detach_task(task);
        self.attach_task(task, cpu, Cause::Numa);
        self.pick_and_switch(from, Outgoing::PutBack);
    }

    /// The stoppers of two CPUs exchange their running tasks.
    fn migrate_swap(&mut self, task: TaskId, other: TaskId, cpu: CpuId, src_cpu: CpuId) {
        let may = |task: TaskId, cpu| self.task(task).affinity.contains(cpu);
        let runs = |task, cpu: CpuId| self.rqs[cpu.index()].curr == Some(task);
        if !may(task, cpu) || !may(other, src_cpu) || !runs(other, cpu) || !runs(task, src_cpu) {
            return;
        }
        for cpu in [src_cpu, cpu] {
            self.displace(cpu);
            // The stopper runs: nobody preempts it.
            self.rqs[cpu.index()].need_resched = true;
        }
        self.detach_task(task);
        self.attach_task(task, cpu, Cause::Numa);
        self.detach_task(other);
        self.attach_task(other, src_cpu, Cause::Numa);
        for cpu in [src_cpu, cpu] {
            self.pick_and_switch(cpu, Outgoing::PutBack);
        }
    }
}

/// Whether the destination could take a task at all (`numa_has_capacity`, to v4.18).
fn has_capacity(env: &Env) -> bool {
    let (src, dst) = (&env.src_stats, &env.dst_stats);
    if src.has_free_capacity() && !dst.has_free_capacity() {
        return false;
    }
    let src_load = u128::from(src.load) * u128::from(dst.compute_capacity);
    let dst_load = u128::from(dst.load) * u128::from(src.compute_capacity);
    src_load * u128::from(env.imbalance_pct) > dst_load * 100
}
