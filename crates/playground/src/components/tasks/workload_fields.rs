//! What a task does: its workload, and the workload's parameters with what they mean.

use std::rc::Rc;

use serde_json::Value;
use teeter_scenario::Scenario;
use teeter_workload::catalogue;
use yew::prelude::*;

use super::phases::Phases;
use crate::components::choice::Choice;
use crate::components::field::Field;
use crate::components::term::Term;
use crate::edit::{Edit, TaskEdit, TaskField};
use crate::workload_form as form;

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
            if written.get("program").is_some() { <Phases {index} workload={Rc::new(written.clone())} set={set.clone()} /> }
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
