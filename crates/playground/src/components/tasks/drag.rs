//! Dragging a task or a cgroup: onto another cgroup, or onto the machine. With any pointer.

use std::rc::Rc;

use teeter_machine::{CpuId, NodeId, Topology};
use teeter_scenario::Scenario;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, KeyboardEvent};
use yew::prelude::*;

use crate::drawing::layout::lay_out;
use crate::drawing::rect::Rect;
use crate::edit::{CgroupEdit, Edit, Place, TaskEdit, TaskField, known_cgroups};
use crate::hooks::use_window_event;
use crate::pieces::free_path;
use crate::spot::Spot;

/// How far a pointer goes before it drags, CSS pixels.
const SLOP: f64 = 5.0;

/// What is dragged.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Dragged {
    Task(usize),
    Cgroup(String),
}

/// What lies under the pointer.
#[derive(Clone, Debug, PartialEq)]
enum Over {
    Nothing,
    Cgroup(String),
    /// A place of the machine, and where it is on the window.
    Spot(Spot, Rect),
}

/// A drag under way, or one that ended on the machine and asks what to do there.
#[derive(Clone, Debug, PartialEq)]
struct State {
    what: Dragged,
    from: (f64, f64),
    at: (f64, f64),
    over: Over,
    moved: bool,
    dropped: bool,
}

/// The drag of this panel.
#[derive(Clone, PartialEq)]
pub(crate) struct Drag {
    state: UseStateHandle<Option<State>>,
    scenario: Rc<Scenario>,
    topology: Option<Rc<Topology>>,
}

impl Drag {
    /// Begins a drag where a pointer goes down.
    pub(crate) fn grab(&self, what: Dragged) -> Callback<PointerEvent> {
        let state = self.state.clone();
        Callback::from(move |event: PointerEvent| {
            event.prevent_default();
            let at = (f64::from(event.client_x()), f64::from(event.client_y()));
            state.set(Some(State {
                what: what.clone(),
                from: at,
                at,
                over: Over::Nothing,
                moved: false,
                dropped: false,
            }));
        })
    }
}

/// A drag that follows the pointer wherever it goes.
#[hook]
pub(crate) fn use_drag(
    scenario: &Rc<Scenario>,
    topology: Option<&Rc<Topology>>,
    edit: Callback<Edit>,
) -> Drag {
    let state = use_state(|| None::<State>);
    let drag = Drag {
        state: state.clone(),
        scenario: Rc::clone(scenario),
        topology: topology.cloned(),
    };
    {
        let (state, topology) = (state.clone(), drag.topology.clone());
        use_window_event("pointermove", move |event| {
            let Some(event) = event.dyn_ref::<web_sys::PointerEvent>() else {
                return;
            };
            if let Some(old) = state.as_ref().filter(|state| !state.dropped) {
                let at = (f64::from(event.client_x()), f64::from(event.client_y()));
                let far = (at.0 - old.from.0).hypot(at.1 - old.from.1) > SLOP;
                state.set(Some(State {
                    at,
                    over: over(at, topology.as_deref()),
                    moved: old.moved || far,
                    ..old.clone()
                }));
            }
        });
    }
    {
        let (state, scenario) = (state.clone(), Rc::clone(scenario));
        use_window_event("pointerup", move |_| {
            let Some(old) = state.as_ref().filter(|state| !state.dropped) else {
                return;
            };
            match (&old.over, old.moved) {
                (Over::Spot(..), true) => state.set(Some(State {
                    dropped: true,
                    ..old.clone()
                })),
                (Over::Cgroup(path), true) => {
                    if let Some(moved) = move_to(&scenario, &old.what, path) {
                        edit.emit(moved);
                    }
                    state.set(None);
                }
                _ => state.set(None),
            }
        });
    }
    {
        let state = state.clone();
        use_window_event("pointercancel", move |_| {
            if state.is_some() {
                state.set(None);
            }
        });
    }
    use_window_event("keydown", move |event| {
        let key = event.dyn_ref::<KeyboardEvent>().map(KeyboardEvent::key);
        if state.is_some() && key.as_deref() == Some("Escape") {
            state.set(None);
        }
    });
    drag
}

