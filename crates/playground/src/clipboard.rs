//! Copies text, where the browser allows it.

use wasm_bindgen_futures::{JsFuture, spawn_local};
use yew::Callback;

/// Copies the text and tells whether that worked. Call it from a click.
pub(crate) fn copy(text: &str, done: Callback<bool>) {
    let navigator = gloo::utils::window().navigator();
    // Outside a secure context there is no clipboard at all.
    let there = js_sys::Reflect::get(&navigator, &"clipboard".into())
        .is_ok_and(|clipboard| clipboard.is_object());
    if !there {
        done.emit(false);
        return;
    }
    let written = navigator.clipboard().write_text(text);
    spawn_local(async move {
        done.emit(JsFuture::from(written).await.is_ok());
    });
}
