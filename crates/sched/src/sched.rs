//! One running kernel.

mod change;
pub(crate) mod clock;
mod cpuset;
mod create;
mod entry;
mod hotplug;
mod idle;
mod query;

pub(crate) use clock::BOOT_NS;

use std::sync::Arc;

use teeter_machine::{CpuId, CpuSet, Topology};
use teeter_scenario::Nanos;
use teeter_scenario::document::SettingValue;

use crate::balance::Turn;
use crate::balance::newidle::Dice;
use crate::cfs_rq::CfsRq;
use crate::decision;
use crate::domain::Domains;
use crate::effect::Effect;
use crate::entity::Entity;
use crate::group::TaskGroup;
use crate::ids::{CfsRqId, EntityId, GroupId, TaskId};
use crate::nohz::Nohz;
use crate::numa::Numa;
use crate::rq::Rq;
use crate::rules::{OwnTraps, Rules, RulesError, Slices};
use crate::stats::BalanceStats;
use crate::task::Task;

/// One running kernel: all CPUs' run-queues, all tasks and groups, the sched domains.
///
/// A clone is a checkpoint: both go on alike when treated alike.
#[derive(Clone, Debug)]
pub struct Sched {
    pub(crate) rules: Rules,
    /// The kernel's clock, ns since boot.
    pub(crate) now: u64,
    /// Time between two ticks.
    pub(crate) tick_ns: u64,
    /// The tick count.
    pub(crate) jiffies: u64,
    /// When it next grows.
    pub(crate) next_jiffy_ns: u64,
    pub(crate) nr_cpus: usize,
    pub(crate) nr_online: usize,
    pub(crate) rqs: Vec<Rq>,
    /// By [`crate::cfs_rq::cfs_rq_of`].
    pub(crate) cfs_rqs: Vec<CfsRq>,
    pub(crate) entities: Vec<Entity>,
    pub(crate) tasks: Vec<Task>,
    pub(crate) groups: Vec<TaskGroup>,
    pub(crate) topology: Arc<Topology>,
    pub(crate) domains: Domains,
    /// The sets of CPUs that are balanced apart.
    pub(crate) maps: Vec<CpuSet>,
    pub(crate) nohz: Nohz,
    /// Some CPU has more than one task (`rd->overload`).
    pub(crate) overload: bool,
    /// The turn to balance domains that serialize.
    pub(crate) turn: Turn,
    /// Which domains CPUs about to idle try.
    pub(crate) dice: Dice,
    /// Whether some task has a slice of its own.
    pub(crate) custom_slices: bool,
    pub(crate) stats: BalanceStats,
    pub(crate) numa: Numa,
    /// When the first of the kernel's timers expires.
    pub(crate) next_timer: Option<u64>,
    /// What happened and has not been taken, from this place on.
    pub(crate) effects: Vec<Effect>,
    effects_taken: usize,
    /// Lengths of slices and the like, as the tunables have them for the CPUs that are online.
    pub(crate) slices: Slices,
    pub(crate) own_traps: OwnTraps,
    /// Decisions on record, if they are kept.
    pub(crate) log: Option<Box<decision::Log>>,
    /// Detached tasks on their way; kept for its capacity.
    pub(crate) detached: Vec<TaskId>,
}

impl Sched {
    /// Boots a kernel on a machine.
    pub fn new(topology: &Topology, rules: Rules) -> Self {
        let migration_cost = rules.tunables.migration_cost.0;
        let mut rqs: Vec<Rq> = topology
            .cpus
            .iter()
            .map(|cpu| Rq::new(u64::from(cpu.capacity), migration_cost))
            .collect();
        let domains = Domains::build(
            topology,
            &rules,
            &[topology.online.minus(&topology.isolated)],
            &mut rqs,
        );
        let nr_cpus = rqs.len();
        let tick_ns = rules.tick().0;
        let jiffies = clock::BOOT_NS / tick_ns;
        let mut sched = Self {
            now: clock::BOOT_NS,
            tick_ns,
            jiffies,
            next_jiffy_ns: (jiffies + 1) * tick_ns,
            nr_cpus,
            nr_online: topology.online.len(),
            rqs,
            cfs_rqs: (0..nr_cpus)
                .map(|cpu| {
                    CfsRq::new(
                        GroupId::ROOT,
                        CpuId(cpu as u16),
                        None,
                        rules.load.weight_floor,
                    )
                })
                .collect(),
            entities: Vec::new(),
            tasks: Vec::new(),
            groups: vec![TaskGroup::root(topology.online)],
            topology: Arc::new(topology.clone()),
            domains,
            maps: vec![topology.online.minus(&topology.isolated)],
            nohz: Nohz::new(topology.online),
            overload: false,
            turn: Turn::default(),
            dice: Dice::default(),
            custom_slices: false,
            stats: BalanceStats::default(),
            numa: Numa::new(topology),
            next_timer: None,
            effects: Vec::new(),
            effects_taken: 0,
            slices: rules.slices(topology.online.len()),
            own_traps: OwnTraps::default(),
            log: None,
            detached: Vec::new(),
            rules,
        };
        sched.start_balancing();
        sched.stop_ticks();
        sched
    }

