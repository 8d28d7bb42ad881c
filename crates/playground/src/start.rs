//! With what the page begins: the link's scenario, else the one last worked on, else the first preset.

use std::rc::Rc;

use teeter_scenario::document::{Machine, Tasks, Workload};
use teeter_scenario::{Scenario, presets};

use crate::state::{Desk, Notice};
use crate::{address, store};

/// The desk at the start. A link that cannot be opened leaves the visitor's own work on it.
pub fn desk() -> Desk {
    let kept = || {
        let json: String = store::load(store::SCENARIO)?;
        Scenario::from_json(&json).ok().map(Rc::new)
    };
    let (linked, notice): (Option<Rc<Scenario>>, Option<Notice>) =
        match address::read(&address::fragment()) {
            Some(Ok(scenario)) => (Some(scenario), None),
            Some(Err(notice)) => (None, Some(notice)),
            None => (None, None),
        };
    Desk::new(
        linked.or_else(kept).unwrap_or_else(default_scenario),
        notice,
    )
}

/// The first preset.
pub fn default_scenario() -> Rc<Scenario> {
    let first = presets::names()
        .next()
        .and_then(|name| presets::get(name).ok());
    Rc::new(first.unwrap_or_else(|| {
        Scenario::new(
            Machine::preset("laptop"),
            vec![Tasks::new("hog", Workload::Hog)],
        )
    }))
}

/// Whether the visitor asked for less motion: then nothing runs by itself.
pub fn prefers_stillness() -> bool {
    let query = gloo::utils::window().match_media("(prefers-reduced-motion: reduce)");
    query.ok().flatten().is_some_and(|query| query.matches())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_visit_shows_the_first_preset() {
        assert_eq!(*default_scenario(), presets::get("lu-group").unwrap());
    }
}
