//! Traces of runs: the same shape as the kernel's own, and the same story as the result.

#![expect(
    clippy::unwrap_used,
    reason = "these scenarios are sound and their traces readable, or the test fails"
)]

use std::io::Cursor;

use serde_json::Value;
use teeter_scenario::Nanos;
use teeter_scenario::Scenario;
use teeter_sim::{RunResult, Simulation, TraceFormat, TraceWriter};
use teeter_workload::{Piece, Recorded, Recording};

/// Hogs, sleepers, a pair that meets at a barrier, forks, exits, nice levels and a change of one.
const BUSY: &str = r#"{
  "teeter": 1,
  "machine": { "synthetic": "node:2 l3:1 core:2 pu:2" },
  "tasks": [
    { "name": "hog", "workload": "hog", "threads": 7 },
    { "name": "sleepy", "threads": 3, "workload": { "program": [{ "run": "2ms" }, { "sleep": "6ms" }] } },
    { "name": "meet", "threads": 2, "nice": 5, "start": "100ms", "workload": { "program": [{ "run": "1ms" }, { "barrier": "b" }] } },
    { "name": "stopped", "workload": { "periodic": { "run": "1ms", "period": "10ms" } } }
  ],
  "script": [{ "at": "200ms", "stop": "stopped" }],
  "kernels": ["v6.1.y", "v6.12.y"],
  "run": { "duration": "400ms" }
}"#;

/// Runs the scenario under a kernel, and gives its trace and its result.
pub(crate) fn traced(format: TraceFormat, kernel: usize) -> (String, RunResult) {
    let scenario = Scenario::from_json(BUSY).unwrap();
    let mut simulation = Simulation::new(&scenario, kernel, 0).unwrap();
    simulation.record_trace(true);
    let mut writer = TraceWriter::new(Cursor::new(Vec::new()), format, &simulation).unwrap();
    let mut events = Vec::new();
    while !simulation.finished() {
        simulation.run_until(simulation.now() + Nanos::from_millis(7));
        simulation.take_trace(&mut events);
        writer.write(&simulation, &events).unwrap();
        events.clear();
    }
    let bytes = writer.finish(&simulation).unwrap().into_inner();
    (String::from_utf8(bytes).unwrap(), simulation.result())
}

/// The time a task ran, ns.
fn ran(task: &Recorded) -> u64 {
    let run = |piece: &Piece| match piece {
        Piece::Run(time) => *time,
        _ => 0,
    };
    task.pieces.iter().map(run).sum()
}

#[test]
fn recording_changes_nothing() {
    let scenario = Scenario::from_json(BUSY).unwrap();
    let mut plain = Simulation::new(&scenario, 1, 0).unwrap();
    plain.run_until(plain.end());
    assert_eq!(traced(TraceFormat::Jsonl, 1).1, plain.result());
}

#[test]
fn a_trace_tells_how_long_each_thread_ran() {
    for kernel in 0..2 {
        let (text, result) = traced(TraceFormat::Ftrace, kernel);
        let recording = Recording::read(&text).unwrap();
        assert_eq!(recording.notes, [""; 0], "everything fits together");
        assert_eq!(recording.tasks.len(), 13);
        for task in &result.tasks {
            let threads: Vec<&Recorded> = (0..task.threads)
                .map(|index| {
                    let name = format!("{}.{index}", task.name);
                    recording
                        .tasks
                        .iter()
                        .find(|task| task.comm == name)
                        .unwrap()
                })
                .collect();
            let sum: u64 = threads.iter().map(|task| ran(task)).sum();
            // Times are rounded to a microsecond at each end of each run; the last ones are cut at the last event.
            let switches = threads
                .iter()
                .map(|task| task.pieces.len() as u64 + 100)
                .sum::<u64>();
            let off = sum.abs_diff(task.cpu_ns);
            assert!(
                off < switches * 1000 + 4_000_000 * u64::from(task.threads),
                "{}: {sum} {}",
                task.name,
                task.cpu_ns
            );
        }
        let meet = recording
            .tasks
            .iter()
            .find(|task| task.comm == "meet.1")
            .unwrap();
        assert_eq!(meet.nice(), 5);
        let woken = meet
            .pieces
            .iter()
            .filter(|piece| matches!(piece, Piece::Sleep { by: Some(_), .. }));
        assert!(woken.count() > 10, "its partner wakes it");
        let stopped = recording
            .tasks
            .iter()
            .find(|task| task.comm == "stopped.0")
            .unwrap();
        assert!(stopped.pieces.len() > 20);
    }
}

/// Whether a line has the columns of tracefs: `%16s-%-7d [%03d] FLAGS %5lu.%06lu: NAME: …`.
fn has_the_columns(line: &str) -> bool {
    let bytes = line.as_bytes();
    let digits = |at: std::ops::Range<usize>| bytes[at].iter().all(u8::is_ascii_digit);
    let padded =
        |at: std::ops::Range<usize>| bytes[at].iter().all(|b| b.is_ascii_digit() || *b == b' ');
    bytes.len() > 60
        && bytes[16] == b'-'
        && padded(17..24)
        && bytes[24..26] == *b" ["
        && digits(26..29)
        && bytes[29..31] == *b"] "
        && matches!(bytes[31], b'd' | b'.')
        && matches!(bytes[32], b'N' | b'.')
        && matches!(bytes[33], b'h' | b'H' | b's' | b'.')
        && bytes[35] == b'.'
        && bytes[36] == b' '
        && padded(37..42)
        && bytes[42] == b'.'
        && digits(43..49)
        && bytes[49..57] == *b": sched_"
}

