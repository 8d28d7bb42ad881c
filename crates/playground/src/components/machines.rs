//! The centre: the machine under one kernel, or under all of them.

use std::rc::Rc;

use teeter_machine::Topology;
use teeter_scenario::Scenario;
use yew::prelude::*;

use super::bench::Bench;
use super::domains::{Domains, Look};
use super::editor::Editor;
use super::machine_view::MachineView;
use super::tabs::Tabs;
use crate::drawing::palette::{Palette, Wearers};
use crate::hooks::Sight;
use crate::player::Player;
use crate::slot;

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub scenario: Rc<Scenario>,
    /// The machine; `None` where it cannot be built.
    pub topology: Option<Rc<Topology>>,
    pub palette: Rc<Palette>,
    pub player: Player,
    /// The machine as it is edited; `None` where it is only watched.
    #[prop_or_default]
    pub bench: Option<Bench>,
    pub pulse: u32,
}

/// Tabs, machines, and the key to their colours.
#[component]
pub(super) fn Machines(props: &Props) -> Html {
    let chosen = use_state(|| None::<usize>);
    let wearers = use_memo(Rc::clone(&props.scenario), |scenario| {
        Wearers::of_scenario(scenario)
    });
    let kernels = &props.scenario.kernels;
    let one = (*chosen).filter(|slot| *slot < kernels.len() && kernels.len() > 1);

    let letters: Vec<_> = (0..kernels.len()).map(slot::letter).collect();
    let mut names: Vec<AttrValue> = kernels
        .iter()
        .zip(&letters)
        .map(|(kernel, letter)| format!("{letter} · {}", kernel.title()).into())
        .collect();
    names.push(letters.join(" and ").into());
    let choose = {
        let (chosen, kernels) = (chosen.clone(), kernels.len());
        Callback::from(move |tab| chosen.set((tab < kernels).then_some(tab)))
    };
    let slots = one.map_or(0..kernels.len(), |slot| slot..slot + 1);
    let editing = props.bench.as_ref().filter(|bench| bench.editing);
    let editing = editing.and_then(|bench| Some((bench, Rc::clone(bench.drawing.as_ref()?))));
    let sight = (*use_memo((), |()| Sight::default())).clone();
    let looked = use_state(|| None::<Look>);
    // What is looked at may be gone from the scenario.
    let cpus = props
        .topology
        .as_ref()
        .map_or(0, |topology| topology.cpus.len());
    let look = looked.filter(|look| (look.cpu as usize) < cpus && look.slot < kernels.len());
    let marks = look.and_then(|look| look.marks(&props.player));
    let toggle = {
        let (looked, shown) = (looked.clone(), look.is_some());
        Callback::from(move |_: MouseEvent| looked.set((!shown).then(Look::default)))
    };
    let choose_look = {
        let looked = looked.clone();
        Callback::from(move |look| looked.set(Some(look)))
    };
    let look_at = {
        let looked = looked.clone();
        Callback::from(move |cpu: u32| {
            if let Some(look) = *looked {
                looked.set(Some(Look { cpu, ..look }));
            }
        })
    };
    html! {
        <>
            <div class="row wrap">
                if let Some(bench) = &props.bench {
                    <Tabs class="modes" label="What the picture is for" names={vec!["Watch".into(), "Edit machine".into()]}
                        chosen={usize::from(editing.is_some())} choose={bench.edit.reform(|tab| tab == 1)} />
                }
                if kernels.len() > 1 && editing.is_none() {
                    <Tabs label="Which kernels' machines are shown" {names} chosen={one.unwrap_or(kernels.len())} {choose} />
                }
                <span class="row end tools">
                    <button type="button" class="button quiet" onclick={toggle} aria-pressed={look.is_some().to_string()} disabled={cpus == 0} data-testid="domains-toggle">{ "Sched domains" }</button>
                    { zoom(&sight) }
                </span>
            </div>
            if editing.is_none() {
                <ul class="legend">
                    for (place, name) in wearers.names.iter().enumerate() {
                        <li key={name.clone()}>
                            <span class="swatch" data-cgroup={(place % 6).to_string()}></span>{ name }
                        </li>
                    }
                    <li key=" waits"><span class="key-cell waiting"></span>{ "waits" }</li>
                    <li key=" idle"><span class="key-cell"></span>{ "idle" }</li>
                    <li key=" harm"><span class="key-cell starved"></span>{ "idle while another waits" }</li>
                </ul>
            }
            { match (&props.topology, editing) {
                (Some(_), Some((bench, drawing))) => html! {
                    <Editor bench={bench.clone()} {drawing} sight={sight.clone()} {marks} look={look_at} />
                },
                (Some(topology), _) => html! {
                    <div class="machines">
                        for slot in slots {
                            <MachineView key={slot} {slot} kernel={kernels[slot].title().to_owned()}
                                topology={Rc::clone(topology)} wearers={Rc::clone(&wearers)} sight={sight.clone()}
                                marks={marks.clone().filter(|_| look.is_some_and(|look| look.slot == slot || one.is_some()))} look={look_at.clone()}
                                palette={Rc::clone(&props.palette)} player={props.player.clone()} pulse={props.pulse} />
                        }
                    </div>
                },
                (None, _) => html! { <p class="note">{ "This machine cannot be built: see the Machine tab for what is wrong with it." }</p> },
            } }
            if let Some(look) = look {
                <Domains scenario={Rc::clone(&props.scenario)} player={props.player.clone()} {look} choose={choose_look} {cpus} pulse={props.pulse} />
            }
        </>
    }
}

/// Buttons that zoom, about the middle of the picture.
fn zoom(sight: &Sight) -> Html {
    let step = |larger: bool| {
        let sight = sight.clone();
        Callback::from(move |_: MouseEvent| sight.step_in_sight(larger))
    };
    let fit = {
        let sight = sight.clone();
        Callback::from(move |_: MouseEvent| sight.fit())
    };
    html! {
        <span class="row zoom" role="group" aria-label="Zoom">
            <button type="button" class="button icon" onclick={step(false)} aria-label="Smaller" title="Smaller (−)">{ "−" }</button>
            <button type="button" class="button" onclick={fit} title="All of it (0)" data-testid="fit">{ "Fit" }</button>
            <button type="button" class="button icon" onclick={step(true)} aria-label="Larger" title="Larger (+)">{ "+" }</button>
        </span>
    }
}
