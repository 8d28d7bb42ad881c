//! The digest of a run: equal digests mean the same switches and migrations at the same times.

/// A 64-bit hash over a stream of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Digest(u64);

impl Digest {
    /// Of an empty stream.
    pub(crate) const fn new() -> Self {
        Self(0x7465_6574_6572_0001)
    }

    /// Takes in one word: multiply and fold, so that each bit reaches every later state.
    #[inline]
    pub(crate) fn word(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word) * 0x9e37_79b9_7f4a_7c15;
        self.0 = self.0.rotate_left(29) ^ (product as u64) ^ ((product >> 64) as u64);
    }

    /// The hash so far.
    pub(crate) const fn finish(self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &[u64]) -> u64 {
        let mut digest = Digest::new();
        for &word in words {
            digest.word(word);
        }
        digest.finish()
    }

    #[test]
    fn order_and_value_matter() {
        assert_ne!(of(&[1, 2]), of(&[2, 1]));
        assert_ne!(of(&[0]), of(&[]));
        assert_ne!(of(&[0, 0]), of(&[0]));
        assert_eq!(of(&[1, 2, 3]), of(&[1, 2, 3]));
    }
}
