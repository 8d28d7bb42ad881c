//! Scenarios in links. All of it is in the fragment, which no server ever sees.
//!
//! ```text
//! https://host/path/#VIEW?VIEW-PARAMETERS&s=z1.847.7VbRbts….0c3f9a    a whole scenario
//! https://host/path/#p=lu-group                                       a preset
//! https://host/path/#p=lu-group&k=v5.5&set.domain.NUMA.imbalance_pct=115&/run/seed=3
//! ```
//!
//! The view is `edit`, which is left out, or `embed`. After `s=` comes `CODEC VERSION . LENGTH . DATA . CHECK`: codec
//! `z` is raw DEFLATE in base64url, `j` plain JSON in base64url (for which `j1.DATA` will do). After `p=` may come
//! changes: kernels (`k=`), tunables of every kernel (`set.NAME=`), and single values by JSON Pointer (`null` for the
//! default). Every other parameter belongs to the view and is kept as it is.

mod changes;
mod error;
mod fragment;
mod payload;

pub use error::{LinkError, Stage};

use crate::document::Scenario;
use crate::problem::{Problem, Problems};
use crate::{limits, presets};

/// Longer than this, old tools and some chat programs may cut a link.
pub const LENGTH_WARNING: usize = 2_000;
/// Longer than this, many servers and tools refuse an address.
pub const LENGTH_HINT: usize = 8_000;
/// Longer than this, a browser's address bar does not show it: offer the JSON instead.
pub const LENGTH_MOST: usize = 32_000;

/// What a link says.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// How the page is to look.
    pub view: View,
    /// Parameters of the view, in order: `theme`, `speed`, `t`, and what a later version may add. The keys that
    /// say what to show (`p`, `s`, and changes) are not among them, and are not written from here.
    pub params: Vec<(String, String)>,
    /// What it shows.
    pub scenario: Scenario,
}

/// How the page is to look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// The whole playground.
    #[default]
    Edit,
    /// A figure within another page.
    Embed,
}

impl View {
    /// All views.
    pub const ALL: [Self; 2] = [Self::Edit, Self::Embed];

    /// As it stands in a link.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Edit => "edit",
            Self::Embed => "embed",
        }
    }
}

impl Link {
    /// A link that opens a scenario in the playground.
    pub fn new(scenario: Scenario) -> Self {
        Self {
            view: View::Edit,
            params: Vec::new(),
            scenario,
        }
    }

    /// The fragment, with its `#`.
    ///
    /// ```
    /// use teeter_scenario::link::Link;
    /// use teeter_scenario::presets;
    ///
    /// let mut scenario = presets::get("lu-group").unwrap();
    /// assert_eq!(Link::new(scenario.clone()).encode(), "#p=lu-group");
    /// scenario.tasks[1].threads = 40;
    /// assert_eq!(Link::new(scenario).encode(), "#p=lu-group&/tasks/1/threads=40");
    /// ```
    pub fn encode(&self) -> String {
        let mut pairs = self.params.clone();
        pairs.retain(|(key, _)| !is_reserved(key));
        match nearest_preset(&self.scenario) {
            Some((name, changes)) => {
                pairs.push(("p".to_owned(), name.to_owned()));
                pairs.extend(changes);
            }
            None => pairs.push(("s".to_owned(), payload::encode(&self.scenario))),
        }
        let view = (self.view != View::default()).then(|| self.view.name());
        fragment::join(view, &pairs)
    }

    /// Reads a whole address, or a fragment with or without its `#`.
    ///
    /// # Errors
    /// Why it can not be opened, by [`Stage`].
    pub fn decode(link: &str) -> Result<Self, LinkError> {
        if link.len() > limits::LINK {
            return Err(LinkError::TooLong { length: link.len() });
        }
        let fragment = fragment::of(link).ok_or(LinkError::NoScenario)?;
        let (view, parameters) = fragment::split(fragment);
        let view = view.map_or(Ok(View::default()), read_view)?;
        let mut preset = None;
        let mut payload = None;
        let mut changes = Vec::new();
        let mut params = Vec::new();
        for (key, value) in parameters {
            match key.as_str() {
                "p" => preset = Some(value),
                "s" => payload = Some(value),
                key if changes::is_change(key) => changes.push((key.to_owned(), value)),
                _ => params.push((key, value)),
            }
        }
        let scenario = match (payload, preset) {
            (Some(payload), _) => payload::decode(&payload)?,
            (None, Some(name)) => {
                let preset = presets::get(&name).map_err(unknown_preset)?;
                changes::apply(preset, &changes)?
            }
            (None, None) => return Err(LinkError::NoScenario),
        };
        Ok(Self {
            view,
            params,
            scenario,
        })
    }
}

/// A scenario with one change, told as in a link: `set.TUNABLE`, a JSON Pointer or `k`, and the value as a text.
///
/// # Errors
/// [`LinkError::Change`] where that cannot be set, [`LinkError::Field`] where the scenario is none after it.
///
/// ```
/// use teeter_scenario::{link, presets};
///
/// let preset = presets::get("lu-group").unwrap();
/// let changed = link::change(preset, "/run/seed", "7").unwrap();
/// assert_eq!(changed.run.seed, 7);
/// ```
pub fn change(scenario: Scenario, key: &str, value: &str) -> Result<Scenario, LinkError> {
    if !changes::is_change(key) {
        return Err(LinkError::Change {
            key: key.to_owned(),
            message: "is neither a tunable nor a place of the document".to_owned(),
        });
    }
    changes::apply(scenario, &vec![(key.to_owned(), value.to_owned())])
}

/// The preset from which a scenario differs least, if by little, with the differences.
fn nearest_preset(scenario: &Scenario) -> Option<(&'static str, changes::Changes)> {
    presets::names()
        .filter_map(|name| {
            let preset = presets::get(name).ok()?;
            Some((name, changes::between(&preset, scenario)?))
        })
        .min_by_key(|(_, changes)| changes.len())
}

/// Whether a key says what to show, not how.
fn is_reserved(key: &str) -> bool {
    key == "p" || key == "s" || changes::is_change(key)
}

fn read_view(name: &str) -> Result<View, LinkError> {
    View::ALL
        .into_iter()
        .find(|view| view.name() == name)
        .ok_or_else(|| {
            let known = View::ALL.into_iter().map(View::name);
            LinkError::View(Problem::unknown("", "view", name, known))
        })
}

fn unknown_preset(problems: Problems) -> LinkError {
    let first = problems.0.into_iter().next();
    LinkError::Preset(first.unwrap_or_else(|| Problem::new("", "unknown preset")))
}
