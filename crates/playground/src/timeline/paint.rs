//! Paints the timeline: own drawing code, as plotters has no part for it.

use web_sys::CanvasRenderingContext2d as Context;

use super::View;
use super::raster::Strip;
use super::rows::Rows;
use super::ticks::{moment, ticks};
use crate::drawing::palette::Palette;

/// Room for the axis above the rows, CSS pixels.
pub const AXIS: f64 = 20.0;
/// Room for the names of groups beside the rows, CSS pixels.
pub const GUTTER: f64 = 46.0;
const FONT: &str = "Inter, system-ui, sans-serif";

/// Everything a picture is made of. Sizes are in CSS pixels.
pub struct Picture<'a> {
    /// Size of the canvas.
    pub size: (f64, f64),
    /// Device pixels for each CSS pixel.
    pub ratio: f64,
    /// Height of a row.
    pub row: f64,
    /// What is in view.
    pub view: View,
    /// How far the run has come, ns.
    pub reached_ns: f64,
    /// What stands where.
    pub rows: &'a Rows,
    /// Pixels of each row, as many as [`Picture::columns`].
    pub strips: &'a [Strip],
    /// Migrations: when, and the rows from which and to which.
    pub moved: &'a [(f64, usize, usize)],
    /// Changes by the script, ns.
    pub script: &'a [f64],
    /// The place looked at: moment and row.
    pub cursor: Option<(f64, usize)>,
    /// The moment the machine shows, ns.
    pub shown_ns: f64,
    /// Colours.
    pub palette: &'a Palette,
}

/// Device pixels of a picture's rows.
pub fn columns(width: f64, ratio: f64) -> usize {
    ((width - GUTTER).max(1.0) * ratio).round() as usize
}

/// Paints the whole picture over what was there.
pub fn paint(context: &Context, picture: &Picture<'_>) {
    let (width, height) = picture.size;
    let ratio = picture.ratio;
    let _ = context.set_transform(ratio, 0.0, 0.0, ratio, 0.0, 0.0);
    context.clear_rect(0.0, 0.0, width, height);
    let inner = width - GUTTER;
    let x = |ns: f64| GUTTER + picture.view.x(ns, inner);

    let reached = x(picture.reached_ns).clamp(GUTTER, width);
    context.set_fill_style_str(&picture.palette.soft.css(1.0));
    let rows = picture.rows.rows.len() as f64 * picture.row;
    context.fill_rect(GUTTER, AXIS, reached - GUTTER, rows);

    for (at, strip) in picture.strips.iter().enumerate() {
        paint_strip(context, picture, AXIS + at as f64 * picture.row, strip);
    }
    paint_axis(context, picture, &x);
    paint_groups(context, picture);
    paint_moved(context, picture, &x);
    context.set_stroke_style_str(&picture.palette.secondary.css(1.0));
    context.set_fill_style_str(&picture.palette.secondary.css(1.0));
    for at in picture.script.iter().map(|at| x(*at)) {
        if (GUTTER..=width).contains(&at) {
            vertical(context, at, 6.0, AXIS + rows, 1.0, &[4.0, 3.0]);
            context.fill_rect(at - 3.0, 2.0, 6.0, 6.0);
        }
    }
    let shown = x(picture.shown_ns);
    if (GUTTER..=width).contains(&shown) {
        context.set_stroke_style_str(&picture.palette.ink.css(0.55));
        vertical(context, shown, AXIS - 4.0, AXIS + rows, 1.0, &[]);
    }
    if let Some((at, row)) = picture.cursor {
        let y = AXIS + row as f64 * picture.row;
        context.set_stroke_style_str(&picture.palette.ink.css(1.0));
        context.set_line_width(1.0);
        context.stroke_rect(GUTTER + 0.5, y - 0.5, inner - 1.0, picture.row + 1.0);
        if (GUTTER..=width).contains(&x(at)) {
            vertical(context, x(at), AXIS - 4.0, AXIS + rows, 1.5, &[]);
        }
    }
}

fn vertical(context: &Context, x: f64, top: f64, bottom: f64, line: f64, dash: &[f64]) {
    let dashes: js_sys::Array = dash
        .iter()
        .map(|length| wasm_bindgen::JsValue::from(*length))
        .collect();
    let _ = context.set_line_dash(&dashes);
    context.begin_path();
    context.move_to(x.round() + 0.5, top);
    context.line_to(x.round() + 0.5, bottom);
    context.set_line_width(line);
    context.stroke();
    let _ = context.set_line_dash(&js_sys::Array::new());
}

