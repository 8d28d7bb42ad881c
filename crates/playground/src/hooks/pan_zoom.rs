//! Moving and zooming a picture by hand: pointers of any kind, the wheel with Ctrl, keys.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use web_sys::{Element, HtmlElement, KeyboardEvent, PointerEvent, WheelEvent};
use yew::prelude::*;

use super::use_animation_frame;
use crate::drawing::rect::Rect;
use crate::drawing::view::View;

/// How far a pointer goes before it drags, CSS pixels.
pub(crate) const SLOP: f64 = 5.0;
/// One step of a key or button that zooms.
const STEP: f64 = 1.25;
/// One step of a key that moves, CSS pixels.
const MOVE: f64 = 60.0;

/// What of a picture is in sight; clones are the same. It changes without a render: who shows it looks at every
/// frame.
#[derive(Clone, Default)]
pub(crate) struct Sight(Rc<Cell<View>>);

impl PartialEq for Sight {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Sight {
    pub(crate) fn view(&self) -> View {
        self.0.get()
    }

    pub(crate) fn set(&self, view: View) {
        self.0.set(view);
    }

    /// Zooms about the middle of a stage, for a button.
    pub(crate) fn step(&self, larger: bool, stage: (f64, f64)) {
        let by = if larger { STEP } else { 1.0 / STEP };
        let middle = (stage.0 / 2.0, stage.1 / 2.0);
        self.set(self.view().zoomed(by, middle, stage));
    }

    /// The same for the stage that is on the page.
    pub(crate) fn step_in_sight(&self, larger: bool) {
        let stage = gloo::utils::document().query_selector(".stage");
        if let Ok(Some(stage)) = stage {
            let size = (stage.client_width(), stage.client_height());
            self.step(larger, (f64::from(size.0), f64::from(size.1)));
        }
    }

    pub(crate) fn fit(&self) {
        self.set(View::FIT);
    }
}

/// A rectangle drawn around parts, in the picture's coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Lasso {
    /// As far as it is drawn.
    Drawn(Rect),
    /// It is complete; whether it adds to what is chosen.
    Done(Rect),
    /// It is given up.
    Dropped,
}

/// What the hands on a picture do.
#[derive(Default)]
struct Hands {
    /// Pointers that are down, with where they are on the stage.
    down: Vec<(i32, (f64, f64))>,
    from: (f64, f64),
    moved: bool,
    lasso: bool,
    /// Whether the space bar is held: everything moves the picture then.
    space: bool,
}

/// How a picture takes hands.
#[derive(Clone, PartialEq)]
pub(crate) struct Grip {
    /// Whether it is edited: a finger moves it even where all of it is in sight, Shift draws a lasso, and the
    /// space bar is held to move it.
    pub edited: bool,
    /// Who is told of a lasso.
    pub lasso: Callback<Lasso>,
}

/// Handlers for a stage.
#[derive(Clone)]
pub(crate) struct PanZoom {
    hands: Rc<RefCell<Hands>>,
    pub onpointerdown: Callback<PointerEvent>,
    pub onpointermove: Callback<PointerEvent>,
    pub onpointerup: Callback<PointerEvent>,
    pub onpointercancel: Callback<PointerEvent>,
    pub onwheel: Callback<WheelEvent>,
    pub onkeydown: Callback<KeyboardEvent>,
    pub onkeyup: Callback<KeyboardEvent>,
}

impl PanZoom {
    /// Whether the pointer that was down last has dragged: its click means nothing.
    pub(crate) fn has_dragged(&self) -> bool {
        self.hands.borrow().moved
    }

    /// Gives up a lasso; whether there was one.
    pub(crate) fn drop_lasso(&self) -> bool {
        std::mem::take(&mut self.hands.borrow_mut().lasso)
    }

    /// Whether everything moves the picture now.
    pub(crate) fn moves_all(&self) -> bool {
        self.hands.borrow().space
    }
}

