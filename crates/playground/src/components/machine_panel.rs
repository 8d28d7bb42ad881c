//! The machine: a preset or a description in words.

use std::rc::Rc;

use teeter_machine::speed::hardware;
use teeter_machine::{Topology, presets};
use teeter_scenario::document::{Machine, MachineSource};
use teeter_scenario::{Problem, Scenario};
use yew::prelude::*;

use super::bench::Bench;
use super::choice::Choice;
use super::field::Field;
use super::machine::part_tree::PartTree;
use super::term::Term;
use crate::edit::Edit;

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub scenario: Rc<Scenario>,
    pub topology: Rc<Result<Rc<Topology>, Vec<Problem>>>,
    pub edit: Callback<Edit>,
    pub bench: Bench,
}

/// Choice, words, and what came of them.
#[component]
pub(super) fn MachinePanel(props: &Props) -> Html {
    let source = &props.scenario.machine.source;
    let preset = match source {
        MachineSource::Preset(name) => presets().iter().find(|preset| preset.name == name),
        _ => None,
    };
    let drawn = props.bench.drawing.as_ref().map(|drawing| drawing.words());
    let (words, wordless) = match (source, preset, drawn) {
        (MachineSource::Synthetic(text), _, _) => (text.clone(), None),
        (_, Some(preset), _) => (preset.synthetic.to_owned(), None),
        (_, _, Some(Ok(words))) => (words, None),
        (_, _, Some(Err(why))) => (String::new(), Some(why)),
        _ => (String::new(), None),
    };
    let choose = {
        let edit = props.edit.clone();
        Callback::from(move |name: String| {
            if !name.is_empty() {
                let label = format!("choose the machine {name}");
                edit.emit(Edit::Machine(Machine::preset(name), label));
            }
        })
    };
    let commit = {
        let (edit, hardware) = (props.edit.clone(), props.scenario.machine.hardware.clone());
        Callback::from(move |text: String| {
            let machine = Machine {
                hardware: hardware.clone(),
                ..Machine::new(MachineSource::Synthetic(text))
            };
            match Topology::from_spec(&machine) {
                Ok(_) => {
                    edit.emit(Edit::Machine(machine, "describe the machine".to_owned()));
                    Ok(())
                }
                Err(problems) => Err(in_words(&problems)),
            }
        })
    };
    html! {
        <>
            <section class="section" aria-labelledby="machine-title">
                <h2 id="machine-title">{ "Machine" }</h2>
                <div class="field">
                    <label for="machine-preset">{ "Preset" }</label>
                    <Choice id="machine-preset" class="select mono" value={preset.map_or("", |preset| preset.name)}
                        options={options(preset.is_none())} {choose} testid="machine-preset" />
                    if let Some(preset) = preset { <p class="note">{ preset.about }</p> }
                </div>
                <div class="field">
                    <label for="synthetic">{ "In words, as hwloc writes them" }</label>
                    <Field id="synthetic" class="input mono" value={words} placeholder="none: its parts are not alike" {commit} testid="machine-synthetic" />
                    if let Some(why) = wordless {
                        <p class="note" data-testid="wordless">{ format!("No such words say this machine: {why}. What is typed here takes its place.") }</p>
                    }
                    <p class="note">{ "From large to small: pack, node, l3, core, pu, each with a count. Words that are typed are a new machine, as fast as its shape has it unless one is chosen below. What lscpu, numactl or lstopo print can be pasted or dropped anywhere on the page." }</p>
                </div>
            </section>
            { match &*props.topology {
                Ok(topology) => html! { <>
                    if let Some(drawing) = &props.bench.drawing {
                        <PartTree bench={props.bench.clone()} drawing={Rc::clone(drawing)} edit={props.edit.clone()} />
                    }
                    { hardware(props, topology) }
                    { facts(topology) }
                </> },
                Err(problems) => html! { <p class="error" role="alert">{ in_words(problems) }</p> },
            } }
        </>
    }
}

