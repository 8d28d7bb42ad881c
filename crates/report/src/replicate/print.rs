//! A replication as text and as JSON.

use super::score::{Outcome, Row, Scored, overall};
use crate::text::Table;

/// All tables for people, with a verdict each.
pub fn text(tables: &[Scored], repeats: u32) -> String {
    let all: Vec<String> = tables.iter().map(table).collect();
    let total = overall(tables);
    let share = 100.0 * total.right as f64 / total.of.max(1) as f64;
    format!(
        "{}\nOver {} tables at {repeats} repeats: direction right on {} of {} significant rows ({share:.0} %)\n",
        all.join("\n"),
        tables.len(),
        total.right,
        total.of
    )
}

/// All rows as one JSON array.
pub fn json(tables: &[Scored]) -> String {
    let rows: Vec<&Row> = tables.iter().flat_map(|table| &table.rows).collect();
    // Every key is a text, so that nothing can fail here.
    serde_json::to_string(&rows).unwrap_or_default() + "\n"
}

fn table(scored: &Scored) -> String {
    let mut rows = Table::new(2);
    rows.row(
        [
            "",
            "unit",
            "measured",
            "",
            "change",
            "simulated",
            "",
            "change",
            "spread",
            "consistent",
            "direction",
        ]
        .map(str::to_owned),
    );
    for row in &scored.rows {
        rows.row(cells(row));
    }
    let title = format!(
        "{} (document {}): {}\n",
        scored.table, scored.seed_document, scored.title
    );
    let mut lines: Vec<String> = scored.targets.iter().map(target).collect();
    lines.extend(scored.scale.iter().map(|scale| format!("Scale: {scale}")));
    lines.push(format!("Verdict: {}", scored.verdict()));
    if !(scored.directions().whole() && scored.met().whole()) {
        lines.extend(scored.notes.iter().map(|note| format!("Known: {note}")));
    }
    title + &rows.numbers() + "  " + &lines.join("\n  ") + "\n"
}

fn target(target: &Outcome) -> String {
    let met = if target.met { "met   " } else { "missed" };
    let bound = |bound| number(Some(bound));
    let range = match (target.least, target.most) {
        (Some(least), Some(most)) => format!("{} to {}", bound(least), bound(most)),
        (Some(least), None) => format!("at least {}", bound(least)),
        (None, Some(most)) => format!("at most {}", bound(most)),
        (None, None) => String::new(),
    };
    format!("{met} {}: {} ({range})", target.what, number(target.value))
}

fn cells(row: &Row) -> Vec<String> {
    let percent = |percent: Option<f64>| {
        percent.map_or_else(|| "-".to_owned(), |percent| format!("{percent:+.1} %"))
    };
    let unsigned = |percent: Option<f64>| {
        percent.map_or_else(|| "-".to_owned(), |percent| format!("{percent:.1} %"))
    };
    let measured = row.measured;
    let simulated = &row.simulated;
    let direction = match (row.significant, row.direction_agrees) {
        (true, Some(true)) => "right",
        (true, _) => "WRONG",
        (false, Some(_)) => "(noise)",
        (false, None) => "",
    };
    vec![
        row.row.clone(),
        row.unit.clone(),
        number(measured.map(|pair| pair.baseline)),
        number(measured.map(|pair| pair.patched)),
        percent(measured.and_then(|pair| pair.change_pct)),
        number(simulated.baseline),
        number(simulated.patched),
        percent(simulated.change_pct),
        unsigned(simulated.spread_pct),
        unsigned(simulated.consistent_pct),
        direction.to_owned(),
    ]
}

fn number(value: Option<f64>) -> String {
    match value {
        None => "-".to_owned(),
        Some(value) if value.abs() < 100.0 => format!("{value:.2}"),
        Some(value) => format!("{value:.0}"),
    }
}
