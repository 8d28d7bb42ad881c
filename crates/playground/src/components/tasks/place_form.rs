//! Where a task or a cgroup runs: started or bound on a CPU, a core, a cache or a node.

use std::rc::Rc;

use teeter_machine::Topology;
use yew::prelude::*;

use crate::components::choice::Choice;
use crate::edit::{Edit, Place, TaskEdit};
use crate::spot::{LEVELS, Level};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub who: Place,
    /// What it is called.
    pub name: String,
    pub topology: Option<Rc<Topology>>,
    pub edit: Callback<Edit>,
}

/// The choice of a place, and what to do there. The same as dropping it on the machine.
#[component]
pub(crate) fn PlaceForm(props: &Props) -> Html {
    let level = use_state(|| Level::Node);
    let number = use_state(|| 0_u16);
    let Some(topology) = &props.topology else {
        return Html::default();
    };
    let numbers = level.numbers(topology);
    let chosen = numbers.iter().find(|known| **known == *number);
    let chosen = chosen.or(numbers.first()).copied().unwrap_or(0);
    let choose_level = {
        let level = level.clone();
        Callback::from(move |name: String| level.set(Level::named(&name).unwrap_or(Level::Node)))
    };
    let choose_number = {
        let number = number.clone();
        Callback::from(move |text: String| number.set(text.parse().unwrap_or(0)))
    };
    let place = |bind: bool| {
        let (who, cpus) = (props.who.clone(), level.cpus(topology, chosen));
        props.edit.reform(move |_: MouseEvent| {
            let (who, cpus) = (who.clone(), Some(cpus.clone()));
            TaskEdit::Place { who, cpus, bind }.into()
        })
    };
    let free = {
        let who = props.who.clone();
        props.edit.reform(move |_: MouseEvent| {
            let (who, cpus, bind) = (who.clone(), None, false);
            TaskEdit::Place { who, cpus, bind }.into()
        })
    };
    let levels = LEVELS.map(|(_, name)| (name.into(), name.into())).to_vec();
    let options: Vec<(AttrValue, AttrValue)> = numbers
        .iter()
        .map(|number| (number.to_string().into(), number.to_string().into()))
        .collect();
    html! {
        <fieldset class="place">
            <legend class="note">{ "Place on" }</legend>
            <div class="row wrap">
                <Choice value={level.name()} options={levels} choose={choose_level} label={format!("Where {} goes", props.name)} />
                <Choice value={chosen.to_string()} {options} choose={choose_number} label={format!("Which {}", level.name())} />
                <button type="button" class="button" onclick={place(false)} aria-label={format!("Start there: {}", props.name)}>{ "Start there" }</button>
                <button type="button" class="button" onclick={place(true)} aria-label={format!("Bind there: {}", props.name)}>{ "Bind there" }</button>
                <button type="button" class="button quiet" onclick={free} aria-label={format!("Anywhere: {}", props.name)}>{ "Anywhere" }</button>
            </div>
        </fieldset>
    }
}
