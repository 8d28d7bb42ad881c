//! A rule of one's own: written, read as it is typed, and tried on the latest pass.

use std::rc::Rc;

use serde_json::{Value, json};
use teeter_scenario::Scenario;
use web_sys::{HtmlDetailsElement, HtmlTextAreaElement, InputEvent, KeyboardEvent};
use yew::prelude::*;

use crate::components::choice::Choice;
use crate::edit::{Edit, KernelEdit};
use crate::hooks::use_draft;
use crate::own_rule::{Point, place, points};
use crate::player::Player;
use crate::protocol::decisions::Told;
use crate::{format, slot};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub scenario: Rc<Scenario>,
    /// The kernel it is for; `None`: all.
    pub target: Option<usize>,
    pub edit: Callback<Edit>,
    pub player: Player,
    pub pulse: u32,
}

/// The editor.
#[component]
pub(crate) fn OwnRule(props: &Props) -> Html {
    let points = points();
    let chosen = use_state(|| 0_usize);
    let point = points[(*chosen).min(points.len() - 1)];
    let in_force = in_force(props, point);
    let draft = use_draft(
        &format!("rule {}", point.name),
        in_force.as_deref().unwrap_or_default(),
    );
    let open = use_state(|| draft.draft.is_some());
    {
        let player = props.player.clone();
        use_effect_with(*open && point.can_be_tried(), move |latest| {
            player.keep_latest(*latest);
            move || player.keep_latest(false)
        });
    }
    let text = draft
        .text()
        .or(in_force.as_deref())
        .unwrap_or(point.example)
        .to_owned();
    let read = point.read(&text);
    let changed = in_force.as_deref() != Some(text.as_str());

    let ontoggle = {
        let open = open.clone();
        Callback::from(move |event: Event| {
            let details: HtmlDetailsElement = event.target_unchecked_into();
            open.set(details.open());
        })
    };
    let choose = {
        let chosen = chosen.clone();
        Callback::from(move |name: String| {
            let found = crate::own_rule::points()
                .iter()
                .position(|point| point.name == name);
            chosen.set(found.unwrap_or(0));
        })
    };
    let oninput = {
        let draft = draft.clone();
        Callback::from(move |event: InputEvent| {
            let area: HtmlTextAreaElement = event.target_unchecked_into();
            draft.keep(area.value(), None);
        })
    };
    let set = |value: Option<Value>| {
        let (edit, slot, draft) = (props.edit.clone(), props.target, draft.clone());
        Callback::from(move |()| {
            draft.clear();
            let name = point.name.to_owned();
            let value = value.clone();
            edit.emit(KernelEdit::Rule { slot, name, value }.into());
        })
    };
    let apply = read.is_ok().then(|| set(Some(json!({ "expr": text }))));
    let onkeydown = {
        let apply = apply.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) {
                event.prevent_default();
                if let Some(apply) = &apply {
                    apply.emit(());
                }
            }
        })
    };
    let take_out = set(None);
    let options = points
        .map(|point| (point.name.into(), point.name.into()))
        .to_vec();
    html! {
        <details class="fold own-rule" open={*open} {ontoggle} data-testid="own-rule">
            <summary>{ "Your own rule" }{ if in_force.is_some() { html! { <span class="note">{ " · in force" }</span> } } else { Html::default() } }</summary>
            if *open { <div class="inside">
                <div class="row">
                    <Choice class="select mono grow" value={point.name} {options} {choose} label="Which rule" testid="own-point" />
                </div>
                <p class="note">{ format!("Gives: {}.", point.about) }</p>
                <textarea class="input area mono" rows="4" spellcheck="false" autocomplete="off" value={text.clone()} {oninput} {onkeydown}
                    aria-label={format!("Expression for {}", point.name)} aria-invalid={if read.is_err() { "true" } else { "false" }}
                    aria-describedby="own-rule-says" data-testid="own-expr" />
                <div id="own-rule-says" role="status">
                    { match &read {
                        Err(error) => html! { <>
                            if let Some(column) = error.column() { { caret(&text, column) } }
                            <p class="error">{ error.to_string() }</p>
                        </> },
                        Ok(expr) => trials(props, point, expr),
                    } }
                </div>
                <div class="row wrap">
                    <button type="button" class="button primary" disabled={apply.is_none() || !changed}
                        onclick={apply.map(|apply| apply.reform(|_: MouseEvent| ()))} data-testid="own-use">{ "Use it" }</button>
                    if in_force.is_some() {
                        <button type="button" class="button" onclick={take_out.reform(|_: MouseEvent| ())} data-testid="own-out">{ "Back to the kernel's" }</button>
                    }
                    <span class="note">{ "Ctrl+Enter uses it; the run begins again." }</span>
                </div>
                <details class="fold"><summary>{ format!("The {} names it knows", point.inputs().len()) }</summary>
                    <p class="note mono names">{ point.inputs().join(" ") }</p>
                    <p class="note">{ "Signed numbers of 64 bits; + - * / % << >>, comparisons, && || !, ?:, min max abs, and parts with where name = …" }</p>
                </details>
            </div> }
        </details>
    }
}

