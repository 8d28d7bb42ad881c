//! With what the page begins: what this tab held before it was loaded again, else the link's scenario, else the one
//! last worked on, else the first preset.

use std::rc::Rc;

use teeter_scenario::document::{Machine, Tasks, Workload};
use teeter_scenario::{Scenario, presets};

use crate::address;
use crate::state::{Desk, Notice};
use crate::work::{self, Work};

/// The desk at the start, and where its work is kept. A link that cannot be opened leaves the visitor's own work on it.
pub fn desk() -> (Desk, Work) {
    let fragment = address::fragment();
    let (own, before) = Work::begin();
    // The address bar follows an edit after a while only: while it shows what it showed then, the piece is newer.
    let kept = before
        .filter(|piece| piece.fragment == fragment)
        .and_then(|piece| piece.read());
    if let Some(scenario) = kept {
        return (Desk::new(scenario, None), own);
    }
    let (linked, notice): (Option<Rc<Scenario>>, Option<Notice>) = match address::read(&fragment) {
        Some(Ok(scenario)) => (Some(scenario), None),
        Some(Err(notice)) => (None, Some(notice)),
        None => (None, None),
    };
    let scenario = linked
        .or_else(work::latest)
        .unwrap_or_else(default_scenario);
    (Desk::new(scenario, notice), own)
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
