//! Sched domains: for each CPU the nested spans over which it balances, and the groups it compares.

mod attach;
mod build;
mod capacity;
mod explain;
mod flags;
mod groups;
pub(crate) mod imb_numa_nr;
mod level;
mod view;

use teeter_machine::{CpuId, CpuSet};

use crate::balance::newidle::Success;
use crate::ids::{SdId, SgId};
use crate::load::cpu_load::LoadIndex;
use crate::rules::{DomainField, DomainSetting};
use attach::Fate;
pub use explain::{Explanation, Note, Outcome, Step};
pub(crate) use flags::Flags;
pub use view::{DomainGroup, DomainView, SchedDomains};

/// One CPU's instance of one level (`sched_domain`).
#[derive(Clone, Debug)]
pub(crate) struct SchedDomain {
    /// Level as the kernel names it: SMT, CLS, MC, DIE or PKG, NODE, NUMA.
    pub(crate) name: &'static str,
    /// Number of the level, from 0 (`sd->level`).
    pub(crate) level: u8,
    /// Which NUMA level, from 1; 0 for others.
    pub(crate) numa_level: u8,
    pub(crate) span: CpuSet,
    pub(crate) span_weight: u32,
    pub(crate) flags: Flags,
    /// Flags of the local group (`sd->groups->flags`): those of the domain below.
    pub(crate) groups_flags: Flags,
    /// Groups in the kernel's order; the first holds the CPU itself (`sd->groups`).
    pub(crate) groups: Vec<SgId>,
    pub(crate) parent: Option<SdId>,
    pub(crate) child: Option<SdId>,
    /// Whether the CPU has it in the end.
    pub(crate) fate: Fate,
    /// Tasks that two nodes may be apart before they are balanced (v5.18).
    pub(crate) imb_numa_nr: u32,
    pub(crate) imbalance_pct: u32,
    pub(crate) busy_factor: u32,
    pub(crate) cache_nice_tries: u32,
    /// Bias of its balancing (to v5.2).
    pub(crate) load_index: LoadIndex,
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
    /// How often passes of CPUs about to idle pulled something.
    pub(crate) newidle: Success,
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
    /// Capacity of its smallest CPU.
    pub(crate) min_capacity: u64,
    /// Capacity of its biggest CPU.
    pub(crate) max_capacity: u64,
    pub(crate) cores: u32,
    /// Flags of the domain of which it is the span (`sg->flags`); see [`Domains::group_flags`].
    pub(crate) flags: Flags,
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
    /// CPUs that a search for an idle one may look at (SIS_UTIL); 0 until the first pass over the cache.
    pub(crate) nr_idle_scan: u32,
}

/// All domains and groups of the machine.
#[derive(Clone, Debug, Default)]
pub(crate) struct Domains {
    pub(crate) sds: Vec<SchedDomain>,
    pub(crate) sgs: Vec<SchedGroup>,
    pub(crate) llcs: Vec<Llc>,
    /// Hardware threads of each CPU's core that are online.
    pub(crate) smt: Vec<CpuSet>,
    /// Whether some domain spans CPUs of different capacity.
    pub(crate) asym_capacity: bool,
    /// Capacity of the biggest CPU.
    pub(crate) max_capacity: u64,
    /// Whether some core has more than one hardware thread online (`sched_smt_present`).
    pub(crate) smt_present: bool,
    /// Whether some domain is of clusters (`sched_cluster_active`, v6.7).
    pub(crate) has_clusters: bool,
    /// Lowest domain of each CPU as it was built; the others of the CPU follow it, dropped ones too.
    built: Vec<Option<SdId>>,
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

    /// Flags of a group of a domain, by its place among the groups.
    pub(crate) fn group_flags(&self, sd: SdId, place: usize) -> Flags {
        let sd = self.sd(sd);
        match place {
            0 => sd.groups_flags,
            _ => self.sg(sd.groups[place]).flags,
        }
    }

    /// Whether groups of this domain shall be filled evenly rather than one after another: the flag of
    /// the level below.
    pub(crate) fn prefer_sibling(&self, sd: SdId) -> bool {
        let child = self.sd(sd).child;
        child.is_some_and(|child| self.sd(child).flags.has(Flags::PREFER_SIBLING))
    }

    /// CPUs of the level below, 1 where there is none.
    pub(crate) fn child_weight(&self, sd: SdId) -> u32 {
        self.sd(sd)
            .child
            .map_or(1, |child| self.sd(child).span_weight)
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
            "DIE" | "PKG" => matches!(self.name, "DIE" | "PKG"),
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
