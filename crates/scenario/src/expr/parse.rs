//! From words to a tree.

use super::token::{Token, Word, tokens};
use super::{ExprError, MAX_LENGTH, Vocabulary};
use crate::problem::nearest;

/// How deep an expression may be nested.
const MAX_DEPTH: usize = 64;

/// How many names `where` may give.
pub(super) const MAX_PARTS: usize = 64;

/// A part of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    Constant(i64),
    /// By its place in the vocabulary.
    Input {
        input: usize,
        column: usize,
    },
    /// A name after `where`, by its place.
    Binding(usize),
    Not(Box<Node>),
    Negative {
        of: Box<Node>,
        column: usize,
    },
    Binary {
        op: Op,
        sides: Box<[Node; 2]>,
        column: usize,
    },
    /// Condition, then, else.
    Choice(Box<[Node; 3]>),
    Call {
        function: Function,
        arguments: Vec<Node>,
        column: usize,
    },
}

/// An operator between two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    Or,
    And,
    Equal,
    Unequal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    ShiftLeft,
    ShiftRight,
    Add,
    Subtract,
    Multiply,
    Divide,
    Rest,
}

/// Sign, operator, how tightly it binds.
const OPS: [(&str, Op, u8); 15] = [
    ("||", Op::Or, 1),
    ("&&", Op::And, 2),
    ("==", Op::Equal, 3),
    ("!=", Op::Unequal, 3),
    ("<", Op::Less, 4),
    ("<=", Op::LessEqual, 4),
    (">", Op::Greater, 4),
    (">=", Op::GreaterEqual, 4),
    ("<<", Op::ShiftLeft, 5),
    (">>", Op::ShiftRight, 5),
    ("+", Op::Add, 6),
    ("-", Op::Subtract, 6),
    ("*", Op::Multiply, 7),
    ("/", Op::Divide, 7),
    ("%", Op::Rest, 7),
];

/// A function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Min,
    Max,
    Abs,
}

const FUNCTIONS: [(&str, Function); 3] = [
    ("min", Function::Min),
    ("max", Function::Max),
    ("abs", Function::Abs),
];

/// The tree of an expression, and those of its `where` parts.
pub(super) fn parse(source: &str, names: &Vocabulary) -> Result<(Node, Vec<Node>), ExprError> {
    if source.len() > MAX_LENGTH {
        return Err(ExprError::TooBig("long"));
    }
    let mut parser = Parser {
        tokens: tokens(source)?,
        at: 0,
        names,
        parts: Vec::new(),
        visible_from: 0,
    };
    parser.find_parts()?;
    let root = parser.choice(0)?;
    let mut bindings = Vec::new();
    if parser.parts.is_empty() {
        parser.expect_end("an operator")?;
    } else {
        parser.keyword("where")?;
        for part in 0..parser.parts.len() {
            if part > 0 {
                parser.sign(",", "`,`")?;
            }
            // Its name and `=` were found before.
            parser.at += 2;
            parser.visible_from = part + 1;
            bindings.push(parser.choice(0)?);
        }
        parser.expect_end("`,` or an operator")?;
    }
    Ok((root, bindings))
}

