//! Upright rectangles.

/// An upright rectangle, in CSS pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    /// Left edge.
    pub x: f64,
    /// Upper edge.
    pub y: f64,
    /// Width.
    pub w: f64,
    /// Height.
    pub h: f64,
}

impl Rect {
    /// The rectangle between two corners.
    pub fn between(a: (f64, f64), b: (f64, f64)) -> Self {
        Self {
            x: a.0.min(b.0),
            y: a.1.min(b.1),
            w: (a.0 - b.0).abs(),
            h: (a.1 - b.1).abs(),
        }
    }

    /// Whether a point lies in it.
    pub fn contains(&self, x: f64, y: f64) -> bool {
        x >= self.x && x < self.x + self.w && y >= self.y && y < self.y + self.h
    }

    /// Whether all of another lies in it.
    pub fn holds(&self, other: &Self) -> bool {
        other.x >= self.x
            && other.y >= self.y
            && other.x + other.w <= self.x + self.w
            && other.y + other.h <= self.y + self.h
    }

    /// Its middle.
    pub fn centre(&self) -> (f64, f64) {
        (self.x + self.w / 2.0, self.y + self.h / 2.0)
    }

    /// Smaller by so much on every side.
    #[must_use]
    pub fn inset(&self, by: f64) -> Self {
        Self {
            x: self.x + by,
            y: self.y + by,
            w: (self.w - 2.0 * by).max(0.0),
            h: (self.h - 2.0 * by).max(0.0),
        }
    }

    /// What is left below a strip at the top.
    pub(super) fn below(&self, top: f64) -> Self {
        Self {
            y: self.y + top,
            h: (self.h - top).max(0.0),
            ..*self
        }
    }

    /// The `place`-th of `count` equal boxes in rows of `columns`.
    pub(super) fn grid(&self, count: usize, columns: usize, gap: f64, place: usize) -> Self {
        let rows = count.div_ceil(columns.max(1)).max(1);
        let columns = columns.max(1);
        let w = (self.w - gap * (columns - 1) as f64) / columns as f64;
        let h = (self.h - gap * (rows - 1) as f64) / rows as f64;
        let (row, column) = (place / columns, place % columns);
        Self {
            x: self.x + column as f64 * (w + gap),
            y: self.y + row as f64 * (h + gap),
            w: w.max(0.0),
            h: h.max(0.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lasso_is_a_rectangle_whichever_way_it_is_drawn() {
        let lasso = Rect::between((30.0, 5.0), (10.0, 25.0));
        assert_eq!(lasso, Rect::between((10.0, 25.0), (30.0, 5.0)));
        assert!(lasso.holds(&lasso.inset(2.0)) && !lasso.inset(2.0).holds(&lasso));
        assert_eq!(lasso.centre(), (20.0, 15.0));
    }

    #[test]
    fn rows_break_where_columns_end() {
        let area = Rect {
            w: 100.0,
            h: 50.0,
            ..Rect::default()
        };
        let last = area.grid(5, 3, 10.0, 4);
        assert!((last.y - 30.0).abs() < 1e-9 && (last.h - 20.0).abs() < 1e-9);
        assert_eq!(area.grid(0, 0, 10.0, 0), area);
    }
}
