//! A walk over the whole state that holds it against the invariants.

use teeter_machine::CpuId;
use thiserror::Error;

use crate::eevdf::VirtualSum;
use crate::ids::{CfsRqId, EntityId, TaskId};
use crate::rules::{Pelt, Propagation};
use crate::sched::Sched;
use crate::task::{State, Task};

/// An invariant that does not hold: a fault of this crate, never of its user.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Broken {
    /// A queue's count or sum differs from what its entities come to.
    #[error("{what} of queue {cfs_rq} is {held}, its entities come to {found}")]
    Sum {
        /// Which count or sum.
        what: &'static str,
        /// Number of the queue.
        cfs_rq: u32,
        /// What the queue says.
        held: u64,
        /// What its entities come to.
        found: u64,
    },
    /// To v4.14: the load of a task while it is queued is not its load.
    #[error("entity {entity} has a load of {load_avg}, and of {runnable_avg} while it is queued")]
    Load {
        /// Number of the entity.
        entity: u32,
        /// Its load.
        load_avg: u64,
        /// Its load in sums over queued entities.
        runnable_avg: u64,
    },
    /// A runnable task is not on exactly one run-queue, or one that is not runnable is on some.
    #[error("task {task} is on {queues} run-queues")]
    Queues {
        /// The task.
        task: u32,
        /// On how many run-queues it was found.
        queues: usize,
    },
    /// An entity that waits to be dequeued is not queued, or stands for a group that has something queued.
    #[error("entity {entity} waits to be dequeued, but is not queued or not empty")]
    Delayed {
        /// Number of the entity.
        entity: u32,
    },
    /// A CPU runs a task that it does not have queued, or that may not run there.
    #[error("cpu {cpu} runs task {task}, which is not its own to run")]
    Running {
        /// The CPU.
        cpu: u16,
        /// The task.
        task: u32,
    },
    /// A CPU idles, or is off, although it has tasks and has not been told to reschedule.
    #[error("cpu {cpu} idles on {nr_running} tasks and nobody told it")]
    Asleep {
        /// The CPU.
        cpu: u16,
        /// Tasks on its run-queue.
        nr_running: u32,
    },
}

impl Sched {
    /// Holds the whole state against the invariants. For tests: it walks everything.
    ///
    /// # Errors
    /// The first invariant that does not hold.
    pub fn check(&self) -> Result<(), Broken> {
        self.check_queues()?;
        self.check_delayed()?;
        self.check_throttled()?;
        self.check_loads()?;
        self.check_tasks()?;
        for cpu in (0..self.nr_cpus as u16).map(CpuId) {
            self.check_cpu(cpu)?;
        }
        Ok(())
    }

    /// To v4.14 one average serves for both, but for what the second posting of 2017 keeps apart.
    fn check_loads(&self) -> Result<(), Broken> {
        let Some(propagation) = self.rules.load.pelt.propagation() else {
            return Ok(());
        };
        for (at, entity) in self.entities.iter().enumerate() {
            let apart = propagation == Propagation::QueuedApart && entity.my_q().is_some();
            let (load_avg, runnable_avg) = (entity.avg.load_avg, entity.avg.runnable_avg);
            if !apart && load_avg != runnable_avg {
                return Err(Broken::Load {
                    entity: at as u32,
                    load_avg,
                    runnable_avg,
                });
            }
        }
        Ok(())
    }

