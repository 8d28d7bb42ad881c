//! Expressions over whole numbers: a user's own rule, or a filter of decisions.
//!
//! One grammar for all places, after C: `+ - * / % << >>`, comparisons, `&& || !`, `?:`, `min max abs`, and names
//! of parts with `where name = expression, …` at the end. Numbers are signed, of 64 bits; division by
//! zero and overflow are a [`Trap`], never a panic. Which names there are is told by the place, in its
//! [`Vocabulary`].

mod eval;
mod parse;
mod token;

use std::fmt;

use thiserror::Error;

use crate::Problem;
use parse::Node;

/// Longest expression, bytes.
pub const MAX_LENGTH: usize = 2000;

/// The names an expression may use at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vocabulary {
    /// Numbers that are known when it is evaluated, in the order in which they are then given.
    pub inputs: &'static [&'static str],
    /// Names for numbers, such as those of group types.
    pub constants: &'static [(&'static str, i64)],
}

/// An expression that has been read, ready to be evaluated.
///
/// ```
/// use teeter_scenario::expr::{Expr, Vocabulary};
///
/// let names = Vocabulary { inputs: &["imbalance", "imbalance_pct"], constants: &[] };
/// let rule = "max(0, imbalance - a) where a = 100 / (imbalance_pct - 100) - 1";
/// let rule = Expr::parse(rule, &names).unwrap();
/// assert_eq!(rule.eval(|input| Some([5, 125][input])), Ok(2));
/// assert_eq!(
///     rule.eval(|input| Some([5, 100][input])).unwrap_err().to_string(),
///     "division by zero at column 37"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    source: String,
    root: Node,
    /// Bodies of the names after `where`; each may use those that come after it.
    bindings: Vec<Node>,
}

impl Expr {
    /// Reads an expression.
    ///
    /// # Errors
    /// What is wrong with it, and at which column.
    pub fn parse(source: &str, names: &Vocabulary) -> Result<Self, ExprError> {
        let (root, bindings) = parse::parse(source, names)?;
        Ok(Self {
            source: source.to_owned(),
            root,
            bindings,
        })
    }

    /// As it was written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Its value. `input` gives the number with that place in [`Vocabulary::inputs`]; `None`: there is none now.
    /// Only what decides is looked at: of `?:` the branch taken, of `&&` and `||` no more than needed.
    ///
    /// # Errors
    /// The first operation that has no result.
    pub fn eval(&self, input: impl Fn(usize) -> Option<i64>) -> Result<i64, Trap> {
        eval::eval(&self.root, &self.bindings, &input)
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)
    }
}

/// Why an expression cannot be read. Columns count characters from 1.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ExprError {
    /// A character that begins nothing.
    #[error("column {column}: unexpected `{found}`")]
    Character {
        /// Where.
        column: usize,
        /// The character.
        found: char,
    },
    /// A number that does not fit into 64 bits.
    #[error("column {column}: number too large")]
    Number {
        /// Where.
        column: usize,
    },
    /// Something else should stand here.
    #[error("column {column}: expected {expected}, found {found}")]
    Expected {
        /// Where.
        column: usize,
        /// What should stand there.
        expected: &'static str,
        /// What does.
        found: String,
    },
    /// A name that is not known here.
    #[error("column {column}: unknown name `{name}`{}", hint(.near.as_deref()))]
    Name {
        /// Where.
        column: usize,
        /// The name.
        name: String,
        /// The known one it is nearest to.
        near: Option<String>,
    },
    /// A name after `where` that is taken.
    #[error("column {column}: `{name}` already has a meaning")]
    Taken {
        /// Where.
        column: usize,
        /// The name.
        name: String,
    },
    /// A function with the wrong number of arguments.
    #[error("column {column}: `{name}` takes {takes}")]
    Arguments {
        /// Where.
        column: usize,
        /// The function.
        name: &'static str,
        /// How many it takes, in words.
        takes: &'static str,
    },
    /// Longer than [`MAX_LENGTH`], of too many parts, or nested too deeply.
    #[error("the expression is too {0}")]
    TooBig(&'static str),
}

fn hint(near: Option<&str>) -> String {
    near.map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"))
}

impl ExprError {
    /// Where it is wrong, counted from 1; `None`: as a whole.
    pub fn column(&self) -> Option<usize> {
        match self {
            Self::Character { column, .. }
            | Self::Number { column }
            | Self::Expected { column, .. }
            | Self::Name { column, .. }
            | Self::Taken { column, .. }
            | Self::Arguments { column, .. } => Some(*column),
            Self::TooBig(_) => None,
        }
    }

    /// The same as a problem of the document at `path`.
    pub fn problem(&self, path: impl Into<String>) -> Problem {
        Problem::new(path, self.to_string())
    }
}

