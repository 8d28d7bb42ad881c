//! Placement of woken tasks, by release (SCHED.md 6).

use super::named::Choice;
use super::release::Release;

/// Where a CPU that runs only tasks of idle policy is taken for an idle one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchedIdleCpus {
    /// Nowhere (to v5.3).
    Busy,
    /// Where no idle CPU is found (v5.4, v5.5).
    Spare,
    /// Everywhere (v5.6).
    Idle,
}

/// What `recent_used_cpu` of a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecentUsed {
    /// It is not kept (to v4.15).
    None,
    /// The CPU from which the task last woke another with an affine wakeup; once used, the CPU it was on
    /// before (v4.16 to v5.14).
    OfWaker,
    /// The CPU it was on before its last wakeup. The kernel means to ask whether the task may use it, and
    /// asks that of its present one (v5.15 to v6.5).
    PrevTested,
    /// The same, with the question put right (v6.6).
    Prev,
}

/// When the task that a per-CPU kernel thread wakes comes to that thread's CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KthreadStacking {
    /// Never (to v5.5).
    Never,
    /// When such a thread runs on the waking CPU (v5.6 to v5.15).
    Running,
    /// When it is the waker, not interrupted by it, and the task fits the CPU (v5.16).
    Waking,
}

/// How an idle CPU is searched for in the cache of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum IdleScan {
    /// An idle core, an idle CPU, an idle hardware thread of the target, one after another (to v5.11).
    Apart,
    /// Cores where some idle, else CPUs (v5.12).
    Merged,
    /// Before that, where no core idles, a hardware thread of the previous CPU (v5.13).
    PrevCoreFirst,
    /// The same from the CPU after the target on (v5.15).
    PastTarget,
    /// The same, the target's cluster first; of idle CPUs found before, those of its cluster only are taken
    /// at once (v6.7).
    ClusterFirst,
}

/// What bounds a search by SIS_PROP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SisIdle {
    /// The waker's average idle time over 512 (to v5.13).
    Divided,
    /// Half of it at the end of its last idle time, less what searches took since, halved at each jiffy
    /// without one (v5.14).
    Aged,
}

/// How machines whose CPUs differ in capacity are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AsymWake {
    /// A task too big for the smaller of both CPUs is not woken affinely (`wake_cap`, to v5.6).
    WakeCap,
    /// An idle CPU that the task fits comes before anything else (v5.7 to v5.9).
    CapacityFirst,
    /// Every CPU that is looked at must fit the task (v5.10).
    Fits,
    /// The same, and its core must idle as a whole, if any does (postings of 2026).
    FitsIdleCores,
}

impl AsymWake {
    /// Whether every CPU that is looked at must fit the task.
    pub(crate) fn fits(self) -> bool {
        matches!(self, Self::Fits | Self::FitsIdleCores)
    }
}

/// When a busy CPU still fits a task (`task_fits_remaining_cpu_capacity`, of UTIL_FITS_CAPACITY).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UtilFits {
    /// Estimates of queued tasks and its own come to the CPU's capacity at most (18 October 2023).
    Whole,
    /// They stay below 80 % of it (19 October 2023).
    Margin,
    /// The same, and asks for the one feature only: UTIL_EST may be off (suggested on 25 October 2023).
    MarginOneBit,
}

impl Choice for SchedIdleCpus {
    const ALL: &'static [(&'static str, Self)] = &[
        ("busy", Self::Busy),
        ("spare", Self::Spare),
        ("idle", Self::Idle),
    ];
}

impl Choice for RecentUsed {
    const ALL: &'static [(&'static str, Self)] = &[
        ("none", Self::None),
        ("of-waker", Self::OfWaker),
        ("prev-tested", Self::PrevTested),
        ("prev", Self::Prev),
    ];
}

impl Choice for KthreadStacking {
    const ALL: &'static [(&'static str, Self)] = &[
        ("never", Self::Never),
        ("running", Self::Running),
        ("waking", Self::Waking),
    ];
}

impl Choice for IdleScan {
    const ALL: &'static [(&'static str, Self)] = &[
        ("apart", Self::Apart),
        ("merged", Self::Merged),
        ("prev-core-first", Self::PrevCoreFirst),
        ("past-target", Self::PastTarget),
        ("cluster-first", Self::ClusterFirst),
    ];
}

impl Choice for SisIdle {
    const ALL: &'static [(&'static str, Self)] =
        &[("divided", Self::Divided), ("aged", Self::Aged)];
}

