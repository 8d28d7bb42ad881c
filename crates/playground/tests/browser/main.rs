//! What needs a browser: messages as JavaScript objects, colours as a page computes them, storage.
#![cfg(target_family = "wasm")]

mod digests;
mod messages;
mod palette;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);
