//! What needs a browser: messages as JavaScript objects, colours as a page computes them, storage.
#![cfg(target_family = "wasm")]
#![expect(
    clippy::unwrap_used,
    reason = "a test fails by panicking, and clippy takes only #[test] for one"
)]

mod digests;
mod messages;
mod palette;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);
