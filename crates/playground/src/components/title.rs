//! The scenario's name, which can be changed where it stands.

use web_sys::{HtmlInputElement, KeyboardEvent};
use yew::prelude::*;

use crate::edit::Edit;

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub name: String,
    pub about: String,
    pub edit: Callback<Edit>,
}

/// The heading; a field once it is pressed.
#[component]
pub(super) fn Title(props: &Props) -> Html {
    let open = use_state(|| false);
    let field = use_node_ref();
    {
        let field = field.clone();
        use_effect_with(*open, move |open| {
            if let (true, Some(field)) = (*open, field.cast::<HtmlInputElement>()) {
                let _ = field.focus();
                field.select();
            }
        });
    }
    let shown = if props.name.is_empty() {
        "Unnamed scenario"
    } else {
        &props.name
    };
    if !*open {
        let begin = {
            let open = open.clone();
            Callback::from(move |_: MouseEvent| open.set(true))
        };
        return html! {
            <h1 title={format!("{shown}\n{}", props.about)}><button type="button" class="rename" onclick={begin} aria-label={format!("{shown}, rename")} data-testid="rename">{ shown }</button></h1>
        };
    }
    let onchange = {
        let (open, edit) = (open.clone(), props.edit.clone());
        Callback::from(move |event: Event| {
            let input: HtmlInputElement = event.target_unchecked_into();
            edit.emit(Edit::Name(input.value().trim().to_owned()));
            open.set(false);
        })
    };
    let onblur = {
        let open = open.clone();
        Callback::from(move |_: FocusEvent| open.set(false))
    };
    let onkeydown = {
        let (open, name) = (open.clone(), props.name.clone());
        Callback::from(move |event: KeyboardEvent| {
            let input: HtmlInputElement = event.target_unchecked_into();
            match event.key().as_str() {
                "Escape" => {
                    event.prevent_default();
                    input.set_value(&name);
                    open.set(false);
                }
                "Enter" if input.value() == name => open.set(false),
                _ => {}
            }
        })
    };
    html! {
        <h1><input class="input" ref={field} value={props.name.clone()} maxlength="200" autocomplete="off" aria-label="Name of the scenario" {onchange} {onblur} {onkeydown}
            data-testid="name" /></h1>
    }
}
