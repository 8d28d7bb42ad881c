//! A button with a small panel below it: no dialog, and closed by Escape, by its button or by a press elsewhere.

use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent};
use yew::prelude::*;

use super::icon::Icon;
use crate::hooks::{use_press_outside, use_window_event};

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    /// What the button is for.
    pub label: AttrValue,
    pub icon: &'static str,
    pub testid: &'static str,
    /// Changes when what is inside asks to be closed.
    #[prop_or_default]
    pub closes: u32,
    pub children: Html,
}

/// The button, and the panel while it is open.
#[component]
pub(super) fn Popover(props: &Props) -> Html {
    let open = use_state(|| false);
    let around = use_node_ref();
    let button = use_node_ref();
    let panel = use_node_ref();
    {
        let open = open.clone();
        use_effect_with(props.closes, move |_| open.set(false));
    }
    {
        let panel = panel.clone();
        use_effect_with(*open, move |open| {
            if let (true, Some(panel)) = (*open, panel.cast::<HtmlElement>()) {
                let _ = panel.focus();
            }
        });
    }
    {
        let (open, button) = (open.clone(), button.clone());
        use_window_event("keydown", move |event| {
            let key = event.dyn_ref::<KeyboardEvent>().map(KeyboardEvent::key);
            if *open && key.as_deref() == Some("Escape") && !event.default_prevented() {
                event.prevent_default();
                open.set(false);
                if let Some(button) = button.cast::<HtmlElement>() {
                    let _ = button.focus();
                }
            }
        });
    }
    {
        let open = open.clone();
        use_press_outside(&around, move || {
            if *open {
                open.set(false);
            }
        });
    }
    let toggle = {
        let open = open.clone();
        Callback::from(move |_: MouseEvent| open.set(!*open))
    };
    html! {
        <div class="popover" ref={around}>
            <button type="button" class="button icon" ref={button} onclick={toggle} title={props.label.clone()} aria-label={props.label.clone()}
                aria-expanded={open.to_string()} data-testid={props.testid}><Icon path={props.icon} /></button>
            if *open {
                <div class="popped" role="group" tabindex="-1" aria-label={props.label.clone()} ref={panel}>{ props.children.clone() }</div>
            }
        </div>
    }
}
