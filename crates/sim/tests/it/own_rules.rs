//! Expressions of the user's own in place of the kernel's rules, and decisions on record.

#![expect(
    clippy::unwrap_used,
    reason = "the scenarios are sound, or the test fails"
)]

use serde_json::{Value, json};
use teeter_scenario::document::workload::Periodic;
use teeter_scenario::document::{Fork, Kernel, Scenario, Workload};
use teeter_scenario::{Nanos, presets};
use teeter_sched::decision::{Decision, Decisions, Value as Number};
use teeter_sim::Simulation;

use crate::bench::{self, threads};

/// Two nodes of 16 CPUs, with so many busy tasks on the first and one that comes and goes.
fn scenario(hogs: u32, base: &str, rule: &str, value: Option<Value>) -> Scenario {
    let mut tasks = vec![
        threads("hog", Workload::Hog, hogs),
        threads(
            "comes",
            Workload::Periodic(Periodic {
                run: Nanos::from_millis(2),
                period: Nanos::from_millis(9),
            }),
            3,
        ),
    ];
    tasks[0].fork = Fork::On("0-7".parse().unwrap());
    tasks[1].fork = Fork::On("0-2".parse().unwrap());
    let mut scenario = bench::scenario("node:2 l3:1 core:16 pu:1", tasks, 2000);
    let mut kernel = Kernel::new(base);
    if let Some(value) = value {
        kernel.rules.insert(rule.to_owned(), value);
    }
    scenario.kernels = vec![kernel];
    scenario
}

fn run(scenario: &Scenario) -> Simulation {
    let mut simulation = Simulation::new(scenario, 0, 0).unwrap();
    simulation.run_until(simulation.end());
    simulation
}

fn with_numa(hogs: u32, base: &str, rule: Option<Value>) -> Simulation {
    run(&scenario(hogs, base, "numa_imbalance", rule))
}

#[test]
fn posted_rules_can_be_written_as_expressions() {
    let rules = [
        (
            2,
            "pair",
            "v5.5+numa-v4",
            "busiest.sum_nr_running <= 2 ? 0 : imbalance",
        ),
        (
            4,
            "v3",
            "v5.5+numa-v3",
            "busiest.sum_nr_running < 2 * a ? max(0, imbalance - a) : imbalance where a = 100 / (imbalance_pct - 100) - 1",
        ),
        (
            4,
            "v2",
            "v5.5+numa-v2",
            "busiest.idle_cpus >= busiest.group_weight / 2 + max(2, busiest.group_weight * (imbalance_pct - 100) / 100 / 2) ? 0 : imbalance",
        ),
    ];
    for (hogs, name, kernel, expr) in rules {
        let own = with_numa(hogs, "v5.5", Some(json!({ "expr": expr })));
        assert_eq!(
            own.digest(),
            with_numa(hogs, kernel, None).digest(),
            "{kernel}"
        );
        let switched = with_numa(hogs, "v5.5", Some(json!(name)));
        assert_eq!(own.digest(), switched.digest(), "{kernel}");
        let plain = with_numa(hogs, "v5.5", None);
        assert_ne!(
            own.digest(),
            plain.digest(),
            "{kernel} makes no difference here"
        );
        assert!(own.diagnostics().is_empty());
    }
}

#[test]
fn where_an_expression_has_no_result_the_kernels_rule_applies() {
    let plain = with_numa(2, "v5.6", None);
    let own = with_numa(
        2,
        "v5.6",
        Some(json!({ "expr": "imbalance / (imbalance_pct - 125)" })),
    );
    assert_eq!(own.digest(), plain.digest());
    let said = own.diagnostics();
    assert_eq!(said.len(), 1);
    assert!(said[0].starts_with("rule `numa_imbalance`: division by zero at column 11; "));
    assert_eq!(own.result().diagnostics, said);
}

#[test]
fn at_every_point_what_has_no_result_is_told_and_the_kernel_decides() {
    let largest = i64::MAX;
    for rule in ["numa_imbalance", "imbalance", "busier", "fits"] {
        let plain = run(&scenario(9, "v5.6", rule, None)).digest();
        for (expr, why) in [
            ("1 / 0".to_owned(), "division by zero at column 3"),
            (format!("{largest} + 1"), "overflow at column"),
        ] {
            let own = run(&scenario(9, "v5.6", rule, Some(json!({ "expr": expr }))));
            assert_eq!(own.digest(), plain, "{rule}: {expr}");
            let said = own.diagnostics();
            let told = format!("rule `{rule}`: {why}");
            assert!(
                said.len() == 1 && said[0].starts_with(&told),
                "{rule}: {expr}: {said:?}"
            );
        }
    }
}