/// How large an element is, CSS pixels.
pub(crate) fn size_of(element: &NodeRef) -> (f64, f64) {
    let element = element.cast::<HtmlElement>();
    element.map_or((0.0, 0.0), |element| {
        (
            f64::from(element.client_width()),
            f64::from(element.client_height()),
        )
    })
}

/// Where a pointer is on a stage.
pub(crate) fn on_stage(stage: &NodeRef, x: i32, y: i32) -> (f64, f64) {
    let rect = stage
        .cast::<Element>()
        .map(|stage| stage.get_bounding_client_rect());
    rect.map_or((0.0, 0.0), |rect| {
        (f64::from(x) - rect.left(), f64::from(y) - rect.top())
    })
}

/// Lets a stage's picture be moved and zoomed.
#[hook]
pub(crate) fn use_pan_zoom(stage: &NodeRef, sight: &Sight, grip: Grip) -> PanZoom {
    let hands: Rc<RefCell<Hands>> = use_mut_ref(Hands::default);
    let onpointerdown = {
        let (stage, hands, grip) = (stage.clone(), Rc::clone(&hands), grip.clone());
        Callback::from(move |event: PointerEvent| {
            let mut hands = hands.borrow_mut();
            if event.button() > 1 {
                return;
            }
            let at = on_stage(&stage, event.client_x(), event.client_y());
            hands.down.retain(|(id, _)| *id != event.pointer_id());
            hands.down.push((event.pointer_id(), at));
            if let [_] = hands.down.as_slice() {
                hands.from = at;
                hands.moved = false;
                hands.lasso = grip.edited && event.shift_key();
            } else if hands.lasso {
                hands.lasso = false;
                grip.lasso.emit(Lasso::Dropped);
            }
        })
    };
    let onpointermove = {
        let (stage, hands, grip, sight) = (
            stage.clone(),
            Rc::clone(&hands),
            grip.clone(),
            sight.clone(),
        );
        Callback::from(move |event: PointerEvent| {
            let mut hands = hands.borrow_mut();
            let id = event.pointer_id();
            let Some(place) = hands.down.iter().position(|(known, _)| *known == id) else {
                return;
            };
            // One that was let go where nobody saw it.
            if event.buttons() == 0 {
                hands.down.clear();
                return;
            }
            let at = on_stage(&stage, event.client_x(), event.client_y());
            let room = size_of(&stage);
            let old = hands.down[place].1;
            let view = sight.view();
            if let [_] = hands.down.as_slice() {
                let far = (at.0 - hands.from.0).hypot(at.1 - hands.from.1) > SLOP;
                if !hands.moved && !far {
                    return;
                }
                // A finger on a picture that is only looked at scrolls the page.
                if event.pointer_type() == "touch" && !grip.edited && view.is_fit() {
                    return;
                }
                if !hands.moved {
                    hands.moved = true;
                    capture(&stage, id);
                }
                if hands.lasso {
                    let (a, b) = (hands.from, at);
                    let rect = Rect::between(view.picture_at(a.0, a.1), view.picture_at(b.0, b.1));
                    grip.lasso.emit(Lasso::Drawn(rect));
                } else {
                    let from = if far && old == hands.from {
                        hands.from
                    } else {
                        old
                    };
                    sight.set(view.moved(at.0 - from.0, at.1 - from.1, room));
                }
            } else if let Some(&(_, other)) = hands.down.iter().find(|(known, _)| *known != id) {
                hands.moved = true;
                let before = (old.0 - other.0).hypot(old.1 - other.1).max(1.0);
                let after = (at.0 - other.0).hypot(at.1 - other.1).max(1.0);
                let middle = (f64::midpoint(at.0, other.0), f64::midpoint(at.1, other.1));
                let shift = ((at.0 - old.0) / 2.0, (at.1 - old.1) / 2.0);
                let moved = view.moved(shift.0, shift.1, room);
                sight.set(moved.zoomed(after / before, middle, room));
            }
            hands.down[place].1 = at;
        })
    };
    let release = |given_up: bool| {
        let (stage, hands, grip, sight) = (
            stage.clone(),
            Rc::clone(&hands),
            grip.clone(),
            sight.clone(),
        );
        Callback::from(move |event: PointerEvent| {
            let mut hands = hands.borrow_mut();
            let known = hands.down.len();
            hands.down.retain(|(id, _)| *id != event.pointer_id());
            if hands.lasso && hands.down.len() < known {
                hands.lasso = false;
                let at = on_stage(&stage, event.client_x(), event.client_y());
                let (view, from) = (sight.view(), hands.from);
                let rect =
                    Rect::between(view.picture_at(from.0, from.1), view.picture_at(at.0, at.1));
                let told = if given_up || !hands.moved {
                    Lasso::Dropped
                } else {
                    Lasso::Done(rect)
                };
                drop(hands);
                grip.lasso.emit(told);
            }
        })
    };
    let onwheel = {
        let (stage, sight) = (stage.clone(), sight.clone());
        Callback::from(move |event: WheelEvent| {
            if event.ctrl_key() || event.meta_key() {
                event.prevent_default();
                let at = on_stage(&stage, event.client_x(), event.client_y());
                let larger = 1.0 + (event.delta_y().abs() * 0.0035).min(1.0);
                let by = if event.delta_y() < 0.0 {
                    larger
                } else {
                    1.0 / larger
                };
                sight.set(sight.view().zoomed(by, at, size_of(&stage)));
            }
        })
    };
    let onkeydown = {
        let (stage, hands, grip, sight) = (
            stage.clone(),
            Rc::clone(&hands),
            grip.clone(),
            sight.clone(),
        );
        Callback::from(move |event: KeyboardEvent| {
            if event.ctrl_key() || event.meta_key() || event.alt_key() {
                return;
            }
            let room = size_of(&stage);
            let moved = |dx: f64, dy: f64| sight.set(sight.view().moved(dx, dy, room));
            match event.key().as_str() {
                "+" | "=" => sight.step(true, room),
                "-" => sight.step(false, room),
                "0" => sight.fit(),
                "ArrowLeft" => moved(MOVE, 0.0),
                "ArrowRight" => moved(-MOVE, 0.0),
                "ArrowUp" => moved(0.0, MOVE),
                "ArrowDown" => moved(0.0, -MOVE),
                " " if grip.edited => hands.borrow_mut().space = true,
                _ => return,
            }
            event.prevent_default();
            event.stop_propagation();
        })
    };
    let onkeyup = {
        let hands = Rc::clone(&hands);
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == " " {
                hands.borrow_mut().space = false;
            }
        })
    };
    PanZoom {
        onpointerdown,
        onpointermove,
        onpointerup: release(false),
        onpointercancel: release(true),
        onwheel,
        onkeydown,
        onkeyup,
        hands,
    }
}

/// Shows a picture as a sight has it, at every frame.
#[hook]
pub(crate) fn use_sight(picture: &NodeRef, sight: &Sight) {
    let shown = use_mut_ref(|| None::<View>);
    let (picture, sight) = (picture.clone(), sight.clone());
    use_animation_frame(move |_| {
        let view = sight.view();
        if *shown.borrow() == Some(view) {
            return;
        }
        if let Some(element) = picture.cast::<HtmlElement>() {
            *shown.borrow_mut() = Some(view);
            let _ = element.style().set_property("transform", &view.css());
            // What is too small to read is shown once it is close.
            let _ = element.toggle_attribute_with_force("data-close", view.scale >= 2.0);
        }
    });
}

fn capture(stage: &NodeRef, pointer: i32) {
    if let Some(stage) = stage.cast::<Element>() {
        let _ = stage.set_pointer_capture(pointer);
    }
}
