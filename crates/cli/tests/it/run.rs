//! `teeter run`

use std::fs;
use std::process::Command;

use serde_json::Value;
use teeter_scenario::{Scenario, presets};
use teeter_sim::Simulation;

use crate::teeter::{SMALL, file, printed, refused};

fn run(arguments: &[&str]) -> Value {
    let arguments = [&["run", "-", "--json"], arguments].concat();
    serde_json::from_str(&printed(&arguments, SMALL)).unwrap()
}

fn digests(output: &Value) -> Vec<String> {
    let runs = output["runs"].as_array().unwrap();
    runs.iter()
        .map(|run| run["digest"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn the_object_has_the_promised_shape() {
    let output = run(&[]);
    assert_eq!(output["engine"], env!("CARGO_PKG_VERSION"));
    assert_eq!(output["name"], "small");
    assert_eq!(output["duration_ns"], 500_000_000);
    let runs = output["runs"].as_array().unwrap();
    let kernels: Vec<&str> = runs
        .iter()
        .map(|run| run["kernel"].as_str().unwrap())
        .collect();
    assert_eq!(kernels, ["v5.3", "v5.3", "new", "new"]);
    let first = &runs[0];
    assert_eq!(first["seed"], 9);
    let digest = first["digest"].as_str().unwrap();
    assert!(digest.len() == 16 && digest.bytes().all(|b| b.is_ascii_hexdigit()));
    assert_eq!(first["elapsed_ns"], 500_000_000);
    for key in ["events", "switches", "wakeups"] {
        assert!(first[key].as_u64().unwrap() > 0, "{key}");
    }
    assert!(first["idle_while_waiting"].is_f64());
    for key in [
        "pte_updates",
        "hint_faults",
        "hint_faults_local",
        "pages_migrated",
    ] {
        assert!(first["numa"][key].is_u64(), "{key}");
    }
    for key in ["busy", "nr_running"] {
        assert_eq!(first["cpus"][key].as_array().unwrap().len(), 4, "{key}");
    }
    for counts in first["balance"].as_object().unwrap().values() {
        for key in ["count", "balanced", "failed", "moved", "active"] {
            assert!(counts[key].is_u64(), "{key}");
        }
    }
}

#[test]
fn tasks_have_the_promised_shape() {
    let output = run(&["--repeats", "1"]);
    let tasks = output["runs"][0]["tasks"].as_array().unwrap();
    let [hog, timer] = tasks.as_slice() else {
        panic!("{tasks:?}")
    };
    assert_eq!((&hog["name"], &hog["threads"]), (&"hog".into(), &3.into()));
    assert_eq!(
        (&hog["metric"], &hog["done_ns"]),
        (&Value::Null, &Value::Null)
    );
    // Three hogs on four CPUs: each has nearly one to itself.
    let cpu = hog["cpu_ns"].as_u64().unwrap();
    assert!((1_300_000_000..=1_500_000_000).contains(&cpu), "{cpu}");
    assert_eq!(hog["cpu_share"].as_array().unwrap().len(), 3);
    assert_eq!(hog["mean_on_node"].as_array().unwrap().len(), 2);
    assert_eq!(hog["mean_on_cpu"].as_array().unwrap().len(), 4);
    for key in ["name", "value", "better"] {
        assert!(!timer["metric"][key].is_null(), "{key}");
    }
    for key in [
        "p50", "p75", "p90", "p95", "p99", "p99.5", "p99.9", "min", "max", "samples",
    ] {
        assert!(timer["latency_us"][key].is_number(), "{key}");
    }
    for key in [
        "total", "fork", "wakeup", "periodic", "newidle", "nohz", "active", "numa", "affinity",
    ] {
        assert!(timer["migrations"][key].is_u64(), "{key}");
    }
}

#[test]
fn the_same_scenario_gives_the_same_bits() {
    assert_eq!(run(&[]), run(&[]));
}

#[test]
fn the_command_adds_nothing_to_the_engine() {
    let scenario = Scenario::from_json(SMALL).unwrap();
    let mut simulation = Simulation::new(&scenario, 1, 1).unwrap();
    simulation.run_until(simulation.end());
    let expected = serde_json::to_string(&simulation.result()).unwrap();
    let printed = printed(&["run", "-", "--json"], SMALL);
    assert!(
        printed.ends_with(&format!(",{expected}]}}\n")),
        "{printed}\n{expected}"
    );
}

#[test]
fn seeds_repeats_and_durations_can_be_changed() {
    let all = digests(&run(&[]));
    let one = run(&["--repeats", "1"]);
    assert_eq!(digests(&one), [all[0].clone(), all[2].clone()]);
    let other = run(&["--seed", "10", "--repeats", "1"]);
    assert_eq!(other["runs"][0]["seed"], 10);
    let short = run(&["--duration", "100ms", "--repeats", "1"]);
    assert_eq!(short["duration_ns"], 100_000_000);
    assert_eq!(short["runs"][0]["elapsed_ns"], 100_000_000);
    assert_ne!(digests(&short), digests(&one));
}

#[test]
fn a_chosen_kernel_keeps_what_the_scenario_sets_on_it() {
    let both = digests(&run(&["--repeats", "1"]));
    let chosen = run(&["--repeats", "1", "--kernel", "v5.5", "--kernel", "v5.3"]);
    assert_eq!(digests(&chosen), [both[1].clone(), both[0].clone()]);
}

#[test]
fn a_run_of_a_preset_is_the_same_by_name_by_link_and_by_file() {
    let arguments = ["--duration", "100ms", "--json"];
    let run = |source: &str| printed(&[&["run", source], arguments.as_slice()].concat(), "");
    let by_name = run("preset:laptop-mix");
    let json = presets::get("laptop-mix").unwrap().to_json();
    assert_eq!(run("https://example.org/t/#p=laptop-mix"), by_name);
    assert_eq!(run(file("laptop.json", &json).to_str().unwrap()), by_name);
    let link = file("laptop.link", "#p=laptop-mix\n");
    assert_eq!(run(link.to_str().unwrap()), by_name);
}

#[test]
fn people_get_a_text() {
    let text = printed(&["run", "-", "--repeats", "1"], SMALL);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[..3],
        ["small", "500ms on node:2 l3:1 core:2 pu:1", ""]
    );
    assert!(lines[3].starts_with("v5.3, seed 9, digest "), "{text}");
    assert!(lines[4].starts_with("  task ") && lines[4].ends_with(" node 0  node 1  migrations"));
    assert!(lines[5].starts_with("  hog ") && lines[6].starts_with("  timer "));
    assert!(text.contains("\nnew, seed 9, digest "), "{text}");
}

#[test]
fn the_series_is_written_as_csv() {
    let path = file("series.csv", "");
    let argument = path.to_str().unwrap();
    run(&["--series", argument]);
    let mut reader = csv::Reader::from_path(&path).unwrap();
    let header = reader.headers().unwrap().clone();
    let column = |name: &str| header.iter().position(|h| h == name).unwrap();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 4 * 10);
    let scenario = Scenario::from_json(SMALL).unwrap();
    let mut simulation = Simulation::new(&scenario, 0, 0).unwrap();
    simulation.run_until(simulation.end());
    let series = simulation.series();
    for (i, row) in rows.iter().take(10).enumerate() {
        assert_eq!((&row[0], &row[1]), ("v5.3", "9"));
        assert_eq!(row[2].parse(), Ok(50_000_000 * (i as u64 + 1)));
        assert_eq!(
            row[column("hog on node 1")],
            series.node_threads(0, 1)[i].to_string()
        );
        assert_eq!(
            row[column("timer progress")],
            series.progress[1][i].to_string()
        );
        assert_eq!(&row[column("hog progress")], "");
        assert_eq!(row[column("node 0 busy")], series.busy[0][i].to_string());
        assert_eq!(row[column("switches")], series.switches[i].to_string());
    }
    fs::remove_file(path).unwrap();
}

#[test]
fn a_run_leaves_its_trace() {
    let path = file("small.trace", "");
    let argument = path.to_str().unwrap();
    let one = ["--kernel", "v5.3", "--repeats", "1"];
    let traced = |format: &str| {
        let more = ["--trace", argument, "--format", format];
        let output = run(&[one.as_slice(), &more].concat());
        assert_eq!(digests(&output), digests(&run(&one)), "the run is the same");
        fs::read_to_string(&path).unwrap()
    };
    let text = traced("ftrace");
    assert!(text.starts_with("# tracer: nop\n#\n# entries-in-buffer/entries-written: "));
    assert!(
        text.contains(" sched_switch: prev_comm=swapper/0 prev_pid=0 "),
        "{text}"
    );
    let lines = traced("jsonl");
    assert_eq!(
        lines.lines().count(),
        text.lines().filter(|line| !line.starts_with('#')).count()
    );
    let chrome: Value = serde_json::from_str(&traced("perfetto")).unwrap();
    assert!(chrome["traceEvents"].as_array().unwrap().len() > 100);
    fs::remove_file(path).unwrap();
}

/// Whether a program is there. Where CI runs, everything has been installed.
fn there(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok();
    assert!(
        found || std::env::var_os("CI").is_none(),
        "{program} is missing"
    );
    found
}

#[test]
fn trace_cmd_reports_what_happened() {
    if !there("trace-cmd") {
        return;
    }
    let (dat, text) = (file("run.dat", ""), file("run.trace", ""));
    let one = ["--kernel", "v5.3", "--repeats", "1", "--trace"];
    run(&[one.as_slice(), &[dat.to_str().unwrap(), "--format", "dat"]].concat());
    run(&[one.as_slice(), &[text.to_str().unwrap()]].concat());
    // With interrupts told apart, and to the nanosecond.
    let report = Command::new("trace-cmd")
        .args(["report", "-l", "-t", "-i"])
        .arg(&dat)
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&report.stderr), "");
    let report = String::from_utf8(report.stdout).unwrap();
    let text_lines = fs::read_to_string(&text).unwrap();
    let events = |text: &str| {
        text.lines()
            .filter(|line| line.contains(": sched_"))
            .count()
    };
    assert_eq!(events(&report), events(&text_lines));
    let (reported, printed) = (
        teeter_workload::Recording::read(&report).unwrap(),
        teeter_workload::Recording::read(&text_lines).unwrap(),
    );
    assert_eq!((reported.notes.len(), reported.cpus), (0, 4));
    assert_eq!(reported.tasks.len(), printed.tasks.len());
    for (reported, printed) in reported.tasks.iter().zip(&printed.tasks) {
        assert_eq!((&reported.comm, reported.pid), (&printed.comm, printed.pid));
        assert_eq!(
            (reported.cpu, reported.origin),
            (printed.cpu, printed.origin)
        );
        assert_eq!(
            reported.pieces.len(),
            printed.pieces.len(),
            "{}",
            printed.comm
        );
    }
    fs::remove_file(dat).unwrap();
    fs::remove_file(text).unwrap();
}

