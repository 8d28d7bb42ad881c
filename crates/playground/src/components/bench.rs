//! The machine on the bench: its parts, which of them are chosen, whether its picture is edited. One for the
//! whole page, so that tree and picture agree.

use std::rc::Rc;

use teeter_machine::Topology;
use teeter_scenario::Scenario;
use yew::prelude::*;

use crate::edit::Edit;
use crate::parts::{Change, Drawing, Path};

/// The machine as it is edited.
#[derive(Clone, PartialEq)]
pub(crate) struct Bench {
    /// Its parts; `None` where it cannot be built.
    pub drawing: Option<Rc<Drawing>>,
    /// The parts that are chosen, the one with the focus last; never none.
    pub chosen: Rc<Vec<Path>>,
    /// Whether its picture is edited.
    pub editing: bool,
    /// Chooses parts.
    pub choose: Callback<Vec<Path>>,
    /// Does something with the parts that are chosen.
    pub change: Callback<Change>,
    /// Does something with other parts.
    pub change_at: Callback<(Change, Vec<Path>)>,
    /// Edits its picture, or no longer.
    pub edit: Callback<bool>,
}

impl Bench {
    /// The part with the focus.
    pub(crate) fn focused(&self) -> Path {
        self.chosen.last().cloned().unwrap_or_default()
    }

    /// The same with a part among those that are chosen: it alone where it is not.
    pub(crate) fn with(&self, part: &Path) -> Self {
        if self.chosen.contains(part) {
            return self.clone();
        }
        let alone = vec![part.clone()];
        Self {
            change: {
                let alone = alone.clone();
                self.change_at.reform(move |change| (change, alone.clone()))
            },
            chosen: Rc::new(alone),
            ..self.clone()
        }
    }

    /// Chooses a part alone, or takes it into (out of) what is chosen.
    pub(crate) fn pick(&self, path: Path, also: bool) {
        if !also {
            self.choose.emit(vec![path]);
            return;
        }
        let mut all = (*self.chosen).clone();
        let known = all.len();
        // The machine as a whole is what is chosen where nothing is.
        all.retain(|other| *other != path && !other.is_empty());
        let was_there = self.chosen.contains(&path) && known > 0;
        if !was_there || all.is_empty() {
            all.push(path);
        }
        self.choose.emit(all);
    }
}

/// The bench of the page.
#[hook]
pub(crate) fn use_bench(
    scenario: &Rc<Scenario>,
    topology: Option<&Rc<Topology>>,
    edit: &Callback<Edit>,
) -> Bench {
    let chosen = use_state(|| Rc::new(vec![Path::new()]));
    let editing = use_state(|| false);
    let drawing = use_memo(
        (scenario.machine.clone(), topology.cloned()),
        |(machine, topology)| {
            let topology = topology.as_ref()?;
            Some(Rc::new(Drawing::of(machine, topology)))
        },
    );
    let drawing = (*drawing).clone();
    // What undo took away is chosen no longer.
    let there = |path: &&Path| drawing.as_ref().is_some_and(|drawing| drawing.has(path));
    let mut known: Vec<Path> = chosen.iter().filter(there).cloned().collect();
    if known.is_empty() {
        known.push(Path::new());
    }
    let choose = {
        let chosen = chosen.clone();
        Callback::from(move |paths: Vec<Path>| {
            if !paths.is_empty() {
                chosen.set(Rc::new(paths));
            }
        })
    };
    let change_at = {
        let (drawing, edit, choose) = (drawing.clone(), edit.clone(), choose.clone());
        Callback::from(move |(change, at): (Change, Vec<Path>)| {
            let Some(drawing) = &drawing else { return };
            let mut new = (**drawing).clone();
            let (label, next) = change.apply(&mut new, &at);
            if new != **drawing {
                edit.emit(Edit::Machine(new.machine(), label));
                if let Some(next) = next {
                    choose.emit(next);
                }
            }
        })
    };
    let known = Rc::new(known);
    Bench {
        drawing,
        change: {
            let known = Rc::clone(&known);
            change_at.reform(move |change| (change, (*known).clone()))
        },
        chosen: known,
        editing: *editing,
        choose,
        change_at,
        edit: Callback::from(move |on| editing.set(on)),
    }
}
