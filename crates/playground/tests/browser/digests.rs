//! The engine gives the same bits here as natively.

use std::collections::BTreeMap;

use teeter_scenario::{Nanos, presets};
use teeter_sim::Simulation;
use wasm_bindgen_test::wasm_bindgen_test;

/// Written by the native test of `teeter-sim`, which runs each preset for two seconds.
const RECORD: &str = include_str!("../../../../tests/golden/digests.json");

#[wasm_bindgen_test]
fn the_presets_have_the_digests_of_a_native_run() {
    let record: BTreeMap<String, String> = serde_json::from_str(RECORD).unwrap();
    let mut compared = 0;
    for name in presets::names() {
        let mut scenario = presets::get(name).unwrap();
        scenario.run.duration = Nanos::from_secs(2);
        for (at, kernel) in scenario.kernels.iter().enumerate() {
            let mut simulation = Simulation::new(&scenario, at, 0).unwrap();
            simulation.run_until(simulation.end());
            let key = format!("{name} {}", kernel.base);
            assert_eq!(format!("{:016x}", simulation.digest()), record[&key], "{key}");
            compared += 1;
        }
    }
    assert_eq!(compared, record.len());
}
