//! Features that can be switched while the kernel runs, by release (`/sys/kernel/debug/sched/features`).

use super::release::Release;

/// A feature of the scheduler.
///
/// Source: kernel/sched/features.h.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// WA_IDLE: `wake_affine` looks for an idle CPU (v4.14).
    WaIdle,
    /// WA_WEIGHT: `wake_affine` compares loads (v4.14).
    WaWeight,
    /// WA_BIAS: and favours the waker's CPU by half of `imbalance_pct` (v4.14).
    WaBias,
    /// SIS_PROP: a search for an idle CPU looks at as many as the waker's idle time is worth (v4.13 to v6.6,
    /// off from v6.0 on).
    SisProp,
    /// SIS_UTIL: it looks at the fewer, the more used the cache's CPUs are (v6.0).
    SisUtil,
    /// LB_BIAS: balancing leaves alone load that has just come (to v5.2, off from v4.20 on).
    LbBias,
    /// UTIL_EST: utilization is estimated from what tasks needed before they slept (v4.17).
    UtilEst,
    /// UTIL_EST_FASTUP: and the estimate follows a rise at once (v5.5 to v6.7, later always).
    UtilEstFastup,
    /// GENTLE_FAIR_SLEEPERS: sleepers are credited half a latency, not a whole one (to v6.5).
    GentleFairSleepers,
    /// START_DEBIT: new tasks start a slice behind (to v6.5).
    StartDebit,
    /// LAST_BUDDY: whom a wakeup preempted is preferred once the woken one sleeps (to v6.5).
    LastBuddy,
    /// NEXT_BUDDY: whoever was woken last is preferred. Off.
    NextBuddy,
    /// WAKEUP_PREEMPTION: woken tasks may preempt.
    WakeupPreemption,
    /// ALT_PERIOD: the round is as long as all tasks of the CPU need (v5.13 to v6.5).
    AltPeriod,
    /// BASE_SLICE: no slice is shorter than the minimal granularity (v5.13 to v6.5).
    BaseSlice,
    /// PLACE_LAG: an entity comes back with the lag it left with (v6.6).
    PlaceLag,
    /// PLACE_DEADLINE_INITIAL: the first deadline of a new task is half a slice away (v6.6).
    PlaceDeadlineInitial,
    /// PLACE_REL_DEADLINE: an entity that moves keeps its distance to its deadline (v6.12).
    PlaceRelDeadline,
    /// RUN_TO_PARITY: a picked entity runs until it is not eligible or its slice ends (v6.6).
    RunToParity,
    /// PREEMPT_SHORT: a woken entity of a shorter slice overrides that (v6.12).
    PreemptShort,
    /// DELAY_DEQUEUE: an entity that sleeps in debt stays queued until it is picked (v6.12).
    DelayDequeue,
    /// DELAY_ZERO: lag that such an entity gained meanwhile is dropped (v6.12).
    DelayZero,
    /// UTIL_FITS_CAPACITY: a CPU on which the task fits counts as an idle one (postings of October 2023).
    UtilFitsCapacity,
    /// SELECT_BIAS_PREV: the previous CPU comes before the target (postings of October 2023).
    SelectBiasPrev,
}

/// When a feature came, when it was on, and when it went; [`NEVER`] where no release did.
struct Known {
    feature: Feature,
    name: &'static str,
    about: &'static str,
    since: Release,
    off_since: Release,
    gone_since: Release,
}

/// Before any release.
const FIRST: Release = Release(0, 0);

/// After any release.
const NEVER: Release = Release(u8::MAX, 0);

const fn known(feature: Feature, name: &'static str, since: Release, about: &'static str) -> Known {
    Known {
        feature,
        name,
        about,
        since,
        off_since: NEVER,
        gone_since: NEVER,
    }
}

