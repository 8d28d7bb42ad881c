//! How each kernel builds sched domains, as data.
//!
//! Source: kernel/sched/topology.c and include/linux/sched/sd_flags.h of v4.11 to v6.17, arch/x86
//! smpboot.c (SCHED.md 4 and 14). The releases at which a point changed are given with it.

use super::release::Release;

/// From which node distances the NUMA levels are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumaDistances {
    /// Those from node 0, taken to stand for all (to v5.11).
    FromNode0,
    /// All (v5.12 to v5.17).
    All,
    /// All between nodes that have CPUs online (v5.18).
    OfCpuNodes,
}

/// Which machines have a level of clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clusters {
    /// None (to v5.15).
    None,
    /// All but x86 hybrids (v5.16 to v6.5).
    NotHybrid,
    /// All (v6.6).
    All,
}

/// Which domains are born with PREFER_SIBLING, those of NUMA levels aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreferSibling {
    /// All but those that share the last-level cache without being of one core (to v4.19).
    NotInLlc,
    /// All (v4.20).
    All,
}

/// How different CPU capacities show in the flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AsymCapacity {
    /// Not at all (to v4.19; some architectures said it themselves).
    Unseen,
    /// At the lowest level at which every CPU sees a biggest one (v4.20 to v5.13). To v5.7 that level and
    /// those below it balance at wakeups too.
    OneLevel {
        /// Whether BALANCE_WAKE is set from that level down.
        balance_wake: bool,
    },
    /// At every level that spans several capacities, and whether it spans all of them (v5.14).
    Classified,
}

/// Which domains prefer the CPUs of higher priority, on a machine that has them (x86 ITMT).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AsymPacking {
    /// SMT as well (to v6.4).
    pub smt: bool,
    /// DIE or PKG as well.
    pub package: PackagePacking,
}

/// Whether the domain of a node prefers CPUs of higher priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackagePacking {
    /// It does not (to v6.5).
    Never,
    /// Where cores differ in kind (v6.6 to v6.13).
    Hybrid,
    /// It does (v6.14).
    Always,
}

/// Which domain is left out because it does nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Degenerate {
    /// By a list of flags that need several groups, without those of NUMA (to v5.8).
    Listed,
    /// All flags but WAKE_AFFINE need several groups (v5.9).
    NeedsGroups,
}

/// How the groups of a domain are gathered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupOrder {
    /// From the lowest CPU up, the same ring for all CPUs of a span (to v4.12).
    FromFirst,
    /// From the own CPU up, wrapping (v4.13).
    FromOwn,
}

/// How many tasks may be out of balance between nodes, as kept in the domain (`sd->imb_numa_nr`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImbNumaNr {
    /// Not kept (to v5.17).
    None,
    /// The LLCs of a node; a quarter of its CPUs where it has one (v5.18, v5.19).
    Quarter,
    /// The LLCs of a node; an eighth of its CPUs, at least 1, where it has one (v6.0).
    Eighth,
}

/// What the boot parameter `relax_domain_level` does to the domains of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelaxDomains {
    /// Above the given level CPUs about to idle do not balance; up to it they do, and wakeups balance too (to
    /// v5.4).
    Split,
    /// Above the given level CPUs about to idle do not balance (v5.5 to v6.9).
    Above,
    /// From the given level on CPUs about to idle do not balance (v6.10).
    From,
}

