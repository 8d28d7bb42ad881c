//! What was recorded, task by task, and how it is written in short.
//!
//! ```text
//! # teeter trace 1
//! length 1600123456
//! cpus 8
//! task 150 120 4 start orc      pid, priority, first CPU, how it came, name
//! r1460 f1 r660 s64000 x        ran 1460 ns, forked the second task, …, slept until 64000 ns, ended
//! task 151 120 3 forked burn0
//! s90000/0 w0 r50000 b          was woken at 90000 ns by the first task, woke it, ran, sleeps for good
//! ```

use std::fmt::Write as _;

use teeter_scenario::limits;

use super::number;
use crate::error::{Error, Unreadable};

/// Most pieces of all tasks together.
pub(super) const PIECES: usize = 4 << 20;

/// The first line of what is written in short.
pub(super) const MARK: &str = "# teeter trace 1";

/// Pieces on a line.
const LINE: usize = 16;

/// One thing that a task did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Ran for so many ns.
    Run(u64),
    /// Woke a task out of a sleep.
    Wake {
        /// Its place among the tasks.
        task: u32,
    },
    /// Forked a task.
    Fork {
        /// Its place among the tasks.
        task: u32,
    },
    /// Slept.
    Sleep {
        /// Up to when, ns from the beginning.
        until: u64,
        /// The place of the task that woke it; `None`: an interrupt did, such as a timer's.
        by: Option<u32>,
    },
    /// Sleeps, and is not woken any more.
    Block,
    /// Ended.
    Exit,
}

/// How a task came into the recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It was there when the recording began.
    Start,
    /// A recorded task forked it.
    Forked,
    /// Somebody else forked it.
    Appeared {
        /// When, ns from the beginning.
        at: u64,
    },
}

/// A task of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Its number in the recording.
    pub pid: u32,
    /// Its last name.
    pub comm: String,
    /// Its first priority within the fair class (120 is nice 0), or else another; `None`: never told.
    pub prio: Option<i32>,
    /// The first CPU it is known to have been on.
    pub cpu: u32,
    /// How it came.
    pub origin: Origin,
    /// What it did, in order.
    pub pieces: Vec<Piece>,
}

/// What a trace of the scheduler recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    /// From its first event to its last, ns.
    pub length: u64,
    /// How many CPUs there were, as far as is known.
    pub cpus: u32,
    /// The tasks, in the order in which they were met.
    pub tasks: Vec<Recorded>,
    /// What was odd about it, and what was left out.
    pub notes: Vec<String>,
}

/// More of something than is taken.
pub(super) fn too_many(what: &'static str, most: usize) -> Error {
    let most = most as u64;
    Error::TooMany { what, most }
}

impl Recording {
    /// The recording in short, from which the same is read again.
    pub fn to_text(&self) -> String {
        let mut text = format!("{MARK}\nlength {}\ncpus {}\n", self.length, self.cpus);
        for task in &self.tasks {
            task.write(&mut text);
        }
        text
    }

    /// Reads what [`Recording::to_text`] wrote.
    pub(super) fn from_text(text: &str) -> Result<Self, Error> {
        let mut recording = Self {
            length: 0,
            cpus: 1,
            tasks: Vec::new(),
            notes: Vec::new(),
        };
        let mut pieces = 0;
        for (line, text) in (1u32..).zip(text.lines()) {
            let unreadable = |error| Error::Line { line, error };
            if text.trim().is_empty() || text.starts_with('#') {
                continue;
            }
            if let Some(length) = text.strip_prefix("length ") {
                recording.length = nanos(length).map_err(unreadable)?;
            } else if let Some(cpus) = text.strip_prefix("cpus ") {
                let known = cpus
                    .parse()
                    .ok()
                    .filter(|&cpus| (1..=limits::CPUS).contains(&cpus));
                let wrong = || Unreadable::Cpu(cpus.chars().take(24).collect());
                recording.cpus = known.ok_or_else(wrong).map_err(unreadable)?;
            } else if let Some(task) = text.strip_prefix("task ") {
                if recording.tasks.len() >= limits::THREADS as usize {
                    return Err(too_many("tasks", limits::THREADS as usize));
                }
                recording
                    .tasks
                    .push(Recorded::read(task).map_err(unreadable)?);
            } else {
                let missing = unreadable(Unreadable::Missing("task"));
                let task = recording.tasks.last_mut().ok_or(missing)?;
                for word in text.split_whitespace() {
                    pieces += 1;
                    if pieces > PIECES {
                        return Err(too_many("runs, sleeps and wakeups", PIECES));
                    }
                    task.pieces.push(Piece::read(word).map_err(unreadable)?);
                }
            }
        }
        recording.check()?;
        Ok(recording)
    }

