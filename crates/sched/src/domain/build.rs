//! Building the domains of a machine.
//!
//! Source: kernel/sched/topology.c `build_sched_domains`, `cpu_attach_domain`,
//! `update_top_cache_domain` (v5.3).

use teeter_machine::{CpuId, Topology};

use super::groups::GroupBuilder;
use super::level::{Level, levels};
use super::{Domains, Flags, Llc, SchedDomain};
use crate::ids::SdId;
use crate::rq::Rq;
use crate::rules::Rules;

impl Domains {
    /// Builds the domains of all online CPUs and hooks them to the run-queues.
    pub(crate) fn build(topology: &Topology, rules: &Rules, rqs: &mut [Rq]) -> Self {
        let mut domains = Self {
            smt: topology
                .cpu_ids()
                .map(|cpu| topology.peers(cpu, |c| c.core).and(&topology.online))
                .collect(),
            ..Self::default()
        };
        let by_level = domains.build_spans(topology, rules);
        for level in &by_level {
            let mut builder = GroupBuilder::new(topology, level);
            for cpu in &topology.online {
                if let Some(sd) = level[cpu.index()] {
                    let groups = builder.groups(&mut domains, cpu, sd);
                    domains.sd_mut(sd).groups = groups;
                }
            }
        }
        for cpu in &topology.online {
            let lowest = by_level.first().and_then(|level| level[cpu.index()]);
            rqs[cpu.index()].sd = lowest.and_then(|sd| domains.attach(sd));
        }
        domains.find_llcs(topology, rqs);
        for setting in &rules.domains {
            domains.apply(setting);
        }
        domains
    }

    /// One domain a level and CPU, up to the level that spans the whole machine.
    fn build_spans(&mut self, topology: &Topology, rules: &Rules) -> Vec<Vec<Option<SdId>>> {
        let levels = levels(topology);
        let mut by_level = vec![vec![None; topology.cpus.len()]; levels.len()];
        for cpu in &topology.online {
            let mut child: Option<SdId> = None;
            for (level, row) in levels.iter().zip(&mut by_level) {
                let sd = self.push(topology, rules, *level, cpu, child);
                row[cpu.index()] = Some(sd);
                if let Some(child) = child {
                    self.sd_mut(child).parent = Some(sd);
                }
                child = Some(sd);
                if self.sd(sd).span == topology.online {
                    break;
                }
            }
        }
        by_level
    }

    fn push(
        &mut self,
        topology: &Topology,
        rules: &Rules,
        level: Level,
        cpu: CpuId,
        child: Option<SdId>,
    ) -> SdId {
        let span = level.span(topology, cpu).and(&topology.online);
        let weight = span.len() as u32;
        let init = level.init(topology);
        self.sds.push(SchedDomain {
            name: init.name,
            numa_level: init.numa_level,
            span,
            span_weight: weight,
            flags: init.flags,
            groups: Vec::new(),
            parent: None,
            child,
            imbalance_pct: init.imbalance_pct,
            busy_factor: rules.busy_factor,
            cache_nice_tries: init.cache_nice_tries,
            min_interval: weight,
            max_interval: 2 * weight,
            balance_interval: weight,
            last_balance: 0,
            nr_balance_failed: 0,
            max_newidle_lb_cost: 0,
            next_decay_max_lb_cost: 0,
            avg_scan_cost: 0,
        });
        SdId(self.sds.len() as u32 - 1)
    }

    /// Drops the levels that do nothing and gives the lowest that is left.
    fn attach(&mut self, lowest: SdId) -> Option<SdId> {
        let mut sd = lowest;
        while let Some(parent) = self.sd(sd).parent {
            if self.sd(parent).adds_nothing_to(self.sd(sd)) {
                let grandparent = self.sd(parent).parent;
                if self.sd(parent).flags.has(Flags::PREFER_SIBLING) {
                    let flags = self.sd(sd).flags.with(Flags::PREFER_SIBLING);
                    self.sd_mut(sd).flags = flags;
                }
                self.sd_mut(sd).parent = grandparent;
                if let Some(grandparent) = grandparent {
                    self.sd_mut(grandparent).child = Some(sd);
                }
            } else {
                sd = parent;
            }
        }
        if !self.sd(lowest).is_degenerate() {
            return Some(lowest);
        }
        let parent = self.sd(lowest).parent;
        if let Some(parent) = parent {
            self.sd_mut(parent).child = None;
        }
        parent
    }

    /// Finds for each CPU the highest domain that shares the last-level cache.
    fn find_llcs(&mut self, topology: &Topology, rqs: &mut [Rq]) {
        let mut llc_of_first: Vec<Option<usize>> = vec![None; topology.cpus.len()];
        for cpu in &topology.online {
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
                });
                self.llcs.len() - 1
            });
            let rq = &mut rqs[cpu.index()];
            rq.sd_llc = llc;
            rq.llc = index;
        }
    }
}
