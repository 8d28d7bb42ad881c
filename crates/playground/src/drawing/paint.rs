//! Paints the machine onto a canvas: own drawing code, as plotters has no part for it.

use std::f64::consts::PI;

use web_sys::CanvasRenderingContext2d as Context;

use super::arrangement::HEADER;
use super::layout::{Layout, NodeBox};
use super::palette::{Palette, Wearers};
use super::rect::Rect;
use crate::recording::{ARC_MS, Recording};

/// Everything a picture is made of.
pub struct Picture<'a> {
    /// Where things lie.
    pub layout: &'a Layout,
    /// Colours.
    pub palette: &'a Palette,
    /// Who wears which.
    pub wearers: &'a Wearers,
    /// What happens.
    pub recording: &'a Recording,
    /// Now, ms of the wall clock.
    pub wall_ms: f64,
    /// Whether marks stand still instead of fading.
    pub still: bool,
    /// The CPU under the pointer.
    pub hover: Option<usize>,
}

const CORNER: f64 = 4.0;
const FONT: &str = "Inter, system-ui, sans-serif";

/// Paints the whole picture over what was there.
pub fn paint(context: &Context, picture: &Picture<'_>) {
    for node in &picture.layout.nodes {
        paint_node(context, picture, node);
    }
    context.set_line_width(1.0);
    context.set_stroke_style_str(&picture.palette.line.css(1.0));
    for (_, llc) in &picture.layout.llcs {
        round_rect(context, llc, 5.0);
        context.stroke();
    }
    for (cpu, cell) in picture.layout.cells.iter().enumerate() {
        paint_cell(context, picture, cpu, cell);
    }
    for arc in &picture.recording.arcs {
        paint_arc(context, picture, *arc);
    }
}

fn paint_node(context: &Context, picture: &Picture<'_>, node: &NodeBox) {
    let palette = picture.palette;
    let rect = Rect {
        x: node.rect.x + 0.5,
        y: node.rect.y + 0.5,
        w: node.rect.w - 1.0,
        h: node.rect.h - 1.0,
    };
    round_rect(context, &rect, 10.0);
    context.set_fill_style_str(&palette.panel.css(1.0));
    context.fill();
    context.set_line_width(1.0);
    context.set_stroke_style_str(&palette.line.css(1.0));
    context.stroke();

    let (x, y) = (rect.x + 11.0, rect.y + HEADER / 2.0 + 4.0);
    let room = rect.w - 22.0;
    let name = format!("node {}", node.node.0);
    context.set_text_baseline("middle");
    context.set_text_align("left");
    context.set_font(&format!("650 12.5px {FONT}"));
    context.set_fill_style_str(&palette.ink.css(1.0));
    let _ = context.fill_text(&name, x, y);
    let used = width(context, &name) + 8.0;

    context.set_font(&format!("400 12px {FONT}"));
    context.set_fill_style_str(&palette.secondary.css(1.0));
    let mut words = header_words(picture.recording, node);
    while !words.is_empty() && used + width(context, &words.join(" · ")) > room {
        // Drops what the cells show anyway, first the number of CPUs.
        words.remove(0);
    }
    let _ = context.fill_text(&words.join(" · "), x + used, y);
}

/// "20 CPUs", "34 lu", "1 hog", as far as they are not nought.
fn header_words(recording: &Recording, node: &NodeBox) -> Vec<String> {
    let counts = recording.threads_on(node.cpus.iter().map(|cpu| cpu.index()));
    let tasks = counts
        .iter()
        .zip(&recording.run.table.tasks)
        .filter(|(count, _)| **count > 0);
    if node.cpus.is_empty() {
        return vec!["memory only".to_owned()];
    }
    std::iter::once(format!("{} CPUs", node.cpus.len()))
        .chain(tasks.map(|(count, task)| format!("{count} {}", task.name)))
        .collect()
}

fn paint_cell(context: &Context, picture: &Picture<'_>, cpu: usize, cell: &Rect) {
    if cell.w < 1.0 || cell.h < 1.0 {
        return;
    }
    let (palette, recording) = (picture.palette, picture.recording);
    let corner = CORNER.min(cell.w / 4.0);
    let running = recording.cpus.running(cpu);
    let waiting = recording.cpus.waiting(cpu);

    round_rect(context, cell, corner);
    let busy = running.is_some() || !waiting.is_empty();
    context.set_fill_style_str(
        &if busy {
            palette.background
        } else {
            palette.soft
        }
        .css(1.0),
    );
    context.fill();
    number(context, palette, cpu, cell);

    let unit = (cell.h * 0.40).clamp(3.0, 40.0);
    if let Some(thread) = running {
        let block = Rect {
            x: cell.x,
            y: cell.y + cell.h - unit,
            w: cell.w,
            h: unit,
        };
        block_of(context, picture, thread, &block, 1.0);
    }
    stack(context, picture, waiting, cell, unit);

    let starving = recording.is_starving(cpu);
    if starving || picture.hover == Some(cpu) {
        let line = if starving { 2.0 } else { 1.5 };
        let colour = if starving { palette.harm } else { palette.ink };
        let frame = Rect {
            x: cell.x + 0.5,
            y: cell.y + 0.5,
            w: cell.w - 1.0,
            h: cell.h - 1.0,
        };
        round_rect(context, &frame, corner);
        context.set_line_width(line);
        context.set_stroke_style_str(&colour.css(1.0));
        context.stroke();
    }
}