/// The names of an event's fields, in order.
fn fields(line: &str) -> String {
    let (_, event) = line.split_once(": sched_").unwrap();
    let words = event
        .split(' ')
        .filter_map(|word| word.split_once('=').map(|(key, _)| key));
    let name = event.split(':').next().unwrap();
    format!("{name}: {}", words.collect::<Vec<_>>().join(" "))
}

#[test]
fn the_text_has_the_shape_of_a_kernels() {
    let real = |kernel: &str| {
        let name = format!(
            "{}/../../tests/golden/ftrace/{kernel}.group.trace",
            env!("CARGO_MANIFEST_DIR")
        );
        std::fs::read_to_string(name).unwrap()
    };
    let ours = traced(TraceFormat::Ftrace, 0).0;
    let mut known = std::collections::BTreeSet::new();
    for text in [real("v6.1.y"), real("v6.12.y"), ours.clone()] {
        let is_ours = text == ours;
        let (comments, events): (Vec<&str>, Vec<&str>) =
            text.lines().partition(|line| line.starts_with('#'));
        let titles: Vec<&str> = comments
            .iter()
            .filter(|line| !line.contains("entries-in-buffer"))
            .copied()
            .collect();
        assert_eq!(
            titles,
            real("v6.1.y")
                .lines()
                .filter(|line| line.starts_with('#') && !line.contains("entries-in-buffer"))
                .collect::<Vec<_>>()
        );
        let count = format!(
            "# entries-in-buffer/entries-written: {0}/{0}   #P:8",
            events.len()
        );
        assert!(
            comments.iter().any(|line| line.trim_end() == count),
            "{count}"
        );
        for line in events {
            assert!(has_the_columns(line), "{line}");
            // Forks and exits are not among the events of the recordings at hand.
            let rare = line.contains("sched_process_");
            if is_ours && !rare {
                assert!(known.contains(&fields(line)), "{line}");
            }
            if !is_ours {
                known.insert(fields(line));
            }
        }
    }
}

#[test]
fn the_chrome_trace_tells_what_each_cpu_ran() {
    let (text, result) = traced(TraceFormat::Perfetto, 0);
    let document: Value = serde_json::from_str(&text).unwrap();
    let events = document["traceEvents"].as_array().unwrap();
    let of = |phase: &str, category: &str| {
        let events: Vec<&Value> = events
            .iter()
            .filter(|event| event["ph"] == phase && event["cat"] == category)
            .collect();
        events
    };
    let sum = |events: Vec<&Value>| {
        events
            .iter()
            .map(|event| event["dur"].as_f64().unwrap())
            .sum::<f64>()
    };
    let cpu: f64 = result
        .tasks
        .iter()
        .map(|task| task.cpu_ns as f64 / 1000.0)
        .sum();
    let on_cpus = sum(of("X", "cpu"));
    let running: Vec<&Value> = of("X", "thread")
        .into_iter()
        .filter(|event| event["name"] == "running")
        .collect();
    assert!((on_cpus - cpu).abs() < 1.0, "{on_cpus} {cpu}");
    assert!((sum(running) - cpu).abs() < 1.0);
    assert_eq!(
        of("s", "wakeup").len(),
        of("f", "wakeup").len(),
        "each arrow has an end"
    );
    assert!(!of("i", "migration").is_empty());
    // Spans of a track do not overlap.
    let mut last = std::collections::BTreeMap::new();
    for span in of("X", "cpu") {
        let (track, begin) = (span["tid"].as_u64().unwrap(), span["ts"].as_f64().unwrap());
        let end = begin + span["dur"].as_f64().unwrap();
        let before = last.insert(track, end).unwrap_or(0.0);
        assert!(begin >= before - 0.001, "{span}");
    }
}

#[test]
fn json_lines_say_what_the_text_says() {
    let text = traced(TraceFormat::Ftrace, 0).0;
    let lines = traced(TraceFormat::Jsonl, 0).0;
    let text: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let lines: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(text.len(), lines.len());
    for (text, line) in text.iter().zip(&lines) {
        let name = line["event"].as_str().unwrap();
        assert!(text.contains(&format!(": {name}: ")));
        if name == "sched_switch" {
            let switch = format!(
                "prev_comm={} prev_pid={} prev_prio={} prev_state={} ==> next_comm={} next_pid={} next_prio={}",
                line["prev_comm"].as_str().unwrap(),
                line["prev_pid"],
                line["prev_prio"],
                line["prev_state"].as_str().unwrap(),
                line["next_comm"].as_str().unwrap(),
                line["next_pid"],
                line["next_prio"]
            );
            assert!(text.ends_with(&switch), "{text}\n{switch}");
        }
    }
}
