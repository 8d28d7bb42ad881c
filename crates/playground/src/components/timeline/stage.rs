//! The timeline's picture, and what hands and keys do to it.

use std::cell::RefCell;
use std::rc::Rc;

use teeter_scenario::Scenario;
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, HtmlElement, PointerEvent};
use yew::prelude::*;

use super::arrows;
use super::gesture::{Gesture, Motion};
use crate::chart::surface::fit;
use crate::drawing::palette::{Palette, Wearers};
use crate::hooks::use_resize;
use crate::player::Player;
use crate::protocol::window::Window;
use crate::timeline::paint::{AXIS, GUTTER, Picture, columns, paint};
use crate::timeline::rows::Rows;
use crate::timeline::{View, raster};

/// All rows together are about so high, if that leaves each its least height, CSS pixels.
const HEIGHT: f64 = 200.0;
const LOWEST: f64 = 3.0;
const HIGHEST: f64 = 18.0;
/// One press of a key zooms so far, or moves by this share of the view.
const ZOOM: f64 = 0.7;
const MOVE: f64 = 0.12;

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    /// When the run ends, ns.
    pub end: f64,
    pub slot: usize,
    pub view: View,
    pub cursor: Option<(f64, usize)>,
    pub rows: Rc<Rows>,
    pub window: Option<Rc<Window>>,
    pub wearers: Rc<Wearers>,
    pub scenario: Rc<Scenario>,
    pub palette: Rc<Palette>,
    pub player: Player,
    pub pulse: u32,
    pub onview: Callback<View>,
    pub oncursor: Callback<(f64, usize)>,
    pub said: AttrValue,
}

