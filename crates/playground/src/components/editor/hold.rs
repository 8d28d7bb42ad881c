//! What is held: a handle that is stretched, or a part out of the stock. Nothing is changed before it is let go;
//! Escape puts it back.

use std::cell::Cell;
use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::{KeyboardEvent, PointerEvent};
use yew::prelude::*;

use super::handles::targets;
use crate::components::bench::Bench;
use crate::drawing::plan::Plan;
use crate::hooks::{SLOP, Sight, on_stage, size_of, use_window_event};
use crate::parts::{Change, Drawing, Path, kind, whole_name};

/// A handle that is taken hold of.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Grab {
    /// Whose.
    pub path: Path,
    /// How many parts it has.
    pub size: usize,
    /// How far a pointer goes for one more, CSS pixels.
    pub step: f64,
}

/// A part out of the stock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    Node,
    Memory,
    Llc,
    Core,
}

impl Item {
    /// The part it comes into at a place, or where none is told: the one with the focus, or the last that can
    /// take it.
    pub(super) fn goal(self, drawing: &Drawing, at: &[usize]) -> Option<Path> {
        let last = drawing.nodes.len().checked_sub(1)?;
        let node = at.first().copied().unwrap_or(last);
        match self {
            Self::Node | Self::Memory => Some(Path::new()),
            Self::Llc => Some(vec![node]),
            Self::Core => {
                let node = if drawing.size(&[node]) == 0 && at.is_empty() {
                    drawing
                        .nodes
                        .iter()
                        .rposition(|node| !node.llcs.is_empty())?
                } else {
                    node
                };
                let llcs = drawing.size(&[node]);
                match at.get(1) {
                    Some(llc) => Some(vec![node, *llc]),
                    // A core needs a cache: one of memory only gets one first.
                    None => llcs.checked_sub(1).map(|llc| vec![node, llc]),
                }
            }
        }
    }

    pub(super) fn change(self) -> Change {
        match self {
            Self::Memory => Change::AddMemory,
            _ => Change::Add,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Node => "node",
            Self::Memory => "memory node",
            Self::Llc => "cache",
            Self::Core => "core",
        }
    }
}

/// What is held, and where.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Held {
    what: What,
    from: (f64, f64),
    at: (f64, f64),
    moved: bool,
}

#[derive(Clone, Debug, PartialEq)]
enum What {
    Handle { grab: Grab, to: usize },
    Item { item: Item, goal: Option<Path> },
}

impl Held {
    pub(super) fn at(&self) -> (f64, f64) {
        self.at
    }

    pub(super) fn words(&self) -> String {
        match &self.what {
            What::Handle { grab, to } => {
                let plural = if *to == 1 { "" } else { "s" };
                format!("{to} {}{plural}", kind(grab.path.len() + 1))
            }
            What::Item { item, .. } => item.name().to_owned(),
        }
    }

    /// What is done when it is let go, and with which parts.
    fn change(&self, bench: &Bench) -> Option<(Change, Vec<Path>)> {
        match &self.what {
            What::Handle { grab, to } => {
                (*to != grab.size).then(|| (Change::Stretch(*to), targets(bench, &grab.path)))
            }
            What::Item { item, goal } => Some((item.change(), vec![goal.clone()?])),
        }
    }
}

/// The hold on something.
pub(super) struct Hold {
    /// What it is, once it has moved.
    pub held: Option<Held>,
    /// The machine as it would be.
    pub preview: Option<Rc<Drawing>>,
    /// The part that what is held would come into.
    pub target: Option<Path>,
    /// Whether something has just been let go: the click that comes of it means nothing.
    pub dropped: Rc<Cell<bool>>,
    /// Takes hold of a handle.
    pub grab: Callback<(Grab, PointerEvent)>,
    /// Takes something out of the stock.
    pub take: Callback<(Item, PointerEvent)>,
}

impl Hold {
    /// What letting go would do, in words.
    pub(super) fn hint(&self) -> String {
        match self.held.as_ref().map(|held| &held.what) {
            Some(What::Handle { grab, to }) if *to != grab.size => {
                format!(" instead of {}", grab.size)
            }
            Some(What::Item {
                goal: Some(goal), ..
            }) => format!(" into {}", whole_name(goal)),
            Some(What::Item { .. }) => " nowhere yet".to_owned(),
            _ => String::new(),
        }
    }
}

