//! The numbers of a decision by name.

use teeter_machine::CpuId;
use teeter_scenario::expr::Vocabulary;

use super::{
    About, Balance, Decision, Event, GroupSeen, Idlest, NumaMigrate, Pass, Placement, Seen, Step,
    Why,
};
use crate::balance::Migration;
use crate::balance::group::{GroupType, IdleType};
use crate::fork::spare_capacity::GroupLoad;
use crate::ids::TaskId;
use crate::wake::affine::AffineWeight;

/// One number of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A count, an amount, a time in ns or the number of a CPU.
    Number(i64),
    /// One of the [`VOCABULARY`]'s constants.
    Name(&'static str),
    /// A task.
    Task(TaskId),
}

impl Value {
    /// As a number: constants by their place in the vocabulary, tasks by theirs among all.
    pub fn number(self) -> i64 {
        match self {
            Self::Number(n) => n,
            Self::Name(name) => constant(name),
            Self::Task(task) => i64::from(task.0),
        }
    }
}

/// Names of values, in order where there is one.
const CONSTANTS: &[(&str, i64)] = &numbered([
    "balance",
    "wakeup",
    "fork",
    "exec",
    "wake_affine",
    "find_idlest_group",
    "SMT",
    "CLS",
    "MC",
    "DIE",
    "PKG",
    "NODE",
    "NUMA",
    "CPU_IDLE",
    "CPU_NOT_IDLE",
    "CPU_NEWLY_IDLE",
    "group_other",
    "group_has_spare",
    "group_fully_busy",
    "group_misfit_task",
    "group_smt_balance",
    "group_asym_packing",
    "group_imbalanced",
    "group_overloaded",
    "migrate_load",
    "migrate_util",
    "migrate_task",
    "migrate_misfit",
    "refused",
    "no_busiest_group",
    "balanced",
    "numa_imbalance_allowed",
    "no_busiest_queue",
    "all_pinned",
    "nothing_moved",
    "active_balance",
    "moved",
    "given",
    "idlest",
    "target",
    "prev",
    "per_cpu_kthread",
    "recent_used_cpu",
    "idle_scan",
    "capacity",
    "fallback",
    "numa",
    "swapped",
    "no_better_cpu",
]);

const fn numbered<const N: usize>(names: [&str; N]) -> [(&str, i64); N] {
    let mut numbered = [("", 0); N];
    let mut at = 0;
    while at < N {
        numbered[at] = (names[at], at as i64);
        at += 1;
    }
    numbered
}

fn constant(name: &str) -> i64 {
    let found = CONSTANTS.iter().find(|(known, _)| *known == name);
    found.map_or(-1, |(_, value)| *value)
}