/// The canvas, in a box that scrolls where there are many rows.
#[component]
pub(super) fn Stage(props: &Props) -> Html {
    let canvas = use_node_ref();
    let gesture: Rc<RefCell<Gesture>> = use_mut_ref(Gesture::default);
    let resized = use_resize(&canvas);
    let count = props.rows.rows.len();
    let row = (HEIGHT / count.max(1) as f64)
        .floor()
        .clamp(LOWEST, HIGHEST);
    let height = AXIS + row * count as f64;
    // A gesture can bring more than one event before the page is drawn again: each builds upon the one before.
    let latest: Rc<RefCell<View>> = use_mut_ref(|| props.view);
    *latest.borrow_mut() = props.view;
    {
        let canvas = canvas.clone();
        let drawn = (
            (props.view.from.to_bits(), props.view.to.to_bits()),
            props.cursor.map(|(at, row)| (at.to_bits(), row)),
            (Rc::clone(&props.rows), Rc::clone(&props.palette)),
            (props.window.as_ref().map(|window| window.id), props.slot),
            (props.pulse, resized),
        );
        let (view, cursor, rows, window) = (
            props.view,
            props.cursor,
            Rc::clone(&props.rows),
            props.window.clone(),
        );
        let (player, slot, palette) = (props.player.clone(), props.slot, Rc::clone(&props.palette));
        let (wearers, scenario) = (Rc::clone(&props.wearers), Rc::clone(&props.scenario));
        use_effect_with(drawn, move |_| {
            let canvas = canvas.cast::<HtmlCanvasElement>();
            let (Some(canvas), Some(recording)) = (canvas, player.recording(slot)) else {
                return;
            };
            let size = (
                f64::from(canvas.client_width()),
                f64::from(canvas.client_height()),
            );
            let context = canvas.get_context("2d").ok().flatten();
            let context =
                context.and_then(|context| context.dyn_into::<CanvasRenderingContext2d>().ok());
            let Some(context) = context.filter(|_| size.0 > GUTTER) else {
                return;
            };
            let ratio = fit(&canvas);
            let width = columns(size.0, ratio);
            let inner = size.0 - GUTTER;
            let strips = if let Some(window) = &window {
                let place = |thread| wearers.place(recording.task_of(thread).unwrap_or(0));
                raster::of_window(window, view, width, &rows.rows, place)
            } else {
                let level = recording.lanes.level(view.span() / inner);
                let place = |task| wearers.place(task);
                level.map_or_else(Vec::new, |level| {
                    raster::of_level(&level, view, width, &rows.rows, place)
                })
            };
            let moved = window.map_or_else(Vec::new, |window| arrows(&window, &rows));
            let script: Vec<f64> = scenario
                .script
                .iter()
                .map(|entry| entry.at.0 as f64)
                .collect();
            paint(
                &context,
                &Picture {
                    size,
                    ratio,
                    row,
                    view,
                    reached_ns: recording.reached_ns,
                    rows: &rows,
                    strips: &strips,
                    moved: &moved,
                    script: &script,
                    cursor,
                    shown_ns: recording.now_ns,
                    palette: &palette,
                },
            );
        });
    }
    let handlers = Hands {
        canvas: canvas.clone(),
        gesture,
        latest,
        end: props.end,
        row,
        rows: count,
        cursor: props.cursor,
        onview: props.onview.clone(),
        oncursor: props.oncursor.clone(),
    };
    let onwheel = handlers.wheel();
    let onkeydown = handlers.key();
    html! {
        <div class="stage" tabindex="0" role="application" aria-label={format!("Timeline. {}", props.said)}
            data-testid="timeline-stage" {onwheel} {onkeydown}
            onpointerdown={handlers.pointer(Pointer::Down)} onpointermove={handlers.pointer(Pointer::Move)}
            onpointerup={handlers.pointer(Pointer::Up)} onpointercancel={handlers.pointer(Pointer::Gone)}>
            <canvas ref={canvas} style={format!("block-size:{height}px")} />
        </div>
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Pointer {
    Down,
    Move,
    Up,
    Gone,
}

/// What the handlers of events need.
#[derive(Clone)]
struct Hands {
    canvas: NodeRef,
    gesture: Rc<RefCell<Gesture>>,
    latest: Rc<RefCell<View>>,
    end: f64,
    row: f64,
    rows: usize,
    cursor: Option<(f64, usize)>,
    onview: Callback<View>,
    oncursor: Callback<(f64, usize)>,
}

impl Hands {
    /// The place of an event, in CSS pixels from the first row's left end, and how wide the rows are.
    fn place(&self, x: i32, y: i32) -> Option<(f64, f64, f64)> {
        let rect = self
            .canvas
            .cast::<HtmlElement>()?
            .get_bounding_client_rect();
        Some((
            f64::from(x) - rect.left() - GUTTER,
            f64::from(y) - rect.top() - AXIS,
            (rect.width() - GUTTER).max(1.0),
        ))
    }

    fn show(&self, view: View) {
        *self.latest.borrow_mut() = view;
        self.onview.emit(view);
    }

    fn zoom(&self, times: f64, about: f64) {
        let view = *self.latest.borrow();
        self.show(view.zoomed(times, about, self.end));
    }

    fn pan(&self, by: f64) {
        let view = *self.latest.borrow();
        self.show(view.moved(by, self.end));
    }

    fn wheel(&self) -> Callback<WheelEvent> {
        let hands = self.clone();
        Callback::from(move |event: WheelEvent| {
            let Some((x, _, width)) = hands.place(event.client_x(), event.client_y()) else {
                return;
            };
            event.prevent_default();
            let view = *hands.latest.borrow();
            let sideways = event.delta_x().abs() > event.delta_y().abs();
            if sideways || event.shift_key() {
                let delta = if sideways {
                    event.delta_x()
                } else {
                    event.delta_y()
                };
                hands.pan(delta / width * view.span());
            } else {
                let notches = (event.delta_y() / 100.0).clamp(-3.0, 3.0);
                let times = 1.0 + 0.35 * notches.abs();
                let times = if notches < 0.0 { 1.0 / times } else { times };
                hands.zoom(times, view.at(x, width));
            }
        })
    }

    fn pointer(&self, what: Pointer) -> Callback<PointerEvent> {
        let hands = self.clone();
        Callback::from(move |event: PointerEvent| {
            let Some((x, y, width)) = hands.place(event.client_x(), event.client_y()) else {
                return;
            };
            let pointer = event.pointer_id();
            let mut gesture = hands.gesture.borrow_mut();
            match what {
                Pointer::Down => {
                    gesture.down(pointer, x);
                    let target = event
                        .target()
                        .and_then(|target| target.dyn_into::<HtmlElement>().ok());
                    if let Some(target) = target {
                        let _ = target.set_pointer_capture(pointer);
                    }
                }
                Pointer::Move => {
                    let motion = gesture.motion(pointer, x);
                    drop(gesture);
                    let view = *hands.latest.borrow();
                    match motion {
                        Some(Motion::Pan(by)) => hands.pan(-by / width * view.span()),
                        Some(Motion::Zoom(times, about)) => {
                            hands.zoom(times, view.at(about, width));
                        }
                        None => {}
                    }
                }
                Pointer::Up => {
                    let clicked = gesture.up(pointer);
                    drop(gesture);
                    let row = (y / hands.row).floor();
                    if clicked && row >= 0.0 && (row as usize) < hands.rows && x >= 0.0 {
                        let view = *hands.latest.borrow();
                        hands.oncursor.emit((view.at(x, width), row as usize));
                    }
                }
                Pointer::Gone => {
                    gesture.up(pointer);
                }
            }
        })
    }

    fn key(&self) -> Callback<KeyboardEvent> {
        let hands = self.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.ctrl_key() || event.meta_key() || event.alt_key() {
                return;
            }
            let view = *hands.latest.borrow();
            let middle = f64::midpoint(view.from, view.to);
            let inside = |at: &(f64, usize)| view.from <= at.0 && at.0 <= view.to;
            let about = hands.cursor.filter(inside).map_or(middle, |(at, _)| at);
            let fine = if event.shift_key() { 10.0 } else { 1.0 };
            let cursor = hands.cursor.unwrap_or((middle, 0));
            let walk = |share: f64, rows: isize| {
                let at = (cursor.0 + share * view.span()).clamp(0.0, hands.end);
                let row = cursor
                    .1
                    .saturating_add_signed(rows)
                    .min(hands.rows.saturating_sub(1));
                hands.oncursor.emit((at, row));
                if at < view.from || at > view.to {
                    hands.show(view.showing(at, hands.end));
                }
            };
            match event.key().as_str() {
                "w" | "W" | "+" => hands.zoom(ZOOM, about),
                "s" | "S" | "-" => hands.zoom(1.0 / ZOOM, about),
                "a" | "A" => hands.pan(-MOVE * view.span()),
                "d" | "D" => hands.pan(MOVE * view.span()),
                "0" | "Home" => hands.show(View::whole(hands.end)),
                "ArrowLeft" => walk(-0.005 * fine, 0),
                "ArrowRight" => walk(0.005 * fine, 0),
                "ArrowUp" => walk(0.0, -1),
                "ArrowDown" => walk(0.0, 1),
                _ => return,
            }
            event.prevent_default();
        })
    }
}