/// Follows what is held wherever it goes.
#[hook]
pub(super) fn use_hold(
    bench: &Bench,
    drawing: &Rc<Drawing>,
    plan: &Rc<Plan>,
    stage: &NodeRef,
    sight: &Sight,
) -> Hold {
    let state = use_state(|| None::<Held>);
    let dropped: Rc<Cell<bool>> = (*use_memo((), |()| Rc::new(Cell::new(false)))).clone();
    {
        let dropped = Rc::clone(&dropped);
        use_window_event("pointerdown", move |_| dropped.set(false));
    }
    let begin = {
        let (state, dropped) = (state.clone(), Rc::clone(&dropped));
        move |what: What, event: &PointerEvent| {
            dropped.set(false);
            event.prevent_default();
            let at = (f64::from(event.client_x()), f64::from(event.client_y()));
            // A finger keeps what it went down on unless it is let go.
            let target = event
                .target()
                .and_then(|target| target.dyn_into::<web_sys::Element>().ok());
            if let Some(target) = target {
                let _ = target.release_pointer_capture(event.pointer_id());
            }
            state.set(Some(Held {
                what,
                from: at,
                at,
                moved: false,
            }));
        }
    };
    {
        let (state, plan, drawing) = (state.clone(), Rc::clone(plan), Rc::clone(drawing));
        let (stage, sight) = (stage.clone(), sight.clone());
        use_window_event("pointermove", move |event| {
            let (Some(event), Some(old)) =
                (event.dyn_ref::<web_sys::PointerEvent>(), state.as_ref())
            else {
                return;
            };
            let at = (f64::from(event.client_x()), f64::from(event.client_y()));
            let (dx, dy) = (at.0 - old.from.0, at.1 - old.from.1);
            let what = match &old.what {
                What::Handle { grab, .. } => {
                    let steps = ((dx + dy) / (grab.step * sight.view().scale)).round() as i64;
                    let to = (grab.size as i64 + steps).max(1) as usize;
                    What::Handle {
                        grab: grab.clone(),
                        to,
                    }
                }
                What::Item { item, .. } => {
                    let (x, y) = on_stage(&stage, event.client_x(), event.client_y());
                    let room = size_of(&stage);
                    let inside = x >= 0.0 && y >= 0.0 && x < room.0 && y < room.1;
                    let (x, y) = sight.view().picture_at(x, y);
                    let part = plan.at(x, y, 2);
                    // A cache or a core wants a part to come into; a node comes anywhere.
                    let wants = matches!(item, Item::Llc | Item::Core);
                    let goal = (inside && !(wants && part.is_empty()))
                        .then(|| item.goal(&drawing, &part))
                        .flatten();
                    What::Item { item: *item, goal }
                }
            };
            state.set(Some(Held {
                what,
                at,
                moved: old.moved || dx.hypot(dy) > SLOP,
                ..old.clone()
            }));
        });
    }
    {
        let (state, bench, dropped) = (state.clone(), bench.clone(), Rc::clone(&dropped));
        use_window_event("pointerup", move |_| {
            if let Some(held) = state.as_ref() {
                dropped.set(held.moved);
                let change = held.change(&bench).filter(|_| held.moved);
                state.set(None);
                if let Some(change) = change {
                    bench.change_at.emit(change);
                }
            }
        });
    }
    {
        let state = state.clone();
        use_window_event("pointercancel", move |_| {
            if state.is_some() {
                state.set(None);
            }
        });
    }
    {
        let (state, dropped) = (state.clone(), Rc::clone(&dropped));
        use_window_event("keydown", move |event| {
            let key = event.dyn_ref::<KeyboardEvent>().map(KeyboardEvent::key);
            if state.is_some() && key.as_deref() == Some("Escape") {
                dropped.set(true);
                state.set(None);
            }
        });
    }
    let held = state.as_ref().filter(|held| held.moved).cloned();
    let change = held.as_ref().and_then(|held| held.change(bench));
    let preview = use_memo((change, Rc::clone(drawing)), |(change, drawing)| {
        let (change, at) = change.as_ref()?;
        let mut new = (**drawing).clone();
        change.apply(&mut new, at);
        (new != **drawing).then(|| Rc::new(new))
    });
    let target = match held.as_ref().map(|held| &held.what) {
        Some(What::Item { goal, .. }) => goal.clone(),
        Some(What::Handle { grab, .. }) => Some(grab.path.clone()),
        None => None,
    };
    Hold {
        preview: (*preview).clone(),
        held,
        target,
        dropped,
        grab: {
            let begin = begin.clone();
            Callback::from(move |(grab, event): (Grab, PointerEvent)| {
                let to = grab.size;
                begin(What::Handle { grab, to }, &event);
            })
        },
        take: Callback::from(move |(item, event): (Item, PointerEvent)| {
            begin(What::Item { item, goal: None }, &event);
        }),
    }
}
