//! Sched domains: for each CPU the nested spans over which it balances, and the groups it compares.

mod build;
mod groups;
mod level;

use teeter_machine::{CpuId, CpuSet};

use crate::ids::{SdId, SgId};
use crate::rules::{DomainField, DomainSetting};
pub(crate) use level::Flags;

/// One CPU's instance of one level (`sched_domain`).
#[derive(Clone, Debug)]
pub(crate) struct SchedDomain {
    /// Level as the kernel names it: SMT, MC, DIE, NODE, NUMA.
    pub(crate) name: &'static str,
    /// Which NUMA level, from 1; 0 for others.
    pub(crate) numa_level: u8,
    pub(crate) span: CpuSet,
    pub(crate) span_weight: u32,
    pub(crate) flags: Flags,
    /// Groups in the kernel's order; the first holds the CPU itself (`sd->groups`).
    pub(crate) groups: Vec<SgId>,
    pub(crate) parent: Option<SdId>,
    pub(crate) child: Option<SdId>,
    pub(crate) imbalance_pct: u32,
    pub(crate) busy_factor: u32,
    pub(crate) cache_nice_tries: u32,
    /// ms
    pub(crate) min_interval: u32,
    /// ms
    pub(crate) max_interval: u32,
    /// ms, from `min_interval` up
    pub(crate) balance_interval: u32,
    /// Jiffy.
    pub(crate) last_balance: u64,
    pub(crate) nr_balance_failed: u32,
    /// ns
    pub(crate) max_newidle_lb_cost: u64,
    /// Jiffy.
    pub(crate) next_decay_max_lb_cost: u64,
    /// ns; moving average of what a search for an idle CPU costs.
    pub(crate) avg_scan_cost: u64,
}

/// A group of CPUs that a domain weighs as one (`sched_group` with its `sched_group_capacity`).
#[derive(Clone, Debug)]
pub(crate) struct SchedGroup {
    pub(crate) span: CpuSet,
    /// The span as a list, for the loops over its CPUs.
    pub(crate) cpus: Vec<CpuId>,
    /// CPUs that may balance on the group's behalf (`group_balance_mask`).
    pub(crate) balance_mask: CpuSet,
    pub(crate) capacity: u64,
    /// A pass below met affinity and left imbalance (`sgc->imbalance`).
    pub(crate) imbalance: bool,
}

impl SchedGroup {
    /// CPUs in the group (`group_weight`).
    pub(crate) fn weight(&self) -> u32 {
        self.cpus.len() as u32
    }
}

/// State that the CPUs of one last-level cache share (`sched_domain_shared`).
#[derive(Clone, Debug)]
pub(crate) struct Llc {
    pub(crate) size: u32,
    pub(crate) nr_busy_cpus: u32,
    pub(crate) has_idle_cores: bool,
}

/// All domains and groups of the machine.
#[derive(Clone, Debug, Default)]
pub(crate) struct Domains {
    pub(crate) sds: Vec<SchedDomain>,
    pub(crate) sgs: Vec<SchedGroup>,
    pub(crate) llcs: Vec<Llc>,
    /// Hardware threads of each CPU's core that are online.
    pub(crate) smt: Vec<CpuSet>,
}

impl Domains {
    /// The domain.
    #[inline]
    pub(crate) fn sd(&self, sd: SdId) -> &SchedDomain {
        &self.sds[sd.index()]
    }

    /// The domain, to change.
    #[inline]
    pub(crate) fn sd_mut(&mut self, sd: SdId) -> &mut SchedDomain {
        &mut self.sds[sd.index()]
    }

    /// The group.
    #[inline]
    pub(crate) fn sg(&self, sg: SgId) -> &SchedGroup {
        &self.sgs[sg.index()]
    }

    /// The local group of a domain, that which holds its CPU.
    #[inline]
    pub(crate) fn local_group(&self, sd: SdId) -> SgId {
        self.sd(sd).groups[0]
    }

    /// Whether groups of this domain shall be filled evenly rather than one after another: the flag of
    /// the level below.
    pub(crate) fn prefer_sibling(&self, sd: SdId) -> bool {
        let child = self.sd(sd).child;
        child.is_some_and(|child| self.sd(child).flags.has(Flags::PREFER_SIBLING))
    }

    /// Writes an administrator's value to every domain of the level.
    pub(crate) fn apply(&mut self, setting: &DomainSetting) {
        for sd in &mut self.sds {
            if sd.is_level(&setting.level) {
                match setting.field {
                    DomainField::ImbalancePct => sd.imbalance_pct = setting.value,
                    DomainField::BusyFactor => sd.busy_factor = setting.value,
                    DomainField::CacheNiceTries => sd.cache_nice_tries = setting.value,
                    DomainField::MinInterval => sd.min_interval = setting.value,
                    DomainField::MaxInterval => sd.max_interval = setting.value,
                }
            }
        }
    }
}

impl SchedDomain {
    /// Whether a setting's level name means this domain.
    fn is_level(&self, level: &str) -> bool {
        match level {
            "*" => true,
            "PKG" => self.name == "DIE",
            "NUMA" => self.numa_level > 0,
            _ => match level
                .strip_prefix("NUMA")
                .and_then(|n| n.parse::<u8>().ok())
            {
                Some(n) => self.numa_level == n,
                None => self.name == level,
            },
        }
    }
}
