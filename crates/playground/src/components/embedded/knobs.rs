//! The knobs that a figure's author lets its readers turn.

use std::rc::Rc;

use teeter_scenario::{Nanos, Scenario};
use yew::prelude::*;

use crate::components::kernel::knob_row::{KnobRow, Slide};
use crate::edit::{Edit, written_at};
use crate::knobs::{self, Kind, Knob, Tuning};
use crate::player::Player;

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub scenario: Rc<Scenario>,
    pub player: Player,
    /// Dotted names; none: `imbalance_pct` of every level.
    pub chosen: Vec<String>,
    pub edit: Callback<Edit>,
    /// CPUs that are online.
    pub online: usize,
    pub pulse: u32,
}

/// A row for each knob.
#[component]
pub(super) fn EmbeddedKnobs(props: &Props) -> Html {
    let kernels = 0..props.scenario.kernels.len();
    let levels: Vec<_> = kernels
        .map(|slot| {
            let recording = props.player.recording(slot);
            recording.map_or_else(Vec::new, |recording| recording.run.levels.clone())
        })
        .collect();
    let live = props.player.live_at();
    let written = written_at(&props.scenario, live.unwrap_or(Nanos::ZERO));
    let tuning = Rc::new(Tuning::new(
        &props.scenario,
        &levels,
        props.online,
        written,
        None,
    ));
    let most = levels.iter().max_by_key(|levels| levels.len());
    let all = knobs::all(most.map_or(&[][..], Vec::as_slice));
    let named = |knob: &&Knob| {
        if props.chosen.is_empty() {
            knob.name.ends_with(".imbalance_pct")
        } else {
            props.chosen.contains(&knob.name)
        }
    };
    let mut shown: Vec<&Knob> = all.iter().filter(named).collect();
    // In the author's order; a tunable before a rule of the same name, of which it is the value.
    shown.sort_by_key(|knob| props.chosen.iter().position(|name| *name == knob.name));
    shown.dedup_by(|later, first| later.name == first.name && matches!(later.kind, Kind::Rule(_)));
    let known = |name: &&String| all.iter().any(|knob| knob.name == **name);
    let unknown: Vec<&str> = match most {
        Some(_) => props
            .chosen
            .iter()
            .filter(|name| !known(name))
            .map(String::as_str)
            .collect(),
        None => Vec::new(),
    };
    html! {
        <section class="embedded-knobs" aria-label="What can be set">
            for knob in shown {
                <KnobRow key={knob.name.clone()} knob={knob.clone()} tuning={Rc::clone(&tuning)} slide={Slide::of(&knob.name)}
                    edit={props.edit.clone()} live={live.is_some()} />
            }
            if !unknown.is_empty() {
                <p class="note">{ format!("There is nothing called {} to be set here.", unknown.join(", ")) }</p>
            }
        </section>
    }
}
