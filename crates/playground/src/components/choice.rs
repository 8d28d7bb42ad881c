//! A choice of one among few.

use web_sys::HtmlSelectElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    /// The value chosen; one that is not among the options shows nothing.
    pub value: AttrValue,
    /// Values and what they say.
    pub options: Vec<(AttrValue, AttrValue)>,
    pub choose: Callback<String>,
    #[prop_or("select")]
    pub class: &'static str,
    #[prop_or_default]
    pub id: Option<AttrValue>,
    /// A name for screen readers, where there is no label.
    #[prop_or_default]
    pub label: Option<AttrValue>,
    #[prop_or_default]
    pub testid: Option<AttrValue>,
}

/// The select element, kept at the value whatever the visitor or an undo did to it.
#[component]
pub(super) fn Choice(props: &Props) -> Html {
    let element = use_node_ref();
    {
        let (element, value) = (element.clone(), props.value.clone());
        use_effect(move || {
            if let Some(select) = element.cast::<HtmlSelectElement>()
                && select.value() != *value
            {
                select.set_value(&value);
            }
        });
    }
    let onchange = props.choose.reform(|event: Event| {
        let select: HtmlSelectElement = event.target_unchecked_into();
        select.value()
    });
    html! {
        <select ref={element} class={props.class} id={props.id.clone()} {onchange}
            aria-label={props.label.clone()} data-testid={props.testid.clone()}>
            for (value, label) in props.options.clone() {
                <option key={value.to_string()} {value}>{ label }</option>
            }
        </select>
    }
}
