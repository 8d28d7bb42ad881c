//! The whole page: one scenario on the desk, one player, three columns.

use std::rc::Rc;

use gloo::timers::callback::Timeout;
use teeter_machine::Topology;
use teeter_scenario::{Nanos, Scenario};
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent};
use yew::prelude::*;

use super::bench::use_bench;
use super::comparison::Comparison;
use super::decisions_panel::DecisionsPanel;
use super::edits::edits;
use super::gallery::Gallery;
use super::guide::Guide;
use super::left::Left;
use super::machines::Machines;
use super::notice::NoticeBar;
use super::tabs::Tabs;
use super::threads_chart::ThreadsChart;
use super::throughput_chart::ThroughputChart;
use super::time_bar::TimeBar;
use super::timeline::Timeline;
use super::top_bar::TopBar;
use crate::edit::{Edit, TaskEdit};
use crate::hooks::{DraftBook, use_animation_frame, use_intake, use_theme, use_window_event};
use crate::intake::{self, Intake};
use crate::pace::Speed;
use crate::player::{Event as Played, Player};
use crate::state::{Action, Desk, Notice};
use crate::work::Work;
use crate::{address, pieces, start, store};

/// Storage follows an edit after so much quiet, ms.
const KEEP_MS: u32 = 40;
/// The address bar follows an edit after so much quiet, ms.
const QUIET_MS: u32 = 400;

