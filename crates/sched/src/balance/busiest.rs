//! Gathering what a pass needs to know of all groups, and the busiest queue of the busiest one.
//!
//! Source: kernel/sched/fair.c `update_sd_lb_stats`, `update_sg_lb_stats`, `find_busiest_queue` (v5.3 to
//! v6.17; SCHED.md 5.3, 5.4).

use teeter_machine::{CpuId, CpuSet};

use super::average_load::Side;
use super::contest::{Contest, Puller, capacity_greater};
use super::group::{GroupStats, GroupTraits, GroupType, IdleType, avg_load};
use super::{Env, Migration, average_load, group_type};
use crate::decision::Seen;
use crate::domain::Flags;
use crate::ids::{SdId, SgId};
use crate::numa::FbqType;
use crate::rules::{CapacityTest, Decision, OwnPoint, Pelt};
use crate::sched::Sched;

impl Sched {
    /// The group to pull from, if any; what and how much goes into `env`.
    pub(super) fn find_busiest_group(&mut self, env: &mut Env) -> Option<SgId> {
        match self.rules.balance.decision {
            Decision::AverageLoad => self.busiest_by_average_load(env),
            Decision::GroupType => self.busiest_by_group_type(env),
        }
    }

    fn busiest_by_average_load(&mut self, env: &mut Env) -> Option<SgId> {
        let sd = self.domains.sd(env.sd);
        let (pct, groups) = (sd.imbalance_pct, sd.groups.len());
        let prefer_sibling = self.domains.prefer_sibling(env.sd);
        let any = self.rules.balance.sibling_of_any;
        let packing = self.domains.sd(env.sd).flags.has(Flags::ASYM_PACKING);
        let mut side = Side {
            puller: self.contest(env).puller,
            packs_onto: (packing && env.idle != IdleType::NotIdle).then_some(env.dst_cpu),
        };
        let mut local: Option<GroupStats> = None;
        let mut busiest: Option<GroupStats> = None;
        let (mut total_load, mut total_capacity, mut overload) = (0, 0, false);
        let mut max_nr_running = 0;
        for at in 0..groups {
            let group = self.domains.sd(env.sd).groups[at];
            let mut stats = self.group_stats(group, &env.cpus);
            stats.traits = self.group_traits(env.sd, at);
            self.note_misfit(env, &mut stats);
            stats.no_capacity = average_load::is_overloaded(&stats, pct);
            let imbalanced = self.domains.sg(group).imbalance;
            stats.group_type = average_load::classify(&stats, imbalanced);
            let tasks = u64::from(stats.sum_nr_running);
            stats.load_per_task = stats.group_load.checked_div(tasks).unwrap_or(0);
            stats.group_load = self.biased_load(env.sd, env.idle, group, &env.cpus, at == 0);
            stats.avg_load = avg_load(stats.group_load, stats.group_capacity);
            overload |= stats.overload;
            total_load += stats.group_load;
            total_capacity += stats.group_capacity;
            let Some(local) = &local else {
                if let Some(puller) = &mut side.puller {
                    puller.has_spare = average_load::has_capacity(&stats, pct);
                    puller.local_capacities =
                        (stats.traits.min_capacity, stats.traits.max_capacity);
                }
                local = Some(stats);
                continue;
            };
            max_nr_running = max_nr_running.max(stats.sum_nr_running);
            if prefer_sibling
                && average_load::has_capacity(local, pct)
                && stats.sum_nr_running > if any { 1 } else { local.sum_nr_running + 1 }
            {
                stats.no_capacity = true;
                stats.group_type = average_load::classify(&stats, imbalanced);
            }
            let busier = busiest.and_then(|busiest| self.own_busier(env, &stats, &busiest));
            if busier.unwrap_or_else(|| average_load::picks(&stats, busiest.as_ref(), &side)) {
                busiest = Some(stats);
            }
        }
        self.note_overload(env, overload);
        let nr = u64::from(self.rqs[env.dst_cpu.index()].nr_running);
        let dst_load_per_task = self.lb_load(env.dst_cpu).checked_div(nr).unwrap_or(0);
        let (local, busiest) = local.zip(busiest)?;
        let picture = average_load::Picture {
            idle: env.idle,
            forced_newly_idle: self.rules.balance.forced_newly_idle,
            packs_onto: side.packs_onto,
            imbalance_pct: pct,
            total_load,
            total_capacity,
            local,
            busiest,
            dst_load_per_task,
        };
        self.see(env, &local, &busiest, max_nr_running);
        if picture.leaves() {
            return None;
        }
        let imbalance = picture.calculate_imbalance() as i64;
        env.src_misfit = busiest.group_type == GroupType::Misfit;
        let found = self.conclude(env, Migration::Load, None, imbalance, &local, &busiest);
        found.or(self.rules.balance.pulls_nothing.then_some(busiest.group))
    }

