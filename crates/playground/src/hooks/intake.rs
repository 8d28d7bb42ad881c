//! Texts that are pasted or dropped anywhere on the page.

use gloo::timers::callback::Timeout;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{ClipboardEvent, DragEvent, Element};
use yew::prelude::*;

use super::use_window_event;

/// Calls `take` with each text that is pasted while no field has the focus, or dropped: that of a file too.
#[hook]
pub(crate) fn use_intake(take: Callback<String>) {
    {
        let take = take.clone();
        use_window_event("paste", move |event| {
            let field = event
                .target()
                .and_then(|target| target.dyn_into::<Element>().ok())
                .is_some_and(|element| {
                    matches!(element.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT")
                });
            let data = event
                .dyn_ref::<ClipboardEvent>()
                .and_then(ClipboardEvent::clipboard_data);
            let text = data.and_then(|data| data.get_data("text/plain").ok());
            if let Some(text) = text.filter(|text| !field && !text.trim().is_empty()) {
                let (take, event) = (take.clone(), event.clone());
                // A part of the page may take it: its listener may come after this one.
                Timeout::new(0, move || {
                    if !event.default_prevented() {
                        take.emit(text);
                    }
                })
                .forget();
            }
        });
    }
    // Without this the browser would open the file in place of the page.
    use_window_event("dragover", web_sys::Event::prevent_default);
    use_window_event("drop", move |event| {
        event.prevent_default();
        let Some(data) = event
            .dyn_ref::<DragEvent>()
            .and_then(DragEvent::data_transfer)
        else {
            return;
        };
        let file = data.files().and_then(|files| files.get(0));
        match file {
            Some(file) => {
                let take = take.clone();
                spawn_local(async move {
                    let text = text_of(&file).await;
                    take.emit(text.unwrap_or_default());
                });
            }
            None => {
                if let Ok(text) = data.get_data("text/plain")
                    && !text.is_empty()
                {
                    take.emit(text);
                }
            }
        }
    });
}

async fn text_of(file: &web_sys::File) -> Option<String> {
    let read = js_sys::Reflect::get(file, &"text".into()).ok()?;
    let promise = read.dyn_into::<js_sys::Function>().ok()?.call0(file).ok()?;
    let text: Result<JsValue, JsValue> =
        JsFuture::from(promise.dyn_into::<js_sys::Promise>().ok()?).await;
    text.ok()?.as_string()
}
