//! The design tokens as colours for canvases, and what wears which.

use teeter_scenario::Scenario;
use teeter_sim::ThreadTable;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

/// Colours a canvas needs, as the page's style has them now.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Palette {
    /// Text and lines that must be read.
    pub ink: Colour,
    /// Lesser text.
    pub secondary: Colour,
    /// Frames.
    pub line: Colour,
    /// Frames that must be seen.
    pub line_strong: Colour,
    /// What lies behind cards.
    pub background: Colour,
    /// Cards.
    pub panel: Colour,
    /// Idle cells.
    pub soft: Colour,
    /// What is wrong.
    pub harm: Colour,
    /// Cgroups in order.
    pub cgroups: Vec<Colour>,
    /// NUMA nodes in order.
    pub nodes: Vec<Colour>,
}

/// An opaque colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Colour {
    /// Red, green and blue, 0 to 255.
    pub rgb: [u8; 3],
}

impl Colour {
    /// CSS, with this much opacity.
    pub fn css(self, opacity: f64) -> String {
        let [r, g, b] = self.rgb;
        format!("rgb({r} {g} {b} / {opacity:.3})")
    }

    /// Reads what a browser computes for a colour: `rgb(…)`, `rgba(…)`.
    pub fn from_computed(text: &str) -> Option<Self> {
        let inside = text.split_once('(')?.1.trim_end_matches(')');
        let mut numbers = inside
            .split([',', ' ', '/'])
            .filter(|part| !part.is_empty())
            .map(str::parse::<f64>);
        let mut next = || Some(numbers.next()?.ok()?.round().clamp(0.0, 255.0) as u8);
        Some(Self {
            rgb: [next()?, next()?, next()?],
        })
    }
}

impl Palette {
    /// Reads the tokens as they are computed for the page now.
    pub fn read() -> Self {
        let token = reader();
        let many = |name: &str, count: usize| {
            (0..count)
                .map(|n| token(&format!("--{name}-{n}")))
                .collect()
        };
        Self {
            ink: token("--ink"),
            secondary: token("--secondary"),
            line: token("--line"),
            line_strong: token("--line-strong"),
            background: token("--background"),
            panel: token("--panel"),
            soft: token("--soft"),
            harm: token("--harm"),
            cgroups: many("cgroup", 6),
            nodes: many("node", 8),
        }
    }

    /// Colour of a cgroup by its place; places beyond the last colour begin again.
    pub fn cgroup(&self, place: usize) -> Colour {
        cycle(&self.cgroups, place)
    }

    /// Colour of a node's line.
    pub fn node(&self, node: usize) -> Colour {
        cycle(&self.nodes, node)
    }
}

fn cycle(colours: &[Colour], place: usize) -> Colour {
    match colours.len() {
        0 => Colour::default(),
        count => colours[place % count],
    }
}

/// A probe element that resolves custom properties; it leaves the page when dropped.
fn reader() -> impl Fn(&str) -> Colour {
    struct Probe(Option<HtmlElement>);
    impl Drop for Probe {
        fn drop(&mut self) {
            if let Some(element) = &self.0 {
                element.remove();
            }
        }
    }
    let document = gloo::utils::document();
    let element = document
        .create_element("span")
        .ok()
        .and_then(|element| element.dyn_into::<HtmlElement>().ok());
    if let Some(element) = &element {
        element.set_hidden(true);
        let _ = gloo::utils::body().append_child(element);
    }
    let probe = Probe(element);
    move |name| {
        let computed = probe.0.as_ref().and_then(|element| {
            element
                .style()
                .set_property("color", &format!("var({name})"))
                .ok()?;
            let style = gloo::utils::window().get_computed_style(element).ok()??;
            style.get_property_value("color").ok()
        });
        computed
            .and_then(|text| Colour::from_computed(&text))
            .unwrap_or_default()
    }
}

/// What colours tell apart: cgroups, or tasks where all are in one cgroup. The one with the most threads
/// wears the first colour.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wearers {
    /// The names, in the order of the colours.
    pub names: Vec<String>,
    /// For each of the scenario's tasks, its place in `names`.
    pub of_task: Vec<usize>,
}

/// A task as far as its colour goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dressed<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its cgroup's path.
    pub cgroup: &'a str,
    /// How many threads it has.
    pub threads: u32,
}

impl Wearers {
    /// Names and places for these tasks.
    pub fn new(tasks: &[Dressed<'_>]) -> Self {
        let by_cgroup = tasks.iter().any(|task| task.cgroup != tasks[0].cgroup);
        let worn = |task: &Dressed<'_>| if by_cgroup { task.cgroup } else { task.name }.to_owned();
        let mut sizes: Vec<(String, u32)> = Vec::new();
        for task in tasks {
            let name = worn(task);
            match sizes.iter_mut().find(|(known, _)| *known == name) {
                Some((_, threads)) => *threads += task.threads,
                None => sizes.push((name, task.threads)),
            }
        }
        sizes.sort_by_key(|(_, threads)| std::cmp::Reverse(*threads));
        let names: Vec<String> = sizes.into_iter().map(|(name, _)| name).collect();
        let place = |task| {
            names
                .iter()
                .position(|name| *name == worn(task))
                .unwrap_or(0)
        };
        Self {
            of_task: tasks.iter().map(place).collect(),
            names,
        }
    }

    /// The same from a run's table.
    pub fn of_table(table: &ThreadTable) -> Self {
        let path = |cgroup: u32| {
            table
                .cgroups
                .get(cgroup as usize)
                .map_or("/", String::as_str)
        };
        let dressed = table.tasks.iter().map(|task| Dressed {
            name: &task.name,
            cgroup: path(task.cgroup),
            threads: task.threads,
        });
        Self::new(&dressed.collect::<Vec<_>>())
    }

    /// The same from a scenario.
    pub fn of_scenario(scenario: &Scenario) -> Self {
        let dressed = scenario.tasks.iter().map(|task| Dressed {
            name: &task.name,
            cgroup: &task.cgroup,
            threads: task.threads.saturating_mul(task.processes),
        });
        Self::new(&dressed.collect::<Vec<_>>())
    }

    /// The place of a task's colour.
    pub fn place(&self, task: usize) -> usize {
        self.of_task.get(task).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn computed_colours_are_read() {
        assert_eq!(
            Colour::from_computed("rgb(0, 114, 178)"),
            Some(Colour { rgb: [0, 114, 178] })
        );
        assert_eq!(
            Colour::from_computed("rgba(1, 2, 3, 0.5)"),
            Some(Colour { rgb: [1, 2, 3] })
        );
        assert_eq!(
            Colour::from_computed("rgb(1 2 3 / 0.5)"),
            Some(Colour { rgb: [1, 2, 3] })
        );
        assert_eq!(Colour::from_computed("transparent"), None);
    }

    #[test]
    fn cgroups_wear_the_colours_and_tasks_where_there_is_one_cgroup() {
        let dressed = |name, cgroup, threads| Dressed {
            name,
            cgroup,
            threads,
        };
        let apart = Wearers::new(&[
            dressed("a", "/hogs", 1),
            dressed("b", "/hogs", 1),
            dressed("lu", "/lu", 76),
        ]);
        assert_eq!(apart.names, ["/lu", "/hogs"]);
        assert_eq!(apart.of_task, [1, 1, 0]);
        let together = Wearers::new(&[dressed("stress", "/", 2), dressed("lu", "/", 76)]);
        assert_eq!(together.names, ["lu", "stress"]);
        assert_eq!((together.place(0), together.place(9)), (1, 0));
        assert_eq!(Wearers::new(&[]), Wearers::default());
    }
}
