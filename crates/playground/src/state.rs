//! The visitor's work: one scenario, its history, and what there is to tell about it. Pure: no browser here.

use std::rc::Rc;

use teeter_scenario::Scenario;
use yew::Reducible;

use crate::edit::Edit;

/// Steps of undo that are kept.
const HISTORY: usize = 2_000;
/// Edits of one key no further apart than this are one step, ms.
const MERGE_MS: f64 = 800.0;

/// The scenario on the desk, with the steps before and after it.
#[derive(Clone, Debug, PartialEq)]
pub struct Desk {
    /// What is shown and run.
    pub scenario: Rc<Scenario>,
    /// What could not be done, shown until dismissed.
    pub notice: Option<Notice>,
    past: Vec<Step>,
    future: Vec<Step>,
    last: Option<(String, f64)>,
}

/// A state to go back (or forward) to, and the name of the change that lies between.
#[derive(Clone, Debug, PartialEq)]
struct Step {
    scenario: Rc<Scenario>,
    label: Rc<str>,
}

/// Something that failed, in words.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Notice {
    /// One sentence: what failed.
    pub title: String,
    /// Why, and what to do.
    pub details: Vec<String>,
    /// The text that could not be read, to be copied.
    pub raw: Option<String>,
    /// The part of it that could be read.
    pub salvaged: Option<Rc<Scenario>>,
    /// Nothing failed: there is only something to tell.
    pub calm: bool,
}

/// What happens to the desk.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// A change by hand, at a time of the wall clock in ms (merges quick ones).
    Edit(Edit, f64),
    /// Another scenario takes the place; the old one is one undo away.
    Open(Rc<Scenario>, String),
    /// One step back.
    Undo,
    /// One step forward again.
    Redo,
    /// So many steps back.
    Back(usize),
    /// So many steps forward again.
    Forward(usize),
    /// Something failed.
    Tell(Notice),
    /// The scenario runs: what was told of it before is past.
    Runs,
    /// The notice was read.
    Dismiss,
}

impl Desk {
    /// A desk with one scenario and no history.
    pub fn new(scenario: Rc<Scenario>, notice: Option<Notice>) -> Self {
        Self {
            scenario,
            notice,
            past: Vec::new(),
            future: Vec::new(),
            last: None,
        }
    }

    /// The name of the step undo would take back.
    pub fn undo_label(&self) -> Option<&str> {
        self.past.last().map(|step| &*step.label)
    }

    /// The name of the step redo would do again.
    pub fn redo_label(&self) -> Option<&str> {
        self.future.last().map(|step| &*step.label)
    }

    /// What still has to be told after a change: a link that could not be opened is not mended by one, a
    /// scenario that could not be run may be.
    fn standing_notice(&self) -> Option<Notice> {
        self.notice.clone().filter(|notice| notice.raw.is_some())
    }

    fn replace(&self, scenario: Rc<Scenario>, label: &str, last: Option<(String, f64)>) -> Self {
        let merges = match (&last, &self.last) {
            (Some((key, now)), Some((last_key, then))) => key == last_key && now - then <= MERGE_MS,
            _ => false,
        };
        let mut past = self.past.clone();
        if merges && let Some(step) = past.last_mut() {
            step.label = label.into();
        } else {
            past.push(Step {
                scenario: Rc::clone(&self.scenario),
                label: label.into(),
            });
        }
        let surplus = past.len().saturating_sub(HISTORY);
        past.drain(..surplus);
        Self {
            scenario,
            notice: self.standing_notice(),
            past,
            future: Vec::new(),
            last,
        }
    }

    /// The names of the steps taken, newest first, and of those undone, the last to be done again first.
    pub fn steps(&self) -> (Vec<&str>, Vec<&str>) {
        let done = self.past.iter().rev().map(|step| &*step.label);
        let undone = self.future.iter().map(|step| &*step.label);
        (done.collect(), undone.collect())
    }

    fn walk(self: Rc<Self>, steps: usize, step: fn(&Self) -> Option<Self>) -> Rc<Self> {
        (0..steps).fold(self, |desk, _| step(&desk).map_or(desk, Rc::new))
    }

    fn undo(&self) -> Option<Self> {
        let mut new = Self {
            last: None,
            notice: self.standing_notice(),
            ..self.clone()
        };
        let step = new.past.pop()?;
        new.future.push(Step {
            scenario: Rc::clone(&self.scenario),
            label: step.label,
        });
        new.scenario = step.scenario;
        Some(new)
    }

    fn redo(&self) -> Option<Self> {
        let mut new = Self {
            last: None,
            notice: self.standing_notice(),
            ..self.clone()
        };
        let step = new.future.pop()?;
        new.past.push(Step {
            scenario: Rc::clone(&self.scenario),
            label: step.label,
        });
        new.scenario = step.scenario;
        Some(new)
    }
}

impl Reducible for Desk {
    type Action = Action;

    fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        match action {
            Action::Edit(edit, now) => {
                let scenario = edit.apply(&self.scenario);
                if scenario == *self.scenario {
                    return self;
                }
                let last = edit.key().map(|key| (key, now));
                Rc::new(self.replace(Rc::new(scenario), &edit.label(), last))
            }
            Action::Open(scenario, _) if scenario == self.scenario => Rc::new(Self {
                notice: None,
                ..(*self).clone()
            }),
            Action::Open(scenario, label) => Rc::new(Self {
                notice: None,
                ..self.replace(scenario, &label, None)
            }),
            Action::Undo => self.undo().map_or(self, Rc::new),
            Action::Redo => self.redo().map_or(self, Rc::new),
            Action::Back(steps) => self.walk(steps, Self::undo),
            Action::Forward(steps) => self.walk(steps, Self::redo),
            Action::Tell(notice) => Rc::new(Self {
                notice: Some(notice),
                ..(*self).clone()
            }),
            Action::Runs if self.notice == self.standing_notice() => self,
            Action::Runs if self.notice.as_ref().is_some_and(|notice| notice.calm) => self,
            Action::Runs => Rc::new(Self {
                notice: self.standing_notice(),
                ..(*self).clone()
            }),
            Action::Dismiss => Rc::new(Self {
                notice: None,
                ..(*self).clone()
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::{TaskEdit, TaskField};
    use teeter_scenario::document::{Machine, Tasks, Workload};

    fn desk() -> Rc<Desk> {
        let tasks = vec![Tasks::new("hog", Workload::Hog)];
        Rc::new(Desk::new(
            Rc::new(Scenario::new(Machine::preset("laptop"), tasks)),
            None,
        ))
    }

    fn threads(threads: u32, at: f64) -> Action {
        let edit = TaskEdit::Field {
            task: 0,
            field: TaskField::Threads(threads),
        };
        Action::Edit(edit.into(), at)
    }

    #[test]
    fn undo_and_redo_walk_the_same_path() {
        let desk = desk().reduce(threads(2, 0.0)).reduce(threads(3, 5_000.0));
        assert_eq!(desk.undo_label(), Some("set 3 threads"));
        let back = desk.clone().reduce(Action::Undo);
        assert_eq!(back.scenario.tasks[0].threads, 2);
        assert_eq!(back.redo_label(), Some("set 3 threads"));
        assert_eq!(back.reduce(Action::Redo).scenario, desk.scenario);
    }

    #[test]
    fn any_step_is_one_move_away() {
        let start = desk();
        let edits = [2, 3, 4].map(|n| threads(n, f64::from(n) * 5_000.0));
        let desk = edits.into_iter().fold(start.clone(), Reducible::reduce);
        let names = ["set 4 threads", "set 3 threads", "set 2 threads"];
        assert_eq!(desk.steps(), (names.to_vec(), vec![]));
        let back = desk.clone().reduce(Action::Back(2));
        assert_eq!(back.scenario.tasks[0].threads, 2);
        assert_eq!(back.steps(), (vec![names[2]], vec![names[0], names[1]]));
        assert_eq!(
            back.clone().reduce(Action::Back(9)).scenario,
            start.scenario
        );
        assert_eq!(back.reduce(Action::Forward(2)).scenario, desk.scenario);
    }

    #[test]
    fn a_drag_is_one_step() {
        let start = desk();
        let desk = (2..50).fold(start.clone(), |desk, n| {
            desk.reduce(threads(n, f64::from(n) * 100.0))
        });
        assert_eq!(desk.scenario.tasks[0].threads, 49);
        assert_eq!(desk.reduce(Action::Undo).scenario, start.scenario);
    }

    #[test]
    fn a_new_edit_forgets_what_was_undone() {
        let desk = desk()
            .reduce(threads(2, 0.0))
            .reduce(Action::Undo)
            .reduce(threads(7, 9_000.0));
        assert_eq!(desk.redo_label(), None);
        assert_eq!(desk.undo_label(), Some("set 7 threads"));
    }

    #[test]
    fn an_edit_that_changes_nothing_is_no_step() {
        let start = desk();
        let same = start.clone().reduce(threads(1, 0.0));
        assert!(Rc::ptr_eq(&start, &same));
    }

    #[test]
    fn a_failure_keeps_the_work_and_its_history() {
        let desk = desk().reduce(threads(2, 0.0));
        let told = desk.clone().reduce(Action::Tell(Notice::default()));
        assert_eq!(told.scenario, desk.scenario);
        assert!(told.notice.is_some());
        assert_eq!(told.clone().reduce(Action::Dismiss), desk);
        let other = Rc::new(Edit::Seed(9).apply(&desk.scenario));
        let opened = told.reduce(Action::Open(other, "open a link".to_owned()));
        assert!(opened.notice.is_none());
        assert_eq!(opened.reduce(Action::Undo).scenario, desk.scenario);
    }

    #[test]
    fn a_change_outdates_what_was_told_of_a_run_but_not_of_a_link() {
        let failed = |raw: Option<&str>| {
            let notice = Notice {
                raw: raw.map(str::to_owned),
                ..Notice::default()
            };
            desk().reduce(Action::Tell(notice)).reduce(threads(2, 0.0))
        };
        let told = desk().reduce(Action::Tell(Notice::default()));
        assert!(told.reduce(Action::Runs).notice.is_none());
        assert!(failed(None).notice.is_none());
        assert!(failed(Some("#s=z1")).notice.is_some());
        assert!(failed(Some("#s=z1")).reduce(Action::Runs).notice.is_some());
    }

    #[test]
    fn history_is_bounded() {
        let edits = HISTORY as u32 + 10;
        let desk = (0..edits).fold(desk(), |desk, n| {
            desk.reduce(Action::Edit(Edit::Seed(u64::from(n) + 100), 0.0))
        });
        assert_eq!(desk.past.len(), HISTORY);
    }
}
