//! Numbers as people read them.

/// Three significant digits with a letter for thousands and millions: `36k`, `1.5k`, `0.25`.
pub fn short(number: f64) -> String {
    let (scaled, letter) = match number.abs() {
        size if size >= 1e6 => (number / 1e6, "M"),
        size if size >= 1e4 => (number / 1e3, "k"),
        _ => (number, ""),
    };
    format!("{}{letter}", trimmed(scaled))
}

/// A number with as many decimals as its size needs, thousands set apart by a narrow space.
pub fn figure(number: f64) -> String {
    let decimals = match number.abs() {
        size if size >= 1_000.0 => 0,
        size if size >= 100.0 => 1,
        _ => 2,
    };
    grouped(&format!("{number:.decimals$}"))
}

/// A whole number, thousands set apart.
pub fn count(number: u64) -> String {
    grouped(&number.to_string())
}

/// A share of one, in per cent.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// Simulated nanoseconds as seconds.
pub fn seconds(ns: f64) -> String {
    format!("{:.2} s", ns / 1e9)
}

fn trimmed(number: f64) -> String {
    let decimals = match number.abs() {
        size if size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        _ => 2,
    };
    let text = format!("{number:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

fn grouped(digits: &str) -> String {
    let (whole, rest) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let start = whole.len() - whole.trim_start_matches('-').len();
    let mut text = String::with_capacity(digits.len() + 4);
    for (place, digit) in whole.chars().enumerate() {
        if place > start && (whole.len() - place).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_numbers() {
        let shown = [0.0, 0.25, 5.0, 12.5, 40.0, 1_500.0, 36_000.0, 2.5e6].map(short);
        assert_eq!(
            shown,
            ["0", "0.25", "5", "12.5", "40", "1500", "36k", "2.5M"]
        );
    }

    #[test]
    fn figures_and_counts() {
        assert_eq!(
            [2_119.9, 34_048.2, 30.451, 750.66].map(figure),
            ["2\u{202f}120", "34\u{202f}048", "30.45", "750.7"]
        );
        assert_eq!(
            [0, 999, 1_000, 1_234_567].map(count),
            ["0", "999", "1\u{202f}000", "1\u{202f}234\u{202f}567"]
        );
        assert_eq!(figure(-1_234.0), "-1\u{202f}234");
        assert_eq!(
            (percent(0.992).as_str(), seconds(12.4e9).as_str()),
            ("99.2 %", "12.40 s")
        );
    }
}
