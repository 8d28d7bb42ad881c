//! The machine as a tree of nodes, caches and cores, drawn by pointer, touch and keyboard.

use std::collections::BTreeSet;
use std::rc::Rc;

use teeter_machine::Topology;
use teeter_scenario::Scenario;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent};
use yew::prelude::*;

use super::distances::Distances;
use super::part_form::PartForm;
use crate::edit::Edit;
use crate::parts::{Drawing, Path};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub scenario: Rc<Scenario>,
    pub topology: Rc<Topology>,
    pub edit: Callback<Edit>,
}

/// The tree, what can be done with the parts chosen in it, and the distances.
#[component]
pub(crate) fn PartTree(props: &Props) -> Html {
    let chosen = use_state(|| vec![Path::new()]);
    let open = use_state(|| BTreeSet::from([Path::new()]));
    let tree = use_node_ref();
    let drawing = use_memo(Rc::clone(&props.scenario), |scenario| {
        Drawing::of(&scenario.machine, &props.topology)
    });
    let focused = chosen.last().cloned().unwrap_or_default();
    {
        // The focus goes with the choice, but only where it was in the tree already.
        let tree = tree.clone();
        use_effect_with((focused.clone(), Rc::clone(&drawing)), move |(path, _)| {
            let tree = tree.cast::<HtmlElement>();
            let document = gloo::utils::document();
            let inside = document.active_element().is_some_and(|active| {
                tree.as_ref()
                    .is_some_and(|tree| tree.contains(Some(&active)))
                    || active == gloo::utils::body().into()
            });
            let id = document.get_element_by_id(&id_of(path));
            if let (true, Some(item)) = (inside && tree.is_some(), id)
                && let Some(item) = item.dyn_ref::<HtmlElement>()
                && document
                    .active_element()
                    .is_some_and(|active| active.has_attribute("data-part"))
            {
                let _ = item.focus();
            }
        });
    }
    let change = {
        let (drawing, edit, chosen) = (Rc::clone(&drawing), props.edit.clone(), chosen.clone());
        Callback::from(move |change: Change| {
            let mut new = (*drawing).clone();
            let (label, next) = change.apply(&mut new, &chosen);
            if let Some(next) = next {
                chosen.set(next);
            }
            if new != *drawing {
                edit.emit(Edit::Machine(new.machine(), label));
            }
        })
    };
    let shown = visible(&drawing, &open);
    let onkeydown = {
        let (chosen, open, change) = (chosen.clone(), open.clone(), change.clone());
        let (shown, drawing) = (shown.clone(), Rc::clone(&drawing));
        Callback::from(move |event: KeyboardEvent| {
            let path = chosen.last().cloned().unwrap_or_default();
            let Some(key) = key(&event, &path, &shown, &open, &drawing) else {
                return;
            };
            event.prevent_default();
            match key {
                Key::To(next) if event.shift_key() => {
                    let mut all = (*chosen).clone();
                    all.retain(|known| *known != next);
                    all.push(next);
                    chosen.set(all);
                }
                Key::To(next) => chosen.set(vec![next]),
                Key::Open(path, is_open) => {
                    let mut new = (*open).clone();
                    if is_open {
                        new.insert(path);
                    } else {
                        new.remove(&path);
                    }
                    open.set(new);
                }
                Key::Change(what) => change.emit(what),
            }
        })
    };
    html! {
        <section class="section" aria-labelledby="parts-title">
            <h2 id="parts-title">{ "Its parts" }</h2>
            <ul class="parts" role="tree" aria-label="Parts of the machine" aria-multiselectable="true" ref={tree} {onkeydown} data-testid="parts">
                for path in shown.iter() { { item(path, &drawing, &chosen, &open, *path == focused) } }
            </ul>
            <PartForm drawing={Rc::clone(&drawing)} chosen={(*chosen).clone()} {change} />
            <Distances drawing={Rc::clone(&drawing)} edit={props.edit.clone()} />
            <details class="fold"><summary>{ "Keys" }</summary>
                <p class="note">{ "Arrows move and open, Shift adds to the choice; A adds a part, D duplicates, + and − stretch, Delete removes, Ctrl with arrows moves it among its siblings." }</p>
            </details>
        </section>
    }
}

