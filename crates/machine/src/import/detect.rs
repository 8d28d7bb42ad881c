//! What a text looks like.

use teeter_scenario::document::ImportKind;

use super::cgroups::is_json;

/// What can be imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A machine, by a tool.
    Machine(ImportKind),
    /// A machine, as an hwloc synthetic description.
    Synthetic,
    /// Values of `/sys/kernel/debug/sched` or of sysctls.
    Settings,
    /// Units of systemd, or pods of Kubernetes.
    Cgroups,
}

/// How much of a text is looked at, in bytes.
const ENOUGH: usize = 4096;

/// What a text looks like, by its beginning.
pub fn detect(text: &str) -> Option<Kind> {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let end = text.floor_char_boundary(ENOUGH.min(text.len()));
    let head = &text[..end];
    let first = head.lines().next().unwrap_or_default();
    let any = |test: &dyn Fn(&str) -> bool| head.lines().any(|line| test(line.trim()));
    let starts = |mark: &str| any(&|line: &str| line.starts_with(mark));
    let machine = |kind| Some(Kind::Machine(kind));
    if head.starts_with('<') {
        return machine(ImportKind::HwlocXml);
    }
    if is_json(head) {
        return if head.contains("\"lscpu\"") || head.contains("\"cpus\"") {
            machine(ImportKind::LscpuJson)
        } else if head.contains("\"kind\"") || head.contains("\"containers\"") {
            Some(Kind::Cgroups)
        } else {
            None
        };
    }
    if first.starts_with("available:") || starts("node 0 cpus:") {
        return machine(ImportKind::NumactlH);
    }
    if any(&|line| line.starts_with('#') && line.to_ascii_uppercase().contains("CPU,")) {
        return machine(ImportKind::LscpuP);
    }
    let words: Vec<&str> = first.split_whitespace().collect();
    if words.contains(&"CPU") && words.len() > 1 && !first.contains(':')
        || words.contains(&"L1d:L1i:L2:L3")
    {
        return machine(ImportKind::LscpuE);
    }
    let settings = [
        "/kernel/debug/sched/",
        "/proc/sys/kernel/",
        "kernel.sched",
        "kernel.numa_balancing",
    ];
    let is_setting = |line: &str| settings.iter().any(|mark| line.contains(mark));
    if any(&|line| {
        line.contains("/topology/") || line.contains("/cache/index") || line.contains("/cpulist")
    }) {
        return machine(ImportKind::Sysfs);
    }
    if any(&is_setting) {
        return Some(Kind::Settings);
    }
    if any(&|line| line.starts_with("processor") && line.contains(':')) {
        return machine(ImportKind::Cpuinfo);
    }
    if starts("Architecture:") || starts("CPU(s):") {
        return machine(ImportKind::Lscpu);
    }
    let unit = [
        "CPUWeight=",
        "CPUQuota=",
        "AllowedCPUs=",
        "CPUQuotaPerSecUSec=",
        "ControlGroup=",
    ];
    if unit.iter().any(|mark| starts(mark)) {
        return Some(Kind::Cgroups);
    }
    let level = |word: &str| {
        word.trim_start_matches('[')
            .chars()
            .next()
            .is_some_and(char::is_alphabetic)
    };
    let synthetic = head.len() == text.len()
        && head.lines().count() == 1
        && head.split_whitespace().all(level)
        && head.contains(':');
    synthetic.then_some(Kind::Synthetic)
}
