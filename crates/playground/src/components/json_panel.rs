//! The whole scenario as JSON, with what is wrong with it in its place.

use std::rc::Rc;

use teeter_scenario::{Problem, Scenario};
use web_sys::{HtmlDetailsElement, HtmlTextAreaElement};
use yew::prelude::*;

use crate::edit::Edit;
use crate::hooks::use_draft;
use crate::json_place;

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub scenario: Rc<Scenario>,
    pub edit: Callback<Edit>,
}

/// The text. What is typed stays until it is a scenario, whatever happens around it.
#[component]
pub(super) fn JsonPanel(props: &Props) -> Html {
    let draft = use_draft("json", &props.scenario.name);
    let open = use_state(|| draft.draft.is_some());
    let area = use_node_ref();
    let ontoggle = {
        let open = open.clone();
        Callback::from(move |event: Event| {
            let details: HtmlDetailsElement = event.target_unchecked_into();
            open.set(details.open());
        })
    };
    if !*open {
        return html! { <details class="fold json" {ontoggle} data-testid="json"><summary>{ "The scenario as JSON" }</summary></details> };
    }
    let written = props.scenario.to_json_pretty();
    let text = draft.text().unwrap_or(&written).to_owned();
    let problems = if draft.draft.is_some() {
        Scenario::from_json(&text).map_or_else(|problems| problems.0, |_| Vec::new())
    } else {
        Vec::new()
    };
    let oninput = {
        let draft = draft.clone();
        Callback::from(move |event: InputEvent| {
            let area: HtmlTextAreaElement = event.target_unchecked_into();
            draft.keep(area.value(), None);
        })
    };
    let apply = {
        let (draft, edit) = (draft.clone(), props.edit.clone());
        Callback::from(move |()| {
            let read = draft.text().map(Scenario::from_json);
            if let Some(Ok(scenario)) = read {
                edit.emit(Edit::Whole(Rc::new(scenario)));
                draft.clear();
            }
        })
    };
    let onkeydown = {
        let apply = apply.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) {
                event.prevent_default();
                apply.emit(());
            }
        })
    };
    let discard = {
        let draft = draft.clone();
        Callback::from(move |_: MouseEvent| draft.clear())
    };
    html! {
        <details class="fold json" open=true {ontoggle} data-testid="json">
            <summary>{ "The scenario as JSON" }</summary>
            <div class="inside">
                <textarea class="input area mono" rows="18" spellcheck="false" autocomplete="off" ref={area.clone()} value={text.clone()} {oninput} {onkeydown}
                    aria-label="The scenario as JSON" aria-invalid={(!problems.is_empty()).to_string()} data-testid="json-text" />
                if !problems.is_empty() {
                    <ul class="problems" role="alert" aria-label="What is wrong" data-testid="json-problems">
                        for (index, problem) in problems.iter().enumerate() { <li key={index}>{ shown(problem, &text, &area) }</li> }
                    </ul>
                }
                <div class="row wrap">
                    <button type="button" class="button primary" disabled={draft.draft.is_none() || !problems.is_empty()} onclick={apply.reform(|_: MouseEvent| ())}
                        data-testid="json-use">{ "Use it" }</button>
                    <button type="button" class="button" disabled={draft.draft.is_none()} onclick={discard}>{ "Discard" }</button>
                    <a class="note" href="static/schema/scenario.v1.json" target="_blank">{ "Its JSON Schema" }</a>
                </div>
            </div>
        </details>
    }
}

/// A problem as a button that goes to its place in the text.
fn shown(problem: &Problem, text: &str, area: &NodeRef) -> Html {
    let place = json_place::line_and_column(&problem.message)
        .map(|(line, column)| {
            let at = json_place::of_line(text, line, column);
            at..at + 1
        })
        .or_else(|| json_place::of_pointer(text, &problem.path));
    // The browser counts UTF-16 units.
    let units = |end: usize| text.get(..end).unwrap_or(text).encode_utf16().count() as u32;
    let go = {
        let area = area.clone();
        let range = place.map(|place| (units(place.start), units(place.end.min(text.len()))));
        Callback::from(move |_: MouseEvent| {
            if let (Some(area), Some((from, to))) = (area.cast::<HtmlTextAreaElement>(), range) {
                let _ = area.focus();
                let _ = area.set_selection_range(from, to);
            }
        })
    };
    html! { <button type="button" class="error link" onclick={go}>{ problem.to_string() }</button> }
}
