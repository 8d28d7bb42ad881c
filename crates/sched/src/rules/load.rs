//! Load tracking, by release (SCHED.md 2).

use super::named::Choice;
use super::release::Release;

/// How load is summed, and what load tracking knows of tasks that wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pelt {
    /// Weights are inside the sums, which are added up period by period and divided by the largest there can be;
    /// the load of queued entities is their `load_avg` (to v4.11).
    Weighted(Propagation),
    /// The same, but sums are added up by segments and divided by their window (v4.13, v4.14; v4.12 still divides
    /// by the largest there can be, but none of the presets is of it).
    WeightedSegments,
    /// The load of queued entities, `runnable_load_avg` (v4.15 to v5.6).
    RunnableLoad,
    /// How many tasks are runnable, `runnable_avg` (v5.7).
    Runnable,
}

impl Choice for Pelt {
    const ALL: &'static [(&'static str, Self)] = &[
        ("weighted", Self::Weighted(Propagation::Load)),
        ("weighted-queued", Self::Weighted(Propagation::Queued)),
        (
            "weighted-queued-apart",
            Self::Weighted(Propagation::QueuedApart),
        ),
        ("weighted-segments", Self::WeightedSegments),
        ("runnable-load", Self::RunnableLoad),
        ("runnable", Self::Runnable),
    ];
}

impl Pelt {
    /// Whether weights are inside the sums (to v4.14).
    #[inline]
    pub(crate) fn is_weighted(self) -> bool {
        self.propagation().is_some()
    }

    /// What becomes a group's load of that below it, where weights are inside the sums.
    #[inline]
    pub(crate) fn propagation(self) -> Option<Propagation> {
        match self {
            Self::Weighted(propagation) => Some(propagation),
            Self::WeightedSegments => Some(Propagation::Load),
            Self::RunnableLoad | Self::Runnable => None,
        }
    }
}

/// Which average of a run-queue the balancer and wakeups take for its load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadMetric {
    /// `runnable_load_avg`: queued entities only (to v5.4).
    RunnableLoad,
    /// `load_avg`: blocked entities too (v5.5).
    Load,
}

impl LoadMetric {
    fn of(release: Release) -> Self {
        if release.since(5, 5) {
            Self::Load
        } else {
            Self::RunnableLoad
        }
    }
}

impl Choice for LoadMetric {
    const ALL: &'static [(&'static str, Self)] =
        &[("runnable-load", Self::RunnableLoad), ("load", Self::Load)];
}

/// What of the load below a group's entity on a CPU becomes the entity's own, to v4.14. (Later it is how much of
/// the time there was any.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Propagation {
    /// When tasks come or leave for good: all of it, as far as the group's shares go (v4.10 to v4.14).
    Load,
    /// At every update: that of queued tasks, by the entity's weight in its queue (posting of 24 April 2017).
    Queued,
    /// The same, as a load beside the entity's own that only sums of queued load know (posting of 4 May 2017).
    QueuedApart,
}

/// How the sum of a queue's average goes on when load comes or goes between two updates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SumSync {
    /// By the sum of what comes or goes (to v5.12).
    Apart,
    /// It is set to what the average comes to (v5.14 to v5.16; v5.13 in some places).
    Average,
    /// By the sum of what comes or goes, but never below what the average needs at least; in 32 bits (v5.17).
    AtLeast,
}

impl Choice for SumSync {
    const ALL: &'static [(&'static str, Self)] = &[
        ("apart", Self::Apart),
        ("average", Self::Average),
        ("at-least", Self::AtLeast),
    ];
}

/// What a task's estimated utilization is, and where it is marked as unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UtilEst {
    /// The last utilization and a moving average; the mark is the lowest bit, which estimates show (v4.17 to
    /// v5.12).
    LowMark,
    /// The same with the mark out of the way; the last utilization is kept even if the average is near it (v5.13
    /// to v6.7).
    HighMark,
    /// A moving average only, which follows a rise at once and does not fall while the task had to wait (v6.8).
    Single,
}

impl Choice for UtilEst {
    const ALL: &'static [(&'static str, Self)] = &[
        ("low-mark", Self::LowMark),
        ("high-mark", Self::HighMark),
        ("single", Self::Single),
    ];
}

