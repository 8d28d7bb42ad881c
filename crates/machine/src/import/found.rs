//! What a tool tells of a machine, and the machine that is made of it.

use std::collections::BTreeMap;

use teeter_scenario::{Bytes, CpuList};

use super::text::{ImportError, Span};
use crate::preset::LOCAL_DISTANCE;
use crate::shape::Shape;
use crate::{Cpu, CpuId, CpuSet, MAX_CPUS, MAX_NODES, NodeId};

/// Where a CPU sits, as far as it is told. Two CPUs share a thing if they name it alike within what holds
/// it: cores need only differ within a package.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) offline: bool,
    pub(super) core: Option<u64>,
    pub(super) cluster: Option<u64>,
    pub(super) llc: Option<u64>,
    pub(super) die: Option<u64>,
    pub(super) package: Option<u64>,
    pub(super) node: Option<u32>,
    pub(super) capacity: Option<u32>,
}

/// A machine as it is told of, with the tool's own numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// CPUs by number.
    pub(super) cpus: BTreeMap<u32, Place>,
    /// Memory of each node that is told of.
    pub(super) memory: BTreeMap<u32, Option<Bytes>>,
    /// A row for each node that is told of, by number; none at all if distances are not told.
    pub(super) distances: Vec<Vec<u32>>,
    /// CPUs outside every sched domain.
    pub(super) isolated: CpuList,
    /// Whether it is an AMD processor of family 17h or later.
    pub(super) zen: bool,
    /// Whether it has cores of two kinds of which the kernel prefers one (ITMT).
    pub(super) hybrid: bool,
    /// What was assumed so far.
    pub(super) assumptions: Vec<String>,
}

/// RECLAIM_DISTANCE on AMD processors of family 17h and later.
const ZEN_RECLAIM_DISTANCE: u8 = 32;

/// The number of a CPU, if there may be one of that number.
pub(super) fn cpu_number(span: Span<'_>) -> Result<u32, ImportError> {
    let expected = format!("the number of a CPU, from 0 to {}", MAX_CPUS - 1);
    let number = span.number(&expected)?;
    if number as usize >= MAX_CPUS {
        return Err(span.expected(&expected));
    }
    Ok(number)
}

/// The number of a node. Real ones have gaps, so the limit is the kernel's own.
pub(super) fn node_number(span: Span<'_>) -> Result<u32, ImportError> {
    const MOST: u32 = 1023;
    let expected = format!("the number of a node, from 0 to {MOST}");
    let number = span.number(&expected)?;
    if number > MOST {
        return Err(span.expected(&expected));
    }
    Ok(number)
}

/// A list of CPUs.
pub(super) fn cpu_list(span: Span<'_>) -> Result<CpuList, ImportError> {
    span.text
        .parse()
        .map_err(|error| span.error(format!("expected a list of CPUs: {error}")))
}

impl Found {
    /// A CPU that is told of for the first time.
    pub(super) fn add(&mut self, span: Span<'_>, place: Place) -> Result<(), ImportError> {
        let number = cpu_number(span)?;
        if self.cpus.insert(number, place).is_some() {
            return Err(span.error(format!("CPU {number} is told of twice")));
        }
        Ok(())
    }

    /// Says that something was assumed.
    pub(super) fn assume(&mut self, what: impl Into<String>) {
        self.assumptions.push(what.into());
    }

    /// Puts the CPUs of a node on it.
    pub(super) fn set_node(&mut self, node: u32, cpus: &CpuList) {
        self.memory.entry(node).or_default();
        for cpu in cpus.iter() {
            self.cpus.entry(cpu).or_default().node = Some(node);
        }
    }