    /// Whether all tasks that are named are there.
    fn check(&self) -> Result<(), Error> {
        let known = |task: u32| (task as usize) < self.tasks.len();
        let all = self
            .tasks
            .iter()
            .flat_map(|task| &task.pieces)
            .all(|piece| match *piece {
                Piece::Wake { task } | Piece::Fork { task } => known(task),
                Piece::Sleep { by, .. } => by.is_none_or(known),
                Piece::Run(_) | Piece::Block | Piece::Exit => true,
            });
        if self.tasks.is_empty() {
            return Err(Error::Empty);
        }
        all.then_some(()).ok_or(Error::Unknown)
    }
}

impl Recorded {
    fn write(&self, text: &mut String) {
        let prio = self
            .prio
            .map_or_else(|| "-".to_owned(), |prio| prio.to_string());
        let origin = match self.origin {
            Origin::Start => "start".to_owned(),
            Origin::Forked => "forked".to_owned(),
            Origin::Appeared { at } => at.to_string(),
        };
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "task {} {prio} {} {origin} {}",
            self.pid,
            self.cpu,
            self.comm.replace(['\n', '\r'], " ")
        );
        for pieces in self.pieces.chunks(LINE) {
            let words: Vec<String> = pieces.iter().map(|piece| piece.write()).collect();
            text.push_str(&words.join(" "));
            text.push('\n');
        }
    }

    /// What stands behind `task `.
    fn read(text: &str) -> Result<Self, Unreadable> {
        let mut words = text.splitn(5, ' ');
        let mut word = || {
            words
                .next()
                .ok_or(Unreadable::Missing("pid prio cpu origin name"))
        };
        let pid = number::pid(word()?)?;
        let prio = match word()? {
            "-" => None,
            prio => Some(number::prio(prio)?),
        };
        let cpu = number::cpu(word()?)?;
        let origin = match word()? {
            "start" => Origin::Start,
            "forked" => Origin::Forked,
            at => Origin::Appeared { at: nanos(at)? },
        };
        Ok(Self {
            pid,
            comm: word()?.to_owned(),
            prio,
            cpu,
            origin,
            pieces: Vec::new(),
        })
    }
}

impl Piece {
    fn write(self) -> String {
        match self {
            Self::Run(time) => format!("r{time}"),
            Self::Wake { task } => format!("w{task}"),
            Self::Fork { task } => format!("f{task}"),
            Self::Sleep { until, by: None } => format!("s{until}"),
            Self::Sleep {
                until,
                by: Some(by),
            } => format!("s{until}/{by}"),
            Self::Block => "b".to_owned(),
            Self::Exit => "x".to_owned(),
        }
    }

    fn read(word: &str) -> Result<Self, Unreadable> {
        let unknown = || Unreadable::Piece(word.chars().take(24).collect());
        let place = |text: &str| text.parse::<u32>().map_err(|_not_a_number| unknown());
        let mut chars = word.chars();
        let (kind, rest) = (chars.next(), chars.as_str());
        Ok(match (kind, rest) {
            (Some('r'), time) => Self::Run(nanos(time)?),
            (Some('w'), task) => Self::Wake { task: place(task)? },
            (Some('f'), task) => Self::Fork { task: place(task)? },
            (Some('s'), rest) => match rest.split_once('/') {
                Some((until, by)) => Self::Sleep {
                    until: nanos(until)?,
                    by: Some(place(by)?),
                },
                None => Self::Sleep {
                    until: nanos(rest)?,
                    by: None,
                },
            },
            (Some('b'), "") => Self::Block,
            (Some('x'), "") => Self::Exit,
            _ => return Err(unknown()),
        })
    }
}

/// A time of at most as long as any run.
fn nanos(text: &str) -> Result<u64, Unreadable> {
    let time = text
        .trim()
        .parse()
        .ok()
        .filter(|&time| time <= limits::DURATION.0);
    time.ok_or_else(|| Unreadable::Time(text.chars().take(24).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# teeter trace 1\nlength 1600\ncpus 5\ntask 150 120 4 start or c\nr14 f1 r6 s640 x\n\
                        task 151 - 3 forked burn0\ns90/0 w0 b\ntask 9 -1 0 77 dl\n";

    #[test]
    fn what_is_written_is_read() {
        let recording = Recording::from_text(TEXT).unwrap();
        assert_eq!(recording.tasks[0].comm, "or c");
        assert_eq!(recording.tasks[1].prio, None);
        assert_eq!(recording.tasks[2].origin, Origin::Appeared { at: 77 });
        assert_eq!((recording.length, recording.cpus), (1600, 5));
        assert_eq!(recording.to_text(), TEXT);
    }

    #[test]
    fn what_is_wrong_has_its_line() {
        let message = |text: &str| Recording::from_text(text).unwrap_err().to_string();
        assert_eq!(message("r5"), "line 1: `task` is missing");
        assert_eq!(
            message("task 1 120 0 start a\n\nq5"),
            "line 3: `q5` is not a run, a sleep or a wakeup"
        );
        assert_eq!(
            message("task 1 120 0 start a\nw1"),
            "a task is named that is not there"
        );
        assert_eq!(
            message("task 1 120 0"),
            "line 1: `pid prio cpu origin name` is missing"
        );
        assert_eq!(message(""), "holds no sched_switch or sched_wakeup event");
    }
}
