//! One kernel's machine, alive.

use std::cell::RefCell;
use std::rc::Rc;

use teeter_machine::{CpuId, Topology};
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};
use yew::prelude::*;

use super::domains::{Groups, Marks};
use super::machine_table::machine_table;
use super::tooltip::{Tooltip, about_cpu};
use crate::chart::surface::fit;
use crate::drawing::layout::{Layout, lay_out};
use crate::drawing::paint::{Picture, paint};
use crate::drawing::palette::{Palette, Wearers};
use crate::drawing::view::View;
use crate::hooks::{
    Grip, Sight, on_stage, size_of, use_animation_frame, use_pan_zoom, use_resize, use_sight,
};
use crate::player::Player;
use crate::recording::Recording;
use crate::{slot, start};

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    /// The kernel's slot.
    pub slot: usize,
    /// The kernel's name.
    pub kernel: AttrValue,
    pub topology: Rc<Topology>,
    pub wearers: Rc<Wearers>,
    pub palette: Rc<Palette>,
    pub player: Player,
    pub sight: Sight,
    /// Groups of a sched domain that are marked.
    pub marks: Option<Marks>,
    /// Looks at a CPU's sched domains, while they are shown.
    pub look: Callback<u32>,
    /// Changes when there is something new to tell.
    pub pulse: u32,
}

/// What was painted last, so that nothing is painted twice.
#[derive(Clone, PartialEq)]
struct Painted {
    now_ns: f64,
    arcs: usize,
    hover: Option<usize>,
    palette: Rc<Palette>,
    layout: Rc<Layout>,
    view: View,
    size: (i32, i32),
    ratio: f64,
}

/// The header, the picture with its tooltip, and its table.
#[component]
pub(super) fn MachineView(props: &Props) -> Html {
    let canvas = use_node_ref();
    let stage = use_node_ref();
    let picture = use_node_ref();
    let painted: Rc<RefCell<Option<Painted>>> = use_mut_ref(|| None);
    let resized = use_resize(&stage);
    let size = size_of(&stage);
    let layout = use_memo(
        (
            Rc::clone(&props.topology),
            resized,
            size.0 as i32,
            size.1 as i32,
        ),
        |(topology, ..)| lay_out(topology, size.0, size.1),
    );
    let grip = Grip {
        edited: false,
        lasso: Callback::noop(),
    };
    let hands = use_pan_zoom(&stage, &props.sight, grip);
    use_sight(&picture, &props.sight);
    let hover = use_state(|| None::<(CpuId, (f64, f64))>);
    let as_table = use_state(|| false);
    let still = *use_memo((), |()| start::prefers_stillness());

    {
        let (canvas, painted, player, slot) = (
            canvas.clone(),
            Rc::clone(&painted),
            props.player.clone(),
            props.slot,
        );
        let (palette, layout, wearers, sight) = (
            Rc::clone(&props.palette),
            Rc::clone(&layout),
            Rc::clone(&props.wearers),
            props.sight.clone(),
        );
        let hovered = hover.map(|(cpu, _)| cpu.index());
        use_animation_frame(move |_| {
            let Some(canvas) = canvas.cast::<HtmlCanvasElement>() else {
                return;
            };
            let Some(recording) = player.recording(slot) else {
                return;
            };
            let picture = Picture {
                layout: &layout,
                palette: &palette,
                wearers: &wearers,
                recording: &recording,
                wall_ms: js_sys::Date::now(),
                still,
                hover: hovered,
            };
            let now = Painted {
                now_ns: recording.now_ns,
                arcs: recording.arcs.len(),
                hover: hovered,
                palette: Rc::clone(&palette),
                layout: Rc::clone(&layout),
                view: sight.view(),
                size: (canvas.client_width(), canvas.client_height()),
                ratio: gloo::utils::window().device_pixel_ratio(),
            };
            draw(&canvas, &mut painted.borrow_mut(), &picture, now);
        });
    }

    let onpointermove = {
        let (hover, layout, stage, sight) = (
            hover.clone(),
            Rc::clone(&layout),
            stage.clone(),
            props.sight.clone(),
        );
        let moves = hands.onpointermove.clone();
        Callback::from(move |event: PointerEvent| {
            let at = on_stage(&stage, event.client_x(), event.client_y());
            let (x, y) = sight.view().picture_at(at.0, at.1);
            let hit = layout.hit(x, y);
            hover.set(hit.map(|cpu| (cpu, at)));
            moves.emit(event);
        })
    };
    let onpointerleave = {
        let hover = hover.clone();
        Callback::from(move |_: PointerEvent| hover.set(None))
    };
    let onclick = {
        let (look, layout, stage, sight) = (
            props.look.clone(),
            Rc::clone(&layout),
            stage.clone(),
            props.sight.clone(),
        );
        let hands = hands.clone();
        Callback::from(move |event: MouseEvent| {
            let at = on_stage(&stage, event.client_x(), event.client_y());
            let (x, y) = sight.view().picture_at(at.0, at.1);
            if let Some(cpu) = layout.hit(x, y).filter(|_| !hands.has_dragged()) {
                look.emit(u32::from(cpu.0));
            }
        })
    };
    let ontable = {
        let as_table = as_table.clone();
        Callback::from(move |_: MouseEvent| as_table.set(!*as_table))
    };

    let recording = props.player.recording(props.slot);
    let words = recording
        .as_deref()
        .map_or_else(String::new, state_in_words);
    let letter = slot::letter(props.slot);
    let stale = !props.player.is_current(props.slot);
    html! {
        <section class={classes!("machine", stale.then_some("stale"))} aria-label={format!("machine under kernel {letter}, {}", props.kernel)}>
            <header>
                <span class="badge" data-slot={props.slot.to_string()}>{ letter }</span>
                <strong class="mono">{ &props.kernel }</strong>
                <span class="note">{ &words }</span>
                <button type="button" class="button quiet end" onclick={ontable}
                    aria-pressed={if *as_table { "true" } else { "false" }}>{ "as table" }</button>
            </header>
            <div class="stage" data-testid={format!("machine-{}", letter.to_ascii_lowercase())}
                hidden={*as_table} ref={stage} tabindex="0" role="group" aria-label={format!("Picture of the machine under kernel {letter}: arrows move it, plus and minus zoom, 0 fits")}
                {onpointermove} {onpointerleave} {onclick} onpointerdown={hands.onpointerdown.clone()} onpointerup={hands.onpointerup.clone()}
                onpointercancel={hands.onpointercancel.clone()} onwheel={hands.onwheel.clone()} onkeydown={hands.onkeydown.clone()}>
                <canvas key="canvas" ref={canvas} role="img"
                    aria-label={format!("kernel {letter}, {}: {words}", props.kernel)} />
                <div class="picture" ref={picture}>
                    if let Some(marks) = &props.marks {
                        <Groups cells={layout.cells.clone()} marks={marks.clone()} />
                    }
                </div>
                if let (Some((cpu, at)), Some(recording)) = (*hover, recording.as_deref()) {
                    <Tooltip {at} width={size.0}
                        lines={about_cpu(recording, cpu.index(), &place(&props.topology, cpu))} />
                }
            </div>
            if let (true, Some(recording)) = (*as_table, recording.as_deref()) {
                { machine_table(&props.topology, recording) }
            }
        </section>
    }
}

