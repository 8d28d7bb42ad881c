//! The digests of all presets are on record, so that a change of behaviour is seen, and so that the tests
//! in a browser can hold WebAssembly against them.
//!
//! A change that is meant: `TEETER_BLESS=1 cargo test -p teeter-sim digests` writes the file anew.

#![expect(
    clippy::unwrap_used,
    reason = "the presets are sound, or the test fails"
)]

use std::collections::BTreeMap;
use std::path::Path;

use teeter_scenario::{Nanos, presets};
use teeter_sim::Simulation;

const RECORD: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tests/golden/digests.json"
);

/// How much of each preset is run.
const DURATION: Nanos = Nanos::from_secs(2);
/// Of a scenario that is no longer than that, whose tasks talk all the time, one part of so many.
const PART: u64 = 20;

/// Digest of each preset under each of its kernels, as `preset kernel`.
fn digests() -> BTreeMap<String, String> {
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
    digests
}

#[test]
fn digests_of_the_presets_are_on_record() {
    let digests = digests();
    if std::env::var_os("TEETER_BLESS").is_some() {
        let text = serde_json::to_string_pretty(&digests).unwrap() + "\n";
        std::fs::write(Path::new(RECORD), text).unwrap();
    }
    let record = std::fs::read_to_string(RECORD).unwrap();
    let record: BTreeMap<String, String> = serde_json::from_str(&record).unwrap();
    assert_eq!(digests, record);
    println!("{} digests compared", digests.len());
}
