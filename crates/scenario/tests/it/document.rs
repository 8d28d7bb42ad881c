//! Reading and writing documents.

use proptest::prelude::*;
use serde_json::Value;
use teeter_scenario::{Scenario, wire};

use crate::arbitrary;

proptest! {
    #[test]
    fn a_document_survives_writing_and_reading(scenario in arbitrary::scenario()) {
        let text = scenario.to_json();
        let again = Scenario::from_json(&text).map_err(|problems| {
            TestCaseError::fail(format!("{problems}\n{text}"))
        })?;
        prop_assert_eq!(&again, &scenario);
        prop_assert_eq!(again.to_json(), text);
        prop_assert_eq!(Scenario::from_json(&scenario.to_json_pretty()), Ok(scenario));
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,60}") {
        let reading = wire::read(&text);
        prop_assert!(reading.scenario.is_some() || !reading.problems.is_empty());
    }

    /// Whatever is broken, what is left of it is valid.
    #[test]
    fn what_is_left_of_a_broken_document_is_valid(
        scenario in arbitrary::scenario(),
        place in any::<prop::sample::Index>(),
        value in prop_oneof![
            Just(Value::Null),
            Just(Value::from(-3)),
            Just(Value::from("oops")),
            Just(serde_json::json!({ "oops": 1 })),
            Just(serde_json::json!([1, 2])),
        ],
    ) {
        let mut document = scenario.to_value();
        let places = places("", &document);
        let place = place.get(&places);
        *document.pointer_mut(place).unwrap() = value;
        let reading = wire::read(&document.to_string());
        if let Some(left) = reading.scenario {
            prop_assert_eq!(Scenario::from_json(&left.to_json()), Ok(left));
        }
    }
}

/// Every place of a document but the whole.
fn places(path: &str, value: &Value) -> Vec<String> {
    let mut all = Vec::new();
    let mut go = |step: String, value: &Value| {
        let path = teeter_scenario::problem::join(path, step);
        all.extend(places(&path, value));
        all.push(path);
    };
    match value {
        Value::Object(object) => object
            .iter()
            .for_each(|(key, value)| go(key.clone(), value)),
        Value::Array(list) => list
            .iter()
            .enumerate()
            .for_each(|(i, value)| go(i.to_string(), value)),
        _ => {}
    }
    all
}

/// The order of keys in an rt-app document is the order of events.
#[test]
fn an_rt_app_document_keeps_its_order() {
    let text = r#"{"teeter":1,"machine":{"preset":"laptop"},"tasks":[{"name":"a","workload":{"rtapp":{"tasks":{"z":{"sleep":1,"run":2}}}}}],"kernels":["v5.5"]}"#;
    assert_eq!(Scenario::from_json(text).unwrap().to_json(), text);
}
