//! `teeter gallery`: what every preset looks like while it runs, for the pictures of the page's examples.
//!
//! Of each kernel the machine at one moment: a text for each node, two characters for each of its CPUs. The first is
//! `.` where it idles, else a letter: `a` runs a thread of the scenario's first task, `b` of its second. The second is
//! how many threads wait there, as a digit to base 36, `z` also for more.

use serde_json::{Value, json};
use teeter_machine::Topology;
use teeter_scenario::{Nanos, Problems, Scenario, presets};
use teeter_sim::{IDLE, Simulation};

use crate::error::Error;

/// The moment of the pictures: half of the run, and no later than this.
const LATEST: Nanos = Nanos(8_000_000_000);

/// The presets of these names, or all of them: one JSON object.
pub(crate) fn execute(names: &[String]) -> Result<String, Error> {
    let mut lines = Vec::new();
    let wanted = |name: &str| names.is_empty() || names.iter().any(|known| known == name);
    for preset in presets::ALL.iter().filter(|preset| wanted(preset.name)) {
        let place = format!("preset:{}", preset.name);
        let scenario = preset.scenario();
        let shown = scenario.and_then(|scenario| pictures(&scenario));
        let shown = shown.map_err(|problems| Error::scenario(&place, problems))?;
        lines.push(format!("{}:{shown}", json!(preset.name)));
    }
    Ok(format!("{{\n{}\n}}\n", lines.join(",\n")))
}

/// Each kernel's machine at the moment.
fn pictures(scenario: &Scenario) -> Result<Value, Problems> {
    let topology = Topology::from_spec(&scenario.machine).map_err(Problems)?;
    let mut at = Nanos::ZERO;
    let mut kernels = Vec::new();
    for (slot, kernel) in scenario.kernels.iter().enumerate() {
        let mut simulation = Simulation::new(scenario, slot, 0).map_err(|error| match error {
            teeter_sim::Error::Problems(problems) => Problems(problems),
            past @ teeter_sim::Error::Past { .. } => {
                teeter_scenario::Problem::new("", past.to_string()).into()
            }
        })?;
        at = Nanos((simulation.end().0 / 2).min(LATEST.0));
        simulation.run_until(at);
        kernels.push(json!({ "kernel": kernel.base, "nodes": nodes(&topology, &simulation) }));
    }
    Ok(json!({ "at": at.to_string(), "kernels": kernels }))
}

/// A text for each node with CPUs.
fn nodes(topology: &Topology, simulation: &Simulation) -> Vec<String> {
    let (snapshot, threads) = (simulation.snapshot(), simulation.threads());
    let letter = |thread: u32| {
        let task = threads
            .threads
            .get(thread as usize)
            .map_or(0, |thread| thread.task);
        char::from(b'a' + task.min(25) as u8)
    };
    let cpu = |cpu: usize| {
        let runs = snapshot.curr.get(cpu).copied().unwrap_or(IDLE);
        let bound = |at: usize| snapshot.queued_start.get(at).copied().unwrap_or(0);
        let waiting = bound(cpu + 1).saturating_sub(bound(cpu)).min(35);
        let digit = char::from_digit(waiting, 36).unwrap_or('z');
        [if runs == IDLE { '.' } else { letter(runs) }, digit]
    };
    let with_cpus = topology.nodes.iter().filter(|cpus| !cpus.is_empty());
    with_cpus
        .map(|cpus| cpus.iter().flat_map(|id| cpu(id.index())).collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_has_every_cpu_and_what_waits_there() {
        let scenario = Scenario::from_json(
            r#"{"teeter":1,"machine":{"synthetic":"node:2 core:2 pu:1"},"kernels":["v5.5"],"run":{"duration":"20ms"},
            "tasks":[{"name":"a","workload":"hog","threads":1,"affinity":"3"},{"name":"b","workload":"hog","threads":3,"affinity":"0"}]}"#,
        );
        let shown = pictures(&scenario.unwrap()).unwrap();
        assert_eq!(shown["at"], "10ms");
        assert_eq!(shown["kernels"][0]["nodes"], json!(["b2.0", ".0a0"]));
    }
}