/// The waiting tasks as fainter blocks above the running one; what has no room becomes a number.
fn stack(context: &Context, picture: &Picture<'_>, waiting: &[u32], cell: &Rect, unit: f64) {
    const GAP: f64 = 2.0;
    let room = cell.h - unit - GAP;
    let height = (unit * 0.5).clamp(2.5, 9.0);
    let fits = ((room / (height + GAP)).floor() as usize).max(1);
    let shown = waiting.len().min(fits);
    for (place, thread) in waiting.iter().take(shown).enumerate() {
        let above = unit + (height + GAP) * (place + 1) as f64;
        let block = Rect {
            x: cell.x,
            y: cell.y + cell.h - above,
            w: cell.w,
            h: height,
        };
        block_of(context, picture, *thread, &block, 0.42);
    }
    if waiting.len() > shown && cell.w >= 14.0 {
        context.set_font(&format!("600 9px {FONT}"));
        context.set_text_align("center");
        context.set_fill_style_str(&picture.palette.ink.css(1.0));
        let _ = context.fill_text(
            &format!("+{}", waiting.len() - shown),
            cell.x + cell.w / 2.0,
            cell.y + 6.0,
        );
        context.set_text_align("left");
    }
}

fn block_of(context: &Context, picture: &Picture<'_>, thread: u32, block: &Rect, opacity: f64) {
    let task = picture.recording.task_of(thread).unwrap_or(0);
    let place = picture.wearers.place(task);
    round_rect(context, block, CORNER.min(block.w / 4.0).min(block.h / 2.0));
    context.set_fill_style_str(&picture.palette.cgroup(place).css(opacity));
    context.fill();
    if place > 0 {
        hatch(
            context,
            block,
            place,
            &picture.palette.panel.css(0.45 * opacity.sqrt()),
        );
    }
}

/// The second channel beside a colour: a hatch that tells the places after the first apart.
fn hatch(context: &Context, block: &Rect, place: usize, colour: &str) {
    const STEP: f64 = 5.0;
    context.save();
    context.clip();
    context.begin_path();
    let (right, bottom) = (block.x + block.w, block.y + block.h);
    let reach = block.w + block.h;
    let mut at = 0.0;
    while at < reach {
        match place % 4 {
            1 => {
                context.move_to(block.x + at, block.y);
                context.line_to(block.x + at - block.h, bottom);
            }
            2 => {
                context.move_to(block.x, block.y + at);
                context.line_to(right, block.y + at);
            }
            3 => {
                context.move_to(block.x + at - block.h, block.y);
                context.line_to(block.x + at, bottom);
            }
            _ => {
                context.move_to(block.x + at, block.y);
                context.line_to(block.x + at, bottom);
            }
        }
        at += STEP;
    }
    context.set_line_width(1.4);
    context.set_stroke_style_str(colour);
    context.stroke();
    context.restore();
}

fn number(context: &Context, palette: &Palette, cpu: usize, cell: &Rect) {
    if cell.w < 18.0 || cell.h < 30.0 {
        return;
    }
    context.set_font(&format!("400 9px {FONT}"));
    context.set_text_baseline("middle");
    context.set_text_align("left");
    context.set_fill_style_str(&palette.secondary.css(0.9));
    let _ = context.fill_text(&cpu.to_string(), cell.x + 3.5, cell.y + 7.5);
}

fn paint_arc(context: &Context, picture: &Picture<'_>, arc: crate::recording::Arc) {
    let cells = &picture.layout.cells;
    let (Some(from), Some(to)) = (cells.get(arc.from), cells.get(arc.to)) else {
        return;
    };
    let age = ((picture.wall_ms - arc.seen_ms) / ARC_MS).clamp(0.0, 1.0);
    let fade = if picture.still { 0.7 } else { 1.0 - age };
    // What stays within a node is part of the daily round: it is drawn finer.
    let far = node_of(picture.layout, arc.from) != node_of(picture.layout, arc.to);
    let (line, dot, opacity) = if far {
        (1.5, 2.5, fade * 0.85)
    } else {
        (0.75, 1.5, fade * 0.45)
    };
    let colour = picture.palette.ink.css(opacity);
    let ((x0, y0), (x1, y1)) = (from.centre(), to.centre());
    let rise = 0.18 * (x1 - x0).hypot(y1 - y0) + 8.0;
    context.begin_path();
    context.move_to(x0, y0);
    context.quadratic_curve_to(f64::midpoint(x0, x1), f64::midpoint(y0, y1) - rise, x1, y1);
    context.set_line_width(line);
    context.set_stroke_style_str(&colour);
    context.stroke();
    context.begin_path();
    let _ = context.arc(x1, y1, dot, 0.0, 2.0 * PI);
    context.set_fill_style_str(&colour);
    context.fill();
}

fn node_of(layout: &Layout, cpu: usize) -> Option<usize> {
    layout
        .nodes
        .iter()
        .position(|node| node.cpus.iter().any(|known| known.index() == cpu))
}

fn width(context: &Context, text: &str) -> f64 {
    context
        .measure_text(text)
        .map_or(0.0, |metrics| metrics.width())
}

fn round_rect(context: &Context, rect: &Rect, corner: f64) {
    context.begin_path();
    let _ = context.round_rect_with_f64(
        rect.x,
        rect.y,
        rect.w.max(0.0),
        rect.h.max(0.0),
        corner.max(0.0),
    );
}
