//! The kernels that can be chosen by name.

use super::release::Release;
use super::{
    AsymWake, AverageGuard, BalanceRules, BandwidthRules, ChangeRules, Decision, Delayed,
    DomainRules, Feature, Features, ForkRules, IdleRules, LoadMetric, LoadRules, NumaImbalance,
    NumaRules, OwnRules, Pelt, PickRules, Propagation, RelaxDomains, Reweight, Rework, Rules,
    Tunables, UtilFits, WakeRules,
};

/// One kernel that can be chosen by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelInfo {
    /// Its name, `vBASE[+PATCH…]`.
    pub name: &'static str,
    /// One sentence about it.
    pub about: &'static str,
}

/// A kernel: a release, and what a patch series changes on it.
struct Preset {
    info: KernelInfo,
    release: Release,
    patch: fn(&mut Rules),
}

const fn release(release: Release, name: &'static str, about: &'static str) -> Preset {
    patched(release, name, about, |_| ())
}

const fn patched(
    release: Release,
    name: &'static str,
    about: &'static str,
    patch: fn(&mut Rules),
) -> Preset {
    Preset {
        info: KernelInfo { name, about },
        release,
        patch,
    }
}

fn patch_fits(rules: &mut Rules, form: UtilFits) {
    rules.features.add(Feature::UtilFitsCapacity, true);
    rules.wake.util_fits = form;
}

fn patch_bias(rules: &mut Rules) {
    rules.features.add(Feature::SelectBiasPrev, true);
}

