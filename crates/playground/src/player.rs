//! Plays a scenario: one worker for each kernel, all in step, and what they have reported.

use std::cell::{Ref, RefCell};
use std::rc::Rc;

use teeter_scenario::{Nanos, Scenario};
use yew::Callback;

use crate::decision_log::DecisionLog;
use crate::edit;
use crate::pace::{Pace, Speed};
use crate::protocol::domains::CpuDomains;
use crate::protocol::window::{Explained, Window};
use crate::protocol::{FromWorker, StepKind, ToWorker};
use crate::recording::Recording;
use crate::runner::{Heard, Runner};

/// Figures and charts are redrawn no more often than this, ms.
const PULSE_MS: f64 = 120.0;

/// What a player tells the page.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// There is something new to show.
    Pulse,
    /// Every run has begun.
    Runs,
    /// A run cannot go on: one line for each problem.
    Failed(Vec<String>),
    /// A worker died: why, in words.
    Stopped(String),
}

/// A handle to the one player of the page; clones are the same player.
#[derive(Clone)]
pub struct Player(Rc<RefCell<Inner>>);

struct Inner {
    scenario: Option<Rc<Scenario>>,
    slots: Vec<Slot>,
    pace: Pace,
    playing: bool,
    generation: u32,
    last_frame_ms: Option<f64>,
    last_pulse_ms: f64,
    fresh: bool,
    pulses: u32,
    /// Number of the latest question about a window.
    looks: u32,
    /// The moment from which a change begins, while that is wanted.
    fork_ns: Option<f64>,
    watch: Watched,
    /// The CPU whose sched domains are looked at.
    looked: Option<u32>,
    listener: Callback<Event>,
}

/// One kernel's worker and what is known of its run.
struct Slot {
    runner: Runner,
    recording: Recording,
    decisions: DecisionLog,
    domains: Option<CpuDomains>,
    /// The window that was looked at last, and the decision of it that was asked for.
    window: Option<Rc<Window>>,
    explained: Option<Rc<Explained>>,
    /// The window that is being simulated.
    looks: Option<(f64, f64)>,
    loaded: bool,
}

impl Slot {
    fn new(runner: Runner) -> Self {
        Self {
            runner,
            recording: Recording::default(),
            decisions: DecisionLog::default(),
            domains: None,
            window: None,
            explained: None,
            looks: None,
            loaded: false,
        }
    }

    /// Forgets what was looked at of the run before.
    fn forget_windows(&mut self) {
        (self.window, self.explained, self.looks) = (None, None, None);
    }
}

/// Who wants to know of decisions.
#[derive(Default)]
struct Watched {
    /// The list, with its filter.
    list: Option<String>,
    /// An own rule, which wants to see the latest pass.
    latest: bool,
}

impl Watched {
    /// The filter for the workers; one that nothing passes where only the latest pass is wanted.
    fn filter(&self) -> Option<String> {
        let latest = self.latest.then(|| "0".to_owned());
        self.list.clone().or(latest)
    }
}

impl PartialEq for Player {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Player {
    /// A player without a scenario.
    pub fn new(playing: bool, speed: Speed) -> Self {
        Self(Rc::new(RefCell::new(Inner {
            scenario: None,
            slots: Vec::new(),
            pace: Pace::new(speed),
            playing,
            generation: 0,
            last_frame_ms: None,
            last_pulse_ms: f64::NEG_INFINITY,
            fresh: false,
            pulses: 0,
            looks: 0,
            fork_ns: None,
            watch: Watched::default(),
            looked: None,
            listener: Callback::noop(),
        })))
    }

    /// Who is told.
    pub fn listen(&self, listener: Callback<Event>) {
        self.0.borrow_mut().listener = listener;
    }

    /// Plays this scenario from now on: goes on where only a script entry that is still to come was
    /// appended, else begins again.
    pub fn sync(&self, scenario: &Rc<Scenario>) {
        let step = self.0.borrow().step_to(scenario);
        match step {
            Step::Keep => self.0.borrow_mut().scenario = Some(Rc::clone(scenario)),
            Step::Append => self.0.borrow_mut().append(scenario),
            Step::Load => self.load(scenario),
        }
    }