    /// Seeds what is chance in the kernel: the draws of NI_RANDOM, and where the periods of the groups there are
    /// begin. Without a seed they begin with a tick.
    pub fn seed(&mut self, seed: u64) {
        self.dice = Dice::new(seed);
        self.begin_periods(Dice::new(seed.rotate_left(32)));
    }

    /// The rules it runs by.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Writes a tunable while the kernel runs, as an administrator does through debugfs.
    ///
    /// # Errors
    /// An unknown name, a value that does not fit, or a tunable that is fixed at boot. Nothing changes then.
    pub fn set(&mut self, name: &str, value: &SettingValue) -> Result<(), RulesError> {
        self.rules.set_live(name, value)?;
        self.slices = self.rules.slices(self.nr_online);
        if name.starts_with("domain.") {
            for setting in &self.rules.domains {
                self.domains.apply(setting);
            }
        }
        Ok(())
    }

    /// Moves what happened since the last call to the end of `into`.
    pub fn take_effects(&mut self, into: &mut Vec<Effect>) {
        into.extend(std::iter::from_fn(|| self.next_effect()));
    }

    /// The first of what happened and has not been taken.
    #[inline]
    pub fn next_effect(&mut self) -> Option<Effect> {
        let effect = self.effects.get(self.effects_taken).copied();
        if effect.is_some() {
            self.effects_taken += 1;
        } else if self.effects_taken > 0 {
            self.effects.clear();
            self.effects_taken = 0;
        }
        effect
    }

    /// First passes are due one interval after boot, as if every domain had just been balanced.
    fn start_balancing(&mut self) {
        self.date_domains();
        let jiffies = self.jiffies();
        for rq in &mut self.rqs {
            rq.next_balance = jiffies;
            rq.wake_stamp = jiffies;
            rq.idle_stamp = self.now;
            rq.last_blocked_load_update_tick = jiffies;
        }
        self.nohz.next_balance = jiffies;
    }

    /// The machine was up and idle for so long before the first event: balance passes of idle CPUs may be due at
    /// once. What is longer ago than the longest of their intervals makes no difference.
    pub fn idle_before(&mut self, uptime: Nanos) {
        let ago = uptime.0 / self.tick_ns;
        for sd in &mut self.domains.sds {
            sd.last_balance = sd.last_balance.saturating_sub(ago);
        }
    }

    /// New domains count as just balanced.
    pub(crate) fn date_domains(&mut self) {
        let jiffies = self.jiffies();
        let hz = u64::from(self.rules.hz);
        for sd in &mut self.domains.sds {
            sd.last_balance = jiffies;
            sd.next_decay_max_lb_cost = jiffies + hz;
        }
    }

    #[inline]
    pub(crate) fn se(&self, se: EntityId) -> &Entity {
        &self.entities[se.index()]
    }

    #[inline]
    pub(crate) fn se_mut(&mut self, se: EntityId) -> &mut Entity {
        &mut self.entities[se.index()]
    }

    #[inline]
    pub(crate) fn cfs(&self, cfs_rq: CfsRqId) -> &CfsRq {
        &self.cfs_rqs[cfs_rq.index()]
    }

    #[inline]
    pub(crate) fn cfs_mut(&mut self, cfs_rq: CfsRqId) -> &mut CfsRq {
        &mut self.cfs_rqs[cfs_rq.index()]
    }

    /// A queue and an entity of it, both to be changed.
    #[inline]
    pub(crate) fn cfs_and_se_mut(
        &mut self,
        cfs_rq: CfsRqId,
        se: EntityId,
    ) -> (&mut CfsRq, &mut Entity) {
        (
            &mut self.cfs_rqs[cfs_rq.index()],
            &mut self.entities[se.index()],
        )
    }

    #[inline]
    pub(crate) fn task(&self, task: TaskId) -> &Task {
        &self.tasks[task.index()]
    }

    #[inline]
    pub(crate) fn task_mut(&mut self, task: TaskId) -> &mut Task {
        &mut self.tasks[task.index()]
    }

    /// Moves the kernel's clock; it never goes back.
    pub(crate) fn advance(&mut self, now: Nanos) {
        let now = now.0.saturating_add(clock::BOOT_NS);
        debug_assert!(now >= self.now, "time goes forward");
        self.now = self.now.max(now);
        if self.now >= self.next_jiffy_ns {
            let late = self.now - self.next_jiffy_ns;
            // Mostly this is the tick itself: no division.
            let passed = if late < self.tick_ns {
                1
            } else {
                1 + late / self.tick_ns
            };
            self.jiffies += passed;
            self.next_jiffy_ns += passed * self.tick_ns;
        }
    }
}
