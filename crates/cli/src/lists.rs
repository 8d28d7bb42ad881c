//! `teeter presets`, `teeter kernels`, `teeter rules` and `teeter workloads`: what there is.

use serde_json::json;
use teeter_report::Table;
use teeter_scenario::{Problems, presets};
use teeter_sched::rules::OwnPoint;
use teeter_workload::{ParameterInfo, WorkloadInfo};

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

/// Workloads, with their parameters.
pub(crate) fn workloads(as_json: bool) -> String {
    let all = teeter_workload::catalogue();
    if as_json {
        let parameter = |parameter: &ParameterInfo| json!({ "name": parameter.name, "about": parameter.about, "default": parameter.default });
        let workload = |workload: &WorkloadInfo| {
            let parameters: Vec<_> = workload.parameters.iter().map(parameter).collect();
            json!({ "name": workload.name, "about": workload.about, "parameters": parameters })
        };
        let list: Vec<_> = all.iter().map(workload).collect();
        return format!("{}\n", serde_json::Value::from(list));
    }
    let mut workloads = Table::new(0);
    for workload in all {
        workloads.row([workload.name.to_owned(), workload.about.to_owned()]);
        for ParameterInfo {
            name,
            about,
            default,
        } in workload.parameters
        {
            let default = default.map_or_else(
                || "needed".to_owned(),
                |default| format!("by default {default}"),
            );
            workloads.row([String::new(), format!("{name}: {about}; {default}")]);
        }
    }
    workloads.left()
}