/// The page.
#[component]
pub fn App() -> Html {
    let begun = use_memo((), |()| start::desk());
    let desk = use_reducer({
        let begun = Rc::clone(&begun);
        move || begun.0.clone()
    });
    let drafts = use_memo((), |()| DraftBook::kept());
    let player = (*use_memo((), |()| {
        Player::new(!start::prefers_stillness(), Speed::Times(1.0))
    }))
    .clone();
    let theme = use_theme();
    let view = use_state(|| 0_usize);
    let guide = use_state(|| (!store::load(store::GUIDED).unwrap_or(false)).then_some(0));
    let gallery = use_state(|| false);
    let update = use_force_update();
    let topology = use_memo(desk.scenario.machine.clone(), |machine| {
        Topology::from_spec(machine).map(Rc::new)
    });

    {
        let (player, dispatch) = (player.clone(), desk.dispatcher());
        use_effect_with((), move |()| {
            player.listen(Callback::from(move |event| match event {
                Played::Pulse => update.force_update(),
                Played::Runs => dispatch.dispatch(Action::Runs),
                Played::Stopped(why) => dispatch.dispatch(Action::Tell(Notice {
                    title: "The simulation stopped. The scenario is as it was: Run begins again."
                        .to_owned(),
                    details: vec![format!("Its worker gave up: {why}.")],
                    ..Notice::default()
                })),
                Played::Failed(details) => dispatch.dispatch(Action::Tell(Notice {
                    title: "This scenario cannot be run as it is.".to_owned(),
                    details,
                    ..Notice::default()
                })),
            }));
        });
    }
    {
        let player = player.clone();
        use_effect_with(Rc::clone(&desk.scenario), move |scenario| {
            player.sync(scenario);
        });
    }
    use_kept(&desk, &begun.1);
    {
        let player = player.clone();
        use_animation_frame(move |now| player.frame(now));
    }
    {
        let dispatch = desk.dispatcher();
        use_window_event("hashchange", move |_| {
            match address::read(&address::fragment()) {
                Some(Ok(scenario)) => {
                    dispatch.dispatch(Action::Open(scenario, "open a link".to_owned()));
                }
                Some(Err(notice)) => dispatch.dispatch(Action::Tell(notice)),
                None => {}
            }
        });
    }
    {
        let (player, dispatch) = (player.clone(), desk.dispatcher());
        use_window_event("keydown", move |event| {
            if let Some(event) = event.dyn_ref::<KeyboardEvent>() {
                match shortcut(event) {
                    Some(Shortcut::Toggle) => player.toggle(),
                    Some(Shortcut::Undo) => dispatch.dispatch(Action::Undo),
                    Some(Shortcut::Redo) => dispatch.dispatch(Action::Redo),
                    None => return,
                }
                event.prevent_default();
            }
        });
    }

    let edit = edits(&desk, &player);
    {
        let (desk, edit) = (desk.clone(), edit.clone());
        use_intake(Callback::from(move |text: String| {
            take_in(&desk, &edit, &text);
        }));
    }
    let open = {
        let dispatch = desk.dispatcher();
        Callback::from(move |(scenario, label): (Rc<Scenario>, String)| {
            dispatch.dispatch(Action::Open(scenario, label));
        })
    };
    let open_default = open.reform(|()| {
        (
            start::default_scenario(),
            "open the default preset".to_owned(),
        )
    });
    let act = {
        let dispatch = desk.dispatcher();
        Callback::from(move |action| dispatch.dispatch(action))
    };
    let dismiss = {
        let dispatch = desk.dispatcher();
        Callback::from(move |()| dispatch.dispatch(Action::Dismiss))
    };
    let choose = {
        let view = view.clone();
        Callback::from(move |tab| view.set(tab))
    };

    let step = {
        let guide = guide.clone();
        Callback::from(move |step: Option<usize>| {
            if step.is_none() {
                store::save(store::GUIDED, &true);
            }
            guide.set(step);
        })
    };
    let leaf = {
        let gallery = gallery.clone();
        Callback::from(move |open: bool| gallery.set(open))
    };

    let built = topology.as_ref().as_ref().ok().cloned();
    let bench = use_bench(&desk.scenario, built.as_ref(), &edit);
    let (pulse, stale) = (player.pulses(), player.is_stale());
    let scenario = &desk.scenario;
    let size = built
        .as_ref()
        .map(|topology| (topology.nodes.len(), topology.cpus.len()));
    let at = Nanos(player.live_at().map_or(0, |at| at.0));
    let levels = |slot| {
        let recording = player.recording(slot);
        recording.map_or_else(Vec::new, |recording| recording.run.levels.clone())
    };
    let levels: Vec<_> = (0..scenario.kernels.len()).map(levels).collect();
    html! {
        <ContextProvider<DraftBook> context={(*drafts).clone()}>
        <div class="app" data-view={VIEWS[*view].0} data-guide={guide.map(|step| step.to_string())}>
            <TopBar desk={desk.clone()} player={player.clone()} theme={theme.clone()} machine={size} {pulse}
                edit={edit.clone()} gallery={*gallery} leaf={leaf.clone()} guide={step.reform(|()| Some(0))} />
            <div class="alerts">
                if let Some(notice) = &desk.notice {
                    <NoticeBar notice={notice.clone()} open={open.clone()} {open_default} {dismiss} />
                }
                if let Some(at) = *guide { <Guide {at} go={step} view={choose.clone()} /> }
            </div>
            <nav class="view-tabs" aria-label="Views"><Tabs class="views" label="Parts of the page" chosen={*view} {choose}
                names={VIEWS.map(|(_, name)| AttrValue::from(name)).to_vec()} /></nav>
            <main class="columns">
            <section class="column left" aria-label="Scenario">
                <Left desk={desk.clone()} {act} scenario={Rc::clone(scenario)} topology={Rc::clone(&topology)} {at} edit={edit.clone()} live={player.live_at().is_some()}
                    levels={Rc::new(levels)} bench={bench.clone()} player={player.clone()} {pulse} />
            </section>
            <section class="column centre" aria-label="The run">
                <Machines scenario={Rc::clone(scenario)} topology={built.clone()} palette={Rc::clone(&theme.palette)}
                    player={player.clone()} {bench} {pulse} />
                <TimeBar scenario={Rc::clone(scenario)} now_ns={player.now_ns()} {edit} />
                <Timeline scenario={Rc::clone(scenario)} topology={built} palette={Rc::clone(&theme.palette)}
                    player={player.clone()} {pulse} />
                <DecisionsPanel scenario={Rc::clone(scenario)} player={player.clone()} {pulse} />
            </section>
            <section class={classes!("column", "right", stale.then_some("stale"))} aria-label="Charts and comparison" aria-busy={stale.to_string()}>
                <ThreadsChart scenario={Rc::clone(scenario)} player={player.clone()} palette={Rc::clone(&theme.palette)} {pulse} />
                <ThroughputChart scenario={Rc::clone(scenario)} player={player.clone()} palette={Rc::clone(&theme.palette)} {pulse} />
                <Comparison scenario={Rc::clone(scenario)} player={player.clone()} {pulse} />
            </section>
            </main>
            if *gallery { <Gallery open={open.clone()} work={begun.1.clone()} close={leaf.reform(|()| false)} /> }
        </div>
        </ContextProvider<DraftBook>>
    }
}

