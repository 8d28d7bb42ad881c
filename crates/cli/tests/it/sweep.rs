//! `teeter sweep`

use std::fs;

use serde_json::{Value, json};

use crate::teeter::{SMALL, file, printed, refused};

fn sweep() -> String {
    let mut scenario: Value = serde_json::from_str(SMALL).unwrap();
    scenario["run"]["duration"] = "100ms".into();
    let grid = json!({ "/tasks/0/threads": [1, 3], "/kernels/0/set/hz": [250, 1000] });
    json!({ "teeter-sweep": 1, "scenario": scenario, "grid": grid, "seeds": 2 }).to_string()
}

fn lines(arguments: &[&str]) -> Vec<String> {
    let output = printed(&[&["sweep", "-"], arguments].concat(), &sweep());
    output.split_inclusive('\n').map(str::to_owned).collect()
}

#[test]
fn a_line_is_what_a_run_of_the_point_prints() {
    let lines = lines(&[]);
    // Two places of two values, two kernels, two seeds.
    assert_eq!(lines.len(), 16);
    let line: Value = serde_json::from_str(&lines[15]).unwrap();
    assert_eq!(
        line["point"],
        json!({ "/tasks/0/threads": 3, "/kernels/0/set/hz": 1000 })
    );
    assert_eq!(
        (&line["seed"], &line["run"]["kernel"]),
        (&2.into(), &"new".into())
    );
    let arguments = ["run", "-", "--duration", "100ms", "--json"];
    let run: Value = serde_json::from_str(&printed(&arguments, SMALL)).unwrap();
    assert_eq!(line["run"], run["runs"][3]);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    assert_eq!(lines(&["--jobs", "1"]), lines(&["--jobs", "5"]));
}

#[test]
fn shards_make_the_whole() {
    let shards: Vec<Vec<String>> = ["1/3", "2/3", "3/3"]
        .iter()
        .map(|shard| lines(&["--shard", shard]))
        .collect();
    let dealt: Vec<String> = (0..16)
        .map(|line| shards[line % 3][line / 3].clone())
        .collect();
    assert_eq!(dealt, lines(&[]));
}

#[test]
fn an_interrupted_sweep_goes_on_where_it_was_cut() {
    let whole = lines(&[]).concat();
    let cut = file("cut.jsonl", &whole[..whole.len() * 2 / 3]);
    let name = cut.to_str().unwrap();
    assert!(lines(&["--resume", name]).is_empty());
    assert_eq!(fs::read_to_string(&cut).unwrap(), whole);
    // A whole one stays as it is; one of another sweep is left alone.
    assert!(lines(&["--resume", name]).is_empty());
    let said = refused(
        &["sweep", "-", "--resume", name, "--shard", "2/2"],
        &sweep(),
    );
    assert_eq!(
        said,
        format!("error: {name}: line 1 is not of this sweep\n")
    );
    assert_eq!(fs::read_to_string(&cut).unwrap(), whole);
    fs::remove_file(cut).unwrap();
}

#[test]
fn what_is_wrong_is_told_before_anything_runs() {
    let refused = |from: &str, to: &str| refused(&["sweep", "-"], &sweep().replace(from, to));
    assert_eq!(
        refused("/tasks/0/threads", "/tasks/7/threads"),
        "error: stdin: /grid: there is no place `/tasks/7/threads` in the scenario\n"
    );
    let said = refused("[1,3]", "[1,0]");
    let place =
        "error: stdin: /grid: at /tasks/0/threads = 0, /kernels/0/set/hz = 250: /tasks/0/threads: ";
    assert!(said.starts_with(place), "{said}");
    let said = crate::teeter::refused(&["sweep", "-", "--shard", "4/3"], &sweep());
    assert!(
        said.starts_with("error: invalid value '4/3' for '--shard <I/N>': a part of several"),
        "{said}"
    );
}
