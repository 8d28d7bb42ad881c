//! The `teeter` command, from outside.

#![expect(
    clippy::unwrap_used,
    reason = "what fails here is meant to fail the test"
)]

mod bench;
mod check;
mod compare;
mod decisions;
mod domains;
mod import;
mod link;
mod lists;
mod replicate;
mod run;
mod sweep;
mod teeter;
