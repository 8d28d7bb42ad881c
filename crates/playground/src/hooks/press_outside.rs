//! Hears a press anywhere but within an element.

use wasm_bindgen::JsCast;
use web_sys::Node;
use yew::prelude::*;

use super::use_window_event;

/// Calls the latest `outside` for each press that is not within `around`.
#[hook]
pub(crate) fn use_press_outside(around: &NodeRef, outside: impl Fn() + 'static) {
    let around = around.clone();
    use_window_event("pointerdown", move |event| {
        let target = event
            .target()
            .and_then(|target| target.dyn_into::<Node>().ok());
        let inside = around
            .get()
            .is_some_and(|around| around.contains(target.as_ref()));
        if !inside {
            outside();
        }
    });
}
