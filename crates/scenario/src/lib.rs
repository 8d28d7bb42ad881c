//! The scenario: everything a user of Teeter makes, as one value.
//!
//! A [`Scenario`] says which machine, which cgroups and tasks on it, which kernels to compare, what
//! changes when, and for how long to run. The page's address, a file on disk, undo, the command line and
//! the simulation all carry this same value.
//!
//! * [`document`] holds the types the rest of Teeter works with.
//! * [`Problem`] is what is wrong with a scenario, named by its place.
//!
//! This is pure data: nothing here runs a scenario.

pub mod cpulist;
pub mod document;
pub mod limits;
pub mod problem;
mod quantity;
pub mod size;
pub mod time;

pub use cpulist::CpuList;
pub use document::Scenario;
pub use problem::{Problem, Problems};
pub use size::Bytes;
pub use time::Nanos;
