//! NUMA balancing: memory that follows its tasks, and tasks that follow their memory.
//!
//! Source: kernel/sched/fair.c, the part under `CONFIG_NUMA_BALANCING` (v4.11, v5.3, v5.7 and later;
//! SCHED.md 7).

mod node;
mod scan;
mod share;

#[cfg(test)]
pub(crate) use node::Loads;
#[cfg(test)]
pub(crate) use scan::{Faults, ScanBounds};
#[cfg(test)]
pub(crate) use share::{GroupFaults, weight};

/// Bytes of a page.
pub(crate) const PAGE: u64 = 4096;
