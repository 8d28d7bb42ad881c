//! The link: copied with one click, shown with its length; a text field where the clipboard is closed.

use std::rc::Rc;

use teeter_scenario::Scenario;
use teeter_scenario::link::{LENGTH_HINT, LENGTH_MOST, LENGTH_WARNING};
use wasm_bindgen::JsCast;
use web_sys::{HtmlInputElement, KeyboardEvent};
use yew::prelude::*;

use super::icon::{CLOSE, Icon, LINK};
use crate::hooks::{use_press_outside, use_window_event};
use crate::{address, clipboard, format};

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub scenario: Rc<Scenario>,
}

/// The button, and below it what came of it.
#[component]
pub(super) fn Share(props: &Props) -> Html {
    // None: not asked; else whether it was copied.
    let copied = use_state(|| None::<bool>);
    let field = use_node_ref();
    let around = use_node_ref();
    {
        let copied = copied.clone();
        use_effect_with(Rc::clone(&props.scenario), move |_| copied.set(None));
    }
    {
        let field = field.clone();
        use_effect_with(*copied, move |copied| {
            if let (Some(_), Some(field)) = (copied, field.cast::<HtmlInputElement>()) {
                field.select();
                let _ = field.focus();
            }
        });
    }
    {
        let copied = copied.clone();
        use_window_event("keydown", move |event| {
            let key = event.dyn_ref::<KeyboardEvent>().map(KeyboardEvent::key);
            if copied.is_some() && key.as_deref() == Some("Escape") {
                copied.set(None);
            }
        });
    }
    {
        let copied = copied.clone();
        use_press_outside(&around, move || {
            if copied.is_some() {
                copied.set(None);
            }
        });
    }
    let fragment = use_memo(Rc::clone(&props.scenario), |scenario| {
        address::encode(scenario)
    });
    let link = address::whole(&fragment);
    let onclick = {
        let (copied, link) = (copied.clone(), link.clone());
        Callback::from(move |_: MouseEvent| {
            let copied = copied.clone();
            clipboard::copy(&link, Callback::from(move |done| copied.set(Some(done))));
        })
    };
    let close = {
        let copied = copied.clone();
        Callback::from(move |_: MouseEvent| copied.set(None))
    };
    html! {
        <>
            <button type="button" class="button" {onclick} data-testid="copy-link"><Icon path={LINK} /><span class="words">{ "Copy link" }</span></button>
            if let Some(done) = *copied {
                <div class="share" ref={around}>
                    <div class="row">
                        <strong role="status">{ if done { "Link copied" } else { "Copy the link from here" } }</strong>
                        <span class="note">{ format!("{} characters after the page's address", format::count(fragment.len() as u64)) }</span>
                        <button type="button" class="button quiet icon end" onclick={close} aria-label="Close"><Icon path={CLOSE} /></button>
                    </div>
                    <input class="input mono" readonly=true value={link} ref={field} aria-label="Link of this scenario" data-testid="link-text" />
                    <p class="note">{ "It contains the whole scenario; nothing is uploaded." }</p>
                    if let Some(warning) = warning(fragment.len()) { <p class="error">{ warning }</p> }
                </div>
            }
        </>
    }
}

/// What to say about a long link.
fn warning(length: usize) -> Option<&'static str> {
    if length > LENGTH_MOST {
        Some("Too long for an address bar: this link will not open everywhere.")
    } else if length > LENGTH_HINT {
        Some("Many programs refuse a link of this length.")
    } else if length > LENGTH_WARNING {
        Some("Some chat programs cut links of this length.")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_links_are_warned_about() {
        assert_eq!(warning(2_000), None);
        assert!(warning(2_001).is_some_and(|text| text.contains("chat")));
        assert!(warning(40_000).is_some_and(|text| text.contains("address bar")));
    }
}
