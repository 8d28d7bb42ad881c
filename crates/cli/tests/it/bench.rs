//! `teeter bench`

use serde_json::Value;

use crate::teeter::{printed, refused};

#[test]
fn one_scenario_is_told_in_the_promised_shape() {
    let output = printed(&["bench", "--only", "idle-1024", "--json"], "");
    let speed: Value = serde_json::from_str(&output).unwrap();
    assert_eq!(speed["name"], "idle-1024");
    assert_eq!(
        (&speed["cpus"], &speed["threads"]),
        (&1024.into(), &16.into())
    );
    for key in [
        "events",
        "events_per_s",
        "simulated_s_per_s",
        "cpu_ticks_per_s",
        "wall_s",
    ] {
        assert!(speed[key].as_f64().unwrap() > 0.0, "{key}");
    }
    assert!(speed.get("peak_bytes").is_some());
    assert_eq!(speed["decisions"], 0);
}

#[test]
fn a_scenario_of_ones_own_is_measured_with_decisions_on_record() {
    let arguments = ["bench", "preset:lu-group", "--events", "5000"];
    let output = printed(&[&arguments[..], &["--decisions", "--json"]].concat(), "");
    let speed: Value = serde_json::from_str(&output).unwrap();
    assert_eq!(speed["name"], "preset:lu-group");
    assert_eq!(speed["events"], 5000);
    assert!(speed["decisions"].as_u64().unwrap() > 100);
}

#[test]
fn an_unknown_one_is_refused() {
    let said = refused(&["bench", "--only", "flat23"], "");
    assert_eq!(
        said,
        "error: bench: unknown bench scenario `flat23` (did you mean `flat32`?)\n"
    );
}