macro_rules! fields {
    ($($name:literal: $get:expr,)*) => {
        const NAMES: &[&str] = &[$($name),*];
        const FIELDS: &[fn(&Decision<'_>) -> Option<Value>] = &[$($get),*];
    };
}

fields! {
    "t_ns": |d| Some(number(d.at.0)),
    "cpu": |d| Some(number(d.cpu.0)),
    "kind": |d| Some(Value::Name(d.kind())),
    // Of a placement and what led to it, or of an attempt to bring a task to its preferred node.
    "task": |d| task(d).map(Value::Task),
    "prev_cpu": |d| Some(number(prev_cpu(d)?.0)),
    "sync": |d| Some(number(u8::from(placement(d)?.sync))),
    "target_cpu": |d| Some(number(placement(d)?.target_cpu?.0)),
    "step": |d| Some(Value::Name(step(placement(d)?.step))),
    "chosen_cpu": |d| Some(number(chosen_cpu(d)?.0)),
    // Of wake_affine.
    "this_load": |d| Some(number(weight(d)?.this_load)),
    "prev_load": |d| Some(number(weight(d)?.prev_load)),
    "task_h_load": |d| Some(number(weight(d)?.task_h_load)),
    "sync_h_load": |d| Some(number(weight(d)?.sync_h_load?)),
    "this_capacity": |d| Some(number(weight(d)?.this_capacity)),
    "prev_capacity": |d| Some(number(weight(d)?.prev_capacity)),
    // Of find_idlest_group.
    "stays": |d| Some(number(u8::from(choice(d)?.stays))),
    "local.runnable_load": |d| Some(number(choice(d)?.loads?.0.runnable)),
    "idlest.runnable_load": |d| Some(number(choice(d)?.loads?.1.runnable)),
    "idlest.sum_nr_running": |d| Some(number(idlest(d)?.sum_nr_running)),
    "idlest.sum_h_nr_running": |d| Some(number(idlest(d)?.sum_h_nr_running)),
    "idlest.idle_cpus": |d| Some(number(idlest(d)?.idle_cpus)),
    "idlest.group_weight": |d| Some(number(idlest(d)?.group_weight)),
    "idlest.group_load": |d| Some(number(idlest(d)?.group_load)),
    "idlest.group_util": |d| Some(number(idlest(d)?.group_util)),
    "idlest.group_runnable": |d| Some(number(idlest(d)?.group_runnable?)),
    "idlest.group_capacity": |d| Some(number(idlest(d)?.group_capacity)),
    "idlest.avg_load": |d| avg_load(idlest(d), loads(d).map(|(_, idlest)| idlest)),
    "idlest.group_type": |d| Some(Value::Name(idlest(d)?.group_type.name())),
    // Of NUMA balancing.
    "src_nid": |d| Some(number(numa(d)?.src_nid.0)),
    "dst_nid": |d| Some(number(numa(d)?.dst_nid.0)),
    "taskimp": |d| Some(number(numa(d)?.taskimp)),
    "groupimp": |d| Some(number(numa(d)?.groupimp)),
    "src.nr_running": |d| Some(number(numa(d)?.src_nr_running)),
    "dst.nr_running": |d| Some(number(numa(d)?.dst_nr_running)),
    "best_cpu": |d| Some(number(numa(d)?.best_cpu?.0)),
    "best_task": |d| numa(d)?.best_task.map(Value::Task),
    "best_imp": |d| numa(d)?.best_imp.map(Value::Number),
    // Of a balance pass.
    "domain.name": |d| Some(Value::Name(domain(d)?.0)),
    "domain.level": |d| Some(number(domain(d)?.1)),
    "domain.span_weight": |d| Some(number(domain(d)?.2)),
    "imbalance_pct": |d| Some(number(imbalance_pct(d)?)),
    "idle": |d| Some(Value::Name(idle(balance(d)?.idle))),
    "dst_cpu": |d| Some(number(balance(d)?.dst_cpu.0)),
    "why": |d| balance(d).map(|b| why(b.why)).or_else(|| numa(d).map(outcome)).map(Value::Name),
    "migration": |d| Some(Value::Name(counted(seen(d)?.migration?))),
    "imbalance_before": |d| seen(d)?.imbalance_before.map(Value::Number),
    "imbalance": |d| seen(d)?.imbalance.map(Value::Number),
    "src_cpu": |d| src_cpu(d).map(|cpu| number(cpu.0)),
    "nr_moved": |d| Some(number(balance(d)?.nr_moved)),
    "local.sum_nr_running": |d| Some(number(local(d)?.sum_nr_running)),
    "local.sum_h_nr_running": |d| Some(number(local(d)?.sum_h_nr_running)),
    "local.idle_cpus": |d| Some(number(local(d)?.idle_cpus)),
    "local.group_weight": |d| Some(number(local(d)?.group_weight)),
    "local.group_load": |d| Some(number(local(d)?.group_load)),
    "local.group_util": |d| Some(number(local(d)?.group_util)),
    "local.group_runnable": |d| Some(number(local(d)?.group_runnable?)),
    "local.group_capacity": |d| Some(number(local(d)?.group_capacity)),
    "local.avg_load": |d| avg_load(local(d), loads(d).map(|(local, _)| local)),
    "local.group_type": |d| Some(Value::Name(local(d)?.group_type.name())),
    // Most tasks of any group but the local one: more than the busiest has means that it is not by tasks.
    "max.sum_nr_running": |d| Some(number(seen(d)?.max_nr_running)),
    "busiest.sum_nr_running": |d| Some(number(busiest(d)?.sum_nr_running)),
    "busiest.sum_h_nr_running": |d| Some(number(busiest(d)?.sum_h_nr_running)),
    "busiest.idle_cpus": |d| Some(number(busiest(d)?.idle_cpus)),
    "busiest.group_weight": |d| Some(number(busiest(d)?.group_weight)),
    "busiest.group_load": |d| Some(number(busiest(d)?.group_load)),
    "busiest.group_util": |d| Some(number(busiest(d)?.group_util)),
    "busiest.group_runnable": |d| Some(number(busiest(d)?.group_runnable?)),
    "busiest.group_capacity": |d| Some(number(busiest(d)?.group_capacity)),
    "busiest.avg_load": |d| Some(number(busiest(d)?.avg_load)),
    "busiest.group_type": |d| Some(Value::Name(busiest(d)?.group_type.name())),
}

/// The names by which filters speak of decisions. Times in ns; loads, utilization and capacity as the kernel
/// has them there.
pub const VOCABULARY: Vocabulary = Vocabulary {
    inputs: NAMES,
    constants: CONSTANTS,
};

impl<'a> Decision<'a> {
    /// The number with that place in the vocabulary; `None`: this decision has none of that name.
    pub fn get(&self, input: usize) -> Option<Value> {
        FIELDS.get(input)?(self)
    }

    /// All numbers it has, in the vocabulary's order.
    pub fn fields(&self) -> impl Iterator<Item = (&'static str, Value)> {
        let fields = NAMES.iter().zip(FIELDS);
        fields.filter_map(|(name, get)| Some((*name, get(self)?)))
    }

    /// The tasks a balance pass looked at, in order, and what became of them.
    pub fn candidates(&self) -> &'a [(TaskId, super::Verdict)] {
        pass(self).map_or(&[], |pass| pass.candidates)
    }

    /// What it was about: `balance`, `wakeup`, `fork`, `exec` or `numa`; on the way to a placement, `wake_affine`
    /// or `find_idlest_group`.
    pub fn kind(&self) -> &'static str {
        match self.about {
            About::Balance(_) => "balance",
            About::Placement(placement) => match placement.event {
                Event::Wakeup => "wakeup",
                Event::Fork => "fork",
                Event::Exec => "exec",
            },
            About::Affine(_) => "wake_affine",
            About::Idlest(_) => "find_idlest_group",
            About::Numa(_) => "numa",
        }
    }
}

