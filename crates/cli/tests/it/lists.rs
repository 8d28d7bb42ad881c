//! `teeter presets`, `kernels`, `rules` and `schema`

use teeter_scenario::presets;

use crate::teeter::{printed, refused, teeter};

#[test]
fn presets_are_listed() {
    let said = printed(&["presets"], "");
    for name in presets::names() {
        assert!(said.contains(&format!("  preset:{name} ")), "{said}");
    }
    for machine in teeter_machine::presets() {
        assert!(said.contains(&format!("  {} ", machine.name)), "{said}");
        assert!(said.contains(machine.source), "{said}");
    }
}

#[test]
fn kernels_are_listed() {
    let said = printed(&["kernels"], "");
    let names: Vec<&str> = said
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    let known: Vec<&str> = teeter_sim::kernels()
        .iter()
        .map(|kernel| kernel.name)
        .collect();
    assert_eq!(names, known);
}

#[test]
fn rules_are_listed_with_their_values() {
    let said = printed(&["rules"], "");
    for rule in teeter_sched::rules::all() {
        assert!(said.contains(&format!("{} ", rule.name)), "{said}");
        assert!(said.contains(&rule.values().join(" | ")), "{said}");
    }
}

#[test]
fn workloads_are_listed_with_their_parameters() {
    let said = printed(&["workloads"], "");
    let json: serde_json::Value =
        serde_json::from_str(&printed(&["workloads", "--json"], "")).unwrap();
    let listed = json.as_array().unwrap();
    assert_eq!(listed.len(), teeter_workload::catalogue().len());
    for (workload, json) in teeter_workload::catalogue().iter().zip(listed) {
        assert!(
            said.lines().any(|line| line.starts_with(workload.name)),
            "{said}"
        );
        assert_eq!(
            (&json["name"], &json["about"]),
            (&workload.name.into(), &workload.about.into())
        );
        for (parameter, json) in workload
            .parameters
            .iter()
            .zip(json["parameters"].as_array().unwrap())
        {
            assert!(said.contains(parameter.about), "{said}");
            assert_eq!(json["name"], parameter.name);
            assert_eq!(json["default"].as_str(), parameter.default);
        }
    }
}

#[test]
fn the_schema_is_the_published_one() {
    let published = include_str!("../../../../static/schema/scenario.v1.json");
    assert_eq!(printed(&["schema"], ""), published);
}

#[test]
fn help_is_no_error_and_nonsense_is() {
    let help = teeter(&["--help"]);
    assert_eq!((help.code, help.stderr.as_str()), (0, ""));
    assert!(help.stdout.contains("Usage: teeter"));
    let said = refused(&["rnu"], "");
    assert!(
        said.starts_with("error: unrecognized subcommand 'rnu'"),
        "{said}"
    );
}
