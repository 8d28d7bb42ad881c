//! Why: the decisions of the kernels, filtered in the language of `teeter decisions`.

use std::rc::Rc;

use teeter_scenario::Scenario;
use teeter_scenario::expr::{Expr, ExprError};
use teeter_sched::decision::VOCABULARY;
use web_sys::{HtmlDetailsElement, HtmlInputElement};
use yew::prelude::*;

use super::choice::Choice;
use crate::own_rule::place;
use crate::player::Player;
use crate::protocol::decisions::Told;
use crate::{format, slot, why};

/// Filters that are asked for often, with what they find.
const FILTERS: [(&str, &str); 8] = [
    ("", "every decision"),
    ("kind == balance && nr_moved > 0", "passes that moved tasks"),
    (
        "why == numa_imbalance_allowed",
        "where the NUMA imbalance was allowed",
    ),
    (
        "kind == balance && domain.name == NUMA && why == balanced",
        "where nodes were taken for balanced",
    ),
    (
        "kind == balance && idle == CPU_NEWLY_IDLE && nr_moved == 0",
        "where a CPU about to idle found nothing",
    ),
    ("kind == wakeup", "wakeups"),
    ("kind == fork", "forks"),
    ("kind == numa", "NUMA balancing"),
];
/// Decisions in sight at most.
const SHOWN: usize = 60;

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub scenario: Rc<Scenario>,
    pub player: Player,
    pub pulse: u32,
}

/// The panel, folded until it is asked for: while it is folded nothing is put on record.
#[component]
pub(super) fn DecisionsPanel(props: &Props) -> Html {
    let open = use_state(|| false);
    let filter = use_state(|| FILTERS[1].0.to_owned());
    let draft = use_state(|| None::<String>);
    let chosen = use_state(|| None::<(usize, Told)>);
    {
        let player = props.player.clone();
        use_effect_with((*open, (*filter).clone()), move |(open, filter)| {
            player.list_decisions(open.then(|| filter.clone()));
        });
    }
    let ontoggle = {
        let open = open.clone();
        Callback::from(move |event: Event| {
            let details: HtmlDetailsElement = event.target_unchecked_into();
            open.set(details.open());
        })
    };
    let commit = {
        let (filter, draft, chosen) = (filter.clone(), draft.clone(), chosen.clone());
        Callback::from(move |text: String| {
            let text = text.trim().to_owned();
            if read(&text).is_ok() {
                draft.set(None);
                chosen.set(None);
                filter.set(text);
            } else {
                draft.set(Some(text));
            }
        })
    };
    let oninput = {
        let draft = draft.clone();
        Callback::from(move |event: InputEvent| {
            let input: HtmlInputElement = event.target_unchecked_into();
            draft.set(Some(input.value()));
        })
    };
    let onchange = commit.reform(|event: Event| {
        let input: HtmlInputElement = event.target_unchecked_into();
        input.value()
    });
    let text = draft.as_ref().unwrap_or(&filter).clone();
    let error = read(&text).err();
    let known = FILTERS.iter().any(|(known, _)| *known == *filter);
    let own = (!known).then(|| ((*filter).clone().into(), "your own filter".into()));
    let options: Vec<(AttrValue, AttrValue)> = FILTERS
        .iter()
        .map(|(filter, name)| ((*filter).into(), (*name).into()))
        .chain(own)
        .collect();
    let restart = {
        let player = props.player.clone();
        Callback::from(move |_: MouseEvent| player.restart())
    };
    html! {
        <details class="fold decisions" {ontoggle} data-testid="decisions">
            <summary>{ "Why: decisions" }</summary>
            if *open { <div class="inside">
                <div class="row wrap">
                    <Choice value={(*filter).clone()} {options} choose={commit.clone()} label="Which decisions" testid="decisions-preset" />
                    <input class="input mono grow" value={text.clone()} {oninput} {onchange} autocomplete="off" spellcheck="false" aria-label="Filter"
                        aria-invalid={error.is_some().to_string()} placeholder="an expression, such as nr_moved > 0" data-testid="decisions-filter" />
                </div>
                if let Some(error) = error { { fault(&text, &error) } }
                <p class="note" role="status" data-testid="decisions-counts">{ counts(props) }
                    <button type="button" class="button quiet small" onclick={restart}>{ "count from the start" }</button></p>
                <ol class="told" tabindex="0" aria-label="Decisions, newest first">
                    for (slot, told) in newest(props) { { row(slot, &told, &chosen) } }
                </ol>
            </div> }
        </details>
    }
}