    fn check_queues(&self) -> Result<(), Broken> {
        self.check_virtual_sums()?;
        let mut found = vec![(0u64, 0u64, 0u64, 0u64, 0u64); self.cfs_rqs.len()];
        for (at, entity) in self.entities.iter().enumerate() {
            let sums = &mut found[entity.cfs_rq.index()];
            if !entity.on_rq {
                continue;
            }
            sums.0 += 1;
            sums.1 += entity.load.weight;
            sums.2 += entity.runnable_weight;
            let (tasks, idle) = match entity.my_q() {
                Some(below) => (
                    self.cfs(below).h_nr_running,
                    self.cfs(below).idle_h_nr_running,
                ),
                None => (1, 0),
            };
            let all_idle = self.se_is_idle(EntityId(at as u32));
            sums.3 += u64::from(tasks);
            sums.4 += u64::from(if all_idle { tasks } else { idle });
        }
        for (at, (queue, sums)) in self.cfs_rqs.iter().zip(&found).enumerate() {
            let id = CfsRqId(at as u32);
            let curr = queue.curr.is_some_and(|curr| self.se(curr).on_rq);
            let runnable = match self.rules.load.pelt {
                Pelt::RunnableLoad => sums.2,
                Pelt::Weighted(_) | Pelt::WeightedSegments | Pelt::Runnable => 0,
            };
            for (what, held, found) in [
                ("nr_running", u64::from(queue.nr_running), sums.0),
                (
                    "timeline",
                    queue.timeline.len() as u64 + u64::from(curr),
                    sums.0,
                ),
                ("load.weight", queue.load.weight, sums.1),
                ("runnable_weight", queue.runnable_weight, runnable),
                ("h_nr_running", u64::from(queue.h_nr_running), sums.3),
                (
                    "idle_h_nr_running",
                    u64::from(queue.idle_h_nr_running),
                    sums.4,
                ),
            ] {
                if held != found {
                    return Err(Broken::Sum {
                        what,
                        cfs_rq: id.0,
                        held,
                        found,
                    });
                }
            }
        }
        Ok(())
    }

    /// EEVDF: what queues sum up is what waits in their timelines, each entity where it belongs.
    fn check_virtual_sums(&self) -> Result<(), Broken> {
        if !self.is_eevdf() {
            return Ok(());
        }
        for (at, queue) in self.cfs_rqs.iter().enumerate() {
            let mut found = VirtualSum::default();
            let mut misplaced = 0;
            for waiting in queue.timeline.iter() {
                let entity = self.se(waiting.se);
                found = found.with(queue.key(entity.vruntime), entity.weight());
                misplaced += u64::from(
                    (waiting.vruntime, waiting.deadline) != (entity.vruntime, entity.deadline),
                );
            }
            let held = queue.timeline_sum;
            for (what, held, found) in [
                (
                    "sum of keys",
                    held.key_weight as u64,
                    found.key_weight as u64,
                ),
                ("sum of weights", held.weight as u64, found.weight as u64),
                ("misplaced entities", 0, misplaced),
            ] {
                if held != found {
                    return Err(Broken::Sum {
                        what,
                        cfs_rq: at as u32,
                        held,
                        found,
                    });
                }
            }
        }
        Ok(())
    }

    /// What waits to be dequeued is queued and empty, and is counted where this kernel counts it.
    fn check_delayed(&self) -> Result<(), Broken> {
        let mut sleepers = vec![0; self.cfs_rqs.len()];
        for (at, entity) in self.entities.iter().enumerate() {
            let below = entity.my_q().map(|below| self.cfs(below));
            let empty = below.is_none_or(|below| below.nr_running == 0);
            if entity.sched_delayed && !(entity.on_rq && empty) {
                return Err(Broken::Delayed { entity: at as u32 });
            }
            if entity.on_rq && self.counts_delayed() {
                let own = u32::from(entity.sched_delayed);
                let waiting = below.map_or(own, |below| below.h_nr_delayed);
                sleepers[entity.cfs_rq.index()] += u64::from(waiting);
            }
        }
        for (at, (queue, found)) in self.cfs_rqs.iter().zip(sleepers).enumerate() {
            let held = u64::from(queue.h_nr_delayed);
            if held != found {
                return Err(Broken::Sum {
                    what: "h_nr_delayed",
                    cfs_rq: at as u32,
                    held,
                    found,
                });
            }
        }
        Ok(())
    }

