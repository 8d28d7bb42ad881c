//! Task programs: a small instruction set, and the built-in workloads written in it.
//!
//! A workload is compiled by [`compile`] to one [`Program`] per thread plus the synchronisation
//! objects they share. The engine interprets programs; nothing here knows of time or CPUs.
//! [`catalogue`] lists the workloads for people.

mod catalogue;
mod compile;
mod dbench;
mod error;
mod hackbench;
mod individual;
#[cfg(test)]
mod interpreter;
mod kworker;
mod memory;
mod netperf;
mod npb;
mod npb_lu;
mod numa;
mod phases;
mod pipe;
mod program;
pub mod rtapp;
mod schbench;
mod services;
mod shared;
mod stream;
mod tbench;
mod trace;
mod ycsb;

pub use catalogue::{ParameterInfo, WorkloadInfo, catalogue};
pub use compile::compile;
pub use error::{Error, Unreadable};
pub use individual::{Birth, Individual};
pub use memory::MemoryUse;
pub use program::{Measure, Metric, Op, Program, Programs, Traits};
pub use shared::{
    BarrierId, Channel, ChannelId, ConditionId, FlagId, Mutex, MutexId, Object, Shared, TimerId,
};
pub use trace::{Origin, Piece, Recorded, Recording};