fn read(text: &str) -> Result<(), ExprError> {
    if text.trim().is_empty() {
        return Ok(());
    }
    Expr::parse(text, &VOCABULARY).map(|_| ())
}

fn fault(text: &str, error: &ExprError) -> Html {
    let mark = error.column().map(|column| {
        let (line, at) = place(text, column);
        format!("{line}\n{}^", " ".repeat(at))
    });
    html! {
        <div role="alert">
            if let Some(mark) = mark { <pre class="caret" aria-hidden="true">{ mark }</pre> }
            <p class="error">{ error.to_string() }</p>
        </div>
    }
}

/// "A: 12 of 3,456; B: 0 of 2,345 since recording began."
fn counts(props: &Props) -> String {
    let each = (0..props.scenario.kernels.len()).filter_map(|slot| {
        let log = props.player.decisions(slot)?;
        let (passed, all) = (log.passed as u64, log.all as u64);
        let letter = slot::letter(slot);
        Some(format!(
            "{letter}: {} of {}",
            format::count(passed),
            format::count(all)
        ))
    });
    let each: Vec<String> = each.collect();
    format!("{} decisions since recording began. ", each.join("; "))
}

/// The newest of all kernels.
fn newest(props: &Props) -> Vec<(usize, Told)> {
    let mut all = Vec::new();
    for slot in 0..props.scenario.kernels.len() {
        if let Some(log) = props.player.decisions(slot) {
            let newest = log.told.iter().rev().take(SHOWN);
            all.extend(newest.map(|told| (slot, told.clone())));
        }
    }
    all.sort_by(|(_, a), (_, b)| b.at_ns.total_cmp(&a.at_ns));
    all.truncate(SHOWN);
    all
}

fn row(slot: usize, told: &Told, chosen: &UseStateHandle<Option<(usize, Told)>>) -> Html {
    let this = (slot, told.clone());
    let open = chosen.as_ref() == Some(&this);
    let onclick = {
        let chosen = chosen.clone();
        let this = this.clone();
        Callback::from(move |_: MouseEvent| chosen.set((!open).then(|| this.clone())))
    };
    html! {
        <li>
            <button type="button" {onclick} aria-expanded={open.to_string()}>
                <span class="badge" data-slot={slot.to_string()}>{ slot::letter(slot) }</span>
                <span class="when">{ format!("{:.6} s", told.at_ns / 1e9) }</span>
                <span class="what">{ why::sentence(told) }</span>
            </button>
            if open { { numbers(told) } }
        </li>
    }
}

/// All numbers of a decision, and what became of each task it looked at.
fn numbers(told: &Told) -> Html {
    html! {
        <div class="numbers">
            <dl>
                for (name, word) in &told.fields {
                    <div key={name.clone()}><dt><code>{ name }</code></dt><dd>{ word.to_string() }</dd></div>
                }
            </dl>
            if !told.candidates.is_empty() {
                <p class="note">{ "Tasks it looked at: " }{ told.candidates.iter().map(|(task, verdict)| format!("{task} {verdict}")).collect::<Vec<_>>().join(", ") }</p>
            }
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filters_can_be_read() {
        for (filter, _) in FILTERS {
            assert_eq!(read(filter), Ok(()), "{filter}");
        }
        assert!(read("kind ==").is_err());
    }
}
