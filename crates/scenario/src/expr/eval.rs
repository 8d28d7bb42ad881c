//! The value of an expression.

use super::Trap;
use super::parse::{Function, MAX_PARTS, Node, Op};

/// The value of a tree. Each part after `where` is evaluated once, when it is first asked for.
pub(super) fn eval(
    root: &Node,
    bindings: &[Node],
    input: &dyn Fn(usize) -> Option<i64>,
) -> Result<i64, Trap> {
    let mut known = [None; MAX_PARTS];
    Evaluation {
        bindings,
        input,
        known: &mut known,
    }
    .of(root)
}

struct Evaluation<'a> {
    bindings: &'a [Node],
    input: &'a dyn Fn(usize) -> Option<i64>,
    known: &'a mut [Option<i64>],
}

impl Evaluation<'_> {
    fn of(&mut self, node: &Node) -> Result<i64, Trap> {
        match node {
            Node::Constant(n) => Ok(*n),
            Node::Input { input, column } => (self.input)(*input).ok_or(Trap::NoValue(*column)),
            Node::Binding(part) => {
                if let Some(known) = self.known[*part] {
                    return Ok(known);
                }
                let value = self.of(&self.bindings[*part])?;
                self.known[*part] = Some(value);
                Ok(value)
            }
            Node::Not(of) => Ok(i64::from(self.of(of)? == 0)),
            Node::Negative { of, column } => {
                self.of(of)?.checked_neg().ok_or(Trap::Overflow(*column))
            }
            Node::Binary { op, sides, column } => self.binary(*op, sides, *column),
            Node::Choice(parts) => {
                let [condition, then, other] = &**parts;
                let taken = if self.of(condition)? != 0 {
                    then
                } else {
                    other
                };
                self.of(taken)
            }
            Node::Call {
                function,
                arguments,
                column,
            } => self.call(*function, arguments, *column),
        }
    }

    fn binary(&mut self, op: Op, sides: &[Node; 2], column: usize) -> Result<i64, Trap> {
        let [left, right] = sides;
        let left = self.of(left)?;
        match op {
            Op::And if left == 0 => return Ok(0),
            Op::Or if left != 0 => return Ok(1),
            _ => {}
        }
        let right = self.of(right)?;
        let result = match op {
            Op::And | Op::Or => Some(i64::from(right != 0)),
            Op::Equal => Some(i64::from(left == right)),
            Op::Unequal => Some(i64::from(left != right)),
            Op::Less => Some(i64::from(left < right)),
            Op::LessEqual => Some(i64::from(left <= right)),
            Op::Greater => Some(i64::from(left > right)),
            Op::GreaterEqual => Some(i64::from(left >= right)),
            Op::Add => left.checked_add(right),
            Op::Subtract => left.checked_sub(right),
            Op::Multiply => left.checked_mul(right),
            Op::ShiftLeft => shift(right).and_then(|by| i64::try_from(i128::from(left) << by).ok()),
            Op::ShiftRight => shift(right).map(|by| left >> by),
            Op::Divide | Op::Rest if right == 0 => return Err(Trap::DivisionByZero(column)),
            Op::Divide => left.checked_div(right),
            Op::Rest => left.checked_rem(right),
        };
        result.ok_or(Trap::Overflow(column))
    }

    fn call(&mut self, function: Function, of: &[Node], column: usize) -> Result<i64, Trap> {
        let mut result: Option<i64> = None;
        for argument in of {
            let value = self.of(argument)?;
            result = Some(match (function, result) {
                (Function::Abs, _) => value.checked_abs().ok_or(Trap::Overflow(column))?,
                (_, None) => value,
                (Function::Min, Some(least)) => least.min(value),
                (Function::Max, Some(most)) => most.max(value),
            });
        }
        result.ok_or(Trap::NoValue(column))
    }
}

/// A number of places to shift by.
fn shift(by: i64) -> Option<u32> {
    u32::try_from(by).ok().filter(|by| *by < 64)
}
