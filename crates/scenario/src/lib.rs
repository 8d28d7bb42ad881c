//! The scenario: everything a user of Teeter makes, as one value.
//!
//! A [`Scenario`] says which machine, which cgroups and tasks on it, which kernels to compare, what
//! changes when, and for how long to run. The page's address, a file on disk, undo, the command line and
//! the simulation all carry this same value.
//!
//! * [`document`] holds the types the rest of Teeter works with.
//! * [`wire`] holds the JSON shapes, one module per version of the format; a released one is never edited.
//! * [`validate`](mod@validate) checks what can be checked without knowing machines, kernels or workloads, and
//!   names every [`Problem`] by its place.
//! * [`schema`] is the JSON Schema of the document.
//! * [`link`] puts a scenario into a link and takes it out again.
//! * [`expr`] are users' own rules and filters.
//! * [`presets`] are scenarios that come along.
//!
//! This is pure data: nothing here runs a scenario.

pub mod cpulist;
pub mod document;
pub mod expr;
pub mod limits;
pub mod link;
pub mod pointer;
pub mod presets;
pub mod problem;
mod quantity;
pub mod schema;
pub mod size;
pub mod time;
pub mod validate;
pub mod wire;

pub use cpulist::CpuList;
pub use document::Scenario;
pub use problem::{Problem, Problems};
pub use size::Bytes;
pub use time::Nanos;
