//! The sched domains of a machine, to look at.

use teeter_machine::{CpuId, CpuSet, Topology};

use super::level::{Absent, Kind, kinds};
use super::{Domains, SchedDomain};
use crate::ids::SdId;
use crate::rules::{DomainRules, DomainSetting};

/// The sched domains of a machine as one kernel builds them.
///
/// ```
/// use teeter_machine::{CpuId, Topology};
/// use teeter_scenario::document::{Kernel, Machine};
/// use teeter_sched::{Rules, SchedDomains};
///
/// let topology = Topology::from_spec(&Machine::preset("haswell-2s")).unwrap();
/// let rules = Rules::from_kernel(&Kernel::new("v6.12")).unwrap();
/// let domains = SchedDomains::build(&topology, rules.topology, &rules.domains);
/// let names: Vec<_> = domains.of(CpuId(0)).iter().map(|sd| sd.name).collect();
/// assert_eq!(names, ["SMT", "MC", "NUMA"]);
/// println!("{}", domains.explain(CpuId(0)));
/// ```
#[derive(Clone, Debug)]
pub struct SchedDomains {
    pub(super) rules: DomainRules,
    pub(super) domains: Domains,
    pub(super) online: CpuSet,
    pub(super) isolated: CpuSet,
    pub(super) reclaim_distance: u8,
    /// All kinds of level, lowest first, with the reason for those that the machine lacks.
    pub(super) kinds: Vec<(Kind, Option<Absent>)>,
    /// Lowest domain of each CPU.
    lowest: Vec<Option<SdId>>,
}

/// One CPU's domain of one level (`sched_domain`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DomainView {
    /// Level as the kernel names it: SMT, CLS, MC, DIE or PKG, NODE, NUMA.
    pub name: &'static str,
    /// Number of the level, from 0, dropped ones counted (`level` in debugfs).
    pub level: u8,
    /// Which NUMA level, from 1; 0 for others.
    pub numa_level: u8,
    /// Its CPUs.
    pub span: CpuSet,
    /// Its groups in the kernel's order; the first holds the CPU itself.
    pub groups: Vec<DomainGroup>,
    /// Its flags in the kernel's order, as it spells them (`SD_…`).
    pub flags: Vec<&'static str>,
    /// Flags of the first group (`groups_flags` in debugfs).
    pub groups_flags: Vec<&'static str>,
    /// How much busier another group has to be, percent.
    pub imbalance_pct: u32,
    /// Shortest interval between two passes of an idle CPU, ms.
    pub min_interval: u32,
    /// Longest interval between two passes of an idle CPU, ms.
    pub max_interval: u32,
    /// By how much a busy CPU balances less often.
    pub busy_factor: u32,
    /// Failed passes before cache-hot tasks move.
    pub cache_nice_tries: u32,
    /// Tasks that two nodes may be apart before they are balanced (v5.18; 0 before).
    pub imb_numa_nr: u32,
}

/// CPUs that a domain weighs as one (`sched_group`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DomainGroup {
    /// Its CPUs.
    pub span: CpuSet,
    /// Those of them that may balance on its behalf.
    pub balance_mask: CpuSet,
    /// What they can compute together, 1024 for the biggest CPU.
    pub capacity: u64,
}

impl SchedDomains {
    /// Builds the domains of all CPUs, with what an administrator has set.
    pub fn build(topology: &Topology, rules: DomainRules, settings: &[DomainSetting]) -> Self {
        let map = topology.online.minus(&topology.isolated);
        let (mut domains, lowest) = Domains::attached(topology, &rules, &[map]);
        for setting in settings {
            domains.apply(setting);
        }
        Self {
            rules,
            domains,
            online: topology.online,
            isolated: topology.isolated,
            reclaim_distance: topology.reclaim_distance,
            kinds: kinds(topology, &rules),
            lowest,
        }
    }

    /// CPUs that are online; isolated ones among them have no domains.
    pub fn online(&self) -> &CpuSet {
        &self.online
    }

    /// The domains of a CPU, lowest first; none if it is offline or isolated.
    pub fn of(&self, cpu: CpuId) -> Vec<DomainView> {
        let lowest = self.lowest.get(cpu.index()).copied().flatten();
        std::iter::successors(lowest, |&sd| self.domains.sd(sd).parent)
            .map(|sd| self.view(self.domains.sd(sd)))
            .collect()
    }

    fn view(&self, sd: &SchedDomain) -> DomainView {
        let group = |&sg| {
            let sg = self.domains.sg(sg);
            DomainGroup {
                span: sg.span,
                balance_mask: sg.balance_mask,
                capacity: sg.capacity,
            }
        };
        DomainView {
            name: sd.name,
            level: sd.level,
            numa_level: sd.numa_level,
            span: sd.span,
            groups: sd.groups.iter().map(group).collect(),
            flags: sd.flags.names(&self.rules),
            groups_flags: sd.groups_flags.names(&self.rules),
            imbalance_pct: sd.imbalance_pct,
            min_interval: sd.min_interval,
            max_interval: sd.max_interval,
            busy_factor: sd.busy_factor,
            cache_nice_tries: sd.cache_nice_tries,
            imb_numa_nr: sd.imb_numa_nr,
        }
    }
}
