//! Weighing a CPU of another node, and the task that runs there, against the best so far.
//!
//! Source: kernel/sched/fair.c `task_numa_compare`, `task_numa_assign` (v4.11, v5.3, v5.7, v6.12; SCHED.md 7).

use teeter_machine::CpuId;

use super::migrate::{Best, Env};
use super::node::NodeType;
use crate::ids::TaskId;
use crate::rules::NumaMove;
use crate::sched::Sched;
use crate::wake::idle_sibling::Search;

/// Gain below which a swap is more likely to be undone than to pay (`SMALLIMP`), of 1998 at most.
const SMALLIMP: i64 = 30;

impl Sched {
    /// What a swap with a CPU's task gives both, in thousandths of their faults.
    fn swap_gain(&self, env: &Env, other: TaskId) -> i64 {
        let numa = &self.numa;
        let group = |task| numa.task(task).and_then(|known| known.group);
        let (own, others) = (group(env.task), group(other));
        let by_task = numa.task_weight(other, env.src, env.distance)
            - numa.task_weight(other, env.dst, env.distance);
        if own == others {
            let gain = env.task_gain + by_task;
            // Within a group small differences are not worth it.
            return gain - if own.is_some() { gain / 16 } else { 0 };
        }
        let gain = if own.is_some() {
            env.group_gain
        } else {
            env.task_gain
        };
        let by_group = match self.rules.numa.moves {
            NumaMove::Slope => others.is_some(),
            NumaMove::Load | NumaMove::Spare => own.is_some() && others.is_some(),
        };
        if by_group {
            gain + numa.group_weight(other, env.src, env.distance)
                - numa.group_weight(other, env.dst, env.distance)
        } else {
            gain + by_task
        }
    }

    /// What the task gains by moving.
    fn move_gain(&self, env: &Env) -> i64 {
        let grouped = self.numa.group_of(env.task).is_some();
        if grouped {
            env.group_gain
        } else {
            env.task_gain
        }
    }

    /// Weighs a CPU and its task against the best so far (from v4.19 on). Gives whether to look no further.
    pub(super) fn task_numa_compare(
        &mut self,
        env: &mut Env,
        cpu: CpuId,
        load: i64,
        may_move: bool,
    ) -> bool {
        let by_spare = self.rules.numa.moves == NumaMove::Spare;
        let move_gain = self.move_gain(env);
        let Some(other) = self.rqs[cpu.index()].curr else {
            if may_move && move_gain >= env.best_gain() {
                return self.assign_move(env, cpu, move_gain);
            }
            return false;
        };
        if other == env.task {
            return by_spare;
        }
        if !self.task(other).affinity.contains(env.src_cpu) {
            return false;
        }
        let homewards = |task| self.numa.preferred(task) == Some(env.src);
        let best_homewards = env.best.and_then(|best| best.swap).map(homewards);
        if by_spare && best_homewards == Some(true) && !homewards(other) {
            return false;
        }
        let group = |task| self.numa.task(task).and_then(|known| known.group);
        let spare = env.dst_stats.node_type == NodeType::HasSpare;
        if self.rules.numa.no_swap_with_spare && spare && group(other) == group(env.task) {
            return false;
        }
        let mut gain = self.swap_gain(env, other);
        if by_spare {
            if self.numa.preferred(other) == Some(env.dst) {
                gain -= gain / 16;
            }
            if homewards(other) {
                gain += gain / 8;
            }
        }
        if may_move && move_gain > gain && move_gain > env.best_gain() {
            return self.assign_move(env, cpu, move_gain);
        }
        let better = gain >= SMALLIMP && gain > env.best_gain() + SMALLIMP / 2;
        let brings_home = by_spare && homewards(other) && best_homewards == Some(false);
        if !brings_home {
            let difference = load - self.task_h_load(self.task(other).se) as i64;
            let rule = self.rules.numa.moves;
            let balanced = difference == 0 || !env.loads().too_imbalanced(difference, rule);
            if !better || !balanced {
                return false;
            }
        }
        let stop = by_spare && !may_move && self.numa.preferred(other) == Some(env.src);
        let swap = Some(other);
        env.best = Some(Best { cpu, swap, gain });
        stop
    }

    /// The same to v4.18. Never looks no further.
    pub(super) fn compare_by_slope(&mut self, env: &mut Env, cpu: CpuId, load: i64) -> bool {
        let rule = self.rules.numa.moves;
        let move_gain = self.move_gain(env);
        let other = self.rqs[cpu.index()].curr;
        let mut gain = move_gain;
        if let Some(other) = other {
            if other == env.task || !self.task(other).affinity.contains(env.src_cpu) {
                return false;
            }
            gain = self.swap_gain(env, other);
        }
        let best = env.best_gain();
        if gain <= best && move_gain <= best {
            return false;
        }
        let nr_running = |cpu: CpuId| self.rqs[cpu.index()].nr_running;
        match other {
            None => {
                let src = &env.src_stats;
                let fits = u64::from(src.nr_running) <= src.task_capacity();
                if fits && !env.dst_stats.has_free_capacity() {
                    return false;
                }
            }
            Some(_) if gain > best && nr_running(env.src_cpu) == 1 && nr_running(cpu) == 1 => {
                env.best = Some(Best {
                    cpu,
                    swap: other,
                    gain,
                });
                return false;
            }
            Some(_) => {}
        }
        let loads = env.loads();
        if move_gain > gain && move_gain > best && !loads.too_imbalanced(load, rule) {
            // A little less, so that a CPU that idles wins.
            let (swap, gain) = (None, move_gain - 1);
            env.best = Some(Best { cpu, swap, gain });
            return false;
        }
        if gain <= best {
            return false;
        }
        let others = other.map_or(0, |other| self.task_h_load(self.task(other).se) as i64);
        if loads.too_imbalanced(load - others, rule) {
            return false;
        }
        let cpu = match other {
            None => self.idle_cpu_near(env, cpu),
            Some(_) => cpu,
        };
        env.best = Some(Best {
            cpu,
            swap: other,
            gain,
        });
        false
    }

    /// An idle CPU near this one.
    fn idle_cpu_near(&mut self, env: &Env, cpu: CpuId) -> CpuId {
        let (cpu, _) = self.select_idle_sibling(&Search {
            task: env.task,
            allowed: self.task(env.task).affinity,
            this_cpu: env.src_cpu,
            in_task: true,
            prev: env.src_cpu,
            target: cpu,
        });
        cpu
    }

    /// The task may go to this CPU, or an idle one near it. Gives whether to look no further.
    fn assign_move(&mut self, env: &mut Env, cpu: CpuId, gain: i64) -> bool {
        let by_spare = self.rules.numa.moves == NumaMove::Spare;
        let idle = |cpu: CpuId| self.rqs[cpu.index()].is_idle();
        let cpu = if by_spare {
            let cpu = env.idle_cpu.unwrap_or(cpu);
            let kept = env
                .best
                .map(|best| best.cpu)
                .filter(|&best| !idle(cpu) && idle(best));
            kept.unwrap_or(cpu)
        } else {
            self.idle_cpu_near(env, cpu)
        };
        let swap = None;
        env.best = Some(Best { cpu, swap, gain });
        by_spare && self.rqs[cpu.index()].is_idle()
    }
}
