//! From the scenario's machine to the finished [`Topology`].

use std::ops::RangeInclusive;

use teeter_scenario::document::{Machine, MachineSource, Numbering};
use teeter_scenario::problem::join;
use teeter_scenario::{CpuList, Problem};

use crate::layout::Layout;
use crate::preset::LOCAL_DISTANCE;
use crate::shape::Shape;
use crate::{CpuId, CpuSet, Preset, Topology, import, presets, synthetic, tree};

/// Distances to another node that a SLIT may hold; 255 means unreachable.
const REMOTE: RangeInclusive<u32> = 11..=254;

impl Topology {
    /// Builds the machine.
    ///
    /// ```
    /// use teeter_machine::{CpuId, Topology};
    /// use teeter_scenario::document::Machine;
    ///
    /// let topology = Topology::from_spec(&Machine::preset("4n-80c")).unwrap();
    /// assert_eq!(topology.cpus.len(), 80);
    /// assert_eq!(topology.cpu(CpuId(3)).core, topology.cpu(CpuId(43)).core);
    /// ```
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it, with paths relative to the machine (`/synthetic`,
    /// `/distances/0/1`).
    pub fn from_spec(machine: &Machine) -> Result<Self, Vec<Problem>> {
        let mut shape = shape(machine)?;
        let mut problems = Vec::new();
        let node_count = shape.memory.len();
        if !machine.packages.is_empty() {
            match packages(&machine.packages, node_count) {
                Ok(package) => shape.set_packages(&package),
                Err(problem) => problems.push(problem),
            }
        }
        if let Some(rows) = &machine.distances {
            shape.distances = Some(distances(rows, node_count, &mut problems));
        }
        let cpus = shape.cpus.len();
        let offline = cpu_set("/offline", &machine.offline, cpus, &mut problems);
        shape.offline = shape.offline.or(&offline);
        if shape.offline.len() == cpus {
            problems.push(Problem::new("/offline", "no CPU is left online"));
        }
        let isolated = cpu_set("/isolcpus", &machine.isolcpus, cpus, &mut problems);
        shape.isolated = shape.isolated.or(&isolated);
        if shape.isolated.len() == cpus {
            problems.push(Problem::new("/isolcpus", "no CPU is left to the rest"));
        }
        if let Some(given) = machine.reclaim_distance {
            match u8::try_from(given) {
                Ok(distance) if distance >= LOCAL_DISTANCE => shape.reclaim_distance = distance,
                _ => {
                    let message = format!("a distance from {LOCAL_DISTANCE} to 255 is expected");
                    problems.push(Problem::new("/reclaim_distance", message));
                }
            }
        }
        shape.asym_packing = machine.asym_packing.unwrap_or(shape.asym_packing);
        if problems.is_empty() {
            Ok(Self::from_shape(shape))
        } else {
            Err(problems)
        }
    }
}

/// The machine's shape as its source has it.
fn shape(machine: &Machine) -> Result<Shape, Vec<Problem>> {
    let described = |path: &str, text: &str| {
        synthetic::parse(text).map_err(|error| vec![Problem::new(path, error.to_string())])
    };
    let numbered = |layout: Layout, numbering| {
        let numbering = machine.numbering.unwrap_or(numbering);
        Shape::new(layout.number(numbering), layout.memory)
    };
    match &machine.source {
        MachineSource::Preset(name) => {
            let preset = Preset::find(name).ok_or_else(|| {
                let known = presets().iter().map(|preset| preset.name);
                vec![Problem::unknown("/preset", "machine preset", name, known)]
            })?;
            let layout = match preset.nodes() {
                Some(nodes) => tree::layout(&nodes)?,
                None => described("/preset", preset.synthetic)?,
            };
            let nodes = layout.memory.len();
            let distances =
                (0..nodes).flat_map(|from| (0..nodes).map(move |to| preset.distance(from, to)));
            Ok(Shape {
                distances: Some(distances.collect()),
                reclaim_distance: preset.reclaim_distance,
                asym_packing: preset.asym_packing,
                ..numbered(layout, preset.numbering)
            })
        }
        MachineSource::Synthetic(text) => Ok(numbered(
            described("/synthetic", text)?,
            Numbering::default(),
        )),
        MachineSource::Nodes(nodes) => Ok(numbered(tree::layout(nodes)?, Numbering::default())),
        MachineSource::Import { text, from } => {
            if machine.numbering.is_some() {
                let message = "an imported machine has numbers already";
                return Err(vec![Problem::new("/numbering", message)]);
            }
            let least_nodes = machine.distances.as_ref().map_or(0, Vec::len);
            import::read(text, *from, least_nodes)
                .map_err(|error| vec![Problem::new("/import", error.to_string())])
        }
    }
}

/// The package of each node. Nodes without CPUs need none.
fn packages(packages: &[Vec<u32>], nodes: usize) -> Result<Vec<u16>, Problem> {
    let mut package = vec![None; nodes];
    for (number, members) in packages.iter().enumerate() {
        for (index, &node) in members.iter().enumerate() {
            let path = join(&join("/packages", number), index);
            match package.get_mut(node as usize) {
                None => {
                    return Err(Problem::new(
                        path,
                        format!("the machine has no node {node}"),
                    ));
                }
                Some(Some(_)) => {
                    return Err(Problem::new(
                        path,
                        format!("node {node} is in two packages"),
                    ));
                }
                Some(slot) => *slot = Some(number as u16),
            }
        }
    }
    let missing = package.iter().position(Option::is_none);
    match missing {
        Some(node) => Err(Problem::new(
            "/packages",
            format!("node {node} is in no package"),
        )),
        None => Ok(package.into_iter().flatten().collect()),
    }
}

/// A given matrix, row after row.
fn distances(rows: &[Vec<u32>], nodes: usize, problems: &mut Vec<Problem>) -> Vec<u8> {
    let shape = |path: String, found: usize, what: &str| {
        let message = format!("{found} {what}: the machine has {nodes} nodes");
        Problem::new(path, message)
    };
    if rows.len() != nodes {
        problems.push(shape("/distances".to_owned(), rows.len(), "rows"));
        return Vec::new();
    }
    let mut matrix = Vec::with_capacity(nodes * nodes);
    for (from, row) in rows.iter().enumerate() {
        let path = join("/distances", from);
        if row.len() != nodes {
            problems.push(shape(path, row.len(), "distances in the row"));
            continue;
        }
        for (to, &distance) in row.iter().enumerate() {
            let message = if from == to && distance != u32::from(LOCAL_DISTANCE) {
                format!("a node is {LOCAL_DISTANCE} from itself, not {distance}")
            } else if from != to && !REMOTE.contains(&distance) {
                format!("the distance of two nodes is from 11 to 254, not {distance}")
            } else {
                matrix.push(distance as u8);
                continue;
            };
            problems.push(Problem::new(join(&path, to), message));
        }
    }
    matrix
}

/// A list of CPUs, all of which the machine has to have.
fn cpu_set(path: &str, list: &CpuList, cpus: usize, problems: &mut Vec<Problem>) -> CpuSet {
    if let Some(beyond) = list.iter().find(|&cpu| cpu as usize >= cpus) {
        let message = format!("the machine has no CPU {beyond}: its last is {}", cpus - 1);
        problems.push(Problem::new(path, message));
    }
    list.iter().map(|cpu| CpuId(cpu as u16)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use teeter_scenario::document::ImportKind;

    fn synthetic(text: &str) -> Machine {
        Machine::new(MachineSource::Synthetic(text.to_owned()))
    }

    fn problems(machine: &Machine) -> Vec<String> {
        let problems = Topology::from_spec(machine).unwrap_err();
        problems.iter().map(Problem::to_string).collect()
    }

    fn list(set: &CpuSet) -> String {
        let cpus: CpuList = set.iter().map(|cpu| u32::from(cpu.0)).collect();
        cpus.to_string()
    }

    #[test]
    fn the_machine_of_the_lu_table() {
        let topology = Topology::from_spec(&Machine::preset("4n-80c")).unwrap();
        let nodes: Vec<_> = topology.nodes.iter().map(list).collect();
        assert_eq!(
            nodes,
            ["0-9,40-49", "10-19,50-59", "20-29,60-69", "30-39,70-79"]
        );
        let peers = |key: fn(&crate::Cpu) -> u16| list(&topology.peers(CpuId(3), key));
        assert_eq!(peers(|cpu| cpu.core), "3,43");
        assert_eq!(peers(|cpu| cpu.llc), "0-9,40-49");
        assert_eq!(topology.distances[..5], [10, 21, 21, 21, 21]);
        assert_eq!(topology.online.len(), 80);
    }

    #[test]
    fn every_preset_has_the_cpus_nodes_and_caches_it_tells_of() {
        let shapes: Vec<_> = presets()
            .iter()
            .map(|preset| {
                let topology = Topology::from_spec(&Machine::preset(preset.name)).unwrap();
                let llcs = topology.cpus.iter().map(|cpu| cpu.llc).max().unwrap() + 1;
                (preset.name, topology.cpus.len(), topology.nodes.len(), llcs)
            })
            .collect();
        assert_eq!(
            shapes,
            [
                ("laptop", 8, 1, 1),
                ("4n-80c", 80, 4, 4),
                ("xeon-16c", 32, 1, 1),
                ("haswell-2s", 48, 2, 2),
                ("haswell-4s", 144, 4, 4),
                ("rome-2s", 256, 2, 32),
                ("milan-2s", 256, 2, 16),
                ("genoa-2s", 384, 2, 24),
                ("power8-8n", 256, 8, 32),
                ("hybrid", 24, 1, 1),
                ("dual-ccd", 32, 1, 2),
                ("glueless-8n", 384, 8, 8),
                ("snc3-2s", 384, 6, 6),
                ("arm-clusters", 96, 4, 4),
            ]
        );
    }

    #[test]
    fn distances_and_reclaim_distance_of_presets() {
        let milan = Topology::from_spec(&Machine::preset("milan-2s")).unwrap();
        assert_eq!(milan.distances, [10, 32, 32, 10]);
        assert_eq!(milan.reclaim_distance, 32);
        let power8 = Topology::from_spec(&Machine::preset("power8-8n")).unwrap();
        assert_eq!(power8.distances[8..16], [20, 10, 40, 40, 40, 40, 40, 40]);
    }

    #[test]
    fn what_stands_beside_the_source_wins() {
        let mut machine = Machine::preset("milan-2s");
        machine.numbering = Some(Numbering::Contiguous);
        machine.distances = Some(vec![vec![10, 12], vec![13, 10]]);
        machine.reclaim_distance = Some(11);
        machine.offline = "0-1".parse().unwrap();
        machine.packages = vec![vec![0, 1]];
        machine.isolcpus = "8-9".parse().unwrap();
        machine.asym_packing = Some(true);
        let topology = Topology::from_spec(&machine).unwrap();
        assert_eq!(list(&topology.peers(CpuId(3), |cpu| cpu.core)), "2-3");
        assert_eq!(topology.distances, [10, 12, 13, 10]);
        assert_eq!(topology.reclaim_distance, 11);
        assert_eq!(list(&topology.online), "2-255");
        assert_eq!(list(&topology.isolated), "8-9");
        assert!(topology.asym_packing);
        assert_eq!(topology.peers(CpuId(0), |cpu| cpu.package).len(), 256);
        assert_eq!(topology.peers(CpuId(0), |cpu| cpu.die).len(), 128);
    }

    #[test]
    fn problems_are_told_all_at_once_by_their_place() {
        let mut machine = synthetic("node:2 core:2");
        machine.distances = Some(vec![vec![10, 300], vec![9, 11]]);
        machine.reclaim_distance = Some(9);
        machine.offline = "1-7".parse().unwrap();
        machine.packages = vec![vec![0], vec![2]];
        machine.isolcpus = "1,5".parse().unwrap();
        assert_eq!(
            problems(&machine),
            [
                "/packages/1/0: the machine has no node 2",
                "/distances/0/1: the distance of two nodes is from 11 to 254, not 300",
                "/distances/1/0: the distance of two nodes is from 11 to 254, not 9",
                "/distances/1/1: a node is 10 from itself, not 11",
                "/offline: the machine has no CPU 4: its last is 3",
                "/isolcpus: the machine has no CPU 5: its last is 3",
                "/reclaim_distance: a distance from 10 to 255 is expected",
            ]
        );
    }

    #[test]
    fn distances_need_a_row_a_node_and_one_each_in_it() {
        let mut machine = synthetic("node:2 core:2");
        machine.distances = Some(vec![vec![10, 20], vec![20]]);
        assert_eq!(
            problems(&machine),
            ["/distances/1: 1 distances in the row: the machine has 2 nodes"]
        );
        machine.distances = Some(Vec::new());
        assert_eq!(
            problems(&machine),
            ["/distances: 0 rows: the machine has 2 nodes"]
        );
    }

    #[test]
    fn sources_that_cannot_be_built() {
        assert_eq!(
            problems(&Machine::preset("4n-80")),
            ["/preset: unknown machine preset `4n-80` (did you mean `4n-80c`?)"]
        );
        assert_eq!(
            problems(&synthetic("node:2 core")),
            ["/synthetic: column 8: expected `core:` and a count from 1 to 1024, found `core`"]
        );
        let import = Machine::new(MachineSource::Import {
            text: "# CPU,Core\n0,0\n1,x\n".to_owned(),
            from: ImportKind::LscpuP,
        });
        assert_eq!(
            problems(&import),
            ["/import: line 3, column 3: expected the number of a core, found `x`"]
        );
        let mut dark = synthetic("core:2");
        dark.offline = "0-1".parse().unwrap();
        assert_eq!(problems(&dark), ["/offline: no CPU is left online"]);
        let mut isolated = synthetic("core:2");
        isolated.isolcpus = "0-1".parse().unwrap();
        assert_eq!(
            problems(&isolated),
            ["/isolcpus: no CPU is left to the rest"]
        );
    }
}