    fn busiest_by_group_type(&mut self, env: &mut Env) -> Option<SgId> {
        let sd = self.domains.sd(env.sd);
        let (pct, groups) = (sd.imbalance_pct, sd.groups.len());
        let mut contest = self.contest(env);
        let mut local: Option<GroupStats> = None;
        let mut busiest: Option<GroupStats> = None;
        let (mut total_load, mut total_capacity, mut overload) = (0, 0, false);
        let mut max_nr_running = 0;
        let mut total_util = 0;
        for at in 0..groups {
            let group = self.domains.sd(env.sd).groups[at];
            let mut stats = self.group_stats(group, &env.cpus);
            stats.traits = self.group_traits(env.sd, at);
            if let Some(local) = &local {
                self.note_special(env, local, &mut stats);
            }
            let imbalanced = self.domains.sg(group).imbalance;
            stats.group_type = group_type::classify(&stats, pct, imbalanced);
            if stats.group_type == GroupType::Overloaded {
                stats.avg_load = avg_load(stats.group_load, stats.group_capacity);
            }
            overload |= stats.overload;
            total_load += stats.group_load;
            total_util += stats.group_util;
            total_capacity += stats.group_capacity;
            if at == 0 {
                if let Some(puller) = &mut contest.puller {
                    puller.has_spare = stats.group_type == GroupType::HasSpare;
                    puller.local_capacities =
                        (stats.traits.min_capacity, stats.traits.max_capacity);
                }
                local = Some(stats);
            } else {
                max_nr_running = max_nr_running.max(stats.sum_nr_running);
                let busier = busiest.and_then(|busiest| self.own_busier(env, &stats, &busiest));
                if busier.unwrap_or_else(|| contest.picks(&stats, busiest.as_ref())) {
                    busiest = Some(stats);
                }
            }
        }
        self.note_overload(env, overload);
        self.update_idle_cpu_scan(env.sd, env.dst_cpu, env.idle, total_util);
        let (local, busiest) = local.zip(busiest)?;
        let sd = self.domains.sd(env.sd);
        let rules = &self.rules.balance;
        let numa = sd.flags.has(Flags::NUMA).then(|| group_type::Numa {
            rule: rules.numa_imbalance,
            child_weight: self.domains.child_weight(env.sd),
            imb_numa_nr: sd.imb_numa_nr,
        });
        let picture = group_type::Picture {
            rework: rules.rework,
            numa,
            idle: env.idle,
            imbalance_pct: pct,
            prefer_sibling: if rules.sibling_of_busiest {
                busiest.traits.prefer_sibling
            } else {
                self.domains.prefer_sibling(env.sd)
            },
            by_util: rules.util_within_llc || !sd.flags.has(Flags::SHARE_PKG_RESOURCES),
            guard: rules.average_guard,
            asym_capacity: sd.flags.has(Flags::ASYM_CPUCAPACITY),
            smt: rules.smt,
            even_idle: rules.even_idle,
            total_load,
            total_capacity,
            local,
            busiest,
        };
        self.see(env, &local, &busiest, max_nr_running);
        if !picture.passes_gates() {
            return None;
        }
        let before = picture.before_numa();
        let (migration, imbalance) = picture.calculate_imbalance();
        self.conclude(env, migration, before, imbalance, &local, &busiest)
    }

    /// Puts what a pass sees on record.
    fn see(&self, env: &mut Env, local: &GroupStats, busiest: &GroupStats, max_nr_running: u32) {
        env.seen = self.recording().then(|| Seen {
            local: local.into(),
            busiest: busiest.into(),
            max_nr_running,
            imbalance_before: None,
            imbalance: None,
            migration: None,
        });
    }