struct Parser<'a> {
    tokens: Vec<Token<'a>>,
    at: usize,
    names: &'a Vocabulary,
    /// Names after `where`.
    parts: Vec<&'a str>,
    /// The first of them that may be used now.
    visible_from: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Token<'a> {
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn next(&mut self) -> Token<'a> {
        let token = self.peek();
        self.at += 1;
        token
    }

    fn expected(&self, expected: &'static str) -> ExprError {
        let token = self.peek();
        ExprError::Expected {
            column: token.column,
            expected,
            found: token.describe(),
        }
    }

    fn is_sign(&self, sign: &str) -> bool {
        matches!(self.peek().word, Word::Sign(found) if found == sign)
    }

    fn sign(&mut self, sign: &'static str, expected: &'static str) -> Result<(), ExprError> {
        if !self.is_sign(sign) {
            return Err(self.expected(expected));
        }
        self.at += 1;
        Ok(())
    }

    fn keyword(&mut self, word: &'static str) -> Result<(), ExprError> {
        if self.peek().word != Word::Name(word) {
            return Err(self.expected("an operator"));
        }
        self.at += 1;
        Ok(())
    }

    fn expect_end(&self, expected: &'static str) -> Result<(), ExprError> {
        match self.peek().word {
            Word::End => Ok(()),
            _ => Err(self.expected(expected)),
        }
    }

    /// Collects the names that `where` gives, so that they are known before it.
    fn find_parts(&mut self) -> Result<(), ExprError> {
        let is_where = |token: &Token<'_>| token.word == Word::Name("where");
        let Some(at) = self.tokens.iter().position(is_where) else {
            return Ok(());
        };
        for pair in self.tokens[at..].windows(3) {
            let [before, name, equals] = pair else {
                continue;
            };
            let begins = is_where(before) || before.word == Word::Sign(",");
            let (Word::Name(word), Word::Sign("=")) = (name.word, equals.word) else {
                continue;
            };
            if !begins {
                continue;
            }
            let known = self.known(word).is_some()
                || FUNCTIONS.iter().any(|(function, _)| *function == word)
                || self.parts.contains(&word);
            if known {
                return Err(ExprError::Taken {
                    column: name.column,
                    name: word.to_owned(),
                });
            }
            if self.parts.len() == MAX_PARTS {
                return Err(ExprError::TooBig("long"));
            }
            self.parts.push(word);
        }
        if self.parts.is_empty() {
            self.at = at + 1;
            return Err(self.expected("a name and `=`"));
        }
        Ok(())
    }

    /// What the vocabulary says of a name.
    fn known(&self, name: &str) -> Option<Node> {
        let constants = self.names.constants.iter();
        if let Some((_, value)) = constants.into_iter().find(|(known, _)| *known == name) {
            return Some(Node::Constant(*value));
        }
        let input = self.names.inputs.iter().position(|known| *known == name)?;
        Some(Node::Input { input, column: 0 })
    }

    fn choice(&mut self, depth: usize) -> Result<Node, ExprError> {
        let condition = self.binary(0, depth)?;
        if !self.is_sign("?") {
            return Ok(condition);
        }
        self.at += 1;
        let then = self.choice(deeper(depth)?)?;
        self.sign(":", "`:`")?;
        let other = self.choice(deeper(depth)?)?;
        Ok(Node::Choice(Box::new([condition, then, other])))
    }

    /// Operators that bind at least as tightly as `least`.
    fn binary(&mut self, least: u8, depth: usize) -> Result<Node, ExprError> {
        let depth = deeper(depth)?;
        let mut left = self.unary(depth)?;
        let mut chained = depth;
        loop {
            let Token { word, column } = self.peek();
            let Word::Sign(sign) = word else { break };
            let Some(&(_, op, binds)) = OPS.iter().find(|(known, ..)| *known == sign) else {
                break;
            };
            if binds < least {
                break;
            }
            self.at += 1;
            let right = self.binary(binds + 1, depth)?;
            left = Node::Binary {
                op,
                sides: Box::new([left, right]),
                column,
            };
            // A chain is as deep a tree as it is long.
            chained += 1;
            if chained > 8 * MAX_DEPTH {
                return Err(ExprError::TooBig("deep"));
            }
        }
        Ok(left)
    }

    fn unary(&mut self, depth: usize) -> Result<Node, ExprError> {
        let Token { word, column } = self.next();
        match word {
            Word::Sign("!") => Ok(Node::Not(Box::new(self.unary(deeper(depth)?)?))),
            Word::Sign("-") => Ok(Node::Negative {
                of: Box::new(self.unary(deeper(depth)?)?),
                column,
            }),
            Word::Sign("(") => {
                let inner = self.choice(depth)?;
                self.sign(")", "`)`")?;
                Ok(inner)
            }
            Word::Number(n) => Ok(Node::Constant(n)),
            Word::Name(name) if name != "where" => {
                let function = FUNCTIONS.iter().find(|(known, _)| *known == name);
                match function {
                    Some(&(name, function)) if self.is_sign("(") => {
                        self.call(name, function, column, depth)
                    }
                    _ => self.name(name, column),
                }
            }
            _ => {
                self.at -= 1;
                Err(self.expected("a number, a name or `(`"))
            }
        }
    }

    fn call(
        &mut self,
        name: &'static str,
        function: Function,
        column: usize,
        depth: usize,
    ) -> Result<Node, ExprError> {
        self.sign("(", "`(`")?;
        let mut arguments = vec![self.choice(depth)?];
        while self.is_sign(",") {
            self.at += 1;
            arguments.push(self.choice(depth)?);
        }
        self.sign(")", "`)` or `,`")?;
        let (fits, takes) = match function {
            Function::Abs => (arguments.len() == 1, "one argument"),
            Function::Min | Function::Max => (arguments.len() > 1, "two arguments or more"),
        };
        if !fits {
            return Err(ExprError::Arguments {
                column,
                name,
                takes,
            });
        }
        Ok(Node::Call {
            function,
            arguments,
            column,
        })
    }

    fn name(&self, name: &str, column: usize) -> Result<Node, ExprError> {
        match self.known(name) {
            Some(Node::Input { input, .. }) => return Ok(Node::Input { input, column }),
            Some(constant) => return Ok(constant),
            None => {}
        }
        let visible = &self.parts[self.visible_from..];
        if let Some(part) = visible.iter().position(|part| *part == name) {
            return Ok(Node::Binding(self.visible_from + part));
        }
        let constants = self.names.constants.iter().map(|(known, _)| *known);
        let known: Vec<&str> = self.names.inputs.iter().copied().chain(constants).collect();
        Err(ExprError::Name {
            column,
            name: name.to_owned(),
            near: nearest(name, &known).map(str::to_owned),
        })
    }
}

fn deeper(depth: usize) -> Result<usize, ExprError> {
    if depth < MAX_DEPTH {
        Ok(depth + 1)
    } else {
        Err(ExprError::TooBig("deep"))
    }
}