/// The edit that moves something into a cgroup.
fn move_to(scenario: &Scenario, what: &Dragged, to: &str) -> Option<Edit> {
    match what {
        Dragged::Task(task) => {
            let field = TaskField::Cgroup(to.to_owned());
            (scenario.tasks.get(*task)?.cgroup != to)
                .then(|| TaskEdit::Field { task: *task, field }.into())
        }
        Dragged::Cgroup(path) => {
            let inside = to == path || to.starts_with(&format!("{path}/"));
            let there =
                path.rsplit_once('/').map(|(parent, _)| parent) == Some(to.trim_end_matches('/'));
            (path != "/" && !inside && !there).then(|| {
                let to = free_path(&known_cgroups(scenario), to, path);
                let path = path.clone();
                CgroupEdit::Rename { path, to }.into()
            })
        }
    }
}

/// What lies at a point of the window.
fn over(at: (f64, f64), topology: Option<&Topology>) -> Over {
    let element = gloo::utils::document().element_from_point(at.0 as f32, at.1 as f32);
    let closest =
        |selector: &str| -> Option<Element> { element.as_ref()?.closest(selector).ok().flatten() };
    if let Some(cgroup) = closest("[data-drop-cgroup]") {
        let path = cgroup.get_attribute("data-drop-cgroup");
        return path.map_or(Over::Nothing, Over::Cgroup);
    }
    let (Some(stage), Some(topology), Some(element)) = (closest(".stage"), topology, &element)
    else {
        return Over::Nothing;
    };
    let found = if stage.matches(".edited").unwrap_or(false) {
        on_boxes(element, topology)
    } else {
        on_picture(&stage, at, topology)
    };
    found.map_or(Over::Nothing, |(spot, rect)| Over::Spot(spot, rect))
}

/// The place at a point of a picture that shows the run, however it is moved and zoomed.
fn on_picture(stage: &Element, at: (f64, f64), topology: &Topology) -> Option<(Spot, Rect)> {
    let size = (
        f64::from(stage.client_width()),
        f64::from(stage.client_height()),
    );
    let layout = lay_out(topology, size.0, size.1);
    let picture = stage.query_selector(".picture").ok().flatten()?;
    let shown = picture.get_bounding_client_rect();
    let scale = shown.width() / size.0.max(1.0);
    let spot = layout.spot((at.0 - shown.left()) / scale, (at.1 - shown.top()) / scale)?;
    let rect = match spot {
        Spot::Cpu(cpu) => layout.cells.get(cpu.index()).copied(),
        Spot::Llc(llc) => {
            let found = layout.llcs.iter().find(|(number, _)| *number == llc);
            found.map(|(_, rect)| *rect)
        }
        Spot::Node(node) => {
            let found = layout.nodes.iter().find(|known| known.node == node);
            found.map(|node| node.rect)
        }
    }?;
    let rect = Rect {
        x: shown.left() + rect.x * scale,
        y: shown.top() + rect.y * scale,
        w: rect.w * scale,
        h: rect.h * scale,
    };
    Some((spot, rect))
}

/// The place that a box of the edited picture stands for.
fn on_boxes(element: &Element, topology: &Topology) -> Option<(Spot, Rect)> {
    let number = |element: &Element, name: &str| -> Option<u16> {
        element.get_attribute(name)?.parse().ok()
    };
    let boxed = element.closest("[data-path]").ok().flatten()?;
    let path = boxed.get_attribute("data-path")?;
    let (found, spot) = if let Some(cpu) = number(element, "data-cpu") {
        (element.clone(), Spot::Cpu(CpuId(cpu)))
    } else if let Ok(node) = path.parse::<u16>() {
        let has_cpus = topology.nodes.get(usize::from(node))?.first().is_some();
        (boxed, has_cpus.then_some(Spot::Node(NodeId(node)))?)
    } else {
        // The cache of its first CPU.
        let core = if path.matches('-').count() == 1 {
            format!("{path}-0")
        } else {
            path
        };
        let first = gloo::utils::document().get_element_by_id(&format!("box-{core}"))?;
        let first = first.query_selector("[data-cpu]").ok().flatten()?;
        let cpu = topology
            .cpus
            .get(usize::from(number(&first, "data-cpu")?))?;
        (boxed, Spot::Llc(cpu.llc))
    };
    let shown = found.get_bounding_client_rect();
    let rect = Rect {
        x: shown.left(),
        y: shown.top(),
        w: shown.width(),
        h: shown.height(),
    };
    Some((spot, rect))
}

#[derive(Properties, PartialEq)]
pub(crate) struct GhostProps {
    pub drag: Drag,
    pub edit: Callback<Edit>,
}