    /// Sets what a pass is to move, by the user's own rules where there are some. Gives the group to move
    /// it from; `None` = there is nothing to move.
    fn conclude(
        &mut self,
        env: &mut Env,
        migration: Migration,
        before_numa: Option<i64>,
        imbalance: i64,
        local: &GroupStats,
        busiest: &GroupStats,
    ) -> Option<SgId> {
        let own_numa = before_numa.and_then(|before| {
            self.own_imbalance(OwnPoint::NumaImbalance, env, before, local, busiest)
        });
        let allowed = own_numa.unwrap_or(imbalance);
        let own = self.own_imbalance(OwnPoint::Imbalance, env, allowed, local, busiest);
        env.migration = migration;
        env.imbalance = own.unwrap_or(allowed);
        if let Some(seen) = &mut env.seen {
            seen.migration = Some(migration);
            seen.imbalance_before = before_numa;
            seen.imbalance = Some(env.imbalance);
        }
        (env.imbalance != 0).then_some(busiest.group)
    }

    /// By what the kernel compares groups on the domain of a pass.
    fn contest(&self, env: &Env) -> Contest {
        let rules = &self.rules.balance;
        let asym = self.domains.sd(env.sd).flags.has(Flags::ASYM_CPUCAPACITY);
        Contest {
            rework: rules.rework,
            smt_ties: rules.smt_ties,
            smt: rules.smt,
            misfit_ties: !rules.misfit_apart,
            puller: asym.then(|| Puller {
                test: rules.capacity_test,
                cpu_capacity: self.rqs[env.dst_cpu.index()].cpu_capacity,
                local_capacities: (0, 0),
                has_spare: false,
            }),
        }
    }

    /// What makes a group other than the local one special: a task too big for its CPU, threads of a core
    /// that could spread, CPUs of lower priority.
    fn note_special(&self, env: &Env, local: &GroupStats, stats: &mut GroupStats) {
        self.note_misfit(env, stats);
        let flags = self.domains.sd(env.sd).flags;
        let idle = env.idle != IdleType::NotIdle;
        if idle && stats.sum_h_nr_running > 0 {
            let spreads = self.rules.balance.smt && stats.traits.smt && stats.sum_h_nr_running > 1;
            stats.special = if flags.has(Flags::ASYM_PACKING) && self.asym_pulls(env, local, stats)
            {
                Some(GroupType::AsymPacking)
            } else {
                spreads.then_some(GroupType::SmtBalance)
            };
        }
    }

    /// The biggest load of a task of the group that is too big for its CPU.
    fn note_misfit(&self, env: &Env, stats: &mut GroupStats) {
        let flags = self.domains.sd(env.sd).flags;
        let idle = env.idle != IdleType::NotIdle;
        let asym = flags.has(Flags::ASYM_CPUCAPACITY);
        let reduced = self.rules.balance.reduced_capacity_misfit && idle && !asym;
        if asym || reduced {
            for &cpu in &self.domains.sg(stats.group).cpus {
                let rq = &self.rqs[cpu.index()];
                if !env.cpus.contains(cpu) || rq.is_idle() {
                    continue;
                }
                let load = if asym {
                    rq.misfit_task_load
                } else if self.cfs_rqs[cpu.index()].h_nr_runnable() == 1
                    && self.check_cpu_capacity(cpu, env.sd)
                {
                    self.lb_load(cpu)
                } else {
                    0
                };
                stats.misfit_task_load = stats.misfit_task_load.max(load);
                stats.overload |= asym && load > 0;
            }
        }
    }

    /// What is fixed about a domain's group, by its place.
    fn group_traits(&self, sd: SdId, place: usize) -> GroupTraits {
        let sg = self.domains.sg(self.domains.sd(sd).groups[place]);
        let flags = self.domains.group_flags(sd, place);
        GroupTraits {
            smt: flags.has(Flags::SHARE_CPUCAPACITY),
            prefer_sibling: flags.has(Flags::PREFER_SIBLING),
            cores: sg.cores,
            min_capacity: sg.min_capacity,
            max_capacity: sg.max_capacity,
            preferred: sg.cpus.first().copied().unwrap_or_default(),
        }
    }

    /// Sums over those of the group's CPUs that take part (`update_sg_lb_stats`).
    pub(crate) fn group_stats(&self, group: SgId, cpus: &CpuSet) -> GroupStats {
        let sg = self.domains.sg(group);
        let mut stats = GroupStats::new(group, sg.weight(), sg.capacity);
        stats.group_runnable = (self.rules.load.pelt == Pelt::Runnable).then_some(0);
        for &cpu in sg.cpus.iter().filter(|&&cpu| cpus.contains(cpu)) {
            let rq = &self.rqs[cpu.index()];
            stats.group_load += self.lb_load(cpu);
            stats.group_util += self.lb_util(cpu);
            stats.sum_h_nr_running += self.cfs_rqs[cpu.index()].h_nr_runnable();
            stats.sum_nr_running += rq.nr_running;
            if let Some(runnable) = &mut stats.group_runnable {
                *runnable += self.cfs_rqs[cpu.index()].avg.runnable_avg;
            }
            stats.overload |= rq.nr_running > 1;
            stats.idle_cpus += u32::from(rq.is_idle());
        }
        stats
    }

