//! The hardware: CPUs, hardware threads, caches, nodes and distances, and what they do to speed.
//!
//! A [`Topology`] is the finished machine that every other crate works on: dense CPU numbers, and
//! for each CPU the core, last-level cache and node it belongs to. It is made from the scenario's
//! machine by [`Topology::from_spec`]. [`Speed`] holds the parameters of the throughput model.

mod cpuset;
mod describe;
mod distance;
pub mod import;
mod layout;
mod preset;
mod shape;
mod spec;
pub mod speed;
mod synthetic;
mod topology;
mod tree;

pub use cpuset::{CpuSet, MAX_CPUS};
pub use distance::Distance;
pub use preset::{Preset, presets};
pub use speed::{Footprint, Handover, NumaCosts, Parameter, Speed, parameters};
pub use topology::{Cpu, CpuId, MAX_NODES, NodeId, Topology};