/// A number; those beyond an `i64` are cut to its largest.
fn number(n: impl TryInto<i64>) -> Value {
    Value::Number(n.try_into().unwrap_or(i64::MAX))
}

fn placement<'a>(decision: &Decision<'a>) -> Option<&'a Placement> {
    match decision.about {
        About::Placement(placement) => Some(placement),
        _ => None,
    }
}

fn pass<'a>(decision: &Decision<'a>) -> Option<Pass<'a>> {
    match decision.about {
        About::Balance(pass) => Some(pass),
        _ => None,
    }
}

fn balance<'a>(decision: &Decision<'a>) -> Option<&'a Balance> {
    pass(decision).map(|pass| pass.balance)
}

fn seen<'a>(decision: &Decision<'a>) -> Option<&'a Seen> {
    pass(decision)?.seen
}

fn choice<'a>(decision: &Decision<'a>) -> Option<&'a Idlest> {
    match decision.about {
        About::Idlest(idlest) => Some(idlest),
        _ => None,
    }
}

fn numa<'a>(decision: &Decision<'a>) -> Option<&'a NumaMigrate> {
    match decision.about {
        About::Numa(attempt) => Some(attempt),
        _ => None,
    }
}

fn weight<'a>(decision: &Decision<'a>) -> Option<&'a AffineWeight> {
    match decision.about {
        About::Affine(affine) => affine.weight.as_ref(),
        _ => None,
    }
}

fn task(decision: &Decision<'_>) -> Option<TaskId> {
    match decision.about {
        About::Balance(_) => None,
        About::Placement(placement) => Some(placement.task),
        About::Affine(affine) => Some(affine.task),
        About::Idlest(idlest) => Some(idlest.task),
        About::Numa(attempt) => Some(attempt.task),
    }
}

fn prev_cpu(decision: &Decision<'_>) -> Option<CpuId> {
    match decision.about {
        About::Placement(placement) => Some(placement.prev_cpu),
        About::Affine(affine) => Some(affine.prev_cpu),
        _ => None,
    }
}

fn chosen_cpu(decision: &Decision<'_>) -> Option<CpuId> {
    match decision.about {
        About::Placement(placement) => Some(placement.chosen_cpu),
        About::Affine(affine) => Some(affine.chosen_cpu),
        _ => None,
    }
}