const KNOWN: [Known; 24] = [
    known(
        Feature::WaIdle,
        "WA_IDLE",
        Release(4, 14),
        "wake_affine looks for an idle CPU",
    ),
    known(
        Feature::WaWeight,
        "WA_WEIGHT",
        Release(4, 14),
        "wake_affine compares loads",
    ),
    known(
        Feature::WaBias,
        "WA_BIAS",
        Release(4, 14),
        "wake_affine favours the waker's CPU by half of imbalance_pct",
    ),
    Known {
        off_since: Release(6, 0),
        gone_since: Release(6, 7),
        ..known(
            Feature::SisProp,
            "SIS_PROP",
            Release(4, 13),
            "a search for an idle CPU looks at as many as the waker's idle time is worth",
        )
    },
    known(
        Feature::SisUtil,
        "SIS_UTIL",
        Release(6, 0),
        "it looks at the fewer, the more used the cache's CPUs are",
    ),
    Known {
        off_since: Release(4, 20),
        gone_since: Release(5, 3),
        ..known(
            Feature::LbBias,
            "LB_BIAS",
            FIRST,
            "balancing leaves alone load that has just come",
        )
    },
    known(
        Feature::UtilEst,
        "UTIL_EST",
        Release(4, 17),
        "utilization is estimated from what tasks needed before they slept",
    ),
    Known {
        gone_since: Release(6, 8),
        ..known(
            Feature::UtilEstFastup,
            "UTIL_EST_FASTUP",
            Release(5, 5),
            "estimated utilization follows a rise at once",
        )
    },
    Known {
        gone_since: Release(6, 6),
        ..known(
            Feature::GentleFairSleepers,
            "GENTLE_FAIR_SLEEPERS",
            FIRST,
            "sleepers are credited half a latency, not a whole one",
        )
    },
    Known {
        gone_since: Release(6, 6),
        ..known(
            Feature::StartDebit,
            "START_DEBIT",
            FIRST,
            "new tasks start a slice behind",
        )
    },
    Known {
        gone_since: Release(6, 6),
        ..known(
            Feature::LastBuddy,
            "LAST_BUDDY",
            FIRST,
            "whom a wakeup preempted is preferred once the woken one sleeps",
        )
    },
    Known {
        off_since: FIRST,
        ..known(
            Feature::NextBuddy,
            "NEXT_BUDDY",
            FIRST,
            "whoever was woken last is preferred",
        )
    },
    known(
        Feature::WakeupPreemption,
        "WAKEUP_PREEMPTION",
        FIRST,
        "woken tasks may preempt",
    ),
    Known {
        gone_since: Release(6, 6),
        ..known(
            Feature::AltPeriod,
            "ALT_PERIOD",
            Release(5, 13),
            "the round is as long as all tasks of the CPU need",
        )
    },
    Known {
        gone_since: Release(6, 6),
        ..known(
            Feature::BaseSlice,
            "BASE_SLICE",
            Release(5, 13),
            "no slice is shorter than the minimal granularity",
        )
    },
    known(
        Feature::PlaceLag,
        "PLACE_LAG",
        Release(6, 6),
        "an entity comes back with the lag it left with",
    ),
    known(
        Feature::PlaceDeadlineInitial,
        "PLACE_DEADLINE_INITIAL",
        Release(6, 6),
        "the first deadline of a new task is half a slice away",
    ),
    known(
        Feature::PlaceRelDeadline,
        "PLACE_REL_DEADLINE",
        Release(6, 12),
        "an entity that moves keeps its distance to its deadline",
    ),
    known(
        Feature::RunToParity,
        "RUN_TO_PARITY",
        Release(6, 6),
        "a picked entity runs until it is not eligible or its slice ends",
    ),
    known(
        Feature::PreemptShort,
        "PREEMPT_SHORT",
        Release(6, 12),
        "a woken entity of a shorter slice preempts a protected one",
    ),
    known(
        Feature::DelayDequeue,
        "DELAY_DEQUEUE",
        Release(6, 12),
        "an entity that sleeps in debt stays queued until it is picked",
    ),
    known(
        Feature::DelayZero,
        "DELAY_ZERO",
        Release(6, 12),
        "lag that such an entity gained meanwhile is dropped",
    ),
    known(
        Feature::UtilFitsCapacity,
        "UTIL_FITS_CAPACITY",
        NEVER,
        "a CPU on which the task fits counts as an idle one",
    ),
    known(
        Feature::SelectBiasPrev,
        "SELECT_BIAS_PREV",
        NEVER,
        "the previous CPU comes before the target",
    ),
];

/// Which features a kernel has, and which of them are on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features {
    known: u32,
    on: u32,
}

impl Features {
    pub(super) fn of(release: Release) -> Self {
        let mut features = Self { known: 0, on: 0 };
        for known in &KNOWN {
            if release >= known.since && release < known.gone_since {
                features.add(known.feature, release < known.off_since);
            }
        }
        features
    }

    /// Whether the feature is on (`sched_feat`).
    #[inline]
    pub fn has(self, feature: Feature) -> bool {
        self.on & bit(feature) != 0
    }

    /// Whether the kernel has the feature, on or off.
    #[inline]
    pub fn knows(self, feature: Feature) -> bool {
        self.known & bit(feature) != 0
    }

    /// Adds a feature, as a patch series does.
    pub(super) fn add(&mut self, feature: Feature, on: bool) {
        self.known |= bit(feature);
        self.switch(feature, on);
    }

    fn switch(&mut self, feature: Feature, on: bool) {
        if on {
            self.on |= bit(feature);
        } else {
            self.on &= !bit(feature);
        }
    }

    /// Switches a feature by its name. False: the kernel has none of that name.
    pub(super) fn switch_by_name(&mut self, name: &str, on: bool) -> bool {
        let known = KNOWN.iter().find(|known| known.name == name);
        match known.filter(|known| self.known & bit(known.feature) != 0) {
            Some(known) => {
                self.switch(known.feature, on);
                true
            }
            None => false,
        }
    }

    /// Whether a feature is on, by its name; `None`: the kernel has none of that name.
    pub(super) fn by_name(self, name: &str) -> Option<bool> {
        let known = KNOWN.iter().find(|known| known.name == name)?;
        self.knows(known.feature).then(|| self.has(known.feature))
    }

    /// All features that some kernel has, with what each does in a phrase.
    pub(super) fn abouts() -> impl Iterator<Item = (&'static str, &'static str)> {
        KNOWN.iter().map(|known| (known.name, known.about))
    }

    /// Names of all features that some kernel has.
    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        KNOWN.iter().map(|known| known.name)
    }
}

fn bit(feature: Feature) -> u32 {
    1 << feature as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_come_and_go_with_releases() {
        let (old, late) = (Features::of(Release(5, 3)), Features::of(Release(6, 1)));
        assert!(old.has(Feature::SisProp) && !old.has(Feature::SisUtil));
        assert!(!late.has(Feature::SisProp) && late.has(Feature::SisUtil));
    }

    #[test]
    fn only_features_that_a_kernel_has_can_be_switched() {
        let mut features = Features::of(Release(6, 5));
        assert!(features.switch_by_name("SIS_PROP", true));
        assert!(features.has(Feature::SisProp));
        assert!(!Features::of(Release(6, 7)).switch_by_name("SIS_PROP", true));
        assert!(!features.switch_by_name("UTIL_FITS_CAPACITY", true));
        features.add(Feature::UtilFitsCapacity, true);
        assert!(features.switch_by_name("UTIL_FITS_CAPACITY", false));
        assert!(!features.has(Feature::UtilFitsCapacity));
    }
}
