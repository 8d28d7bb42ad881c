//! A task: its row, and all that can be set of it.

use std::rc::Rc;

use teeter_machine::Topology;
use teeter_scenario::document::{Fork, Policy, Tasks};
use teeter_scenario::{CpuList, Nanos, Scenario, limits};
use yew::prelude::*;

use super::place_form::PlaceForm;
use super::workload_fields::WorkloadFields;
use crate::components::choice::Choice;
use crate::components::field::Field;
use crate::components::icon::{CLOSE, COPY, GRIP, Icon};
use crate::components::term::Term;
use crate::drawing::palette::Wearers;
use crate::edit::{Edit, Place, TaskEdit, TaskField, known_cgroups};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub index: usize,
    pub scenario: Rc<Scenario>,
    pub topology: Option<Rc<Topology>>,
    pub wearers: Rc<Wearers>,
    pub edit: Callback<Edit>,
    pub open: bool,
    pub choose: Callback<()>,
    pub grab: Callback<PointerEvent>,
}

/// The row, and what is open of it.
#[component]
pub(crate) fn TaskRow(props: &Props) -> Html {
    let index = props.index;
    let Some(task) = props.scenario.tasks.get(index) else {
        return Html::default();
    };
    let by_task = props
        .wearers
        .names
        .iter()
        .position(|name| *name == task.name);
    let remove = props.edit.reform(move |()| TaskEdit::Remove(index).into());
    let only = props.scenario.tasks.len() == 1;
    let onkeydown = {
        let remove = remove.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Delete" && !only {
                event.prevent_default();
                remove.emit(());
            }
        })
    };
    let own = task.workload.own_threads();
    html! {
        <>
            <div class={classes!("leaf", props.open.then_some("open"))}>
                <button type="button" class="grip" onpointerdown={props.grab.clone()} tabindex="-1" aria-hidden="true" title="Drag"><Icon path={GRIP} /></button>
                <button type="button" class="name" aria-expanded={props.open.to_string()} onclick={props.choose.reform(|_: MouseEvent| ())} {onkeydown}>
                    if let Some(place) = by_task { <span class="swatch" data-cgroup={(place % 6).to_string()}></span> }
                    <strong>{ &task.name }</strong>
                    if task.workload.name() != task.name {
                        <code class="note">{ task.workload.name() }</code>
                    }
                </button>
                <span class="note">{ "threads" }</span>
                if let Some(own) = own {
                    <span class="fixed" title="As many as its workload has">{ own }</span>
                } else {
                    <Field id={format!("threads-{index}")} value={task.threads.to_string()} commit={number(props, limits::THREADS, TaskField::Threads)}
                        label={format!("threads of {}", task.name)} />
                }
            </div>
            if props.open { { details(props, task, only) } }
        </>
    }
}

fn number(
    props: &Props,
    most: u32,
    field: fn(u32) -> TaskField,
) -> Callback<String, Result<(), String>> {
    let (edit, task) = (props.edit.clone(), props.index);
    Callback::from(move |text: String| match text.parse::<u32>() {
        Ok(number) if (1..=most).contains(&number) => {
            let field = field(number);
            edit.emit(TaskEdit::Field { task, field }.into());
            Ok(())
        }
        _ => Err(format!("a whole number from 1 to {most}")),
    })
}

