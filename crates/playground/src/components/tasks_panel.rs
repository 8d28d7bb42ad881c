//! Cgroups and tasks: the tree, with what is in each cgroup.

use std::rc::Rc;

use teeter_machine::Topology;
use teeter_scenario::{Nanos, Scenario};
use wasm_bindgen::JsCast;
use web_sys::{ClipboardEvent, Element};
use yew::prelude::*;

use super::tasks::catalogue::AddTask;
use super::tasks::cgroup_row::{CgroupRow, Usage};
use super::tasks::drag::{Dragged, Ghost, use_drag};
use super::tasks::task_row::TaskRow;
use super::term::Term;
use crate::drawing::palette::Wearers;
use crate::edit::{CgroupEdit, Edit, is_grouped, known_cgroups};
use crate::hooks::use_window_event;
use crate::pieces;
use crate::player::Player;

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub scenario: Rc<Scenario>,
    pub topology: Option<Rc<Topology>>,
    pub at: Nanos,
    pub edit: Callback<Edit>,
    pub player: Player,
    pub pulse: u32,
}

/// What is open in the tree: shown with all that can be set of it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Chosen {
    Cgroup(String),
    Task(usize),
}

/// The tree; a row each for cgroups and tasks.
#[component]
pub(super) fn TasksPanel(props: &Props) -> Html {
    let scenario = &props.scenario;
    let chosen = use_state(|| None::<Chosen>);
    let told = use_state(String::new);
    let wearers = Rc::new(Wearers::of_scenario(scenario));
    let grouped = is_grouped(scenario);
    let drag = use_drag(scenario, props.topology.as_ref(), props.edit.clone());
    let toggle = props
        .edit
        .reform(move |_: Event| CgroupEdit::Grouped(!grouped).into());
    let choose = {
        let chosen = chosen.clone();
        Callback::from(move |one: Chosen| {
            chosen.set((chosen.as_ref() != Some(&one)).then_some(one));
        })
    };
    let parent = match &*chosen {
        Some(Chosen::Cgroup(path)) => path.clone(),
        Some(Chosen::Task(index)) => scenario
            .tasks
            .get(*index)
            .map_or("/", |task| task.cgroup.as_str())
            .to_owned(),
        None => "/".to_owned(),
    };
    {
        let (scenario, chosen, told) = (Rc::clone(scenario), chosen.clone(), told.clone());
        use_window_event("copy", move |event| {
            let text = match &*chosen {
                Some(Chosen::Task(index)) => pieces::of_task(&scenario, *index),
                Some(Chosen::Cgroup(path)) => pieces::of_cgroup(&scenario, path),
                None => None,
            };
            let clipboard = event.dyn_ref::<ClipboardEvent>();
            let data = clipboard.and_then(ClipboardEvent::clipboard_data);
            if let (Some(text), Some(data), true) = (text, data, in_tree(event)) {
                let _ = data.set_data("text/plain", &text);
                event.prevent_default();
                told.set(
                    "Copied: paste it into any cgroup, here or in another scenario.".to_owned(),
                );
            }
        });
    }
    {
        let (scenario, edit, told) = (Rc::clone(scenario), props.edit.clone(), told.clone());
        let parent = parent.clone();
        use_window_event("paste", move |event| {
            let clipboard = event.dyn_ref::<ClipboardEvent>();
            let data = clipboard.and_then(ClipboardEvent::clipboard_data);
            let text = data.and_then(|data| data.get_data("text/plain").ok());
            let Some(text) = text.filter(|text| in_tree(event) && pieces::is(text)) else {
                return;
            };
            event.prevent_default();
            match pieces::paste(&scenario, &text, &parent) {
                Ok(new) => {
                    told.set(format!("Pasted into {parent}."));
                    edit.emit(Edit::Pasted(Rc::new(new)));
                }
                Err(problems) => told.set(problems.to_string()),
            }
        });
    }
    let add_group = {
        let (known, parent) = (known_cgroups(scenario), parent.clone());
        let chosen = chosen.clone();
        props.edit.reform(move |_: MouseEvent| {
            let path = pieces::free_path(&known, &parent, "group");
            chosen.set(Some(Chosen::Cgroup(path.clone())));
            CgroupEdit::Add(path).into()
        })
    };
    let tree = Tree {
        props,
        wearers: &wearers,
        chosen: &chosen,
        choose: &choose,
        drag: &drag,
    };
    html! {
        <>
            <label class="switch">
                <input type="checkbox" role="switch" checked={grouped} onchange={toggle} disabled={scenario.tasks.len() < 2}
                    data-testid="group-toggle" />
                { "Each task in a cgroup of its own" }
            </label>
            <section class="section" aria-labelledby="cgroups-title">
                <h2 id="cgroups-title"><Term term="cgroup">{ "Cgroups" }</Term>{ " and tasks" }</h2>
                <ul class="tree" data-tasks-tree="true" data-testid="task-tree">
                    { tree.cgroup("/") }
                </ul>
                <p class="note" role="status">{ &*told }</p>
                <div class="row wrap">
                    <button type="button" class="button" onclick={add_group} data-testid="cgroup-add">{ "Add a cgroup" }</button>
                    <AddTask scenario={Rc::clone(scenario)} parent={parent.clone()} edit={props.edit.clone()} />
                </div>
                <p class="note">{ format!("What is added comes into {parent}. ") }{ "Drag a handle onto a cgroup to move, or onto the machine to place it there; Ctrl+C and Ctrl+V copy and paste; Delete removes." }</p>
            </section>
            <Ghost {drag} edit={props.edit.clone()} />
        </>
    }
}