    /// Begins again at time 0.
    pub fn restart(&self) {
        let scenario = self.0.borrow().scenario.clone();
        if let Some(scenario) = scenario {
            self.load(&scenario);
        }
    }

    /// Runs or pauses; running one that is over (or whose worker died) begins again.
    pub fn toggle(&self) {
        self.show_latest();
        if self.finished() || self.0.borrow().slots.is_empty() {
            self.0.borrow_mut().playing = true;
            self.restart();
        } else {
            let mut inner = self.0.borrow_mut();
            inner.playing = !inner.playing;
            inner.fresh = true;
        }
    }

    /// Lets time go by, or not; a run that is over stays so.
    pub fn play(&self, playing: bool) {
        let mut inner = self.0.borrow_mut();
        inner.fresh |= inner.playing != playing;
        inner.playing = playing;
    }

    /// Sets the speed.
    pub fn set_speed(&self, speed: Speed) {
        let mut inner = self.0.borrow_mut();
        inner.pace.speed = speed;
        inner.fresh = true;
    }

    /// The speed.
    pub fn speed(&self) -> Speed {
        self.0.borrow().pace.speed
    }

    /// Whether simulated time goes by.
    pub fn playing(&self) -> bool {
        let inner = self.0.borrow();
        inner.playing && !inner.slots.is_empty() && !self.finished()
    }

    /// Whether every run is over.
    pub fn finished(&self) -> bool {
        let inner = self.0.borrow();
        !inner.slots.is_empty() && inner.slots.iter().all(|slot| slot.recording.finished)
    }

    /// Counts what was told; changes when there is something new to show.
    pub fn pulses(&self) -> u32 {
        self.0.borrow().pulses
    }

    /// Simulated time that is shown: what all runs have reached, or the moment looked at, ns.
    pub fn now_ns(&self) -> f64 {
        let inner = self.0.borrow();
        let past = inner.slots.iter().find(|slot| slot.recording.in_past);
        past.map_or_else(|| inner.slowest_ns(), |slot| slot.recording.now_ns)
    }

    /// When the run ends, simulated ns.
    pub fn end_ns(&self) -> f64 {
        self.0.borrow().end_ns()
    }

    /// How far all runs have come, simulated ns.
    pub fn reached_ns(&self) -> f64 {
        self.0.borrow().slowest_ns()
    }

    /// Whether a moment that has been is shown.
    pub fn in_past(&self) -> bool {
        let inner = self.0.borrow();
        inner.slots.iter().any(|slot| slot.recording.in_past)
    }

    /// Shows the machines at a moment that has been; simulated time stops meanwhile.
    pub fn seek(&self, at_ns: f64) {
        let mut inner = self.0.borrow_mut();
        inner.playing = false;
        inner.fork_ns = None;
        for slot in &inner.slots {
            slot.runner.tell(ToWorker::Seek { at_ns });
        }
    }

    /// Goes one step of a kernel's run on, or back; the others follow to the same time.
    pub fn step(&self, slot: usize, step: StepKind, back: bool) {
        let mut inner = self.0.borrow_mut();
        inner.playing = false;
        inner.fork_ns = None;
        if let Some(slot) = inner.slots.get(slot) {
            slot.runner.tell(ToWorker::Step { step, back });
        }
    }

    /// Shows the latest moment again.
    pub fn show_latest(&self) {
        let mut inner = self.0.borrow_mut();
        inner.fork_ns = None;
        inner.fresh = true;
        for slot in &mut inner.slots {
            slot.recording.show_latest();
        }
    }

    /// Has the next change begin at the moment shown, or no longer.
    pub fn fork(&self, on: bool) {
        let mut inner = self.0.borrow_mut();
        let now = inner.slots.first().map(|slot| slot.recording.now_ns);
        inner.fork_ns = now.filter(|_| on);
        inner.fresh = true;
    }

    /// The moment from which the next change begins, if that is wanted, ns.
    pub fn fork_ns(&self) -> Option<f64> {
        self.0.borrow().fork_ns
    }

