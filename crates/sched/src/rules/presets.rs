//! The kernels that can be chosen by name.

use super::{
    AverageGuard, Decision, DetachLoad, DomainRules, Idlest, LoadMetric, NumaImbalance, Pelt,
    Rules, Tunables, UtilEst,
};

/// One kernel that can be chosen by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelInfo {
    /// Its name, `vBASE[+PATCH…]`.
    pub name: &'static str,
    /// One sentence about it.
    pub about: &'static str,
}

/// A kernel and how it differs from v5.5.
struct Preset {
    info: KernelInfo,
    differs: fn(Rules) -> Rules,
}

const fn kernel(name: &'static str, about: &'static str, differs: fn(Rules) -> Rules) -> Preset {
    Preset {
        info: KernelInfo { name, about },
        differs,
    }
}

/// Oldest first; a patch series after its base.
const PRESETS: [Preset; 14] = [
    kernel(
        "v5.3",
        "Balances average load between groups; fix_small_imbalance decides on small differences.",
        |v5_5| Rules {
            load_metric: LoadMetric::RunnableLoad,
            decision: Decision::AverageLoad,
            idlest: Idlest::SpareCapacity,
            util_est: UtilEst::Ewma,
            sched_idle_cpus: false,
            ..v5_5
        },
    ),
    kernel(
        "v5.5",
        "The load-balance rework: groups are classified (has_spare … overloaded) and tasks, load or utilization moved.",
        |v5_5| v5_5,
    ),
    kernel(
        "v5.5+numa-v1",
        "Leaves up to an eighth of a node's CPUs in imbalance while the busier node is less than half used.",
        |v5_5| with(v5_5, NumaImbalance::V1),
    ),
    kernel(
        "v5.5+numa-squash",
        "The same allowance in one test, as suggested on the first posting.",
        |v5_5| with(v5_5, NumaImbalance::Squash),
    ),
    kernel(
        "v5.5+numa-v1b",
        "The first posting as revised in its thread.",
        |v5_5| with(v5_5, NumaImbalance::V1b),
    ),
    kernel(
        "v5.5+numa-idle",
        "Leaves any imbalance while half the busier node's CPUs idle, as suggested on the first posting.",
        |v5_5| with(v5_5, NumaImbalance::Idle),
    ),
    kernel(
        "v5.5+numa-v2",
        "Leaves any imbalance while well over half the busier node's CPUs idle.",
        |v5_5| with(v5_5, NumaImbalance::V2),
    ),
    kernel(
        "v5.5+numa-v3",
        "Takes 100 / (imbalance_pct - 100) - 1 tasks off the imbalance while the busier node runs fewer than twice that.",
        |v5_5| with(v5_5, NumaImbalance::V3),
    ),
    kernel(
        "v5.5+numa-v3-gated",
        "The third posting for nodes of fewer than three tasks only, as suggested on it.",
        |v5_5| with(v5_5, NumaImbalance::V3Gated),
    ),
    kernel(
        "v5.5+numa-child",
        "Bounds the allowance by the CPUs of the level below, as suggested on the third posting.",
        |v5_5| with(v5_5, NumaImbalance::Child),
    ),
    kernel(
        "v5.5+numa-v4",
        "Leaves a pair of tasks on one node.",
        |v5_5| with(v5_5, NumaImbalance::Pair),
    ),
    kernel(
        "v5.6",
        "Leaves a pair of tasks on one node; heavy tasks move once passes have failed often.",
        v5_6,
    ),
    kernel(
        "v5.10",
        "Counts runnable tasks beside load; imbalance_pct 117 above the LLC, busy_factor 16; load moves by halves of what failed.",
        v5_10,
    ),
    kernel(
        "v5.11",
        "Leaves two tasks of imbalance while a node runs fewer than a quarter of its CPUs; forks stay there as long.",
        |v5_5| Rules {
            numa_imbalance: NumaImbalance::Quarter,
            kick_from_now: true,
            ..v5_10(v5_5)
        },
    ),
];

fn v5_6(v5_5: Rules) -> Rules {
    Rules {
        detach_load: DetachLoad::UnlessStuck,
        pinned_clears_imbalance: false,
        sis_counts_forbidden: false,
        ..with(v5_5, NumaImbalance::Pair)
    }
}

fn v5_10(v5_5: Rules) -> Rules {
    Rules {
        pelt: Pelt::Runnable,
        weight_floor: 2,
        window_divider: true,
        average_guard: AverageGuard::Busiest,
        util_within_llc: false,
        lone_tasks_by_util: false,
        h_load_floor: 1,
        hot_within_core: false,
        busy_less_one: true,
        affine_keeps_idle_prev: true,
        detach_load: DetachLoad::Shift,
        idlest: Idlest::GroupTypeUtil,
        ..v5_6(v5_5)
    }
}

fn with(rules: Rules, numa_imbalance: NumaImbalance) -> Rules {
    Rules {
        numa_imbalance,
        ..rules
    }
}

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
    Some((preset.differs)(Rules {
        name: preset.info.name,
        hz: 250,
        pelt: Pelt::RunnableLoad,
        weight_floor: 0,
        window_divider: false,
        load_metric: LoadMetric::Load,
        decision: Decision::GroupType,
        numa_imbalance: NumaImbalance::None,
        average_guard: AverageGuard::None,
        util_within_llc: true,
        lone_tasks_by_util: true,
        h_load_floor: 0,
        hot_within_core: true,
        busy_less_one: false,
        kick_from_now: false,
        affine_keeps_idle_prev: false,
        sis_counts_forbidden: true,
        detach_load: DetachLoad::Twice,
        pinned_clears_imbalance: true,
        idlest: Idlest::GroupType,
        util_est: UtilEst::FastUp,
        sched_idle_cpus: true,
        topology: DomainRules::of(preset.info.name)?,
        tunables: Tunables::default(),
        domains: Vec::new(),
    }))
}
