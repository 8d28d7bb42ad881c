//! The groups of a domain.
//!
//! Source: kernel/sched/topology.c `build_sched_groups`, `build_overlap_sched_groups`, `find_descended_sibling`,
//! `build_balance_mask` (SCHED.md 4.3 and 14).

use teeter_machine::{CpuId, CpuSet, Topology};

use super::level::{Kind, Level};
use super::{Domains, Flags, SchedGroup};
use crate::ids::{SdId, SgId};
use crate::rules::{DomainRules, GroupOrder};

/// Makes the groups of all domains. CPUs share a group where they would share a `sched_group_capacity`: a
/// level and a unit of the level below name it.
pub(super) struct Groups<'a> {
    topology: &'a Topology,
    rules: &'a DomainRules,
    levels: &'a [Level],
    domains: &'a mut Domains,
    /// How many levels each CPU has domains of, from the lowest.
    depth: Vec<usize>,
    /// By level and unit of the level below (the CPU itself at the lowest).
    known: Vec<Vec<Option<SgId>>>,
}

impl<'a> Groups<'a> {
    /// Nothing made yet; the domains have their spans.
    pub(super) fn new(
        topology: &'a Topology,
        rules: &'a DomainRules,
        levels: &'a [Level],
        domains: &'a mut Domains,
    ) -> Self {
        let cpus = topology.cpus.len();
        let below = levels.iter().map(|level| level.units.len());
        let known = std::iter::once(cpus).chain(below).take(levels.len());
        let depth = topology.cpu_ids().map(|cpu| domains.built(cpu).count());
        Self {
            topology,
            rules,
            levels,
            depth: depth.collect(),
            known: known.map(|units| vec![None; units]).collect(),
            domains,
        }
    }

    /// Makes the groups of all domains of the CPUs.
    pub(super) fn build_all(mut self, map: &CpuSet) {
        for level in 0..self.levels.len() {
            if matches!(self.levels[level].kind, Kind::Numa { .. }) {
                self.overlapping(level, map);
            } else {
                self.disjoint(level, map);
            }
        }
    }

    /// Children's spans, each once.
    fn disjoint(&mut self, level: usize, map: &CpuSet) {
        let mut rings: Vec<Option<Vec<SgId>>> = vec![None; self.levels[level].units.len()];
        // Where each group stands in its ring.
        let mut place = vec![0; self.known[level].len()];
        for cpu in map {
            if self.depth[cpu.index()] <= level {
                continue;
            }
            let unit = self.levels[level].unit_of(cpu);
            let ring = match rings[unit].take() {
                Some(ring) => ring,
                None => self.ring(level, unit, &mut place),
            };
            let mut groups = ring.clone();
            groups.rotate_left(place[self.below(level, cpu)]);
            rings[unit] = Some(ring);
            self.give(level, cpu, groups);
        }
    }

    /// The ring of groups that all CPUs of a unit share. From v4.13 on each of them links it anew from its own
    /// group on, so that the way of the last one stays.
    fn ring(&mut self, level: usize, unit: usize, place: &mut [usize]) -> Vec<SgId> {
        let span = self.levels[level].units[unit].span;
        let start = match self.rules.group_order {
            GroupOrder::FromFirst => None,
            GroupOrder::FromOwn => span.iter().last(),
        };
        let mut seen = vec![false; place.len()];
        let mut ring = Vec::new();
        for member in start.into_iter().chain(&span) {
            let below = self.below(level, member);
            if !std::mem::replace(&mut seen[below], true) {
                place[below] = ring.len();
                ring.push(self.group(level, member));
            }
        }
        ring
    }

    /// From the own CPU on, for each CPU that no group holds yet the span of its child domain.
    fn overlapping(&mut self, level: usize, map: &CpuSet) {
        // The last groups gathered from each unit below: they are the same for the same span until the own CPU
        // passes another group's.
        type Gathered = ((usize, Option<CpuId>), Vec<SgId>);
        let mut last: Vec<Option<Gathered>> = vec![None; self.known[level].len()];
        for cpu in map {
            if self.depth[cpu.index()] <= level {
                continue;
            }
            let below = self.below(level, cpu);
            let own = self.levels[level - 1].span(cpu);
            let others = self.levels[level].span(cpu).minus(own);
            let next = others.next_from(cpu.index()).or_else(|| others.first());
            let way = (self.levels[level].unit_of(cpu), next);
            let groups = match (last[below].take(), self.rules.group_order) {
                (Some((known, groups)), GroupOrder::FromOwn) if known == way => groups,
                (_, GroupOrder::FromOwn) => self.gather(level, cpu, cpu),
                (_, GroupOrder::FromFirst) => self.gather_from_first(level, cpu),
            };
            last[below] = Some((way, groups.clone()));
            self.give(level, cpu, groups);
        }
    }

