//! The messages as JavaScript objects: bulk data as typed arrays, whose buffers are transferred, not copied.

use js_sys::{Array, Float64Array, Uint8Array, Uint32Array};
use serde::{Deserialize, Serialize};
use wasm_bindgen::JsValue;

use super::decisions::Decisions;
use super::domains::CpuDomains;
use super::window::{Explained, Window};
use super::{CpuStates, Failed, Frame, FromWorker, Loaded, Moment, ToWorker};

/// A message that does not read as one.
#[derive(Debug, thiserror::Error)]
#[error("a message between page and worker cannot be read: {0}")]
pub struct WireError(String);

impl From<serde_wasm_bindgen::Error> for WireError {
    fn from(error: serde_wasm_bindgen::Error) -> Self {
        Self(error.to_string())
    }
}

/// [`FromWorker`] as it travels: `{ frame: { … } }`, never with a tag beside the fields, for which serde
/// would have to copy them first.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Message {
    Ready,
    Loaded(Loaded),
    Frame(FrameWire),
    Decisions(Decisions),
    Domains(CpuDomains),
    Window(WindowWire),
    Explained(Explained),
    Moment(FrameWire),
    Failed(Failed),
}

#[derive(Serialize, Deserialize)]
struct FrameWire {
    generation: u32,
    now_ns: f64,
    finished: bool,
    result: Option<String>,
    #[serde(with = "serde_wasm_bindgen::preserve")]
    curr: Uint32Array,
    #[serde(with = "serde_wasm_bindgen::preserve")]
    queued: Uint32Array,
    #[serde(with = "serde_wasm_bindgen::preserve")]
    queued_start: Uint32Array,
    #[serde(with = "serde_wasm_bindgen::preserve")]
    load: Uint32Array,
    #[serde(with = "serde_wasm_bindgen::preserve")]
    util: Uint32Array,
    #[serde(with = "serde_wasm_bindgen::preserve")]
    spinning: Uint8Array,
    #[serde(with = "serde_wasm_bindgen::preserve")]
    rows: Float64Array,
    #[serde(with = "serde_wasm_bindgen::preserve")]
    migrations: Uint32Array,
    #[serde(with = "serde_wasm_bindgen::preserve")]
    lanes: Uint32Array,
}

impl FrameWire {
    fn new(frame: &Frame) -> Self {
        Self {
            generation: frame.generation,
            now_ns: frame.now_ns,
            finished: frame.finished,
            result: frame.result.clone(),
            curr: Uint32Array::from(frame.cpus.curr.as_slice()),
            queued: Uint32Array::from(frame.cpus.queued.as_slice()),
            queued_start: Uint32Array::from(frame.cpus.queued_start.as_slice()),
            load: Uint32Array::from(frame.cpus.load.as_slice()),
            util: Uint32Array::from(frame.cpus.util.as_slice()),
            spinning: Uint8Array::from(frame.cpus.spinning.as_slice()),
            rows: Float64Array::from(frame.rows.as_slice()),
            migrations: Uint32Array::from(frame.migrations.as_slice()),
            lanes: Uint32Array::from(frame.lanes.as_slice()),
        }
    }

    fn transfer(&self) -> Array {
        let buffers = [
            self.curr.buffer(),
            self.queued.buffer(),
            self.queued_start.buffer(),
            self.load.buffer(),
            self.util.buffer(),
            self.spinning.buffer(),
            self.rows.buffer(),
            self.migrations.buffer(),
            self.lanes.buffer(),
        ];
        buffers.iter().collect()
    }

    fn into_frame(self) -> Frame {
        Frame {
            generation: self.generation,
            now_ns: self.now_ns,
            finished: self.finished,
            result: self.result,
            cpus: CpuStates {
                curr: self.curr.to_vec(),
                queued: self.queued.to_vec(),
                queued_start: self.queued_start.to_vec(),
                load: self.load.to_vec(),
                util: self.util.to_vec(),
                spinning: self.spinning.to_vec(),
            },
            rows: self.rows.to_vec(),
            migrations: self.migrations.to_vec(),
            lanes: self.lanes.to_vec(),
        }
    }

    /// A moment travels as a frame in which nothing is new.
    fn of_moment(moment: &Moment) -> Self {
        Self::new(&Frame {
            generation: moment.generation,
            now_ns: moment.at_ns,
            finished: moment.stepped,
            cpus: moment.cpus.clone(),
            ..Frame::default()
        })
    }

    fn into_moment(self) -> Moment {
        let frame = self.into_frame();
        Moment {
            generation: frame.generation,
            stepped: frame.finished,
            at_ns: frame.now_ns,
            cpus: frame.cpus,
        }
    }
}

