//! From a recording to programs.

use teeter_scenario::document::Tasks;
use teeter_scenario::document::workload::ChannelKind;
use teeter_scenario::{Nanos, Problem};

use super::recording::{Origin, Piece, Recorded, Recording};
use crate::individual::{Birth, Individual};
use crate::program::{Op, Program, Programs, Traits};
use crate::shared::{Channel, ChannelId, Shared};

/// Compiles a recording's tasks, a thread each.
pub(crate) fn compile(text: &str, tasks: &Tasks, traits: Traits) -> Result<Programs, Vec<Problem>> {
    let path = "/workload/trace";
    let recording =
        Recording::read(text).map_err(|error| vec![Problem::new(path, error.to_string())])?;
    if tasks.processes > 1 || tasks.threads > 1 {
        let problem = Problem::new(path, "a recording has as many threads as it has tasks");
        return Err(vec![
            problem.with_hint("leave `threads` and `processes` out"),
        ]);
    }
    Ok(recording.programs(traits))
}

impl Recording {
    /// Programs that do what was recorded.
    fn programs(&self, traits: Traits) -> Programs {
        let count = self.tasks.len();
        let mut forked = vec![false; count];
        for piece in self.tasks.iter().flat_map(|task| &task.pieces) {
            if let Piece::Fork { task } = *piece
                && let Some(forked) = forked.get_mut(task as usize)
            {
                *forked = true;
            }
        }
        let channel = Channel::new(ChannelKind::Semaphore, 0);
        Programs {
            programs: (0..)
                .zip(&self.tasks)
                .map(|(index, task)| program(index, task))
                .collect(),
            thread: (0..count as u32).collect(),
            shared: Shared {
                channels: vec![channel; count],
                ..Shared::default()
            },
            individuals: self
                .tasks
                .iter()
                .zip(forked)
                .map(|(task, forked)| individual(task, forked))
                .collect(),
            ..Programs::none(traits)
        }
    }
}

fn individual(task: &Recorded, forked: bool) -> Individual {
    let after = match task.origin {
        Origin::Start | Origin::Forked => Nanos::ZERO,
        Origin::Appeared { at } => Nanos(at),
    };
    let cpu = task.bound_to().unwrap_or(task.cpu);
    Individual {
        name: Some(task.comm.clone()),
        nice: task.prio.map(|_| task.nice()),
        cpus: task.bound_to().map(|cpu| [cpu].into_iter().collect()),
        per_cpu_kthread: task.bound_to().is_some(),
        birth: if forked && task.origin == Origin::Forked {
            Birth::ByThread
        } else {
            Birth::Placed { after, cpu }
        },
        ..Individual::default()
    }
}

/// The program of a task. Each has a channel of its own number, through which it is woken.
fn program(index: u32, task: &Recorded) -> Program {
    let mut ops = Vec::with_capacity(task.pieces.len() + 1);
    for piece in &task.pieces {
        ops.push(match *piece {
            Piece::Run(time) => Op::ComputeCpu(Nanos(time)),
            Piece::Wake { task } => Op::Send(ChannelId(task)),
            Piece::Fork { task } => Op::Fork {
                first: task,
                count: 1,
            },
            Piece::Sleep { by: Some(_), .. } | Piece::Block => Op::Receive(ChannelId(index)),
            Piece::Sleep { until, by: None } => Op::SleepUntil(Nanos(until)),
            Piece::Exit => Op::Exit,
        });
    }
    match task.pieces.last() {
        Some(Piece::Exit | Piece::Block) => {}
        _ if goes_on(&task.pieces) => ops.push(Op::ComputeForever),
        _ => ops.push(Op::Receive(ChannelId(index))),
    }
    Program { ops }
}

/// Whether a task that was runnable at the end would have gone on: its last run, from one sleep to the end, is
/// more than twice as long as any other.
fn goes_on(pieces: &[Piece]) -> bool {
    let mut longest = 0;
    let mut last = 0;
    for piece in pieces {
        match piece {
            Piece::Run(time) => last += time,
            Piece::Sleep { .. } => {
                longest = longest.max(last);
                last = 0;
            }
            Piece::Wake { .. } | Piece::Fork { .. } | Piece::Block | Piece::Exit => {}
        }
    }
    last > 2 * longest
}

#[cfg(test)]
mod tests {
    use super::*;
    use teeter_scenario::document::Workload;

    const TEXT: &str = "# teeter trace 1\nlength 5000\ncpus 4\ntask 1 100 2 start hog\nr1000 f1 r2000 w1 r9\n\
                        task 2 120 3 forked child\nr10 s4000/0 r5\ntask 3 120 0 700 kworker/1:0\ns900 r1 x\n\
                        task 4 120 0 forked orphan\nb\n";

    #[test]
    fn what_was_done_is_done_again() {
        let tasks = Tasks::new("t", Workload::Trace(TEXT.to_owned()));
        let traits = Traits::footprint(0);
        let programs = compile(TEXT, &tasks, traits).unwrap();
        let ops = |thread: usize| programs.programs[thread].ops.clone();
        let (compute, own) = (|time| Op::ComputeCpu(Nanos(time)), ChannelId(1));
        let fork = Op::Fork { first: 1, count: 1 };
        assert_eq!(
            ops(0),
            [
                compute(1000),
                fork,
                compute(2000),
                Op::Send(own),
                compute(9),
                Op::ComputeForever
            ]
        );
        assert_eq!(
            ops(1),
            [compute(10), Op::Receive(own), compute(5), Op::Receive(own)]
        );
        assert_eq!(ops(2), [Op::SleepUntil(Nanos(900)), compute(1), Op::Exit]);
        let births: Vec<Birth> = programs.individuals.iter().map(|one| one.birth).collect();
        let placed = |after, cpu| Birth::Placed {
            after: Nanos(after),
            cpu,
        };
        assert_eq!(
            births,
            [placed(0, 2), Birth::ByThread, placed(700, 1), placed(0, 0)]
        );
        assert_eq!(programs.individuals[0].nice, Some(-20));
        assert!(programs.individuals[2].per_cpu_kthread);
    }

    #[test]
    fn only_a_hog_goes_on() {
        let sleep = Piece::Sleep { until: 9, by: None };
        assert!(goes_on(&[Piece::Run(5)]));
        assert!(goes_on(&[Piece::Run(5), sleep, Piece::Run(11)]));
        assert!(!goes_on(&[Piece::Run(5), sleep, Piece::Run(6)]));
        assert!(!goes_on(&[sleep]));
    }

    #[test]
    fn problems_have_their_path() {
        let tasks = Tasks::new("t", Workload::Hog);
        let problems = compile("nothing", &tasks, Traits::footprint(0)).unwrap_err();
        assert_eq!(
            problems[0].to_string(),
            "/workload/trace: holds no sched_switch or sched_wakeup event"
        );
    }
}
