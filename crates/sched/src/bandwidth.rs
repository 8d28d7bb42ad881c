//! cpu.max: how long a group may run in each period on all CPUs together.
//!
//! A group has a pool of run time that its period timer fills. Each of its queues draws slices from the pool
//! as it runs, and is throttled, taken off its CPU with all that is below it, when it can draw none.
//!
//! Source: kernel/sched/fair.c "CFS bandwidth control machinery", kernel/sched/core.c
//! `tg_set_cfs_bandwidth` (v4.11 to v6.17; SCHED.md 3.4).

mod runtime;
mod throttle;
mod timers;

use teeter_machine::CpuId;
use teeter_scenario::Nanos;

use crate::ids::CfsRqId;
use crate::sched::BOOT_NS;

/// Length of a period that nobody has set, ns (`default_cfs_period`).
const DEFAULT_PERIOD_NS: u64 = 100_000_000;

/// Run time that a queue draws at once, ns (`sched_cfs_bandwidth_slice`).
const SLICE_NS: u64 = 5_000_000;

/// Run time that a queue keeps when it goes idle, ns (`min_cfs_rq_runtime`).
const MIN_CFS_RQ_RUNTIME_NS: u64 = 1_000_000;

/// How long returned run time waits for more before it is given out, ns (`cfs_bandwidth_slack_period`).
const SLACK_PERIOD_NS: u64 = 5_000_000;

/// How shortly before a refill nothing is given out any more, ns (`min_bandwidth_expiration`).
const MIN_EXPIRATION_NS: u64 = 2_000_000;

/// What became of a group's cpu.max, as in its `cpu.stat`. Zero for a group without limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BandwidthStats {
    /// Periods that passed while the group had something to run.
    pub nr_periods: u64,
    /// Those at whose end some CPU was throttled.
    pub nr_throttled: u64,
    /// Time its queues were throttled, all CPUs together, so far as it has ended.
    pub throttled_time: Nanos,
}

/// The limit of a group (`cfs_bandwidth`). Times in ns.
#[derive(Clone, Debug)]
pub(crate) struct CfsBandwidth {
    /// `None` = no limit.
    pub(crate) quota: Option<u64>,
    pub(crate) period: u64,
    /// Unused quota that may be saved up.
    pub(crate) burst: u64,
    /// What is left in the pool.
    pub(crate) runtime: u64,
    /// Nobody has drawn since the last refill.
    idle: bool,
    /// The period timer runs.
    period_active: bool,
    /// When the period timer expires, or last did.
    period_expires: u64,
    /// When the slack timer expires, if it runs.
    slack_expires: Option<u64>,
    /// The CPU whose timers they are.
    timer_cpu: CpuId,
    /// Refills so far, and when the last one expires (to v5.3).
    expires_seq: u32,
    runtime_expires: u64,
    /// Throttled queues in the order in which they get run time.
    throttled: Vec<CfsRqId>,
    /// Empty; takes the place of that list while run time is given out, so that nothing is allocated then.
    meanwhile: Vec<CfsRqId>,
    pub(crate) stats: BandwidthStats,
}

impl CfsBandwidth {
    /// No limit.
    pub(crate) fn unlimited() -> Self {
        Self {
            quota: None,
            period: DEFAULT_PERIOD_NS,
            burst: 0,
            runtime: 0,
            idle: false,
            period_active: false,
            period_expires: BOOT_NS,
            slack_expires: None,
            timer_cpu: CpuId(0),
            expires_seq: 0,
            runtime_expires: 0,
            throttled: Vec::new(),
            meanwhile: Vec::new(),
            stats: BandwidthStats::default(),
        }
    }
}

/// What a queue has of its group's run time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CfsRuntime {
    /// Its group has a limit.
    pub(crate) enabled: bool,
    /// Run time left, ns; negative after an overrun.
    pub(crate) remaining: i64,
    /// The refill it is from, and when that expires (to v5.3).
    expires_seq: u32,
    expires: u64,
    /// It is off its CPU for want of run time.
    pub(crate) throttled: bool,
    /// Since when.
    throttled_since: u64,
    /// How many throttled queues it is below or is.
    pub(crate) throttle_count: u32,
    /// Its PELT clock when that stopped, and by how much it is late since.
    stopped_at: u64,
    lost: u64,
}
