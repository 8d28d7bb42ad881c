//! Examples of virtual averages, lag and places.

use serde_json::Value;

use super::{int, uint};
use crate::eevdf::{VirtualSum, entity_lag, first_vslice, inflated_lag};
use crate::weight::{LoadWeight, calc_delta_fair};

pub(super) fn check(id: &str, given: &Value, want: &Value) {
    match id.split('.').nth(1) {
        Some("avg") => check_average(id, given, want),
        Some("place") => check_place(id, given, want),
        Some("lag") => {
            let lag = int(given, "avg_vruntime") - int(given, "vruntime");
            let load = LoadWeight::of_nice(int(given, "nice") as i8);
            let got = entity_lag(lag, uint(given, "slice_ns"), uint(given, "tick_ns"), load);
            assert_eq!(got, int(want, "vlag"), "{id}");
        }
        _ => panic!("{id} is of no known kind"),
    }
}

fn check_average(id: &str, given: &Value, want: &Value) {
    let min_vruntime = int(given, "min_vruntime");
    let entities: Vec<(i64, u64)> = serde_json::from_value(given["entities(v,w)"].clone()).unwrap();
    let sum = entities
        .iter()
        .fold(VirtualSum::default(), |sum, &(vruntime, weight)| {
            sum.with(vruntime - min_vruntime, weight)
        });
    let average = min_vruntime + sum.average();
    assert_eq!(average, int(want, "avg_vruntime"), "{id}");
    if let Some(eligible) = want["eligible"].as_array() {
        for (&(vruntime, _), eligible) in entities.iter().zip(eligible) {
            let got = sum.eligible(vruntime - min_vruntime);
            assert_eq!(Some(got), eligible.as_bool(), "{id} {vruntime}");
        }
    }
}

fn check_place(id: &str, given: &Value, want: &Value) {
    let load = LoadWeight::of_nice(int(given, "nice") as i8);
    assert_eq!(load.unscaled(), uint(given, "weight"), "{id}");
    let lag = inflated_lag(int(given, "vlag"), int(given, "rq_load"), load.unscaled());
    let vruntime = int(given, "avg_vruntime") - lag;
    let vslice = calc_delta_fair(uint(given, "slice_ns"), load);
    let initial = given["initial"].as_bool().unwrap_or(false);
    let deadline = vruntime + first_vslice(vslice, initial) as i64;
    assert_eq!(vruntime, int(want, "vruntime"), "{id}");
    assert_eq!(deadline, int(want, "deadline"), "{id}");
}
