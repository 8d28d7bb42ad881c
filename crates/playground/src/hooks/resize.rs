//! Counts how often the window changed its size or its pixels.

use yew::prelude::*;

use super::use_window_event;

/// A number that changes when the window does.
#[hook]
pub(crate) fn use_resize() -> u32 {
    let count = use_state(|| 0_u32);
    let bump = count.clone();
    use_window_event("resize", move |_| bump.set(*bump + 1));
    *count
}
