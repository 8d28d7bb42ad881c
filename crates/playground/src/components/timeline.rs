//! CPUs over time, under the machine: zoomed and moved by wheel, drag, pinch and keys, down to single microseconds.

mod decisions_here;
mod gesture;
mod stage;

use std::rc::Rc;

use teeter_machine::Topology;
use teeter_scenario::Scenario;
use yew::prelude::*;

use self::decisions_here::DecisionsHere;
use self::stage::Stage;
use super::choice::Choice;
use super::tabs::Tabs;
use crate::drawing::palette::{Palette, Wearers};
use crate::player::Player;
use crate::protocol::StepKind;
use crate::protocol::window::Window;
use crate::slot;
use crate::timeline::rows::{Order, Row, Rows};
use crate::timeline::ticks::{length, moment};
use crate::timeline::{View, words};

/// A view no longer than this is simulated again, ns.
const LOOK_NS: f64 = 0.5e9;
/// How much more of each side is simulated with it, as a share of the view.
const MARGIN: f64 = 0.25;

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub scenario: Rc<Scenario>,
    /// The machine; `None` where it cannot be built.
    pub topology: Option<Rc<Topology>>,
    pub palette: Rc<Palette>,
    pub player: Player,
    pub pulse: u32,
}

/// The figure with its controls, what it says in words, and the decisions at the place looked at.
#[component]
pub(super) fn Timeline(props: &Props) -> Html {
    let kernels = props.scenario.kernels.len();
    let chosen = use_state(|| 0_usize);
    let slot = (*chosen).min(kernels.saturating_sub(1));
    let order = use_state(Order::default);
    let end = (props.scenario.run.duration.0 as f64).max(1.0);
    let view = use_state(|| View::whole(end));
    let cursor = use_state(|| None::<(f64, usize)>);
    {
        let (view, cursor) = (view.clone(), cursor.clone());
        use_effect_with(end.to_bits(), move |_| {
            view.set(View::whole(end));
            cursor.set(None);
        });
    }
    let threads = props
        .player
        .recording(slot)
        .map_or(0, |recording| recording.run.table.threads.len());
    let rows = {
        let player = props.player.clone();
        use_memo(
            (*order, props.topology.clone(), threads, slot),
            move |(order, topology, ..)| match (topology, player.recording(slot)) {
                (Some(topology), Some(recording)) => {
                    Rows::new(*order, topology, &recording.run.table)
                }
                _ => Rows::default(),
            },
        )
    };
    let wearers = use_memo(Rc::clone(&props.scenario), |scenario| {
        Wearers::of_scenario(scenario)
    });

    let window = props.player.window(slot);
    let deep = view.span() <= LOOK_NS || (*order == Order::Task && view.span() <= 4.0 * LOOK_NS);
    {
        let player = props.player.clone();
        let reached = props.player.reached_ns();
        // While the run comes through the view it would be simulated again and again, and wait for that.
        let stands = view.to <= reached || !props.player.playing();
        let wanted = (deep && stands).then_some((view.from, view.to));
        let until = wanted.map(|(_, to)| to.min(reached).to_bits());
        let known = window.as_ref().map(|window| window.id);
        use_effect_with(
            (
                slot,
                wanted.map(|(from, to)| (from.to_bits(), to.to_bits())),
                until,
                known,
            ),
            move |_| {
                if let Some((from, to)) = wanted {
                    let covered = player
                        .window(slot)
                        .is_some_and(|window| window.covers(from, to.min(reached)));
                    if !covered {
                        let margin = (to - from) * MARGIN;
                        player.zoom(slot, (from - margin).max(0.0), to + margin);
                    }
                }
            },
        );
    }
    let shown = (view.from, view.to.min(props.player.reached_ns()));
    let window = window.filter(|window| deep && window.covers(shown.0, shown.1));
    let detail = window.is_some();

    let place = cursor.filter(|(_, row)| *row < rows.rows.len());
    let row = place.map(|(_, row)| rows.rows[row]);
    let said = match (place, props.player.recording(slot)) {
        (Some((at, row)), Some(recording)) => {
            words::at(&recording, window.as_deref(), rows.rows[row], at, *view)
        }
        _ => "Click a place, or use the arrow keys, to read what happens there. W and S zoom, A and D move.".to_owned(),
    };
    let onview = {
        let view = view.clone();
        Callback::from(move |new: View| view.set(new))
    };
    let oncursor = {
        let cursor = cursor.clone();
        Callback::from(move |new: (f64, usize)| cursor.set(Some(new)))
    };
    let resort = {
        let (order, cursor) = (order.clone(), cursor.clone());
        Callback::from(move |value: String| {
            if let Some(new) = Order::from_value(&value) {
                order.set(new);
                cursor.set(None);
            }
        })
    };
    let choose = {
        let chosen = chosen.clone();
        Callback::from(move |slot| chosen.set(slot))
    };
    let zoom = |times: f64| {
        let (view, cursor) = (view.clone(), cursor.clone());
        Callback::from(move |_: MouseEvent| {
            let middle = f64::midpoint(view.from, view.to);
            let about = cursor.map_or(middle, |(at, _)| at);
            view.set(view.zoomed(times, about, end));
        })
    };
    let options = Order::ALL.map(|(value, name, _)| (value.into(), name.into()));
    html! {
        <section class="timeline" aria-labelledby="timeline-title" data-testid="timeline" data-from-ns={view.from.to_string()} data-to-ns={view.to.to_string()}
            data-detail={detail.to_string()}>
            <header class="row wrap">
                <h2 id="timeline-title">{ "Timeline" }</h2>
                if kernels > 1 {
                    <Tabs label="Which kernel's timeline is shown" chosen={slot} {choose}
                        names={(0..kernels).map(|slot| AttrValue::from(slot::letter(slot))).collect::<Vec<_>>()} />
                }
                <Choice value={order.value()} options={options.to_vec()} choose={resort} label="Rows" testid="timeline-order" />
                <span class="note">{ format!("{} in view{}", length(view.span()), if detail { ", simulated again in full" } else { "" }) }</span>
                <span class="row end">
                    <button type="button" class="button small" onclick={zoom(0.5)} aria-label="Zoom in" data-testid="timeline-in">{ "+" }</button>
                    <button type="button" class="button small" onclick={zoom(2.0)} aria-label="Zoom out" data-testid="timeline-out">{ "−" }</button>
                    <button type="button" class="button small" onclick={zoom(1e12)} data-testid="timeline-whole">{ "whole run" }</button>
                </span>
            </header>
            <Stage {end} {slot} view={*view} cursor={place} rows={Rc::clone(&rows)} window={window.clone()} wearers={Rc::clone(&wearers)}
                scenario={Rc::clone(&props.scenario)} palette={Rc::clone(&props.palette)} player={props.player.clone()}
                pulse={props.pulse} {onview} {oncursor} said={AttrValue::from(said.clone())} />
            <p class="summary" role="status" data-testid="timeline-words">{ said }</p>
            { moment_bar(props, slot, place.map(|(at, _)| at)) }
            if let (Some((at, _)), Some(row), Some(window)) = (place, row, &window) {
                <DecisionsHere {slot} {row} at_ns={at} window={Rc::clone(window)} player={props.player.clone()}
                    kernel={props.scenario.kernels[slot].title().to_owned()} span_ns={view.span()} pulse={props.pulse} />
            }
        </section>
    }
}

