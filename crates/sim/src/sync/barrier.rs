//! Barriers.

/// A barrier of which every thread polls for a while, then sleeps.
#[derive(Clone, Debug)]
pub(crate) struct Barrier {
    /// How many take part.
    members: u32,
    /// Those that have come, in order.
    pub(crate) come: Vec<u32>,
    /// Sleepers of the round before that are still to be woken, the last one first.
    pub(crate) to_wake: Vec<u32>,
}

impl Barrier {
    /// A barrier for so many threads.
    pub(crate) fn new(members: u32) -> Self {
        Self {
            members,
            come: Vec::with_capacity(members as usize),
            to_wake: Vec::with_capacity(members as usize),
        }
    }

    /// So many threads more take part.
    pub(crate) fn add(&mut self, members: u32) {
        *self = Self::new(self.members.saturating_add(members));
    }

    /// Whether one more makes it complete.
    pub(crate) fn last_is_coming(&self) -> bool {
        self.come.len() as u64 + 1 >= u64::from(self.members)
    }
}
