//! How the playground looks within another page, as its link says: `#embed?controls=play&panels=machine&p=lu-group`.
//! Pure: no browser here. [`message`] is what such a page and its host say to each other.
//!
//! Parameters are those of LINKS: what is not known is passed over (a later version may have added it), a value that
//! is not understood is told below the figure and its default stands.

pub mod message;

use crate::pace::Speed;

/// What a link asks of an embed; every part has a default.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// `theme=`: `auto` (as the host's page asks its browser for), `light`, `dark`, `contrast`.
    pub theme: &'static str,
    /// `controls=`: what a reader may do.
    pub controls: Controls,
    /// `panels=`: what is shown, in this order.
    pub panels: Vec<Panel>,
    /// `knobs=`: dotted names of what `controls=params` lets a reader turn; none: `imbalance_pct` of every level.
    pub knobs: Vec<String>,
    /// `run=`: when the simulation begins by itself.
    pub run: Run,
    /// `speed=`: simulated seconds in one second, or `max`.
    pub speed: Speed,
    /// What of the link was not understood, a line each.
    pub faults: Vec<String>,
}

impl Default for Look {
    fn default() -> Self {
        Self {
            theme: THEMES[0],
            controls: Controls::Play,
            panels: vec![Panel::Machine, Panel::Threads],
            knobs: Vec::new(),
            run: Run::Visible,
            speed: Speed::Times(1.0),
            faults: Vec::new(),
        }
    }
}

/// The themes an embed may be told to wear.
pub const THEMES: [&str; 4] = ["auto", "light", "dark", "contrast"];

/// What a reader may do with the figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Controls {
    /// Nothing but open it in Teeter.
    None,
    /// Run, pause, begin again.
    Play,
    /// The same, and turn the knobs that its author chose.
    Params,
    /// The same, and choose kernels and speed.
    Full,
}

/// A part of the page that an embed may show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Panel {
    /// The machine under each kernel.
    Machine,
    /// CPUs or threads over time.
    Timeline,
    /// Threads on each node over time.
    Threads,
    /// Throughput over time.
    Throughput,
    /// The table of results.
    Comparison,
    /// Decisions with their filter.
    Decisions,
}

/// When an embed runs by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Run {
    /// Not before it is asked to.
    Never,
    /// From the start, in sight or not.
    Always,
    /// While it can be seen.
    Visible,
}

impl Controls {
    const ALL: [(&'static str, Self); 4] = [
        ("none", Self::None),
        ("play", Self::Play),
        ("params", Self::Params),
        ("full", Self::Full),
    ];
}

impl Panel {
    const ALL: [(&'static str, Self); 6] = [
        ("machine", Self::Machine),
        ("timeline", Self::Timeline),
        ("threads", Self::Threads),
        ("throughput", Self::Throughput),
        ("comparison", Self::Comparison),
        ("decisions", Self::Decisions),
    ];

    /// As it stands in a link.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].0
    }
}

impl Run {
    const ALL: [(&'static str, Self); 3] = [
        ("0", Self::Never),
        ("1", Self::Always),
        ("visible", Self::Visible),
    ];
}

/// Knobs beyond these are too many for a figure.
const MOST_KNOBS: usize = 12;

impl Look {
    /// Of a link's parameters.
    pub fn of_params(params: &[(String, String)]) -> Self {
        let mut look = Self::default();
        for (key, value) in params {
            look.take(key, value);
        }
        look
    }

    fn take(&mut self, key: &str, value: &str) {
        match key {
            "theme" => {
                let theme = THEMES.into_iter().find(|theme| *theme == value);
                self.keep(key, value, &THEMES, theme, |look, theme| {
                    look.theme = theme;
                });
            }
            "controls" => {
                // `play,params` lists; the most that is named counts.
                let named = value.split(',').map(|name| find(&Controls::ALL, name));
                let most = named.collect::<Option<Vec<_>>>().unwrap_or_default();
                let most = most.into_iter().max();
                self.keep(
                    key,
                    value,
                    &names(&Controls::ALL),
                    most,
                    |look, controls| {
                        look.controls = controls;
                    },
                );
            }
            "panels" => {
                let named = value.split(',').map(|name| find(&Panel::ALL, name));
                let panels = named.collect::<Option<Vec<_>>>();
                self.keep(key, value, &names(&Panel::ALL), panels, |look, panels| {
                    look.panels = panels;
                });
            }
            "knobs" => {
                let named = value.split(',').filter(|name| !name.is_empty());
                self.knobs = named.take(MOST_KNOBS).map(str::to_owned).collect();
            }
            "readonly" if value != "0" => self.controls = self.controls.min(Controls::Play),
            "run" => {
                let run = find(&Run::ALL, value);
                self.keep(key, value, &names(&Run::ALL), run, |look, run| {
                    look.run = run;
                });
            }
            "speed" => {
                let speed = Speed::from_value(value);
                let known = Speed::ALL.map(|(value, ..)| value);
                self.keep(key, value, &known, speed, |look, speed| {
                    look.speed = speed;
                });
            }
            _ => {}
        }
    }

    fn keep<T>(
        &mut self,
        key: &str,
        value: &str,
        known: &[&str],
        read: Option<T>,
        keep: impl FnOnce(&mut Self, T),
    ) {
        match read {
            Some(read) => keep(self, read),
            None => self.faults.push(format!(
                "The link's {key}={value} is not one of {}.",
                known.join(", ")
            )),
        }
    }
}

fn find<T: Copy>(all: &[(&'static str, T)], name: &str) -> Option<T> {
    let found = all.iter().find(|(known, _)| *known == name.trim());
    found.map(|(_, value)| *value)
}

fn names<T>(all: &[(&'static str, T)]) -> Vec<&'static str> {
    all.iter().map(|(name, _)| *name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(params: &[(&str, &str)]) -> Look {
        let owned = params
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        Look::of_params(&owned.collect::<Vec<_>>())
    }

    #[test]
    fn a_link_without_parameters_shows_the_machine_and_one_chart() {
        assert_eq!(look(&[]), Look::default());
        assert_eq!(look(&[("lang", "en")]), Look::default());
    }

    #[test]
    fn all_that_is_named_is_taken_in_order() {
        let look = look(&[
            ("theme", "dark"),
            ("controls", "play,params"),
            ("panels", "comparison,machine"),
            ("knobs", "domain.NUMA.imbalance_pct,migration_cost"),
            ("run", "0"),
            ("speed", "max"),
        ]);
        assert_eq!(look.theme, "dark");
        assert_eq!(look.controls, Controls::Params);
        assert_eq!(look.panels, [Panel::Comparison, Panel::Machine]);
        assert_eq!(look.knobs.len(), 2);
        assert_eq!((look.run, look.speed), (Run::Never, Speed::Fastest));
        assert!(look.faults.is_empty());
    }

    #[test]
    fn what_is_not_understood_is_told_and_its_default_stands() {
        let look = look(&[("run", "later"), ("panels", "machine,engine")]);
        assert_eq!(look.run, Run::Visible);
        assert_eq!(look.panels, Look::default().panels);
        assert_eq!(look.faults.len(), 2);
        assert!(look.faults[0].contains("0, 1, visible"), "{look:?}");
    }

    #[test]
    fn a_figure_to_be_read_cannot_be_turned() {
        let look = look(&[("controls", "full"), ("readonly", "1")]);
        assert_eq!(look.controls, Controls::Play);
    }

    #[test]
    fn panels_are_named_as_they_are_listed() {
        for (name, panel) in Panel::ALL {
            assert_eq!(panel.name(), name);
        }
    }
}