    /// The machine. It has at least so many nodes: a matrix of distances beside the text may tell of
    /// nodes without CPUs that the text leaves out.
    pub(super) fn shape(mut self, least_nodes: usize) -> Result<Shape, ImportError> {
        if self.cpus.is_empty() {
            return Err(ImportError::Whole("no CPU is told of".to_owned()));
        }
        self.place_offline();
        let tells = |of: fn(&Place) -> bool| self.cpus.values().any(of);
        let told = [
            tells(|place| place.core.is_some()),
            tells(|place| place.package.is_some()),
            tells(|place| place.llc.is_some()),
            tells(|place| place.node.is_some()),
        ];
        let missing = [
            "hardware threads are not told of: every CPU is a core of its own",
            "packages are not told of: every node is one",
            "caches are not told of: the CPUs of a package and node share one",
            "nodes are not told of: there is one",
        ];
        for (told, missing) in told.iter().zip(missing) {
            if !told {
                self.assume(missing);
            }
        }
        let nodes = self.nodes(least_nodes)?;
        let distances = self.distances(nodes.len())?;
        let cpus = self.number(&nodes);
        let set = |cpus: &mut dyn Iterator<Item = u32>| -> CpuSet {
            cpus.map(|cpu| CpuId(cpu as u16)).collect()
        };
        let offline = self.cpus.iter().filter(|(_, place)| place.offline);
        let offline = set(&mut offline.map(|(&cpu, _)| cpu));
        if offline.len() == cpus.len() {
            return Err(ImportError::Whole("no CPU is online".to_owned()));
        }
        let known = CpuSet::first_n(cpus.len());
        let isolated = set(&mut self.isolated.iter()).and(&known);
        let mut shape = Shape::new(cpus, self.memory.into_values().collect());
        if self.zen {
            shape.reclaim_distance = ZEN_RECLAIM_DISTANCE;
            self.assumptions.push(format!(
                "the processor is an AMD Zen: the kernel's RECLAIM_DISTANCE is {ZEN_RECLAIM_DISTANCE}"
            ));
        }
        if self.hybrid {
            let message = "the cores are of two kinds: the kernel prefers lower-numbered CPUs (SD_ASYM_PACKING)";
            self.assumptions.push(message.to_owned());
        }
        Ok(Shape {
            offline,
            isolated,
            distances,
            asym_packing: self.hybrid,
            assumptions: self.assumptions,
            ..shape
        })
    }

    /// Gives the CPUs that have no place, because they are offline, one beside their neighbour.
    fn place_offline(&mut self) {
        let last = self.cpus.keys().next_back().copied().unwrap_or(0);
        let mut absent = Vec::new();
        for cpu in 0..last {
            let place = self.cpus.entry(cpu).or_insert_with(|| {
                absent.push(cpu);
                Place::default()
            });
            place.offline |= absent.last() == Some(&cpu);
        }
        let unplaced = |place: &Place| {
            place.offline && place.core.is_none() && place.package.is_none() && place.node.is_none()
        };
        let placed = self.cpus.values().find(|place| !unplaced(place)).copied();
        let mut before = placed.unwrap_or_default();
        let mut beside = Vec::new();
        for (&cpu, place) in &mut self.cpus {
            if unplaced(place) {
                // No tool's own number is as large.
                let own = before.core.map(|_| u64::MAX - u64::from(cpu));
                *place = Place {
                    offline: true,
                    core: own,
                    cluster: own,
                    ..before
                };
                beside.push(cpu);
            } else {
                before = *place;
            }
        }
        if !beside.is_empty() {
            let list: CpuList = beside.into_iter().collect();
            self.assume(format!(
                "where the offline CPUs {list} sit is not told: each is a core beside the CPU before it"
            ));
        }
    }

    /// The nodes' own numbers; their places in the list are those they get.
    fn nodes(&mut self, least: usize) -> Result<Vec<u32>, ImportError> {
        for place in self.cpus.values() {
            if let Some(node) = place.node {
                self.memory.entry(node).or_default();
            }
        }
        for node in 0..least.min(MAX_NODES) as u32 {
            self.memory.entry(node).or_default();
        }
        if self.memory.is_empty() {
            self.memory.insert(0, None);
        }
        let nodes: Vec<u32> = self.memory.keys().copied().collect();
        if nodes.len() > MAX_NODES {
            let message = format!("{} nodes: at most {MAX_NODES} are possible", nodes.len());
            return Err(ImportError::Whole(message));
        }
        let gaps = nodes.iter().zip(0..).any(|(&node, index)| node != index);
        if gaps {
            let numbers: Vec<String> = nodes.iter().map(u32::to_string).collect();
            self.assume(format!(
                "nodes are numbered without gaps: {} become 0 to {}",
                numbers.join(", "),
                nodes.len() - 1
            ));
        }
        Ok(nodes)
    }