fn draw(
    canvas: &HtmlCanvasElement,
    painted: &mut Option<Painted>,
    picture: &Picture<'_>,
    now: Painted,
) {
    let (size, ratio, view) = (now.size, now.ratio, now.view);
    let moving = !picture.recording.arcs.is_empty() && !picture.still;
    if !moving && painted.as_ref() == Some(&now) {
        return;
    }
    let known = painted.replace(now);
    let resized =
        known.is_none_or(|known| known.size != size || (known.ratio - ratio).abs() > f64::EPSILON);
    if resized {
        fit(canvas);
    }
    let Some(context) = context(canvas) else {
        return;
    };
    let _ = context.set_transform(ratio, 0.0, 0.0, ratio, 0.0, 0.0);
    context.clear_rect(0.0, 0.0, f64::from(size.0), f64::from(size.1));
    let scale = ratio * view.scale;
    let _ = context.set_transform(scale, 0.0, 0.0, scale, ratio * view.x, ratio * view.y);
    paint(&context, picture);
}

fn context(canvas: &HtmlCanvasElement) -> Option<CanvasRenderingContext2d> {
    canvas.get_context("2d").ok().flatten()?.dyn_into().ok()
}

/// "6 of 80 CPUs idle, 4 threads wait".
fn state_in_words(recording: &Recording) -> String {
    let cpus = recording.cpus.curr.len();
    if cpus == 0 {
        return "starting".to_owned();
    }
    let idle = (0..cpus)
        .filter(|cpu| recording.cpus.running(*cpu).is_none())
        .count();
    let waiting = recording.cpus.queued.len();
    let waits = if waiting == 1 {
        "thread waits"
    } else {
        "threads wait"
    };
    format!("{idle} of {cpus} CPUs idle, {waiting} {waits}")
}

fn place(topology: &Topology, cpu: CpuId) -> String {
    let place = topology.cpu(cpu);
    format!("node {}, core {}", place.node.0, place.core)
}
