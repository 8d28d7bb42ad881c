//! Expressions from any text.

use proptest::prelude::*;
use teeter_scenario::expr::{Expr, Vocabulary};

const NAMES: Vocabulary = Vocabulary {
    inputs: &["a", "b.c"],
    constants: &[("ONE", 1)],
};

/// Text that often is an expression.
fn text() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "a",
        "b.c",
        "ONE",
        "x",
        "0",
        "9223372036854775807",
        "0xff",
        "+",
        "-",
        "*",
        "/",
        "%",
        "<<",
        ">>",
        "<",
        "==",
        "&&",
        "||",
        "!",
        "?",
        ":",
        "(",
        ")",
        "min(",
        "abs(",
        ",",
        " where ",
        "=",
        "é",
        "$",
    ]);
    prop::collection::vec(word, 0..40).prop_map(|words| words.join(" "))
}

/// Additions, subtractions and multiplications, with the value computed beside.
fn sums() -> impl Strategy<Value = (String, i128)> {
    let leaf = (-1000i64..1000).prop_map(|n| (format!("({n})"), i128::from(n)));
    leaf.prop_recursive(4, 32, 2, |inner| {
        (inner.clone(), 0..3u8, inner).prop_map(|((left, l), op, (right, r))| match op {
            0 => (format!("({left} + {right})"), l + r),
            1 => (format!("({left} - {right})"), l - r),
            _ => (format!("({left} * {right})"), l.saturating_mul(r)),
        })
    })
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in text(), a: i64, b: Option<i64>) {
        if let Ok(expr) = Expr::parse(&text, &NAMES) {
            let value = expr.eval(|input| [Some(a), b][input]);
            prop_assert_eq!(value, expr.eval(|input| [Some(a), b][input]));
        }
    }

    #[test]
    fn sums_are_exact_or_overflow((text, want) in sums()) {
        let expr = Expr::parse(&text, &NAMES).unwrap();
        match i64::try_from(want) {
            Ok(want) => prop_assert_eq!(expr.eval(|_| None).ok(), Some(want)),
            Err(_) => prop_assert!(expr.eval(|_| None).is_err()),
        }
    }
}
