//! The page around an embed.

use std::cell::RefCell;
use std::rc::Rc;

use serde::Serialize;
use serde_json::Value;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{MessageEvent, Window};
use yew::prelude::*;

use super::use_window_event;
use crate::embedded::message::{self, Fault, Request, Said};

/// A message longer than this is not looked at, characters.
const LONGEST: u32 = 2_000_000;

/// The window around this one, if there is one.
pub(crate) struct Host {
    window: Option<Window>,
    /// Where it last spoke from: nothing that tells of a scenario goes elsewhere.
    origin: RefCell<Option<String>>,
}

impl Host {
    fn new() -> Self {
        let own = gloo::utils::window();
        let parent = own.parent().ok().flatten();
        Self {
            window: parent.filter(|parent| *parent != own),
            origin: RefCell::new(None),
        }
    }

    /// Says something to the host. What only tells that this is here, and how high, goes to whoever it is; all else
    /// only to where the host has spoken from.
    pub(crate) fn tell(&self, said: &Said) {
        let anywhere = matches!(said, Said::Ready { .. } | Said::Resize { .. });
        let origin = self.origin.borrow();
        let origin = origin.as_deref().or(anywhere.then_some("*"));
        let serializer = serde_wasm_bindgen::Serializer::json_compatible();
        if let (Some(window), Some(origin), Ok(message)) =
            (&self.window, origin, said.to_value().serialize(&serializer))
        {
            // A host that has gone hears nothing: there is nobody to tell.
            let _ = window.post_message(&message, origin);
        }
    }

    /// Reads an event of the window, if it is the host that speaks, and to us.
    fn hear(&self, event: &MessageEvent) -> Option<Result<Request, Fault>> {
        let host: &JsValue = self.window.as_ref()?.as_ref();
        let source = event.source()?;
        if AsRef::<JsValue>::as_ref(&source) != host {
            return None;
        }
        let request = message::read(&plain(&event.data())?)?;
        // Pages from files and sandboxes have no origin of their own to answer to.
        let origin = match event.origin().as_str() {
            "null" | "" => "*".to_owned(),
            origin => origin.to_owned(),
        };
        *self.origin.borrow_mut() = Some(origin);
        Some(request)
    }
}

/// The data as JSON would carry it; `None` for what JSON cannot carry (cycles among it), or is too long.
fn plain(data: &JsValue) -> Option<Value> {
    if !data.is_object() {
        return None;
    }
    let text = js_sys::JSON::stringify(data).ok()?;
    if text.length() > LONGEST {
        return None;
    }
    serde_json::from_str(&String::from(text)).ok()
}

/// The host, whose requests are handed to `heard`; those that cannot be understood come with what to answer.
#[hook]
pub(crate) fn use_host(heard: impl Fn(&Host, Result<Request, Fault>) + 'static) -> Rc<Host> {
    let host = use_memo((), |()| Host::new());
    {
        let host = Rc::clone(&host);
        use_window_event("message", move |event| {
            let request = event
                .dyn_ref::<MessageEvent>()
                .and_then(|event| host.hear(event));
            if let Some(request) = request {
                heard(&host, request);
            }
        });
    }
    host
}
