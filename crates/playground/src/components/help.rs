//! Help: keys, the first-visit guide again, and every kernel term.

use web_sys::{HtmlInputElement, InputEvent};
use yew::prelude::*;

use super::icon::HELP;
use super::popover::Popover;
use crate::glossary;

/// What keys do while no field has the focus.
const KEYS: [(&str, &str); 7] = [
    ("Space", "run or pause"),
    ("Ctrl+Z", "undo"),
    ("Ctrl+Shift+Z", "redo"),
    (
        "Ctrl+V",
        "open what was copied: a link, a scenario, lscpu's output, an rt-app document",
    ),
    (
        "Arrow keys",
        "move in tabs, in the tree of the machine, and change along the time bar",
    ),
    (
        "Delete",
        "remove the part, the task, the cgroup or the change that has the focus",
    ),
    ("Escape", "close what is open, leave a field as it was"),
];

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    /// Shows the guide again.
    pub guide: Callback<()>,
}

/// The button, and the help below it.
#[component]
pub(super) fn Help(props: &Props) -> Html {
    let closes = use_state(|| 0_u32);
    let again = {
        let closes = closes.clone();
        props
            .guide
            .reform(move |_: MouseEvent| closes.set(closes.wrapping_add(1)))
    };
    html! {
        <Popover label="Help" icon={HELP} testid="help" closes={*closes}>
            <div class="help">
                <button type="button" class="button" onclick={again} data-testid="guide-again">{ "Show the first steps again" }</button>
                <section class="section" aria-labelledby="keys-title">
                    <h2 id="keys-title">{ "Keys" }</h2>
                    <dl class="keys">
                        for (key, what) in KEYS { <dt><kbd>{ key }</kbd></dt><dd>{ what }</dd> }
                    </dl>
                </section>
                <Glossary />
                <p class="note">{ "The simulation follows the kernel's arithmetic; how fast a machine is and what a benchmark does are models. " }
                    <a href="static/schema/scenario.v1.json" target="_blank">{ "JSON Schema of scenarios" }</a></p>
            </div>
        </Popover>
    }
}

/// The terms, to be searched.
#[component]
fn Glossary() -> Html {
    let words = use_state(String::new);
    let oninput = {
        let words = words.clone();
        Callback::from(move |event: InputEvent| {
            let input: HtmlInputElement = event.target_unchecked_into();
            words.set(input.value());
        })
    };
    let found: Vec<_> = glossary::all()
        .iter()
        .filter(|entry| entry.matches(&words))
        .collect();
    html! {
        <section class="section" aria-labelledby="terms-title">
            <h2 id="terms-title">{ "Terms" }</h2>
            <input class="input" type="search" placeholder="Search, such as imbalance or idle" aria-label="Search terms" autocomplete="off" spellcheck="false"
                value={(*words).clone()} {oninput} data-testid="term-search" />
            <p class="note" role="status">{ match found.len() { 1 => "1 term.".to_owned(), count => format!("{count} terms.") } }</p>
            <dl class="terms" data-testid="terms">
                for entry in found {
                    <div key={entry.term}>
                        <dt><code>{ entry.term }</code><span class="note">{ entry.versions }</span></dt>
                        <dd>{ entry.text }</dd>
                    </div>
                }
            </dl>
        </section>
    }
}
