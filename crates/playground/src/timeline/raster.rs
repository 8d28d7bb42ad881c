//! How much of each pixel of each row is what. What is narrower than a pixel counts by its share of it.

use super::View;
use super::lanes::Level;
use super::rows::Row;
use crate::protocol::window::Window;

/// Colours that are told apart; later ones share the last.
pub const PLACES: usize = 6;

/// One row's pixels.
#[derive(Clone, Debug, PartialEq)]
pub struct Strip {
    /// Share of each pixel in which a thread of each colour runs: `PLACES` numbers a pixel.
    pub runs: Vec<f32>,
    /// Threads that wait there, on the average of each pixel.
    pub waits: Vec<f32>,
}

impl Strip {
    fn new(width: usize) -> Self {
        Self {
            runs: vec![0.0; width * PLACES],
            waits: vec![0.0; width],
        }
    }

    /// The colour that takes most of a pixel, and the share that is taken by any.
    pub fn pixel(&self, x: usize) -> Option<(usize, f32)> {
        let shares = self.runs.get(x * PLACES..(x + 1) * PLACES)?;
        let taken: f32 = shares.iter().sum();
        let most = (0..PLACES).max_by(|a, b| shares[*a].total_cmp(&shares[*b]))?;
        (taken > 0.0).then_some((most, taken.min(1.0)))
    }

    /// Spreads what lasts from one place to another, in pixels, over the pixels it touches.
    fn spread(from: f64, to: f64, mut put: impl FnMut(usize, f32), width: usize) {
        let (from, to) = (from.max(0.0), to.min(width as f64));
        if to <= from {
            return;
        }
        let last = (to.ceil() as usize).min(width);
        for x in from.floor() as usize..last {
            let share = to.min(x as f64 + 1.0) - from.max(x as f64);
            put(x, share as f32);
        }
    }

    fn run(&mut self, from: f64, to: f64, place: usize, share: f32) {
        let width = self.waits.len();
        let place = place.min(PLACES - 1);
        let put = |x: usize, part: f32| self.runs[x * PLACES + place] += part * share;
        Self::spread(from, to, put, width);
    }

    fn wait(&mut self, from: f64, to: f64, threads: f32) {
        let width = self.waits.len();
        Self::spread(from, to, |x, part| self.waits[x] += part * threads, width);
    }
}

/// The rows of a picture so many pixels wide, from the samples of the whole run. Threads have none: their rows are empty.
/// `place` is the colour of a task.
pub fn of_level(
    level: &Level<'_>,
    view: View,
    width: usize,
    rows: &[Row],
    place: impl Fn(usize) -> usize,
) -> Vec<Strip> {
    let first = (view.from / level.row_ns).floor().max(0.0) as usize;
    let last = ((view.to / level.row_ns).ceil().max(0.0) as usize).min(level.rows());
    let x = |row: usize| view.x(row as f64 * level.row_ns, width as f64);
    let strip = |row: &Row| {
        let mut strip = Strip::new(width);
        let Row::Cpu(cpu) = *row else { return strip };
        for at in first..last {
            let Some(cell) = level.cell(at, cpu) else {
                continue;
            };
            let (from, to) = (x(at), x(at + 1));
            let busy = f32::from(cell.busy) / 255.0;
            if let Some(task) = cell.task {
                strip.run(from, to, place(task.into()), busy);
            }
            let waits = f32::from(cell.runnable) / 16.0 - busy;
            // Sixteenths are no more exact than that.
            if waits > 0.07 {
                strip.wait(from, to, waits);
            }
        }
        strip
    };
    rows.iter().map(strip).collect()
}

/// The same from a window that was simulated again. `place` is the colour of a thread.
pub fn of_window(
    window: &Window,
    view: View,
    width: usize,
    rows: &[Row],
    place: impl Fn(u32) -> usize,
) -> Vec<Strip> {
    let mut strips = vec![Strip::new(width); rows.len()];
    let mut of_cpu = Vec::new();
    let mut of_thread = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let (known, number) = match *row {
            Row::Cpu(cpu) => (&mut of_cpu, cpu),
            Row::Thread(thread) => (&mut of_thread, thread as usize),
        };
        if known.len() <= number {
            known.resize(number + 1, None);
        }
        known[number] = Some(at);
    }
    for (from, to, thread, cpu, runs) in window.spans() {
        if to < view.from || from > view.to {
            continue;
        }
        let (from, to) = (view.x(from, width as f64), view.x(to, width as f64));
        let on = [of_cpu.get(cpu), of_thread.get(thread as usize)];
        for at in on.into_iter().flatten().copied().flatten() {
            if runs {
                strips[at].run(from, to, place(thread), 1.0);
            } else {
                strips[at].wait(from, to, 1.0);
            }
        }
    }
    strips
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::lanes::Lanes;
    use teeter_sim::LaneCell;

    const VIEW: View = View {
        from: 0.0,
        to: 100.0,
    };

    fn close(a: f32, b: f32) -> bool {
        (a - b).abs() < 1e-4
    }

    #[test]
    fn spans_narrower_than_a_pixel_count_by_their_share() {
        let window = Window {
            // On CPU 2: thread 5 runs for 2.5 of 10 pixels, thread 6 waits from then on.
            spans: vec![0.0, 25.0, 25.0, 100.0],
            places: vec![5, 5, 6, 4],
            ..Window::default()
        };
        let rows = [Row::Cpu(2), Row::Thread(6), Row::Cpu(0)];
        let strips = of_window(&window, VIEW, 10, &rows, |thread| thread as usize - 5);
        assert_eq!(strips[0].pixel(1), Some((0, 1.0)));
        assert!(close(strips[0].pixel(2).unwrap().1, 0.5));
        assert_eq!(strips[0].pixel(3), None);
        assert!(close(strips[0].waits[2], 0.5) && close(strips[0].waits[9], 1.0));
        assert!(close(strips[1].waits[5], 1.0) && strips[1].pixel(5).is_none());
        assert_eq!(strips[2], Strip::new(10));
    }

    #[test]
    fn samples_fill_the_pixels_they_cover() {
        let mut lanes = Lanes::new(50.0);
        let cell = |task, busy, runnable| {
            LaneCell {
                task: Some(task),
                busy,
                runnable,
            }
            .pack()
        };
        lanes.push(&[cell(1, 255, 16), cell(0, 255, 40)], 2);
        let level = lanes.level(1.0).unwrap();
        let strips = of_level(&level, VIEW, 10, &[Row::Cpu(0), Row::Cpu(1)], |task| task);
        assert_eq!(strips[0].pixel(4), Some((1, 1.0)));
        assert_eq!(strips[0].pixel(5), None, "not simulated yet");
        assert!(close(strips[1].waits[0], 1.5) && close(strips[0].waits[0], 0.0));
    }
}