#[test]
fn what_can_not_be_run_is_told_before_anything_runs() {
    for (arguments, message) in [
        (
            vec!["--kernel", "v5.4"],
            "error: stdin: /kernels/0/base: unknown kernel `v5.4` (did you mean `v5.3`?)\n",
        ),
        (
            vec!["--repeats", "0"],
            "error: stdin: /run/repeats: 0 is not within 1 to 1000\n",
        ),
        (
            vec!["--duration", "9h"],
            "error: invalid value '9h' for '--duration <T>': `9h` is not a time",
        ),
        (
            vec!["--trace", "x"],
            "error: stdin: a trace is of one run, and these are 4 (choose with --kernel K --repeats 1)\n",
        ),
        (
            vec!["--format", "jsonl"],
            "error: the following required arguments were not provided:\n",
        ),
    ] {
        let said = refused(&[&["run", "-"], arguments.as_slice()].concat(), SMALL);
        assert!(said.starts_with(message), "{said}");
    }
    let uclamp = SMALL.replace("\"threads\": 3", "\"uclamp\": [0, 512]");
    let said = refused(&["run", "-"], &uclamp);
    assert!(
        said.starts_with("error: stdin: /tasks/0/uclamp: "),
        "{said}"
    );
    let said = refused(&["run", "-", "--series", "/no/such/place"], SMALL);
    assert!(said.starts_with("error: /no/such/place: "), "{said}");
}