/// Oldest first; a patch series after its base.
const PRESETS: [Preset; 40] = [
    release(
        Release(4, 11),
        "v4.11",
        "The average load of groups, biased by what CPUs carried before (cpu_load[]); each group weighs what it holds now; wakeups search the whole cache for an idle CPU.",
    ),
    patched(
        Release(4, 11),
        "v4.11+propagate",
        "Every queue knows the load of all tasks queued below it, at any depth of groups (posting of April 2017).",
        |rules| rules.load.pelt = Pelt::Weighted(Propagation::Queued),
    ),
    patched(
        Release(4, 11),
        "v4.11+propagate+unaged",
        "The first posting with its third patch, withdrawn the day after: groups take the load below them and do not age by themselves.",
        |rules| {
            rules.load.pelt = Pelt::Weighted(Propagation::Queued);
            rules.load.ages_groups = false;
        },
    ),
    patched(
        Release(4, 11),
        "v4.11+propagate-v2",
        "The same with that load kept apart from the load of groups (second posting, May 2017).",
        |rules| rules.load.pelt = Pelt::Weighted(Propagation::QueuedApart),
    ),
    patched(
        Release(4, 11),
        "v4.11+missing-domains",
        "Domains built anew after a CPU was switched off or on lack the NUMA levels, as from v3.19 to v4.2.",
        |rules| rules.change.rebuild_keeps_numa = false,
    ),
    release(
        Release(4, 14),
        "v4.14",
        "Load is summed by segments of time; wake_affine compares what two CPUs run now; searches for idle CPUs are bounded by idle time (SIS_PROP).",
    ),
    release(
        Release(4, 15),
        "v4.15",
        "Groups weigh by the load that sleeps too, and pass on how much of the time they were runnable.",
    ),
    release(
        Release(5, 3),
        "v5.3",
        "Balances average load between groups; fix_small_imbalance decides on small differences.",
    ),
    patched(
        Release(5, 3),
        "v5.3+rework-v2",
        "The load-balance rework as posted on 1 August 2019: groups are classified; wakeups and forks still go by runnable load.",
        |rules| {
            rules.balance.decision = Decision::GroupType;
            rules.balance.rework = Rework::V2;
            rules.load.metric = LoadMetric::Load;
        },
    ),
    release(
        Release(5, 5),
        "v5.5",
        "The load-balance rework: groups are classified (has_spare … overloaded) and tasks, load or utilization moved.",
    ),
    patched(
        Release(5, 5),
        "v5.5+numa-v1",
        "Leaves up to an eighth of a node's CPUs in imbalance while the busier node is less than half used.",
        |rules| rules.balance.numa_imbalance = NumaImbalance::V1,
    ),
    patched(
        Release(5, 5),
        "v5.5+numa-squash",
        "The same allowance in one test, as suggested on the first posting.",
        |rules| rules.balance.numa_imbalance = NumaImbalance::Squash,
    ),
    patched(
        Release(5, 5),
        "v5.5+numa-v1b",
        "The first posting as revised in its thread.",
        |rules| rules.balance.numa_imbalance = NumaImbalance::V1b,
    ),
    patched(
        Release(5, 5),
        "v5.5+numa-idle",
        "Leaves any imbalance while half the busier node's CPUs idle, as suggested on the first posting.",
        |rules| rules.balance.numa_imbalance = NumaImbalance::Idle,
    ),
    patched(
        Release(5, 5),
        "v5.5+numa-v2",
        "Leaves any imbalance while well over half the busier node's CPUs idle.",
        |rules| rules.balance.numa_imbalance = NumaImbalance::V2,
    ),
    patched(
        Release(5, 5),
        "v5.5+numa-v3",
        "Takes 100 / (imbalance_pct - 100) - 1 tasks off the imbalance while the busier node runs fewer than twice that.",
        |rules| rules.balance.numa_imbalance = NumaImbalance::V3,
    ),
    patched(
        Release(5, 5),
        "v5.5+numa-v3-gated",
        "The third posting for nodes of fewer than three tasks only, as suggested on it.",
        |rules| rules.balance.numa_imbalance = NumaImbalance::V3Gated,
    ),
    patched(
        Release(5, 5),
        "v5.5+numa-child",
        "Bounds the allowance by the CPUs of the level below, as suggested on the third posting.",
        |rules| rules.balance.numa_imbalance = NumaImbalance::Child,
    ),
    patched(
        Release(5, 5),
        "v5.5+numa-v4",
        "Leaves a pair of tasks on one node.",
        |rules| rules.balance.numa_imbalance = NumaImbalance::Pair,
    ),
    release(
        Release(5, 6),
        "v5.6",
        "Leaves a pair of tasks on one node; heavy tasks move once passes have failed often.",
    ),
    release(
        Release(5, 10),
        "v5.10",
        "Counts runnable tasks beside load; imbalance_pct 117 above the LLC, busy_factor 16; load moves by halves of what failed.",
    ),
    release(
        Release(5, 11),
        "v5.11",
        "Leaves two tasks of imbalance while a node runs fewer than a quarter of its CPUs; forks stay there as long.",
    ),
    release(
        Release(5, 18),
        "v5.18",
        "Leaves two tasks of imbalance while a node runs fewer than its imb_numa_nr, one per last-level cache or a quarter of its CPUs.",
    ),
    release(
        Release(6, 1),
        "v6.1",
        "imb_numa_nr of an eighth of the node, against the whole difference; searches for idle CPUs end by how used the cache is (SIS_UTIL).",
    ),
    patched(
        Release(6, 1),
        "v6.1.y",
        "Late v6.1 stable: v6.1 with the fixes that were brought back, new-idle balancing at random among them.",
        |rules| {
            rules.balance.average_guard = AverageGuard::BusiestAndDomain;
            rules.balance.detour_balances = true;
            rules.idle.random = true;
            rules.wake.stay_in_domain();
            rules.topology.relax = RelaxDomains::From;
        },
    ),
    release(
        Release(6, 5),
        "v6.5",
        "The last with CFS: groups of hardware threads are told from others where groups are equally busy.",
    ),
    patched(
        Release(6, 5),
        "v6.5+fits",
        "A busy CPU of the cache where the task fits counts as an idle one (UTIL_FITS_CAPACITY).",
        |rules| patch_fits(rules, UtilFits::Margin),
    ),
    patched(
        Release(6, 5),
        "v6.5+bias",
        "The previous CPU comes before the waker's (SELECT_BIAS_PREV).",
        patch_bias,
    ),
    patched(
        Release(6, 5),
        "v6.5+fits+bias",
        "Both: a task keeps to its previous CPU while it fits there.",
        |rules| {
            patch_fits(rules, UtilFits::Margin);
            patch_bias(rules);
        },
    ),
    release(
        Release(6, 6),
        "v6.6",
        "EEVDF picks the eligible task with the earliest deadline; busy cores give tasks to idle ones (smt_balance), and tasks are counted for each core.",
    ),
    release(
        Release(6, 7),
        "v6.7",
        "EEVDF; a group contributes its load once per millisecond at most.",
    ),
    patched(
        Release(6, 7),
        "v6.7+fits",
        "UTIL_FITS_CAPACITY as it was tested on v6.7: with the one feature asked for, as suggested on it.",
        |rules| patch_fits(rules, UtilFits::MarginOneBit),
    ),
    patched(
        Release(6, 7),
        "v6.7+fits+bias",
        "That and SELECT_BIAS_PREV, as they were tested on v6.7.",
        |rules| {
            patch_fits(rules, UtilFits::MarginOneBit);
            patch_bias(rules);
        },
    ),
    release(
        Release(6, 12),
        "v6.12",
        "EEVDF with delayed dequeue: a task that owes time stays queued; short slices preempt.",
    ),
    patched(
        Release(6, 12),
        "v6.12.y",
        "Late v6.12 stable: v6.12 with the fixes that were brought back, new-idle balancing at random among them.",
        |rules| {
            rules.pick.base_slice_ns = 700_000;
            rules.pick.reweight = Reweight::Replace;
            rules.pick.delayed = Delayed::Apart;
            rules.idle.random = true;
            rules.pick.empty_group_keeps_weight = true;
        },
    ),
    release(Release(6, 17), "v6.17", "EEVDF as of 2025."),
    patched(
        Release(6, 17),
        "v6.17+moved-task",
        "A task that leaves a throttled group is weighed against what runs, and ends the idling of its CPU.",
        |rules| rules.change.moved_task_preempts = true,
    ),
    patched(
        Release(6, 17),
        "v6.17+smt-capacity",
        "Where CPUs differ in capacity, wakeups take cores that idle as a whole before threads of busy ones (postings of 2026).",
        |rules| rules.wake.asym = AsymWake::FitsIdleCores,
    ),
    patched(
        Release(6, 17),
        "v6.17+snc-distances",
        "Where packages hold several nodes, those of another package are all equally far: domains go from nodes to packages to the machine (v6.19).",
        |rules| rules.topology.far_nodes_alike = true,
    ),
    patched(
        Release(6, 17),
        "v6.17+even-idle",
        "An overloaded group gives a task to one with a single idle CPU more, which halving the difference forbids.",
        |rules| rules.balance.even_idle = true,
    ),
];

