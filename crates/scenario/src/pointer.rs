//! JSON Pointers (RFC 6901) into a document: how problems, link overrides and sweeps name a place.

use serde_json::{Map, Value};

/// What [`remove`] took out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removed {
    /// A key of an object.
    Key,
    /// An element of a list; those after it have other numbers now.
    Element,
}

/// The steps of a pointer, unescaped.
fn steps(pointer: &str) -> impl Iterator<Item = String> + '_ {
    pointer
        .split('/')
        .skip(1)
        .map(|step| step.replace("~1", "/").replace("~0", "~"))
}

/// Takes out what a pointer names, or what is nearest above it. `None` where that is the whole document.
pub fn remove(document: &mut Value, pointer: &str) -> Option<Removed> {
    let mut rest = pointer;
    while let Some((parent, last)) = rest.rsplit_once('/') {
        let key = last.replace("~1", "/").replace("~0", "~");
        let removed = document
            .pointer_mut(parent)
            .and_then(|parent| take(parent, &key));
        if removed.is_some() {
            return removed;
        }
        rest = parent;
    }
    None
}

/// Takes a key or an element out of its parent.
fn take(parent: &mut Value, key: &str) -> Option<Removed> {
    match parent {
        Value::Object(object) => object.shift_remove(key).map(|_| Removed::Key),
        Value::Array(list) => {
            let index = index(key).filter(|index| *index < list.len())?;
            list.remove(index);
            Some(Removed::Element)
        }
        _ => None,
    }
}

/// Puts a value at a place. Objects that are missing on the way are made, and a kernel or a workload that is
/// written as a name becomes an object first.
///
/// ```
/// use serde_json::json;
///
/// let mut document = json!({ "kernels": ["v5.5"] });
/// teeter_scenario::pointer::set(&mut document, "/kernels/0/set/hz", json!(1000)).unwrap();
/// assert_eq!(document, json!({ "kernels": [{ "base": "v5.5", "set": { "hz": 1000 } }] }));
/// ```
///
/// # Errors
/// Where the place can not be: beyond the end of a list, or inside a number or text.
pub fn set(document: &mut Value, pointer: &str, value: Value) -> Result<(), PointerError> {
    let error = || PointerError(pointer.to_owned());
    if !pointer.starts_with('/') {
        return Err(error());
    }
    let mut place = document;
    let mut above = String::new();
    for step in steps(pointer) {
        if let Value::String(base) = place
            && above == "kernels"
        {
            *place = Value::Object(Map::from_iter([("base".to_owned(), base.clone().into())]));
        }
        // `"workload": "hackbench"` is short for `{ "hackbench": {} }`.
        if above == "workload" && place.as_str() == Some(&step) {
            *place = Value::Object(Map::from_iter([(step.clone(), Value::Null)]));
        }
        if place.is_null() {
            *place = Value::Object(Map::new());
        }
        place = match place {
            Value::Object(object) => object.entry(&step).or_insert(Value::Null),
            Value::Array(list) => index(&step)
                .and_then(|index| list.get_mut(index))
                .ok_or_else(error)?,
            _ => return Err(error()),
        };
        // The name of a list stays, for its elements.
        if index(&step).is_none() {
            above = step;
        }
    }
    *place = value;
    Ok(())
}

/// An index as RFC 6901 writes it: no sign, no leading zero.
fn index(step: &str) -> Option<usize> {
    let canonical = step == "0"
        || (!step.starts_with('0') && !step.is_empty() && step.bytes().all(|b| b.is_ascii_digit()));
    canonical.then(|| step.parse().ok())?
}

/// A place that the document does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no place `{0}` in the scenario")]
pub struct PointerError(pub String);

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn removal_takes_the_nearest_that_is_there() {
        let mut document = json!({ "a": [{ "b": 1, "c": 2 }, 3], "d/e": 4 });
        assert_eq!(remove(&mut document, "/a/0/c/x"), Some(Removed::Key));
        assert_eq!(remove(&mut document, "/a/1"), Some(Removed::Element));
        assert_eq!(remove(&mut document, "/d~1e"), Some(Removed::Key));
        assert_eq!(document, json!({ "a": [{ "b": 1 }] }));
        assert_eq!(remove(&mut document, "/z"), None);
        assert_eq!(remove(&mut document, ""), None);
    }

    #[test]
    fn a_workload_by_name_can_be_given_parameters() {
        let mut document = json!({ "tasks": [{ "workload": "hackbench" }] });
        set(
            &mut document,
            "/tasks/0/workload/hackbench/groups",
            json!(4),
        )
        .unwrap();
        assert_eq!(
            document,
            json!({ "tasks": [{ "workload": { "hackbench": { "groups": 4 } } }] })
        );
        let place = "/tasks/0/workload/tbench/clients";
        let mut document = json!({ "tasks": [{ "workload": "hackbench" }] });
        assert_eq!(
            set(&mut document, place, json!(4)),
            Err(PointerError(place.to_owned()))
        );
    }

    #[test]
    fn setting_makes_objects_but_no_elements() {
        let mut document = json!({ "tasks": [{ "name": "lu" }] });
        set(&mut document, "/run/seed", json!(2)).unwrap();
        set(&mut document, "/tasks/0/threads", json!(4)).unwrap();
        assert_eq!(
            document,
            json!({ "tasks": [{ "name": "lu", "threads": 4 }], "run": { "seed": 2 } })
        );
        for place in [
            "",
            "run",
            "/tasks/1/threads",
            "/tasks/-/x",
            "/run/seed/x",
            "/tasks/00/x",
        ] {
            let before = document.clone();
            assert_eq!(
                set(&mut document, place, json!(1)),
                Err(PointerError(place.to_owned()))
            );
            assert_eq!(document, before, "{place}");
        }
    }
}
