//! What of a picture is in sight: how large it is shown, and from where. Pure.

use super::rect::Rect;

/// Smallest and largest scale.
const SCALES: std::ops::RangeInclusive<f64> = 0.5..=8.0;
/// So much of the picture stays in sight, CSS pixels.
const KEPT: f64 = 60.0;

/// From the picture to the stage it is shown on: `stage = picture * scale + (x, y)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// How large it is shown.
    pub scale: f64,
    /// Where its left edge is on the stage.
    pub x: f64,
    /// Where its upper edge is on the stage.
    pub y: f64,
}

impl Default for View {
    fn default() -> Self {
        Self::FIT
    }
}

impl View {
    /// All of it.
    pub const FIT: Self = Self {
        scale: 1.0,
        x: 0.0,
        y: 0.0,
    };

    /// Whether all of it is in sight, as large as can be.
    pub fn is_fit(&self) -> bool {
        *self == Self::FIT
    }

    /// The picture's point at a point of the stage.
    pub fn picture_at(&self, x: f64, y: f64) -> (f64, f64) {
        ((x - self.x) / self.scale, (y - self.y) / self.scale)
    }

    /// The stage's point at a point of the picture.
    pub fn stage_at(&self, x: f64, y: f64) -> (f64, f64) {
        (x * self.scale + self.x, y * self.scale + self.y)
    }

    /// So much larger; what is at `(x, y)` of the stage stays there.
    #[must_use]
    pub fn zoomed(self, by: f64, (x, y): (f64, f64), stage: (f64, f64)) -> Self {
        let scale = (self.scale * by).clamp(*SCALES.start(), *SCALES.end());
        let by = scale / self.scale;
        Self {
            scale,
            x: x - (x - self.x) * by,
            y: y - (y - self.y) * by,
        }
        .kept(stage)
    }

    /// Moved by so much.
    #[must_use]
    pub fn moved(self, dx: f64, dy: f64, stage: (f64, f64)) -> Self {
        Self {
            x: self.x + dx,
            y: self.y + dy,
            ..self
        }
        .kept(stage)
    }

    /// Moved as little as brings a part of the picture into sight.
    #[must_use]
    pub fn revealing(self, part: &Rect, stage: (f64, f64)) -> Self {
        let along = |at: f64, size: f64, room: f64| {
            if at < 0.0 || size > room {
                -at
            } else {
                (room - at - size).min(0.0)
            }
        };
        let (x, y) = self.stage_at(part.x, part.y);
        let dx = along(x, part.w * self.scale, stage.0);
        let dy = along(y, part.h * self.scale, stage.1);
        self.moved(dx, dy, stage)
    }

    /// Moved back to where some of the picture is in sight.
    fn kept(self, (w, h): (f64, f64)) -> Self {
        let keep = |at: f64, size: f64| {
            let least = KEPT.min(size / 2.0);
            at.clamp(least - size * self.scale, size - least)
        };
        Self {
            x: keep(self.x, w.max(1.0)),
            y: keep(self.y, h.max(1.0)),
            ..self
        }
    }

    /// As CSS.
    pub fn css(&self) -> String {
        format!(
            "translate({:.2}px,{:.2}px) scale({:.4})",
            self.x, self.y, self.scale
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAGE: (f64, f64) = (400.0, 300.0);

    #[test]
    fn what_is_under_the_pointer_stays_there() {
        let pointer = (100.0, 80.0);
        let view = View::FIT.moved(10.0, -20.0, STAGE);
        let before = view.picture_at(pointer.0, pointer.1);
        let after = view.zoomed(1.7, pointer, STAGE);
        let again = after.picture_at(pointer.0, pointer.1);
        assert!((before.0 - again.0).abs() < 1e-9 && (before.1 - again.1).abs() < 1e-9);
        let there = after.stage_at(again.0, again.1);
        assert!((there.0 - 100.0).abs() < 1e-9 && (there.1 - 80.0).abs() < 1e-9);
    }

    #[test]
    fn some_of_the_picture_is_always_in_sight() {
        let far = View::FIT.moved(9_000.0, -9_000.0, STAGE);
        assert!(far.x <= 340.0 && far.y >= 60.0 - 300.0);
        let mut view = View::FIT;
        for _ in 0..50 {
            view = view.zoomed(1.5, (0.0, 0.0), STAGE);
        }
        assert!((view.scale - 8.0).abs() < 1e-9);
        for _ in 0..50 {
            view = view.zoomed(0.5, (0.0, 0.0), STAGE);
        }
        assert!((view.scale - 0.5).abs() < 1e-9);
        let nowhere = View::FIT.moved(5.0, 5.0, (0.0, 0.0));
        assert!(nowhere.x.is_finite());
    }

    #[test]
    fn a_part_out_of_sight_is_brought_into_it() {
        let part = Rect {
            x: 300.0,
            y: 200.0,
            w: 50.0,
            h: 50.0,
        };
        assert!(View::FIT.revealing(&part, STAGE).is_fit());
        let view = View::FIT
            .zoomed(4.0, (0.0, 0.0), STAGE)
            .revealing(&part, STAGE);
        let (x, y) = view.stage_at(350.0, 250.0);
        assert!(x <= 400.0 + 1e-9 && y <= 300.0 + 1e-9);
    }
}
