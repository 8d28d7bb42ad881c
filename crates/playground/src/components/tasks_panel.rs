//! Cgroups and tasks.

use std::rc::Rc;

use teeter_scenario::document::Tasks;
use teeter_scenario::{Nanos, Scenario, limits};
use yew::prelude::*;

use super::field::Field;
use super::term::Term;
use crate::drawing::palette::Wearers;
use crate::edit::{CgroupEdit, CgroupField, Edit, TaskEdit, TaskField, is_grouped, weight_at};

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub scenario: Rc<Scenario>,
    pub at: Nanos,
    pub edit: Callback<Edit>,
}

/// The group switch, the cgroups with their weights, the tasks with their threads.
#[component]
pub(super) fn TasksPanel(props: &Props) -> Html {
    let scenario = &props.scenario;
    let grouped = is_grouped(scenario);
    let wearers = Wearers::of_scenario(scenario);
    let toggle = props
        .edit
        .reform(move |_: Event| CgroupEdit::Grouped(!grouped).into());
    let mut cgroups: Vec<&str> = scenario
        .tasks
        .iter()
        .map(|task| task.cgroup.as_str())
        .collect();
    cgroups.sort_unstable();
    cgroups.dedup();
    html! {
        <>
            <label class="switch">
                <input type="checkbox" role="switch" checked={grouped} onchange={toggle} disabled={scenario.tasks.len() < 2}
                    data-testid="group-toggle" />
                { "Each task in a cgroup of its own" }
            </label>
            <section class="section" aria-labelledby="cgroups-title">
                <h2 id="cgroups-title"><Term term="cgroup">{ "Cgroups" }</Term></h2>
                <div class="rows">
                    for path in cgroups { { cgroup(props, &wearers, path) } }
                </div>
            </section>
            <section class="section" aria-labelledby="tasks-title">
                <h2 id="tasks-title">{ "Tasks" }</h2>
                <div class="rows">
                    for (index, task) in scenario.tasks.iter().enumerate() { { tasks(props, &wearers, index, task) } }
                </div>
            </section>
        </>
    }
}

fn cgroup(props: &Props, wearers: &Wearers, path: &str) -> Html {
    let worn = wearers.names.iter().position(|name| name == path);
    let id = format!("weight-{}", path.replace('/', "-"));
    let commit = {
        let (edit, path) = (props.edit.clone(), path.to_owned());
        Callback::from(move |text: String| match text.parse::<u32>() {
            Ok(weight @ 1..=10_000) => {
                edit.emit(
                    CgroupEdit::Field {
                        path: path.clone(),
                        field: CgroupField::Weight(weight),
                    }
                    .into(),
                );
                Ok(())
            }
            _ => Err("a whole number from 1 to 10000".to_owned()),
        })
    };
    html! {
        <div class="field across" key={path.to_owned()}>
            <span class="row">
                if let Some(place) = worn { <span class="swatch" data-cgroup={(place % 6).to_string()}></span> }
                <code>{ path }</code>
                if path != "/" {
                    <span class="end"><Term term="cpu.weight"><code>{ "cpu.weight" }</code></Term></span>
                }
            </span>
            if path != "/" {
                <Field {id} value={weight_at(&props.scenario, path, props.at).to_string()} {commit} label={format!("cpu.weight of {path}")} />
            }
        </div>
    }
}

fn tasks(props: &Props, wearers: &Wearers, index: usize, task: &Tasks) -> Html {
    let by_task = wearers.names.iter().position(|name| *name == task.name);
    let commit = {
        let edit = props.edit.clone();
        Callback::from(move |text: String| match text.parse::<u32>() {
            Ok(threads) if (1..=limits::THREADS).contains(&threads) => {
                edit.emit(
                    TaskEdit::Field {
                        task: index,
                        field: TaskField::Threads(threads),
                    }
                    .into(),
                );
                Ok(())
            }
            _ => Err(format!("a whole number from 1 to {}", limits::THREADS)),
        })
    };
    html! {
        <div class="field across" key={task.name.clone()}>
            <span class="row">
                if let Some(place) = by_task { <span class="swatch" data-cgroup={(place % 6).to_string()}></span> }
                <strong>{ &task.name }</strong>
                if task.workload.name() != task.name {
                    <code class="note">{ task.workload.name() }</code>
                }
                <span class="end note">{ "threads" }</span>
            </span>
            <Field id={format!("threads-{index}")} value={task.threads.to_string()} {commit} label={format!("threads of {}", task.name)} />
        </div>
    }
}
