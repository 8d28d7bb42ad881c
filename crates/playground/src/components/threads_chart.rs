//! Threads of one task on each NUMA node, over time, under every kernel.

use std::rc::Rc;

use teeter_scenario::Scenario;
use yew::prelude::*;

use super::chart_figure::ChartFigure;
use super::choice::Choice;
use crate::chart::{self, Line, Plot};
use crate::drawing::palette::Palette;
use crate::player::Player;
use crate::recording::Recording;
use crate::slot;

/// The last samples a sentence averages over, s.
const RECENT_S: f64 = 0.5;

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub scenario: Rc<Scenario>,
    pub player: Player,
    pub palette: Rc<Palette>,
    pub pulse: u32,
}

/// The figure, with a choice of the task it follows.
#[component]
pub(super) fn ThreadsChart(props: &Props) -> Html {
    let chosen = use_state(|| None::<AttrValue>);
    let tasks = &props.scenario.tasks;
    let by_name = chosen
        .as_ref()
        .and_then(|name| tasks.iter().position(|task| task.name == name.as_str()));
    let followed = props
        .player
        .recording(0)
        .map_or(0, |recording| recording.followed());
    let task = by_name
        .unwrap_or(followed)
        .min(tasks.len().saturating_sub(1));
    let name = tasks
        .get(task)
        .map_or_else(String::new, |task| task.name.clone());

    let mut lines = Vec::new();
    let mut columns = Vec::new();
    let mut each = Vec::new();
    let mut nodes = 0;
    for (slot, kernel) in props.scenario.kernels.iter().enumerate() {
        let Some(recording) = props.player.recording(slot) else {
            continue;
        };
        let letter = slot::letter(slot);
        nodes = recording.run.nodes as usize;
        for node in 0..nodes {
            lines.push(line(&recording, task, node, slot, &props.palette));
            columns.push(format!("{letter} n{node}"));
        }
        each.extend(means(
            &recording,
            task,
            &format!("{letter} ({})", kernel.title()),
        ));
    }
    let longest = props.scenario.run.duration.as_secs_f64();
    let choose = Callback::from(move |name: String| chosen.set(Some(name.into())));
    let options: Vec<_> = tasks
        .iter()
        .map(|task| (task.name.clone().into(), task.name.clone().into()))
        .collect();
    let control = html! {
        if tasks.len() > 2 {
            <label class="row note">{ "Task" }
                <Choice value={name.clone()} {options} {choose} testid="follow" />
            </label>
        }
    };
    html! {
        <ChartFigure testid="chart-threads" title={format!("{name} threads on each node")}
            unit={dashes(props.scenario.kernels.len())} plot={Rc::new(Plot::new(lines, longest))}
            summary={sentence(&each, nodes)} {control} columns={Rc::new(columns)} palette={Rc::clone(&props.palette)} />
    }
}

/// How the kernels' lines differ: "A solid, B dashed".
pub(super) fn dashes(kernels: usize) -> String {
    let names = ["A solid", "B dashed", "C dotted", "D dash-dot"];
    names[..kernels.min(names.len())].join(", ")
}

fn line(recording: &Recording, task: usize, node: usize, slot: usize, palette: &Palette) -> Line {
    let nodes = recording.run.nodes as usize;
    let column = recording
        .series
        .node_threads
        .get(task * nodes + node)
        .map_or(&[][..], Vec::as_slice);
    let samples = chart::samples_a_point(recording.run.sample_ns);
    Line {
        label: if slot == 0 {
            format!("n{node}")
        } else {
            String::new()
        },
        colour: palette.node(node),
        slot,
        points: chart::points(&recording.series.time_ns, column, samples),
    }
}

/// "A (v5.3) 34, 7, 5, 30".
fn means(recording: &Recording, task: usize, who: &str) -> Option<String> {
    let nodes = recording.run.nodes as usize;
    let samples = (RECENT_S * 1e9 / recording.run.sample_ns.max(1.0)).ceil() as usize;
    let means: Option<Vec<String>> = (0..nodes)
        .map(|node| {
            let column = recording.series.node_threads.get(task * nodes + node)?;
            let recent = &column[column.len().saturating_sub(samples.max(1))..];
            let mean = recent.iter().sum::<f64>() / recent.len() as f64;
            (!recent.is_empty()).then(|| format!("{mean:.1}"))
        })
        .collect();
    Some(format!("{who} {}", means?.join(", ")))
}

/// "Now on nodes 0 to 3: A (v5.3) 34.0, 7.1, 5.0, 30.2; B (v5.5) 19.0, 19.0, 19.0, 19.0."
fn sentence(each: &[String], nodes: usize) -> String {
    let place = match nodes {
        0 | 1 => "Now".to_owned(),
        more => format!("Now on nodes 0 to {}", more - 1),
    };
    if each.is_empty() {
        "Not measured yet.".to_owned()
    } else {
        format!("{place}: {}.", each.join("; "))
    }
}
