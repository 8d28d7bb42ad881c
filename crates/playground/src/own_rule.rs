//! A user's own rule as it is written: read, and tried on the latest decision. Pure: no browser here.

use teeter_scenario::expr::{Expr, ExprError, Vocabulary};
use teeter_sched::rules::OwnPoint;

use crate::protocol::decisions::{Told, Word};

/// A point at which an expression may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// Its name among the rules of a scenario.
    pub name: &'static str,
    /// What its expression gives.
    pub about: &'static str,
    /// An expression to begin with.
    pub example: &'static str,
    names: Vocabulary,
}

/// Every point.
pub fn points() -> [Point; OwnPoint::ALL.len()] {
    OwnPoint::ALL.map(|(point, name, about, names)| Point {
        name,
        about,
        names,
        example: match point {
            OwnPoint::NumaImbalance => {
                "busiest.sum_nr_running < 2 * a ? max(0, imbalance - a) : imbalance\nwhere a = 100 / (imbalance_pct - 100) - 1"
            }
            OwnPoint::Busier => "candidate.sum_nr_running > busiest.sum_nr_running",
            OwnPoint::Imbalance => "imbalance / 2",
            OwnPoint::Fits => "cpu == prev_cpu && task_util + cpu_util < capacity",
        },
    })
}

impl Point {
    /// Reads an expression for this point.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    pub fn read(&self, source: &str) -> Result<Expr, ExprError> {
        Expr::parse(source, &self.names)
    }

    /// The names it knows.
    pub fn inputs(&self) -> &'static [&'static str] {
        self.names.inputs
    }

    /// Whether passes on record have what its expressions ask for.
    pub fn can_be_tried(&self) -> bool {
        self.inputs().contains(&"imbalance")
    }

    /// What an expression says of a pass on record.
    pub fn try_on(&self, expr: &Expr, told: &Told) -> Trial {
        let value = |index: usize| self.input(index, told);
        let says = expr.eval(value).map_err(|trap| trap.to_string());
        let used = self
            .inputs()
            .iter()
            .enumerate()
            .filter(|(_, name)| mentions(expr.source(), name))
            .filter_map(|(index, name)| Some((*name, value(index)?)))
            .collect();
        Trial { says, used }
    }

    fn input(&self, index: usize, told: &Told) -> Option<i64> {
        let name = *self.inputs().get(index)?;
        // What the rule is given is what was to be moved before it.
        let recorded = match name {
            "imbalance" => told.get("imbalance_before")?,
            name => told.get(name)?,
        };
        match recorded {
            Word::Number(number) => Some(*number as i64),
            Word::Name(text) => {
                let known = self.names.constants.iter();
                known
                    .clone()
                    .find(|(name, _)| name == text)
                    .map(|(_, value)| *value)
            }
            Word::Task(_) => None,
        }
    }
}

/// What came of trying an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// Its value, or why it has none.
    pub says: Result<i64, String>,
    /// The numbers it looked at.
    pub used: Vec<(&'static str, i64)>,
}

/// Whether a name stands in a text, not as a part of a longer one.
fn mentions(source: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    source.match_indices(name).any(|(at, _)| {
        let before = source[..at].chars().next_back();
        let after = source[at + name.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

/// The line that a column is in, and how far in it stands, counted from 0.
pub fn place(source: &str, column: usize) -> (&str, usize) {
    let mut rest = column.saturating_sub(1);
    for line in source.split('\n') {
        let length = line.chars().count();
        if rest <= length {
            return (line, rest);
        }
        rest -= length + 1;
    }
    ("", 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(fields: &[(&str, f64)]) -> Told {
        Told {
            kind: "balance".to_owned(),
            fields: fields
                .iter()
                .map(|(name, value)| ((*name).to_owned(), Word::Number(*value)))
                .collect(),
            ..Told::default()
        }
    }

    #[test]
    fn every_example_can_be_read() {
        for point in points() {
            point.read(point.example).unwrap();
        }
    }

    #[test]
    fn the_third_posting_is_tried_on_a_pass() {
        let numa = points()[0];
        let rule = numa.read(numa.example).unwrap();
        let pass = |running| {
            told(&[
                ("imbalance_pct", 125.0),
                ("imbalance_before", 9.0),
                ("imbalance", 1.0),
                ("busiest.sum_nr_running", running),
            ])
        };
        let trial = numa.try_on(&rule, &pass(34.0));
        assert_eq!(trial.says, Ok(9));
        let names: Vec<_> = trial.used.iter().map(|(name, _)| *name).collect();
        assert_eq!(
            names,
            ["imbalance", "imbalance_pct", "busiest.sum_nr_running"]
        );
        assert_eq!(numa.try_on(&rule, &pass(5.0)).says, Ok(6));
        let nothing = numa.try_on(&rule, &told(&[]));
        assert!(nothing.says.unwrap_err().contains("column 1"));
    }

    #[test]
    fn a_column_is_found_in_its_line() {
        assert_eq!(place("ab\ncde", 2), ("ab", 1));
        assert_eq!(place("ab\ncde", 4), ("cde", 0));
        assert_eq!(place("ab\ncde", 7), ("cde", 3));
        assert_eq!(place("", 1), ("", 0));
    }
}