/// The expression that is in force now under the first kernel it is for.
fn in_force(props: &Props, point: Point) -> Option<String> {
    let kernel = props.scenario.kernels.get(props.target.unwrap_or(0))?;
    let expr = kernel.rules.get(point.name)?.get("expr")?;
    expr.as_str().map(str::to_owned)
}

/// The line with the fault, and a mark under it.
fn caret(text: &str, column: usize) -> Html {
    let (line, at) = place(text, column);
    html! { <pre class="caret" aria-hidden="true">{ format!("{line}\n{}^", " ".repeat(at)) }</pre> }
}

/// What it says of each kernel's latest pass.
fn trials(props: &Props, point: Point, expr: &teeter_scenario::expr::Expr) -> Html {
    if !point.can_be_tried() {
        return html! { <p class="note">{ "It reads. What it asks for is not on record, so it is tried only by running it." }</p> };
    }
    let slots = match props.target {
        Some(slot) => slot..slot + 1,
        None => 0..props.scenario.kernels.len(),
    };
    let shown: Vec<(usize, String)> = slots
        .filter_map(|slot| {
            let log = props.player.decisions(slot)?;
            let told = log.weighed.as_ref()?;
            Some((slot, sentence(point, expr, told)))
        })
        .collect();
    if shown.is_empty() {
        return html! { <p class="note">{ "It reads. It is tried on the latest pass that weighed an imbalance, once there is one." }</p> };
    }
    html! {
        <ul class="diff" data-testid="own-trial">
            for (slot, text) in shown {
                <li key={slot} class="row"><span class="badge" data-slot={slot.to_string()}>{ slot::letter(slot) }</span>
                    <span class="note">{ text }</span></li>
            }
        </ul>
    }
}

/// "At 12.47 s CPU 23: imbalance = 9, busiest.sum_nr_running = 34 give 9; the kernel moved 9."
fn sentence(point: Point, expr: &teeter_scenario::expr::Expr, told: &Told) -> String {
    let trial = point.try_on(expr, told);
    let used: Vec<String> = trial
        .used
        .iter()
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    let says = match &trial.says {
        Ok(value) => format!("it gives {value}"),
        Err(why) => format!("it has no result there ({why}), and the kernel's rule applies"),
    };
    let kernel = told
        .text("imbalance")
        .map(|value| format!("; in force was {value}"))
        .unwrap_or_default();
    let with = if used.is_empty() {
        String::new()
    } else {
        format!("with {} ", used.join(", "))
    };
    format!(
        "At {} on CPU {}: {with}{says}{kernel}.",
        format::seconds(told.at_ns),
        told.cpu
    )
}
