//! Fingers and the pointer: a drag moves, two that part or meet zoom, and one that stays is a click.

/// Further than this a pointer has moved, CSS pixels.
const STILL: f64 = 4.0;

/// The pointers that are down.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Gesture {
    pointers: Vec<(i32, f64)>,
    moved: bool,
    from: f64,
}

/// What a movement does to the view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Motion {
    /// Everything moves by so many pixels.
    Pan(f64),
    /// All becomes so many times as long about a place, in pixels.
    Zoom(f64, f64),
}

impl Gesture {
    /// A pointer comes down at a place.
    pub(super) fn down(&mut self, pointer: i32, x: f64) {
        self.moved = !self.pointers.is_empty();
        self.pointers.retain(|(known, _)| *known != pointer);
        self.pointers.push((pointer, x));
        self.from = x;
    }

    /// A pointer moves to a place.
    pub(super) fn motion(&mut self, pointer: i32, x: f64) -> Option<Motion> {
        let at = self
            .pointers
            .iter()
            .position(|(known, _)| *known == pointer)?;
        if !self.moved && (x - self.from).abs() < STILL {
            return None;
        }
        self.moved = true;
        let before = std::mem::replace(&mut self.pointers[at].1, x);
        let other = self.pointers.iter().find(|(known, _)| *known != pointer);
        Some(match other {
            Some((_, other)) => {
                let (was, is) = ((before - other).abs(), (x - other).abs());
                Motion::Zoom(was.max(8.0) / is.max(8.0), f64::midpoint(x, *other))
            }
            None => Motion::Pan(x - before),
        })
    }

    /// A pointer goes up; gives whether it clicked.
    pub(super) fn up(&mut self, pointer: i32) -> bool {
        let known = self.pointers.len();
        self.pointers.retain(|(known, _)| *known != pointer);
        known > self.pointers.len() && !self.moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_drags_or_clicks() {
        let mut gesture = Gesture::default();
        gesture.down(1, 100.0);
        assert_eq!(gesture.motion(1, 102.0), None);
        assert!(gesture.up(1));
        gesture.down(1, 100.0);
        assert_eq!(gesture.motion(1, 110.0), Some(Motion::Pan(10.0)));
        assert_eq!(gesture.motion(1, 108.0), Some(Motion::Pan(-2.0)));
        assert!(!gesture.up(1));
        assert_eq!(gesture.motion(1, 0.0), None);
    }

    #[test]
    fn two_fingers_zoom() {
        let mut gesture = Gesture::default();
        gesture.down(1, 100.0);
        gesture.down(2, 200.0);
        assert_eq!(gesture.motion(2, 300.0), Some(Motion::Zoom(0.5, 200.0)));
        assert!(!gesture.up(2) && !gesture.up(1));
    }
}