/// What is done with the parts that are chosen.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Change {
    Add,
    AddMemory,
    Duplicate,
    Remove,
    Shift(bool),
    Stretch(usize),
    Pus(u32),
    Capacity(u32),
    Memory(Option<teeter_scenario::Bytes>),
    Offline(teeter_scenario::CpuList),
}

impl Change {
    /// Does it; gives what undo calls it, and what is chosen then.
    fn apply(&self, drawing: &mut Drawing, chosen: &[Path]) -> (String, Option<Vec<Path>>) {
        let last = chosen.last().cloned().unwrap_or_default();
        match self {
            Self::Add => {
                let new = drawing.add(&last);
                (
                    format!("add a {}", kind(last.len() + 1)),
                    new.map(|path| vec![path]),
                )
            }
            Self::AddMemory => {
                let new = drawing.add_memory();
                ("add a node of memory".to_owned(), Some(vec![new]))
            }
            Self::Duplicate => {
                let new = drawing.duplicate(&last);
                (
                    format!("duplicate a {}", kind(last.len())),
                    new.map(|path| vec![path]),
                )
            }
            Self::Remove => {
                drawing.remove(chosen);
                let parent = last.split_last().map(|(_, parent)| vec![parent.to_vec()]);
                (format!("remove {}", several(chosen)), parent)
            }
            Self::Shift(down) => {
                let new = drawing.shift(&last, *down);
                (
                    format!("move a {}", kind(last.len())),
                    new.map(|path| vec![path]),
                )
            }
            Self::Stretch(size) => {
                for path in chosen {
                    drawing.stretch(path, *size);
                }
                (format!("stretch {}", several(chosen)), None)
            }
            Self::Pus(pus) => {
                for path in chosen {
                    drawing.set_pus(path, *pus);
                }
                (
                    format!("give {} {pus} threads a core", several(chosen)),
                    None,
                )
            }
            Self::Capacity(capacity) => {
                for path in chosen {
                    drawing.set_capacity(path, *capacity);
                }
                (format!("set the capacity of {}", several(chosen)), None)
            }
            Self::Memory(memory) => {
                for path in chosen {
                    if let [node] = **path
                        && let Some(node) = drawing.nodes.get_mut(node)
                    {
                        node.memory = *memory;
                    }
                }
                ("set the memory of a node".to_owned(), None)
            }
            Self::Offline(cpus) => {
                drawing.set_offline(cpus.clone());
                (format!("switch CPUs {cpus} off"), None)
            }
        }
    }
}

fn several(chosen: &[Path]) -> String {
    match chosen {
        [one] => format!("a {}", kind(one.len())),
        more => format!("{} parts", more.len()),
    }
}

/// What a part at this depth is.
pub(crate) fn kind(depth: usize) -> &'static str {
    ["machine", "node", "cache", "core"]
        .get(depth)
        .copied()
        .unwrap_or("thread")
}

/// What a part is called.
pub(crate) fn name(path: &[usize]) -> String {
    match path.split_last() {
        None => "machine".to_owned(),
        Some((last, _)) => format!("{} {last}", kind(path.len())),
    }
}

/// What a part has, in words.
fn summary(drawing: &Drawing, path: &[usize]) -> String {
    let count = |n: usize, of: usize| {
        let one = kind(of);
        match n {
            1 => format!("1 {one}"),
            n => format!("{n} {one}s"),
        }
    };
    match *path {
        [] => format!("{}, {} CPUs", count(drawing.size(path), 1), drawing.cpus()),
        [node] => match drawing.nodes.get(node) {
            Some(found) if found.llcs.is_empty() => format!(
                "memory only, {}",
                found
                    .memory
                    .map_or_else(String::new, |memory| memory.to_string())
            ),
            _ => count(drawing.size(path), 2),
        },
        [_, _] => count(drawing.size(path), 3),
        _ => {
            let capacity = drawing.common(path, |core| core.capacity).unwrap_or(1024);
            let less = if capacity == 1024 {
                String::new()
            } else {
                format!(", capacity {capacity}")
            };
            format!("{}{less}", count(drawing.size(path), 4))
        }
    }
}

