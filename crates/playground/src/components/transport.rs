//! What moves a run: run and pause, begin again, its clock and its speed; for the playground's bar and a figure's.

use teeter_scenario::Scenario;
use yew::prelude::*;

use super::choice::Choice;
use super::icon::{Icon, PAUSE, PLAY, RESTART};
use crate::format;
use crate::pace::Speed;
use crate::player::Player;

/// Run (or pause) and begin again; run and pause have test ids of their own. `key` presses the first, if any does.
pub(super) fn run_buttons(
    player: &Player,
    onclick: &Callback<MouseEvent>,
    key: Option<&str>,
) -> Html {
    let (icon, label, testid) = match (player.playing(), player.finished()) {
        (true, _) => (PAUSE, "Pause", "pause"),
        (_, true) => (PLAY, "Run again", "run"),
        _ => (PLAY, "Run", "run"),
    };
    let restart = {
        let player = player.clone();
        Callback::from(move |_: MouseEvent| player.restart())
    };
    html! {
        <>
            <button key="run" type="button" class="button primary grow" {onclick} data-testid={testid}
                title={key.map(|key| format!("{label} ({key})"))}><Icon path={icon} />{ label }</button>
            <button key="restart" type="button" class="button icon" onclick={restart} title="Begin again" aria-label="Begin again"
                data-testid="restart"><Icon path={RESTART} /></button>
        </>
    }
}

/// The simulated time, and how long the run is.
pub(super) fn clock(scenario: &Scenario, player: &Player) -> Html {
    html! {
        <span class="clock" data-testid="time" data-now-ns={player.now_ns().to_string()} data-finished={player.finished().to_string()}>
            { format::seconds(player.now_ns()) }<span class="note">{ format!(" of {} s", format::short(scenario.run.duration.as_secs_f64())) }</span>
        </span>
    }
}

/// A choice of speeds.
pub(super) fn speed_choice(player: &Player) -> Html {
    let choose = {
        let player = player.clone();
        Callback::from(move |value: String| {
            if let Some(speed) = Speed::from_value(&value) {
                player.set_speed(speed);
            }
        })
    };
    let options = Speed::ALL
        .map(|(value, label, _)| (value.into(), label.into()))
        .to_vec();
    html! { <Choice value={player.speed().value()} {options} {choose} label="Speed" testid="speed" /> }
}
