//! Handles: how many parts a part has, to be dragged, or turned with arrow keys.

use std::rc::Rc;

use web_sys::{KeyboardEvent, PointerEvent};
use yew::prelude::*;

use super::hold::Grab;
use crate::components::bench::Bench;
use crate::drawing::plan::Plan;
use crate::drawing::rect::Rect;
use crate::hooks::PanZoom;
use crate::parts::{Change, Drawing, Path, kind, whole_name};

/// Width of a handle, CSS pixels, and the height of the line it stands on.
const WIDTH: f64 = 74.0;
const HEIGHT: f64 = 18.0;

#[derive(Properties)]
pub(super) struct Props {
    pub bench: Bench,
    pub drawing: Rc<Drawing>,
    pub plan: Rc<Plan>,
    /// Takes hold of one.
    pub grab: Callback<(Grab, PointerEvent)>,
    /// Whether everything moves the picture now.
    pub moves_all: PanZoom,
    /// Right and lower edge of the picture.
    pub foot: (f64, f64),
}

impl PartialEq for Props {
    fn eq(&self, other: &Self) -> bool {
        self.bench == other.bench
            && Rc::ptr_eq(&self.drawing, &other.drawing)
            && Rc::ptr_eq(&self.plan, &other.plan)
            && self.foot == other.foot
            && self.grab == other.grab
    }
}

/// One for each part that has room for it, and for what is chosen.
#[component]
pub(super) fn Handles(props: &Props) -> Html {
    let machine = Rect {
        x: 0.0,
        y: props.foot.1 + 6.0,
        w: props.foot.0,
        h: 0.0,
    };
    let parts = props.plan.parts.iter().filter(|(path, rect)| {
        let chosen = props.bench.chosen.contains(path);
        (is_roomy(path, rect) && props.drawing.size(path) > 0) || chosen
    });
    html! {
        <div class="handles" role="group" aria-label="Handles that stretch parts">
            { handle(props, &Path::new(), &machine) }
            for (path, rect) in parts { { handle(props, path, rect) } }
        </div>
    }
}

/// Whether a frame has room for a handle beside its name.
pub(super) fn is_roomy(path: &[usize], rect: &Rect) -> bool {
    path.len() < 3 && rect.w >= 150.0 && rect.h >= 54.0
}

fn handle(props: &Props, path: &Path, rect: &Rect) -> Html {
    let size = props.drawing.size(path);
    if size == 0 {
        return Html::default();
    }
    let chosen = props.bench.chosen.contains(path);
    let what = kind(path.len() + 1);
    let words = match size {
        1 => format!("1 {what}"),
        size => format!("{size} {what}s"),
    };
    // A core's stands below it; those of frames in their line of words, at the right.
    let (left, top) = match path.len() {
        3 => (rect.x + rect.w / 2.0 - WIDTH / 2.0, rect.y + rect.h + 3.0),
        // Where there is no room beside the name, on the lower edge.
        1 if rect.w < 150.0 => (
            rect.x + rect.w / 2.0 - WIDTH / 2.0,
            rect.y + rect.h - HEIGHT - 3.0,
        ),
        1 => (rect.x + rect.w - WIDTH - 6.0, rect.y + 5.0),
        2 if rect.w < WIDTH + 10.0 || rect.h < 54.0 => {
            (rect.x + rect.w / 2.0 - WIDTH / 2.0, rect.y + rect.h + 3.0)
        }
        2 => (rect.x + rect.w - WIDTH - 4.0, rect.y + 2.0),
        _ => (rect.x + rect.w - WIDTH, rect.y),
    };
    let left = left.clamp(0.0, (props.foot.0 - WIDTH).max(0.0));
    let top = top.min(props.foot.1 + 8.0);
    let step = step_of(props, path);
    let onpointerdown = {
        let (grab, path, hands) = (props.grab.clone(), path.clone(), props.moves_all.clone());
        Callback::from(move |event: PointerEvent| {
            if event.button() == 0 && !hands.moves_all() {
                event.stop_propagation();
                let path = path.clone();
                grab.emit((Grab { path, size, step }, event));
            }
        })
    };
    let onkeydown = {
        let (bench, path) = (props.bench.clone(), path.clone());
        Callback::from(move |event: KeyboardEvent| {
            let to = match event.key().as_str() {
                "ArrowRight" | "ArrowUp" => size + 1,
                "ArrowLeft" | "ArrowDown" => size.saturating_sub(1),
                "PageUp" => size + 4,
                "PageDown" => size.saturating_sub(4),
                "Home" => 1,
                _ => return,
            };
            event.prevent_default();
            event.stop_propagation();
            let at = targets(&bench, &path);
            bench.change_at.emit((Change::Stretch(to.max(1)), at));
        })
    };
    html! {
        <div key={format!("{path:?}")} class={classes!("handle", chosen.then_some("chosen"))} style={format!("left:{left:.1}px;top:{top:.1}px;width:{WIDTH}px;height:{HEIGHT}px")}
            role="slider" tabindex={if chosen || path.is_empty() { "0" } else { "-1" }} aria-label={format!("{what}s of {}", whole_name(path))} aria-orientation="horizontal"
            aria-valuemin="1" aria-valuenow={size.to_string()} aria-valuemax={if path.len() == 3 { "8" } else { "1024" }} aria-valuetext={words.clone()}
            title="Drag to the right for more, to the left for fewer" data-free="true" data-testid={id_of(path)}
            {onpointerdown} {onkeydown}>{ words }</div>
    }
}

/// `handle-0-1` for that of cache 1 of node 0.
fn id_of(path: &[usize]) -> String {
    let parts = path.iter().map(ToString::to_string);
    let parts: Vec<String> = std::iter::once("handle".to_owned()).chain(parts).collect();
    parts.join("-")
}

/// Who is stretched by a part's handle: all that are chosen of its kind where it is one of them, else it alone.
pub(super) fn targets(bench: &Bench, path: &Path) -> Vec<Path> {
    if !bench.chosen.contains(path) {
        return vec![path.clone()];
    }
    let alike = bench
        .chosen
        .iter()
        .filter(|other| other.len() == path.len());
    alike.cloned().collect()
}

/// How far a pointer goes for one part more, CSS pixels of the picture.
fn step_of(props: &Props, path: &Path) -> f64 {
    let first: Path = path.iter().copied().chain([0]).collect();
    let rect = props.plan.rect(&first);
    rect.map_or(24.0, |rect| rect.w).clamp(14.0, 44.0)
}
