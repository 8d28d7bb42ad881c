//! What a task does: its workload, and the workload's parameters with what they mean.

use std::rc::Rc;

use serde_json::Value;
use teeter_scenario::Scenario;
use teeter_workload::catalogue;
use yew::prelude::*;

use crate::components::choice::Choice;
use crate::components::field::Field;
use crate::components::icon::{CLOSE, DOWN, Icon, UP};
use crate::components::term::Term;
use crate::edit::{Edit, TaskEdit, TaskField};
use crate::workload_form::{self as form, STEPS};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub index: usize,
    pub scenario: Rc<Scenario>,
    pub edit: Callback<Edit>,
}

/// The choice of the workload, its parameters, a program's steps, and all of it as JSON.
#[component]
pub(crate) fn WorkloadFields(props: &Props) -> Html {
    let index = props.index;
    let written = form::written(&props.scenario, index);
    let name = props
        .scenario
        .tasks
        .get(index)
        .map_or("", |task| task.workload.name());
    let info = form::info(name);
    let known = catalogue().iter().map(|info| info.name);
    let other = info.is_none().then_some(name);
    let options: Vec<(AttrValue, AttrValue)> = other
        .into_iter()
        .chain(known)
        .map(|name| (name.to_owned().into(), name.to_owned().into()))
        .collect();
    let set = {
        let (edit, scenario) = (props.edit.clone(), Rc::clone(&props.scenario));
        Callback::from(move |workload: Value| {
            let workload = form::read(&scenario, index, workload)?;
            let field = TaskField::Workload(workload);
            edit.emit(TaskEdit::Field { task: index, field }.into());
            Ok::<(), String>(())
        })
    };
    let choose = {
        let set = set.clone();
        Callback::from(move |name: String| {
            let _ = set.emit(form::new(&name));
        })
    };
    let commit_json = {
        let set = set.clone();
        Callback::from(move |text: String| set.emit(form::value(&text)))
    };
    let id = |what: &str| format!("{what}-{index}");
    html! {
        <>
            <div class="field across"><label for={id("workload")}>{ "workload" }</label>
                <Choice id={id("workload")} class="select mono" value={name.to_owned()} {options} {choose} testid={id("workload")} /></div>
            if let Some(info) = info {
                <p class="note">{ info.about }</p>
                for parameter in info.parameters { {
                    field(props, &written, parameter.name, parameter.about, parameter.default)
                } }
            }
            if let Some(steps) = form::steps(&written) { { program(props, &steps, &set) } }
            <details class="fold"><summary>{ "As JSON" }</summary>
                <Field id={id("workload-json")} class="input mono" value={written.to_string()} commit={commit_json} label="The workload as JSON" />
            </details>
        </>
    }
}

fn field(
    props: &Props,
    written: &Value,
    name: &'static str,
    about: &'static str,
    default: Option<&'static str>,
) -> Html {
    let (index, edit, scenario) = (props.index, props.edit.clone(), Rc::clone(&props.scenario));
    let commit = Callback::from(move |text: String| {
        let workload = form::with_parameter(&scenario, index, name, text.trim())?;
        let field = TaskField::Workload(workload);
        edit.emit(TaskEdit::Field { task: index, field }.into());
        Ok(())
    });
    let id = format!("parameter-{index}-{name}");
    html! {
        <div class="field across" key={name}>
            <span class="label-line"><Term term={name} about={about}><code>{ name }</code></Term></span>
            <Field {id} class="input mono value" value={form::parameter(written, name).unwrap_or_default()} placeholder={default.unwrap_or_default()} {commit}
                label={format!("{name}: {about}")} />
        </div>
    }
}

/// The steps of a program, each to be changed, moved or taken out.
fn program(
    props: &Props,
    steps: &[(String, String)],
    set: &Callback<Value, Result<(), String>>,
) -> Html {
    let write = |steps: Vec<(String, String)>| {
        let set = set.clone();
        Callback::from(move |_: MouseEvent| {
            let _ = set.emit(form::program(&steps));
        })
    };
    let mut more = steps.to_vec();
    more.push((STEPS[0].0.to_owned(), STEPS[0].1.to_owned()));
    html! {
        <fieldset class="steps">
            <legend class="note">{ "Steps, over and over" }</legend>
            <ol>
                for (at, (key, text)) in steps.iter().enumerate() {
                    <li key={at} class="row">{ step(props, steps, at, key, text, set) }
                        <button type="button" class="button quiet icon small" disabled={at == 0} aria-label={format!("Move step {} up", at + 1)}
                            onclick={write(swapped(steps, at, at.wrapping_sub(1)))}><Icon path={UP} /></button>
                        <button type="button" class="button quiet icon small" disabled={at + 1 == steps.len()} aria-label={format!("Move step {} down", at + 1)}
                            onclick={write(swapped(steps, at, at + 1))}><Icon path={DOWN} /></button>
                        <button type="button" class="button quiet icon small" disabled={steps.len() == 1} aria-label={format!("Remove step {}", at + 1)}
                            onclick={write(without(steps, at))}><Icon path={CLOSE} /></button>
                    </li>
                }
            </ol>
            <button type="button" class="button" onclick={write(more)} data-testid="step-add">{ "Add a step" }</button>
        </fieldset>
    }
}

fn step(
    props: &Props,
    steps: &[(String, String)],
    at: usize,
    key: &str,
    text: &str,
    set: &Callback<Value, Result<(), String>>,
) -> Html {
    let options = STEPS.map(|(key, _)| (key.into(), key.into())).to_vec();
    let choose = {
        let (set, steps) = (set.clone(), steps.to_vec());
        Callback::from(move |key: String| {
            let mut steps = steps.clone();
            let value = STEPS.iter().find(|(known, _)| *known == key);
            let value = value.map_or("", |(_, value)| *value).to_owned();
            steps[at] = (key, value);
            let _ = set.emit(form::program(&steps));
        })
    };
    let commit = {
        let (set, steps) = (set.clone(), steps.to_vec());
        Callback::from(move |text: String| {
            let mut steps = steps.clone();
            steps[at].1 = text;
            set.emit(form::program(&steps))
        })
    };
    html! {
        <>
            <Choice class="select mono" value={key.to_owned()} {options} {choose} label={format!("Step {}", at + 1)} />
            <span class="grow"><Field id={format!("step-{}-{at}", props.index)} class="input mono" value={text.to_owned()} {commit} label={format!("Value of step {}", at + 1)} /></span>
        </>
    }
}

fn swapped(steps: &[(String, String)], a: usize, b: usize) -> Vec<(String, String)> {
    let mut steps = steps.to_vec();
    if a < steps.len() && b < steps.len() {
        steps.swap(a, b);
    }
    steps
}

fn without(steps: &[(String, String)], at: usize) -> Vec<(String, String)> {
    let mut steps = steps.to_vec();
    steps.remove(at);
    steps
}
