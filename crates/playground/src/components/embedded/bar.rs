//! The bar of a figure: its name, its time, what a reader may do, and the way into the playground.

use std::rc::Rc;

use teeter_scenario::Scenario;
use teeter_sim::kernels;
use yew::prelude::*;

use super::told::whole_link;
use crate::components::choice::Choice;
use crate::components::icon::{Icon, OPEN};
use crate::components::transport::{clock, run_buttons, speed_choice};
use crate::edit::{Edit, KernelEdit};
use crate::embedded::Controls;
use crate::player::Player;
use crate::slot;

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub scenario: Rc<Scenario>,
    pub player: Player,
    pub controls: Controls,
    /// Runs or pauses.
    pub toggle: Callback<()>,
    pub edit: Callback<Edit>,
    pub pulse: u32,
}

/// The bar.
#[component]
pub(super) fn EmbeddedBar(props: &Props) -> Html {
    let (scenario, player) = (&props.scenario, &props.player);
    let toggle = props.toggle.reform(|_: MouseEvent| ());
    html! {
        <header class="embedded-bar">
            if !scenario.name.is_empty() { <h1 title={scenario.about.clone()}>{ &scenario.name }</h1> }
            <div class="actions">
                if props.controls == Controls::Full {
                    for slot in 0..scenario.kernels.len() { { kernel_choice(props, slot) } }
                    { speed_choice(player) }
                }
                if props.controls >= Controls::Play { { run_buttons(player, &toggle, None) } }
                { clock(scenario, player) }
                <a class="button quiet" href={whole_link(scenario)} target="_blank" rel="noopener" data-testid="open-in-teeter">
                    <Icon path={OPEN} />{ "Open in Teeter" }</a>
            </div>
        </header>
    }
}

fn kernel_choice(props: &Props, slot: usize) -> Html {
    let kernel = &props.scenario.kernels[slot];
    let letter = slot::letter(slot);
    let choose = props
        .edit
        .reform(move |base| KernelEdit::Choose { slot, base }.into());
    let options: Vec<(AttrValue, AttrValue)> = kernels()
        .iter()
        .map(|known| {
            (
                known.name.into(),
                format!("{letter} · {}", known.name).into(),
            )
        })
        .collect();
    html! {
        <Choice key={slot} class="select mono" value={kernel.base.clone()} {options} {choose}
            label={format!("Kernel {letter}")} testid={format!("kernel-{}", letter.to_ascii_lowercase())} />
    }
}
