//! Listens to an event of the window, for as long as the component is there.

use std::cell::RefCell;
use std::rc::Rc;

use gloo::events::{EventListener, EventListenerOptions};
use web_sys::Event;
use yew::prelude::*;

type Heard = Rc<RefCell<Box<dyn Fn(&Event)>>>;

/// Calls the latest `heard` for each event of that name; it may prevent the default.
#[hook]
pub(crate) fn use_window_event(name: &'static str, heard: impl Fn(&Event) + 'static) {
    let latest: Heard = use_mut_ref(|| Box::new(|_: &Event| ()) as Box<dyn Fn(&Event)>);
    *latest.borrow_mut() = Box::new(heard);
    use_effect_with(name, move |name| {
        let options = EventListenerOptions::enable_prevent_default();
        let listener =
            EventListener::new_with_options(&gloo::utils::window(), *name, options, move |event| {
                latest.borrow()(event);
            });
        move || drop(listener)
    });
}