    /// Groups of the domain of `cpu`, gathered from CPU `start` on.
    fn gather(&mut self, level: usize, cpu: CpuId, start: CpuId) -> Vec<SgId> {
        let span = *self.levels[level].span(cpu);
        let mut left = span;
        let mut groups = Vec::new();
        // Up to the highest CPU, and then from the lowest.
        for mut next in [start.index(), 0] {
            while let Some(member) = left.next_from(next) {
                next = member.index() + 1;
                if self.depth[member.index()] <= level {
                    // It has no domain of this level, as a lower one spans all CPUs already.
                    continue;
                }
                let level = self.level_of_group(level, member, &span);
                let sg = self.group(level, member);
                left = left.minus(&self.domains.sg(sg).span);
                groups.push(sg);
            }
        }
        groups
    }

    /// To v4.12: one ring from the lowest CPU on, in which each CPU starts at its own place: the last group
    /// whose first CPU it is, or else the first group that holds it.
    fn gather_from_first(&mut self, level: usize, cpu: CpuId) -> Vec<SgId> {
        let mut groups = self.gather(level, cpu, CpuId(0));
        let spans = groups.iter().map(|&sg| self.domains.sg(sg).span);
        let mut own = None;
        for (place, span) in spans.enumerate() {
            if span.first() == Some(cpu) || (own.is_none() && span.contains(cpu)) {
                own = Some(place);
            }
        }
        groups.rotate_left(own.unwrap_or(0));
        groups
    }

    /// The level below which `member`'s group in a domain of this span is found: lower than the domain's own
    /// where the group would stick out.
    fn level_of_group(&self, level: usize, member: CpuId, span: &CpuSet) -> usize {
        let span_at = |level: usize| self.levels[level].span(member);
        let mut at = level;
        if !self.rules.groups_inside || span_at(at - 1).is_subset(span) {
            return at;
        }
        while at > 0 && !span_at(at - 1).is_subset(span) {
            at -= 1;
        }
        while at > 0 && span_at(at - 1) == span_at(at) {
            at -= 1;
        }
        at
    }

    /// The unit of the level below that a CPU is in.
    fn below(&self, level: usize, cpu: CpuId) -> usize {
        match level {
            0 => cpu.index(),
            _ => self.levels[level - 1].unit_of(cpu),
        }
    }

    /// The group that is the span of the child of a level's domain of `member`.
    fn group(&mut self, level: usize, member: CpuId) -> SgId {
        let below = self.below(level, member);
        if let Some(known) = self.known[level][below] {
            return known;
        }
        let child = level.checked_sub(1);
        let span = child.map_or(CpuSet::of(member), |child| *self.levels[child].span(member));
        let child = child.and_then(|child| self.sd(child, member));
        let flags = child.map_or(Flags::NONE, |child| self.domains.sd(child).flags);
        let cpus: Vec<CpuId> = span.iter().collect();
        let overlaps = matches!(self.levels[level].kind, Kind::Numa { .. });
        let balance_mask = if overlaps && self.rules.group_order == GroupOrder::FromOwn {
            // Those whose own group it is.
            let arrives =
                |&cpu: &CpuId| self.depth[cpu.index()] > level && self.below(level, cpu) == below;
            cpus.iter().copied().filter(arrives).collect()
        } else {
            span
        };
        let capacities = || cpus.iter().map(|&cpu| self.capacity(cpu));
        let core = |cpu: &CpuId| self.levels[0].span(*cpu).and(&span).first();
        let cores = cpus.iter().filter(|&cpu| core(cpu) == Some(*cpu)).count();
        let sg = SgId(self.domains.sgs.len() as u32);
        self.domains.sgs.push(SchedGroup {
            span,
            capacity: capacities().sum(),
            min_capacity: capacities().min().unwrap_or(0),
            max_capacity: capacities().max().unwrap_or(0),
            cores: cores as u32,
            cpus,
            balance_mask,
            flags,
            imbalance: false,
        });
        self.known[level][below] = Some(sg);
        sg
    }

    /// A level's domain of a CPU.
    fn sd(&self, level: usize, cpu: CpuId) -> Option<SdId> {
        self.domains.built[cpu.index()]
            .filter(|_| self.depth[cpu.index()] > level)
            .map(|SdId(first)| SdId(first + level as u32))
    }

    /// What a CPU can compute. To v4.20 the threads of a core share a little more than a core's.
    fn capacity(&self, cpu: CpuId) -> u64 {
        let threads = self.levels[0].span(cpu).len() as u64;
        match self.rules.smt_gain {
            Some(gain) if threads > 1 => u64::from(gain) / threads,
            _ => u64::from(self.topology.cpu(cpu).capacity),
        }
    }

    /// Gives a domain its groups.
    fn give(&mut self, level: usize, cpu: CpuId, groups: Vec<SgId>) {
        if let Some(sd) = self.sd(level, cpu) {
            let flags = groups.first().map(|&sg| self.domains.sg(sg).flags);
            let sd = self.domains.sd_mut(sd);
            sd.groups_flags = flags.unwrap_or(Flags::NONE);
            sd.groups = groups;
        }
    }
}
