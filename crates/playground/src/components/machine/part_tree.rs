//! The machine as a tree of nodes, caches and cores, drawn by pointer, touch and keyboard.

use std::collections::BTreeSet;
use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent};
use yew::prelude::*;

use super::distances::Distances;
use super::keys;
use super::part_form::PartForm;
use crate::components::bench::Bench;
use crate::edit::Edit;
use crate::hooks::use_focus_on;
use crate::parts::{Change, Drawing, Path, kind, name};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub bench: Bench,
    pub drawing: Rc<Drawing>,
    pub edit: Callback<Edit>,
}

/// The tree, what can be done with the parts chosen in it, and the distances.
#[component]
pub(crate) fn PartTree(props: &Props) -> Html {
    let Props { bench, drawing, .. } = props;
    let open = use_state(|| BTreeSet::from([Path::new()]));
    let tree = use_node_ref();
    let focused = bench.focused();
    {
        // The focus goes with the choice, but only where it was in the tree already.
        let focus = use_focus_on("data-part");
        use_effect_with((focused.clone(), Rc::clone(drawing)), move |(path, _)| {
            let item = gloo::utils::document().get_element_by_id(&id_of(path));
            let item = item.and_then(|item| item.dyn_into::<HtmlElement>().ok());
            if let Some(item) = item.filter(|_| focus.holds()) {
                let _ = item.focus();
            }
        });
    }
    let opened = with_parents(&open, &focused);
    let shown = visible(drawing, &opened);
    let onkeydown = {
        let (bench, open, opened) = (bench.clone(), open.clone(), opened.clone());
        let (shown, drawing) = (shown.clone(), Rc::clone(drawing));
        Callback::from(move |event: KeyboardEvent| {
            let path = bench.focused();
            let Some(key) = key(&event, &bench, &shown, &opened, &drawing) else {
                return;
            };
            event.prevent_default();
            match key {
                Key::To(next) if event.shift_key() => {
                    let mut all = (*bench.chosen).clone();
                    all.retain(|known| *known != next && !known.is_empty());
                    all.push(next);
                    bench.choose.emit(all);
                }
                Key::To(next) => bench.choose.emit(vec![next]),
                Key::Open(is_open) => {
                    let mut new = (*open).clone();
                    if is_open {
                        new.insert(path);
                    } else {
                        new.remove(&path);
                    }
                    open.set(new);
                }
                Key::Change(what) => bench.change.emit(what),
            }
        })
    };
    html! {
        <section class="section" aria-labelledby="parts-title">
            <h2 id="parts-title">{ "Its parts" }</h2>
            <div class="row wrap"><button type="button" class="button" onclick={bench.edit.reform(|_: MouseEvent| true)} disabled={bench.editing} data-testid="edit-picture">{ "Draw on the picture" }</button>
                <span class="note">{ "or here, in the tree" }</span></div>
            <ul class="parts" role="tree" aria-label="Parts of the machine" aria-multiselectable="true" ref={tree} {onkeydown} data-testid="parts">
                for path in shown.iter() { { item(path, drawing, bench, &open, &opened, *path == focused) } }
            </ul>
            <PartForm drawing={Rc::clone(drawing)} chosen={Rc::clone(&bench.chosen)} change={bench.change.clone()} prefix="part" />
            <Distances drawing={Rc::clone(drawing)} edit={props.edit.clone()} />
            <details class="fold"><summary>{ "Keys" }</summary>
                <p class="note">{ "Arrows move and open, Shift adds to the choice; + and − stretch. " }{ keys::HELP }</p>
            </details>
        </section>
    }
}

/// What is open: what was opened, and the way to the part with the focus.
fn with_parents(open: &BTreeSet<Path>, focused: &Path) -> BTreeSet<Path> {
    let parents = (0..focused.len()).map(|depth| focused[..depth].to_vec());
    open.iter().cloned().chain(parents).collect()
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
    Open(bool),
    Change(Change),
}

fn key(
    event: &KeyboardEvent,
    bench: &Bench,
    shown: &[Path],
    open: &BTreeSet<Path>,
    drawing: &Drawing,
) -> Option<Key> {
    let path = bench.focused();
    let at = shown.iter().position(|known| *known == path).unwrap_or(0);
    let has_parts = path.len() < 3 && drawing.size(&path) > 0;
    if let Some(change) = keys::change(event, bench, drawing) {
        return Some(Key::Change(change));
    }
    Some(match event.key().as_str() {
        "ArrowUp" => Key::To(shown.get(at.checked_sub(1)?)?.clone()),
        "Home" => Key::To(shown.first()?.clone()),
        "End" => Key::To(shown.last()?.clone()),
        "ArrowRight" if has_parts && !open.contains(&path) => Key::Open(true),
        "ArrowDown" | "ArrowRight" => Key::To(shown.get(at + 1)?.clone()),
        "ArrowLeft" if open.contains(&path) => Key::Open(false),
        "ArrowLeft" => Key::To(path.split_last()?.1.to_vec()),
        "+" | "=" => Key::Change(Change::Stretch(drawing.size(&path) + 1)),
        "-" => Key::Change(Change::Stretch(
            drawing.size(&path).saturating_sub(1).max(1),
        )),
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
    bench: &Bench,
    open: &UseStateHandle<BTreeSet<Path>>,
    opened: &BTreeSet<Path>,
    focused: bool,
) -> Html {
    let is_chosen = bench.chosen.contains(path);
    let has_parts = path.len() < 3 && drawing.size(path) > 0;
    let is_open = opened.contains(path);
    let choose = {
        let (bench, path) = (bench.clone(), path.clone());
        Callback::from(move |event: MouseEvent| {
            let also = event.shift_key() || event.ctrl_key() || event.meta_key();
            bench.pick(path.clone(), also);
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
