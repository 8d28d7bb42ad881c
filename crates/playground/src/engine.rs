//! The worker's side: runs one simulation in short slices, so that messages get through.

mod cursor;
mod domains;
mod history;
mod levels;
mod look;
mod watch;

use std::cell::RefCell;
use std::rc::Rc;

use gloo::events::EventListener;
use teeter_scenario::{Nanos, Scenario};
use teeter_sched::SchedDomains;
use teeter_sim::{Simulation, Snapshot, Step};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{DedicatedWorkerGlobalScope, MessageChannel, MessageEvent};

use self::cursor::Cursor;
use self::history::History;
use self::look::{Look, Seen};
use self::watch::Watch;
use crate::protocol::{
    CpuStates, Failed, Frame, FromWorker, Loaded, Moment, StepKind, ToWorker, row_width, wire,
};

/// Length of one slice of work, ms.
const SLICE_MS: f64 = 8.0;
/// Events between two looks at the clock.
const EVENTS: u64 = 2_000;
/// How often the result so far is worked out, ms.
const RESULT_MS: f64 = 250.0;

/// Starts to listen, and says so.
///
/// # Errors
/// Where this is no dedicated worker.
pub fn start() -> Result<(), JsValue> {
    let scope: DedicatedWorkerGlobalScope = js_sys::global().dyn_into()?;
    let channel = MessageChannel::new()?;
    let engine = Rc::new(RefCell::new(Engine {
        scope: scope.clone(),
        wake: channel.port2(),
        run: None,
        watch: Watch::default(),
        listeners: Vec::new(),
    }));

    let heard = Rc::clone(&engine);
    let messages = EventListener::new(&scope, "message", move |event| {
        if let Some(event) = event.dyn_ref::<MessageEvent>() {
            heard.borrow_mut().hear(event.data());
        }
    });
    let awake = Rc::clone(&engine);
    let slices = EventListener::new(&channel.port1(), "message", move |_| {
        awake.borrow_mut().slice();
    });
    channel.port1().start();

    let mut own = engine.borrow_mut();
    own.listeners = vec![messages, slices];
    own.say(&FromWorker::Ready);
    Ok(())
}

/// One worker: at most one run.
struct Engine {
    scope: DedicatedWorkerGlobalScope,
    /// A message sent here brings the next slice, after messages that wait.
    wake: web_sys::MessagePort,
    run: Option<Run>,
    watch: Watch,
    /// Kept for as long as the worker lives.
    listeners: Vec<EventListener>,
}

/// A run and how far the page has seen it.
struct Run {
    generation: u32,
    simulation: Simulation,
    history: History,
    /// The window that is being looked at, and the one before.
    look: Option<Look>,
    seen: Option<Seen>,
    /// The moment that is shown.
    cursor: Option<Cursor>,
    until: Nanos,
    /// Whether a slice is under way.
    awake: bool,
    /// Whether the page waits for a frame.
    asked: bool,
    rows: usize,
    result_ms: f64,
    /// What it was built from, and the sched domains once somebody looks at them.
    scenario: Scenario,
    kernel: usize,
    domains: Option<SchedDomains>,
}

impl Engine {
    fn hear(&mut self, data: JsValue) {
        match wire::read_to_worker(data) {
            Ok(ToWorker::Load {
                generation,
                scenario,
                kernel,
            }) => self.load(generation, &scenario, kernel),
            Ok(ToWorker::Advance { until_ns }) => self.advance(Nanos(until_ns as u64)),
            Ok(ToWorker::Append { scenario }) => self.append(&scenario),
            Ok(ToWorker::Watch { filter }) => self.watch(filter.as_deref()),
            Ok(ToWorker::Domains { cpu }) => self.domains(cpu),
            Ok(ToWorker::Look { id, from_ns, to_ns }) => self.look(id, from_ns, to_ns),
            Ok(ToWorker::Explain { id, index }) => self.explain(id, index),
            Ok(ToWorker::Seek { at_ns }) => self.seek(Nanos(at_ns as u64)),
            Ok(ToWorker::Step { step, back }) => self.step(step, back),
            Err(error) => self.fail(0, vec![error.to_string()]),
        }
    }

