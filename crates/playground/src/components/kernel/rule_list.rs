//! Every rule and tunable, grouped, to be searched.

use std::rc::Rc;

use web_sys::{HtmlDetailsElement, HtmlInputElement, InputEvent};
use yew::prelude::*;

use super::knob_row::KnobRow;
use crate::edit::Edit;
use crate::knobs::{GROUPS, Knob, Tuning};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub tuning: Rc<Tuning>,
    pub knobs: Rc<Vec<Knob>>,
    pub edit: Callback<Edit>,
    pub live: bool,
}

/// The list; nothing of it is made before it is opened.
#[component]
pub(crate) fn RuleList(props: &Props) -> Html {
    let open = use_state(|| false);
    let words = use_state(String::new);
    let changed_only = use_state(|| false);
    let ontoggle = {
        let open = open.clone();
        Callback::from(move |event: Event| {
            let details: HtmlDetailsElement = event.target_unchecked_into();
            open.set(details.open());
        })
    };
    let oninput = {
        let words = words.clone();
        Callback::from(move |event: InputEvent| {
            let input: HtmlInputElement = event.target_unchecked_into();
            words.set(input.value());
        })
    };
    let toggle = {
        let changed_only = changed_only.clone();
        Callback::from(move |_: Event| changed_only.set(!*changed_only))
    };
    html! {
        <details class="fold all-knobs" {ontoggle} data-testid="all-knobs">
            <summary>{ format!("All {} rules and tunables", props.knobs.len()) }</summary>
            if *open { <div class="inside">
                <div class="row search">
                    <input class="input" type="search" placeholder="Search, such as hot or imbalance" aria-label="Search rules and tunables"
                        value={(*words).clone()} {oninput} data-testid="knob-search" autocomplete="off" spellcheck="false" />
                </div>
                <label class="switch"><input type="checkbox" role="switch" checked={*changed_only} onchange={toggle} />{ "Only what is changed" }</label>
                { found(props, &words, *changed_only) }
            </div> }
        </details>
    }
}

fn found(props: &Props, words: &str, changed_only: bool) -> Html {
    let shown: Vec<&Knob> = props
        .knobs
        .iter()
        .filter(|knob| knob.matches(words))
        .filter(|knob| !changed_only || props.tuning.standing(knob).changed)
        .collect();
    html! {
        <>
            <p class="note" role="status">{ match shown.len() {
                0 => "None has these words.".to_owned(),
                1 => "1 of them.".to_owned(),
                more => format!("{more} of them."),
            } }</p>
            for group in GROUPS {
                if shown.iter().any(|knob| knob.group == group) {
                    <section class="section" key={group} aria-label={group}>
                        <h3>{ group }</h3>
                        for knob in shown.iter().filter(|knob| knob.group == group) {
                            <KnobRow key={format!("{} {}", knob.name, matches!(knob.kind, crate::knobs::Kind::Rule(_)))} knob={(*knob).clone()}
                                tuning={Rc::clone(&props.tuning)} edit={props.edit.clone()} live={props.live} told=true />
                        }
                    </section>
                }
            }
        </>
    }
}
