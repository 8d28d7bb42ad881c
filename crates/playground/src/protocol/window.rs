//! A window of the run, simulated again with everything on record.

use serde::{Deserialize, Serialize};
use teeter_sim::Span;

use super::decisions::Told;

/// A number that stands for no thread.
pub const NOBODY: u32 = u32::MAX;

/// What happened from one time to another. The columns of one kind of thing are of one length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Window {
    /// Of the load it belongs to.
    pub generation: u32,
    /// Number of the question it answers.
    pub id: u32,
    /// Where it begins, simulated ns.
    pub from_ns: f64,
    /// Where it ends: earlier than was asked for where the run has not come so far, or too much happens.
    pub to_ns: f64,
    /// Beginning and end of each span, one after the other, simulated ns.
    pub spans: Vec<f64>,
    /// Thread of each span, and its CPU: twice its number, and one more where the thread runs.
    pub places: Vec<u32>,
    /// Time of each migration, simulated ns.
    pub moved_ns: Vec<f64>,
    /// Thread, from CPU, to CPU and cause of each migration.
    pub moved: Vec<u32>,
    /// Time of each decision, simulated ns.
    pub decided_ns: Vec<f64>,
    /// CPU, place of the kind in [`KINDS`] and thread of each decision.
    pub decided: Vec<u32>,
}

/// Kinds of decisions, as [`Told::kind`] names them.
pub const KINDS: [&str; 7] = [
    "balance",
    "wakeup",
    "fork",
    "exec",
    "wake_affine",
    "find_idlest_group",
    "numa",
];

/// One migration of a window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moved {
    /// When, simulated ns.
    pub at_ns: f64,
    /// The thread.
    pub thread: u32,
    /// CPU it left.
    pub from: usize,
    /// CPU it came to.
    pub to: usize,
    /// Why: a place in [`teeter_sim::Cause::ALL`].
    pub cause: u32,
}

/// One decision of a window; [`Told`] says the rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decided {
    /// Its place among the window's decisions.
    pub index: usize,
    /// When, simulated ns.
    pub at_ns: f64,
    /// The CPU that decided.
    pub cpu: usize,
    /// What about.
    pub kind: &'static str,
    /// The thread it is about, if it is about one.
    pub thread: Option<u32>,
}

/// A decision of a window in full.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Explained {
    /// Of the load it belongs to.
    pub generation: u32,
    /// Number of the question whose window has it.
    pub id: u32,
    /// Its place among the window's decisions.
    pub index: u32,
    /// All of it.
    pub told: Told,
}

impl Window {
    /// Puts a span in.
    pub fn push_span(&mut self, span: &Span) {
        self.spans.extend([span.from.0 as f64, span.to.0 as f64]);
        let place = u32::from(span.cpu.0) * 2 + u32::from(span.runs);
        self.places.extend([span.thread, place]);
    }

    /// The spans: beginning, end, thread, CPU, and whether the thread runs.
    pub fn spans(&self) -> impl Iterator<Item = (f64, f64, u32, usize, bool)> + '_ {
        let times = self.spans.chunks_exact(2);
        times
            .zip(self.places.chunks_exact(2))
            .map(|(times, place)| {
                let (thread, place) = (place[0], place[1]);
                (
                    times[0],
                    times[1],
                    thread,
                    (place / 2) as usize,
                    place % 2 == 1,
                )
            })
    }

    /// The migrations.
    pub fn moved(&self) -> impl Iterator<Item = Moved> + '_ {
        let columns = self.moved_ns.iter().zip(self.moved.chunks_exact(4));
        columns.map(|(at_ns, of)| Moved {
            at_ns: *at_ns,
            thread: of[0],
            from: of[1] as usize,
            to: of[2] as usize,
            cause: of[3],
        })
    }

    /// The decisions.
    pub fn decided(&self) -> impl Iterator<Item = Decided> + '_ {
        let columns = self.decided_ns.iter().zip(self.decided.chunks_exact(3));
        columns.enumerate().map(|(index, (at_ns, of))| Decided {
            index,
            at_ns: *at_ns,
            cpu: of[0] as usize,
            kind: KINDS.get(of[1] as usize).copied().unwrap_or_default(),
            thread: (of[2] != NOBODY).then_some(of[2]),
        })
    }

    /// Whether all from one time to another is in it.
    pub fn covers(&self, from_ns: f64, to_ns: f64) -> bool {
        self.from_ns <= from_ns && to_ns <= self.to_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use teeter_machine::CpuId;
    use teeter_scenario::Nanos;

    #[test]
    fn what_goes_in_comes_out() {
        let mut window = Window {
            from_ns: 5.0,
            to_ns: 9.0,
            moved_ns: vec![7.0],
            moved: vec![3, 1, 2, 4],
            decided_ns: vec![6.0, 8.0],
            decided: vec![1, 0, NOBODY, 2, 1, 3],
            ..Window::default()
        };
        window.push_span(&Span {
            thread: 3,
            cpu: CpuId(11),
            runs: true,
            from: Nanos(5),
            to: Nanos(8),
        });
        assert_eq!(
            window.spans().collect::<Vec<_>>(),
            [(5.0, 8.0, 3, 11, true)]
        );
        let moved = window.moved().next().unwrap();
        assert_eq!(
            (moved.thread, moved.from, moved.to, moved.cause),
            (3, 1, 2, 4)
        );
        let decided: Vec<_> = window.decided().collect();
        assert_eq!((decided[0].kind, decided[0].thread), ("balance", None));
        assert_eq!((decided[1].kind, decided[1].thread), ("wakeup", Some(3)));
        assert!(window.covers(5.0, 9.0) && !window.covers(4.0, 6.0));
    }
}
