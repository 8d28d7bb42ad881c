//! `teeter`: the engine without the page.
//!
//! Every command makes its whole output first (but for `decisions` and `sweep`, which may be too many to keep): where
//! something is wrong there is one message on stderr, nothing on stdout, and the exit code 2.

mod args;
mod bench;
mod check;
mod compare;
mod decisions;
mod domains;
mod error;
mod import;
mod link;
mod lists;
mod progress;
mod report;
mod run;
mod series;
mod source;
mod table;
mod trace;