/// Pixels of one look side by side are one rectangle.
fn paint_strip(context: &Context, picture: &Picture<'_>, top: f64, strip: &Strip) {
    let pixel = 1.0 / picture.ratio;
    let gap = if picture.row >= 5.0 { 1.0 } else { 0.0 };
    // What waits stands above what runs, as in the machine.
    let above = if picture.row >= 6.0 {
        (picture.row * 0.34).round()
    } else {
        0.0
    };
    let width = strip.waits.len();
    let rects = |look: &dyn Fn(usize) -> Option<(usize, u8)>, y: f64, height: f64, waits: bool| {
        let mut from = 0;
        while from < width {
            let this = look(from);
            let mut to = from + 1;
            while to < width && look(to) == this {
                to += 1;
            }
            if let Some((place, level)) = this {
                let opacity = f64::from(level) / 8.0;
                let colour = if waits {
                    picture.palette.ink.css(opacity)
                } else {
                    picture.palette.cgroup(place).css(opacity)
                };
                context.set_fill_style_str(&colour);
                let x = GUTTER + from as f64 * pixel;
                context.fill_rect(x, y, (to - from) as f64 * pixel, height);
            }
            from = to;
        }
    };
    let runs = |x: usize| {
        let (place, share) = strip.pixel(x)?;
        let level = (share * 8.0).ceil().clamp(1.0, 8.0) as u8;
        Some((place, level))
    };
    rects(&runs, top + above, picture.row - above - gap, false);
    let waits = |x: usize| {
        let threads = strip.waits.get(x).copied().unwrap_or(0.0);
        // One that waits is seen, and more are darker.
        (threads > 0.02).then(|| (0, (threads * 2.0).ceil().clamp(1.0, 7.0) as u8))
    };
    let height = if above > 0.0 {
        above
    } else {
        (picture.row * 0.34).max(1.0)
    };
    rects(&waits, top, height, true);
}

fn paint_axis(context: &Context, picture: &Picture<'_>, x: &dyn Fn(f64) -> f64) {
    let width = picture.size.0;
    let (at, step) = ticks(picture.view, width - GUTTER);
    context.set_font(&format!("400 11px {FONT}"));
    context.set_text_baseline("middle");
    context.set_text_align("left");
    for ns in at {
        let place = x(ns);
        context.set_stroke_style_str(&picture.palette.line_strong.css(0.9));
        vertical(context, place, AXIS - 6.0, AXIS, 1.0, &[]);
        let text = moment(ns, step);
        let room = context
            .measure_text(&text)
            .map_or(60.0, |text| text.width());
        if place + room + 3.0 <= width {
            context.set_fill_style_str(&picture.palette.secondary.css(1.0));
            let _ = context.fill_text(&text, place + 3.0, AXIS / 2.0 - 1.0);
        }
    }
}

fn paint_groups(context: &Context, picture: &Picture<'_>) {
    context.set_font(&format!("500 11px {FONT}"));
    context.set_text_align("right");
    context.set_text_baseline("middle");
    let mut top = AXIS;
    for group in &picture.rows.groups {
        let height = group.rows as f64 * picture.row;
        if height >= 11.0 {
            context.set_fill_style_str(&picture.palette.secondary.css(1.0));
            let name: String = group.name.chars().take(6).collect();
            let _ = context.fill_text(&name, GUTTER - 6.0, top + height / 2.0);
        }
        top += height;
        context.set_fill_style_str(&picture.palette.line_strong.css(0.6));
        context.fill_rect(GUTTER - 4.0, top - 0.5, picture.size.0 - GUTTER + 4.0, 1.0);
    }
    context.set_text_align("left");
}

fn paint_moved(context: &Context, picture: &Picture<'_>, x: &dyn Fn(f64) -> f64) {
    let middle = |row: usize| AXIS + (row as f64 + 0.5) * picture.row;
    context.set_stroke_style_str(&picture.palette.ink.css(0.6));
    context.set_fill_style_str(&picture.palette.ink.css(0.85));
    context.set_line_width(1.0);
    for (at, from, to) in picture.moved {
        let place = x(*at);
        if !(GUTTER..=picture.size.0).contains(&place) {
            continue;
        }
        let (top, bottom) = (middle(*from), middle(*to));
        context.begin_path();
        context.move_to(place, top);
        context.line_to(place, bottom);
        context.stroke();
        let down = if bottom > top { -4.0 } else { 4.0 };
        context.begin_path();
        context.move_to(place, bottom);
        context.line_to(place - 2.5, bottom + down);
        context.line_to(place + 2.5, bottom + down);
        context.fill();
    }
}
