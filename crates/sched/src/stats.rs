//! Counts of what balancing did.

/// Passes at one level, by the kernel's name for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LevelStats {
    /// SMT, MC, DIE, NODE or NUMA (all NUMA levels together).
    pub name: &'static str,
    /// Passes.
    pub count: u64,
    /// Passes that found the level balanced, or were refused.
    pub balanced: u64,
    /// Passes refused, since another CPU balances for the group.
    pub refused: u64,
    /// Passes that wanted to move tasks and moved none.
    pub failed: u64,
    /// Tasks moved.
    pub moved: u64,
    /// Active balances started.
    pub active: u64,
}

/// Counts for all levels.
#[derive(Clone, Debug, Default)]
pub(crate) struct BalanceStats {
    levels: Vec<LevelStats>,
}

impl BalanceStats {
    /// All levels, lowest first.
    pub(crate) fn levels(&self) -> &[LevelStats] {
        &self.levels
    }

    /// The counts of a level; levels come in the order they are first asked for.
    pub(crate) fn level(&mut self, name: &'static str) -> &mut LevelStats {
        let at = self
            .levels
            .iter()
            .position(|level| level.name == name)
            .unwrap_or_else(|| {
                self.levels.push(LevelStats {
                    name,
                    ..LevelStats::default()
                });
                self.levels.len() - 1
            });
        &mut self.levels[at]
    }
}