fn details(props: &Props, task: &Tasks, only: bool) -> Html {
    let index = props.index;
    let commit = |read: fn(&str) -> Result<TaskField, String>| {
        let edit = props.edit.clone();
        Callback::from(move |text: String| {
            let field = read(text.trim())?;
            edit.emit(TaskEdit::Field { task: index, field }.into());
            Ok(())
        })
    };
    let rename = {
        let (edit, scenario) = (props.edit.clone(), Rc::clone(&props.scenario));
        Callback::from(move |name: String| {
            if scenario.tasks.iter().any(|task| task.name == name) {
                return Err(format!("{name} is there already"));
            }
            let letters = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
            if name.is_empty() || !name.chars().all(letters) {
                return Err("letters, digits, - and _".to_owned());
            }
            let field = TaskField::Name(name);
            edit.emit(TaskEdit::Field { task: index, field }.into());
            Ok(())
        })
    };
    let policies = [
        ("normal", Policy::Normal),
        ("batch", Policy::Batch),
        ("idle", Policy::Idle),
    ];
    let policy = policies.iter().find(|(_, known)| *known == task.policy);
    let choose_policy = {
        let edit = props.edit.clone();
        Callback::from(move |name: String| {
            if let Some((_, policy)) = policies.iter().find(|(known, _)| *known == name) {
                let field = TaskField::Policy(*policy);
                edit.emit(TaskEdit::Field { task: index, field }.into());
            }
        })
    };
    let paths: Vec<(AttrValue, AttrValue)> = std::iter::once("/".to_owned())
        .chain(known_cgroups(&props.scenario))
        .map(|path| (path.clone().into(), path.into()))
        .collect();
    let choose_cgroup = props.edit.reform(move |path| {
        let field = TaskField::Cgroup(path);
        TaskEdit::Field { task: index, field }.into()
    });
    let copy = {
        let task = Box::new(task.clone());
        props
            .edit
            .reform(move |_: MouseEvent| TaskEdit::Add(task.clone()).into())
    };
    let affinity = task
        .affinity
        .as_ref()
        .map_or_else(String::new, ToString::to_string);
    let fork = match &task.fork {
        Fork::From { cpu, .. } => format!("from {cpu}"),
        Fork::On(cpus) => format!("on {cpus}"),
    };
    let id = |what: &str| format!("{what}-{index}");
    html! {
        <div class="details">
            <div class="field across"><label for={id("name")}>{ "name" }</label>
                <Field id={id("name")} class="input" value={task.name.clone()} commit={rename} label={format!("name of {}", task.name)} /></div>
            <div class="field across"><label for={id("cgroup")}>{ "cgroup" }</label>
                <Choice id={id("cgroup")} class="select mono" value={task.cgroup.clone()} options={paths} choose={choose_cgroup} testid={id("cgroup")} /></div>
            <WorkloadFields {index} scenario={Rc::clone(&props.scenario)} edit={props.edit.clone()} />
            <div class="field across"><label for={id("processes")}>{ "processes" }</label>
                <Field id={id("processes")} value={task.processes.to_string()} commit={number(props, limits::THREADS, TaskField::Processes)} label={format!("processes of {}", task.name)} /></div>
            <div class="field across"><label for={id("nice")}><Term term="nice">{ "nice" }</Term></label>
                <Field id={id("nice")} value={task.nice.to_string()} label={format!("nice of {}", task.name)}
                    commit={commit(|text| match text.parse::<i8>() {
                        Ok(nice @ -20..=19) => Ok(TaskField::Nice(nice)),
                        _ => Err("a whole number from -20 to 19".to_owned()),
                    })} /></div>
            <div class="field across"><label for={id("policy")}><Term term="policy">{ "policy" }</Term></label>
                <Choice id={id("policy")} value={policy.map_or("normal", |(name, _)| *name)} choose={choose_policy}
                    options={policies.map(|(name, _)| (name.into(), name.into())).to_vec()} /></div>
            <div class="field across"><label for={id("affinity")}><Term term="affinity">{ "affinity" }</Term></label>
                <Field id={id("affinity")} class="input mono" value={affinity} placeholder="all CPUs" label={format!("affinity of {}", task.name)}
                    commit={commit(|text| match text.parse::<CpuList>() {
                        _ if text.is_empty() => Ok(TaskField::Affinity(None)),
                        Ok(cpus) if !cpus.is_empty() => Ok(TaskField::Affinity(Some(cpus))),
                        _ => Err("a list of CPUs such as 0-3,8".to_owned()),
                    })} /></div>
            <div class="field across"><label for={id("start")}>{ "starts at" }</label>
                <Field id={id("start")} value={task.start.to_string()} label={format!("start of {}", task.name)}
                    commit={commit(|text| text.parse::<Nanos>().map(TaskField::Start).map_err(|error| error.to_string()))} /></div>
            <div class="field across"><label for={id("fork")}><Term term="fork">{ "forked" }</Term></label>
                <Field id={id("fork")} class="input mono" value={fork} label={format!("first CPU of {}", task.name)} commit={commit(fork_of)} />
                <p class="note">{ "from 3: by a parent on CPU 3, the kernel places them. on 0-3: placed there one after another." }</p></div>
            <PlaceForm who={Place::Task(index)} name={task.name.clone()} topology={props.topology.clone()} edit={props.edit.clone()} />
            <div class="row wrap">
                <button type="button" class="button" onclick={copy} aria-label={format!("Duplicate {}", task.name)}><Icon path={COPY} />{ "Duplicate" }</button>
                <button type="button" class="button" disabled={only} onclick={props.edit.reform(move |_: MouseEvent| TaskEdit::Remove(index).into())}
                    aria-label={format!("Remove {}", task.name)}><Icon path={CLOSE} />{ "Remove" }</button>
            </div>
        </div>
    }
}

/// `from 3` or `on 0-3`.
fn fork_of(text: &str) -> Result<TaskField, String> {
    let wrong = || "`from` and a CPU, or `on` and a list of CPUs".to_owned();
    let (how, cpus) = text.split_once(' ').ok_or_else(wrong)?;
    let fork = match how {
        "from" => Fork::From {
            cpu: cpus.trim().parse().ok().ok_or_else(wrong)?,
            every: Nanos::ZERO,
        },
        "on" => Fork::On(cpus.trim().parse().ok().ok_or_else(wrong)?),
        _ => return Err(wrong()),
    };
    Ok(TaskField::Fork(fork))
}
