//! Traces of real kernels (`tests/golden/ftrace`) replayed: at each switch the task picked here must be the one
//! the kernel picked.
//!
//! Wakeups, sleeps and switches happen when the trace says, ticks in between. After each switch the traced task
//! runs, whatever would have been picked, so that every switch is judged from the traced state. Real-time tasks
//! of the trace only take the CPU away.

use std::collections::{BTreeMap, BTreeSet};

use teeter_machine::{CpuId, CpuSet, Topology};
use teeter_scenario::Nanos;
use teeter_scenario::document::{Kernel, Machine, MachineSource, Policy};

use crate::ids::{GroupId, TaskId};
use crate::queue::Dequeue;
use crate::rules::Rules;
use crate::sched::Sched;
use crate::sched::clock::BOOT_NS;
use crate::task::{NewTask, State};

const CPU: CpuId = CpuId(0);
const TICK_US: u64 = 4000;

/// The trace starts after so long, in which something else ran: who sleeps then has slept for long.
const BEFORE_US: u64 = 10_000_000;

/// A switch follows its cause within this.
const AT_ONCE_US: u64 = 500;

/// A preemption is stamped by so much more after the kernel has charged the task than a sleep is. Fitted to the
/// trace of v6.12.y with a sleeper, whose lag adds up over 150 sleeps; the other traces do not depend on it.
const PREEMPTION_STAMP_US: u64 = 3;

/// The engine's time of a microsecond of the trace.
fn at(us: u64) -> Nanos {
    Nanos((BEFORE_US + us) * 1000)
}

#[derive(Clone, Copy, Debug)]
enum Event {
    Woken(u32),
    New(u32),
    Priority(u32, i32),
    Switch { prev: u32, sleeps: bool, next: u32 },
}

struct Trace {
    /// Priority of each task as first seen: 120 = nice 0, below 100 = real-time.
    priorities: BTreeMap<u32, i32>,
    events: Vec<(u64, Event)>,
    /// Where in its 4 ms the tick comes.
    phase_us: u64,
}

impl Trace {
    fn parse(text: &str) -> Self {
        let mut priorities = BTreeMap::new();
        let mut events = Vec::new();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let words: Vec<&str> = line.split(' ').collect();
            let number = |at: usize| words[at].parse::<u32>().unwrap();
            if words[0] == "task" {
                priorities.insert(number(1), number(2) as i32);
                continue;
            }
            let event = match words[1] {
                "w" => Event::Woken(number(2)),
                "n" => Event::New(number(2)),
                "p" => Event::Priority(number(2), number(3) as i32),
                _ => Event::Switch {
                    prev: number(2),
                    sleeps: words[3] != "R",
                    next: number(4),
                },
            };
            events.push((u64::from(number(0)), event));
        }
        let phase_us = phase_us(&events);
        Self {
            priorities,
            events,
            phase_us,
        }
    }
}

/// The tick's phase: most switches are made as a tick's handler ends, some 10 us after it charged the task.
fn phase_us(events: &[(u64, Event)]) -> u64 {
    let mut residues = BTreeMap::new();
    for (us, event) in events {
        if let Event::Switch { .. } = event {
            *residues.entry(us % TICK_US).or_insert(0) += 1;
        }
    }
    let (&most, _) = residues.iter().max_by_key(|(_, count)| **count).unwrap();
    most - 10
}

/// How often what was picked here was what the kernel picked.
#[derive(Debug, Default)]
struct Score {
    /// Switches to a task of the fair class where there was a choice.
    switches: u32,
    /// Those where the same task was picked.
    same: u32,
    /// Those that would have come here of their own accord within one tick.
    in_time: u32,
    /// Switches that would have come here and did not in the trace, within one tick.
    extra: u32,
}

struct Replay {
    sched: Sched,
    tasks: BTreeMap<u32, TaskId>,
    /// Tasks of the fair class.
    fair: BTreeSet<u32>,
    next_tick_us: u64,
    /// What would have been switched to, and when.
    wanted: Option<(u64, TaskId)>,
    score: Score,
}

