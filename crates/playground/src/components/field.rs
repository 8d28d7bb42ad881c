//! A value typed exactly, with its error beside it; nothing typed is lost.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::hooks::use_draft;

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    /// Id of the input, for its label.
    pub id: AttrValue,
    /// The value as it stands.
    pub value: AttrValue,
    /// Takes a typed text; says what is wrong with it.
    pub commit: Callback<String, Result<(), String>>,
    #[prop_or("input number")]
    pub class: &'static str,
    #[prop_or_default]
    pub testid: Option<AttrValue>,
    /// What holds where nothing is typed.
    #[prop_or_default]
    pub placeholder: Option<AttrValue>,
    /// A name for screen readers, where there is no label.
    #[prop_or_default]
    pub label: Option<AttrValue>,
}

/// The input. It commits on Enter and when focus leaves it; until then what is typed stays, whatever
/// happens around it, and is there again when the field is.
#[component]
pub(super) fn Field(props: &Props) -> Html {
    let label = props.label.as_deref().unwrap_or_default();
    let typed = use_draft(&format!("{} {label}", props.id), &props.value);
    let oninput = {
        let typed = typed.clone();
        Callback::from(move |event: InputEvent| {
            let input: HtmlInputElement = event.target_unchecked_into();
            let refused = typed.draft.as_ref().and_then(|draft| draft.refused.clone());
            typed.keep(input.value(), refused);
        })
    };
    let onchange = {
        let (commit, typed) = (props.commit.clone(), typed.clone());
        let value = props.value.clone();
        Callback::from(move |event: Event| {
            let input: HtmlInputElement = event.target_unchecked_into();
            let text = input.value().trim().to_owned();
            let taken = if text == *value {
                Ok(())
            } else {
                commit.emit(text)
            };
            match taken {
                Ok(()) => typed.clear(),
                Err(why) => typed.keep(input.value(), Some(why)),
            }
        })
    };
    // Escape gives the value back that is in use.
    let onkeydown = {
        let typed = typed.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Escape" && typed.draft.is_some() {
                event.stop_propagation();
                typed.clear();
            }
        })
    };
    let refused = typed.draft.as_ref().and_then(|draft| draft.refused.clone());
    let shown = typed
        .text()
        .map_or_else(|| props.value.clone(), |text| text.to_owned().into());
    let error_id = format!("{}-error", props.id);
    html! {
        <>
            <input id={props.id.clone()} class={props.class} type="text" autocomplete="off" spellcheck="false"
                value={shown} {oninput} {onchange} {onkeydown} data-testid={props.testid.clone()} aria-label={props.label.clone()} placeholder={props.placeholder.clone()}
                aria-invalid={if refused.is_some() { "true" } else { "false" }}
                aria-describedby={refused.is_some().then(|| error_id.clone())} />
            if let Some(why) = refused {
                <span class="error" id={error_id} role="alert">{ why }</span>
            }
        </>
    }
}
