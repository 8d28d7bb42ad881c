//! What holds for every machine that can be described, and for those that are read.

#![expect(
    clippy::unwrap_used,
    clippy::format_push_string,
    reason = "what fails here is meant to fail the test, and texts are put together as they are read"
)]

mod import;
mod topology;
