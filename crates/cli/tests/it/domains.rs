//! `teeter domains`

use serde_json::{Value, json};

use crate::teeter::{SMALL, printed, refused};

#[test]
fn json_has_the_promised_shape() {
    let said = printed(
        &[
            "domains",
            "node:1 core:2 pu:2",
            "--kernel",
            "v6.12.y",
            "--json",
        ],
        "",
    );
    let cpus: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(cpus.as_array().unwrap().len(), 4);
    assert_eq!(cpus[3]["cpu"], 3);
    let names: Vec<_> = cpus[3]["domains"]
        .as_array()
        .unwrap()
        .iter()
        .map(|sd| &sd["name"])
        .collect();
    assert_eq!(names, ["SMT", "MC"]);
    let mc = &cpus[3]["domains"][1];
    for (key, want) in [
        ("span", json!("0-3")),
        ("groups", json!(["2-3", "0-1"])),
        ("imbalance_pct", json!(117)),
        ("min_interval", json!(4)),
        ("max_interval", json!(8)),
        ("busy_factor", json!(16)),
        ("cache_nice_tries", json!(1)),
        ("capacities", json!([2048, 2048])),
    ] {
        assert_eq!(mc[key], want, "{key}");
    }
    assert_eq!(
        mc["flags"],
        json!([
            "SD_BALANCE_NEWIDLE",
            "SD_BALANCE_EXEC",
            "SD_BALANCE_FORK",
            "SD_WAKE_AFFINE",
            "SD_SHARE_LLC",
            "SD_PREFER_SIBLING"
        ])
    );
}

#[test]
fn text_says_why_levels_are_missing() {
    let said = printed(&["domains", "preset:haswell-2s", "--kernel", "v6.1.y"], "");
    for line in [
        "48 CPUs on 2 nodes, 48 online; v6.1.y",
        "CPUs 0-47, as CPU 0 has them",
        "  SMT 0,24",
        "    groups 0 | 24",
        "  NUMA 0-47",
        "  DIE 0-11,24-35: dropped because it spans the same CPUs as MC and adds no flag",
    ] {
        assert!(said.lines().any(|said| said == line), "{line} in\n{said}");
    }
}

#[test]
fn scenarios_bring_their_kernel_and_what_it_sets() {
    let scenario = SMALL.replace(
        "\"kernels\": [\"v5.3\",",
        "\"kernels\": [{ \"base\": \"v5.3\", \"set\": { \"domain.NUMA.imbalance_pct\": 140 } },",
    );
    let cpus: Value =
        serde_json::from_str(&printed(&["domains", "-", "--json"], &scenario)).unwrap();
    assert_eq!(cpus[0]["domains"][1]["imbalance_pct"], 140);
    assert_eq!(cpus[0]["domains"][1]["busy_factor"], 32);
}

#[test]
fn unknown_kernels_and_bad_machines_are_refused() {
    let said = refused(&["domains", "core:2", "--kernel", "v6.12.x"], "");
    assert!(
        said.contains("unknown kernel `v6.12.x` (did you mean `v6.12.y`?)"),
        "{said}"
    );
    let said = refused(&["domains", "node:2 core"], "");
    assert!(said.contains("/machine/synthetic: column 8"), "{said}");
}