/// Takes in a text that was pasted or dropped.
fn take_in(desk: &UseReducerHandle<Desk>, edit: &Callback<Edit>, text: &str) {
    let tell = |title: &str, details: Vec<String>, calm: bool| {
        desk.dispatch(Action::Tell(Notice {
            title: title.to_owned(),
            details,
            calm,
            ..Notice::default()
        }));
    };
    match intake::read(text, &desk.scenario) {
        Intake::Scenario(scenario) => {
            desk.dispatch(Action::Open(Rc::new(*scenario), "open a scenario".to_owned()));
        }
        Intake::Link(fragment) => match address::read(&fragment) {
            Some(Ok(scenario)) => {
                desk.dispatch(Action::Open(scenario, "open a link".to_owned()));
            }
            Some(Err(notice)) => desk.dispatch(Action::Tell(notice)),
            None => {}
        },
        Intake::Machine(machine, assumed) => {
            edit.emit(Edit::Machine(*machine, "import a machine".to_owned()));
            let assumed: Vec<String> = assumed
                .into_iter()
                .map(|assumption| format!("Assumed: {assumption}."))
                .collect();
            tell("The machine was read.", assumed, true);
        }
        Intake::Pieces(pieces) => match pieces::paste(&desk.scenario, &pieces, "/") {
            Ok(new) => edit.emit(Edit::Pasted(Rc::new(new))),
            Err(problems) => {
                let lines = problems.0.iter().map(ToString::to_string).collect();
                tell("These tasks cannot be added.", lines, false);
            }
        },
        Intake::RtApp(task) => edit.emit(TaskEdit::Add(task).into()),
        Intake::Faulty(title, details) => tell(title, details, false),
        Intake::Unknown => tell(
            "This text is nothing that can be opened here.",
            vec![
                "A scenario, a link, a machine (lscpu, numactl, lstopo, sysfs, hwloc), copied tasks or an rt-app document can."
                    .to_owned(),
            ],
            false,
        ),
    }
}

/// The tabs of a narrow page; the machine comes first.
const VIEWS: [(&str, &str); 3] = [
    ("machine", "Machine"),
    ("set", "Scenario"),
    ("results", "Results"),
];

/// Keeps address bar and storage current. A link that could not be opened stays in the address bar
/// until the visitor decides.
#[hook]
fn use_kept(desk: &UseReducerHandle<Desk>, work: &Work) {
    let undecided = desk
        .notice
        .as_ref()
        .is_some_and(|notice| notice.raw.is_some());
    let keep = {
        let (scenario, work) = (Rc::clone(&desk.scenario), work.clone());
        move || {
            if !undecided {
                work.keep(&scenario, address::fragment());
            }
        }
    };
    {
        let (keep, work) = (keep.clone(), work.clone());
        use_effect_with(
            (Rc::clone(&desk.scenario), undecided),
            move |(scenario, undecided)| {
                let soon = Timeout::new(KEEP_MS, keep);
                let wait = (!undecided).then(|| {
                    let scenario = Rc::clone(scenario);
                    Timeout::new(QUIET_MS, move || {
                        address::show(&address::encode(&scenario));
                        work.keep(&scenario, address::fragment());
                    })
                });
                move || drop((soon, wait))
            },
        );
    }
    // The page may go for good: what has not been kept yet is kept now.
    use_window_event("pagehide", move |_| keep());
}

/// What a key does when no field has the focus.
enum Shortcut {
    Toggle,
    Undo,
    Redo,
}

fn shortcut(event: &KeyboardEvent) -> Option<Shortcut> {
    let focus = event
        .target()
        .and_then(|target| target.dyn_into::<Element>().ok());
    let tag = focus
        .map(|element| element.tag_name().to_ascii_lowercase())
        .unwrap_or_default();
    let control = event.ctrl_key() || event.meta_key();
    // A field keeps its keys; a focused button is pressed by the space bar.
    match (event.key().as_str(), tag.as_str()) {
        (_, "input" | "textarea" | "select") | (" ", "button" | "summary" | "a") => None,
        (" ", _) if !control => Some(Shortcut::Toggle),
        ("z", _) if control && !event.shift_key() => Some(Shortcut::Undo),
        ("Z" | "z" | "y", _) if control => Some(Shortcut::Redo),
        _ => None,
    }
}