    fn load(&mut self, generation: u32, scenario: &str, kernel: u32) {
        self.run = None;
        let built = read(scenario).and_then(|scenario| {
            let simulation = Simulation::new(&scenario, kernel as usize, 0).map_err(problems)?;
            Ok((scenario, simulation))
        });
        match built {
            Err(problems) => self.fail(generation, problems),
            Ok((scenario, mut simulation)) => {
                self.watch.begin();
                self.watch.apply(&mut simulation);
                simulation.record_lanes(true);
                self.say(&FromWorker::Loaded(Loaded {
                    generation,
                    table: simulation.threads().clone(),
                    nodes: simulation.series().nodes as u32,
                    levels: levels::of(&scenario, kernel as usize),
                    end_ns: simulation.end().0 as f64,
                    sample_ns: scenario.run.sample.0 as f64,
                }));
                self.run = Some(Run {
                    generation,
                    history: History::new(&mut simulation),
                    look: None,
                    seen: None,
                    cursor: None,
                    simulation,
                    until: Nanos::ZERO,
                    awake: false,
                    asked: true,
                    rows: 0,
                    result_ms: f64::NEG_INFINITY,
                    scenario,
                    kernel: kernel as usize,
                    domains: None,
                });
                self.wake();
            }
        }
    }

    fn advance(&mut self, until: Nanos) {
        if let Some(run) = &mut self.run {
            run.until = run.until.max(until);
            run.asked = true;
            self.wake();
        }
    }

    fn append(&mut self, scenario: &str) {
        let Some(run) = &mut self.run else { return };
        let generation = run.generation;
        let done = read(scenario).and_then(|mut scenario| match scenario.script.pop() {
            Some(entry) => {
                run.history.insert(&entry);
                run.simulation.insert_action(&entry).map_err(problems)
            }
            None => Ok(()),
        });
        if let Err(problems) = done {
            self.fail(generation, problems);
        }
    }

    fn watch(&mut self, filter: Option<&str>) {
        self.watch.set(filter);
        if let Some(run) = &mut self.run {
            self.watch.apply(&mut run.simulation);
        }
    }

    fn domains(&mut self, cpu: u32) {
        let Some(run) = &mut self.run else { return };
        if run.domains.is_none() {
            run.domains = domains::build(&run.scenario, run.kernel);
        }
        if let Some(built) = &run.domains {
            let told = domains::of(built, cpu, run.generation);
            self.say(&FromWorker::Domains(told));
        }
    }

    fn look(&mut self, id: u32, from_ns: f64, to_ns: f64) {
        let Some(run) = &mut self.run else { return };
        let now = run.simulation.now();
        let bounds = (
            Nanos(from_ns.max(0.0) as u64).min(now),
            Nanos(to_ns.max(0.0) as u64).min(now),
        );
        let numbers = (run.generation, id);
        run.look = Look::begin(&run.history, run.seen.as_ref(), numbers, bounds);
        self.wake();
    }

    fn explain(&self, id: u32, index: u32) {
        let seen = self.run.as_ref().and_then(|run| run.seen.as_ref());
        if let Some(explained) = seen.and_then(|seen| seen.explain(id, index)) {
            self.say(&FromWorker::Explained(explained));
        }
    }

    fn seek(&mut self, at: Nanos) {
        let Some(run) = &mut self.run else { return };
        let at = at.min(run.simulation.now());
        run.cursor = Cursor::at(&run.history, at);
        self.say_moment(Some(at));
    }

    fn step(&mut self, kind: StepKind, back: bool) {
        let Some(run) = &mut self.run else { return };
        let now = run.simulation.now();
        if run.cursor.is_none() {
            run.cursor = Cursor::at(&run.history, now);
        }
        if let Some(cursor) = &mut run.cursor {
            let step = match kind {
                StepKind::Event => Step::Event,
                StepKind::Tick => Step::Tick,
                StepKind::Balance => Step::Balance,
            };
            if back {
                cursor.back(&run.history, step);
            } else {
                cursor.forward(step, now);
            }
        }
        self.say_moment(None);
    }

    /// Tells the moment: that of the last event, if it was not asked for by its time.
    fn say_moment(&self, at: Option<Nanos>) {
        let Some((run, cursor)) = self
            .run
            .as_ref()
            .and_then(|run| Some((run, run.cursor.as_ref()?)))
        else {
            return;
        };
        self.say(&FromWorker::Moment(Moment {
            generation: run.generation,
            stepped: at.is_none(),
            at_ns: at.unwrap_or_else(|| cursor.time()).0 as f64,
            cpus: states(cursor.simulation.snapshot()),
        }));
    }

    /// Works on the window that was asked for, if there is one, and tells it once it is complete.
    fn slice_look(&mut self, start: f64) {
        let Some(run) = &mut self.run else { return };
        let Some(look) = &mut run.look else { return };
        let mut done = look.work(EVENTS);
        while !done && js_sys::Date::now() - start < SLICE_MS {
            done = look.work(EVENTS);
        }
        if done && let Some(look) = run.look.take() {
            let (window, seen) = look.finish();
            run.seen = Some(seen);
            self.say(&FromWorker::Window(window));
        }
    }

