//! Timed changes, and how long and from which seed the scenario runs.

use std::rc::Rc;

use teeter_scenario::{Nanos, Scenario, limits};
use yew::prelude::*;

use super::field::Field;
use super::icon::{CLOSE, Icon};
use crate::edit::{Edit, ScriptEdit, describe};

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub scenario: Rc<Scenario>,
    pub edit: Callback<Edit>,
}

/// The list of changes and the run's settings.
#[component]
pub(super) fn ScriptPanel(props: &Props) -> Html {
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
                <ol class="rows" data-testid="script">
                    for (index, entry) in entries {
                        <li class="row" key={index}>
                            <span class="note">{ entry.at.to_string() }</span>
                            <span class="grow mono">{ describe(&entry.action) }</span>
                            <button type="button" class="button quiet icon"
                                onclick={props.edit.reform(move |_: MouseEvent| ScriptEdit::Remove(index).into())}
                                title="Remove this change" aria-label={format!("Remove the change at {}", entry.at)}>
                                <Icon path={CLOSE} />
                            </button>
                        </li>
                    }
                </ol>
            </section>
            <section class="section" aria-labelledby="run-title">
                <h2 id="run-title">{ "Run" }</h2>
                <div class="field across">
                    <label for="duration">{ "Duration" }</label>
                    <Field id="duration" value={run.duration.to_string()} commit={duration} testid="duration" />
                </div>
                <div class="field across">
                    <label for="seed">{ "Seed" }</label>
                    <Field id="seed" value={run.seed.to_string()} commit={seed} testid="seed" />
                </div>
            </section>
        </>
    }
}
