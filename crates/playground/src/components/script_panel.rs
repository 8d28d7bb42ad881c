//! Timed changes, how long and from which seed the scenario runs, the steps taken, and all of it as JSON.

use std::rc::Rc;

use serde_json::Value;
use teeter_scenario::document::ScriptEntry;
use teeter_scenario::{Nanos, Scenario, limits};
use yew::prelude::*;

use super::choice::Choice;
use super::field::Field;
use super::icon::{CLOSE, Icon};
use super::json_panel::JsonPanel;
use super::steps::Steps;
use super::term::Term;
use crate::edit::{Edit, ScriptEdit, describe};
use crate::script_form;
use crate::state::{Action, Desk};

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub scenario: Rc<Scenario>,
    pub desk: UseReducerHandle<Desk>,
    pub act: Callback<Action>,
    pub edit: Callback<Edit>,
}

/// The list of changes and the run's settings.
#[component]
pub(super) fn ScriptPanel(props: &Props) -> Html {
    let open = use_state(|| None::<usize>);
    let run = &props.scenario.run;
    let duration = {
        let edit = props.edit.clone();
        Callback::from(move |text: String| match text.parse::<Nanos>() {
            Ok(time) if time > Nanos::ZERO && time <= limits::DURATION => {
                edit.emit(Edit::Duration(time));
                Ok(())
            }
            Ok(_) => Err(format!("a time up to {}", limits::DURATION)),
            Err(error) => Err(error.to_string()),
        })
    };
    let seed = {
        let edit = props.edit.clone();
        Callback::from(move |text: String| match text.parse::<u64>() {
            Ok(seed) => {
                edit.emit(Edit::Seed(seed));
                Ok(())
            }
            Err(_) => Err("a whole number, 0 or more".to_owned()),
        })
    };
    let mut entries: Vec<_> = props.scenario.script.iter().enumerate().collect();
    entries.sort_by_key(|(_, entry)| entry.at);
    html! {
        <>
            <section class="section" aria-labelledby="script-title">
                <h2 id="script-title">{ "Changes while it runs" }</h2>
                if entries.is_empty() {
                    <p class="note">{ "None yet. A knob turned while the simulation runs is written here, at that time." }</p>
                }
                <ol class="rows script" data-testid="script">
                    for (index, entry) in entries { { row(props, index, entry, &open) } }
                </ol>
                { adding(props, &open) }
            </section>
            <section class="section" aria-labelledby="run-title">
                <h2 id="run-title">{ "Run" }</h2>
                <div class="field across">
                    <label for="duration">{ "Duration" }</label>
                    <Field id="duration" value={run.duration.to_string()} commit={duration} testid="duration" />
                </div>
                <div class="field across">
                    <label for="seed"><Term term="seed">{ "Seed" }</Term></label>
                    <Field id="seed" value={run.seed.to_string()} commit={seed} testid="seed" />
                </div>
            </section>
            <Steps desk={props.desk.clone()} act={props.act.clone()} />
            <JsonPanel scenario={Rc::clone(&props.scenario)} edit={props.edit.clone()} />
        </>
    }
}

/// An entry: its time to be set, what it does, and that as JSON once it is opened.
fn row(
    props: &Props,
    index: usize,
    entry: &ScriptEntry,
    open: &UseStateHandle<Option<usize>>,
) -> Html {
    let is_open = **open == Some(index);
    let toggle = {
        let open = open.clone();
        Callback::from(move |_: MouseEvent| open.set((!is_open).then_some(index)))
    };
    let move_to = {
        let edit = props.edit.clone();
        Callback::from(move |text: String| match text.parse::<Nanos>() {
            Ok(at) => {
                edit.emit(ScriptEdit::At(index, at).into());
                Ok(())
            }
            Err(error) => Err(error.to_string()),
        })
    };
    let change = {
        let (edit, scenario, at) = (props.edit.clone(), Rc::clone(&props.scenario), entry.at);
        Callback::from(move |text: String| {
            let value: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
            let action = script_form::read(&scenario, at, value)?;
            edit.emit(ScriptEdit::Action(index, action).into());
            Ok(())
        })
    };
    let what = describe(&entry.action);
    html! {
        <li key={index}>
            <div class="row">
                <Field id={format!("entry-at-{index}")} class="input number" value={entry.at.to_string()} commit={move_to} label={format!("Time of: {what}")} />
                <button type="button" class="what mono" aria-expanded={is_open.to_string()} onclick={toggle}>{ what }</button>
                <button type="button" class="button quiet icon" onclick={props.edit.reform(move |_: MouseEvent| ScriptEdit::Remove(index).into())}
                    title="Remove this change" aria-label={format!("Remove the change at {}", entry.at)}>
                    <Icon path={CLOSE} />
                </button>
            </div>
            if is_open {
                <Field id={format!("entry-action-{index}")} class="input mono" value={script_form::written(&props.scenario, index)} commit={change}
                    label="The change as JSON" testid="script-action" />
            }
        </li>
    }
}

fn adding(props: &Props, open: &UseStateHandle<Option<usize>>) -> Html {
    let kinds = script_form::kinds(&props.scenario);
    let options: Vec<(AttrValue, AttrValue)> = std::iter::once(("".into(), "Add a change…".into()))
        .chain(
            kinds
                .iter()
                .map(|(name, _)| ((*name).into(), (*name).into())),
        )
        .collect();
    let choose = {
        let (edit, scenario, open) = (props.edit.clone(), Rc::clone(&props.scenario), open.clone());
        Callback::from(move |name: String| {
            let at = Nanos(scenario.run.duration.0 / 2);
            let kind = kinds.iter().find(|(known, _)| *known == name);
            let action = kind.map(|(_, value)| script_form::read(&scenario, at, value.clone()));
            if let Some(Ok(action)) = action {
                open.set(Some(scenario.script.len()));
                edit.emit(ScriptEdit::Add(ScriptEntry { at, action }).into());
            }
        })
    };
    html! { <Choice value="" {options} {choose} label="Add a change" testid="script-add" /> }
}
