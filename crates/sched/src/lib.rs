//! The kernel's fair scheduler, integer for integer, by version.
//!
//! [`Sched`] is one running kernel: run-queues, entities, groups, sched domains. It takes `now` as
//! an argument, holds no clock and does no I/O. The engine calls it where hardware would (a task
//! wakes, blocks, a tick comes) and drains [`Effect`]s: what the kernel asks of the hardware
//! (reschedule that CPU, kick that one) and what it did (switched, migrated).
//!
//! Inside, from the bottom up: `weight` and `pelt` are arithmetic; `entity`, `cfs_rq`, `rq`, `task`,
//! `group` are state; `domain` is the machine as the balancer sees it; `load`, `cfs`, `queue` and
//! `switch` are one CPU's scheduling; `wake`, `fork` and `balance` place tasks; `rules` says in which
//! way each of them goes, by kernel version.

mod balance;
mod bandwidth;
mod cfs;
mod cfs_rq;
mod check;
pub mod decision;
mod domain;
mod eevdf;
mod effect;
mod entity;
mod fork;
mod group;
mod ids;
#[cfg(test)]
mod kstep;
mod load;
mod nohz;
mod numa;
mod pelt;
mod pick;
mod queue;
#[cfg(test)]
mod replay;
mod rq;
pub mod rules;
mod sched;
mod stats;
mod switch;
mod task;
mod wake;
mod weight;
#[cfg(test)]
mod worked_examples;

pub use bandwidth::BandwidthStats;
pub use check::Broken;
pub use domain::{DomainGroup, DomainView, Explanation, Note, Outcome, SchedDomains, Step};
pub use effect::{Cause, Effect};
pub use ids::{GroupId, TaskId};
pub use numa::{MmId, NumaStats, RegionId, Touched};
pub use rules::{DomainField, DomainSetting, KernelInfo, Rules, RulesError, Tunables, kernels};
pub use sched::Sched;
pub use stats::LevelStats;
pub use task::NewTask;