/// What is dragged, beside the pointer; once dropped on the machine, the choice of what to do there.
#[component]
pub(crate) fn Ghost(props: &GhostProps) -> Html {
    let first = use_node_ref();
    let drag = &props.drag;
    let dropped = drag.state.as_ref().is_some_and(|state| state.dropped);
    {
        let first = first.clone();
        use_effect_with(dropped, move |_| {
            if let Some(button) = first.cast::<HtmlElement>() {
                let _ = button.focus();
            }
        });
    }
    let Some(state) = drag.state.as_ref().filter(|state| state.moved) else {
        return Html::default();
    };
    let name = match &state.what {
        Dragged::Task(task) => {
            let task = drag.scenario.tasks.get(*task);
            task.map_or_else(String::new, |task| task.name.clone())
        }
        Dragged::Cgroup(path) => path.clone(),
    };
    let style = format!("left:{}px;top:{}px", state.at.0, state.at.1);
    match (&state.over, &drag.topology) {
        (Over::Spot(spot, _), Some(topology)) if state.dropped => {
            menu(props, &name, *spot, topology, &state.what, &first, state.at)
        }
        (over, _) => {
            let place = match over {
                Over::Nothing => String::new(),
                Over::Cgroup(path) => format!(" into {path}"),
                Over::Spot(spot, _) => format!(" onto {}", spot.name()),
            };
            let mark = match over {
                Over::Spot(_, rect) => Some(format!(
                    "left:{:.0}px;top:{:.0}px;width:{:.0}px;height:{:.0}px",
                    rect.x, rect.y, rect.w, rect.h
                )),
                _ => None,
            };
            html! {
                <>
                    if let Some(style) = mark { <div class="drop-target" {style} aria-hidden="true"></div> }
                    <div class="ghost" {style} aria-hidden="true">{ name }<span class="note">{ place }</span></div>
                </>
            }
        }
    }
}

fn menu(
    props: &GhostProps,
    name: &str,
    spot: Spot,
    topology: &Rc<Topology>,
    what: &Dragged,
    first: &NodeRef,
    at: (f64, f64),
) -> Html {
    let who = match what {
        Dragged::Task(task) => Place::Task(*task),
        Dragged::Cgroup(path) => Place::Cgroup(path.clone()),
    };
    let close = {
        let state = props.drag.state.clone();
        Callback::from(move |_: MouseEvent| state.set(None))
    };
    let act = |cpus: &teeter_scenario::CpuList, bind: bool| {
        let (who, cpus, edit) = (who.clone(), cpus.clone(), props.edit.clone());
        let close = close.clone();
        Callback::from(move |event: MouseEvent| {
            let (who, cpus) = (who.clone(), Some(cpus.clone()));
            edit.emit(TaskEdit::Place { who, cpus, bind }.into());
            close.emit(event);
        })
    };
    let window = gloo::utils::window();
    let side = |size: Result<wasm_bindgen::JsValue, wasm_bindgen::JsValue>| {
        size.ok().and_then(|size| size.as_f64()).unwrap_or(f64::MAX)
    };
    let left = at.0.min(side(window.inner_width()) - 300.0).max(8.0);
    let top = at.1.min(side(window.inner_height()) - 240.0).max(8.0);
    html! {
        <div class="drop-menu" role="group" aria-label={format!("Place {name}")} style={format!("left:{left}px;top:{top}px")} data-testid="drop-menu">
            <div class="row"><strong>{ format!("Place {name}") }</strong>
                <button type="button" class="button quiet small end" onclick={close.clone()}>{ "Cancel" }</button></div>
            for (index, (level, number)) in spot.places(topology).into_iter().enumerate() { {
                {
                    let kind = level.name();
                    let cpus = level.cpus(topology, number);
                    let place = format!("{kind} {number}");
                    html! {
                        <div class="row" key={kind}>
                            <span>{ &place }</span><span class="note grow mono">{ if cpus.count() == 1 { String::new() } else { cpus.to_string() } }</span>
                            if index == 0 {
                                <button type="button" class="button" ref={first.clone()} onclick={act(&cpus, false)} aria-label={format!("Start on {place}")}>{ "Start" }</button>
                            } else {
                                <button type="button" class="button" onclick={act(&cpus, false)} aria-label={format!("Start on {place}")}>{ "Start" }</button>
                            }
                            <button type="button" class="button" onclick={act(&cpus, true)} aria-label={format!("Bind to {place}")}>{ "Bind" }</button>
                        </div>
                    }
                }
            } }
        </div>
    }
}
