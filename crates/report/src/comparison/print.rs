//! A comparison as text for a mail, as Markdown, as CSV and as JSON.

use teeter_sim::Better;

use super::{Column, Comparison, Row};
use crate::text::Table;

/// The columns of the CSV.
const CSV: [&str; 20] = [
    "task",
    "figure",
    "unit",
    "better",
    "kernel",
    "repeats",
    "amean",
    "hmean",
    "gmean",
    "stddev",
    "cv_pct",
    "min",
    "q1",
    "median",
    "q3",
    "max",
    "change_pct",
    "gain_pct",
    "p_value",
    "significant",
];

impl Comparison {
    /// As mmtests prints it, to be pasted into a mail: a positive percentage is a gain; `*` marks a significant one.
    pub fn text(&self) -> String {
        let mut table = Table::new(0);
        table.row(self.header(""));
        let measured: Vec<&Row> = self
            .figures
            .iter()
            .filter(|row| row.figure.better.is_some())
            .collect();
        for rows in measured.chunk_by(|a, b| a.figure.task == b.figure.task) {
            let task = rows.first().and_then(|row| row.figure.task.clone());
            table.row([task.unwrap_or_default()]);
            // All means, then how they spread, as in the mails.
            for statistic in 0..if self.seeds.len() > 1 { 3 } else { 1 } {
                for row in rows {
                    if let Some((name, cells)) = statistics(row).get(statistic) {
                        let cells = cells.iter().map(Cell::spaced);
                        table.row(
                            std::iter::once(format!("{name:<8}  {}", row.title())).chain(cells),
                        );
                    }
                }
            }
        }
        let mut counts = Table::new(0);
        counts.row(self.header(""));
        for row in self
            .figures
            .iter()
            .filter(|row| row.figure.better.is_none())
        {
            let task = row.figure.task.iter().map(|task| format!("{task} "));
            let name = format!("Ops {}{}", task.collect::<String>(), row.title());
            let values = row.kernels.iter().map(|column| value(row.compared(column)));
            counts.row(std::iter::once(name).chain(values));
        }
        format!(
            "{}\n{}\n{}",
            self.title(),
            table.numbers(),
            counts.numbers()
        )
    }

    /// As a table in Markdown.
    pub fn markdown(&self) -> String {
        let escaped = |text: &str| text.replace('|', "\\|");
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let header = self.header("figure");
        let mut text = line(header.iter().map(|cell| escaped(cell)).collect());
        text += &line(
            (0..header.len())
                .map(|column| if column == 0 { "---" } else { "---:" }.to_owned())
                .collect(),
        );
        for row in &self.figures {
            let task = row.figure.task.iter().map(|task| format!("{task} "));
            let name = escaped(&format!("{}{}", task.collect::<String>(), row.title()));
            for (statistic, cells) in
                statistics(row)
                    .into_iter()
                    .take(if self.seeds.len() > 1 { 2 } else { 1 })
            {
                let cells = cells.iter().map(Cell::tight);
                text += &line(
                    std::iter::once(format!("{statistic} {name}"))
                        .chain(cells)
                        .collect(),
                );
            }
        }
        text
    }

    /// As CSV: a line for each figure and kernel.
    pub fn csv(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        // Into memory, and all records as long as the first: nothing can fail.
        let _ = writer.write_record(CSV);
        for row in &self.figures {
            for column in &row.kernels {
                let _ = writer.write_record(csv_cells(row, column));
            }
        }
        let bytes = writer.into_inner().unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// As one JSON object.
    pub fn json(&self) -> String {
        // Every key is a text, so that nothing can fail here.
        let json = serde_json::to_string(self).unwrap_or_default();
        format!("{json}\n")
    }

    fn title(&self) -> String {
        let name = if self.name.is_empty() {
            "Unnamed scenario"
        } else {
            &self.name
        };
        let repeats = match self.seeds.len() {
            1 => "1 run".to_owned(),
            runs => format!("{runs} runs"),
        };
        format!("{name}: {repeats} of each kernel")
    }

    fn header(&self, first: &str) -> Vec<String> {
        let kernels = self.kernels.iter().cloned();
        std::iter::once(first.to_owned()).chain(kernels).collect()
    }
}

/// The lines of one figure: its mean and, where there are repeats, how they spread.
fn statistics(row: &Row) -> [(&'static str, Vec<Cell>); 3] {
    let cells = |of: &dyn Fn(&Column) -> Cell| row.kernels.iter().map(of).collect::<Vec<_>>();
    let mean = cells(&|column| Cell {
        value: value(row.compared(column)),
        percent: column.gain_pct.or(column.change_pct),
        star: column.significant,
    });
    let stddev = cells(&|column| Cell {
        value: value(column.summary.stddev),
        percent: column.stddev_gain_pct,
        star: false,
    });
    let variation = cells(&|column| Cell {
        value: value(column.summary.cv_pct),
        percent: None,
        star: false,
    });
    [
        (row.mean, mean),
        ("Stddev", stddev),
        ("CoeffVar", variation),
    ]
}

impl Row {
    fn title(&self) -> String {
        let unit = &self.figure.unit;
        if unit.is_empty() {
            self.figure.name.clone()
        } else {
            format!("{} ({unit})", self.figure.name)
        }
    }
}

/// One value, with what it changes.
struct Cell {
    value: String,
    percent: Option<f64>,
    star: bool,
}

impl Cell {
    /// In columns that line up: `676.19 *   1.43%*`.
    fn spaced(&self) -> String {
        match self.percent {
            Some(percent) if self.star => format!("{} *{percent:>8.2}%*", self.value),
            Some(percent) => format!("{} ({percent:>8.2}%)", self.value),
            None => format!("{}{:12}", self.value, ""),
        }
    }

    fn tight(&self) -> String {
        match self.percent {
            Some(percent) if self.star => format!("{} (**{percent:+.2} %**)", self.value),
            // The first kernel against itself says nothing.
            None | Some(0.0) => self.value.clone(),
            Some(percent) => format!("{} ({percent:+.2} %)", self.value),
        }
    }
}

/// To two places, as mmtests has it; what is small to four.
fn value(value: Option<f64>) -> String {
    match value {
        None => "-".to_owned(),
        Some(value) if value != 0.0 && value.abs() < 1.0 => format!("{value:.4}"),
        Some(value) => format!("{value:.2}"),
    }
}

fn csv_cells(row: &Row, column: &Column) -> Vec<String> {
    let number = |number: Option<f64>| number.map_or_else(String::new, |number| number.to_string());
    let better = match row.figure.better {
        Some(Better::Higher) => "higher",
        Some(Better::Lower) => "lower",
        None => "",
    };
    let summary = &column.summary;
    let mut cells = vec![
        row.figure.task.clone().unwrap_or_default(),
        row.figure.name.clone(),
        row.figure.unit.clone(),
        better.to_owned(),
        column.kernel.clone(),
        column.values.len().to_string(),
    ];
    cells.extend(
        [
            summary.amean,
            summary.hmean,
            summary.gmean,
            summary.stddev,
            summary.cv_pct,
            summary.min,
            summary.q1,
            summary.median,
            summary.q3,
            summary.max,
            column.change_pct,
            column.gain_pct,
            column.p_value,
        ]
        .map(number),
    );
    cells.push(column.significant.to_string());
    cells
}
