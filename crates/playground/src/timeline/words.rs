//! What the timeline shows at one place, in words.

use super::View;
use super::rows::Row;
use super::ticks::{length, moment};
use crate::protocol::window::Window;
use crate::recording::Recording;

/// Threads named at most.
const NAMED: usize = 6;

/// What runs and waits in a row at a moment: from the window if it has that moment, else from the samples.
pub fn at(
    recording: &Recording,
    window: Option<&Window>,
    row: Row,
    at_ns: f64,
    view: View,
) -> String {
    let when = moment(at_ns, view.span() / 1e3);
    let what = match window.filter(|window| window.covers(at_ns, at_ns)) {
        Some(window) => exactly(recording, window, row, at_ns),
        None if at_ns > recording.reached_ns => "not simulated yet".to_owned(),
        None => on_average(recording, row, at_ns, view),
    };
    let who = match row {
        Row::Cpu(cpu) => format!("CPU {cpu}"),
        Row::Thread(thread) => recording.thread_name(thread),
    };
    format!("{who} at {when}: {what}.")
}

fn exactly(recording: &Recording, window: &Window, row: Row, at_ns: f64) -> String {
    let then = |from: f64, to: f64| from <= at_ns && at_ns < to;
    match row {
        Row::Cpu(cpu) => {
            let (mut running, mut waiting) = (None, Vec::new());
            let mut idle = (window.from_ns, window.to_ns);
            for (from, to, thread, _, runs) in window.spans().filter(|span| span.3 == cpu) {
                match (runs, then(from, to)) {
                    (true, true) => running = Some((thread, from, to)),
                    (false, true) => waiting.push(thread),
                    (true, false) if to <= at_ns => idle.0 = f64::max(idle.0, to),
                    (true, false) => idle.1 = f64::min(idle.1, from),
                    (false, false) => {}
                }
            }
            let runs = match running {
                Some((thread, from, to)) => format!(
                    "runs {} for {}",
                    recording.thread_name(thread),
                    length(to - from)
                ),
                None => format!("idle for {}", length(idle.1 - idle.0)),
            };
            let waits = match waiting.len() {
                0 => String::new(),
                1 => format!("; {} waits", recording.thread_name(waiting[0])),
                count => format!("; {count} wait: {}", names(recording, &waiting)),
            };
            runs + &waits
        }
        Row::Thread(thread) => {
            let mut spans = window.spans().filter(|span| span.2 == thread);
            match spans.find(|(from, to, ..)| then(*from, *to)) {
                Some((from, to, _, cpu, true)) => {
                    format!("runs on CPU {cpu} for {}", length(to - from))
                }
                Some((from, to, _, cpu, false)) => {
                    format!("waits on CPU {cpu} for {}", length(to - from))
                }
                None => "asleep".to_owned(),
            }
        }
    }
}

fn names(recording: &Recording, threads: &[u32]) -> String {
    let named = threads.iter().take(NAMED);
    let names: Vec<_> = named.map(|thread| recording.thread_name(*thread)).collect();
    let more = if threads.len() > NAMED { "…" } else { "" };
    names.join(", ") + more
}

fn on_average(recording: &Recording, row: Row, at_ns: f64, view: View) -> String {
    let Row::Cpu(cpu) = row else {
        return "zoom in to see what it does".to_owned();
    };
    let cell = recording.lanes.level(view.span() / 1e3).and_then(|level| {
        let row = (at_ns / level.row_ns).floor() as usize;
        Some((level.cell(row, cpu)?, level.row_ns))
    });
    let Some((cell, row_ns)) = cell else {
        return "in the sample that is under way".to_owned();
    };
    let mostly = cell
        .task
        .and_then(|task| recording.run.table.tasks.get(usize::from(task)))
        .map(|task| format!(", mostly {}", task.name))
        .unwrap_or_default();
    format!(
        "busy {:.0} %{mostly}, {:.1} runnable on average of {}",
        f64::from(cell.busy) / 2.55,
        f64::from(cell.runnable) / 16.0,
        length(row_ns)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Loaded;
    use teeter_scenario::Scenario;
    use teeter_scenario::document::{Machine, Tasks, Workload};
    use teeter_sim::{LaneCell, TaskInfo, ThreadInfo, ThreadTable};

    fn recording() -> Recording {
        let tasks = vec![Tasks::new("lu", Workload::Hog)];
        let scenario = Scenario::new(Machine::preset("laptop"), tasks);
        let run = Loaded {
            table: ThreadTable {
                threads: (0..3).map(|index| ThreadInfo { task: 0, index }).collect(),
                tasks: vec![TaskInfo {
                    name: "lu".to_owned(),
                    cgroup: 0,
                    threads: 3,
                    metric: None,
                    labels: Vec::new(),
                }],
                cgroups: vec!["/".to_owned()],
            },
            sample_ns: 1e7,
            ..Loaded::default()
        };
        let mut recording = Recording::new(run, &scenario);
        recording.reached_ns = 2e7;
        let cell = LaneCell {
            task: Some(0),
            busy: 255,
            runnable: 24,
        };
        recording.lanes.push(&[cell.pack()], 1);
        recording
    }

    #[test]
    fn a_window_is_told_exactly_and_samples_on_average() {
        let view = View::whole(2e7);
        let window = Window {
            from_ns: 1e6,
            to_ns: 2e6,
            spans: vec![1e6, 1.4e6, 1.2e6, 1.5e6],
            places: vec![0, 1, 1, 0],
            ..Window::default()
        };
        let say = |row, ns| at(&recording(), Some(&window), row, ns, view);
        assert_eq!(
            say(Row::Cpu(0), 1.3e6),
            "CPU 0 at 0.001\u{202f}30 s: runs lu.0 for 400 µs; lu.1 waits."
        );
        assert_eq!(
            say(Row::Cpu(0), 1.6e6),
            "CPU 0 at 0.001\u{202f}60 s: idle for 600 µs."
        );
        assert!(
            say(Row::Thread(1), 1.3e6)
                .ends_with("lu.1 at 0.001\u{202f}30 s: waits on CPU 0 for 300 µs.")
        );
        assert!(say(Row::Thread(2), 1.3e6).ends_with("asleep."));
        assert!(
            say(Row::Cpu(0), 5e6)
                .ends_with("busy 100 %, mostly lu, 1.5 runnable on average of 10 ms.")
        );
        assert!(say(Row::Cpu(0), 9e7).ends_with("not simulated yet."));
    }
}
