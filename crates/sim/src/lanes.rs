//! What every CPU did in each sample, for a picture of CPUs over time. Kept only where it is asked for, and only until
//! it is taken.

use crate::stats::Stats;

/// One CPU in one sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaneCell {
    /// The scenario's task that was runnable there for longest; `None` where none was.
    pub task: Option<u16>,
    /// Share of the sample in which the CPU ran a task, 255 = all of it.
    pub busy: u8,
    /// Time average of runnable threads, in sixteenths, at most 255.
    pub runnable: u8,
}

/// [`LaneCell::task`] of a cell in which nothing was runnable.
const NOBODY: u16 = u16::MAX;

impl LaneCell {
    /// All of it in one word.
    pub fn pack(self) -> u32 {
        let task = self.task.unwrap_or(NOBODY);
        u32::from(task) << 16 | u32::from(self.busy) << 8 | u32::from(self.runnable)
    }

    /// What [`LaneCell::pack`] made a word of.
    pub fn unpack(word: u32) -> Self {
        let [runnable, busy, ..] = word.to_le_bytes();
        let task = (word >> 16) as u16;
        Self {
            task: (task != NOBODY).then_some(task),
            busy,
            runnable,
        }
    }

    /// Two cells of equal length, one after the other, as one.
    #[must_use]
    pub fn merge(self, next: Self) -> Self {
        let mean = |a: u8, b: u8| (u16::from(a) + u16::from(b)).div_ceil(2) as u8;
        let longer = if next.runnable > self.runnable {
            next.task
        } else {
            self.task.or(next.task)
        };
        Self {
            task: longer,
            busy: mean(self.busy, next.busy),
            runnable: mean(self.runnable, next.runnable),
        }
    }
}

/// Rows of packed cells that nobody has taken yet, and where the accounts stood when the last one ended.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lanes {
    pub(crate) cells: Vec<u32>,
    busy: Vec<u64>,
    on_cpu: Vec<u64>,
}

impl Lanes {
    /// Begins at `now`.
    pub(crate) fn new(stats: &Stats, now: u64) -> Self {
        Self {
            cells: Vec::new(),
            busy: stats.busy(now).map(|(_, busy)| busy).collect(),
            on_cpu: stats.on_cpu(now).collect(),
        }
    }

    /// Ends a sample of so many ns at `now` with a row.
    pub(crate) fn take(&mut self, stats: &Stats, now: u64, sample: u64) {
        let sample = sample.max(1);
        let cpus = self.busy.len();
        let mut runnable = vec![0; cpus];
        let mut most = vec![(0, NOBODY); cpus];
        for (at, (total, last)) in stats.on_cpu(now).zip(&mut self.on_cpu).enumerate() {
            let (task, cpu, passed) = (at / cpus, at % cpus, total - *last);
            *last = total;
            runnable[cpu] += passed;
            if passed > most[cpu].0 {
                most[cpu] = (passed, task as u16);
            }
        }
        let scaled = |time: u64, one: u64| (time * one / sample).min(255) as u8;
        for (cpu, (_, total)) in stats.busy(now).enumerate() {
            let busy = total - self.busy[cpu];
            self.busy[cpu] = total;
            let cell = LaneCell {
                task: (most[cpu].1 != NOBODY).then_some(most[cpu].1),
                busy: scaled(busy, 255),
                runnable: scaled(runnable[cpu], 16),
            };
            self.cells.push(cell.pack());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_survives_a_word() {
        for task in [None, Some(0), Some(7)] {
            let cell = LaneCell {
                task,
                busy: 200,
                runnable: 33,
            };
            assert_eq!(LaneCell::unpack(cell.pack()), cell);
        }
    }

    #[test]
    fn merged_cells_keep_the_task_that_was_there_longer() {
        let cell = |task, busy, runnable| LaneCell {
            task,
            busy,
            runnable,
        };
        let both = cell(Some(1), 100, 4).merge(cell(Some(2), 255, 32));
        assert_eq!(both, cell(Some(2), 178, 18));
        assert_eq!(cell(None, 0, 0).merge(cell(Some(3), 4, 0)).task, Some(3));
    }
}
