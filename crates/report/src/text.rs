//! Text in columns.

/// Rows of text, all columns as wide as their widest cell.
#[derive(Debug)]
pub struct Table {
    indent: usize,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// No rows yet; each will stand so far from the margin.
    pub fn new(indent: usize) -> Self {
        Self {
            indent,
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// As lines, every column to the left.
    pub fn left(&self) -> String {
        self.lines(|_| true)
    }

    /// As lines, the first column to the left and numbers to the right.
    pub fn numbers(&self) -> String {
        self.lines(|column| column == 0)
    }

    fn lines(&self, left: impl Fn(usize) -> bool) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let line = |row: &Vec<String>| {
            let cells = row.iter().zip(&widths).enumerate();
            let cells: Vec<String> = cells
                .map(|(column, (cell, &width))| {
                    if left(column) {
                        format!("{cell:<width$}")
                    } else {
                        format!("{cell:>width$}")
                    }
                })
                .collect();
            let line = format!("{:indent$}{}", "", cells.join("  "), indent = self.indent);
            format!("{}\n", line.trim_end())
        };
        self.rows.iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let mut table = Table::new(1);
        table.row(["task", "n"].map(str::to_owned));
        table.row(["é", "100"].map(str::to_owned));
        assert_eq!(table.numbers(), " task    n\n é     100\n");
        assert_eq!(table.left(), " task  n\n é     100\n");
    }
}