    /// The matrix, if it is told.
    fn distances(&mut self, nodes: usize) -> Result<Option<Vec<u8>>, ImportError> {
        if self.distances.is_empty() {
            if nodes > 1 {
                self.assume("distances are not told of: any two nodes are 20 from each other");
            }
            return Ok(None);
        }
        let whole = |message: String| Err(ImportError::Whole(message));
        if self.distances.len() != nodes || self.distances.iter().any(|row| row.len() != nodes) {
            return whole(format!(
                "the distances are no square of {nodes}, the number of nodes"
            ));
        }
        let mut matrix = Vec::with_capacity(nodes * nodes);
        for (from, row) in self.distances.iter().enumerate() {
            for (to, &distance) in row.iter().enumerate() {
                let fits = if from == to {
                    distance == u32::from(LOCAL_DISTANCE)
                } else {
                    (11..=254).contains(&distance)
                };
                if !fits {
                    return whole(format!(
                        "the distance from node {from} to {to} is {distance}: expected 10 to itself, 11 to 254 to others"
                    ));
                }
                matrix.push(distance as u8);
            }
        }
        Ok(Some(matrix))
    }

    /// One place a CPU, with numbers that count through the machine. What spans nodes or packages is cut
    /// at their borders.
    fn number(&mut self, nodes: &[u32]) -> Vec<Cpu> {
        let mut packages = Numbers::default();
        let mut dies = Numbers::default();
        let mut llcs = Numbers::default();
        let mut clusters = Numbers::default();
        let mut cores = Numbers::default();
        let mut uncut = Numbers::default();
        let mut cpus = Vec::with_capacity(self.cpus.len());
        for (&number, place) in &self.cpus {
            let node = place.node.and_then(|node| nodes.binary_search(&node).ok());
            let node = node.unwrap_or(0) as u64;
            let own = u64::from(number);
            let package = place.package.map_or((1, node), |package| (0, package));
            let package = u64::from(packages.of([package.0, package.1, 0]));
            let llc = u64::from(llcs.of(keyed([node, package], place.llc, 0)));
            uncut.of(keyed([package, 0], place.llc, node));
            let core = place.core.map_or([1, own], |core| [0, core]);
            let core = cores.of_in([package, llc], core);
            let cluster = place
                .cluster
                .map_or([1, u64::from(core)], |cluster| [0, cluster]);
            cpus.push(Cpu {
                core,
                cluster: clusters.of_in([llc, 0], cluster),
                llc: llc as u16,
                die: dies.of(keyed([package, 0], place.die, 0)),
                package: package as u16,
                node: NodeId(node as u16),
                capacity: place.capacity.unwrap_or(1024),
            });
        }
        if llcs.len() > uncut.len() {
            self.assume(
                "a last-level cache spans nodes: it is cut at their borders, as the kernel does",
            );
        }
        cpus
    }
}

/// A key within others; `none` where a thing is not told of.
fn keyed(within: [u64; 2], thing: Option<u64>, none: u64) -> [u64; 3] {
    match thing {
        // Keys of things that are told of do not meet those that are not.
        Some(thing) => [within[0] << 1, within[1], thing],
        None => [within[0] << 1 | 1, within[1], none],
    }
}

/// Things in the order in which they were first seen.
#[derive(Debug, Default)]
struct Numbers(BTreeMap<[u64; 4], u16>);

impl Numbers {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn of(&mut self, [a, b, c]: [u64; 3]) -> u16 {
        self.of_in([a, b], [c, 0])
    }

    fn of_in(&mut self, within: [u64; 2], thing: [u64; 2]) -> u16 {
        let next = self.0.len() as u16;
        *self
            .0
            .entry([within[0], within[1], thing[0], thing[1]])
            .or_insert(next)
    }
}
