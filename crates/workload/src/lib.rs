//! Task programs: a small instruction set, and the built-in workloads written in it.
//!
//! A workload is compiled by [`compile`] to one [`Program`] per thread plus the synchronisation
//! objects they share. The engine interprets programs; nothing here knows of time or CPUs.

mod program;

pub use program::{BarrierId, FlagId, Metric, Op, Program, Programs, Traits};
