//! `teeter decisions`

use serde_json::Value;

use crate::teeter::{SMALL, refused, teeter_with};

fn lines(arguments: &[&str]) -> (Vec<Value>, String) {
    let arguments = [&["decisions", "-", "--json", "--kernel", "v5.3"], arguments].concat();
    let outcome = teeter_with(&arguments, SMALL);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let lines = outcome.stdout.lines();
    let lines = lines.map(|line| serde_json::from_str(line).unwrap());
    (lines.collect(), outcome.stderr)
}

#[test]
fn every_decision_is_a_line_with_its_numbers() {
    let (all, said) = lines(&[]);
    assert_eq!(said, format!("v5.3: {0} of {0} decisions\n", all.len()));
    for line in &all {
        assert_eq!(line["kernel"], "v5.3");
        assert!(line["t_ns"].is_u64() && line["cpu"].is_u64());
        match line["kind"].as_str().unwrap() {
            "balance" => assert!(
                line["domain"]["name"].is_string() && line["why"].is_string(),
                "{line}"
            ),
            "find_idlest_group" => assert!(
                line["domain"]["name"].is_string() && line["stays"].is_u64(),
                "{line}"
            ),
            _ => assert!(
                line["task"].is_string() && line["chosen_cpu"].is_u64(),
                "{line}"
            ),
        }
    }
    let times: Vec<u64> = all
        .iter()
        .map(|line| line["t_ns"].as_u64().unwrap())
        .collect();
    assert!(times.is_sorted());
}

#[test]
fn a_filter_lets_some_through() {
    let (all, _) = lines(&[]);
    let (wakeups, said) = lines(&["--where", "kind == wakeup && chosen_cpu != prev_cpu"]);
    let wanted: Vec<&Value> = all
        .iter()
        .filter(|line| line["kind"] == "wakeup" && line["chosen_cpu"] != line["prev_cpu"])
        .collect();
    assert_eq!(wakeups.iter().collect::<Vec<_>>(), wanted);
    assert_eq!(
        said,
        format!("v5.3: {} of {} decisions\n", wanted.len(), all.len())
    );
}

#[test]
fn text_is_a_line_each_as_well() {
    let arguments = [
        "decisions",
        "-",
        "--kernel",
        "v5.3",
        "--where",
        "kind == fork",
    ];
    let outcome = teeter_with(&arguments, SMALL);
    let first = outcome.stdout.lines().next().unwrap();
    assert!(
        first.starts_with("v5.3 0.") && first.contains(" fork task="),
        "{first}"
    );
}

#[test]
fn what_can_not_be_run_is_refused_as_run_does() {
    for arguments in [["--duration", "0s"], ["--kernel", "v5.4"]] {
        let said = |command| refused(&[&[command, "-"], &arguments[..]].concat(), SMALL);
        assert_eq!(said("decisions"), said("run"));
    }
}

#[test]
fn bad_filters_are_refused_with_their_column() {
    let said = refused(&["decisions", "-", "--where", "kind = wakeup"], SMALL);
    assert!(
        said.contains("--where: column 6: expected an operator, found `=`"),
        "{said}"
    );
    let said = refused(&["decisions", "-", "--where", "imbalanse > 1"], SMALL);
    assert!(said.contains("did you mean `imbalance`?"), "{said}");
}
