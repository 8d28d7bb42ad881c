//! What the engine cannot do is refused by its path.

use teeter_scenario::Nanos;
use teeter_scenario::document::{Fork, Scenario, Workload};
use teeter_sim::{Error, Simulation};

use crate::bench::{scenario, threads};

fn paths(change: impl FnOnce(&mut Scenario)) -> Vec<String> {
    let mut scenario = scenario(
        "node:1 core:2 pu:1",
        vec![threads("hog", Workload::Hog, 1)],
        10,
    );
    change(&mut scenario);
    match Simulation::new(&scenario, 0, 0) {
        Err(Error::Problems(problems)) => {
            problems.into_iter().map(|problem| problem.path).collect()
        }
        Err(other) => vec![other.to_string()],
        Ok(_) => Vec::new(),
    }
}

#[test]
fn a_plain_scenario_is_accepted() {
    assert_eq!(paths(|_| {}), [""; 0]);
}

#[test]
fn each_unsupported_part_is_named() {
    let problems = paths(|scenario| {
        scenario.tasks.push(threads("clamped", Workload::Hog, 1));
        scenario.tasks[1].uclamp.max = 512;
    });
    assert_eq!(problems, ["/tasks/1/uclamp"]);
}

#[test]
fn problems_of_every_part_come_together() {
    let problems = paths(|scenario| {
        scenario.tasks[0].affinity = Some("7".parse().unwrap());
        scenario.tasks.push(threads("far", Workload::Hog, 1));
        scenario.tasks[1].fork = Fork::From {
            cpu: 9,
            every: Nanos(0),
        };
        scenario.tasks.push(threads("off", Workload::Hog, 1));
        scenario.tasks[2].affinity = Some("0".parse().unwrap());
        scenario.tasks[2].fork = Fork::On("1".parse().unwrap());
    });
    assert_eq!(
        problems,
        [
            "/tasks/0/affinity",
            "/tasks/1/fork/from",
            "/tasks/2/fork/on"
        ]
    );
    let problems = paths(|scenario| {
        scenario.machine.source =
            teeter_scenario::document::MachineSource::Synthetic("core:0".to_owned());
        scenario.kernels[0].base = "v0.1".to_owned();
    });
    assert_eq!(problems, ["/machine/synthetic", "/kernels/0/base"]);
}

#[test]
fn a_kernel_that_is_not_there_is_a_problem() {
    let scenario = scenario("node:1 core:1 pu:1", Vec::new(), 10);
    let error = Simulation::new(&scenario, 5, 0).unwrap_err();
    assert_eq!(error.to_string(), "/kernels: there is no kernel number 5");
}

#[test]
fn series_that_do_not_fit_are_refused() {
    let problems = paths(|scenario| {
        scenario.run.duration = Nanos::from_secs(3600);
        scenario.run.sample = Nanos::from_micros(100);
    });
    assert_eq!(problems, ["/run/sample"]);
}