/// Which weight of a new task its first utilization is guessed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewUtil {
    /// The scaled one, which gives half of what the CPU has left for all but the lightest (to v6.9).
    Scaled,
    /// The unscaled one (v6.10).
    Unscaled,
}

impl Choice for NewUtil {
    const ALL: &'static [(&'static str, Self)] =
        &[("scaled", Self::Scaled), ("unscaled", Self::Unscaled)];
}

/// How one kernel tracks load.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a point of its own where versions differ"
)]
#[derive(Clone, Debug, PartialEq)]
pub struct LoadRules {
    /// Sums and averages.
    pub pelt: Pelt,
    /// Whether a group weighs on a CPU by the load that sleeps there too, not only by what is queued (v4.15).
    pub shares_of_load: bool,
    /// Whether the load of a queued task that is moved leaves with it, not at its queue's next update (v4.15).
    pub detach_at_once: bool,
    /// Whether a queue without load leaves the list of those that are aged (v4.13).
    pub forgets_decayed: bool,
    /// Least unscaled weight of an entity that has any: 2 from v5.7 on, else 0.
    pub weight_floor: u32,
    /// Whether load that comes from below is measured by the queue's own window (v5.8).
    pub window_divider: bool,
    /// How sums follow their averages between updates.
    pub sum_sync: SumSync,
    /// Whether an entity that joins a queue has a load sum of 1 at least (v5.18).
    pub joins_with_sum: bool,
    /// Whether a task that is woken away from an idle CPU is aged to now, though its queue there was not (v6.0).
    pub ages_movers: bool,
    /// Whether the entity of a group is aged like that of a task. All kernels do that; a posting of 24 April 2017,
    /// withdrawn the day after, left it to what comes from below, which nothing does while load only decays.
    pub ages_groups: bool,
    /// Whether load is tracked by a clock that runs slower on a busy CPU of less capacity (v5.1).
    pub capacity_clock: bool,
    /// Whether a group's entity is reweighted at each update, even to the weight it has (to v6.7).
    pub reweights_unchanged: bool,
    /// By which weight a new task's utilization is guessed.
    pub new_util: NewUtil,
    /// Least time between two contributions of a queue to its group's load, ns (1 ms from v6.7 on, else 0).
    pub tg_interval_ns: u64,
    /// The load of a CPU for load balancing.
    pub metric: LoadMetric,
    /// The load of a CPU for the placement of woken and forked tasks.
    pub wake_metric: LoadMetric,
    /// Estimated utilization.
    pub util_est: UtilEst,
}

impl LoadRules {
    pub(super) fn of(release: Release) -> Self {
        Self {
            pelt: match release {
                _ if release.since(5, 7) => Pelt::Runnable,
                _ if release.since(4, 15) => Pelt::RunnableLoad,
                _ if release.since(4, 12) => Pelt::WeightedSegments,
                _ => Pelt::Weighted(Propagation::Load),
            },
            shares_of_load: release.since(4, 15),
            detach_at_once: release.since(4, 15),
            forgets_decayed: release.since(4, 13),
            weight_floor: if release.since(5, 7) { 2 } else { 0 },
            window_divider: release.since(5, 8),
            sum_sync: match release {
                _ if release.since(5, 17) => SumSync::AtLeast,
                _ if release.since(5, 14) => SumSync::Average,
                _ => SumSync::Apart,
            },
            joins_with_sum: release.since(5, 18),
            ages_movers: release.since(6, 0),
            ages_groups: true,
            capacity_clock: release.since(5, 1),
            reweights_unchanged: !release.since(6, 8),
            new_util: if release.since(6, 10) {
                NewUtil::Unscaled
            } else {
                NewUtil::Scaled
            },
            tg_interval_ns: if release.since(6, 7) { 1_000_000 } else { 0 },
            metric: LoadMetric::of(release),
            wake_metric: LoadMetric::of(release),
            util_est: match release {
                _ if release.since(6, 8) => UtilEst::Single,
                _ if release.since(5, 13) => UtilEst::HighMark,
                _ => UtilEst::LowMark,
            },
        }
    }
}
