//! The bar of a figure: its name, its time, what a reader may do, and the way into the playground.

use std::rc::Rc;

use teeter_scenario::Scenario;
use teeter_sim::kernels;
use yew::prelude::*;

use super::told::whole_link;
use crate::components::choice::Choice;
use crate::components::icon::{Icon, OPEN, PAUSE, PLAY, RESTART};
use crate::edit::{Edit, KernelEdit};
use crate::embedded::Controls;
use crate::pace::Speed;
use crate::player::Player;
use crate::{format, slot};

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
    let (playing, finished) = (player.playing(), player.finished());
    let (icon, label, testid) = match (playing, finished) {
        (true, _) => (PAUSE, "Pause", "pause"),
        (_, true) => (PLAY, "Run again", "run"),
        _ => (PLAY, "Run", "run"),
    };
    let restart = {
        let player = player.clone();
        Callback::from(move |_: MouseEvent| player.restart())
    };
    let faster = {
        let player = player.clone();
        Callback::from(move |value: String| {
            if let Some(speed) = Speed::from_value(&value) {
                player.set_speed(speed);
            }
        })
    };
    let speeds = Speed::ALL.map(|(value, label, _)| (value.into(), label.into()));
    html! {
        <header class="embedded-bar">
            if !scenario.name.is_empty() { <h1 title={scenario.about.clone()}>{ &scenario.name }</h1> }
            <div class="actions">
                if props.controls == Controls::Full {
                    for slot in 0..scenario.kernels.len() { { kernel_choice(props, slot) } }
                    <Choice value={player.speed().value()} options={speeds.to_vec()} choose={faster} label="Speed" testid="speed" />
                }
                if props.controls >= Controls::Play {
                    <button type="button" class="button primary" onclick={props.toggle.reform(|_: MouseEvent| ())} data-testid={testid}>
                        <Icon path={icon} />{ label }</button>
                    <button type="button" class="button icon" onclick={restart} title="Begin again" aria-label="Begin again"
                        data-testid="restart"><Icon path={RESTART} /></button>
                }
                <span class="clock" data-testid="time" data-now-ns={player.now_ns().to_string()} data-finished={finished.to_string()}>
                    { format::seconds(player.now_ns()) }<span class="note">{ format!(" of {} s", format::short(scenario.run.duration.as_secs_f64())) }</span>
                </span>
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