/// Whether an event is meant for the tree: its focus is there, in no field.
fn in_tree(event: &web_sys::Event) -> bool {
    let target = event
        .target()
        .and_then(|target| target.dyn_into::<Element>().ok());
    target.is_some_and(|element| {
        let field = matches!(element.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT");
        !field
            && element
                .closest("[data-tasks-tree]")
                .ok()
                .flatten()
                .is_some()
    })
}

/// The tree as it is written out.
struct Tree<'a> {
    props: &'a Props,
    wearers: &'a Rc<Wearers>,
    chosen: &'a Option<Chosen>,
    choose: &'a Callback<Chosen>,
    drag: &'a super::tasks::drag::Drag,
}

impl Tree<'_> {
    fn cgroup(&self, path: &str) -> Html {
        let scenario = &self.props.scenario;
        let known = known_cgroups(scenario);
        let children = known.iter().filter(|other| parent_of(other) == path);
        let tasks = scenario.tasks.iter().enumerate();
        let inside = tasks.filter(|(_, task)| task.cgroup == path);
        let one = Chosen::Cgroup(path.to_owned());
        html! {
            <li key={format!("cgroup {path}")} data-drop-cgroup={path.to_owned()}>
                <CgroupRow path={path.to_owned()} scenario={Rc::clone(scenario)} topology={self.props.topology.clone()}
                    wearers={Rc::clone(self.wearers)} at={self.props.at} edit={self.props.edit.clone()} open={*self.chosen == Some(one.clone())}
                    usage={self.usage(path)} choose={self.choose.reform(move |()| one.clone())} grab={self.drag.grab(Dragged::Cgroup(path.to_owned()))} />
                <ul>
                    for (index, _) in inside { { self.task(index) } }
                    for child in children { { self.cgroup(child) } }
                </ul>
            </li>
        }
    }

    /// What the cgroup uses under each kernel now.
    fn usage(&self, path: &str) -> Vec<Usage> {
        let player = &self.props.player;
        let of = |slot: usize| {
            let recording = player.recording(slot)?;
            Some(Usage {
                slot,
                cpus: recording.usage_of(&self.props.scenario, path)?,
                throttled: recording.throttled_of(path),
            })
        };
        let current =
            (0..self.props.scenario.kernels.len()).filter(|slot| player.is_current(*slot));
        current.filter_map(of).collect()
    }

    fn task(&self, index: usize) -> Html {
        let one = Chosen::Task(index);
        html! {
            <li key={format!("task {index}")}>
                <TaskRow {index} scenario={Rc::clone(&self.props.scenario)} topology={self.props.topology.clone()}
                    wearers={Rc::clone(self.wearers)} edit={self.props.edit.clone()} open={*self.chosen == Some(one.clone())}
                    choose={self.choose.reform(move |()| one.clone())} grab={self.drag.grab(Dragged::Task(index))} />
            </li>
        }
    }
}

fn parent_of(path: &str) -> &str {
    match path.rfind('/') {
        None | Some(0) => "/",
        Some(end) => &path[..end],
    }
}
