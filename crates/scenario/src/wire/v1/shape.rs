//! Keys that exclude each other.

use crate::problem::Problem;

/// Of these keys exactly one must be there.
pub(super) fn exactly_one(path: &str, keys: &[(&str, bool)], problems: &mut Vec<Problem>) {
    let given: Vec<&str> = keys
        .iter()
        .filter_map(|&(key, given)| given.then_some(key))
        .collect();
    match given.as_slice() {
        [] => problems.push(Problem::new(
            path,
            format!("one of {} is needed", quoted(keys.iter().map(|key| key.0))),
        )),
        [_] => {}
        [_, rest @ ..] => problems.extend(rest.iter().map(|key| {
            Problem::new(
                format!("{path}/{key}"),
                format!(
                    "excludes {}",
                    quoted(given.iter().copied().filter(|k| k != key))
                ),
            )
        })),
    }
}

fn quoted<'a>(keys: impl Iterator<Item = &'a str>) -> String {
    let keys: Vec<String> = keys.map(|key| format!("`{key}`")).collect();
    keys.join(", ")
}
