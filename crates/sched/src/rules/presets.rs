//! The kernels that can be chosen by name.

use super::{Decision, Idlest, LoadMetric, Rules, Tunables, UtilEst};

/// One kernel that can be chosen by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelInfo {
    /// Its name, `vBASE[+PATCH…]`.
    pub name: &'static str,
    /// One sentence about it.
    pub about: &'static str,
}

const KERNELS: [KernelInfo; 2] = [
    KernelInfo {
        name: "v5.3",
        about: "Balances average load between groups; fix_small_imbalance decides on small differences.",
    },
    KernelInfo {
        name: "v5.5",
        about: "The load-balance rework: groups are classified (has_spare … overloaded) and tasks, load or utilization moved.",
    },
];

/// All kernels, oldest first.
pub fn kernels() -> &'static [KernelInfo] {
    &KERNELS
}

/// The rules of a kernel by name.
pub(super) fn preset(name: &str) -> Option<Rules> {
    let info = KERNELS.iter().find(|info| info.name == name)?;
    let v5_3 = Rules {
        name: info.name,
        hz: 250,
        load_metric: LoadMetric::RunnableLoad,
        decision: Decision::AverageLoad,
        idlest: Idlest::SpareCapacity,
        util_est: UtilEst::Ewma,
        sched_idle_cpus: false,
        busy_factor: 32,
        tunables: Tunables::default(),
        domains: Vec::new(),
    };
    Some(match info.name {
        "v5.5" => Rules {
            load_metric: LoadMetric::Load,
            decision: Decision::GroupType,
            idlest: Idlest::GroupType,
            util_est: UtilEst::FastUp,
            sched_idle_cpus: true,
            ..v5_3
        },
        _ => v5_3,
    })
}
