//! What every CPU did in each sample of the whole run, and coarser and coarser: a pyramid.

use teeter_sim::LaneCell;

/// Rows at most; when there are more, two become one.
const ROWS: usize = 8_192;
/// A level is not coarser than so many rows.
const FEWEST: usize = 256;

/// The pyramid. Each level has half the rows of the one below.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lanes {
    cpus: usize,
    row_ns: f64,
    /// How many samples make one row of the finest level.
    samples: usize,
    /// Samples that are no row yet.
    part: Vec<Vec<u32>>,
    levels: Vec<Vec<u32>>,
}

/// The rows of one level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level<'a> {
    /// How long a row is, ns.
    pub row_ns: f64,
    /// CPUs of a row.
    pub cpus: usize,
    cells: &'a [u32],
}

impl Level<'_> {
    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.cells.len() / self.cpus.max(1)
    }

    /// One CPU in one row.
    pub fn cell(&self, row: usize, cpu: usize) -> Option<LaneCell> {
        let word = self.cells.get(row * self.cpus + cpu);
        word.copied().map(LaneCell::unpack)
    }
}

impl Lanes {
    /// Empty, for samples of so many ns.
    pub fn new(sample_ns: f64) -> Self {
        Self {
            row_ns: sample_ns.max(1.0),
            samples: 1,
            ..Self::default()
        }
    }

    /// Takes in rows of so many CPUs each.
    pub fn push(&mut self, rows: &[u32], cpus: usize) {
        if cpus == 0 {
            return;
        }
        self.cpus = cpus;
        for row in rows.chunks_exact(cpus) {
            self.part.push(row.to_vec());
            if self.part.len() >= self.samples {
                let row = fold(std::mem::take(&mut self.part));
                self.put(0, &row);
                if self.levels.first().map_or(0, Vec::len) > ROWS * cpus {
                    // The second level becomes the first.
                    self.levels.remove(0);
                    self.row_ns *= 2.0;
                    self.samples *= 2;
                }
            }
        }
    }

    /// Puts a row on a level, and what it completes on those above.
    fn put(&mut self, level: usize, row: &[u32]) {
        let cpus = self.cpus;
        if self.levels.len() <= level {
            self.levels.push(Vec::new());
        }
        let cells = &mut self.levels[level];
        cells.extend_from_slice(row);
        let rows = cells.len() / cpus;
        if rows.is_multiple_of(2) && (rows > FEWEST || self.levels.len() > level + 1) {
            if self.levels.len() > level + 1 {
                let cells = &self.levels[level];
                let both = merged(&cells[cells.len() - 2 * cpus..], cpus);
                self.put(level + 1, &both);
            } else {
                let all: Vec<Vec<u32>> = self.levels[level]
                    .chunks_exact(2 * cpus)
                    .map(|pair| merged(pair, cpus))
                    .collect();
                for row in all {
                    self.put(level + 1, &row);
                }
            }
        }
    }

    /// The coarsest level whose rows are no longer than `ns`, else the finest.
    pub fn level(&self, ns: f64) -> Option<Level<'_>> {
        let mut row_ns = self.row_ns;
        let mut best = None;
        for cells in &self.levels {
            if best.is_some() && row_ns > ns {
                break;
            }
            best = Some(Level {
                row_ns,
                cpus: self.cpus,
                cells,
            });
            row_ns *= 2.0;
        }
        best
    }
}

/// Two rows, one after the other, as one.
fn merged(pair: &[u32], cpus: usize) -> Vec<u32> {
    let (first, second) = pair.split_at(cpus);
    let merge = |(a, b): (&u32, &u32)| LaneCell::unpack(*a).merge(LaneCell::unpack(*b)).pack();
    first.iter().zip(second).map(merge).collect()
}

/// So many rows, a power of two, as one.
fn fold(mut rows: Vec<Vec<u32>>) -> Vec<u32> {
    while rows.len() > 1 {
        rows = rows
            .chunks(2)
            .map(|pair| merged(&pair.concat(), pair[0].len()))
            .collect();
    }
    rows.pop().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(task: u16, busy: u8) -> u32 {
        LaneCell {
            task: Some(task),
            busy,
            runnable: 16,
        }
        .pack()
    }

    #[test]
    fn each_level_has_half_the_rows_of_the_one_below() {
        let mut lanes = Lanes::new(10e6);
        for row in 0..1_000 {
            lanes.push(&[cell(0, 255), cell(1, (row % 2 * 100) as u8)], 2);
        }
        let finest = lanes.level(1.0).unwrap();
        assert_eq!((finest.rows(), finest.row_ns as u64), (1_000, 10_000_000));
        let coarser = lanes.level(25e6).unwrap();
        assert_eq!((coarser.rows(), coarser.row_ns as u64), (500, 20_000_000));
        assert_eq!(coarser.cell(3, 0).unwrap().busy, 255);
        assert_eq!(coarser.cell(3, 1).unwrap().busy, 50);
        assert_eq!(coarser.cell(500, 0), None);
        assert!(lanes.level(1e12).unwrap().rows() >= FEWEST / 2);
    }

    #[test]
    fn memory_is_bounded_however_long_the_run() {
        let mut lanes = Lanes::new(1e6);
        for _ in 0..ROWS * 5 {
            lanes.push(&[cell(2, 128)], 1);
        }
        let finest = lanes.level(0.0).unwrap();
        assert!(finest.rows() <= ROWS && finest.rows() > ROWS / 2);
        let covered = finest.rows() as f64 * finest.row_ns;
        assert!((covered - ROWS as f64 * 5e6).abs() < 16e6, "{covered}");
        assert_eq!(finest.cell(100, 0).unwrap().task, Some(2));
        let cells: usize = lanes.levels.iter().map(Vec::len).sum();
        assert!(cells <= 2 * ROWS);
    }
}