/// An operation without a result. Columns count characters from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Trap {
    /// A division by zero, or its rest.
    #[error("division by zero at column {0}")]
    DivisionByZero(usize),
    /// A result that does not fit into 64 bits, or a shift by less than 0 or more than 63.
    #[error("overflow at column {0}")]
    Overflow(usize),
    /// A number that is not known at this place.
    #[error("no value at column {0}")]
    NoValue(usize),
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: Vocabulary = Vocabulary {
        inputs: &["a", "b", "busiest.sum_nr_running"],
        constants: &[("CPU_IDLE", 1)],
    };

    fn value(source: &str) -> Result<i64, Trap> {
        let expr = Expr::parse(source, &NAMES).unwrap_or_else(|e| panic!("{source}: {e}"));
        expr.eval(|input| [Some(7), Some(-3), None].get(input).copied().flatten())
    }

    fn refused(source: &str) -> String {
        Expr::parse(source, &NAMES).unwrap_err().to_string()
    }

    #[test]
    fn operators_bind_as_in_c() {
        for (source, want) in [
            ("1 + 2 * 3", 7),
            ("(1 + 2) * 3", 9),
            ("10 - 4 - 3", 3),
            ("1 << 2 + 1", 8),
            ("16 >> 1 < 9", 1),
            ("-7 / 2", -3),
            ("-7 % 2", -1),
            ("-b", 3),
            ("!a || !!b", 1),
            ("1 == 1 != 0", 1),
            ("0 || 1 && 0", 0),
            ("a > 3 ? 1 : b > 3 ? 2 : 3", 1),
            ("min(a, b, 1) + max(a, b) + abs(b)", 7),
            ("CPU_IDLE + 0x10 + 1_000", 1017),
            ("x * x where x = a + y, y = 1", 64),
        ] {
            assert_eq!(value(source), Ok(want), "{source}");
        }
    }

    #[test]
    fn an_error_tells_its_column() {
        let column = |source: &str| Expr::parse(source, &NAMES).unwrap_err().column();
        assert_eq!(column("1 $ 2"), Some(3));
        assert_eq!(column("abs(1, 2)"), Some(1));
        assert_eq!(column(&"1+".repeat(MAX_LENGTH)), None);
    }

    #[test]
    fn only_what_decides_is_evaluated() {
        assert_eq!(value("a == 7 ? 1 : 1 / 0"), Ok(1));
        assert_eq!(value("a != 7 && 1 / 0"), Ok(0));
        assert_eq!(value("a == 7 || busiest.sum_nr_running"), Ok(1));
        assert_eq!(value("a where x = 1 / 0"), Ok(7));
    }

    #[test]
    fn operations_without_result_trap_where_they_stand() {
        assert_eq!(value("1 + a / (b + 3)"), Err(Trap::DivisionByZero(7)));
        assert_eq!(value("a % 0"), Err(Trap::DivisionByZero(3)));
        assert_eq!(value("9223372036854775807 + 1"), Err(Trap::Overflow(21)));
        assert_eq!(
            value("(-9223372036854775807 - 1) / -1"),
            Err(Trap::Overflow(28))
        );
        assert_eq!(value("1 << 64"), Err(Trap::Overflow(3)));
        assert_eq!(value("1 << 63"), Err(Trap::Overflow(3)));
        assert_eq!(value("1 >> -1"), Err(Trap::Overflow(3)));
        assert_eq!(value("busiest.sum_nr_running"), Err(Trap::NoValue(1)));
    }

    #[test]
    fn what_cannot_be_read_is_told_with_its_column() {
        for (source, want) in [
            (
                "",
                "column 1: expected a number, a name or `(`, found the end",
            ),
            (
                "1 +",
                "column 4: expected a number, a name or `(`, found the end",
            ),
            ("1 $ 2", "column 3: unexpected `$`"),
            ("(1", "column 3: expected `)`, found the end"),
            ("1 2", "column 3: expected an operator, found `2`"),
            ("a ? 1", "column 6: expected `:`, found the end"),
            (
                "busiest.sum_nr_runing",
                "column 1: unknown name `busiest.sum_nr_runing` (did you mean `busiest.sum_nr_running`?)",
            ),
            ("abs(1, 2)", "column 1: `abs` takes one argument"),
            ("a where a = 1", "column 9: `a` already has a meaning"),
            ("99999999999999999999", "column 1: number too large"),
            // A part may use those after it only, so that none can lead back to itself.
            ("x where x = x", "column 13: unknown name `x`"),
        ] {
            assert_eq!(refused(source), want, "{source}");
        }
        assert!(refused(&"(".repeat(1999)).contains("too deep"));
        assert!(refused(&"!".repeat(1999)).contains("too deep"));
        assert!(refused(&" ".repeat(2001)).contains("too long"));
        assert!(refused(&vec!["1"; 500].join("?1:")).contains("too deep"));
    }

    #[test]
    fn names_used_often_are_evaluated_once() {
        // Each of 60 names is the sum of the next one with itself.
        let parts: Vec<String> = (0..60)
            .map(|i| format!("p{i} = p{0} + p{0}", i + 1))
            .collect();
        let source = format!("p0 where {}, p60 = 1", parts.join(", "));
        assert_eq!(value(&source), Ok(1 << 60));
    }
}