    /// Has a window of a kernel's run simulated again, unless that is known or under way.
    pub fn zoom(&self, slot: usize, from_ns: f64, to_ns: f64) {
        let mut inner = self.0.borrow_mut();
        let id = inner.looks.wrapping_add(1);
        let Some(slot) = inner.slots.get_mut(slot).filter(|slot| slot.loaded) else {
            return;
        };
        let to_ns = to_ns.min(slot.recording.reached_ns);
        let known = slot.window.as_ref();
        let under_way = slot
            .looks
            .is_some_and(|(from, to)| from <= from_ns && to_ns <= to);
        if to_ns <= from_ns
            || under_way
            || known.is_some_and(|window| window.covers(from_ns, to_ns))
        {
            return;
        }
        slot.looks = Some((from_ns, to_ns));
        slot.runner.tell(ToWorker::Look { id, from_ns, to_ns });
        inner.looks = id;
    }

    /// The window of a kernel's run that was looked at last.
    pub fn window(&self, slot: usize) -> Option<Rc<Window>> {
        self.0.borrow().slots.get(slot)?.window.clone()
    }

    /// Has a decision of that window told.
    pub fn explain(&self, slot: usize, index: usize) {
        let inner = self.0.borrow();
        if let Some(slot) = inner.slots.get(slot)
            && let Some(window) = &slot.window
        {
            slot.runner.tell(ToWorker::Explain {
                id: window.id,
                index: index as u32,
            });
        }
    }

    /// The decision that was asked for last, if it is of the window looked at last.
    pub fn explained(&self, slot: usize) -> Option<Rc<Explained>> {
        let inner = self.0.borrow();
        let slot = inner.slots.get(slot)?;
        let explained = slot.explained.as_ref()?;
        (explained.id == slot.window.as_ref()?.id).then(|| Rc::clone(explained))
    }

    /// The moment at which a change made now takes effect, if the runs can take one.
    pub fn live_at(&self) -> Option<Nanos> {
        let inner = self.0.borrow();
        if let Some(fork) = inner.fork_ns {
            return Some(Nanos((fork / 1e6).ceil() as u64 * 1_000_000));
        }
        let at = inner.pace.next_ms_ns();
        let live = inner.playing && at > 0.0 && at < inner.end_ns();
        live.then_some(Nanos(at as u64))
    }

    /// Whether what is known of a kernel's run belongs to the scenario as it is now.
    pub fn is_current(&self, slot: usize) -> bool {
        self.0
            .borrow()
            .slots
            .get(slot)
            .is_some_and(|slot| slot.loaded)
    }

    /// Whether something that is shown belongs to an earlier scenario.
    pub fn is_stale(&self) -> bool {
        let inner = self.0.borrow();
        let shown = |slot: &Slot| !slot.loaded && slot.recording.now_ns > 0.0;
        inner.slots.iter().any(shown)
    }

    /// The recording of a kernel.
    pub fn recording(&self, slot: usize) -> Option<Ref<'_, Recording>> {
        Ref::filter_map(self.0.borrow(), |inner| {
            Some(&inner.slots.get(slot)?.recording)
        })
        .ok()
    }