/// Name, level and CPUs of the domain.
fn domain(decision: &Decision<'_>) -> Option<(&'static str, u8, u32)> {
    match decision.about {
        About::Balance(Pass { balance: of, .. }) => Some((of.domain, of.level, of.span_weight)),
        About::Idlest(of) => Some((of.domain, of.level, of.span_weight)),
        _ => None,
    }
}

fn imbalance_pct(decision: &Decision<'_>) -> Option<u32> {
    match decision.about {
        About::Balance(pass) => Some(pass.balance.imbalance_pct),
        About::Idlest(idlest) => Some(idlest.imbalance_pct),
        About::Affine(affine) => Some(affine.imbalance_pct),
        _ => None,
    }
}

/// The CPU that tasks are taken from.
fn src_cpu(decision: &Decision<'_>) -> Option<CpuId> {
    match decision.about {
        About::Balance(pass) => pass.balance.src_cpu,
        About::Numa(attempt) => Some(attempt.src_cpu),
        _ => None,
    }
}

/// How an attempt to bring a task to its preferred node ended.
fn outcome(attempt: &NumaMigrate) -> &'static str {
    match (attempt.best_cpu, attempt.best_task) {
        (None, _) => "no_better_cpu",
        (Some(_), None) => "moved",
        (Some(_), Some(_)) => "swapped",
    }
}

fn local<'a>(decision: &Decision<'a>) -> Option<&'a GroupSeen> {
    match decision.about {
        About::Balance(pass) => Some(&pass.seen?.local),
        About::Idlest(idlest) => idlest.stats.as_ref().map(|(local, _)| local),
        _ => None,
    }
}

fn idlest<'a>(decision: &Decision<'a>) -> Option<&'a GroupSeen> {
    let stats = choice(decision)?.stats.as_ref();
    stats.map(|(_, idlest)| idlest)
}

/// Loads of the local and the idlest other group, where `find_idlest_group` compared these.
fn loads(decision: &Decision<'_>) -> Option<(GroupLoad, GroupLoad)> {
    choice(decision)?.loads
}

/// Average load of a group, by whichever way it was compared.
fn avg_load(stats: Option<&GroupSeen>, loads: Option<GroupLoad>) -> Option<Value> {
    let load = stats.map(|stats| stats.avg_load);
    load.or(loads.map(|load| load.avg)).map(number)
}

fn busiest<'a>(decision: &Decision<'a>) -> Option<&'a GroupSeen> {
    seen(decision).map(|seen| &seen.busiest)
}

fn idle(idle: IdleType) -> &'static str {
    match idle {
        IdleType::Idle => "CPU_IDLE",
        IdleType::NotIdle => "CPU_NOT_IDLE",
        IdleType::NewlyIdle => "CPU_NEWLY_IDLE",
    }
}

impl GroupType {
    /// As the kernel spells it.
    fn name(self) -> &'static str {
        match self {
            Self::Other => "group_other",
            Self::HasSpare => "group_has_spare",
            Self::FullyBusy => "group_fully_busy",
            Self::Misfit => "group_misfit_task",
            Self::SmtBalance => "group_smt_balance",
            Self::AsymPacking => "group_asym_packing",
            Self::Imbalanced => "group_imbalanced",
            Self::Overloaded => "group_overloaded",
        }
    }
}

fn counted(migration: Migration) -> &'static str {
    match migration {
        Migration::Load => "migrate_load",
        Migration::Util => "migrate_util",
        Migration::Task => "migrate_task",
        Migration::Misfit => "migrate_misfit",
    }
}

fn why(why: Why) -> &'static str {
    match why {
        Why::Refused => "refused",
        Why::NoBusiestGroup => "no_busiest_group",
        Why::Balanced => "balanced",
        Why::NumaImbalanceAllowed => "numa_imbalance_allowed",
        Why::NoBusiestQueue => "no_busiest_queue",
        Why::AllPinned => "all_pinned",
        Why::NothingMoved => "nothing_moved",
        Why::ActiveBalance => "active_balance",
        Why::Moved => "moved",
    }
}

fn step(step: Step) -> &'static str {
    match step {
        Step::Given => "given",
        Step::Idlest => "idlest",
        Step::Target => "target",
        Step::Prev => "prev",
        Step::PerCpuKthread => "per_cpu_kthread",
        Step::Recent => "recent_used_cpu",
        Step::Scan => "idle_scan",
        Step::Capacity => "capacity",
        Step::Fallback => "fallback",
    }
}
