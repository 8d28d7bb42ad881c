//! Whether an element can be seen: on screen, in a page that is shown.

use js_sys::Array;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, IntersectionObserver, IntersectionObserverEntry};
use yew::prelude::*;

/// Whether any of the element is in sight now. True where a browser cannot tell.
#[hook]
pub(crate) fn use_visible(element: &NodeRef) -> bool {
    let visible = use_state_eq(|| false);
    {
        let visible = visible.clone();
        use_effect_with(element.clone(), move |element| {
            let setter = visible.setter();
            let changed = Closure::<dyn Fn(Array)>::new(move |entries: Array| {
                let last = entries.at(-1).dyn_into::<IntersectionObserverEntry>();
                if let Ok(entry) = last {
                    setter.set(entry.is_intersecting());
                }
            });
            let observer =
                IntersectionObserver::new(changed.as_ref().unchecked_ref::<js_sys::Function>())
                    .map_err(|error: JsValue| error)
                    .ok();
            match (&observer, element.cast::<Element>()) {
                (Some(observer), Some(element)) => observer.observe(&element),
                _ => visible.set(true),
            }
            move || {
                if let Some(observer) = observer {
                    observer.disconnect();
                }
                drop(changed);
            }
        });
    }
    *visible
}