#[derive(Serialize, Deserialize)]
struct WindowWire {
    generation: u32,
    id: u32,
    from_ns: f64,
    to_ns: f64,
    #[serde(with = "serde_wasm_bindgen::preserve")]
    spans: Float64Array,
    #[serde(with = "serde_wasm_bindgen::preserve")]
    places: Uint32Array,
    #[serde(with = "serde_wasm_bindgen::preserve")]
    moved_ns: Float64Array,
    #[serde(with = "serde_wasm_bindgen::preserve")]
    moved: Uint32Array,
    #[serde(with = "serde_wasm_bindgen::preserve")]
    decided_ns: Float64Array,
    #[serde(with = "serde_wasm_bindgen::preserve")]
    decided: Uint32Array,
}

impl WindowWire {
    fn new(window: &Window) -> Self {
        Self {
            generation: window.generation,
            id: window.id,
            from_ns: window.from_ns,
            to_ns: window.to_ns,
            spans: Float64Array::from(window.spans.as_slice()),
            places: Uint32Array::from(window.places.as_slice()),
            moved_ns: Float64Array::from(window.moved_ns.as_slice()),
            moved: Uint32Array::from(window.moved.as_slice()),
            decided_ns: Float64Array::from(window.decided_ns.as_slice()),
            decided: Uint32Array::from(window.decided.as_slice()),
        }
    }

    fn transfer(&self) -> Array {
        let buffers = [
            self.spans.buffer(),
            self.places.buffer(),
            self.moved_ns.buffer(),
            self.moved.buffer(),
            self.decided_ns.buffer(),
            self.decided.buffer(),
        ];
        buffers.iter().collect()
    }

    fn into_window(self) -> Window {
        Window {
            generation: self.generation,
            id: self.id,
            from_ns: self.from_ns,
            to_ns: self.to_ns,
            spans: self.spans.to_vec(),
            places: self.places.to_vec(),
            moved_ns: self.moved_ns.to_vec(),
            moved: self.moved.to_vec(),
            decided_ns: self.decided_ns.to_vec(),
            decided: self.decided.to_vec(),
        }
    }
}

/// A message to a worker, ready to be posted.
///
/// # Errors
/// Where it has no form in JavaScript.
pub fn to_worker(message: &ToWorker) -> Result<JsValue, WireError> {
    Ok(serde_wasm_bindgen::to_value(message)?)
}

/// What the page said.
///
/// # Errors
/// Where it is no message of this protocol.
pub fn read_to_worker(value: JsValue) -> Result<ToWorker, WireError> {
    Ok(serde_wasm_bindgen::from_value(value)?)
}

/// A message from a worker, ready to be posted, and the buffers to transfer.
///
/// # Errors
/// Where it has no form in JavaScript.
pub fn from_worker(message: &FromWorker) -> Result<(JsValue, Array), WireError> {
    let mut transfer = Array::new();
    let message = match message {
        FromWorker::Ready => Message::Ready,
        FromWorker::Loaded(loaded) => Message::Loaded(loaded.clone()),
        FromWorker::Decisions(decisions) => Message::Decisions(decisions.clone()),
        FromWorker::Domains(domains) => Message::Domains(domains.clone()),
        FromWorker::Failed(failed) => Message::Failed(failed.clone()),
        FromWorker::Frame(frame) => {
            let wire = FrameWire::new(frame);
            transfer = wire.transfer();
            Message::Frame(wire)
        }
        FromWorker::Moment(moment) => {
            let wire = FrameWire::of_moment(moment);
            transfer = wire.transfer();
            Message::Moment(wire)
        }
        FromWorker::Window(window) => {
            let wire = WindowWire::new(window);
            transfer = wire.transfer();
            Message::Window(wire)
        }
        FromWorker::Explained(explained) => Message::Explained(explained.clone()),
    };
    Ok((serde_wasm_bindgen::to_value(&message)?, transfer))
}

/// What a worker said.
///
/// # Errors
/// Where it is no message of this protocol.
pub fn read_from_worker(value: JsValue) -> Result<FromWorker, WireError> {
    Ok(match serde_wasm_bindgen::from_value(value)? {
        Message::Ready => FromWorker::Ready,
        Message::Loaded(loaded) => FromWorker::Loaded(loaded),
        Message::Frame(wire) => FromWorker::Frame(wire.into_frame()),
        Message::Moment(wire) => FromWorker::Moment(wire.into_moment()),
        Message::Window(wire) => FromWorker::Window(wire.into_window()),
        Message::Explained(explained) => FromWorker::Explained(explained),
        Message::Decisions(decisions) => FromWorker::Decisions(decisions),
        Message::Domains(domains) => FromWorker::Domains(domains),
        Message::Failed(failed) => FromWorker::Failed(failed),
    })
}
