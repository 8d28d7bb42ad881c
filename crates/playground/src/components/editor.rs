//! The machine's picture as it is edited: parts are taken from a stock, stretched by their handles, chosen,
//! copied, switched off and taken away on the picture itself.

mod boxes;
mod handles;
mod hold;
mod inspector;
mod links;
mod stock;

use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, KeyboardEvent};
use yew::prelude::*;

use self::boxes::Boxes;
use self::handles::Handles;
use self::hold::{Held, Hold, use_hold};
use self::inspector::Inspector;
use self::links::Links;
use self::stock::Stock;
use super::bench::Bench;
use super::domains::{Groups, Marks};
use super::machine::keys;
use crate::drawing::plan::Plan;
use crate::drawing::rect::Rect;
use crate::hooks::{
    Grip, Lasso, Sight, size_of, use_focus_on, use_pan_zoom, use_resize, use_sight,
    use_window_event,
};
use crate::parts::{Drawing, Path};

/// Room below the picture for the machine's own handle, CSS pixels.
const FOOT: f64 = 30.0;

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub bench: Bench,
    pub drawing: Rc<Drawing>,
    pub sight: Sight,
    /// The CPU whose sched domains are looked at, and the groups that are marked.
    pub marks: Option<Marks>,
    /// Looks at another CPU's.
    pub look: Callback<u32>,
}

/// The stock, the picture, and what can be done with the parts chosen on it.
#[component]
pub(super) fn Editor(props: &Props) -> Html {
    let Props { bench, sight, .. } = props;
    let stage = use_node_ref();
    let picture = use_node_ref();
    let lasso = use_state(|| None::<Rect>);
    let several = use_state(|| false);
    let resized = use_resize(&stage);
    let size = size_of(&stage);
    let (width, height) = (size.0, (size.1 - FOOT).max(0.0));
    let base = use_memo(
        (
            Rc::clone(&props.drawing),
            resized,
            size.0 as i32,
            size.1 as i32,
        ),
        |(drawing, ..)| Plan::new(drawing, width, height),
    );
    let hold = use_hold(bench, &props.drawing, &base, &stage, sight);
    // While something is held the picture shows what letting go would make of it.
    let drawing = hold.preview.as_ref().unwrap_or(&props.drawing);
    let plan = match &hold.preview {
        Some(preview) => Rc::new(Plan::new(preview, width, height)),
        None => Rc::clone(&base),
    };

    let onlasso = {
        let (bench, base, lasso) = (bench.clone(), Rc::clone(&base), lasso.clone());
        Callback::from(move |told: Lasso| match told {
            Lasso::Drawn(rect) => lasso.set(Some(rect)),
            Lasso::Dropped => lasso.set(None),
            Lasso::Done(rect) => {
                lasso.set(None);
                bench.choose.emit(base.within(&rect));
            }
        })
    };
    let grip = Grip {
        edited: true,
        lasso: onlasso,
    };
    let hands = use_pan_zoom(&stage, sight, grip);
    use_sight(&picture, sight);
    {
        let (hands, lasso) = (hands.clone(), lasso.clone());
        use_window_event("keydown", move |event| {
            let key = event.dyn_ref::<KeyboardEvent>().map(KeyboardEvent::key);
            if key.as_deref() == Some("Escape") && hands.drop_lasso() {
                lasso.set(None);
            }
        });
    }
    use_focus(&bench.focused(), &base, &stage, sight);

    let onclick = {
        let (bench, hands, several, look) =
            (bench.clone(), hands.clone(), *several, props.look.clone());
        let dropped = Rc::clone(&hold.dropped);
        let looked = props.marks.is_some();
        Callback::from(move |event: MouseEvent| {
            if hands.has_dragged() || dropped.take() {
                return;
            }
            let target = event
                .target()
                .and_then(|target| target.dyn_into::<Element>().ok());
            let Some(target) = target else { return };
            if let Some(cpu) = target.get_attribute("data-cpu").filter(|_| looked) {
                look.emit(cpu.parse().unwrap_or(0));
            }
            let also = several || event.shift_key() || event.ctrl_key() || event.meta_key();
            match path_of(&target) {
                Some(path) => {
                    let item = target.closest("[data-path]").ok().flatten();
                    if let Some(item) = item.and_then(|item| item.dyn_into::<HtmlElement>().ok()) {
                        let _ = item.focus();
                    }
                    bench.pick(path, also);
                }
                None if !also && target.closest("[data-free]").ok().flatten().is_none() => {
                    bench.choose.emit(vec![Path::new()]);
                }
                None => {}
            }
        })
    };
    let onkeydown = {
        let (bench, base, drawing) = (bench.clone(), Rc::clone(&base), Rc::clone(&props.drawing));
        let moves = hands.onkeydown.clone();
        Callback::from(move |event: KeyboardEvent| {
            let part = event
                .target()
                .and_then(|target| target.dyn_into::<Element>().ok())
                .filter(|target| target.has_attribute("data-path"))
                .and_then(|target| path_of(&target));
            // What has the focus is meant, even where it is not chosen yet.
            let bench = part.as_ref().map(|part| bench.with(part));
            if bench.is_some_and(|bench| act(&event, &bench, &base, &drawing)) {
                event.prevent_default();
                event.stop_propagation();
            } else {
                moves.emit(event);
            }
        })
    };
    let toggle = {
        let several = several.clone();
        Callback::from(move |_: MouseEvent| several.set(!*several))
    };
    let target = hold.target.clone();
    html! {
        <div class="editor" data-testid="editor">
            <div class="row wrap bar">
                <Stock bench={bench.clone()} drawing={Rc::clone(&props.drawing)} take={hold.take.clone()} />
                <button type="button" class="button quiet end" aria-pressed={several.to_string()} onclick={toggle}
                    title="Each click then adds to the choice, as with Shift" data-testid="several">{ "Choose several" }</button>
            </div>
            <div class={classes!("stage", "edited", hold.held.is_some().then_some("holds"))} ref={stage.clone()} tabindex="0" role="group"
                aria-label="Picture of the machine: arrows move it, plus and minus zoom, 0 fits" data-testid="editor-stage"
                {onclick} {onkeydown} onkeyup={hands.onkeyup.clone()} onwheel={hands.onwheel.clone()}
                onpointerdown={hands.onpointerdown.clone()} onpointermove={hands.onpointermove.clone()}
                onpointerup={hands.onpointerup.clone()} onpointercancel={hands.onpointercancel.clone()}>
                <div class="picture" ref={picture} data-testid="editor-picture">
                    <Boxes drawing={Rc::clone(drawing)} plan={Rc::clone(&plan)} chosen={Rc::clone(&bench.chosen)} {target} />
                    if let Some(marks) = &props.marks {
                        <Groups cells={plan.cells()} marks={marks.clone()} />
                    }
                    <Links bench={bench.clone()} drawing={Rc::clone(drawing)} plan={Rc::clone(&plan)} {width} height={size.1} />
                    <Handles bench={bench.clone()} drawing={Rc::clone(drawing)} plan={Rc::clone(&plan)} grab={hold.grab.clone()}
                        moves_all={hands.clone()} foot={(width, height)} />
                    if let Some(rect) = *lasso {
                        <div class="lasso" style={place(&rect)}></div>
                    }
                </div>
            </div>
            if let Some(held) = &hold.held { { bubble(held, &hold) } }
            <Inspector bench={bench.clone()} drawing={Rc::clone(&props.drawing)} />
        </div>
    }
}

