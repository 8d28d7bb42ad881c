//! Recordings of the scheduler, turned into programs: last night's problem, to be run under another kernel.
//!
//! Read are the text of tracefs `trace`, of `trace-cmd report` and of `perf sched script` (`perf script` of sched
//! events), and what [`Recording::to_text`] writes. A line that tells of an event that is not needed is passed over,
//! and so is one that is no event; one that tells of a needed event but cannot be read is an error.
//!
//! What becomes of a recording:
//!
//! - the time from a switch to a task up to the next switch is CPU time that it takes again, however fast its CPU is:
//!   what shared a core with it, and slowed it, is in that time already;
//! - a sleep ended by a recorded task becomes a wait for a message, and the waking a message: the sleeper goes on
//!   when its waker has come that far, however long that takes under the kernel at hand;
//! - a sleep ended by an interrupt (a timer, a device, a packet), or by somebody who was not recorded, ends at the
//!   recorded time, or at once where that has passed;
//! - a fork by a recorded task is a fork, and the kernel at hand places the child;
//! - a task that was runnable at the end goes on: for ever if its last run is by far its longest, else for what was
//!   recorded of it, and sleeps then.
//!
//! What a recording does not tell is not made up: priorities of real-time classes become nice -20, affinities are
//! those of the tasks' entry in the scenario but for kernel threads of one CPU, told by their names; cgroups are
//! not known. A task that another kernel gives a core of its own does not run faster for it.

mod event;
mod header;
mod history;
mod line;
mod number;
mod payload;
mod recorded;
mod recording;
mod replay;

pub use recording::{Origin, Piece, Recorded, Recording};
pub(crate) use replay::compile;

use crate::error::Error;
use event::What;
use history::{History, Kinds};

impl Recording {
    /// Reads a recording, whichever tool wrote it.
    ///
    /// ```
    /// use teeter_workload::Recording;
    ///
    /// let text = "
    ///  hog-7 [000] d..2. 1.000000: sched_switch: prev_comm=hog prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
    ///  <idle>-0 [000] dNh2. 1.500000: sched_wakeup: comm=hog pid=7 prio=120 target_cpu=000";
    /// let recording = Recording::read(text).unwrap();
    /// assert_eq!((recording.length, recording.tasks.len()), (500_000_000, 1));
    /// ```
    ///
    /// # Errors
    /// A line that cannot be read, by its number; more than is taken; nothing to replay.
    pub fn read(text: &str) -> Result<Self, Error> {
        let text = text.trim_start_matches('\u{feff}');
        if text.starts_with(recording::MARK) {
            return Self::from_text(text);
        }
        let mut history = History::new(Kinds {
            waking: text.contains("sched_waking:"),
            wakeup: text.contains("sched_wakeup:"),
        });
        let mut told = false;
        for (number, line) in (1u32..).zip(text.lines()) {
            let Some(event) = line::read(number, line) else {
                history.cpus = history.cpus.max(told_cpus(line).unwrap_or(0));
                continue;
            };
            let event = event.map_err(|error| Error::Line {
                line: number,
                error,
            })?;
            told |= !matches!(event.what, What::Lost);
            history.add(&event)?;
        }
        if !told {
            return Err(Error::Empty);
        }
        Ok(Self::of(history))
    }

    /// Whether a text looks like a recording, by its beginning.
    pub fn is_one(text: &str) -> bool {
        let text = text.trim_start_matches('\u{feff}');
        let mut lines = text.lines().take(200);
        text.starts_with(recording::MARK)
            || lines.any(|line| line::read(0, line).is_some_and(|event| event.is_ok()))
    }