    /// What is kept of a kernel's decisions.
    pub fn decisions(&self, slot: usize) -> Option<Ref<'_, DecisionLog>> {
        Ref::filter_map(self.0.borrow(), |inner| {
            Some(&inner.slots.get(slot)?.decisions)
        })
        .ok()
    }

    /// Has the decisions that pass a filter listed from now on; `None`: no longer.
    pub fn list_decisions(&self, filter: Option<String>) {
        self.watch(|watch| watch.list = filter);
    }

    /// Has the latest pass that weighed an imbalance kept, or no longer.
    pub fn keep_latest(&self, latest: bool) {
        self.watch(|watch| watch.latest = latest);
    }

    /// Has the sched domains of a CPU told from now on; `None`: no longer.
    pub fn look(&self, cpu: Option<u32>) {
        let mut inner = self.0.borrow_mut();
        if inner.looked != cpu {
            inner.looked = cpu;
            if let Some(cpu) = cpu {
                for slot in inner.slots.iter().filter(|slot| slot.loaded) {
                    slot.runner.tell(ToWorker::Domains { cpu });
                }
            }
        }
    }

    /// The sched domains of the CPU that is looked at, under a kernel.
    pub fn domains(&self, slot: usize) -> Option<CpuDomains> {
        let inner = self.0.borrow();
        let found = inner.slots.get(slot)?.domains.clone()?;
        (inner.looked == Some(found.cpu)).then_some(found)
    }

    fn watch(&self, change: impl FnOnce(&mut Watched)) {
        let mut inner = self.0.borrow_mut();
        let before = inner.watch.filter();
        change(&mut inner.watch);
        let filter = inner.watch.filter();
        if filter != before {
            for slot in &mut inner.slots {
                slot.decisions = DecisionLog::default();
                slot.runner.tell(ToWorker::Watch {
                    filter: filter.clone(),
                });
            }
            inner.fresh = true;
        }
    }

    /// One frame of the page at `now_ms` of the wall clock: grants time, lets old marks fade.
    pub fn frame(&self, now_ms: f64) {
        let told = self.0.borrow_mut().frame(now_ms);
        if let Some((listener, event)) = told {
            listener.emit(event);
        }
    }

    fn load(&self, scenario: &Rc<Scenario>) {
        let mut failed = None;
        {
            let mut inner = self.0.borrow_mut();
            inner.generation += 1;
            inner.scenario = Some(Rc::clone(scenario));
            inner.pace.restart();
            if let Some(fork) = inner.fork_ns.take() {
                // On to where the new future begins, as fast as it goes.
                inner.pace.skip_to(fork);
                inner.playing = true;
            }
            inner.fresh = true;
            // What is shown is marked as outdated at once.
            inner.last_pulse_ms = f64::NEG_INFINITY;
            inner.slots.truncate(scenario.kernels.len());
            while inner.slots.len() < scenario.kernels.len() {
                match self.start_runner(inner.slots.len()) {
                    Ok(runner) => {
                        let filter = inner.watch.filter();
                        if filter.is_some() {
                            runner.tell(ToWorker::Watch { filter });
                        }
                        inner.slots.push(Slot::new(runner));
                    }
                    Err(error) => {
                        failed = Some(format!("the browser did not start a worker: {error:?}"));
                        break;
                    }
                }
            }
            let generation = inner.generation;
            for (kernel, slot) in inner.slots.iter_mut().enumerate() {
                slot.loaded = false;
                slot.recording.finished = false;
                slot.recording.show_latest();
                slot.forget_windows();
                slot.runner.tell(ToWorker::Load {
                    generation,
                    scenario: scenario.to_json(),
                    kernel: kernel as u32,
                });
            }
        }
        if let Some(why) = failed {
            self.tell(Event::Stopped(why));
        }
    }

    fn start_runner(&self, slot: usize) -> Result<Runner, wasm_bindgen::JsValue> {
        let player = Rc::downgrade(&self.0);
        Runner::start(move |heard| {
            if let Some(inner) = player.upgrade() {
                Self(inner).hear(slot, heard);
            }
        })
    }

    fn hear(&self, slot: usize, heard: Heard) {
        let event = match heard {
            Heard::Message(message) => self.0.borrow_mut().take(slot, *message),
            Heard::Died(why) => {
                self.bury();
                Some(Event::Stopped(why))
            }
        };
        if let Some(event) = event {
            self.tell(event);
        }
    }

    /// Ends all workers: what one of them died of may be in the others too. The next load starts new ones.
    fn bury(&self) {
        let dead = {
            let mut inner = self.0.borrow_mut();
            inner.fresh = true;
            std::mem::take(&mut inner.slots)
        };
        // This is called by a listener of one of them, which must outlive the call.
        gloo::timers::callback::Timeout::new(0, move || drop(dead)).forget();
    }

    fn tell(&self, event: Event) {
        let listener = self.0.borrow().listener.clone();
        listener.emit(event);
    }
}

/// How a player comes to a scenario.
#[derive(Debug, PartialEq)]
enum Step {
    Keep,
    Append,
    Load,
}

impl Inner {
    fn step_to(&self, scenario: &Rc<Scenario>) -> Step {
        let Some(old) = self.scenario.as_ref().filter(|_| !self.slots.is_empty()) else {
            return Step::Load;
        };
        let loaded = self.slots.iter().all(|slot| slot.loaded);
        let credit = Nanos(self.pace.credit_ns() as u64);
        if edit::runs_alike(old, scenario) {
            Step::Keep
        } else if loaded && edit::continuation(old, scenario, credit).is_some() {
            Step::Append
        } else {
            Step::Load
        }
    }

