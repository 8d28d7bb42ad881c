//! A row of tabs: arrow keys move, as in the ARIA pattern.

use wasm_bindgen::JsCast;
use web_sys::HtmlElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    /// What the tabs choose among, for screen readers.
    pub label: &'static str,
    /// Names of the tabs.
    pub names: Vec<AttrValue>,
    /// Which one is chosen.
    pub chosen: usize,
    /// Chooses another.
    pub choose: Callback<usize>,
    #[prop_or("tabs")]
    pub class: &'static str,
}

/// The tabs; what they show is the parent's.
#[component]
pub(super) fn Tabs(props: &Props) -> Html {
    let list = use_node_ref();
    let onkeydown = {
        let (choose, chosen, count, list) = (
            props.choose.clone(),
            props.chosen,
            props.names.len(),
            list.clone(),
        );
        Callback::from(move |event: KeyboardEvent| {
            let next = match event.key().as_str() {
                "ArrowRight" => (chosen + 1) % count,
                "ArrowLeft" => (chosen + count - 1) % count,
                "Home" => 0,
                "End" => count - 1,
                _ => return,
            };
            event.prevent_default();
            choose.emit(next);
            let tab = list
                .cast::<HtmlElement>()
                .and_then(|list| list.children().item(next as u32));
            if let Some(tab) = tab.and_then(|tab| tab.dyn_into::<HtmlElement>().ok()) {
                let _ = tab.focus();
            }
        })
    };
    html! {
        <div class={classes!("tabs", props.class)} role="tablist" aria-label={props.label} ref={list} {onkeydown}>
            for (index, name) in props.names.iter().enumerate() {
                <button type="button" role="tab" key={index}
                    aria-selected={if index == props.chosen { "true" } else { "false" }}
                    tabindex={if index == props.chosen { "0" } else { "-1" }}
                    onclick={props.choose.reform(move |_| index)}>{ name.clone() }</button>
            }
        </div>
    }
}
