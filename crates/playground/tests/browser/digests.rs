//! The engine gives the same bits here as natively: the record is written by the engine's own tests.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeMap;

use teeter_scenario::{Nanos, presets};
use teeter_sim::Simulation;
use wasm_bindgen_test::wasm_bindgen_test;

const RECORD: &str = include_str!("../../../../tests/golden/digests.json");

/// How much of each preset the record covers.
const DURATION: Nanos = Nanos::from_secs(2);
/// Of a scenario that is no longer than that, whose tasks talk all the time, one part of so many.
const PART: u64 = 20;

#[wasm_bindgen_test]
fn digests_of_the_presets_are_those_of_a_native_run() {
    let record: BTreeMap<String, String> = serde_json::from_str(RECORD).unwrap();
    let mut digests = BTreeMap::new();
    for name in presets::names() {
        let mut scenario = presets::get(name).unwrap();
        if scenario.run.duration > DURATION {
            scenario.run.duration = DURATION;
        } else {
            scenario.run.duration.0 /= PART;
            scenario.run.warmup = Nanos::ZERO;
        }
        for (at, kernel) in scenario.kernels.iter().enumerate() {
            let mut simulation = Simulation::new(&scenario, at, 0).unwrap();
            simulation.run_until(simulation.end());
            let digest = format!("{:016x}", simulation.digest());
            digests.insert(format!("{name} {}", kernel.base), digest);
        }
    }
    assert_eq!(digests, record);
}

#[wasm_bindgen_test]
fn a_run_cut_into_a_workers_slices_is_the_same_run() {
    let mut scenario = presets::get("lu-group").unwrap();
    scenario.run.duration = Nanos::from_millis(300);
    let mut whole = Simulation::new(&scenario, 0, 0).unwrap();
    whole.run_until(whole.end());
    let mut sliced = Simulation::new(&scenario, 0, 0).unwrap();
    let mut until = Nanos::ZERO;
    while !sliced.finished() {
        until += Nanos(16_666_667);
        while !sliced.run_events(until, 2_000) {}
    }
    assert_eq!(sliced.digest(), whole.digest());
}
