//! The steps of a program, each to be changed, moved or taken out; those of a loop inside it.

use std::rc::Rc;

use serde_json::{Value, json};
use yew::prelude::*;

use crate::components::choice::Choice;
use crate::components::field::Field;
use crate::components::icon::{CLOSE, Icon, UP};
use crate::phases::{self, Change, KINDS};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    /// Tells the fields of one task from those of another.
    pub index: usize,
    /// The workload as it is written.
    pub workload: Rc<Value>,
    /// Takes another; says what is wrong with it.
    pub set: Callback<Value, Result<(), String>>,
}

/// The list.
#[component]
pub(crate) fn Phases(props: &Props) -> Html {
    html! {
        <fieldset class="steps">
            <legend class="note">{ "Steps, over and over" }</legend>
            { list(props, &[]) }
        </fieldset>
    }
}

/// Does a change; says what is wrong with it.
fn write(props: &Props, loops: &[usize], change: Change) -> Result<(), String> {
    match phases::with(&props.workload, loops, change) {
        Some(workload) => props.set.emit(workload),
        None => Ok(()),
    }
}

fn pressed(props: &Props, loops: &[usize], change: Change) -> Callback<MouseEvent> {
    let (workload, set, loops) = (
        Rc::clone(&props.workload),
        props.set.clone(),
        loops.to_vec(),
    );
    Callback::from(move |_: MouseEvent| {
        if let Some(workload) = phases::with(&workload, &loops, change.clone()) {
            let _ = set.emit(workload);
        }
    })
}

fn list(props: &Props, loops: &[usize]) -> Html {
    let Some(steps) = phases::list(&props.workload, loops) else {
        return Html::default();
    };
    let more = pressed(props, loops, Change::Insert(steps.len(), KINDS[0].step()));
    html! {
        <>
            <ol>
                for (at, step) in steps.iter().enumerate() { { entry(props, loops, at, step, steps.len()) } }
            </ol>
            <button type="button" class="button" onclick={more} data-testid={loops.is_empty().then_some("step-add")}
                aria-label={if loops.is_empty() { "Add a step".to_owned() } else { format!("Add a step to {}", number(loops)) }}>{ "Add a step" }</button>
        </>
    }
}

/// "2.1" for the first step of the loop that is the second step.
fn number(places: &[usize]) -> String {
    let numbers = places.iter().map(|place| (place + 1).to_string());
    numbers.collect::<Vec<_>>().join(".")
}

fn entry(props: &Props, loops: &[usize], at: usize, step: &Value, count: usize) -> Html {
    let Some((name, value)) = phases::parts(step) else {
        return Html::default();
    };
    let here: Vec<usize> = loops.iter().copied().chain([at]).collect();
    let number = number(&here);
    let options: Vec<(AttrValue, AttrValue)> = KINDS
        .iter()
        .map(|kind| (kind.name.into(), kind.name.into()))
        .collect();
    let choose = {
        let (workload, set, loops) = (
            Rc::clone(&props.workload),
            props.set.clone(),
            loops.to_vec(),
        );
        Callback::from(move |name: String| {
            let step = phases::kind(&name).map(phases::Kind::step);
            let new = step.and_then(|step| phases::with(&workload, &loops, Change::Set(at, step)));
            if let Some(new) = new {
                let _ = set.emit(new);
            }
        })
    };
    let kind = phases::kind(name);
    let members = kind.map_or(&[][..], |kind| kind.members);
    html! {
        <li key={at}>
            <div class="row">
                <Choice class="select mono" value={name.to_owned()} {options} {choose} label={format!("Step {number}")} />
                if members.is_empty() {
                    <span class="grow">{ field(props, loops, &here, format!("Value of step {number}"), phases::text(value), {
                        let (name, old) = (name.to_owned(), value.clone());
                        move |text| Change::Set(at, json!({ name.clone(): phases::typed(&old, &text) }))
                    }) }</span>
                } else {
                    <span class="grow"></span>
                }
                <button type="button" class="button quiet icon small" disabled={at == 0} aria-label={format!("Move step {number} up")}
                    onclick={pressed(props, loops, Change::Raise(at))}><Icon path={UP} /></button>
                <button type="button" class="button quiet icon small" disabled={count == 1} aria-label={format!("Remove step {number}")}
                    onclick={pressed(props, loops, Change::Remove(at))}><Icon path={CLOSE} /></button>
            </div>
            if let Some(kind) = kind { <p class="note">{ kind.about }</p> }
            for member in members {
                <div class="field across" key={*member}>
                    <span class="label-line"><code>{ member }</code></span>
                    { field(props, loops, &here, format!("{member} of step {number}"), value.get(member).map(phases::text).unwrap_or_default(),
                        move |text| Change::Member(at, (*member).to_owned(), text)) }
                </div>
            }
            if name == "loop" { <div class="inner">{ list(props, &here) }</div> }
        </li>
    }
}

fn field(
    props: &Props,
    loops: &[usize],
    here: &[usize],
    label: String,
    value: String,
    change: impl Fn(String) -> Change + 'static,
) -> Html {
    let own = Props {
        index: props.index,
        workload: Rc::clone(&props.workload),
        set: props.set.clone(),
    };
    let loops = loops.to_vec();
    let commit =
        Callback::from(move |text: String| write(&own, &loops, change(text.trim().to_owned())));
    html! { <Field id={format!("step-{}-{}-{}", props.index, number(here), label.split(' ').next().unwrap_or_default())} class="input mono" {value} {commit} {label} /> }
}