/// All kernels, oldest first.
pub fn kernels() -> &'static [KernelInfo] {
    const INFOS: [KernelInfo; PRESETS.len()] = {
        let mut infos = [PRESETS[0].info; PRESETS.len()];
        let mut at = 0;
        while at < infos.len() {
            infos[at] = PRESETS[at].info;
            at += 1;
        }
        infos
    };
    &INFOS
}

/// The rules of a kernel by name.
pub(super) fn preset(name: &str) -> Option<Rules> {
    let preset = PRESETS.iter().find(|preset| preset.info.name == name)?;
    let mut rules = of(preset.release, preset.info.name);
    (preset.patch)(&mut rules);
    Some(rules)
}

/// The rules of a release.
pub(super) fn of(release: Release, name: &'static str) -> Rules {
    Rules {
        name,
        hz: 250,
        pick: PickRules::of(release),
        load: LoadRules::of(release),
        balance: BalanceRules::of(release),
        idle: IdleRules::of(release),
        wake: WakeRules::of(release),
        fork: ForkRules::of(release),
        numa: NumaRules::of(release),
        features: Features::of(release),
        bandwidth: BandwidthRules::of(release),
        change: ChangeRules::of(release),
        own: OwnRules::default(),
        topology: DomainRules::of(release),
        tunables: Tunables::default(),
        domains: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_of_scenarios_that_name_none_is_the_newest() {
        let releases = PRESETS
            .iter()
            .filter(|preset| !preset.info.name.contains('+'));
        let newest = releases.max_by_key(|preset| preset.release);
        assert_eq!(
            newest.map(|preset| preset.info.name),
            Some(teeter_scenario::document::Kernel::NEWEST)
        );
    }
}
