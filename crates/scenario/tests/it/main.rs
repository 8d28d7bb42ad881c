//! The document and its links, from outside.

#![expect(
    clippy::unwrap_used,
    reason = "what fails here is meant to fail the test"
)]

mod arbitrary;
mod document;
mod expr;
mod golden_links;
mod link;
mod schema;
