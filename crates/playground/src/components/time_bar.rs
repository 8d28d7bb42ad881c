//! The run's time: how far it has come, and where the script changes something.

use std::rc::Rc;

use teeter_scenario::{Nanos, Scenario};
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, PointerEvent};
use yew::prelude::*;

use crate::edit::{Edit, ScriptEdit, describe};
use crate::format;

/// A key moves a mark by so much of the whole run.
const STEP: f64 = 0.01;

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub scenario: Rc<Scenario>,
    /// Simulated time now, ns.
    pub now_ns: f64,
    pub edit: Callback<Edit>,
}

/// The bar, with a mark for each change: dragged, or moved by arrow keys, it changes at another time.
#[component]
pub(super) fn TimeBar(props: &Props) -> Html {
    let track = use_node_ref();
    let dragged = use_state(|| None::<(usize, f64)>);
    let whole = (props.scenario.run.duration.0 as f64).max(1.0);
    let share = |ns: f64| (ns / whole * 100.0).clamp(0.0, 100.0);
    html! {
        <div class="time-bar" data-testid="time-bar">
            <div class="track" ref={track.clone()}>
                <div class="gone" style={format!("inline-size:{:.3}%", share(props.now_ns))}></div>
                for (index, entry) in props.scenario.script.iter().enumerate() {
                    { mark(props, index, entry.at, &describe(&entry.action), whole, &track, &dragged) }
                }
            </div>
            <div class="ends note"><span>{ "0 s" }</span><span>{ format!("{} s", format::short(props.scenario.run.duration.as_secs_f64())) }</span></div>
        </div>
    }
}

fn mark(
    props: &Props,
    index: usize,
    at: Nanos,
    what: &str,
    whole: f64,
    track: &NodeRef,
    dragged: &UseStateHandle<Option<(usize, f64)>>,
) -> Html {
    let now = match **dragged {
        Some((mark, ns)) if mark == index => ns,
        _ => at.0 as f64,
    };
    let set = {
        let edit = props.edit.clone();
        move |ns: f64| {
            // Whole ms: a hand is no more exact than that.
            let ms = (ns.clamp(0.0, whole) / 1e6).round();
            edit.emit(ScriptEdit::At(index, Nanos::from_millis(ms as u64)).into());
        }
    };
    let onpointerdown = {
        let dragged = dragged.clone();
        Callback::from(move |event: PointerEvent| {
            let element = event
                .target()
                .and_then(|target| target.dyn_into::<HtmlElement>().ok());
            if let Some(element) = element {
                let _ = element.set_pointer_capture(event.pointer_id());
            }
            dragged.set(Some((index, at.0 as f64)));
        })
    };
    let onpointermove = {
        let (dragged, track) = (dragged.clone(), track.clone());
        Callback::from(move |event: PointerEvent| {
            if let (Some(_), Some(track)) = (*dragged, track.cast::<HtmlElement>()) {
                let rect = track.get_bounding_client_rect();
                let share = (f64::from(event.client_x()) - rect.left()) / rect.width().max(1.0);
                dragged.set(Some((index, share.clamp(0.0, 1.0) * whole)));
            }
        })
    };
    let onpointerup = {
        let (dragged, set) = (dragged.clone(), set.clone());
        Callback::from(move |_: PointerEvent| {
            if let Some((_, ns)) = *dragged {
                dragged.set(None);
                if (ns - at.0 as f64).abs() > whole * 0.001 {
                    set(ns);
                }
            }
        })
    };
    let onkeydown = {
        let edit = props.edit.clone();
        Callback::from(move |event: KeyboardEvent| {
            let step = match event.key().as_str() {
                "ArrowLeft" => -STEP,
                "ArrowRight" => STEP,
                "Delete" => {
                    event.prevent_default();
                    edit.emit(ScriptEdit::Remove(index).into());
                    return;
                }
                _ => return,
            };
            event.prevent_default();
            set(at.0 as f64 + step * whole);
        })
    };
    let seconds = format::seconds(now);
    html! {
        <button key={index} type="button" class="mark" style={format!("inset-inline-start:{:.3}%", (now / whole * 100.0).clamp(0.0, 100.0))}
            title={format!("{seconds}: {what}")} aria-label={format!("{what} at {seconds}: arrow keys move it, Delete removes it")}
            {onpointerdown} {onpointermove} {onpointerup} {onkeydown}></button>
    }
}