    /// A pass over the whole machine knows whether any CPU has more than one task.
    fn note_overload(&mut self, env: &Env, overload: bool) {
        if self.domains.sd(env.sd).parent.is_none() {
            self.overload = overload;
        }
    }

    /// The queue of the group to pull from (`find_busiest_queue`).
    pub(super) fn find_busiest_queue(&self, env: &Env, group: SgId) -> Option<CpuId> {
        let (mut busiest, mut most, mut most_capacity) = (None, 0, 1);
        let fbq_type = self.fbq_classify_group(env, group);
        for &cpu in &self.domains.sg(group).cpus {
            let rq = &self.rqs[cpu.index()];
            if !env.cpus.contains(cpu)
                || self.is_out_of_question(env, cpu)
                || self.fbq_classify_rq(cpu) > fbq_type
            {
                continue;
            }
            let (amount, capacity) = match env.migration {
                Migration::Load => {
                    let load = self.lb_load(cpu);
                    if rq.nr_running == 1
                        && load as i64 > env.imbalance
                        && !self.check_cpu_capacity(cpu, env.sd)
                    {
                        continue;
                    }
                    (load, rq.cpu_capacity)
                }
                Migration::Util if rq.nr_running <= 1 && !self.rules.balance.lone_tasks_by_util => {
                    continue;
                }
                Migration::Util => (self.queue_util(cpu), 1),
                Migration::Misfit => (rq.misfit_task_load, 1),
                Migration::Task => (u64::from(self.cfs_rqs[cpu.index()].h_nr_runnable()), 1),
            };
            if amount * most_capacity > most * capacity {
                (busiest, most, most_capacity) = (Some(cpu), amount, capacity);
            }
        }
        busiest
    }

    /// The kind of queues that a pass may pull from: between nodes, no more settled ones than the group is as
    /// a whole.
    fn fbq_classify_group(&self, env: &Env, group: SgId) -> FbqType {
        if !self.domains.sd(env.sd).flags.has(Flags::NUMA) {
            return FbqType::All;
        }
        let (mut nr_running, mut numa, mut preferred) = (0, 0, 0);
        let cpus = &self.domains.sg(group).cpus;
        for cpu in cpus.iter().filter(|&&cpu| env.cpus.contains(cpu)) {
            let rq = &self.rqs[cpu.index()];
            nr_running += rq.nr_running;
            numa += rq.nr_numa_running;
            preferred += rq.nr_preferred_running;
        }
        FbqType::of(nr_running, numa, preferred)
    }

    /// Whether a queue is none to pull from: it is empty, or its only task would come to a smaller CPU or to
    /// one of lower priority.
    fn is_out_of_question(&self, env: &Env, cpu: CpuId) -> bool {
        let rules = &self.rules.balance;
        let nr_running = self.cfs_rqs[cpu.index()].h_nr_runnable();
        if nr_running == 0 {
            return !rules.empty_queues;
        }
        if nr_running > 1 {
            return false;
        }
        let flags = self.domains.sd(env.sd).flags;
        let (src, dst) = (
            self.rqs[cpu.index()].cpu_capacity,
            self.rqs[env.dst_cpu.index()].cpu_capacity,
        );
        let smaller = match rules.capacity_test {
            CapacityTest::Fits => dst < src,
            CapacityTest::Greater => !capacity_greater(dst, src),
        };
        let by_load = rules.decision == Decision::AverageLoad;
        flags.has(Flags::ASYM_CPUCAPACITY) && smaller
            || !by_load && flags.has(Flags::ASYM_PACKING) && self.keeps_by_priority(env, cpu)
    }

    /// Utilization by which the busiest queue is found.
    fn queue_util(&self, cpu: CpuId) -> u64 {
        let util = self.lb_util(cpu);
        if !self.rules.balance.queue_by_runnable {
            return util;
        }
        let runnable = self.cfs_rqs[cpu.index()].avg.runnable_avg;
        util.max(runnable.min(self.rqs[cpu.index()].cpu_capacity_orig))
    }
}