impl Replay {
    fn new(kernel: &str, trace: &Trace) -> Self {
        let machine = Machine::new(MachineSource::Synthetic("core:1 pu:1".to_owned()));
        let topology = Topology::from_spec(&machine).unwrap();
        let rules = Rules::from_kernel(&Kernel::new(kernel)).unwrap();
        let mut sched = Sched::new(&topology, rules);
        let task = |sched: &mut Sched, nice| {
            sched.add_task(&NewTask {
                group: GroupId::ROOT,
                nice,
                policy: Policy::Normal,
                affinity: CpuSet::first_n(1),
                per_cpu_kthread: false,
            })
        };
        let filler = task(&mut sched, 0);
        sched.fork(Nanos(0), CPU, filler, None);
        sched.schedule(Nanos(0), CPU);
        let fair = trace.priorities.iter().filter(|(_, prio)| **prio >= 100);
        let tasks: BTreeMap<u32, TaskId> = fair
            .map(|(&pid, &prio)| (pid, task(&mut sched, (prio - 120) as i8)))
            .collect();
        let mut replay = Self {
            sched,
            fair: tasks.keys().copied().collect(),
            tasks,
            next_tick_us: trace.phase_us,
            wanted: None,
            score: Score::default(),
        };
        replay.let_old_ones_sleep(trace, filler);
        replay
    }

    /// Those that are older than the trace have run once, long ago.
    fn let_old_ones_sleep(&mut self, trace: &Trace, filler: TaskId) {
        let new: BTreeSet<u32> = trace
            .events
            .iter()
            .filter_map(|(_, event)| match event {
                Event::New(pid) => Some(*pid),
                _ => None,
            })
            .collect();
        let old: Vec<TaskId> = self
            .tasks
            .iter()
            .filter(|(pid, _)| !new.contains(pid))
            .map(|(_, &task)| task)
            .collect();
        let mut now = Nanos(0);
        for task in old {
            now.0 += 1_000_000;
            self.sched.fork(now, CPU, task, None);
            self.put(Some(filler), Some(task));
            now.0 += 10_000;
            self.sched.block(now, CPU);
            self.put(self.sched.curr(CPU), Some(filler));
        }
        let now = Nanos(BEFORE_US * 1000 - 1_000_000_000);
        self.sched.exit(now, CPU);
        assert_eq!(self.sched.curr(CPU), None);
        assert_eq!(self.sched.nr_running(CPU), 0);
        let runs_first = trace.events.iter().find_map(|(_, event)| match event {
            Event::Switch { prev, .. } => Some(*prev),
            _ => None,
        });
        if let Some(pid) = runs_first.filter(|pid| !new.contains(pid))
            && let Some(&task) = self.tasks.get(&pid)
        {
            // It has been alone for long enough to have used up what it was owed.
            self.sched.wake(now, CPU, task, false);
            self.put(None, Some(task));
        }
    }

    /// Makes a task current instead of another, as the kernel did.
    fn put(&mut self, prev: Option<TaskId>, next: Option<TaskId>) {
        let sched = &mut self.sched;
        let se = next.map(|next| sched.task(next).se);
        sched.switch_entities(CPU, prev, se);
        sched.rqs[CPU.index()].curr = next;
        // While a real-time task runs nobody preempts, and the fair class is asked when it is done.
        sched.rqs[CPU.index()].need_resched = next.is_none();
    }

    fn fair(&self, pid: u32) -> Option<TaskId> {
        self.tasks
            .get(&pid)
            .copied()
            .filter(|_| self.fair.contains(&pid))
    }

    fn run(mut self, trace: &Trace) -> Score {
        for (at, &(us, event)) in trace.events.iter().enumerate() {
            while self.next_tick_us <= us {
                self.tick(self.next_tick_us, us);
                self.next_tick_us += TICK_US;
            }
            let now = self.time_of(us, event);
            self.sched.advance(now);
            match event {
                Event::Woken(pid) => self.wake(now, pid),
                Event::New(pid) => {
                    let task = self.tasks[&pid];
                    self.sched.fork(now, CPU, task, None);
                }
                Event::Priority(pid, prio) if prio < 100 => self.leave_fair_class(pid),
                Event::Priority(pid, prio) => {
                    if let Some(task) = self.fair(pid) {
                        self.sched.set_nice(now, task, (prio - 120) as i8);
                    }
                }
                Event::Switch { prev, sleeps, next } => self.switch(us, prev, sleeps, next),
            }
            let until = trace.events.get(at + 1).map_or(us, |(us, _)| *us);
            self.settle(us, until);
            assert_eq!(self.sched.check(), Ok(()));
        }
        self.score
    }

    /// When an event took place by the clock that tasks are charged by.
    fn time_of(&self, us: u64, event: Event) -> Nanos {
        let preempts = matches!(event, Event::Switch { sleeps: false, .. });
        let late = if preempts { PREEMPTION_STAMP_US } else { 0 };
        let now = at(us - late.min(us));
        let before = Nanos(self.sched.now - BOOT_NS);
        now.max(before)
    }

