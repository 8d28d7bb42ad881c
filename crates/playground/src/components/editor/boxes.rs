//! The parts as boxes within each other, a tree for who cannot see them.

use std::rc::Rc;

use yew::prelude::*;

use super::handles::is_roomy;
use super::place;
use crate::drawing::plan::Plan;
use crate::drawing::rect::Rect;
use crate::parts::{Drawing, Path, name, whole_name};

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub drawing: Rc<Drawing>,
    pub plan: Rc<Plan>,
    pub chosen: Rc<Vec<Path>>,
    /// The part that what is held would come into.
    pub target: Option<Path>,
}

/// All of them. Nothing is drawn again unless one of them, or the choice, has changed.
#[component]
pub(super) fn Boxes(props: &Props) -> Html {
    let focused = props.chosen.last().cloned().unwrap_or_default();
    // The first part takes the focus where the machine as a whole is chosen.
    let focused = if focused.is_empty() { vec![0] } else { focused };
    let cores = props.drawing.cores().map(|(path, _)| path);
    let mut numbers = cores.zip(&props.plan.numbers);
    html! {
        <div class="boxes" role="tree" aria-label="Parts of the machine, on its picture" aria-multiselectable="true">
            for (path, rect) in props.plan.parts.iter() { {
                {
                    let cpus = if path.len() == 3 { numbers.next().map(|(_, cpus)| cpus.as_slice()) } else { None };
                    part(props, path, rect, cpus.unwrap_or_default(), *path == focused)
                }
            } }
        </div>
    }
}

/// The id of a part's box.
pub(super) fn id_of(path: &[usize]) -> String {
    format!("box-{}", dashed(path))
}

fn dashed(path: &[usize]) -> String {
    let parts: Vec<String> = path.iter().map(ToString::to_string).collect();
    parts.join("-")
}

fn part(props: &Props, path: &Path, rect: &Rect, cpus: &[u32], focused: bool) -> Html {
    let drawing = &props.drawing;
    let is_target = props.target.as_ref() == Some(path);
    let words = words(drawing, path, cpus);
    let class = match path.len() {
        1 => "node",
        2 => "llc",
        _ => "core",
    };
    let off = !cpus.is_empty() && !drawing.any_on(path);
    html! {
        <div key={dashed(path)} id={id_of(path)} class={classes!("part", class, off.then_some("off"), is_roomy(path, rect).then_some("handled"))} style={place(rect)} role="treeitem" tabindex={if focused { "0" } else { "-1" }}
            aria-level={path.len().to_string()} aria-selected={props.chosen.contains(path).to_string()} aria-label={words}
            data-path={dashed(path)} data-target={is_target.to_string()}>
            { match path.len() {
                1 => html! { <span class="head"><strong>{ name(path) }{ "," }</strong>{ " " }{ about_node(drawing, path[0]) }</span> },
                2 if rect.w >= 60.0 && rect.h >= 54.0 => html! { <span class="head">{ name(path) }</span> },
                2 => Html::default(),
                _ => threads(drawing, path, rect, cpus),
            } }
        </div>
    }
}

fn threads(drawing: &Drawing, path: &[usize], rect: &Rect, cpus: &[u32]) -> Html {
    let Some(core) = drawing.core(path) else {
        return Html::default();
    };
    let tiny = rect.w < 20.0 || rect.h / f64::from(core.pus.max(1)) < 13.0;
    let less = core.capacity < 1024;
    html! {
        <>
            for (thread, cpu) in (0..).zip(cpus) {
                <span key={thread} class={classes!("pu", tiny.then_some("tiny"), core.is_off(thread).then_some("off"))} data-cpu={cpu.to_string()}></span>
            }
            if less { <span class="capacity" style={format!("height:{:.1}%", f64::from(core.capacity) / 10.24)}></span> }
        </>
    }
}

/// "20 CPUs, 64GB"; "memory only".
fn about_node(drawing: &Drawing, node: usize) -> String {
    let Some(found) = drawing.nodes.get(node) else {
        return String::new();
    };
    let cores = found.llcs.iter().flat_map(|llc| &llc.cores);
    let cpus: u32 = cores.map(|core| core.pus).sum();
    let memory = found.memory.map(|memory| memory.to_string());
    let shared = drawing
        .nodes
        .iter()
        .filter(|other| other.package == found.package);
    let package = (shared.count() > 1).then(|| format!("package {}", found.package));
    let words = match cpus {
        0 => "memory only".to_owned(),
        1 => "1 CPU".to_owned(),
        cpus => format!("{cpus} CPUs"),
    };
    let words: Vec<String> = [Some(words), memory, package]
        .into_iter()
        .flatten()
        .collect();
    words.join(", ")
}

/// A part in words, for who cannot see it.
fn words(drawing: &Drawing, path: &[usize], cpus: &[u32]) -> String {
    let what = match *path {
        [node] => about_node(drawing, node),
        [_, _] => format!("{} cores", drawing.size(path)),
        _ => {
            let cpus: Vec<String> = cpus.iter().map(ToString::to_string).collect();
            format!("CPUs {}", cpus.join(" and "))
        }
    };
    let mut words = vec![whole_name(path), what];
    if let Some(core) = drawing.core(path) {
        if core.capacity < 1024 {
            words.push(format!("capacity {}", core.capacity));
        }
        let off = (0..core.pus).filter(|thread| core.is_off(*thread)).count();
        match off as u32 {
            0 => {}
            all if all == core.pus => words.push("switched off".to_owned()),
            some => words.push(format!("{some} switched off")),
        }
    }
    words.join(", ")
}
