//! A user's own rules for groups, in place of the kernel's.

use super::Env;
use super::group::GroupStats;
use crate::rules::{GROUP_INPUTS, OwnPoint};
use crate::sched::Sched;

/// How many numbers come before those of the groups.
const OF_MOVES: usize = 6;
const OF_GROUPS: usize = 2;

impl Sched {
    /// Whether `candidate` is busier than `busiest` by the user's rule, if there is one that has a result.
    pub(super) fn own_busier(
        &mut self,
        env: &Env,
        candidate: &GroupStats,
        busiest: &GroupStats,
    ) -> Option<bool> {
        let imbalance_pct = self.domains.sd(env.sd).imbalance_pct;
        let said = self.rules.own.eval(OwnPoint::Busier, |input| match input {
            0 => Some(imbalance_pct.into()),
            1 => Some(env.idle as i64),
            _ => of_groups(input - OF_GROUPS, candidate, busiest),
        })?;
        self.heed(OwnPoint::Busier, said).map(|busier| busier != 0)
    }

    /// How much to move by the user's rule at a point, if there is one that has a result; never less than
    /// nothing.
    pub(super) fn own_imbalance(
        &mut self,
        point: OwnPoint,
        env: &Env,
        imbalance: i64,
        local: &GroupStats,
        busiest: &GroupStats,
    ) -> Option<i64> {
        let sd = self.domains.sd(env.sd);
        let child_weight = self.domains.child_weight(env.sd);
        let said = self.rules.own.eval(point, |input| match input {
            0 => Some(imbalance),
            1 => Some(sd.imbalance_pct.into()),
            2 => Some(env.idle as i64),
            3 => Some(sd.span_weight.into()),
            4 => Some(child_weight.into()),
            5 => Some(sd.imb_numa_nr.into()),
            _ => of_groups(input - OF_MOVES, local, busiest),
        })?;
        self.heed(point, said).map(|imbalance| imbalance.max(0))
    }
}

/// Numbers of two groups, one after the other.
fn of_groups(input: usize, first: &GroupStats, second: &GroupStats) -> Option<i64> {
    match input.checked_sub(GROUP_INPUTS) {
        None => first.input(input),
        Some(input) => second.input(input),
    }
}
