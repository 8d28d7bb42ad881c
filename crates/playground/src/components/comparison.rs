//! What the kernels made of the scenario, side by side.

use std::rc::Rc;

use teeter_scenario::Scenario;
use teeter_sim::{RunResult, TaskResult};
use yew::prelude::*;

use super::term::Term;
use crate::format;
use crate::player::Player;
use crate::recording::Recording;
use crate::slot;

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub scenario: Rc<Scenario>,
    pub player: Player,
    pub pulse: u32,
}

/// One row: its name, the value under each kernel and how to show it.
struct Row {
    name: String,
    term: Option<&'static str>,
    values: Vec<Option<f64>>,
    show: fn(f64) -> String,
}

/// The card.
#[component]
pub(super) fn Comparison(props: &Props) -> Html {
    let kernels = &props.scenario.kernels;
    let recordings: Vec<_> = (0..kernels.len())
        .map(|slot| props.player.recording(slot))
        .collect();
    let results: Vec<Option<&RunResult>> = recordings
        .iter()
        .map(|recording| {
            recording
                .as_ref()
                .and_then(|recording| recording.result.as_ref())
        })
        .collect();
    let task = recordings
        .first()
        .and_then(Option::as_ref)
        .map_or(0, |recording| recording.followed());
    let nodes = recordings
        .first()
        .and_then(Option::as_ref)
        .map_or(0, |recording| recording.run.nodes as usize);
    let done = props.player.finished();
    let pair = kernels.len() == 2;
    html! {
        <section class="card comparison" aria-labelledby="comparison-title">
            <header>
                <h2 id="comparison-title">{ "Comparison" }</h2>
                <span class="note">{ if done { "whole run" } else { "so far" } }</span>
            </header>
            <table>
                <thead><tr>
                    <th scope="col"><span class="visually-hidden">{ "figure" }</span></th>
                    for (slot, kernel) in kernels.iter().enumerate() {
                        <th scope="col" key={slot}><span>
                            <span class="badge" data-slot={slot.to_string()}>{ slot::letter(slot) }</span>{ kernel.title() }
                        </span></th>
                    }
                    if pair { <th scope="col">{ "B / A" }</th> }
                </tr></thead>
                <tbody>
                    for row in rows(&results, task, nodes) { { show(&row, pair) } }
                </tbody>
            </table>
            <dl class="facts">
                for (slot, recording) in recordings.iter().enumerate() {
                    { digest(slot, recording.as_deref()) }
                }
            </dl>
        </section>
    }
}

fn rows(results: &[Option<&RunResult>], task: usize, nodes: usize) -> Vec<Row> {
    let of_task = |read: &dyn Fn(&TaskResult) -> Option<f64>| -> Vec<Option<f64>> {
        results
            .iter()
            .map(|result| read(result.as_ref()?.tasks.get(task)?))
            .collect()
    };
    let of_run = |read: &dyn Fn(&RunResult) -> f64| -> Vec<Option<f64>> {
        results
            .iter()
            .map(|result| result.as_ref().map(|result| read(result)))
            .collect()
    };
    let first = results
        .iter()
        .flatten()
        .find_map(|result| result.tasks.get(task));
    let name = first.map_or_else(String::new, |task| task.name.clone());
    let mut rows = Vec::new();
    if let Some(metric) = first.and_then(|task| task.metric.as_ref()) {
        rows.push(Row {
            name: metric.name.clone(),
            term: None,
            values: of_task(&|task| Some(task.metric.as_ref()?.value)),
            show: format::figure,
        });
    }
    rows.extend((0..nodes).map(|node| Row {
        name: format!("{name} on node {node}"),
        term: None,
        values: of_task(&|task| task.mean_on_node.get(node).copied()),
        show: format::figure,
    }));
    rows.push(Row {
        name: "idle while another waits".to_owned(),
        term: Some("idle while another waits"),
        values: of_run(&|run| run.idle_while_waiting),
        show: format::percent,
    });
    rows.push(Row {
        name: "migrations".to_owned(),
        term: Some("migrations"),
        values: of_run(&|run| {
            run.tasks
                .iter()
                .map(|task| task.migrations.total)
                .sum::<u64>() as f64
        }),
        show: |number| format::count(number as u64),
    });
    rows
}

fn show(row: &Row, pair: bool) -> Html {
    let cell = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), row.show);
    html! {
        <tr key={row.name.clone()}>
            <th scope="row">
                if let Some(term) = row.term { <Term {term}>{ &row.name }</Term> } else { { &row.name } }
            </th>
            for (slot, value) in row.values.iter().enumerate() {
                <td key={slot} data-value={value.map(|value| value.to_string())}>{ cell(*value) }</td>
            }
            if pair { { ratio(row) } }
        </tr>
    }
}

fn ratio(row: &Row) -> Html {
    match row.values.as_slice() {
        [Some(a), Some(b)] if *a > 0.0 => {
            html! { <td>{ format!("×{}", format::figure(b / a)) }</td> }
        }
        _ => html! { <td></td> },
    }
}

/// The digest: of the whole run once it is over, until then of what was.
fn digest(slot: usize, recording: Option<&Recording>) -> Html {
    let letter = slot::letter(slot);
    let result = recording.and_then(|recording| recording.result.as_ref());
    let finished = recording.is_some_and(|recording| recording.finished);
    html! {
        <>
            <dt><Term term="digest">{ format!("digest {letter}") }</Term>{ if finished { "" } else { ", so far" } }</dt>
            <dd class="digest mono" data-testid={format!("digest-{}", letter.to_ascii_lowercase())}
                data-finished={finished.to_string()}>
                { result.map_or_else(|| "–".to_owned(), |result| result.digest.clone()) }
            </dd>
        </>
    }
}
