//! The machine: a preset or a description in words.

use std::rc::Rc;

use teeter_machine::{Topology, presets};
use teeter_scenario::document::{Machine, MachineSource};
use teeter_scenario::{Problem, Scenario};
use yew::prelude::*;

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
}

/// Choice, words, and what came of them.
#[component]
pub(super) fn MachinePanel(props: &Props) -> Html {
    let source = &props.scenario.machine.source;
    let preset = match source {
        MachineSource::Preset(name) => presets().iter().find(|preset| preset.name == name),
        _ => None,
    };
    let words = match (source, preset) {
        (MachineSource::Synthetic(text), _) => text.clone(),
        (_, Some(preset)) => preset.synthetic.to_owned(),
        _ => String::new(),
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
        let edit = props.edit.clone();
        Callback::from(move |text: String| {
            let machine = Machine::new(MachineSource::Synthetic(text));
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
                    <Field id="synthetic" class="input mono" value={words} placeholder="its parts are not alike" {commit} testid="machine-synthetic" />
                    <p class="note">{ "From large to small: pack, node, l3, core, pu, each with a count. What lscpu, numactl or lstopo print can be pasted or dropped anywhere on the page." }</p>
                </div>
            </section>
            { match &*props.topology {
                Ok(topology) => html! { <>
                    <PartTree scenario={Rc::clone(&props.scenario)} topology={Rc::clone(topology)} edit={props.edit.clone()} />
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
