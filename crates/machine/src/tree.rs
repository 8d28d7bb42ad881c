//! Machines described node by node.

use teeter_scenario::Problem;
use teeter_scenario::document::{ClusterSpec, CoreSpec, LlcSpec, NodeSpec};
use teeter_scenario::problem::join;

use crate::layout::{Core, Layout};
use crate::{Cpu, MAX_CPUS, MAX_NODES, NodeId};

/// Lays out the nodes, once they are known to be within the limits. Each is a package of its own.
pub(crate) fn layout(nodes: &[NodeSpec]) -> Result<Layout, Vec<Problem>> {
    let mut problems = Vec::new();
    for (index, node) in nodes.iter().enumerate() {
        check_node(&join("/nodes", index), node, &mut problems);
    }
    let count = sum(nodes, |node| u64::from(node.count));
    if count > MAX_NODES as u64 {
        let message = format!("{count} nodes: at most {MAX_NODES} are possible");
        problems.push(Problem::new("/nodes", message));
    }
    match sum(nodes, node_cpus) {
        0 => problems.push(Problem::new("/nodes", "the machine has no CPU")),
        cpus if cpus > MAX_CPUS as u64 => {
            let message = format!("{cpus} CPUs: at most {MAX_CPUS} are possible");
            problems.push(Problem::new("/nodes", message));
        }
        _ => {}
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut tree = Tree::default();
    for node in each(nodes, |node| node.count) {
        tree.add_node(node);
    }
    Ok(tree.layout)
}

/// Every item as often as it counts.
fn each<T>(items: &[T], count: impl Fn(&T) -> u32) -> impl Iterator<Item = &T> {
    items
        .iter()
        .flat_map(move |item| (0..count(item)).map(move |_| item))
}

fn sum<T>(items: &[T], of: impl Fn(&T) -> u64) -> u64 {
    items.iter().map(of).fold(0, u64::saturating_add)
}

fn node_cpus(node: &NodeSpec) -> u64 {
    u64::from(node.count).saturating_mul(sum(&node.llcs, llc_cpus))
}

fn llc_cpus(llc: &LlcSpec) -> u64 {
    let each = sum(&llc.clusters, cluster_cpus).saturating_add(sum(&llc.cores, core_cpus));
    u64::from(llc.count).saturating_mul(each)
}

fn cluster_cpus(cluster: &ClusterSpec) -> u64 {
    u64::from(cluster.count).saturating_mul(sum(&cluster.cores, core_cpus))
}

fn core_cpus(core: &CoreSpec) -> u64 {
    u64::from(core.count) * u64::from(core.pus)
}

/// Finds what would be laid out as nothing at all.
fn check_node(path: &str, node: &NodeSpec, problems: &mut Vec<Problem>) {
    at_least_one(path, "count", node.count, problems);
    for (index, llc) in node.llcs.iter().enumerate() {
        let path = join(&join(path, "llcs"), index);
        at_least_one(&path, "count", llc.count, problems);
        if llc.clusters.is_empty() && llc.cores.is_empty() {
            problems.push(Problem::new(
                &path,
                "a last-level cache needs `cores` or `clusters`",
            ));
        }
        for (index, cluster) in llc.clusters.iter().enumerate() {
            let path = join(&join(&path, "clusters"), index);
            at_least_one(&path, "count", cluster.count, problems);
            if cluster.cores.is_empty() {
                problems.push(Problem::new(&path, "a cluster needs `cores`"));
            }
            check_cores(&path, &cluster.cores, problems);
        }
        check_cores(&path, &llc.cores, problems);
    }
}

fn check_cores(path: &str, cores: &[CoreSpec], problems: &mut Vec<Problem>) {
    for (index, core) in cores.iter().enumerate() {
        let path = join(&join(path, "cores"), index);
        at_least_one(&path, "count", core.count, problems);
        at_least_one(&path, "pus", core.pus, problems);
        if !(1..=FULL_CAPACITY).contains(&core.capacity) {
            let message = format!(
                "a capacity is from 1 to {FULL_CAPACITY}, not {}",
                core.capacity
            );
            problems.push(Problem::new(join(&path, "capacity"), message));
        }
    }
}

fn at_least_one(path: &str, key: &str, number: u32, problems: &mut Vec<Problem>) {
    if number == 0 {
        problems.push(Problem::new(join(path, key), "at least 1 is expected"));
    }
}

/// SCHED_CAPACITY_SCALE: the capacity of the biggest core.
const FULL_CAPACITY: u32 = 1024;

/// A tree being laid out: packages, caches and clusters are numbered through the machine.
#[derive(Debug, Default)]
struct Tree {
    layout: Layout,
    packages: u16,
    llcs: u16,
    clusters: u16,
}

impl Tree {
    fn add_node(&mut self, node: &NodeSpec) {
        for llc in each(&node.llcs, |llc| llc.count) {
            for cluster in each(&llc.clusters, |cluster| cluster.count) {
                for core in each(&cluster.cores, |core| core.count) {
                    self.add_core(core);
                }
                self.clusters += 1;
            }
            for core in each(&llc.cores, |core| core.count) {
                self.add_core(core);
                self.clusters += 1;
            }
            self.llcs += 1;
        }
        if !node.llcs.is_empty() {
            self.packages += 1;
        }
        self.layout.memory.push(node.memory);
    }

    fn add_core(&mut self, core: &CoreSpec) {
        self.layout.cores.push(Core {
            place: Cpu {
                core: self.layout.cores.len() as u16,
                cluster: self.clusters,
                llc: self.llcs,
                die: self.packages,
                package: self.packages,
                node: NodeId(self.layout.memory.len() as u16),
                capacity: core.capacity,
            },
            threads: core.pus as u16,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cores(count: u32, pus: u32) -> CoreSpec {
        CoreSpec {
            count,
            pus,
            capacity: 1024,
        }
    }

    fn llc(count: u32, cores: Vec<CoreSpec>) -> LlcSpec {
        LlcSpec {
            count,
            clusters: Vec::new(),
            cores,
            size: None,
        }
    }

    fn node(count: u32, llcs: Vec<LlcSpec>) -> NodeSpec {
        NodeSpec {
            count,
            llcs,
            memory: None,
        }
    }

    #[test]
    fn an_irregular_machine_with_a_node_of_memory_only() {
        let little = CoreSpec {
            capacity: 512,
            ..cores(4, 1)
        };
        let clustered = LlcSpec {
            clusters: vec![ClusterSpec {
                count: 2,
                cores: vec![cores(2, 1)],
            }],
            ..llc(1, Vec::new())
        };
        let layout = layout(&[
            node(1, vec![llc(1, vec![cores(2, 2), little]), clustered]),
            node(1, Vec::new()),
            node(2, vec![llc(2, vec![cores(1, 1)])]),
        ])
        .unwrap();
        let column = |of: fn(&Core) -> u16| layout.cores.iter().map(of).collect::<Vec<_>>();
        assert_eq!(layout.memory.len(), 4);
        assert_eq!(
            column(|core| core.place.node.0),
            [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 3, 3]
        );
        assert_eq!(
            column(|core| core.place.package),
            [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 2]
        );
        assert_eq!(
            column(|core| core.place.llc),
            [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 3, 4, 5]
        );
        assert_eq!(
            column(|core| core.place.cluster),
            [0, 1, 2, 3, 4, 5, 6, 6, 7, 7, 8, 9, 10, 11]
        );
        assert_eq!(column(|core| core.threads)[..3], [2, 2, 1]);
        assert_eq!(layout.cores[2].place.capacity, 512);
    }

    #[test]
    fn problems_are_named_by_their_place() {
        let shown = |nodes: &[NodeSpec]| {
            let problems = layout(nodes).unwrap_err();
            problems.iter().map(Problem::to_string).collect::<Vec<_>>()
        };
        assert_eq!(
            shown(&[node(1, vec![llc(1, vec![cores(0, 1)]), llc(1, Vec::new())])]),
            [
                "/nodes/0/llcs/0/cores/0/count: at least 1 is expected",
                "/nodes/0/llcs/1: a last-level cache needs `cores` or `clusters`",
                "/nodes: the machine has no CPU",
            ]
        );
        assert_eq!(
            shown(&[node(
                u32::MAX,
                vec![llc(u32::MAX, vec![cores(u32::MAX, 1)])]
            )]),
            [
                "/nodes: 4294967295 nodes: at most 64 are possible",
                "/nodes: 18446744073709551615 CPUs: at most 1024 are possible",
            ]
        );
        assert_eq!(shown(&[]), ["/nodes: the machine has no CPU"]);
    }
}
