//! The groups of a domain.
//!
//! Source: kernel/sched/topology.c `build_sched_groups`, `build_overlap_sched_groups`,
//! `build_balance_mask` (SCHED.md 4.3 and 14).

use std::collections::HashMap;

use teeter_machine::{CpuId, CpuSet, Topology};

use super::{Domains, Flags, SchedDomain, SchedGroup};
use crate::ids::{SdId, SgId};

/// Makes groups and shares those that are the same between CPUs of a level.
pub(super) struct GroupBuilder<'a> {
    topology: &'a Topology,
    /// Domains of one level, by CPU, for `sibling` look-ups.
    level: &'a [Option<SdId>],
    known: HashMap<(CpuSet, CpuSet), SgId>,
}

impl<'a> GroupBuilder<'a> {
    /// A builder for one level, whose domains `level` gives by CPU.
    pub(super) fn new(topology: &'a Topology, level: &'a [Option<SdId>]) -> Self {
        Self {
            topology,
            level,
            known: HashMap::new(),
        }
    }

    /// The groups of the domain of `cpu`, the local one first.
    pub(super) fn groups(&mut self, domains: &mut Domains, cpu: CpuId, sd: SdId) -> Vec<SgId> {
        if domains.sd(sd).flags.has(Flags::OVERLAP) {
            self.overlapping(domains, cpu, sd)
        } else {
            self.disjoint(domains, cpu, sd)
        }
    }

    /// Children's spans in order of their first CPU, turned so that the own comes first.
    fn disjoint(&mut self, domains: &mut Domains, cpu: CpuId, sd: SdId) -> Vec<SgId> {
        let span = domains.sd(sd).span;
        let mut covered = CpuSet::EMPTY;
        let mut groups = Vec::new();
        let mut local = 0;
        for member in &span {
            if covered.contains(member) {
                continue;
            }
            let group = self.child_span(domains, member);
            if group.contains(cpu) {
                local = groups.len();
            }
            covered = covered.or(&group);
            groups.push(self.group(domains, group, group));
        }
        groups.rotate_left(local);
        groups
    }

    /// For each CPU from the own on that no group holds yet, the span of its child domain.
    fn overlapping(&mut self, domains: &mut Domains, cpu: CpuId, sd: SdId) -> Vec<SgId> {
        let span = domains.sd(sd).span;
        let mut covered = CpuSet::EMPTY;
        let mut groups = Vec::new();
        for member in span.iter_wrap(cpu) {
            let own = self.level[member.index()].map(|sibling| domains.sd(sibling).span);
            if covered.contains(member) || !own.is_some_and(|own| own.contains(member)) {
                continue;
            }
            let group = self.child_span(domains, member);
            covered = covered.or(&group);
            let mask = self.balance_mask(domains, &group);
            groups.push(self.group(domains, group, mask));
        }
        groups
    }

    /// CPUs of the group whose own group it is.
    fn balance_mask(&self, domains: &Domains, group: &CpuSet) -> CpuSet {
        group
            .iter()
            .filter(|&cpu| self.child_span(domains, cpu) == *group)
            .collect()
    }

    /// Span of the child of this level's domain of `cpu`; the CPU itself at the lowest level.
    fn child_span(&self, domains: &Domains, cpu: CpuId) -> CpuSet {
        let child = self.level[cpu.index()].and_then(|sd| domains.sd(sd).child);
        child.map_or(CpuSet::of(cpu), |child| domains.sd(child).span)
    }

    /// The group of this span, made if it is new at this level.
    fn group(&mut self, domains: &mut Domains, span: CpuSet, balance_mask: CpuSet) -> SgId {
        *self.known.entry((span, balance_mask)).or_insert_with(|| {
            let cpus: Vec<_> = span.iter().collect();
            let capacity = cpus
                .iter()
                .map(|&cpu| u64::from(self.topology.cpu(cpu).capacity))
                .sum();
            domains.sgs.push(SchedGroup {
                span,
                cpus,
                balance_mask,
                capacity,
                imbalance: false,
            });
            SgId(domains.sgs.len() as u32 - 1)
        })
    }
}

impl SchedDomain {
    /// Whether balancing in it could do nothing (`sd_degenerate`).
    pub(super) fn is_degenerate(&self) -> bool {
        self.span_weight == 1
            || !(self.flags.has(Flags::NEED_GROUPS) && self.groups.len() > 1
                || self.flags.has(Flags::WAKE_AFFINE))
    }

    /// Whether it adds nothing to its child (`sd_parent_degenerate`).
    pub(super) fn adds_nothing_to(&self, child: &Self) -> bool {
        if self.is_degenerate() {
            return true;
        }
        if self.span != child.span {
            return false;
        }
        let kept = if self.groups.len() > 1 {
            self.flags
        } else {
            self.flags
                .without(Flags::NEED_GROUPS.with(Flags::PREFER_SIBLING))
        };
        !kept.has(Flags::ALL.without(child.flags))
    }
}
