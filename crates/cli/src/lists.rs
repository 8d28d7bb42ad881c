//! `teeter presets`, `teeter kernels` and `teeter rules`: what there is.

use teeter_report::Table;
use teeter_scenario::{Problems, presets};
use teeter_sched::rules::OwnPoint;

/// Scenarios and machines, by name.
pub(crate) fn presets() -> String {
    let mut scenarios = Table::new(2);
    for preset in presets::ALL {
        let title = |problems: Problems| problems.to_string();
        let name = preset
            .scenario()
            .map_or_else(title, |scenario| scenario.name);
        scenarios.row([format!("preset:{}", preset.name), name]);
    }
    let mut machines = Table::new(2);
    for machine in teeter_machine::presets() {
        machines.row([machine.name.to_owned(), machine.about.to_owned()]);
        machines.row([String::new(), format!("Source: {}", machine.source)]);
    }
    format!(
        "Scenarios, for SCENARIO:\n{}\nMachines, for \"machine\": {{ \"preset\": … }}:\n{}",
        scenarios.left(),
        machines.left()
    )
}

/// Kernels, by name.
pub(crate) fn kernels() -> String {
    let mut kernels = Table::new(0);
    for kernel in teeter_sim::kernels() {
        kernels.row([kernel.name.to_owned(), kernel.about.to_owned()]);
    }
    kernels.left()
}

/// Rules that can be switched alone, with their values.
pub(crate) fn rules() -> String {
    let mut rules = Table::new(0);
    for rule in teeter_sched::rules::all() {
        rules.row([rule.name.to_owned(), rule.about.to_owned()]);
        rules.row([String::new(), rule.values().join(" | ")]);
    }
    let mut own = Table::new(2);
    for (_, name, about, names) in OwnPoint::ALL {
        own.row([name.to_owned(), about.to_owned()]);
        own.row([String::new(), format!("knows: {}", names.inputs.join(" "))]);
    }
    format!(
        "{}\nOf one's own, as {{ \"expr\": \"…\" }}:\n{}",
        rules.left(),
        own.left()
    )
}
