//! Script entries in words.

use teeter_scenario::document::{Action, CgroupChange};

/// A script entry in words.
pub fn describe(action: &Action) -> String {
    match action {
        Action::Set(values) => {
            let writes: Vec<_> = values
                .iter()
                .map(|(name, value)| format!("{name} = {value}"))
                .collect();
            writes.join(", ")
        }
        Action::Affinity { task, cpus } => format!("bind {task} to CPUs {cpus}"),
        Action::Cgroup(change) => of_cgroup(change),
        Action::Move { task, to } => format!("move {task} to {to}"),
        Action::Start(task) => format!("start {task}"),
        Action::Stop(task) => format!("stop {task}"),
        Action::Offline(cpus) => format!("switch CPUs {cpus} off"),
        Action::Online(cpus) => format!("switch CPUs {cpus} on"),
        Action::Nice { task, nice } => format!("renice {task} to {nice}"),
        Action::Autogroup { task, nice } => format!("renice the session of {task} to {nice}"),
        Action::Slice { task, slice } => format!("slice of {task} = {slice}"),
    }
}

fn of_cgroup(change: &CgroupChange) -> String {
    let written = [
        change.weight.map(|weight| format!("cpu.weight = {weight}")),
        change.max.map(|max| format!("cpu.max = {max}")),
        change
            .cpus
            .as_ref()
            .map(|cpus| format!("cpuset.cpus = {cpus}")),
        change
            .mems
            .as_ref()
            .map(|mems| format!("cpuset.mems = {mems}")),
        change
            .idle
            .map(|idle| format!("cpu.idle = {}", u8::from(idle))),
        change.burst.map(|burst| format!("cpu.max.burst = {burst}")),
    ];
    let written: Vec<_> = written.into_iter().flatten().collect();
    format!("{}: {}", change.path, written.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_to_a_cgroup_names_its_files() {
        let change = CgroupChange {
            path: "/a".to_owned(),
            weight: Some(300),
            idle: Some(true),
            ..CgroupChange::default()
        };
        assert_eq!(
            describe(&Action::Cgroup(change)),
            "/a: cpu.weight = 300, cpu.idle = 1"
        );
    }
}