/// The parts in sight, as they are read.
fn visible(drawing: &Drawing, open: &BTreeSet<Path>) -> Vec<Path> {
    let mut shown = Vec::new();
    let mut rest = vec![Path::new()];
    while let Some(path) = rest.pop() {
        if open.contains(&path) && path.len() < 3 {
            let inner = (0..drawing.size(&path)).rev();
            rest.extend(inner.map(|n| path.iter().copied().chain([n]).collect::<Path>()));
        }
        shown.push(path);
    }
    shown
}

/// What a key does.
enum Key {
    To(Path),
    Open(Path, bool),
    Change(Change),
}

fn key(
    event: &KeyboardEvent,
    path: &[usize],
    shown: &[Path],
    open: &BTreeSet<Path>,
    drawing: &Drawing,
) -> Option<Key> {
    let at = shown.iter().position(|known| known == path).unwrap_or(0);
    let has_parts = path.len() < 3 && drawing.size(path) > 0;
    let control = event.ctrl_key() || event.meta_key();
    Some(match event.key().as_str() {
        "ArrowUp" if control => Key::Change(Change::Shift(false)),
        "ArrowDown" if control => Key::Change(Change::Shift(true)),
        "ArrowUp" => Key::To(shown.get(at.checked_sub(1)?)?.clone()),
        "Home" => Key::To(shown.first()?.clone()),
        "End" => Key::To(shown.last()?.clone()),
        "ArrowRight" if has_parts && !open.contains(path) => Key::Open(path.to_vec(), true),
        "ArrowDown" | "ArrowRight" => Key::To(shown.get(at + 1)?.clone()),
        "ArrowLeft" if open.contains(path) => Key::Open(path.to_vec(), false),
        "ArrowLeft" => Key::To(path.split_last()?.1.to_vec()),
        "a" | "A" if !control => Key::Change(Change::Add),
        "d" | "D" if !control => Key::Change(Change::Duplicate),
        "Delete" => Key::Change(Change::Remove),
        "+" | "=" => Key::Change(Change::Stretch(drawing.size(path) + 1)),
        "-" => Key::Change(Change::Stretch(drawing.size(path).saturating_sub(1).max(1))),
        _ => return None,
    })
}

fn id_of(path: &[usize]) -> String {
    let parts: Vec<String> = path.iter().map(ToString::to_string).collect();
    format!("part-{}", parts.join("-"))
}

fn item(
    path: &Path,
    drawing: &Drawing,
    chosen: &UseStateHandle<Vec<Path>>,
    open: &UseStateHandle<BTreeSet<Path>>,
    focused: bool,
) -> Html {
    let is_chosen = chosen.contains(path);
    let has_parts = path.len() < 3 && drawing.size(path) > 0;
    let is_open = open.contains(path);
    let choose = {
        let (chosen, path) = (chosen.clone(), path.clone());
        Callback::from(move |event: MouseEvent| {
            let mut all = (*chosen).clone();
            if event.shift_key() || event.ctrl_key() || event.meta_key() {
                let known = all.len();
                all.retain(|other| *other != path);
                if all.len() == known || all.is_empty() {
                    all.push(path.clone());
                }
            } else {
                all = vec![path.clone()];
            }
            chosen.set(all);
            let target = event.current_target();
            if let Some(item) = target.and_then(|item| item.dyn_into::<HtmlElement>().ok()) {
                let _ = item.focus();
            }
        })
    };
    let toggle = {
        let (open, path) = (open.clone(), path.clone());
        Callback::from(move |event: MouseEvent| {
            event.stop_propagation();
            let mut new = (*open).clone();
            if !new.remove(&path) {
                new.insert(path.clone());
            }
            open.set(new);
        })
    };
    html! {
        <li key={id_of(path)} id={id_of(path)} role="treeitem" data-part="true" aria-level={(path.len() + 1).to_string()} aria-selected={is_chosen.to_string()}
            aria-expanded={has_parts.then(|| is_open.to_string())} tabindex={if focused { "0" } else { "-1" }} onclick={choose}
            style={format!("--depth:{}", path.len())}>
            if has_parts { <span class="twist" onclick={toggle} aria-hidden="true"></span> }
            <span class="what">{ name(path) }</span>
            <span class="note end">{ summary(drawing, path) }</span>
        </li>
    }
}
