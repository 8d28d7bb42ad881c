//! The centre: the machine under one kernel, or under all of them.

use std::rc::Rc;

use teeter_machine::Topology;
use teeter_scenario::Scenario;
use yew::prelude::*;

use super::machine_view::MachineView;
use super::tabs::Tabs;
use crate::drawing::palette::{Palette, Wearers};
use crate::player::Player;
use crate::slot;

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub scenario: Rc<Scenario>,
    /// The machine; `None` where it cannot be built.
    pub topology: Option<Rc<Topology>>,
    pub palette: Rc<Palette>,
    pub player: Player,
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
    html! {
        <>
            <div class="row wrap">
                if kernels.len() > 1 {
                    <Tabs label="Which kernels' machines are shown" {names} chosen={one.unwrap_or(kernels.len())} {choose} />
                }
                <ul class="legend end">
                    for (place, name) in wearers.names.iter().enumerate() {
                        <li key={name.clone()}>
                            <span class="swatch" data-cgroup={(place % 6).to_string()}></span>{ name }
                        </li>
                    }
                    <li key=" waits"><span class="key-cell waiting"></span>{ "waits" }</li>
                    <li key=" idle"><span class="key-cell"></span>{ "idle" }</li>
                    <li key=" harm"><span class="key-cell starved"></span>{ "idle while another waits" }</li>
                </ul>
            </div>
            if let Some(topology) = &props.topology {
                <div class="machines">
                    for slot in slots {
                        <MachineView key={slot} {slot} kernel={kernels[slot].title().to_owned()}
                            topology={Rc::clone(topology)} wearers={Rc::clone(&wearers)}
                            palette={Rc::clone(&props.palette)} player={props.player.clone()} pulse={props.pulse} />
                    }
                </div>
            } else {
                <p class="note">{ "This machine cannot be built: see the Machine tab for what is wrong with it." }</p>
            }
        </>
    }
}
