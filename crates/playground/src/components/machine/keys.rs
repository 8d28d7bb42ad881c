//! Keys that change the parts that are chosen, in the tree as on the picture.

use web_sys::KeyboardEvent;

use crate::components::bench::Bench;
use crate::parts::{Change, Drawing};

/// What the keys do, in words.
pub(crate) const HELP: &str = "A adds a part, M a node of memory, D duplicates, G groups, O switches CPUs off or on, Delete removes, Ctrl with arrows moves a part among its siblings.";

/// What a key does to the parts that are chosen.
pub(crate) fn change(event: &KeyboardEvent, bench: &Bench, drawing: &Drawing) -> Option<Change> {
    let control = event.ctrl_key() || event.meta_key();
    let path = bench.focused();
    Some(match event.key().as_str() {
        "ArrowUp" if control => Change::Shift(false),
        "ArrowDown" if control => Change::Shift(true),
        _ if control || event.alt_key() => return None,
        "a" | "A" if path.len() < 3 => Change::Add,
        "m" | "M" => Change::AddMemory,
        "d" | "D" => Change::Duplicate,
        "g" | "G" => Change::Group,
        "o" | "O" => Change::Switch(!bench.chosen.iter().any(|path| drawing.any_on(path))),
        "Delete" | "Backspace" => Change::Remove,
        _ => return None,
    })
}
