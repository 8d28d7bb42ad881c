//! `cgroups`

use std::collections::BTreeSet;

use super::Report;
use crate::Nanos;
use crate::document::{Bandwidth, Cgroup};
use crate::limits;
use crate::problem::Problem;

/// cpu.weight's range.
const WEIGHT: (u32, u32) = (1, 10_000);
/// The kernel takes periods and quotas from 1 ms, periods up to 1 s.
const BANDWIDTH: (Nanos, Nanos) = (Nanos::from_millis(1), Nanos::from_secs(1));

pub(super) fn check(cgroups: &[Cgroup], report: &mut Report) {
    report.length("/cgroups", "cgroups", cgroups.len(), limits::CGROUPS);
    let mut seen = BTreeSet::new();
    for (i, cgroup) in cgroups.iter().enumerate() {
        let path = format!("/cgroups/{i}");
        check_path(&format!("{path}/path"), &cgroup.path, report);
        if cgroup.path == "/" {
            let problem = Problem::new(
                format!("{path}/path"),
                "the root has no settings of its own",
            );
            report.push(problem.with_hint("it always exists: leave it out"));
        } else if !seen.insert(cgroup.path.as_str()) {
            report.add(
                format!("{path}/path"),
                format!("`{}` is listed already", cgroup.path),
            );
        }
        check_weight(&format!("{path}/weight"), cgroup.weight, report);
        check_max(&format!("{path}/max"), cgroup.max, report);
        if let Some(cpus) = &cgroup.cpus {
            report.some_cpus(&format!("{path}/cpus"), cpus);
        }
        if let Some(mems) = &cgroup.mems {
            report.some_cpus(&format!("{path}/mems"), mems);
        }
        if cgroup.max.quota.is_some_and(|quota| cgroup.burst > quota) {
            report.add(format!("{path}/burst"), "is more than the quota in `max`");
        }
    }
}

/// cpu.weight
pub(super) fn check_weight(path: &str, weight: u32, report: &mut Report) {
    report.within(path, &weight, &WEIGHT.0, &WEIGHT.1);
}

/// cpu.max
pub(super) fn check_max(path: &str, max: Bandwidth, report: &mut Report) {
    let (least, most) = BANDWIDTH;
    if max.period < least || max.period > most {
        report.add(
            path,
            format!("a period of {} is not within {least} to {most}", max.period),
        );
    }
    if let Some(quota) = max.quota.filter(|quota| *quota < least) {
        report.add(path, format!("a quota of {quota} is less than {least}"));
    }
}

/// The syntax of a cgroup's path.
pub(super) fn check_path(place: &str, path: &str, report: &mut Report) {
    if path == "/" {
        return;
    }
    let Some(names) = path.strip_prefix('/') else {
        let problem = Problem::new(place, format!("`{path}` does not begin with `/`"));
        report.push(problem.with_hint(format!("write `/{path}`")));
        return;
    };
    let names: Vec<&str> = names.split('/').collect();
    report.length(place, "levels", names.len(), limits::CGROUP_DEPTH);
    for name in names {
        if name.is_empty() || name == "." || name == ".." {
            report.add(place, format!("`{path}` has a level named `{name}`"));
            return;
        }
        if name.len() > limits::CGROUP_NAME || name.chars().any(char::is_control) {
            report.add(
                place,
                format!(
                    "a level's name has at most {} bytes and no control character",
                    limits::CGROUP_NAME
                ),
            );
            return;
        }
    }
}

/// Every cgroup there is: those listed, those above them, and the root.
pub(super) fn all(cgroups: &[Cgroup]) -> BTreeSet<&str> {
    let mut all = BTreeSet::from(["/"]);
    for cgroup in cgroups {
        let mut path = cgroup.path.as_str();
        while !path.is_empty() && all.insert(path) {
            path = path.rsplit_once('/').map_or("", |(parent, _)| parent);
        }
    }
    all
}

/// The cgroup must be one that exists.
pub(super) fn check_known(place: &str, path: &str, known: &BTreeSet<&str>, report: &mut Report) {
    if !known.contains(path) {
        report.push(Problem::unknown(
            place,
            "cgroup",
            path,
            known.iter().copied(),
        ));
    }
}
