//! Building the domains of a machine.
//!
//! Source: kernel/sched/topology.c `build_sched_domains`, `sd_init`, `update_top_cache_domain` (SCHED.md 4 and 14).

use teeter_machine::{CpuId, CpuSet, Topology};

use super::attach::Fate;
use super::capacity::Capacities;
use super::groups::Groups;
use super::imb_numa_nr::{Rung, imb_numa_nr};
use super::level::{self, Kind, Level, levels};
use super::{Domains, Flags, Llc, SchedDomain};
use crate::balance::newidle::Success;
use crate::ids::SdId;
use crate::load::cpu_load::LoadIndex;
use crate::rq::Rq;
use crate::rules::{DomainRules, ImbNumaNr, PackagePacking, PreferSibling, RelaxDomains, Rules};

/// The flags of a domain of that level after `relax_domain_level` (`set_domain_attribute`).
fn relaxed(flags: Flags, level: u8, rules: &DomainRules) -> Flags {
    let Some(request) = rules.relax_domain_level else {
        return flags;
    };
    let idle = Flags::BALANCE_WAKE.with(Flags::BALANCE_NEWIDLE);
    match rules.relax {
        RelaxDomains::Split if level <= request => flags.with(idle),
        RelaxDomains::Above if level <= request => flags,
        RelaxDomains::From if level < request => flags,
        _ => flags.without(idle),
    }
}

impl Domains {
    /// Builds the domains of all online CPUs and hooks them to the run-queues. CPUs of different `maps` do
    /// not share any; those in none have none.
    pub(crate) fn build(
        topology: &Topology,
        rules: &Rules,
        maps: &[CpuSet],
        rqs: &mut [Rq],
    ) -> Self {
        let (mut domains, lowest) = Self::attached(topology, &rules.topology, maps);
        for (rq, lowest) in rqs.iter_mut().zip(lowest) {
            rq.sd = lowest;
        }
        domains.find_llcs(topology, rqs);
        domains.share_cores(rqs, &rules.topology);
        domains.find_capacities(rqs);
        domains.find_clusters(rqs);
        for setting in &rules.domains {
            domains.apply(setting);
        }
        domains
    }

    /// To v4.20: the hardware threads of a core share its capacity (`arch_scale_cpu_capacity`).
    fn share_cores(&self, rqs: &mut [Rq], rules: &DomainRules) {
        for rq in rqs {
            let threads = rq.sd.map(|sd| self.sd(sd));
            if let Some(gain) = rules.smt_gain
                && let Some(sd) = threads.filter(|sd| sd.flags.has(Flags::SHARE_CPUCAPACITY))
            {
                let capacity = u64::from(gain / sd.span_weight.max(1));
                (rq.cpu_capacity, rq.cpu_capacity_orig) = (capacity, capacity);
            }
        }
    }

    /// Notes whether CPUs differ in capacity, and how big they are.
    fn find_capacities(&mut self, rqs: &[Rq]) {
        self.asym_capacity = self
            .sds
            .iter()
            .any(|sd| sd.fate == Fate::Kept && sd.flags.has(Flags::ASYM_CPUCAPACITY));
        let capacities = rqs.iter().map(|rq| rq.cpu_capacity_orig);
        self.max_capacity = capacities.max().unwrap_or(0);
    }

    /// Builds the domains of all CPUs, map by map; with the lowest of each CPU.
    pub(super) fn attached(
        topology: &Topology,
        rules: &DomainRules,
        maps: &[CpuSet],
    ) -> (Self, Vec<Option<SdId>>) {
        let smt = &levels(topology, rules, &CpuSet::EMPTY)[0];
        let mut domains = Self {
            smt_present: smt.units.iter().any(|unit| unit.mask.len() > 1),
            smt: topology
                .cpu_ids()
                .map(|cpu| smt.units[smt.unit_of(cpu)].mask)
                .collect(),
            built: vec![None; topology.cpus.len()],
            ..Self::default()
        };
        let mut lowest = vec![None; topology.cpus.len()];
        for map in maps {
            domains.build_map(topology, rules, map);
            for cpu in map {
                lowest[cpu.index()] =
                    domains.built[cpu.index()].and_then(|sd| domains.attach(rules, sd));
            }
        }
        (domains, lowest)
    }

