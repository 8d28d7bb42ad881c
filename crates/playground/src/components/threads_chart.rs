//! Threads of one task on each NUMA node, over time, under every kernel.

use std::rc::Rc;

use teeter_scenario::Scenario;
use yew::prelude::*;

use super::chart_figure::ChartFigure;
use super::choice::Choice;
use crate::chart::{Line, Plot};
use crate::drawing::palette::Palette;
use crate::format;
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
    let mut sentences = Vec::new();
    for (slot, kernel) in props.scenario.kernels.iter().enumerate() {
        let Some(recording) = props.player.recording(slot) else {
            continue;
        };
        let letter = slot::letter(slot);
        for node in 0..recording.run.nodes as usize {
            lines.push(line(&recording, task, node, slot, &props.palette));
            columns.push(format!("{letter} n{node}"));
        }
        sentences.extend(sentence(
            &recording,
            task,
            &format!("{letter} ({})", kernel.title()),
        ));
    }
    let longest = props.scenario.run.duration.as_secs_f64();
    let choose = Callback::from(move |name: String| chosen.set(Some(name.into())));
    html! {
        <>
            <ChartFigure testid="chart-threads" title={format!("{name} threads on each node")} unit={dashes(props.scenario.kernels.len())}
                plot={Rc::new(Plot::new(lines, longest))} summary={sentences.join(" ")} columns={Rc::new(columns)}
                palette={Rc::clone(&props.palette)} />
            if tasks.len() > 2 {
                <label class="row note">{ "follow" }
                    <Choice value={name} options={tasks.iter().map(|task| (task.name.clone().into(), task.name.clone().into())).collect::<Vec<_>>()} {choose} testid="follow" />
                </label>
            }
        </>
    }
}

/// How the kernels' lines differ: "A solid, B dashed".
pub(super) fn dashes(kernels: usize) -> String {
    let names = ["A solid", "B dashed", "C dotted", "D dash-dot"];
    names[..kernels.min(names.len())].join(", ")
}

fn line(recording: &Recording, task: usize, node: usize, slot: usize, palette: &Palette) -> Line {
    let nodes = recording.run.nodes as usize;
    let column = recording.series.node_threads.get(task * nodes + node);
    let times = recording.series.time_ns.iter().map(|time| time / 1e9);
    Line {
        label: if slot == 0 {
            format!("n{node}")
        } else {
            String::new()
        },
        colour: palette.node(node),
        slot,
        points: times.zip(column.into_iter().flatten().copied()).collect(),
    }
}

/// "A (v5.3) has 34, 7, 5 and 30 of them on nodes 0 to 3."
fn sentence(recording: &Recording, task: usize, who: &str) -> Option<String> {
    let nodes = recording.run.nodes as usize;
    let samples = (RECENT_S * 1e9 / recording.run.sample_ns.max(1.0)).ceil() as usize;
    let means: Option<Vec<String>> = (0..nodes)
        .map(|node| {
            let column = recording.series.node_threads.get(task * nodes + node)?;
            let recent = &column[column.len().saturating_sub(samples.max(1))..];
            (!recent.is_empty()).then(|| {
                format::short(
                    (recent.iter().sum::<f64>() / recent.len() as f64 * 10.0).round() / 10.0,
                )
            })
        })
        .collect();
    match means?.as_slice() {
        [] => None,
        [one] => Some(format!("{who} has {one} on its node.")),
        [most @ .., last] => Some(format!(
            "{who} has {} and {last} on nodes 0 to {}.",
            most.join(", "),
            nodes - 1
        )),
    }
}