    /// What a history tells, without the threads by which the kernel itself moves tasks.
    fn of(mut history: History) -> Self {
        let (length, tasks) = history.finish();
        let cpus = history.cpus;
        let mut notes = Vec::new();
        let mut note = |count: u64, what: &str| {
            if count > 0 {
                notes.push(format!("{count} {what}"));
            }
        };
        note(
            history.disordered,
            "events came with an earlier time than the one before",
        );
        note(
            history.gaps,
            "times something was missing: a task ran that was not switched to, or events were lost",
        );
        note(
            u64::from(history.unknown_context),
            "kind of line does not tell interrupts from tasks (`trace-cmd report -l` does): a wakeup counts as made by the task that ran, if that sleeps itself",
        );
        let stopper = |task: &&Recorded| task.is_stopper();
        note(
            tasks.iter().filter(stopper).count() as u64,
            "stoppers (migration/N) left out",
        );
        let real_time =
            |task: &&Recorded| !task.is_stopper() && task.prio.is_some_and(|prio| prio < 100);
        note(
            tasks.iter().filter(real_time).count() as u64,
            "tasks of real-time classes taken as nice -20",
        );
        let mut recording = Self {
            length,
            cpus,
            tasks,
            notes,
        };
        recording.leave_out(Recorded::is_stopper);
        recording
    }

    /// Takes tasks out. What they woke is woken at the recorded time, what they forked appears then.
    fn leave_out(&mut self, out: impl Fn(&Recorded) -> bool) {
        let mut kept = 0;
        let places: Vec<Option<u32>> = self
            .tasks
            .iter()
            .map(|task| {
                let place = (!out(task)).then_some(kept);
                kept += u32::from(place.is_some());
                place
            })
            .collect();
        let place = |task: u32| places.get(task as usize).copied().flatten();
        self.tasks.retain(|task| !out(task));
        for task in &mut self.tasks {
            task.pieces.retain_mut(|piece| match piece {
                Piece::Wake { task } | Piece::Fork { task } => match place(*task) {
                    Some(new) => {
                        *task = new;
                        true
                    }
                    None => false,
                },
                Piece::Sleep { by, .. } => {
                    *by = by.and_then(place);
                    true
                }
                Piece::Run(time) => *time > 0,
                Piece::Block | Piece::Exit => true,
            });
            task.pieces.dedup_by(|piece, before| match (piece, before) {
                (Piece::Run(time), Piece::Run(sum)) => {
                    *sum += *time;
                    true
                }
                _ => false,
            });
        }
    }
}