    /// Builds the domains of the CPUs of a map.
    fn build_map(&mut self, topology: &Topology, rules: &DomainRules, map: &CpuSet) {
        let levels = levels(topology, rules, map);
        let capacities = Capacities::of(topology, rules.asym_capacity, &levels, map);
        let init = Init {
            topology,
            rules,
            levels: &levels,
            map,
            capacities: &capacities,
        };
        self.sds.reserve(map.len() * levels.len());
        for cpu in map {
            self.build_cpu(&init, cpu);
        }
        Groups::new(topology, rules, &levels, self).build_all(map);
        if rules.imb_numa_nr != ImbNumaNr::None {
            for cpu in map {
                self.set_imb_numa_nr(rules.imb_numa_nr, cpu);
            }
        }
    }

    /// All domains of a CPU as built, lowest first.
    pub(super) fn built(&self, cpu: CpuId) -> impl Iterator<Item = SdId> {
        let first = self.built[cpu.index()];
        let range = first.map(|SdId(first)| {
            let more = &self.sds[first as usize + 1..];
            let above = more.iter().take_while(|sd| sd.level != 0).count() as u32;
            first..=first + above
        });
        range.into_iter().flatten().map(SdId)
    }

    /// One domain a level, up to the one that spans all CPUs.
    fn build_cpu(&mut self, init: &Init<'_>, cpu: CpuId) {
        let mut child: Option<SdId> = None;
        for number in 0..init.levels.len() {
            let mut new = init.domain(number, cpu, child);
            new.flags = relaxed(new.flags, new.level, init.rules);
            let sd = SdId(self.sds.len() as u32);
            let spans_all = new.span == *init.map;
            if let Some(child) = child {
                let below = self.sd_mut(child);
                below.parent = Some(sd);
                if new.flags.has(Flags::ASYM_CPUCAPACITY) {
                    // CPUs of different capacity are not filled evenly.
                    below.flags = below.flags.without(Flags::PREFER_SIBLING);
                }
            }
            let wakes = init.capacities.balance_wake() && new.flags.has(Flags::ASYM_CPUCAPACITY);
            self.sds.push(new);
            if wakes {
                let first = self.sds.len() - 1 - number;
                for sd in &mut self.sds[first..] {
                    sd.flags = sd.flags.with(Flags::BALANCE_WAKE);
                }
            }
            self.built[cpu.index()].get_or_insert(sd);
            child = Some(sd);
            if spans_all {
                break;
            }
        }
    }

    fn set_imb_numa_nr(&mut self, rule: ImbNumaNr, cpu: CpuId) {
        let sds: Vec<SdId> = self.built(cpu).collect();
        let rungs: Vec<Rung> = sds.iter().map(|&sd| Rung::from(self.sd(sd))).collect();
        for (sd, number) in sds.into_iter().zip(imb_numa_nr(rule, &rungs)) {
            self.sd_mut(sd).imb_numa_nr = number;
        }
    }

    /// Finds for each CPU the highest domain that shares the last-level cache.
    fn find_llcs(&mut self, topology: &Topology, rqs: &mut [Rq]) {
        let mut llc_of_first: Vec<Option<usize>> = vec![None; topology.cpus.len()];
        for cpu in topology.cpu_ids() {
            let mut llc = None;
            let mut next = rqs[cpu.index()].sd;
            while let Some(sd) = next {
                if !self.sd(sd).flags.has(Flags::SHARE_PKG_RESOURCES) {
                    break;
                }
                llc = Some(sd);
                next = self.sd(sd).parent;
            }
            let (first, size) = match llc {
                Some(sd) => (
                    self.sd(sd).span.first().unwrap_or(cpu),
                    self.sd(sd).span_weight,
                ),
                None => (cpu, 1),
            };
            let index = *llc_of_first[first.index()].get_or_insert_with(|| {
                self.llcs.push(Llc {
                    size,
                    nr_busy_cpus: 0,
                    has_idle_cores: true,
                    nr_idle_scan: 0,
                });
                self.llcs.len() - 1
            });
            let rq = &mut rqs[cpu.index()];
            rq.sd_llc = llc;
            rq.share_id = first;
            rq.llc = index;
        }
    }

    /// Finds for each CPU the lowest domain of a cluster.
    fn find_clusters(&mut self, rqs: &mut [Rq]) {
        for rq in rqs {
            let mut next = rq.sd;
            while let Some(sd) = next {
                let domain = self.sd(sd);
                next = domain.parent;
                if domain.flags.has(Flags::CLUSTER) {
                    rq.share_id = domain.span.first().unwrap_or(rq.share_id);
                    self.has_clusters = true;
                    break;
                }
            }
        }
    }
}

