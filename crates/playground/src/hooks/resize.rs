//! Counts how often an element changed its size, or the screen its pixels.

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{Element, ResizeObserver};
use yew::prelude::*;

/// A number that changes when the element's size does, from nothing to something too.
#[hook]
pub(crate) fn use_resize(element: &NodeRef) -> u32 {
    let count = use_reducer(Count::default);
    let dispatch = count.dispatcher();
    use_effect_with(element.clone(), move |element| {
        let changed = Closure::<dyn Fn()>::new(move || dispatch.dispatch(()));
        let observer = ResizeObserver::new(changed.as_ref().unchecked_ref()).ok();
        if let (Some(observer), Some(element)) = (&observer, element.cast::<Element>()) {
            observer.observe(&element);
        }
        move || {
            if let Some(observer) = observer {
                observer.disconnect();
            }
            drop(changed);
        }
    });
    count.0
}

#[derive(Default, PartialEq)]
struct Count(u32);

impl Reducible for Count {
    type Action = ();

    fn reduce(self: std::rc::Rc<Self>, (): ()) -> std::rc::Rc<Self> {
        Self(self.0.wrapping_add(1)).into()
    }
}