/// What is held, beside the pointer.
fn bubble(held: &Held, hold: &Hold) -> Html {
    let (x, y) = held.at();
    html! {
        <div class="ghost" style={format!("left:{x}px;top:{y}px")} aria-hidden="true" data-testid="held">{ held.words() }
            <span class="note">{ hold.hint() }</span></div>
    }
}

/// Does what a key means on a part; whether it means anything.
fn act(event: &KeyboardEvent, bench: &Bench, plan: &Plan, drawing: &Rc<Drawing>) -> bool {
    if let Some(change) = keys::change(event, bench, drawing) {
        bench.change.emit(change);
        return true;
    }
    let path = bench.focused();
    let parts: Vec<&Path> = plan.parts.iter().map(|(path, _)| path).collect();
    let at = parts.iter().position(|known| **known == path);
    let control = event.ctrl_key() || event.meta_key();
    let to = match (event.key().as_str(), at) {
        ("ArrowDown", None) | ("Home", _) => parts.first().copied(),
        ("ArrowDown", Some(at)) => parts.get(at + 1).copied(),
        ("ArrowUp", Some(at)) => at.checked_sub(1).and_then(|at| parts.get(at).copied()),
        ("ArrowRight", _) => parts
            .iter()
            .find(|part| part.len() == path.len() + 1 && part.starts_with(&path))
            .copied(),
        ("ArrowLeft", _) => parts
            .iter()
            .find(|part| !path.is_empty() && ***part == path[..path.len() - 1])
            .copied(),
        ("End", _) => parts.last().copied(),
        ("a" | "A", _) if control => {
            // All of its kind in the same part.
            let Some((_, parent)) = path.split_last() else {
                return false;
            };
            let alike = parts
                .iter()
                .filter(|part| part.len() == path.len() && part.starts_with(parent));
            bench
                .choose
                .emit(alike.map(|part| (*part).clone()).collect());
            return true;
        }
        ("Escape", _) => {
            bench.choose.emit(vec![path]);
            return true;
        }
        (" ", _) => {
            bench.pick(path, true);
            return true;
        }
        _ => return false,
    };
    if let Some(to) = to {
        if event.shift_key() {
            let mut all = (*bench.chosen).clone();
            all.retain(|known| known != to && !known.is_empty());
            all.push(to.clone());
            bench.choose.emit(all);
        } else {
            bench.choose.emit(vec![to.clone()]);
        }
    }
    true
}

/// The focus goes with the choice where it is on the picture; what has it is in sight.
#[hook]
fn use_focus(path: &Path, plan: &Rc<Plan>, stage: &NodeRef, sight: &Sight) {
    let (stage, sight) = (stage.clone(), sight.clone());
    let focus = use_focus_on("data-path");
    use_effect_with((path.clone(), Rc::clone(plan)), move |(path, plan)| {
        if focus.holds() {
            let id = boxes::id_of(path);
            let item = gloo::utils::document().get_element_by_id(&id);
            if let Some(item) = item.and_then(|item| item.dyn_into::<HtmlElement>().ok()) {
                let options = web_sys::FocusOptions::new();
                options.set_prevent_scroll(true);
                let _ = item.focus_with_options(&options);
            }
            if let Some(rect) = plan.rect(path) {
                sight.set(sight.view().revealing(&rect, size_of(&stage)));
            }
        }
    });
}

/// The part that an element shows.
fn path_of(element: &Element) -> Option<Path> {
    let part = element.closest("[data-path]").ok().flatten()?;
    let text = part.get_attribute("data-path")?;
    text.split('-').map(|part| part.parse().ok()).collect()
}

/// Where something lies, as CSS.
fn place(rect: &Rect) -> String {
    format!(
        "left:{:.1}px;top:{:.1}px;width:{:.1}px;height:{:.1}px",
        rect.x, rect.y, rect.w, rect.h
    )
}
