//! A kernel term that explains itself on hover and on focus.

use std::sync::atomic::{AtomicU32, Ordering};

use web_sys::HtmlElement;
use yew::prelude::*;

use crate::glossary;

/// A term may stand in several places; each explanation has an id of its own.
static NEXT: AtomicU32 = AtomicU32::new(0);

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    /// The term as the kernel spells it, or as the glossary lists it.
    pub term: AttrValue,
    /// What it means, where the glossary does not say it.
    #[prop_or_default]
    pub about: Option<AttrValue>,
    /// What is shown, where it is not the term.
    #[prop_or_default]
    pub children: Html,
}

/// The term; plain text where the glossary does not have it.
#[component]
pub(super) fn Term(props: &Props) -> Html {
    let place = use_state(|| None::<(f64, f64)>);
    let button = use_node_ref();
    let id = use_memo((), |()| {
        format!("term-{}", NEXT.fetch_add(1, Ordering::Relaxed))
    });
    let shown = if props.children == Html::default() {
        html! { &props.term }
    } else {
        props.children.clone()
    };
    let known = || glossary::entry(&props.term).map(|entry| AttrValue::from(entry.whole()));
    let Some(text) = props.about.clone().or_else(known) else {
        return shown;
    };

    let show = {
        let (place, button) = (place.clone(), button.clone());
        Callback::from(move |()| {
            if let Some(button) = button.cast::<HtmlElement>() {
                let rect = button.get_bounding_client_rect();
                let width = gloo::utils::window()
                    .inner_width()
                    .ok()
                    .and_then(|width| width.as_f64());
                let left = rect.left().min(width.unwrap_or(f64::MAX) - 336.0).max(12.0);
                place.set(Some((left, rect.bottom() + 6.0)));
            }
        })
    };
    let hide = {
        let place = place.clone();
        Callback::from(move |()| place.set(None))
    };
    let onkeydown = {
        let hide = hide.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Escape" {
                hide.emit(());
            }
        })
    };
    html! {
        <button type="button" class="term" ref={button} aria-describedby={(*id).clone()} {onkeydown}
            onpointerenter={show.reform(|_| ())} onpointerleave={hide.reform(|_| ())}
            onfocus={show.reform(|_| ())} onblur={hide.reform(|_| ())}>
            { shown }
            <span id={(*id).clone()} role="tooltip"
                class={if place.is_some() { "bubble" } else { "visually-hidden" }}
                style={place.map(|(x, y)| format!("left:{x}px;top:{y}px"))}>{ text }</span>
        </button>
    }
}
