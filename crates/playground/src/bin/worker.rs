//! The worker: one simulation, told what to do by the page.

use wasm_bindgen::JsValue;

fn main() -> Result<(), JsValue> {
    console_error_panic_hook::set_once();
    teeter_playground::engine::start()
}