    /// A throttled queue is not queued above, and those below know.
    fn check_throttled(&self) -> Result<(), Broken> {
        for (at, queue) in self.cfs_rqs.iter().enumerate() {
            let above = queue.se.map(|se| self.se(se).cfs_rq);
            let above_count = above.map_or(0, |above| self.cfs(above).bandwidth.throttle_count);
            let held = u64::from(queue.bandwidth.throttle_count);
            let found = u64::from(above_count) + u64::from(queue.bandwidth.throttled);
            let queued = queue.se.is_some_and(|se| self.se(se).on_rq);
            let throttled = u64::from(queue.bandwidth.throttled && queued);
            for (what, held, found) in
                [("throttle_count", held, found), ("throttled", throttled, 0)]
            {
                if held != found {
                    let cfs_rq = at as u32;
                    return Err(Broken::Sum {
                        what,
                        cfs_rq,
                        held,
                        found,
                    });
                }
            }
        }
        Ok(())
    }

    fn check_tasks(&self) -> Result<(), Broken> {
        let mut queues = vec![0; self.tasks.len()];
        for (cpu, rq) in self.rqs.iter().enumerate() {
            let root = &self.cfs_rqs[cpu];
            // Asleep or not: what owes time stays queued while its group is kept off.
            let throttled = |task: &&TaskId| {
                let se = self.task(**task).se;
                self.throttled_hierarchy(self.se(se).cfs_rq)
            };
            let kept_off = rq.cfs_tasks.iter().filter(throttled).count();
            for (what, held) in [
                ("rq", rq.nr_running as usize),
                ("cfs_tasks", rq.cfs_tasks.len() - kept_off),
            ] {
                if held != root.h_nr_running as usize {
                    let (held, found) = (held as u64, u64::from(root.h_nr_running));
                    return Err(Broken::Sum {
                        what,
                        cfs_rq: cpu as u32,
                        held,
                        found,
                    });
                }
            }
            self.check_numa(cpu)?;
            for task in &rq.cfs_tasks {
                queues[task.index()] += usize::from(self.task(*task).cpu.index() == cpu);
            }
        }
        for (task, &queues) in queues.iter().enumerate() {
            let Task { state, se, .. } = self.tasks[task];
            let delayed = self.se(se).sched_delayed;
            let queued = match state {
                State::Runnable => true,
                State::Sleeping => delayed,
                State::Dead => false,
            };
            if queues != usize::from(queued) || (delayed && state != State::Sleeping) {
                return Err(Broken::Queues {
                    task: task as u32,
                    queues,
                });
            }
        }
        Ok(())
    }

    /// A run-queue knows how many of its tasks have a preferred node, and are on it.
    fn check_numa(&self, cpu: usize) -> Result<(), Broken> {
        let rq = &self.rqs[cpu];
        let (mut numa, mut preferred) = (0, 0);
        for task in &rq.cfs_tasks {
            if let Some(node) = self.numa.preferred(*task) {
                numa += 1;
                preferred += u64::from(self.numa.nodes.of(CpuId(cpu as u16)) == node);
            }
        }
        for (what, held, found) in [
            ("nr_numa_running", rq.nr_numa_running, numa),
            ("nr_preferred_running", rq.nr_preferred_running, preferred),
        ] {
            if u64::from(held) != found {
                return Err(Broken::Sum {
                    what,
                    cfs_rq: cpu as u32,
                    held: held.into(),
                    found,
                });
            }
        }
        Ok(())
    }

    fn check_cpu(&self, cpu: CpuId) -> Result<(), Broken> {
        let rq = &self.rqs[cpu.index()];
        match rq.curr {
            Some(curr) if !self.may_run(curr, cpu) => Err(Broken::Running {
                cpu: cpu.0,
                task: curr.0,
            }),
            None if rq.nr_running > 0 && !(rq.need_resched && self.nohz.online.contains(cpu)) => {
                Err(Broken::Asleep {
                    cpu: cpu.0,
                    nr_running: rq.nr_running,
                })
            }
            _ => Ok(()),
        }
    }

    fn may_run(&self, task: TaskId, cpu: CpuId) -> bool {
        let held = self.task(task);
        held.cpu == cpu && held.state == State::Runnable && held.affinity.contains(cpu)
    }
}
