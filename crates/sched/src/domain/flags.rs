//! Flags of sched domains.
//!
//! Source: include/linux/sched/sd_flags.h (v5.10 on), include/linux/sched/topology.h before.

use crate::rules::{Degenerate, DomainRules};

/// Flags of a domain (`SD_*`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flags(u16);

impl Flags {
    pub(crate) const LOAD_BALANCE: Self = Self(1);
    pub(crate) const BALANCE_NEWIDLE: Self = Self(1 << 1);
    pub(crate) const BALANCE_EXEC: Self = Self(1 << 2);
    pub(crate) const BALANCE_FORK: Self = Self(1 << 3);
    pub(crate) const BALANCE_WAKE: Self = Self(1 << 4);
    pub(crate) const WAKE_AFFINE: Self = Self(1 << 5);
    pub(crate) const ASYM_CPUCAPACITY: Self = Self(1 << 6);
    pub(crate) const ASYM_CPUCAPACITY_FULL: Self = Self(1 << 7);
    pub(crate) const SHARE_CPUCAPACITY: Self = Self(1 << 8);
    pub(crate) const CLUSTER: Self = Self(1 << 9);
    /// `SD_SHARE_LLC` from v6.9 on.
    pub(crate) const SHARE_PKG_RESOURCES: Self = Self(1 << 10);
    pub(crate) const SERIALIZE: Self = Self(1 << 11);
    pub(crate) const ASYM_PACKING: Self = Self(1 << 12);
    pub(crate) const PREFER_SIBLING: Self = Self(1 << 13);
    pub(crate) const OVERLAP: Self = Self(1 << 14);
    pub(crate) const NUMA: Self = Self(1 << 15);

    /// No flag.
    pub(crate) const NONE: Self = Self(0);
    const ALL: Self = Self(u16::MAX);

    /// Whether any of these flags is set.
    #[inline]
    pub(crate) const fn has(self, flags: Self) -> bool {
        self.0 & flags.0 != 0
    }

    /// With these flags too.
    #[must_use]
    pub(crate) const fn with(self, flags: Self) -> Self {
        Self(self.0 | flags.0)
    }

    /// Without these flags.
    #[must_use]
    pub(crate) const fn without(self, flags: Self) -> Self {
        Self(self.0 & !flags.0)
    }

    /// Flags for which a domain of several groups is kept.
    pub(super) const fn worth_groups(rule: Degenerate) -> Self {
        match rule {
            Degenerate::Listed => LISTED,
            Degenerate::NeedsGroups => Self::ALL.without(Self::WAKE_AFFINE),
        }
    }

    /// Flags that mean nothing to a parent that has a single group.
    pub(super) const fn void_with_one_group(rule: Degenerate) -> Self {
        match rule {
            Degenerate::Listed => LISTED.with(Self::PREFER_SIBLING),
            Degenerate::NeedsGroups => Self::ALL.without(Self::WAKE_AFFINE),
        }
    }

    /// Their names, in the kernel's order.
    pub(super) fn names(self, rules: &DomainRules) -> Vec<&'static str> {
        let named = [
            (Self::LOAD_BALANCE, "SD_LOAD_BALANCE"),
            (Self::BALANCE_NEWIDLE, "SD_BALANCE_NEWIDLE"),
            (Self::BALANCE_EXEC, "SD_BALANCE_EXEC"),
            (Self::BALANCE_FORK, "SD_BALANCE_FORK"),
            (Self::BALANCE_WAKE, "SD_BALANCE_WAKE"),
            (Self::WAKE_AFFINE, "SD_WAKE_AFFINE"),
            (Self::ASYM_CPUCAPACITY, "SD_ASYM_CPUCAPACITY"),
            (Self::ASYM_CPUCAPACITY_FULL, "SD_ASYM_CPUCAPACITY_FULL"),
            (Self::SHARE_CPUCAPACITY, "SD_SHARE_CPUCAPACITY"),
            (Self::CLUSTER, "SD_CLUSTER"),
            (Self::SHARE_PKG_RESOURCES, rules.share_llc_name),
            (Self::SERIALIZE, "SD_SERIALIZE"),
            (Self::ASYM_PACKING, "SD_ASYM_PACKING"),
            (Self::PREFER_SIBLING, "SD_PREFER_SIBLING"),
            (Self::OVERLAP, "SD_OVERLAP"),
            (Self::NUMA, "SD_NUMA"),
        ];
        named
            .into_iter()
            .filter(|&(flag, _)| self.has(flag))
            .map(|(_, name)| name)
            .collect()
    }
}

/// The list of kernels up to v5.8.
const LISTED: Flags = Flags::LOAD_BALANCE
    .with(Flags::BALANCE_NEWIDLE)
    .with(Flags::BALANCE_FORK)
    .with(Flags::BALANCE_EXEC)
    .with(Flags::SHARE_CPUCAPACITY)
    .with(Flags::ASYM_CPUCAPACITY)
    .with(Flags::SHARE_PKG_RESOURCES);
