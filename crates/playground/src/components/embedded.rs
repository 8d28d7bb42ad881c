//! A figure within another page: one scenario, the panels its author chose, and a way into the playground.

use std::rc::Rc;

use teeter_machine::Topology;
use teeter_scenario::link::{self, Link, LinkError};
use teeter_scenario::{Nanos, Scenario};
use yew::prelude::*;

use super::comparison::Comparison;
use super::decisions_panel::DecisionsPanel;
use super::embedded_bar::EmbeddedBar;
use super::embedded_knobs::EmbeddedKnobs;
use super::machines::Machines;
use super::threads_chart::ThreadsChart;
use super::throughput_chart::ThroughputChart;
use super::timeline::Timeline;
use crate::edit::{Edit, KernelEdit};
use crate::embedded::message::{Asked, Fault, Metrics, Request, Said, VERSION, Wanted};
use crate::embedded::{Controls, Look, Panel, Run};
use crate::hooks::{
    DraftBook, Host, Theme, use_animation_frame, use_host, use_palette, use_resize, use_visible,
    use_window_event,
};
use crate::player::{Event as Played, Player};
use crate::state::{Action, Desk, Notice};
use crate::{address, start};

/// Metrics are told no more often than this, ms.
const METRICS_MS: f64 = 250.0;

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

    let edit = {
        let (player, dispatch) = (player.clone(), desk.dispatcher());
        let scenario = Rc::clone(&desk.scenario);
        Callback::from(move |edit: Edit| {
            let live = player.live_at().and_then(|at| edit.live(&scenario, at));
            dispatch.dispatch(Action::Edit(live.unwrap_or(edit), js_sys::Date::now()));
        })
    };
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

fn ready() -> Said {
    Said::Ready {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        apis: vec![VERSION],
    }
}

fn tell_failed(host: &Host, why: &str) {
    host.tell(&Said::Error {
        code: "run",
        message: why.to_owned(),
        id: None,
    });
}

/// The link of the scenario in the playground.
pub(super) fn whole_link(scenario: &Scenario) -> String {
    address::whole(&address::encode(scenario))
}

/// Tells the host of changes, figures and height.
#[hook]
fn use_told(host: &Rc<Host>, scenario: &Rc<Scenario>, player: &Player, root: &NodeRef) {
    let first = use_mut_ref(|| true);
    {
        let host = Rc::clone(host);
        use_effect_with(Rc::clone(scenario), move |scenario| {
            if !std::mem::replace(&mut *first.borrow_mut(), false) {
                let link = whole_link(scenario);
                host.tell(&Said::Change { link });
            }
        });
    }
    let last = use_mut_ref(|| f64::NEG_INFINITY);
    {
        let (host, player, scenario) = (Rc::clone(host), player.clone(), Rc::clone(scenario));
        use_effect_with(
            (player.pulses(), player.finished()),
            move |(_, finished)| {
                let now = js_sys::Date::now();
                let mut last = last.borrow_mut();
                if *finished || now - *last >= METRICS_MS {
                    *last = now;
                    host.tell(&Said::Metrics(metrics(&scenario, &player)));
                }
            },
        );
    }
    let resized = use_resize(root);
    {
        let (host, root) = (Rc::clone(host), root.clone());
        use_effect_with(resized, move |_| {
            if let Some(root) = root.cast::<web_sys::Element>() {
                let height = root.get_bounding_client_rect().height().ceil() as u32;
                host.tell(&Said::Resize { height });
            }
        });
    }
}

fn metrics(scenario: &Scenario, player: &Player) -> Metrics {
    let kernels = scenario.kernels.iter().enumerate().map(|(slot, kernel)| {
        let recording = player.recording(slot);
        let result = recording
            .as_ref()
            .and_then(|recording| recording.result.as_ref());
        let value = result.and_then(|result| serde_json::to_value(result).ok());
        (kernel.title().to_owned(), value)
    });
    Metrics {
        time_s: player.now_ns() / 1e9,
        finished: player.finished(),
        kernels: kernels.collect(),
    }
}

