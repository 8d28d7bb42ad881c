//! CPUs (or threads) over time, from the whole run to single microseconds: which part is in view ([`View`]), what stands
//! in which row ([`rows`]), how much of each pixel is what ([`raster`], from the [`lanes`] of the whole run or from a
//! window that was simulated again), how it is painted ([`paint`]) and said ([`words`]).

pub mod lanes;
pub mod paint;
pub mod raster;
pub mod rows;
pub mod ticks;
pub mod words;

/// Narrowest view, ns.
const NARROWEST_NS: f64 = 2_000.0;

/// The part of the run that is in view, simulated ns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct View {
    /// Its left end.
    pub from: f64,
    /// Its right end.
    pub to: f64,
}

impl View {
    /// All of a run that ends at `end`.
    pub fn whole(end: f64) -> Self {
        Self {
            from: 0.0,
            to: end.max(NARROWEST_NS),
        }
    }

    /// How long it is.
    pub fn span(self) -> f64 {
        self.to - self.from
    }

    /// Makes it so many times as long, and keeps a moment where it is; within a run that ends at `end`.
    #[must_use]
    pub fn zoomed(self, times: f64, about: f64, end: f64) -> Self {
        let whole = Self::whole(end);
        let span = (self.span() * times).clamp(NARROWEST_NS, whole.span());
        let share = ((about - self.from) / self.span()).clamp(0.0, 1.0);
        let from = about - share * span;
        Self {
            from,
            to: from + span,
        }
        .within(end)
    }

    /// Moves it by so many ns; within a run that ends at `end`.
    #[must_use]
    pub fn moved(self, by: f64, end: f64) -> Self {
        Self {
            from: self.from + by,
            to: self.to + by,
        }
        .within(end)
    }

    /// Moves it just so far that a moment is in view.
    #[must_use]
    pub fn showing(self, at: f64, end: f64) -> Self {
        if at < self.from {
            self.moved(at - self.from, end)
        } else if at > self.to {
            self.moved(at - self.to, end)
        } else {
            self
        }
    }

    fn within(self, end: f64) -> Self {
        let whole = Self::whole(end);
        let span = self.span().min(whole.span());
        let from = self.from.clamp(0.0, whole.to - span);
        Self {
            from,
            to: from + span,
        }
    }

    /// The moment at a place, in pixels of a picture so wide.
    pub fn at(self, x: f64, width: f64) -> f64 {
        self.from + x / width.max(1.0) * self.span()
    }

    /// The place of a moment, in pixels.
    pub fn x(self, at: f64, width: f64) -> f64 {
        (at - self.from) / self.span() * width
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const END: f64 = 60e9;

    #[test]
    fn zooming_keeps_the_moment_under_the_pointer() {
        let view = View::whole(END).zoomed(0.1, 30e9, END);
        assert!((view.span() - 6e9).abs() < 1.0);
        assert!((view.at(500.0, 1000.0) - 30e9).abs() < 1.0);
        let narrowest = view.zoomed(1e-12, 30e9, END);
        assert!((narrowest.span() - NARROWEST_NS).abs() < 1e-3);
        assert_eq!(view.zoomed(1e9, 30e9, END), View::whole(END));
    }

    #[test]
    fn a_view_keeps_inside_the_run() {
        let view = View { from: 1e9, to: 3e9 };
        assert_eq!(view.moved(-5e9, END).from as i64, 0);
        assert_eq!(view.moved(99e9, END).to as i64, 60_000_000_000);
        assert_eq!(view.showing(2e9, END), view);
        assert_eq!(view.showing(5e9, END).to as i64, 5_000_000_000);
        assert_eq!(View::whole(0.0).span() as i64, NARROWEST_NS as i64);
    }

    #[test]
    fn places_and_moments_are_each_others_inverse() {
        let view = View { from: 1e9, to: 3e9 };
        assert!((view.x(view.at(123.0, 800.0), 800.0) - 123.0).abs() < 1e-9);
    }
}
