//! One kernel's machine, alive.

use std::cell::RefCell;
use std::rc::Rc;

use teeter_machine::{CpuId, Topology};
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};
use yew::prelude::*;

use super::machine_table::machine_table;
use super::tooltip::{Tooltip, about_cpu};
use crate::chart::surface::fit;
use crate::drawing::layout::{Layout, lay_out};
use crate::drawing::paint::{Picture, paint};
use crate::drawing::palette::{Palette, Wearers};
use crate::hooks::use_animation_frame;
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
    /// Changes when there is something new to tell.
    pub pulse: u32,
}

/// A picture's size, colours and layout, remade only when one of them changes.
#[derive(Default)]
struct Stage {
    size: (i32, i32),
    ratio: f64,
    layout: Layout,
    topology: Option<Rc<Topology>>,
    /// What was painted last: moment, marks in sight, hovered CPU.
    painted: Option<(f64, usize, Option<usize>, Rc<Palette>)>,
}

/// The header, the picture with its tooltip, and its table.
#[component]
pub(super) fn MachineView(props: &Props) -> Html {
    let canvas = use_node_ref();
    let stage: Rc<RefCell<Stage>> = use_mut_ref(Stage::default);
    let hover = use_state(|| None::<(CpuId, (f64, f64))>);
    let as_table = use_state(|| false);
    let still = *use_memo((), |()| start::prefers_stillness());

    {
        let (canvas, stage, player, slot) = (
            canvas.clone(),
            Rc::clone(&stage),
            props.player.clone(),
            props.slot,
        );
        let (palette, topology, wearers) = (
            Rc::clone(&props.palette),
            Rc::clone(&props.topology),
            Rc::clone(&props.wearers),
        );
        let hovered = hover.map(|(cpu, _)| cpu.index());
        use_animation_frame(move |_| {
            let Some(canvas) = canvas.cast::<HtmlCanvasElement>() else {
                return;
            };
            let Some(recording) = player.recording(slot) else {
                return;
            };
            draw(
                &canvas,
                &mut stage.borrow_mut(),
                &topology,
                &Picture {
                    layout: &Layout::default(),
                    palette: &palette,
                    wearers: &wearers,
                    recording: &recording,
                    wall_ms: js_sys::Date::now(),
                    still,
                    hover: hovered,
                },
                &palette,
            );
        });
    }

    let onpointermove = {
        let (hover, stage) = (hover.clone(), Rc::clone(&stage));
        Callback::from(move |event: PointerEvent| {
            let at = (f64::from(event.offset_x()), f64::from(event.offset_y()));
            let hit = stage.borrow().layout.hit(at.0, at.1);
            hover.set(hit.map(|cpu| (cpu, at)));
        })
    };
    let onpointerleave = {
        let hover = hover.clone();
        Callback::from(move |_: PointerEvent| hover.set(None))
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
                hidden={*as_table} {onpointermove} {onpointerleave}>
                <canvas key="canvas" ref={canvas} role="img"
                    aria-label={format!("kernel {letter}, {}: {words}", props.kernel)} />
                if let (Some((cpu, at)), Some(recording)) = (*hover, recording.as_deref()) {
                    <Tooltip {at} width={f64::from(stage.borrow().size.0)}
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
    stage: &mut Stage,
    topology: &Rc<Topology>,
    picture: &Picture<'_>,
    palette: &Rc<Palette>,
) {
    let size = (canvas.client_width(), canvas.client_height());
    let ratio = gloo::utils::window().device_pixel_ratio();
    let moved = size != stage.size || (ratio - stage.ratio).abs() > f64::EPSILON;
    if moved
        || stage
            .topology
            .as_ref()
            .is_none_or(|known| !Rc::ptr_eq(known, topology))
    {
        fit(canvas);
        stage.layout = lay_out(topology, f64::from(size.0), f64::from(size.1));
        stage.size = size;
        stage.ratio = ratio;
        stage.topology = Some(Rc::clone(topology));
        stage.painted = None;
    }
    let recording = picture.recording;
    let now = (
        recording.now_ns,
        recording.arcs.len(),
        picture.hover,
        Rc::clone(palette),
    );
    let moving = !recording.arcs.is_empty() && !picture.still;
    if !moving && stage.painted.as_ref() == Some(&now) {
        return;
    }
    stage.painted = Some(now);
    let Some(context) = context(canvas) else {
        return;
    };
    let _ = context.set_transform(ratio, 0.0, 0.0, ratio, 0.0, 0.0);
    context.clear_rect(0.0, 0.0, f64::from(size.0), f64::from(size.1));
    paint(
        &context,
        &Picture {
            layout: &stage.layout,
            ..*picture
        },
    );
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
