//! A number typed exactly, with its error beside it; nothing typed is lost.

use web_sys::HtmlInputElement;
use yew::prelude::*;

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
    pub testid: Option<&'static str>,
    /// A name for screen readers, where there is no label.
    #[prop_or_default]
    pub label: Option<AttrValue>,
}

/// The input. It commits on Enter and when focus leaves it.
#[component]
pub(super) fn Field(props: &Props) -> Html {
    // A text that could not be taken, with the reason.
    let refused = use_state(|| None::<(String, String)>);
    {
        let refused = refused.clone();
        use_effect_with(props.value.clone(), move |_| refused.set(None));
    }
    let onchange = {
        let (commit, refused, value) = (props.commit.clone(), refused.clone(), props.value.clone());
        Callback::from(move |event: Event| {
            let input: HtmlInputElement = event.target_unchecked_into();
            let text = input.value().trim().to_owned();
            if text == *value {
                refused.set(None);
                return;
            }
            match commit.emit(text.clone()) {
                Ok(()) => refused.set(None),
                Err(why) => refused.set(Some((text, why))),
            }
        })
    };
    let shown = refused
        .as_ref()
        .map_or_else(|| props.value.clone(), |(text, _)| text.clone().into());
    let error_id = format!("{}-error", props.id);
    html! {
        <>
            <input id={props.id.clone()} class={props.class} type="text" inputmode="text" autocomplete="off"
                spellcheck="false" value={shown} {onchange} data-testid={props.testid} aria-label={props.label.clone()}
                aria-invalid={if refused.is_some() { "true" } else { "false" }}
                aria-describedby={refused.is_some().then(|| error_id.clone())} />
            if let Some((_, why)) = &*refused {
                <span class="error" id={error_id} role="alert">{ why }</span>
            }
        </>
    }
}
