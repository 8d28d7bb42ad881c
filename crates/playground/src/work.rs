//! The visitor's work as the browser keeps it: a piece for each page that is open or was, so that no page writes
//! over another's.

use std::rc::Rc;

use serde::{Deserialize, Serialize};
use teeter_scenario::{Scenario, presets};

use crate::store;

/// Before the name of each piece.
const PREFIX: &str = "teeter.work.";
/// The piece of this tab, as it was loaded last.
const HERE: &str = "teeter.here";
/// Pieces that are kept at most; the oldest go.
const PIECES: usize = 16;

/// A scenario as it was left.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Piece {
    /// The scenario, as JSON.
    pub scenario: String,
    /// Its name.
    pub name: String,
    /// When it was kept, ms since 1970.
    pub at_ms: f64,
    /// What stood in the address bar then.
    pub fragment: String,
}

impl Piece {
    /// The scenario, if it still is one.
    pub fn read(&self) -> Option<Rc<Scenario>> {
        Scenario::from_json(&self.scenario).ok().map(Rc::new)
    }
}

/// The piece that this page writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Work {
    name: String,
}

impl Work {
    /// A piece of its own for this page, and what its tab held before it was loaded again.
    pub fn begin() -> (Self, Option<Piece>) {
        // Not the tab's own name: a tab that is duplicated takes that along.
        let number = (js_sys::Math::random() * 1e12) as u64;
        let work = Self {
            name: format!("{PREFIX}{number}"),
        };
        let before: Option<String> = store::load_here(HERE);
        let piece = before.as_deref().and_then(store::load);
        if let (Some(before), Some(piece)) = (&before, &piece) {
            store::save::<Piece>(&work.name, piece);
            store::remove(before);
        }
        store::save_here(HERE, &work.name);
        (work, piece)
    }

    /// Keeps the scenario as it is now.
    pub fn keep(&self, scenario: &Scenario, fragment: String) {
        let piece = Piece {
            scenario: scenario.to_json(),
            name: scenario.name.clone(),
            at_ms: js_sys::Date::now(),
            fragment,
        };
        store::save(&self.name, &piece);
        for (name, _) in newest(pieces()).into_iter().skip(PIECES) {
            store::remove(&name);
        }
    }

    /// What other pages hold or held and is no preset, newest first; of equal ones the newest.
    pub fn others(&self) -> Vec<Piece> {
        let own: Option<Piece> = store::load(&self.name);
        let presets = presets::ALL
            .iter()
            .filter_map(|preset| preset.scenario().ok());
        let mut seen: Vec<String> = presets
            .map(|scenario| scenario.to_json())
            .chain(own.map(|piece| piece.scenario))
            .collect();
        let others = newest(pieces()).into_iter().map(|(_, piece)| piece);
        others
            .filter(|piece| {
                let is_new = !seen.contains(&piece.scenario);
                seen.push(piece.scenario.clone());
                is_new
            })
            .collect()
    }
}

/// What was worked on last, in any page.
pub fn latest() -> Option<Rc<Scenario>> {
    newest(pieces())
        .into_iter()
        .find_map(|(_, piece)| piece.read())
}

fn pieces() -> Vec<(String, Piece)> {
    let names = store::names().into_iter();
    names
        .filter(|name| name.starts_with(PREFIX))
        .filter_map(|name| {
            let piece = store::load(&name)?;
            Some((name, piece))
        })
        .collect()
}

fn newest(mut pieces: Vec<(String, Piece)>) -> Vec<(String, Piece)> {
    pieces.sort_by(|(_, a), (_, b)| b.at_ms.total_cmp(&a.at_ms));
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_comes_first() {
        let piece = |at_ms| Piece {
            scenario: String::new(),
            name: String::new(),
            at_ms,
            fragment: String::new(),
        };
        let sorted = newest(vec![
            ("a".to_owned(), piece(1.0)),
            ("b".to_owned(), piece(3.0)),
            ("c".to_owned(), piece(2.0)),
        ]);
        let names: Vec<_> = sorted.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["b", "c", "a"]);
    }
}