/// What answers the host.
struct Answers {
    desk: UseReducerHandle<Desk>,
    player: Player,
    wanted: UseStateHandle<bool>,
    theme: UseStateHandle<Theme>,
}

impl Answers {
    fn answer(&self, host: &Host, request: Result<Request, Fault>) {
        let Request { id, what } = match request {
            Ok(request) => request,
            Err(fault) => return host.tell(&fault.into()),
        };
        if what == Asked::Ping {
            return host.tell(&ready());
        }
        match self.obey(what) {
            Ok(value) if value.is_some() || id.is_some() => host.tell(&Said::Result {
                id,
                value: value.unwrap_or_default(),
            }),
            Ok(_) => {}
            Err((code, message)) => host.tell(&Said::Error { code, message, id }),
        }
    }

    fn obey(&self, what: Asked) -> Result<Option<serde_json::Value>, (&'static str, String)> {
        match what {
            Asked::Ping => {}
            Asked::LoadScenario(value) => {
                let scenario = Scenario::from_value(&value)
                    .map_err(|problems| ("scenario", problems.to_string()))?;
                self.open(scenario);
            }
            Asked::LoadLink(link) => {
                let link = Link::decode(&link).map_err(|error| ("link", in_words(&error)))?;
                self.open(link.scenario);
            }
            Asked::Set { path, value } => {
                let edit = self
                    .set(&path, &value)
                    .map_err(|error| ("set", in_words(&error)))?;
                self.desk.dispatch(Action::Edit(edit, js_sys::Date::now()));
            }
            Asked::Run => {
                if self.player.finished() {
                    self.player.restart();
                }
                self.wanted.set(true);
            }
            Asked::Pause => self.wanted.set(false),
            Asked::Restart => self.player.restart(),
            Asked::Seek(at_s) => {
                self.wanted.set(false);
                self.player.seek(at_s.max(0.0) * 1e9);
            }
            Asked::Theme(name) => self.theme.set(Theme::from_name(&name)),
            Asked::Get(Wanted::Scenario) => return Ok(Some(self.desk.scenario.to_value())),
            Asked::Get(Wanted::Link) => return Ok(Some(whole_link(&self.desk.scenario).into())),
            Asked::Get(Wanted::Metrics) => {
                let metrics = metrics(&self.desk.scenario, &self.player);
                return Ok(serde_json::to_value(metrics).ok());
            }
        }
        Ok(None)
    }

    fn open(&self, scenario: Scenario) {
        let label = "open another scenario".to_owned();
        self.desk.dispatch(Action::Open(Rc::new(scenario), label));
    }

    /// The edit that sets a tunable or a place of the document: written into the script where the run goes on and it
    /// can be, as a reader's turn of a knob is.
    fn set(&self, path: &str, value: &serde_json::Value) -> Result<Edit, LinkError> {
        let scenario = &self.desk.scenario;
        if let (false, Some(at)) = (path.starts_with('/'), self.player.live_at())
            && let Some(edit) = live(scenario, path, value, at)
        {
            return Ok(edit);
        }
        let key = if path.starts_with('/') {
            path.to_owned()
        } else {
            format!("set.{path}")
        };
        let changed = link::change((**scenario).clone(), &key, &value.to_string())?;
        Ok(Edit::Whole(Rc::new(changed)))
    }
}

fn live(scenario: &Scenario, path: &str, value: &serde_json::Value, at: Nanos) -> Option<Edit> {
    let set = KernelEdit::Set {
        slot: None,
        name: path.to_owned(),
        value: Some(serde_json::from_value(value.clone()).ok()?),
    };
    Edit::from(set).live(scenario, at)
}

/// What is wrong with a link or a change, with its details.
fn in_words(error: &LinkError) -> String {
    match error {
        LinkError::Field { problems, .. } => problems.to_string(),
        other => other.to_string(),
    }
}
