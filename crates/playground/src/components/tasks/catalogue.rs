//! Adding a task: the workloads that can be chosen, each explained.

use std::rc::Rc;

use teeter_scenario::Scenario;
use teeter_scenario::document::Tasks;
use teeter_workload::{WorkloadInfo, catalogue};
use yew::prelude::*;

use crate::edit::{Edit, TaskEdit};
use crate::workload_form;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub scenario: Rc<Scenario>,
    /// The cgroup it comes into.
    pub parent: String,
    pub edit: Callback<Edit>,
}

/// The catalogue, folded until it is asked for.
#[component]
pub(crate) fn AddTask(props: &Props) -> Html {
    let open = use_state(|| false);
    let toggle = {
        let open = open.clone();
        Callback::from(move |_: MouseEvent| open.set(!*open))
    };
    html! {
        <>
            <button type="button" class="button" onclick={toggle} aria-expanded={open.to_string()} data-testid="task-add">{ "Add a task" }</button>
            if *open {
                <ul class="catalogue" data-testid="catalogue">
                    for info in catalogue() { { entry(props, info) } }
                </ul>
            }
        </>
    }
}

fn entry(props: &Props, info: &'static WorkloadInfo) -> Html {
    let name = info.name;
    let ready = workload_form::read(&props.scenario, 0, workload_form::new(name));
    let add = {
        let (edit, parent) = (props.edit.clone(), props.parent.clone());
        ready.ok().map(|workload| {
            Callback::from(move |_: MouseEvent| {
                let task = Tasks {
                    cgroup: parent.clone(),
                    ..Tasks::new(name, workload.clone())
                };
                edit.emit(TaskEdit::Add(Box::new(task)).into());
            })
        })
    };
    html! {
        <li key={name}>
            <button type="button" class="button mono" disabled={add.is_none()} onclick={add} aria-label={format!("Add {name}")}>{ name }</button>
            <p class="note">{ info.about }</p>
            if !info.parameters.is_empty() {
                <details class="fold"><summary>{ match info.parameters.len() {
                    1 => format!("{name}: its parameter"),
                    count => format!("{name}: its {count} parameters"),
                } }</summary>
                    <dl class="parameters">
                        for parameter in info.parameters {
                            <dt><code>{ parameter.name }</code></dt>
                            <dd class="note">{ parameter.about }{ parameter.default.map_or_else(|| "; needed".to_owned(), |default| format!("; by default {default}")) }</dd>
                        }
                    </dl>
                </details>
            }
        </li>
    }
}
