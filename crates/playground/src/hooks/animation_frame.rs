//! Calls back on every frame the browser draws, for as long as the component is there.

use std::cell::RefCell;
use std::rc::Rc;

use gloo::render::{AnimationFrame, request_animation_frame};
use yew::prelude::*;

type Draw = Rc<RefCell<Box<dyn Fn(f64)>>>;
type Loop = Rc<RefCell<Option<AnimationFrame>>>;

/// Calls the latest `draw` with the frame's time, in ms. Nothing is called while the page is hidden.
#[hook]
pub(crate) fn use_animation_frame(draw: impl Fn(f64) + 'static) {
    let latest: Draw = use_mut_ref(|| Box::new(|_| ()) as Box<dyn Fn(f64)>);
    *latest.borrow_mut() = Box::new(draw);
    use_effect_with((), move |()| {
        let next = Loop::default();
        turn(&next, latest);
        move || {
            next.borrow_mut().take();
        }
    });
}

fn turn(next: &Loop, draw: Draw) {
    let again = Rc::downgrade(next);
    let frame = request_animation_frame(move |now| {
        draw.borrow()(now);
        if let Some(next) = again.upgrade() {
            turn(&next, draw);
        }
    });
    *next.borrow_mut() = Some(frame);
}