#[test]
fn other_points_heed_expressions_too() {
    let plain = run(&scenario(9, "v5.5", "imbalance", None)).digest();
    for (rule, expr, same) in [
        ("imbalance", "imbalance", true),
        ("imbalance", "0", false),
        (
            "busier",
            "candidate.sum_nr_running < busiest.sum_nr_running",
            false,
        ),
        ("fits", "0", true),
        ("fits", "enqueued + task_util < capacity", false),
    ] {
        let own = run(&scenario(9, "v5.5", rule, Some(json!({ "expr": expr }))));
        assert_eq!(own.digest() == plain, same, "{rule}: {expr}");
        assert!(own.diagnostics().is_empty(), "{rule}: {expr}");
    }
}

fn decisions(simulation: &mut Simulation) -> Decisions {
    simulation.record_decisions(true);
    simulation.run_until(simulation.end());
    let mut decisions = Decisions::new();
    simulation.take_decisions(&mut decisions);
    decisions
}

fn named(decision: &Decision<'_>, name: &str) -> Option<Number> {
    decision
        .fields()
        .find_map(|(known, value)| (known == name).then_some(value))
}

#[test]
fn decisions_tell_what_happened_and_change_nothing() {
    let scenario = scenario(2, "v5.6", "", None);
    let mut recorded = Simulation::new(&scenario, 0, 0).unwrap();
    let decisions = decisions(&mut recorded);
    let plain = run(&scenario);
    assert_eq!(recorded.digest(), plain.digest());
    let result = plain.result();
    let passes: u64 = result.balance.values().map(|level| level.count).sum();
    let moved: u64 = result.balance.values().map(|level| level.moved).sum();
    let count = |kind: &str| decisions.iter().filter(|d| d.kind() == kind).count() as u64;
    assert_eq!(count("balance"), passes);
    assert_eq!(count("wakeup"), result.wakeups);
    let threads: u32 = scenario.tasks.iter().map(|task| task.threads).sum();
    assert_eq!(count("fork"), u64::from(threads));
    let told: i64 = decisions
        .iter()
        .filter_map(|d| named(&d, "nr_moved"))
        .map(Number::number)
        .sum();
    assert_eq!(told, moved as i64);
    let candidates = decisions.iter().flat_map(|decision| decision.candidates());
    let taken = candidates.filter(|(_, verdict)| verdict.name() == "moved");
    assert_eq!(taken.count() as u64, moved);
    let allowed: Vec<Decision<'_>> = decisions
        .iter()
        .filter(|d| named(d, "why") == Some(Number::Name("numa_imbalance_allowed")))
        .collect();
    assert!(!allowed.is_empty());
    for decision in allowed {
        let number = |name| named(&decision, name).unwrap().number();
        assert!(number("busiest.sum_nr_running") <= 2 && number("imbalance_before") > 0);
    }
}

#[test]
fn choices_on_the_way_follow_from_their_numbers() {
    let mut scenario = presets::get("lu-group").unwrap();
    scenario.run.duration = Nanos::from_millis(400);
    scenario.kernels = vec![Kernel::new("v5.6")];
    let decisions = decisions(&mut Simulation::new(&scenario, 0, 0).unwrap());
    for decision in decisions.iter() {
        let number = |name| named(&decision, name).map(Number::number);
        match decision.kind() {
            "wake_affine" => {
                let chosen = number("chosen_cpu");
                let this = i64::from(decision.cpu.0);
                assert!(chosen == number("prev_cpu") || chosen == Some(this));
            }
            "find_idlest_group" if number("local.group_type") == number("idlest.group_type") => {
                let (local, idlest) = (number("local.idle_cpus"), number("idlest.idle_cpus"));
                assert!(number("stays") == Some(1) || local < idlest);
            }
            _ => {}
        }
    }
    for kind in ["wake_affine", "find_idlest_group", "wakeup", "fork"] {
        assert!(decisions.iter().any(|d| d.kind() == kind), "{kind}");
    }
}