/// Which of a CPU's loads bias a level's balancing (to v5.2, `sd_init`).
fn load_index(kind: Kind) -> LoadIndex {
    let (busy, idle) = match kind {
        Kind::Smt => (0, 0),
        Kind::Cls | Kind::Mc => (2, 0),
        Kind::Package | Kind::Node => (2, 1),
        Kind::Numa { .. } => (3, 2),
    };
    LoadIndex {
        busy,
        idle,
        newidle: 0,
    }
}

/// What new domains are made from.
struct Init<'a> {
    topology: &'a Topology,
    rules: &'a DomainRules,
    levels: &'a [Level],
    /// CPUs that are balanced.
    map: &'a CpuSet,
    capacities: &'a Capacities,
}

impl Init<'_> {
    /// A level's domain of a CPU.
    fn domain(&self, number: usize, cpu: CpuId, child: Option<SdId>) -> SchedDomain {
        let level = &self.levels[number];
        let unit = &level.units[level.unit_of(cpu)];
        // Intervals go by all CPUs that are online, isolated ones too.
        let weight = unit.mask.len() as u32;
        let (flags, imbalance_pct, cache_nice_tries) = self.parameters(level.kind);
        let asym = self.capacities.flags(number, &unit.span, self.map);
        SchedDomain {
            name: level.kind.name(self.rules),
            level: number as u8,
            numa_level: level.kind.numa_level(),
            span: unit.span,
            span_weight: unit.span.len() as u32,
            flags: flags.with(asym),
            groups_flags: Flags::NONE,
            groups: Vec::new(),
            parent: None,
            child,
            fate: Fate::Kept,
            imb_numa_nr: 0,
            imbalance_pct,
            busy_factor: self.rules.busy_factor,
            cache_nice_tries,
            load_index: load_index(level.kind),
            min_interval: weight,
            max_interval: 2 * weight,
            balance_interval: weight,
            last_balance: 0,
            nr_balance_failed: 0,
            max_newidle_lb_cost: 0,
            newidle: Success::default(),
            next_decay_max_lb_cost: 0,
            avg_scan_cost: 0,
        }
    }

    /// Flags, `imbalance_pct` and `cache_nice_tries` of a level's domains.
    fn parameters(&self, kind: Kind) -> (Flags, u32, u32) {
        let mut usual = Flags::BALANCE_NEWIDLE
            .with(Flags::BALANCE_EXEC)
            .with(Flags::BALANCE_FORK)
            .with(Flags::WAKE_AFFINE);
        if self.rules.load_balance_flag {
            usual = usual.with(Flags::LOAD_BALANCE);
        }
        let spread = usual.with(Flags::PREFER_SIBLING);
        let in_llc = match self.rules.prefer_sibling {
            PreferSibling::NotInLlc => usual,
            PreferSibling::All => spread,
        };
        let llc = self.packing(kind).with(Flags::SHARE_PKG_RESOURCES);
        let other = self.rules.imbalance_pct;
        match kind {
            Kind::Smt => (spread.with(llc).with(Flags::SHARE_CPUCAPACITY), 110, 0),
            Kind::Cls if self.rules.cluster_flag => (in_llc.with(llc).with(Flags::CLUSTER), 117, 1),
            Kind::Cls | Kind::Mc => (in_llc.with(llc), 117, 1),
            Kind::Package => (spread.with(self.packing(kind)), other, 1),
            Kind::Node => (spread, other, 1),
            Kind::Numa { distance, .. } => {
                let far = Flags::BALANCE_EXEC
                    .with(Flags::BALANCE_FORK)
                    .with(Flags::WAKE_AFFINE);
                let numa = Flags::NUMA.with(Flags::SERIALIZE).with(Flags::OVERLAP);
                let usual = if distance > self.topology.reclaim_distance {
                    usual.without(far)
                } else {
                    usual
                };
                (usual.with(numa), other, 2)
            }
        }
    }

    /// ASYM_PACKING, where the machine and the level have it.
    fn packing(&self, kind: Kind) -> Flags {
        let rule = self.rules.asym_packing;
        let level_has = match kind {
            Kind::Smt => rule.smt,
            Kind::Cls | Kind::Mc => true,
            Kind::Package => match rule.package {
                PackagePacking::Never => false,
                PackagePacking::Hybrid => level::is_hybrid(self.topology),
                PackagePacking::Always => true,
            },
            Kind::Node | Kind::Numa { .. } => false,
        };
        if level_has && self.topology.asym_packing {
            Flags::ASYM_PACKING
        } else {
            Flags::NONE
        }
    }
}
