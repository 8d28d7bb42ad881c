//! What a figure answers the page around it.

use std::rc::Rc;

use teeter_scenario::link::{self, Link, LinkError};
use teeter_scenario::{Nanos, Scenario};
use yew::prelude::*;

use super::told::{metrics, ready, whole_link};
use crate::edit::{Edit, KernelEdit};
use crate::embedded::message::{Asked, Fault, Request, Said, Wanted};
use crate::hooks::{Host, Theme};
use crate::player::Player;
use crate::state::{Action, Desk};

/// What answers the host.
pub(super) struct Answers {
    pub desk: UseReducerHandle<Desk>,
    pub player: Player,
    /// Whether time is to go by.
    pub wanted: UseStateHandle<bool>,
    pub theme: UseStateHandle<Theme>,
}

impl Answers {
    /// Does what is asked, and says so.
    pub(super) fn answer(&self, host: &Host, request: Result<Request, Fault>) {
        let Request { id, what } = match request {
            Ok(request) => request,
            Err(fault) => return host.tell(&fault.into()),
        };
        if what == Asked::Ping {
            return host.tell(&ready());
        }
        match self.obey(what) {
            Ok(value) if value.is_some() || id.is_some() => host.tell(&Said::Result {
                id,
                value: value.unwrap_or_default(),
            }),
            Ok(_) => {}
            Err((code, message)) => host.tell(&Said::Error { code, message, id }),
        }
    }

    fn obey(&self, what: Asked) -> Result<Option<serde_json::Value>, (&'static str, String)> {
        match what {
            Asked::Ping => {}
            Asked::LoadScenario(value) => {
                let scenario = Scenario::from_value(&value)
                    .map_err(|problems| ("scenario", problems.to_string()))?;
                self.open(scenario);
            }
            Asked::LoadLink(link) => {
                let link = Link::decode(&link).map_err(|error| ("link", in_words(&error)))?;
                self.open(link.scenario);
            }
            Asked::Set { path, value } => {
                let edit = self
                    .set(&path, &value)
                    .map_err(|error| ("set", in_words(&error)))?;
                self.desk.dispatch(Action::Edit(edit, js_sys::Date::now()));
            }
            Asked::Run => {
                if self.player.finished() {
                    self.player.restart();
                }
                self.wanted.set(true);
            }
            Asked::Pause => self.wanted.set(false),
            Asked::Restart => self.player.restart(),
            Asked::Seek(at_s) => {
                self.wanted.set(false);
                self.player.seek(at_s.max(0.0) * 1e9);
            }
            Asked::Theme(name) => self.theme.set(Theme::from_name(&name)),
            Asked::Get(Wanted::Scenario) => return Ok(Some(self.desk.scenario.to_value())),
            Asked::Get(Wanted::Link) => return Ok(Some(whole_link(&self.desk.scenario).into())),
            Asked::Get(Wanted::Metrics) => {
                let metrics = metrics(&self.desk.scenario, &self.player);
                return Ok(serde_json::to_value(metrics).ok());
            }
        }
        Ok(None)
    }

    fn open(&self, scenario: Scenario) {
        let label = "open another scenario".to_owned();
        self.desk.dispatch(Action::Open(Rc::new(scenario), label));
    }

    /// The edit that sets a tunable or a place of the document: written into the script where the run goes on and it
    /// can be, as a reader's turn of a knob is.
    fn set(&self, path: &str, value: &serde_json::Value) -> Result<Edit, LinkError> {
        let scenario = &self.desk.scenario;
        if let (false, Some(at)) = (path.starts_with('/'), self.player.live_at())
            && let Some(edit) = live(scenario, path, value, at)
        {
            return Ok(edit);
        }
        let key = if path.starts_with('/') {
            path.to_owned()
        } else {
            format!("set.{path}")
        };
        let changed = link::change((**scenario).clone(), &key, &value.to_string())?;
        Ok(Edit::Whole(Rc::new(changed)))
    }
}

fn live(scenario: &Scenario, path: &str, value: &serde_json::Value, at: Nanos) -> Option<Edit> {
    let set = KernelEdit::Set {
        slot: None,
        name: path.to_owned(),
        value: Some(serde_json::from_value(value.clone()).ok()?),
    };
    Edit::from(set).live(scenario, at)
}

/// What is wrong with a link or a change, with its details.
fn in_words(error: &LinkError) -> String {
    match error {
        LinkError::Field { problems, .. } => problems.to_string(),
        other => other.to_string(),
    }
}
