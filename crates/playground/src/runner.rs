//! The page's side of one worker.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo::events::EventListener;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{ErrorEvent, MessageEvent, Worker, WorkerOptions, WorkerType};

use crate::protocol::{FromWorker, ToWorker, wire};

/// The worker's loader, beside the page whatever path that is served under.
const LOADER: &str = "./worker_loader.js";

/// What comes back from a worker.
#[derive(Debug)]
pub(crate) enum Heard {
    /// A message.
    Message(Box<FromWorker>),
    /// The worker died, or never came up: why, in words.
    Died(String),
}

/// A running worker; dropping it ends it.
pub(crate) struct Runner {
    worker: Worker,
    /// Whether it listens yet, and what to tell it once it does.
    ready: Rc<Cell<bool>>,
    waiting: Rc<RefCell<Vec<ToWorker>>>,
    _listeners: [EventListener; 3],
}

impl Runner {
    /// Starts a worker; `hear` is called with all it says.
    ///
    /// # Errors
    /// Where the browser refuses to start one.
    pub(crate) fn start(hear: impl Fn(Heard) + 'static) -> Result<Self, JsValue> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = Worker::new_with_options(LOADER, &options)?;
        let ready = Rc::new(Cell::new(false));
        let waiting = Rc::new(RefCell::new(Vec::new()));
        let hear = Rc::new(hear);

        let messages = {
            let (worker, ready, waiting, hear) = (
                worker.clone(),
                Rc::clone(&ready),
                Rc::clone(&waiting),
                Rc::clone(&hear),
            );
            EventListener::new(&worker.clone(), "message", move |event| {
                let Some(event) = event.dyn_ref::<MessageEvent>() else {
                    return;
                };
                match wire::read_from_worker(event.data()) {
                    Ok(FromWorker::Ready) => {
                        ready.set(true);
                        for message in waiting.take() {
                            post(&worker, &message);
                        }
                    }
                    Ok(message) => hear(Heard::Message(Box::new(message))),
                    Err(error) => hear(Heard::Died(error.to_string())),
                }
            })
        };
        let errors = {
            let hear = Rc::clone(&hear);
            EventListener::new(&worker, "error", move |event| {
                let told = event.dyn_ref::<ErrorEvent>().map(ErrorEvent::message);
                let why = told.filter(|message| !message.is_empty());
                hear(Heard::Died(why.unwrap_or_else(|| {
                    "its program could not be loaded".to_owned()
                })));
            })
        };
        let garbled = EventListener::new(&worker, "messageerror", move |_| {
            hear(Heard::Died("a message could not be read".to_owned()));
        });
        Ok(Self {
            worker,
            ready,
            waiting,
            _listeners: [messages, errors, garbled],
        })
    }

    /// Tells the worker something, as soon as it listens.
    pub(crate) fn tell(&self, message: ToWorker) {
        if self.ready.get() {
            post(&self.worker, &message);
        } else {
            self.waiting.borrow_mut().push(message);
        }
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}

fn post(worker: &Worker, message: &ToWorker) {
    let posted = wire::to_worker(message).map(|value| worker.post_message(&value));
    if let Ok(Err(error)) = posted {
        web_sys::console::error_1(&error);
    }
}
