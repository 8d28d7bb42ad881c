//! The sched domains of a kernel, as far as the page's knobs need them.

use teeter_machine::Topology;
use teeter_scenario::Scenario;
use teeter_scenario::document::Kernel;
use teeter_sched::{Rules, SchedDomains};

use crate::protocol::Level;

/// The levels of the CPU that has most of them, with this kernel's own values.
pub(super) fn of(scenario: &Scenario, kernel: usize) -> Vec<Level> {
    let own = |kernel: &Kernel| {
        let mut kernel = kernel.clone();
        kernel.set.retain(|name, _| !name.starts_with("domain."));
        Rules::from_kernel(&kernel).ok()
    };
    let rules = scenario.kernels.get(kernel).and_then(own);
    let topology = Topology::from_spec(&scenario.machine).ok();
    let (Some(rules), Some(topology)) = (rules, topology) else {
        return Vec::new();
    };
    let domains = SchedDomains::build(&topology, rules.topology, &rules.domains);
    let of_each = topology.online.iter().map(|cpu| domains.of(cpu));
    let most = of_each.max_by_key(Vec::len).unwrap_or_default();
    most.iter()
        .map(|domain| Level {
            name: match domain.numa_level {
                0 | 1 => domain.name.to_owned(),
                level => format!("{}{level}", domain.name),
            },
            span: domain.span.len() as u32,
            imbalance_pct: domain.imbalance_pct,
            busy_factor: domain.busy_factor,
            cache_nice_tries: domain.cache_nice_tries,
            min_interval: domain.min_interval,
            max_interval: domain.max_interval,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use teeter_scenario::presets;

    use super::*;

    #[test]
    fn a_level_has_the_kernels_own_value_whatever_is_set() {
        let mut scenario = presets::get("lu-group").unwrap();
        let set = teeter_scenario::document::SettingValue::Int(200);
        let name = "domain.NUMA.imbalance_pct".to_owned();
        scenario.kernels[0].set.insert(name, set);
        let levels = of(&scenario, 0);
        let numa = levels.last().unwrap();
        assert_eq!((numa.name.as_str(), numa.span), ("NUMA", 80));
        assert_eq!(numa.imbalance_pct, 125);
    }
}