    /// Asks for a slice unless one is on its way.
    fn wake(&mut self) {
        if let Some(run) = &mut self.run
            && !run.awake
        {
            run.awake = self.wake.post_message(&JsValue::NULL).is_ok();
        }
    }

    /// Works for a while, and tells the page if it waits.
    fn slice(&mut self) {
        let start = js_sys::Date::now();
        self.slice_look(start);
        let Some(run) = &mut self.run else { return };
        run.awake = false;
        if run.look.is_some() {
            // The visitor waits for it; the run can.
            return self.wake();
        }
        let mut reached = run.simulation.run_events(run.until, EVENTS);
        while !reached && js_sys::Date::now() - start < SLICE_MS {
            self.watch.take(&mut run.simulation);
            run.history.note(&mut run.simulation);
            reached = run.simulation.run_events(run.until, EVENTS);
        }
        self.watch.take(&mut run.simulation);
        run.history.note(&mut run.simulation);
        if run.asked || reached {
            run.asked = false;
            let frame = run.frame();
            let news = if frame.result.is_some() {
                self.watch.news(frame.generation)
            } else {
                None
            };
            self.say(&FromWorker::Frame(frame));
            if let Some(decisions) = news {
                self.say(&FromWorker::Decisions(decisions));
            }
        }
        if !reached {
            self.wake();
        }
    }

    fn fail(&self, generation: u32, problems: Vec<String>) {
        self.say(&FromWorker::Failed(Failed {
            generation,
            problems,
        }));
    }

    fn say(&self, message: &FromWorker) {
        let posted = wire::from_worker(message)
            .map(|(value, transfer)| self.scope.post_message_with_transfer(&value, &transfer));
        match posted {
            Ok(Ok(())) => {}
            Ok(Err(error)) => web_sys::console::error_1(&error),
            Err(error) => web_sys::console::error_1(&error.to_string().into()),
        }
    }
}

impl Run {
    /// What has happened since the last frame.
    fn frame(&mut self) -> Frame {
        let now_ms = js_sys::Date::now();
        let finished = self.simulation.finished();
        let result = (finished || now_ms - self.result_ms >= RESULT_MS).then(|| {
            self.result_ms = now_ms;
            serde_json::to_string(&self.simulation.result()).ok()
        });
        let snapshot = self.simulation.snapshot();
        let marks = self.simulation.take_migrations();
        Frame {
            generation: self.generation,
            finished,
            result: result.flatten(),
            now_ns: snapshot.now.0 as f64,
            cpus: states(snapshot),
            lanes: self.simulation.take_lanes(),
            rows: self.new_rows(),
            migrations: marks
                .iter()
                .flat_map(|mark| {
                    [
                        mark.task,
                        u32::from(mark.from.0),
                        u32::from(mark.to.0),
                        mark.cause as u32,
                    ]
                })
                .collect(),
        }
    }

    fn new_rows(&mut self) -> Vec<f64> {
        let series = self.simulation.series();
        let width = row_width(series.progress.len(), series.nodes);
        let mut rows = Vec::with_capacity((series.len() - self.rows) * width);
        for row in self.rows..series.len() {
            let migrations: u32 = series
                .migrations
                .iter()
                .filter_map(|column| column.get(row))
                .sum();
            rows.push(series.time_ns[row]);
            rows.push(f64::from(series.idle_while_waiting[row]));
            rows.push(f64::from(migrations));
            rows.extend(
                series
                    .node_threads
                    .iter()
                    .map(|column| f64::from(column[row])),
            );
            rows.extend(
                series
                    .progress
                    .iter()
                    .map(|column| column.get(row).copied().unwrap_or(f64::NAN)),
            );
        }
        self.rows = series.len();
        rows
    }
}

fn states(snapshot: Snapshot) -> CpuStates {
    CpuStates {
        curr: snapshot.curr,
        queued: snapshot.queued,
        queued_start: snapshot.queued_start,
        load: snapshot.load,
        util: snapshot.util,
        spinning: snapshot.spinning,
    }
}

fn read(scenario: &str) -> Result<Scenario, Vec<String>> {
    Scenario::from_json(scenario).map_err(|problems| lines(&problems.0))
}

fn problems(error: teeter_sim::Error) -> Vec<String> {
    match error {
        teeter_sim::Error::Problems(problems) => lines(&problems),
        past @ teeter_sim::Error::Past { .. } => vec![past.to_string()],
    }
}

fn lines(problems: &[teeter_scenario::Problem]) -> Vec<String> {
    problems.iter().map(ToString::to_string).collect()
}
