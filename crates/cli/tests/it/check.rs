//! `teeter check`

use teeter_scenario::presets;

use crate::teeter::{SMALL, file, printed, refused};

#[test]
fn every_preset_can_be_run() {
    for name in presets::names() {
        let argument = format!("preset:{name}");
        let said = printed(&["check", &argument], "");
        assert!(said.starts_with(&format!("{argument}: ok: ")), "{said}");
    }
}

#[test]
fn a_good_scenario_is_summed_up() {
    assert_eq!(
        printed(&["check", "-"], SMALL),
        "stdin: ok: 5 threads, 1 cgroup, 2 kernels\n"
    );
}

#[test]
fn every_problem_is_told_with_its_path() {
    let bad = SMALL
        .replace("\"threads\": 3", "\"threds\": 3")
        .replace("\"cgroup\": \"/a\"", "\"cgroup\": \"/b\"")
        .replace("\"seed\": 9", "\"sample\": \"1ns\"");
    let path = file(
        "bad.json",
        &bad.replace("\"sample\": \"50ms\"", "\"seed\": 9"),
    );
    let place = path.to_str().unwrap();
    let expected = [
        format!("error: {place}: /tasks/0/threds: unknown key (did you mean `threads`?)\n"),
        format!("error: {place}: /tasks/0/cgroup: unknown cgroup `/b` (did you mean `/a`?)\n"),
        format!("error: {place}: /run/sample: 1ns is less than 100us\n"),
    ];
    assert_eq!(refused(&["check", place], ""), expected.concat());
}

#[test]
fn what_the_engine_lacks_is_a_problem_too() {
    for (from, to, place) in [
        ("node:2 l3:1", "nod:2 l3:1", "/machine/synthetic"),
        ("\"hz\": 1000", "\"hertz\": 1000", "/kernels/1/set/hertz"),
        (
            "\"hog\", \"threads\"",
            "\"hog\", \"uclamp\": [0, 512], \"threads\"",
            "/tasks/0/uclamp",
        ),
    ] {
        let said = refused(&["check", "-"], &SMALL.replace(from, to));
        assert!(
            said.starts_with(&format!("error: stdin: {place}")),
            "{said}"
        );
    }
}

#[test]
fn a_syntax_error_is_told_by_line() {
    assert_eq!(
        refused(&["check", "-"], "{\n  \"teeter\": 1,\n}"),
        "error: stdin: not JSON: trailing comma at line 3 column 1\n"
    );
}

#[test]
fn what_is_not_there_is_told_by_name() {
    let said = refused(&["check", "/no/such.json"], "");
    assert!(said.starts_with("error: /no/such.json: "), "{said}");
    assert_eq!(
        refused(&["check", "preset:lu-grup"], ""),
        "error: preset:lu-grup: unknown preset `lu-grup` (did you mean `lu-group`?)\n"
    );
    assert_eq!(
        refused(&["check", "#p=lu-grup"], ""),
        "error: unknown preset `lu-grup` (did you mean `lu-group`?)\n"
    );
}