/// The moment the machine shows: to be chosen, stepped on and back, left, and changed from.
fn moment_bar(props: &Props, slot: usize, at: Option<f64>) -> Html {
    let player = &props.player;
    let step = |step: StepKind, back: bool| {
        let player = player.clone();
        Callback::from(move |_: MouseEvent| player.step(slot, step, back))
    };
    let seek = at.map(|at| {
        let player = player.clone();
        Callback::from(move |_: MouseEvent| player.seek(at))
    });
    let latest = {
        let player = player.clone();
        Callback::from(move |_: MouseEvent| player.show_latest())
    };
    let past = player.in_past();
    let forks = player.fork_ns();
    let fork = {
        let player = player.clone();
        Callback::from(move |_: MouseEvent| player.fork(forks.is_none()))
    };
    let kinds = [
        (StepKind::Event, "event"),
        (StepKind::Tick, "tick"),
        (StepKind::Balance, "balance pass"),
    ];
    html! {
        <div class="row wrap moment" data-testid="moment" data-past={past.to_string()} data-at-ns={player.now_ns().to_string()}>
            <button type="button" class="button small" disabled={seek.is_none()} onclick={seek} data-testid="moment-show">{ "Show this moment" }</button>
            <span class="note">{ "Step" }</span>
            for (kind, name) in kinds {
                <span class="pair" key={name}>
                    <button type="button" class="button small" onclick={step(kind, true)} aria-label={format!("one {name} back")}
                        data-testid={format!("back-{}", name.replace(' ', "-"))}>{ "‹" }</button>
                    <button type="button" class="button small" onclick={step(kind, false)} aria-label={format!("one {name} on")}
                        data-testid={format!("on-{}", name.replace(' ', "-"))}>{ format!("{name} ›") }</button>
                </span>
            }
            if past {
                <span class="note" role="status">{ format!("The machine shows {}.", moment(player.now_ns(), 1.0)) }</span>
                <button type="button" class="button small" onclick={latest} data-testid="moment-latest">{ "Back to the latest" }</button>
                <button type="button" class="button small" onclick={fork} aria-pressed={forks.is_some().to_string()} data-testid="moment-fork">{ "Fork here" }</button>
            }
            if let Some(at) = forks {
                <span class="note" role="status">{ format!("Turn a knob, a weight or a limit now: it becomes a change of the script at {}, and the run goes on from there.", moment(at, 1e6)) }</span>
            }
        </div>
    }
}

/// The row of a CPU or thread, if it is shown.
fn row_of(rows: &Rows, row: Row) -> Option<usize> {
    rows.rows.iter().position(|known| *known == row)
}

/// Migrations of a window, by the rows that they lead from and to.
fn arrows(window: &Window, rows: &Rows) -> Vec<(f64, usize, usize)> {
    let place = |cpu| row_of(rows, Row::Cpu(cpu));
    let arrow = |moved: crate::protocol::window::Moved| {
        Some((moved.at_ns, place(moved.from)?, place(moved.to)?))
    };
    window.moved().filter_map(arrow).collect()
}
