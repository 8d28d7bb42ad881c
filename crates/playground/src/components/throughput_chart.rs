//! Work done per second, over time, under every kernel.

use std::rc::Rc;

use teeter_scenario::Scenario;
use yew::prelude::*;

use super::chart_figure::ChartFigure;
use super::threads_chart::dashes;
use crate::chart::{self, Line, Plot};
use crate::drawing::palette::Palette;
use crate::format;
use crate::player::Player;
use crate::slot;

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub scenario: Rc<Scenario>,
    pub player: Player,
    pub palette: Rc<Palette>,
    pub pulse: u32,
}

/// The figure for the first task that reports a figure of its own; nothing where none does.
#[component]
pub(super) fn ThroughputChart(props: &Props) -> Html {
    let mut lines = Vec::new();
    let mut columns = Vec::new();
    let mut latest = Vec::new();
    let mut unit = None;
    for (slot, kernel) in props.scenario.kernels.iter().enumerate() {
        let Some(recording) = props.player.recording(slot) else {
            continue;
        };
        let task = recording.followed();
        let Some(metric) = recording
            .run
            .table
            .tasks
            .get(task)
            .and_then(|info| info.metric.clone())
        else {
            continue;
        };
        let column = recording
            .series
            .progress
            .get(task)
            .map_or(&[][..], Vec::as_slice);
        let samples = chart::samples_a_point(recording.run.sample_ns);
        let points = chart::points(&recording.series.time_ns, column, samples);
        let letter = slot::letter(slot);
        if let Some((_, value)) = points.last() {
            latest.push((format!("{letter} ({})", kernel.title()), *value));
        }
        lines.push(Line {
            label: letter.to_owned(),
            colour: props.palette.ink,
            slot,
            points,
        });
        columns.push(format!("{letter} {metric}"));
        unit = Some(metric);
    }
    let Some(unit) = unit else {
        return html! {
            <figure class="card chart" data-testid="chart-throughput">
                <header><figcaption><h2>{ "Throughput" }</h2></figcaption></header>
                <p class="summary">{ "No task of this scenario reports a throughput." }</p>
            </figure>
        };
    };
    let longest = props.scenario.run.duration.as_secs_f64();
    html! {
        <ChartFigure testid="chart-throughput" title="Throughput" unit={format!("{unit}, {}", dashes(props.scenario.kernels.len()))}
            plot={Rc::new(Plot::new(lines, longest))} summary={sentence(&latest, &unit)} columns={Rc::new(columns)}
            palette={Rc::clone(&props.palette)} />
    }
}

/// "A (v5.3) does 2 716 Mop/s now, B (v5.5) 34 048 Mop/s: 12.5 times as much."
fn sentence(latest: &[(String, f64)], unit: &str) -> String {
    let each: Vec<_> = latest
        .iter()
        .map(|(who, value)| format!("{who} does {} {unit}", format::figure(*value)))
        .collect();
    let ratio = match latest {
        [(_, a), (_, b)] if *a > 0.0 => format!(": {} times as much", format::figure(b / a)),
        _ => String::new(),
    };
    if each.is_empty() {
        "Not measured yet.".to_owned()
    } else {
        format!("Now {}{ratio}.", each.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_compares_two_kernels() {
        let latest = [
            ("A (v5.3)".to_owned(), 2_000.0),
            ("B (v5.5)".to_owned(), 30_000.0),
        ];
        assert_eq!(
            sentence(&latest, "Mop/s"),
            "Now A (v5.3) does 2\u{202f}000 Mop/s, B (v5.5) does 30\u{202f}000 Mop/s: 15.00 times as much."
        );
        assert_eq!(sentence(&[], "Mop/s"), "Not measured yet.");
    }
}
