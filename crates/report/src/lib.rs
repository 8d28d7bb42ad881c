//! What repeated runs say: statistics, comparisons of kernels, sweeps over a scenario.
//!
//! Nothing here runs anything: a caller runs what it is told to, on as many cores as it has (the command line), or
//! in workers (the page), and hands the results back. What is printed is made here, so that every front shows the same.

pub mod bench;
mod comparison;
mod figure;
pub mod replicate;
mod statistics;
mod sweep;
mod text;

pub use comparison::{Column, Comparison, Row};
pub use figure::{Figure, figures};
pub use statistics::{Sample, Summary, welch};
pub use sweep::{Job, Sweep, SweepError};
pub use text::Table;
