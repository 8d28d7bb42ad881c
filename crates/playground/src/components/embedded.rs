//! A figure within another page: one scenario, the panels its author chose, and a way into the playground.

mod answers;
mod bar;
mod knobs;
mod told;

use std::rc::Rc;

use teeter_machine::Topology;
use teeter_scenario::Scenario;
use yew::prelude::*;

use super::comparison::Comparison;
use super::decisions_panel::DecisionsPanel;
use super::edits::edits;
use super::machines::Machines;
use super::threads_chart::ThreadsChart;
use super::throughput_chart::ThroughputChart;
use super::timeline::Timeline;
use crate::embedded::{Controls, Look, Panel, Run};
use crate::hooks::{
    DraftBook, Theme, use_animation_frame, use_host, use_palette, use_visible, use_window_event,
};
use crate::player::{Event as Played, Player};
use crate::state::{Desk, Notice};
use crate::{address, start};
use answers::Answers;
use bar::EmbeddedBar;
use knobs::EmbeddedKnobs;
use told::{ready, tell_failed, use_told};

/// The figure.
#[component]
pub fn Embedded() -> Html {
    let opened = use_memo((), |()| address::link(&address::fragment()));
    let look = use_memo((), |()| match opened.as_ref() {
        Some(Ok(link)) => Look::of_params(&link.params),
        _ => Look::default(),
    });
    match opened.as_ref() {
        Some(Ok(link)) => html! { <Figure scenario={Rc::new(link.scenario.clone())} {look} /> },
        Some(Err(notice)) => html! { <Unopened notice={notice.clone()} /> },
        None => html! { <Figure scenario={start::default_scenario()} {look} /> },
    }
}

#[derive(Properties, PartialEq)]
struct UnopenedProps {
    notice: Notice,
}

/// Instead of the figure: why its link cannot be opened.
#[component]
fn Unopened(props: &UnopenedProps) -> Html {
    let fragment = props.notice.raw.clone().unwrap_or_default();
    let whole = address::whole(&fragment.replace("#embed?", "#"));
    html! {
        <main class="embedded" role="alert">
            <h1>{ "The link of this figure could not be opened." }</h1>
            for line in &props.notice.details { <p>{ line }</p> }
            <p><a href={whole} target="_blank" rel="noopener">{ "Open what can be read in Teeter" }</a></p>
        </main>
    }
}

#[derive(Properties, PartialEq)]
struct Props {
    scenario: Rc<Scenario>,
    look: Rc<Look>,
}

#[component]
fn Figure(props: &Props) -> Html {
    let look = &props.look;
    let desk = use_reducer({
        let scenario = Rc::clone(&props.scenario);
        move || Desk::new(scenario, None)
    });
    let player = (*use_memo((), |()| Player::new(false, look.speed))).clone();
    let wanted = use_state_eq(|| look.run != Run::Never && !start::prefers_stillness());
    let theme = use_state_eq(|| Theme::from_name(look.theme));
    let palette = use_palette(*theme);
    let failed = use_state_eq(Vec::<String>::new);
    let update = use_force_update();
    let drafts = (*use_memo((), |()| DraftBook::default())).clone();
    let root = use_node_ref();
    let visible = use_visible(&root);
    let seen = use_mut_ref(|| false);
    *seen.borrow_mut() |= visible || look.run == Run::Always;
    let seen = *seen.borrow();

    let answers = Answers {
        desk: desk.clone(),
        player: player.clone(),
        wanted: wanted.clone(),
        theme: theme.clone(),
    };
    let host = use_host(move |host, request| answers.answer(host, request));

    {
        let (player, failed, host) = (player.clone(), failed.clone(), Rc::clone(&host));
        use_effect_with((), move |()| {
            host.tell(&ready());
            player.listen(Callback::from(move |event| match event {
                Played::Pulse => update.force_update(),
                Played::Runs => failed.set(Vec::new()),
                Played::Stopped(why) => {
                    tell_failed(&host, &why);
                    failed.set(vec![format!("The simulation stopped: {why}.")]);
                }
                Played::Failed(lines) => {
                    tell_failed(&host, &lines.join("; "));
                    failed.set(lines);
                }
            }));
        });
    }
    {
        let player = player.clone();
        // Nothing is simulated for a figure that was never in sight.
        use_effect_with(
            (Rc::clone(&desk.scenario), seen),
            move |(scenario, seen)| {
                if *seen {
                    player.sync(scenario);
                }
            },
        );
    }
    {
        let player = player.clone();
        let plays = *wanted && (visible || look.run == Run::Always);
        use_effect_with(plays, move |plays| player.play(*plays));
    }
    {
        let player = player.clone();
        use_animation_frame(move |now| player.frame(now));
    }
    use_window_event("hashchange", |_| {
        let _ = gloo::utils::window().location().reload();
    });
    use_told(&host, &desk.scenario, &player, &root);

    let edit = edits(&desk, &player);
    let toggle = {
        let (player, wanted) = (player.clone(), wanted.clone());
        Callback::from(move |()| {
            if player.finished() {
                player.restart();
                wanted.set(true);
            } else {
                wanted.set(!*wanted);
            }
        })
    };
    let topology = use_memo(desk.scenario.machine.clone(), |machine| {
        Topology::from_spec(machine).ok().map(Rc::new)
    });
    let pulse = player.pulses();
    let scenario = &desk.scenario;
    let panel = |panel: &Panel| {
        let (scenario, player, palette) =
            (Rc::clone(scenario), player.clone(), Rc::clone(&palette));
        html! {
            <div key={panel.name()} class={classes!("embedded-panel", panel.name())}>
                { match panel {
                    Panel::Machine => html! { <Machines {scenario} topology={(*topology).clone()} {palette} {player} {pulse} /> },
                    Panel::Timeline => html! { <Timeline {scenario} topology={(*topology).clone()} {palette} {player} {pulse} /> },
                    Panel::Threads => html! { <ThreadsChart {scenario} {player} {palette} {pulse} /> },
                    Panel::Throughput => html! { <ThroughputChart {scenario} {player} {palette} {pulse} /> },
                    Panel::Comparison => html! { <Comparison {scenario} {player} {pulse} /> },
                    Panel::Decisions => html! { <DecisionsPanel {scenario} {player} {pulse} /> },
                } }
            </div>
        }
    };
    html! {
        <ContextProvider<DraftBook> context={drafts}>
        <main class="embedded" ref={root} data-testid="embedded">
            <EmbeddedBar scenario={Rc::clone(scenario)} player={player.clone()} controls={look.controls} {toggle} edit={edit.clone()} {pulse} />
            if !failed.is_empty() {
                <div class="embedded-failed" role="alert">
                    <strong>{ "This scenario cannot be run as it is." }</strong>
                    for line in failed.iter() { <p>{ line }</p> }
                </div>
            }
            if look.controls >= Controls::Params {
                <EmbeddedKnobs scenario={Rc::clone(scenario)} player={player.clone()} chosen={look.knobs.clone()} {edit}
                    online={topology.as_ref().as_ref().map_or(0, |topology| topology.cpus.len())} {pulse} />
            }
            <div class="embedded-panels">for shown in &look.panels { { panel(shown) } }</div>
            for fault in &look.faults { <p class="note">{ fault }</p> }
        </main>
        </ContextProvider<DraftBook>>
    }
}