    fn tick(&mut self, us: u64, until: u64) {
        if self.sched.curr(CPU).is_some() {
            self.sched.tick(at(us), CPU);
            self.settle(us, until);
        }
    }

    fn wake(&mut self, now: Nanos, pid: u32) {
        if let Some(task) = self.fair(pid) {
            self.sched.wake(now, CPU, task, false);
        }
    }

    /// If the kernel here reschedules and the traced one does not switch at once: notes what would have been
    /// switched to.
    fn settle(&mut self, us: u64, until: u64) {
        let rq = &mut self.sched.rqs[CPU.index()];
        let Some(curr) = rq.curr.filter(|_| rq.need_resched) else {
            return;
        };
        if until <= us + AT_ONCE_US {
            return;
        }
        rq.need_resched = false;
        let picked = self
            .sched
            .pick_task(CPU)
            .and_then(|se| self.sched.task_of(se));
        if let Some(task) = picked.filter(|&task| task != curr) {
            self.wanted.get_or_insert((us, task));
        }
    }

    fn leave_fair_class(&mut self, pid: u32) {
        if let Some(task) = self.fair(pid) {
            self.fair.remove(&pid);
            self.sched.task_mut(task).state = State::Dead;
            self.sched.dequeue_task(task, Dequeue::End);
            self.put(Some(task), None);
        }
    }

    fn switch(&mut self, us: u64, prev: u32, sleeps: bool, next: u32) {
        let (prev, next) = (self.fair(prev), self.fair(next));
        let preempted = prev.is_some() && !sleeps;
        let asked = self.sched.need_resched(CPU) || !preempted;
        let soon = asked || self.would_resched_at_next_tick();
        if let Some(prev) = prev.filter(|_| sleeps) {
            self.sched.task_mut(prev).state = State::Sleeping;
            self.sched.dequeue_task(prev, Dequeue::Sleep);
        }
        let wanted = self.wanted.take();
        if let Some(next) = next {
            let choice = self.sched.queued(CPU).count() > 1;
            let picked = self
                .sched
                .pick_task(CPU)
                .and_then(|se| self.sched.task_of(se));
            let early =
                wanted.filter(|&(at, task)| task == next && us - at <= TICK_US + AT_ONCE_US);
            if choice {
                self.score.switches += 1;
                self.score.same += u32::from(picked == Some(next));
                let in_time = early.is_some() || (picked == Some(next) && soon && wanted.is_none());
                self.score.in_time += u32::from(in_time);
            }
            self.score.extra += u32::from(wanted.is_some() && early.is_none());
        }
        self.put(prev, next);
    }

    fn would_resched_at_next_tick(&self) -> bool {
        let mut later = self.sched.clone();
        later.tick(at(self.next_tick_us), CPU);
        later.need_resched(CPU)
    }
}

fn score(kernel: &str, text: &str) -> Score {
    let trace = Trace::parse(text);
    Replay::new(kernel, &trace).run(&trace)
}

fn check(kernel: &str, other: &str, text: &str) {
    let score = score(kernel, text);
    println!("{kernel}: {score:?}");
    let enough = |right: u32| 100 * right >= 98 * score.switches;
    assert!(score.switches > 200, "{score:?}");
    assert!(enough(score.same) && enough(score.in_time), "{score:?}");
    let strange = self::score(other, text);
    println!("as {other}: {strange:?}");
    assert!(100 * strange.same < 90 * strange.switches, "{strange:?}");
}

macro_rules! golden {
    ($kernel:literal, $name:literal) => {
        include_str!(concat!(
            "../../../tests/golden/ftrace/",
            $kernel,
            ".",
            $name,
            ".txt"
        ))
    };
}

#[test]
fn burners_and_a_sleeper_on_v6_1_y() {
    check("v6.1.y", "v6.12.y", golden!("v6.1.y", "3burn_1sleepy"));
}

#[test]
fn weights_on_v6_1_y() {
    check("v6.1.y", "v6.12.y", golden!("v6.1.y", "weights"));
}

#[test]
fn burners_and_a_sleeper_on_v6_12_y() {
    check("v6.12.y", "v6.1.y", golden!("v6.12.y", "3burn_1sleepy"));
}

#[test]
fn weights_on_v6_12_y() {
    check("v6.12.y", "v6.1.y", golden!("v6.12.y", "weights"));
}
