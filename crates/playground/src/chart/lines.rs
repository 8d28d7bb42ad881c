//! Draws a [`Plot`] with plotters.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::surface::ChartSurface;
use super::{Plot, decimate::decimate};
use crate::drawing::palette::{Colour, Palette};
use crate::format;

/// Room for the labels at the right ends of the lines, CSS pixels.
const LABELS: f64 = 34.0;
const FONT: &str = "Inter, system-ui, sans-serif";

/// The drawing failed; the message is plotters' own.
#[derive(Debug, thiserror::Error)]
#[error("the chart could not be drawn: {0}")]
pub struct ChartError(String);

/// Draws the whole chart.
///
/// # Errors
/// Where the backend refuses.
pub fn draw<S: ChartSurface>(
    surface: &mut S,
    plot: &Plot,
    palette: &Palette,
) -> Result<(), ChartError> {
    let ratio = surface.ratio();
    match surface.backend() {
        Some(backend) => {
            draw_on(backend, ratio, plot, palette).map_err(|error| ChartError(error.to_string()))
        }
        None => Ok(()),
    }
}

fn draw_on<B: DrawingBackend>(
    backend: B,
    ratio: f64,
    plot: &Plot,
    palette: &Palette,
) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
    let px = |length: f64| (length * ratio).round() as i32;
    let area = backend.into_drawing_area();
    let mut chart = ChartBuilder::on(&area)
        .margin_top(px(8.0))
        .margin_right(px(LABELS))
        .x_label_area_size(px(20.0))
        .y_label_area_size(px(40.0))
        .build_cartesian_2d(0.0..plot.end_s, 0.0..plot.top)?;

    let text = (FONT, 11.0 * ratio)
        .into_font()
        .color(&rgb(palette.secondary));
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(rgb(palette.line).stroke_width(px(1.0) as u32))
        .axis_style(rgb(palette.line).stroke_width(px(1.0) as u32))
        .set_all_tick_mark_size(px(3.0))
        .label_style(text)
        .x_labels(5)
        .y_labels(6)
        .x_label_formatter(&|seconds| format!("{} s", format::short(*seconds)))
        .y_label_formatter(&|value| format::short(*value))
        .draw()?;

    let (width, _) = chart.plotting_area().dim_in_pixel();
    for line in &plot.lines {
        let points = decimate(&line.points, plot.end_s, width as usize);
        let style = rgb(line.colour).stroke_width(px(1.6) as u32);
        match dash(line.slot) {
            None => chart.draw_series(LineSeries::new(points, style))?,
            Some((on, off)) => {
                chart.draw_series(DashedLineSeries::new(points, px(on), px(off), style))?
            }
        };
    }
    for label in labelled(plot) {
        let style = (FONT, 10.5 * ratio)
            .into_font()
            .color(&rgb(label.colour))
            .pos(Pos::new(HPos::Left, VPos::Center));
        let point = chart.backend_coord(&label.at);
        area.draw(&Text::new(label.text, (point.0 + px(5.0), point.1), style))?;
    }
    area.present()
}

/// Length of dash and gap, in CSS pixels; `None` is solid.
fn dash(slot: usize) -> Option<(f64, f64)> {
    match slot {
        0 => None,
        1 => Some((5.0, 3.0)),
        2 => Some((1.5, 2.5)),
        _ => Some((8.0, 2.0)),
    }
}

/// What stands at the right end of a line.
struct Label {
    text: String,
    at: (f64, f64),
    colour: Colour,
}

/// The labels, from low to high; those of lines that end close together move apart.
fn labelled(plot: &Plot) -> Vec<Label> {
    let distance = plot.top * 0.085;
    let mut labels: Vec<Label> = plot
        .lines
        .iter()
        .filter(|line| !line.label.is_empty())
        .filter_map(|line| {
            let at = *line.points.iter().rfind(|point| point.1.is_finite())?;
            Some(Label {
                text: line.label.clone(),
                at,
                colour: line.colour,
            })
        })
        .collect();
    labels.sort_by(|a, b| a.at.1.total_cmp(&b.at.1));
    for place in 1..labels.len() {
        let below = labels[place - 1].at.1;
        labels[place].at.1 = labels[place].at.1.max(below + distance);
    }
    let mut above = plot.top;
    for label in labels.iter_mut().rev() {
        label.at.1 = label.at.1.min(above);
        above = label.at.1 - distance;
    }
    labels
}

fn rgb(colour: Colour) -> RGBColor {
    let [r, g, b] = colour.rgb;
    RGBColor(r, g, b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Line;

    /// A canvas that has no size yet.
    struct Nowhere;

    impl ChartSurface for Nowhere {
        type Backend = SVGBackend<'static>;

        fn ratio(&self) -> f64 {
            1.0
        }

        fn backend(&mut self) -> Option<Self::Backend> {
            None
        }
    }

    fn plot() -> Plot {
        let line = |slot, level: f64, label: &str| Line {
            label: label.to_owned(),
            slot,
            points: (0..100).map(|n| (f64::from(n) / 10.0, level)).collect(),
            ..Line::default()
        };
        Plot::new(
            vec![
                line(0, 34.0, "n0"),
                line(0, 5.0, "n1"),
                line(1, 19.0, "n0"),
                line(1, 19.2, "n1"),
            ],
            60.0,
        )
    }

    #[test]
    fn solid_lines_are_one_path_and_dashed_ones_many() {
        let mut text = String::new();
        draw_on(
            SVGBackend::with_string(&mut text, (360, 170)),
            1.0,
            &plot(),
            &Palette::default(),
        )
        .unwrap();
        assert!(text.matches("<polyline").count() > 4, "{text}");
        assert!(
            text.contains("\nn0\n") && text.contains(" s\n"),
            "labels and times: {text}"
        );
    }

    #[test]
    fn labels_keep_apart_and_inside() {
        let labels = labelled(&plot());
        let gaps = labels.windows(2).map(|pair| pair[1].at.1 - pair[0].at.1);
        assert!(gaps.min_by(f64::total_cmp).unwrap() >= plot().top * 0.085 - 1e-9);
        assert!(labels.iter().all(|label| label.at.1 <= plot().top));
    }

    #[test]
    fn nothing_to_draw_on_is_no_error() {
        assert!(draw(&mut Nowhere, &plot(), &Palette::default()).is_ok());
    }
}
