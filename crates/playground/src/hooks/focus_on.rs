//! Whether the focus is on an element of some kind, or was when that element went.

use std::cell::Cell;
use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::Element;
use yew::prelude::*;

use super::use_window_event;

/// Whether the focus is on elements that have an attribute.
#[derive(Clone)]
pub(crate) struct FocusOn(Rc<Cell<bool>>);

impl FocusOn {
    /// Whether it is there, or was there last and is nowhere since: where an element goes, no other gets its focus.
    pub(crate) fn holds(&self) -> bool {
        self.0.get()
    }
}

/// Follows the focus.
#[hook]
pub(crate) fn use_focus_on(attribute: &'static str) -> FocusOn {
    let held = (*use_memo((), |()| Rc::new(Cell::new(false)))).clone();
    {
        let held = Rc::clone(&held);
        use_window_event("focusin", move |event| {
            let target = event
                .target()
                .and_then(|target| target.dyn_into::<Element>().ok());
            held.set(target.is_some_and(|target| target.has_attribute(attribute)));
        });
    }
    FocusOn(held)
}
