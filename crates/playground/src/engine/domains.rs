//! The sched domains of single CPUs, with all that is set of them, for who looks at them.

use teeter_machine::{CpuId, CpuSet, Topology};
use teeter_scenario::{CpuList, Scenario};
use teeter_sched::{DomainView, Explanation, Outcome, Rules, SchedDomains, Step};

use crate::protocol::domains::{CpuDomains, Domain, DomainLevel};

/// The domains of all CPUs as a kernel of a scenario builds them.
pub(super) fn build(scenario: &Scenario, kernel: usize) -> Option<SchedDomains> {
    let rules = Rules::from_kernel(scenario.kernels.get(kernel)?).ok()?;
    let topology = Topology::from_spec(&scenario.machine).ok()?;
    Some(SchedDomains::build(
        &topology,
        rules.topology,
        &rules.domains,
    ))
}

/// Those of one CPU.
pub(super) fn of(domains: &SchedDomains, cpu: u32, generation: u32) -> CpuDomains {
    let id = CpuId(u16::try_from(cpu).unwrap_or(u16::MAX));
    let mut kept = domains.of(id).into_iter();
    let (none, levels) = match domains.explain(id) {
        Explanation::Levels(steps) => {
            let mut level = |step: &Step| DomainLevel {
                name: step.name.to_owned(),
                distance: step.distance.map(u32::from),
                span: step.span.as_ref().map_or_else(String::new, list),
                notes: notes(step),
                domain: (step.outcome == Outcome::Kept)
                    .then(|| kept.next().as_ref().map(domain))
                    .flatten(),
            };
            (None, steps.iter().map(&mut level).collect())
        }
        none => (Some(none.to_string()), Vec::new()),
    };
    CpuDomains {
        generation,
        cpu,
        none,
        levels,
    }
}

fn notes(step: &Step) -> Vec<String> {
    let outcome = (step.outcome != Outcome::Kept).then(|| step.outcome.to_string());
    let notes = step.notes.iter().map(ToString::to_string);
    outcome.into_iter().chain(notes).collect()
}

fn domain(view: &DomainView) -> Domain {
    Domain {
        groups: view.groups.iter().map(|group| list(&group.span)).collect(),
        balance_masks: view
            .groups
            .iter()
            .map(|group| list(&group.balance_mask))
            .collect(),
        flags: view.flags.iter().map(|flag| (*flag).to_owned()).collect(),
        imbalance_pct: view.imbalance_pct,
        min_interval: view.min_interval,
        max_interval: view.max_interval,
        busy_factor: view.busy_factor,
        cache_nice_tries: view.cache_nice_tries,
        imb_numa_nr: view.imb_numa_nr,
    }
}

fn list(cpus: &CpuSet) -> String {
    let list: CpuList = cpus.iter().map(|cpu| u32::from(cpu.0)).collect();
    list.to_string()
}

#[cfg(test)]
mod tests {
    use teeter_scenario::presets;

    use super::*;

    #[test]
    fn levels_that_were_dropped_say_why_and_the_others_have_their_domain() {
        let mut scenario = presets::get("lu-group").unwrap();
        let pct = teeter_scenario::document::SettingValue::Int(117);
        let name = "domain.NUMA.imbalance_pct".to_owned();
        scenario.kernels[0].set.insert(name, pct);
        let built = build(&scenario, 0).unwrap();
        let found = of(&built, 3, 7);
        assert_eq!((found.generation, found.cpu, found.none), (7, 3, None));
        let told: Vec<_> = found
            .levels
            .iter()
            .map(|level| {
                (
                    level.name.as_str(),
                    level.domain.is_some(),
                    level.notes.len(),
                )
            })
            .collect();
        assert!(told.contains(&("NUMA", true, 0)), "{told:?}");
        assert!(
            told.iter().any(|(_, kept, notes)| !kept && *notes > 0),
            "{told:?}"
        );
        let numa = found.levels.last().and_then(|level| level.domain.as_ref());
        let numa = numa.unwrap();
        assert_eq!(numa.imbalance_pct, 117, "as it is set");
        assert_eq!(numa.groups.len(), 4);
        assert_eq!(numa.groups[0], "0-9,40-49");
        let beyond = of(&built, 9_999, 7);
        assert!(beyond.none.is_some());
    }
}
