//! How far two CPUs are from each other, as the cost of passing a cache line goes.

use crate::{CpuId, Topology};

/// What two CPUs share; farther is greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Distance {
    /// They are one.
    SameCpu,
    /// Hardware threads of one core.
    Smt,
    /// Cores under one last-level cache.
    Llc,
    /// Last-level caches of one node, or of two nodes in one package.
    Node,
    /// Packages.
    Remote,
}

impl Distance {
    /// Every distance, nearest first.
    pub const ALL: [Self; 5] = [
        Self::SameCpu,
        Self::Smt,
        Self::Llc,
        Self::Node,
        Self::Remote,
    ];
}

impl Topology {
    /// How far two CPUs are from each other.
    pub fn distance_class(&self, a: CpuId, b: CpuId) -> Distance {
        if a == b {
            return Distance::SameCpu;
        }
        let (a, b) = (self.cpu(a), self.cpu(b));
        if a.core == b.core {
            Distance::Smt
        } else if a.llc == b.llc {
            Distance::Llc
        } else if a.node == b.node || a.package == b.package {
            Distance::Node
        } else {
            Distance::Remote
        }
    }
}
