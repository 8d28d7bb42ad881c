//! Dropping the domains that do nothing.
//!
//! Source: kernel/sched/topology.c `cpu_attach_domain`, `sd_degenerate`, `sd_parent_degenerate`.

use super::{Domains, Flags, SchedDomain};
use crate::ids::SdId;
use crate::rules::{Degenerate, DomainRules};

/// What became of a domain once built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// The CPU balances over it.
    Kept,
    /// Dropped: it spans one CPU.
    OneCpu,
    /// Dropped: it has one group, and no flag for which that is enough.
    OneGroup,
    /// Dropped: it spans what the domain below it spans, and adds no flag.
    AddsNothing {
        /// The domain below.
        to: SdId,
        /// Whether that one was given its PREFER_SIBLING.
        moved: bool,
    },
}

impl Domains {
    /// Drops the levels that do nothing and gives the lowest that is left.
    pub(super) fn attach(&mut self, rules: &DomainRules, lowest: SdId) -> Option<SdId> {
        let mut sd = lowest;
        while let Some(parent) = self.sd(sd).parent {
            let Some(fate) = self
                .sd(parent)
                .adds_nothing_to(self.sd(sd), sd, rules.degenerate)
            else {
                sd = parent;
                continue;
            };
            let flags = self.sd(sd).flags;
            let grandparent = self.sd(parent).parent;
            self.sd_mut(sd).parent = grandparent;
            if let Some(grandparent) = grandparent {
                self.sd_mut(grandparent).child = Some(sd);
                if rules.group_flags_follow {
                    self.set_local_group_flags(grandparent, flags);
                }
            }
            if self.sd(parent).flags.has(Flags::PREFER_SIBLING) {
                self.sd_mut(sd).flags = flags.with(Flags::PREFER_SIBLING);
            }
            self.drop_domain(parent, fate);
        }
        let Some(fate) = self.sd(lowest).degenerate(rules.degenerate) else {
            return Some(lowest);
        };
        let parent = self.sd(lowest).parent;
        if let Some(parent) = parent {
            self.sd_mut(parent).child = None;
            self.set_local_group_flags(parent, Flags::NONE);
        }
        self.drop_domain(lowest, fate);
        parent
    }

    /// The local group of a domain without overlap is that of all its CPUs.
    fn set_local_group_flags(&mut self, sd: SdId, flags: Flags) {
        self.sd_mut(sd).groups_flags = flags;
        if !self.sd(sd).flags.has(Flags::OVERLAP) {
            let sg = self.local_group(sd);
            self.sgs[sg.index()].flags = flags;
        }
    }

    fn drop_domain(&mut self, sd: SdId, fate: Fate) {
        let sd = self.sd_mut(sd);
        sd.fate = fate;
        sd.groups = Vec::new();
    }
}

impl SchedDomain {
    /// Why balancing in it could do nothing, if so.
    fn degenerate(&self, rule: Degenerate) -> Option<Fate> {
        let worth_groups = Flags::worth_groups(rule);
        if self.span_weight == 1 {
            Some(Fate::OneCpu)
        } else if self.flags.has(worth_groups) && self.groups.len() > 1
            || self.flags.has(Flags::WAKE_AFFINE)
        {
            None
        } else {
            Some(Fate::OneGroup)
        }
    }

    /// Why it adds nothing to the domain below it, if so.
    fn adds_nothing_to(&self, child: &Self, id: SdId, rule: Degenerate) -> Option<Fate> {
        if let Some(fate) = self.degenerate(rule) {
            return Some(fate);
        }
        if self.span != child.span {
            return None;
        }
        let meant = if self.groups.len() > 1 {
            self.flags
        } else {
            self.flags.without(Flags::void_with_one_group(rule))
        };
        if meant.without(child.flags) != Flags::NONE {
            return None;
        }
        Some(Fate::AddsNothing {
            to: id,
            moved: self.flags.has(Flags::PREFER_SIBLING) && !child.flags.has(Flags::PREFER_SIBLING),
        })
    }
}