/// The presets, and a placeholder where the machine is none of them.
fn options(own: bool) -> Vec<(AttrValue, AttrValue)> {
    let placeholder = own.then(|| ("".into(), "own description".into()));
    let presets = presets()
        .iter()
        .map(|preset| (preset.name.into(), preset.name.into()));
    placeholder.into_iter().chain(presets).collect()
}

/// Whose speed the machine has, told plainly, and the choice of another.
fn hardware(props: &Props, topology: &Topology) -> Html {
    let machine = &props.scenario.machine;
    let own = hardware::name_of(machine, topology);
    let is_preset = matches!(machine.source, MachineSource::Preset(_));
    let words = match &machine.hardware {
        Some(_) => {
            "Drawn or chosen: caches, memory, idle states and clock are those of this hardware, whatever the machine's shape."
        }
        None if is_preset => "As the preset has it. A drawing made from it keeps it.",
        None => {
            "Nothing tells it: it is that of the hardware most like this machine in shape, without its turbo."
        }
    };
    let mut options: Vec<(AttrValue, AttrValue)> = vec![(
        "".into(),
        if is_preset {
            format!("the preset's: {own}").into()
        } else if machine.hardware.is_none() {
            format!("by shape: {own}").into()
        } else {
            "by shape".into()
        },
    )];
    options.extend(hardware::names().map(|(name, _)| (name.into(), name.into())));
    let about = hardware::names().find(|(name, _)| *name == own);
    let choose = {
        let (edit, machine) = (props.edit.clone(), machine.clone());
        Callback::from(move |name: String| {
            let label = if name.is_empty() {
                "leave the speed to the machine's shape".to_owned()
            } else {
                format!("give the machine the speed of {name}")
            };
            let hardware = (!name.is_empty()).then_some(name);
            let machine = Machine {
                hardware,
                ..machine.clone()
            };
            edit.emit(Edit::Machine(machine, label));
        })
    };
    html! {
        <section class="section" aria-labelledby="speed-title">
            <h2 id="speed-title">{ "How fast it is" }</h2>
            <div class="field">
                <label for="machine-hardware">{ "Speed of" }</label>
                <Choice id="machine-hardware" class="select mono" value={machine.hardware.clone().unwrap_or_default()} {options} {choose} testid="machine-hardware" />
                <p class="note" data-testid="hardware-words">{ about.map(|(_, about)| format!("{about}. ")) }{ words }</p>
            </div>
        </section>
    }
}

fn facts(topology: &Topology) -> Html {
    let cores = distinct(topology.cpus.iter().map(|cpu| cpu.core));
    let llcs = distinct(topology.cpus.iter().map(|cpu| cpu.llc));
    let packages = distinct(topology.cpus.iter().map(|cpu| cpu.package));
    html! {
        <section class="section" aria-labelledby="facts-title">
            <h2 id="facts-title">{ "What it has" }</h2>
            <dl class="facts">
                <dt>{ "packages" }</dt><dd>{ packages }</dd>
                <dt><Term term="NUMA node">{ "NUMA nodes" }</Term></dt><dd>{ topology.nodes.len() }</dd>
                <dt><Term term="LLC">{ "last-level caches" }</Term></dt><dd>{ llcs }</dd>
                <dt><Term term="core">{ "cores" }</Term></dt><dd>{ cores }</dd>
                <dt>{ "CPUs" }</dt><dd>{ topology.cpus.len() }</dd>
            </dl>
        </section>
    }
}

fn distinct(numbers: impl Iterator<Item = u16>) -> usize {
    let mut numbers: Vec<u16> = numbers.collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers.len()
}

fn in_words(problems: &[Problem]) -> String {
    let lines: Vec<_> = problems
        .iter()
        .map(|problem| match &problem.hint {
            Some(hint) => format!("{} ({hint})", problem.message),
            None => problem.message.clone(),
        })
        .collect();
    lines.join("; ")
}
