//! `machine`

use std::collections::BTreeSet;

use super::Report;
use crate::document::{ClusterSpec, CoreSpec, LlcSpec, Machine, MachineSource, NodeSpec};
use crate::limits;

pub(super) fn check(machine: &Machine, report: &mut Report) {
    match &machine.source {
        MachineSource::Preset(name) => report.name("/machine/preset", name),
        MachineSource::Synthetic(words) => report.name("/machine/synthetic", words),
        MachineSource::Import { text, .. } => {
            if text.trim().is_empty() {
                report.add("/machine/import", "is empty");
            }
        }
        MachineSource::Nodes(nodes) => check_nodes(nodes, report),
    }
    if let Some(distances) = &machine.distances {
        check_distances(distances, report);
    }
    if let Some(distance) = machine.reclaim_distance {
        report.within("/machine/reclaim_distance", &distance, &10, &255);
    }
    if let Some(name) = &machine.hardware {
        report.name("/machine/hardware", name);
    }
    check_packages(&machine.packages, report);
    report.settings("/machine/speed", &machine.speed);
}

/// What is counted must be there and not go beyond the limits; multiplied before anything is made of it.
fn check_nodes(nodes: &[NodeSpec], report: &mut Report) {
    let path = "/machine/nodes";
    let mut count = 0_u64;
    let mut cpus = 0_u64;
    for (i, node) in nodes.iter().enumerate() {
        let path = format!("{path}/{i}");
        report.within(&format!("{path}/count"), &node.count, &1, &limits::CPUS);
        let mut of_node = 0_u64;
        for (j, llc) in node.llcs.iter().enumerate() {
            let path = format!("{path}/llcs/{j}");
            report.within(&format!("{path}/count"), &llc.count, &1, &limits::CPUS);
            of_node = of_node.saturating_add(check_llc(&path, llc, report));
        }
        count += u64::from(node.count);
        cpus = cpus.saturating_add(of_node.saturating_mul(u64::from(node.count)));
    }
    if count > limits::NODES as u64 {
        report.add(
            path,
            format!("{count} nodes are too many: at most {}", limits::NODES),
        );
    }
    if cpus == 0 {
        report.add(path, "there is no CPU");
    } else if cpus > u64::from(limits::CPUS) {
        report.add(
            path,
            format!("{cpus} CPUs are too many: at most {}", limits::CPUS),
        );
    }
}

/// CPUs of all the alike caches.
fn check_llc(path: &str, llc: &LlcSpec, report: &mut Report) -> u64 {
    let mut cpus = check_cores(&format!("{path}/cores"), &llc.cores, report);
    for (i, ClusterSpec { count, cores }) in llc.clusters.iter().enumerate() {
        let path = format!("{path}/clusters/{i}");
        report.within(&format!("{path}/count"), count, &1, &limits::CPUS);
        let of_cluster = check_cores(&format!("{path}/cores"), cores, report);
        cpus = cpus.saturating_add(of_cluster.saturating_mul(u64::from(*count)));
    }
    cpus.saturating_mul(u64::from(llc.count))
}

/// CPUs of the cores.
fn check_cores(path: &str, cores: &[CoreSpec], report: &mut Report) -> u64 {
    let mut cpus = 0_u64;
    for (i, core) in cores.iter().enumerate() {
        let path = format!("{path}/{i}");
        report.within(&format!("{path}/count"), &core.count, &1, &limits::CPUS);
        report.within(&format!("{path}/pus"), &core.pus, &1, &8);
        report.within(&format!("{path}/capacity"), &core.capacity, &1, &1024);
        let of_core = u64::from(core.count).saturating_mul(u64::from(core.pus));
        cpus = cpus.saturating_add(of_core);
    }
    cpus
}

fn check_distances(distances: &[Vec<u32>], report: &mut Report) {
    let path = "/machine/distances";
    report.length(path, "nodes", distances.len(), limits::NODES);
    if distances.iter().any(|row| row.len() != distances.len()) {
        report.add(path, "is not square: as many numbers in each row as rows");
    }
    for (i, row) in distances.iter().enumerate() {
        for (j, distance) in row.iter().enumerate() {
            report.within(&format!("{path}/{i}/{j}"), distance, &10, &255);
        }
    }
}

fn check_packages(packages: &[Vec<u32>], report: &mut Report) {
    let mut seen = BTreeSet::new();
    for (i, package) in packages.iter().enumerate() {
        let path = format!("/machine/packages/{i}");
        if package.is_empty() {
            report.add(&path, "holds no node");
        }
        for (j, node) in package.iter().enumerate() {
            let path = format!("{path}/{j}");
            report.within(&path, node, &0, &(limits::NODES as u32 - 1));
            if !seen.insert(node) {
                report.add(path, format!("node {node} is in a package already"));
            }
        }
    }
}
