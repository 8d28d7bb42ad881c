//! Memory: how much longer other nodes' memory takes, and what nodes and links give before they clog.

use super::{FULL_RATE, Speed};
use crate::{NodeId, Topology};

/// MB/s of a GB/s.
const MB_PER_GB: u64 = 1000;

impl Speed {
    /// How many times longer an access from `from` to memory of `to` takes than one to local memory;
    /// [`FULL_RATE`] is no longer. `memory.remote` is the mean over the other nodes, which share it by
    /// distance.
    pub fn memory_slowdown_q16(&self, topology: &Topology, from: NodeId, to: NodeId) -> u32 {
        let local = u64::from(self.memory_local.max(1));
        let extra = u64::from(self.memory_remote).saturating_sub(local);
        let beyond = |node: NodeId| {
            let distance = topology.distance(from, node);
            u64::from(distance.saturating_sub(topology.distance(from, from)))
        };
        let nodes = (0..topology.nodes.len() as u16).map(NodeId);
        let others = topology.nodes.len().saturating_sub(1) as u64;
        let sum: u64 = nodes.map(beyond).sum();
        let share = u64::from(FULL_RATE) * extra * beyond(to) * others;
        let slower = share.checked_div(local * sum).unwrap_or(0);
        FULL_RATE.saturating_add(slower.try_into().unwrap_or(u32::MAX))
    }

    /// How many times longer accesses take where `demand` MB/s are asked of a node's memory; [`FULL_RATE`]
    /// is no longer. It gives what it can and no more: all that ask wait alike.
    pub fn memory_congestion_q16(&self, demand: u64) -> u64 {
        congestion(demand, self.memory_bandwidth)
    }

    /// The same where `demand` MB/s are asked of the link that joins a node to the others.
    pub fn link_congestion_q16(&self, demand: u64) -> u64 {
        congestion(demand, self.link_bandwidth)
    }

    /// Bytes of a page, the unit in which the machine's kernel marks and moves memory.
    pub const fn page_bytes(&self) -> u64 {
        self.memory_page as u64 * 1024
    }
}

/// `max(1, demand / bandwidth)`, the one in MB/s, the other in GB/s.
fn congestion(demand: u64, bandwidth: u32) -> u64 {
    let full = u64::from(FULL_RATE);
    let given = u64::from(bandwidth.max(1)) * MB_PER_GB;
    (demand.saturating_mul(full) / given).max(full)
}

#[cfg(test)]
mod tests {
    use super::super::tests::preset;
    use super::*;
    use teeter_scenario::document::Machine;

    #[test]
    fn memory_slows_down_by_distance() {
        let slowdown = |name: &str, to| {
            let machine = Machine::preset(name);
            let topology = Topology::from_spec(&machine).unwrap();
            preset(name).memory_slowdown_q16(&topology, NodeId(0), NodeId(to))
        };
        // 143 / 93 of 65536.
        assert_eq!(
            [0, 1].map(|to| slowdown("haswell-2s", to)),
            [65_536, 100_770]
        );
        let power8: Vec<u32> = (0..8).map(|to| slowdown("power8-8n", to)).collect();
        assert_eq!(power8[0], 65_536);
        // 140 / 90 of 65536 on average over the other seven.
        let mean = power8[1..].iter().map(|&q| u64::from(q)).sum::<u64>() / 7;
        assert!(mean.abs_diff(101_944) <= 1, "{power8:?}");
    }

    #[test]
    fn what_is_asked_beyond_the_bandwidth_is_waited_for() {
        let haswell = preset("haswell-2s");
        // A node gives 60 GB/s, a link 34.
        let memory = |demand| haswell.memory_congestion_q16(demand);
        assert_eq!([0, 60_000, 90_000].map(memory), [65_536, 65_536, 98_304]);
        let link = |demand| haswell.link_congestion_q16(demand);
        assert_eq!([34_000, 51_000].map(link), [65_536, 98_304]);
    }
}