/// How one kernel builds sched domains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a point of its own at which kernels differ"
)]
pub struct DomainRules {
    /// Whether there is a level for the node itself below the NUMA levels (v4.13).
    pub node_level: bool,
    /// Whether there are levels above the node.
    pub numa_levels: bool,
    /// Which.
    pub numa_distances: NumaDistances,
    /// Whether nodes of other packages all count as equally far, by the mean of their distances, where packages hold
    /// several nodes (4d6dd05d07d0, v6.19, on Granite Rapids and Clearwater Forest).
    pub far_nodes_alike: bool,
    /// The level CLS.
    pub clusters: Clusters,
    /// Whether CLS has a flag of its own, SD_CLUSTER (v6.7).
    pub cluster_flag: bool,
    /// What the level of a node's CPUs is called: DIE, or PKG (v6.7).
    pub package_name: &'static str,
    /// What the flag of a shared last-level cache is called (SD_SHARE_LLC from v6.9).
    pub share_llc_name: &'static str,
    /// Whether domains carry SD_LOAD_BALANCE (to v5.7).
    pub load_balance_flag: bool,
    /// PREFER_SIBLING.
    pub prefer_sibling: PreferSibling,
    /// `imbalance_pct` of domains that do not share a cache, percent (125; 117 from v5.10).
    pub imbalance_pct: u32,
    /// By how much a busy CPU balances less often (32; 16 from v5.10).
    pub busy_factor: u32,
    /// Capacity of a core of several hardware threads (`smt_gain`, to v4.20); `None`: 1024 for each thread.
    pub smt_gain: Option<u32>,
    /// ASYM_CPUCAPACITY.
    pub asym_capacity: AsymCapacity,
    /// ASYM_PACKING.
    pub asym_packing: AsymPacking,
    /// What is left out.
    pub degenerate: Degenerate,
    /// Order of groups.
    pub group_order: GroupOrder,
    /// Whether the groups of a NUMA domain stay inside it where nodes are three and more hops apart (v5.13).
    pub groups_inside: bool,
    /// Imbalance allowed between nodes.
    pub imb_numa_nr: ImbNumaNr,
    /// Whether the local group takes over the flags of the domain that stands in for a dropped one (v6.5).
    pub group_flags_follow: bool,
    /// `relax_domain_level`.
    pub relax: RelaxDomains,
    /// Its value, a number of a level from 0 up; not given at boot by default.
    pub relax_domain_level: Option<u8>,
}

impl DomainRules {
    /// By release, each point with the one at which it changed.
    pub(super) fn of(release: Release) -> Self {
        let since = |major, minor| release.since(major, minor);
        Self {
            node_level: since(4, 13),
            numa_levels: true,
            numa_distances: match release {
                _ if since(5, 18) => NumaDistances::OfCpuNodes,
                _ if since(5, 12) => NumaDistances::All,
                _ => NumaDistances::FromNode0,
            },
            far_nodes_alike: false,
            clusters: match release {
                _ if since(6, 6) => Clusters::All,
                _ if since(5, 16) => Clusters::NotHybrid,
                _ => Clusters::None,
            },
            cluster_flag: since(6, 7),
            package_name: if since(6, 7) { "PKG" } else { "DIE" },
            share_llc_name: if since(6, 9) {
                "SD_SHARE_LLC"
            } else {
                "SD_SHARE_PKG_RESOURCES"
            },
            load_balance_flag: !since(5, 8),
            prefer_sibling: if since(4, 20) {
                PreferSibling::All
            } else {
                PreferSibling::NotInLlc
            },
            imbalance_pct: if since(5, 10) { 117 } else { 125 },
            busy_factor: if since(5, 10) { 16 } else { 32 },
            smt_gain: if since(5, 0) { None } else { Some(1178) },
            asym_capacity: match release {
                _ if since(5, 14) => AsymCapacity::Classified,
                _ if since(4, 20) => AsymCapacity::OneLevel {
                    balance_wake: !since(5, 8),
                },
                _ => AsymCapacity::Unseen,
            },
            asym_packing: AsymPacking {
                smt: !since(6, 5),
                package: match release {
                    _ if since(6, 14) => PackagePacking::Always,
                    _ if since(6, 6) => PackagePacking::Hybrid,
                    _ => PackagePacking::Never,
                },
            },
            degenerate: if since(5, 9) {
                Degenerate::NeedsGroups
            } else {
                Degenerate::Listed
            },
            group_order: if since(4, 13) {
                GroupOrder::FromOwn
            } else {
                GroupOrder::FromFirst
            },
            groups_inside: since(5, 13),
            imb_numa_nr: match release {
                _ if since(6, 0) => ImbNumaNr::Eighth,
                _ if since(5, 18) => ImbNumaNr::Quarter,
                _ => ImbNumaNr::None,
            },
            group_flags_follow: since(6, 5),
            relax: match release {
                _ if since(6, 10) => RelaxDomains::From,
                _ if since(5, 5) => RelaxDomains::Above,
                _ => RelaxDomains::Split,
            },
            relax_domain_level: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_differ_where_the_sources_do() {
        let of = |major, minor| DomainRules::of(Release(major, minor));
        assert_eq!(
            (of(5, 6).imbalance_pct, of(5, 10).imbalance_pct),
            (125, 117)
        );
        assert_eq!((of(5, 6).busy_factor, of(5, 10).busy_factor), (32, 16));
        assert_eq!(of(5, 18).imb_numa_nr, ImbNumaNr::Quarter);
        assert_eq!(of(6, 1).imb_numa_nr, ImbNumaNr::Eighth);
        assert_eq!(
            (of(6, 6).package_name, of(6, 7).package_name),
            ("DIE", "PKG")
        );
    }
}