    fn append(&mut self, scenario: &Rc<Scenario>) {
        self.fork_ns = None;
        self.scenario = Some(Rc::clone(scenario));
        for slot in &self.slots {
            slot.runner.tell(ToWorker::Append {
                scenario: scenario.to_json(),
            });
        }
        self.fresh = true;
    }

    fn slowest_ns(&self) -> f64 {
        let known = self.slots.iter().map(|slot| {
            if slot.loaded {
                slot.recording.reached_ns
            } else {
                0.0
            }
        });
        known.reduce(f64::min).unwrap_or(0.0)
    }

    fn end_ns(&self) -> f64 {
        self.slots
            .iter()
            .map(|slot| slot.recording.run.end_ns)
            .fold(0.0, f64::max)
    }

    /// Takes in a message; gives what there is to tell at once.
    fn take(&mut self, place: usize, message: FromWorker) -> Option<Event> {
        let scenario = Rc::clone(self.scenario.as_ref()?);
        let generation = self.generation;
        let slot = self.slots.get_mut(place)?;
        match message {
            FromWorker::Loaded(run) if run.generation == generation => {
                slot.recording = Recording::new(run, &scenario);
                slot.decisions = DecisionLog::default();
                slot.loaded = true;
                if let Some(cpu) = self.looked {
                    slot.runner.tell(ToWorker::Domains { cpu });
                }
                let all = self.slots.iter().all(|slot| slot.loaded);
                return all.then_some(Event::Runs);
            }
            FromWorker::Frame(frame) if frame.generation == generation && slot.loaded => {
                // First results are shown at once.
                if slot.recording.now_ns == 0.0 {
                    self.last_pulse_ms = f64::NEG_INFINITY;
                }
                slot.recording.take(frame, js_sys::Date::now());
                self.fresh = true;
            }
            FromWorker::Window(window) if window.generation == generation && slot.loaded => {
                slot.looks = None;
                slot.window = Some(Rc::new(window));
                self.last_pulse_ms = f64::NEG_INFINITY;
                self.fresh = true;
            }
            FromWorker::Explained(explained) if explained.generation == generation => {
                slot.explained = Some(Rc::new(explained));
                self.last_pulse_ms = f64::NEG_INFINITY;
                self.fresh = true;
            }
            FromWorker::Moment(moment) if moment.generation == generation && slot.loaded => {
                let (stepped, at_ns) = (moment.stepped, moment.at_ns);
                slot.recording.show(moment);
                self.last_pulse_ms = f64::NEG_INFINITY;
                self.fresh = true;
                if stepped {
                    for (_, other) in self.slots.iter().enumerate().filter(|(at, _)| *at != place) {
                        other.runner.tell(ToWorker::Seek { at_ns });
                    }
                }
            }
            FromWorker::Decisions(news) if news.generation == generation && slot.loaded => {
                slot.decisions.take(news);
                self.fresh = true;
            }
            FromWorker::Domains(told) if told.generation == generation => {
                slot.domains = Some(told);
                self.fresh = true;
            }
            FromWorker::Failed(failed)
                if failed.generation == generation || failed.generation == 0 =>
            {
                self.fresh = true;
                return Some(Event::Failed(failed.problems));
            }
            _ => {}
        }
        None
    }

    fn frame(&mut self, now_ms: f64) -> Option<(Callback<Event>, Event)> {
        let step_s = self.last_frame_ms.map_or(0.0, |last| (now_ms - last) / 1e3);
        self.last_frame_ms = Some(now_ms);
        let loaded = !self.slots.is_empty() && self.slots.iter().all(|slot| slot.loaded);
        if self.playing && loaded {
            let credit = self.pace.credit_ns();
            let (slowest, end) = (self.slowest_ns(), self.end_ns());
            let until_ns = self.pace.advance(step_s, slowest, end);
            if until_ns > credit {
                for slot in &self.slots {
                    slot.runner.tell(ToWorker::Advance { until_ns });
                }
            }
        }
        let wall_ms = js_sys::Date::now();
        for slot in &mut self.slots {
            slot.recording.fade(wall_ms);
        }
        if self.fresh && now_ms - self.last_pulse_ms >= PULSE_MS {
            self.fresh = false;
            self.last_pulse_ms = now_ms;
            self.pulses = self.pulses.wrapping_add(1);
            return Some((self.listener.clone(), Event::Pulse));
        }
        None
    }
}