/// How many CPUs a comment tells of: `#P:8` in tracefs, `cpus=8` in `trace-cmd report`.
fn told_cpus(line: &str) -> Option<u32> {
    let told = match line.strip_prefix("cpus=") {
        Some(told) => told,
        None if line.starts_with('#') => line.split_once("#P:")?.1,
        None => return None,
    };
    let cpus = told.trim().parse().ok();
    cpus.filter(|&cpus| cpus <= teeter_scenario::limits::CPUS)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// `comm-pid [000] d..2. SECONDS: EVENT`, a line each.
    fn read(lines: &[&str]) -> Recording {
        Recording::read(&lines.join("\n")).unwrap()
    }

    /// What a task did, in short.
    fn story(recording: &Recording, task: usize) -> String {
        let text = recording.to_text();
        let tasks: Vec<&str> = text.split("task ").skip(1).collect();
        let (_, pieces) = tasks[task].split_once('\n').unwrap();
        pieces.trim().replace('\n', " ")
    }

    const PREEMPTED: &str = "a-1 [000] d..2. 1.000300: sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=R ==> next_comm=b next_pid=2 next_prio=121";

    #[test]
    fn a_task_that_runs_at_the_beginning_has_run_before_its_first_event() {
        let recording = read(&[
            "x-9 [001] d..2. 1.000000: sched_migrate_task: comm=c pid=3 prio=120 orig_cpu=7 dest_cpu=1",
            PREEMPTED,
            "b-2 [000] d..2. 1.000400: sched_switch: prev_comm=b prev_pid=2 prev_prio=121 prev_state=S ==> next_comm=a next_pid=1 next_prio=120",
            "a-1 [000] d.h3. 1.000450: sched_waking: comm=b pid=2 prio=121 target_cpu=000",
            "a-1 [000] dNh4. 1.000460: sched_wakeup: comm=b pid=2 prio=121 target_cpu=000",
            "a-1 [000] d..2. 1.000500: sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=X ==> next_comm=b next_pid=2 next_prio=121",
        ]);
        assert_eq!(recording.length, 500_000);
        assert_eq!(recording.tasks[1].cpu, 7, "where it came from");
        let names: Vec<String> = recording.tasks.iter().map(Recorded::label).collect();
        assert_eq!(names, ["x-9", "c-3", "a-1", "b-2"]);
        assert_eq!(story(&recording, 2), "r400000 x");
        assert_eq!(story(&recording, 3), "r100000 s450000");
        assert_eq!(recording.tasks[3].nice(), 1);
    }

    #[test]
    fn a_waking_by_a_task_is_a_message() {
        let recording = read(&[
            "a-1 [000] d..2. 1.000000: sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=b next_pid=2 next_prio=120",
            "b-2 [000] d..3. 1.000100: sched_waking: comm=a pid=1 prio=120 target_cpu=000",
            "b-2 [000] d..3. 1.000110: sched_migrate_task: comm=a pid=1 prio=120 orig_cpu=0 dest_cpu=1",
            "<idle>-0 [001] dNh2. 1.000120: sched_wakeup: comm=a pid=1 prio=120 target_cpu=001",
            "<idle>-0 [001] d..2. 1.000130: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=a next_pid=1 next_prio=120",
            // It runs already: nothing is woken.
            "b-2 [000] d..3. 1.000150: sched_waking: comm=a pid=1 prio=120 target_cpu=001",
            "b-2 [000] d..3. 1.000160: sched_wakeup: comm=a pid=1 prio=120 target_cpu=001",
            "a-1 [001] d..2. 1.000230: sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120",
        ]);
        assert_eq!(story(&recording, 0), "s100000/1 r100000 b");
        assert_eq!(story(&recording, 1), "r100000 w0 r130000");
    }

    #[test]
    fn a_waking_seen_before_its_sleeper_has_left_the_cpu_counts() {
        let recording = read(&[
            "b-2 [001] d..3. 1.000000: sched_waking: comm=a pid=1 prio=120 target_cpu=000",
            "b-2 [001] d..3. 1.000000: sched_wakeup: comm=a pid=1 prio=120 target_cpu=000",
            "<idle>-0 [000] d..2. 1.000010: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=a next_pid=1 next_prio=120",
            "b-2 [001] d..3. 1.000100: sched_waking: comm=a pid=1 prio=120 target_cpu=000",
            "a-1 [000] d..2. 1.000110: sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120",
            "b-2 [001] d..4. 1.000120: sched_wakeup: comm=a pid=1 prio=120 target_cpu=000",
        ]);
        assert_eq!(story(&recording, 1), "s0/0 r100000 s110000/0");
        assert_eq!(story(&recording, 0), "w1 r100000 w1 r20000");
    }

    #[test]
    fn forks_are_forks_and_numbers_are_used_again() {
        let recording = read(&[
            "a-1 [000] ..... 1.000000: sched_process_fork: comm=a pid=1 child_comm=a child_pid=2",
            "a-1 [000] d..2. 1.000010: sched_wakeup_new: comm=a pid=2 prio=130 target_cpu=003",
            "<idle>-0 [003] d..2. 1.000020: sched_switch: prev_comm=swapper/3 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=a next_pid=2 next_prio=130",
            "b-2 [003] ..... 1.000030: sched_process_exit: comm=b pid=2 prio=130",
            "b-2 [003] d..2. 1.000040: sched_switch: prev_comm=b prev_pid=2 prev_prio=130 prev_state=Z ==> next_comm=swapper/3 next_pid=0 next_prio=120",
            "a-1 [000] d..2. 1.000050: sched_wakeup_new: comm=a pid=2 prio=120 target_cpu=002",
            "<idle>-0 [002] d.s2. 1.000060: sched_wakeup_new: comm=k pid=8 prio=120 target_cpu=002",
        ]);
        assert_eq!(story(&recording, 0), "f1 r50000 f2 r10000");
        assert_eq!(
            (recording.tasks[1].comm.as_str(), recording.tasks[1].cpu),
            ("b", 3)
        );
        assert_eq!(story(&recording, 1), "r20000 x");
        assert_eq!(
            (recording.tasks[2].pid, recording.tasks[2].origin),
            (2, Origin::Forked)
        );
        assert_eq!(recording.tasks[3].origin, Origin::Appeared { at: 60_000 });
    }

    #[test]
    fn lost_events_end_what_was_known() {
        let recording = read(&[
            PREEMPTED,
            "CPU:0 [LOST 12 EVENTS]",
            "c-3 [000] d..2. 1.000900: sched_switch: prev_comm=c prev_pid=3 prev_prio=120 prev_state=S ==> next_comm=b next_pid=2 next_prio=121",
            "a-1 [000] d..2. 1.001000: sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=b next_pid=2 next_prio=121",
        ]);
        assert_eq!(
            story(&recording, 2),
            "r600000 b",
            "since the events were lost"
        );
        assert_eq!(story(&recording, 0), "b", "it was not seen to run");
        assert_eq!(
            recording.notes,
            [
                "2 times something was missing: a task ran that was not switched to, or events were lost"
            ]
        );
    }

    #[test]
    fn without_flags_a_task_that_never_sleeps_wakes_nobody() {
        let recording = read(&[
            "hog 1 [000] 1.000000: sched:sched_switch: prev_comm=s prev_pid=2 prev_prio=120 prev_state=S ==> next_comm=hog next_pid=1 next_prio=120",
            "hog 1 [000] 1.000500: sched:sched_waking: comm=s pid=2 prio=120 target_cpu=000",
            "hog 1 [000] 1.000500: sched:sched_wakeup: s:2 [120] CPU:000",
            "hog 1 [000] 1.000500: sched:sched_switch: hog:1 [120] R ==> s:2 [120]",
        ]);
        assert_eq!(story(&recording, 0), "s500000");
        assert_eq!(story(&recording, 1), "r500000");
    }

    #[test]
    fn real_traces_are_read() {
        let of = |kernel: &str| {
            let name = format!(
                "{}/../../tests/golden/ftrace/{kernel}.group.trace",
                env!("CARGO_MANIFEST_DIR")
            );
            let text = std::fs::read_to_string(name).unwrap();
            assert!(Recording::is_one(&text));
            Recording::read(&text).unwrap()
        };
        for (kernel, stoppers) in [("v6.1.y", 2), ("v6.12.y", 0)] {
            let recording = of(kernel);
            let expected: Vec<String> = match stoppers {
                0 => Vec::new(),
                n => vec![format!("{n} stoppers (migration/N) left out")],
            };
            assert_eq!(recording.notes, expected, "{kernel}");
            let forked = recording
                .tasks
                .iter()
                .filter(|task| task.origin == Origin::Forked && task.prio == Some(120));
            assert_eq!(recording.cpus, 8);
            let hogs = forked.filter(
                |task| matches!(task.pieces[..], [Piece::Run(time)] if time > 1_200_000_000),
            );
            assert_eq!(hogs.count(), 6, "{kernel}: six tasks that burn CPU");
            assert_eq!(
                Recording::read(&recording.to_text()).unwrap().tasks,
                recording.tasks
            );
        }
    }

    #[test]
    fn errors_tell_the_line() {
        let message = |text: &str| Recording::read(text).unwrap_err().to_string();
        assert_eq!(
            message("# tracer: nop\n\na b c"),
            "holds no sched_switch or sched_wakeup event"
        );
        assert_eq!(
            message(
                "# tracer: nop\na-1 [000] d..2. 17: sched_waking: comm=a pid=1 prio=120 target_cpu=000"
            ),
            "line 2: `17` is not a time in seconds"
        );
        assert_eq!(
            message("a-1 [000] d..2. 1.5: sched_waking: comm=a pid=1 prio=120"),
            "line 1: `target_cpu=` is missing"
        );
        assert!(!Recording::is_one("{ \"teeter\": 1 }"));
    }

    /// Words of traces in any order.
    fn garbage() -> impl Strategy<Value = String> {
        let word = prop::sample::select(vec![
            "a-1",
            "b c-2",
            "<idle>-0",
            "[000]",
            "[1",
            "9]",
            "d..2.",
            "dNh3.",
            "1.000001:",
            "1.5:",
            "-3.0:",
            "sched_switch:",
            "sched:sched_waking:",
            "sched_wakeup:",
            "sched_wakeup_new:",
            "sched_migrate_task:",
            "sched_process_fork:",
            "sched_process_exit:",
            "prev_comm=a",
            "prev_pid=1",
            "prev_prio=120",
            "prev_state=S",
            "prev_state=R+",
            "prev_state=X",
            "==>",
            "next_comm=b",
            "next_pid=2",
            "next_pid=0",
            "next_prio=99",
            "comm=a",
            "pid=1",
            "pid=4294967295",
            "prio=120",
            "target_cpu=000",
            "target_cpu=9999",
            "orig_cpu=1",
            "dest_cpu=2",
            "a:1 [120] S ==> b:2 [120]",
            "a:1 [120] CPU:001",
            "CPU:0 [LOST 1 EVENTS]",
            "\n",
            "\n",
            "\u{e9}",
            "  ",
            "# teeter trace 1\n",
            "task 1 120 0 start a\n",
            "r5",
            "s9/0",
            "w0",
            "f0",
            "x",
            "b",
        ]);
        prop::collection::vec(word, 0..60).prop_map(|words| words.join(" "))
    }

    /// Events of three tasks on two CPUs that need not fit together.
    fn events() -> impl Strategy<Value = String> {
        let line = (0..3u32, 0..3u32, 0..2u32, 0..7u32, 0..9u64, 0..4usize);
        prop::collection::vec(line, 1..80).prop_map(|lines| {
            let mut at = 0;
            let line = |(a, b, cpu, kind, later, state): (u32, u32, u32, u32, u64, usize)| {
                at += later;
                let state = ["R", "S", "X", "R+"][state];
                let what = match kind {
                    0..=2 => format!("sched_switch: prev_comm=t prev_pid={a} prev_prio=120 prev_state={state} ==> next_comm=t next_pid={b} next_prio=120"),
                    3 => format!("sched_waking: comm=t pid={} prio=120 target_cpu=00{cpu}", b + 1),
                    4 => format!("sched_wakeup: comm=t pid={} prio=120 target_cpu=00{cpu}", b + 1),
                    5 => format!("sched_wakeup_new: comm=t pid={} prio=120 target_cpu=00{cpu}", b + 1),
                    _ => format!("sched_process_fork: comm=t pid={a} child_comm=t child_pid={}", b + 1),
                };
                format!("t-{a} [00{cpu}] d..2. 1.{at:06}: {what}")
            };
            lines.into_iter().map(line).collect::<Vec<_>>().join("\n")
        })
    }

    proptest! {
        #[test]
        fn nothing_is_read_without_a_fault_or_a_meaning(text in garbage()) {
            if let Ok(recording) = Recording::read(&text) {
                prop_assert!(!recording.tasks.is_empty() || recording.length == 0);
            }
        }

        #[test]
        fn whatever_is_read_is_written_and_read_again(text in events()) {
            let recording = Recording::read(&text).unwrap();
            // Nobody sleeps backwards, and nobody runs longer than it all lasted.
            for task in &recording.tasks {
                let mut ran = 0;
                let mut last = 0;
                for piece in &task.pieces {
                    match *piece {
                        Piece::Run(time) => ran += time,
                        Piece::Sleep { until, .. } => {
                            prop_assert!(until >= last && until <= recording.length);
                            last = until;
                        }
                        _ => {}
                    }
                }
                prop_assert!(ran <= recording.length, "{} ran {ran}", task.label());
            }
            if !recording.tasks.is_empty() {
                let again = Recording::read(&recording.to_text()).unwrap();
                prop_assert_eq!(again.tasks, recording.tasks);
            }
        }
    }
}