impl Choice for AsymWake {
    const ALL: &'static [(&'static str, Self)] = &[
        ("wake-cap", Self::WakeCap),
        ("capacity-first", Self::CapacityFirst),
        ("fits", Self::Fits),
        ("fits-idle-cores", Self::FitsIdleCores),
    ];
}

impl Choice for UtilFits {
    const ALL: &'static [(&'static str, Self)] = &[
        ("v1", Self::Whole),
        ("v2", Self::Margin),
        ("v2-one-bit", Self::MarginOneBit),
    ];
}

/// How one kernel places woken tasks.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a point of its own where versions differ"
)]
#[derive(Clone, Debug, PartialEq)]
pub struct WakeRules {
    /// Whether the waker's and the previous CPU are compared by what the task would add to their loads, through
    /// its groups (to v4.12).
    pub by_effective_load: bool,
    /// Whether `wake_affine` takes an idle waker's CPU wherever the previous one is and whatever it does (to
    /// v4.15), not only one of its cache while the previous one is busy.
    pub affine_to_any_idle: bool,
    /// Whether `wake_affine` takes the waker's CPU of two that are equally loaded (to v4.16).
    pub affine_of_equals: bool,
    /// Whether `wake_affine` keeps to an idle previous CPU in another cache (v5.10).
    pub affine_keeps_idle_prev: bool,
    /// Whether CPUs that a task may not use count among those a search looks at (to v5.5).
    pub sis_counts_forbidden: bool,
    /// CPUs that run only tasks of idle policy.
    pub sched_idle_cpus: SchedIdleCpus,
    /// `recent_used_cpu`.
    pub recent_used: RecentUsed,
    /// Wakeups by per-CPU kernel threads.
    pub kthread_stacking: KthreadStacking,
    /// The search.
    pub idle_scan: IdleScan,
    /// Its bound by SIS_PROP.
    pub sis_idle: SisIdle,
    /// Whether `select_idle_smt` takes hardware threads outside the domain, isolated ones among them (to v5.9
    /// and v5.13 to v6.8).
    pub smt_leaves_domain: bool,
    /// Whether the search for an idle core does (v5.12 to v6.8).
    pub core_leaves_domain: bool,
    /// CPUs of different capacity.
    pub asym: AsymWake,
    /// Form of UTIL_FITS_CAPACITY.
    pub util_fits: UtilFits,
}

impl WakeRules {
    pub(super) fn of(release: Release) -> Self {
        let since = |major, minor| release.since(major, minor);
        Self {
            by_effective_load: !since(4, 13),
            affine_to_any_idle: !since(4, 16),
            affine_of_equals: !since(4, 17),
            affine_keeps_idle_prev: since(5, 10),
            sis_counts_forbidden: !since(5, 6),
            sched_idle_cpus: match release {
                _ if since(5, 6) => SchedIdleCpus::Idle,
                _ if since(5, 4) => SchedIdleCpus::Spare,
                _ => SchedIdleCpus::Busy,
            },
            recent_used: match release {
                _ if since(6, 6) => RecentUsed::Prev,
                _ if since(5, 15) => RecentUsed::PrevTested,
                _ if since(4, 16) => RecentUsed::OfWaker,
                _ => RecentUsed::None,
            },
            kthread_stacking: match release {
                _ if since(5, 16) => KthreadStacking::Waking,
                _ if since(5, 6) => KthreadStacking::Running,
                _ => KthreadStacking::Never,
            },
            idle_scan: match release {
                _ if since(6, 7) => IdleScan::ClusterFirst,
                _ if since(5, 15) => IdleScan::PastTarget,
                _ if since(5, 13) => IdleScan::PrevCoreFirst,
                _ if since(5, 12) => IdleScan::Merged,
                _ => IdleScan::Apart,
            },
            sis_idle: if since(5, 14) {
                SisIdle::Aged
            } else {
                SisIdle::Divided
            },
            smt_leaves_domain: !since(5, 10) || (since(5, 13) && !since(6, 9)),
            core_leaves_domain: since(5, 12) && !since(6, 9),
            asym: match release {
                _ if since(5, 10) => AsymWake::Fits,
                _ if since(5, 7) => AsymWake::CapacityFirst,
                _ => AsymWake::WakeCap,
            },
            util_fits: UtilFits::Margin,
        }
    }

    /// The fixes that late stable series of kernels from v5.12 to v6.8 brought back.
    pub(super) fn stay_in_domain(&mut self) {
        self.smt_leaves_domain = false;
        self.core_leaves_domain = false;
    }
}
