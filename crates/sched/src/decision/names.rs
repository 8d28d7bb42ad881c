//! The numbers of a decision by name.

use teeter_machine::CpuId;
use teeter_scenario::expr::Vocabulary;

use super::{About, Balance, Decision, Event, NumaMigrate, Placement, Step, Why};
use crate::balance::Migration;
use crate::balance::group::{GroupStats, GroupType, IdleType};
use crate::ids::TaskId;

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
        const FIELDS: &[fn(&Decision) -> Option<Value>] = &[$($get),*];
    };
}

fields! {
    "t_ns": |d| Some(number(d.at.0)),
    "cpu": |d| Some(number(d.cpu.0)),
    "kind": |d| Some(Value::Name(d.kind())),
    // Of a placement, or of an attempt to bring a task to its preferred node.
    "task": |d| placement(d).map(|p| p.task).or_else(|| Some(numa(d)?.task)).map(Value::Task),
    "prev_cpu": |d| placement(d).map(|p| number(p.prev_cpu.0)),
    "sync": |d| Some(number(u8::from(placement(d)?.sync))),
    "target_cpu": |d| Some(number(placement(d)?.target_cpu?.0)),
    "step": |d| Some(Value::Name(step(placement(d)?.step))),
    "chosen_cpu": |d| placement(d).map(|p| number(p.chosen_cpu.0)),
    // Of such an attempt.
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
    "domain.name": |d| Some(Value::Name(balance(d)?.domain)),
    "domain.level": |d| Some(number(balance(d)?.level)),
    "domain.span_weight": |d| Some(number(balance(d)?.span_weight)),
    "imbalance_pct": |d| Some(number(balance(d)?.imbalance_pct)),
    "idle": |d| Some(Value::Name(idle(balance(d)?.idle))),
    "dst_cpu": |d| Some(number(balance(d)?.dst_cpu.0)),
    "why": |d| balance(d).map(|b| why(b.why)).or_else(|| numa(d).map(outcome)).map(Value::Name),
    "migration": |d| Some(Value::Name(counted(balance(d)?.seen.migration?))),
    "imbalance_before": |d| balance(d)?.seen.imbalance_before.map(Value::Number),
    "imbalance": |d| balance(d)?.seen.imbalance.map(Value::Number),
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
    "local.avg_load": |d| Some(number(local(d)?.avg_load)),
    "local.group_type": |d| Some(Value::Name(local(d)?.group_type.name())),
    // Most tasks of any group but the local one: more than the busiest has means that it is not by tasks.
    "max.sum_nr_running": |d| busiest(d).and(Some(number(balance(d)?.seen.max_nr_running))),
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

impl Decision {
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
    pub fn candidates(&self) -> &[(TaskId, super::Verdict)] {
        balance(self).map_or(&[], |balance| &balance.candidates)
    }

    /// What it was about: `balance`, `wakeup`, `fork`, `exec` or `numa`.
    pub fn kind(&self) -> &'static str {
        match &self.about {
            About::Balance(_) => "balance",
            About::Placement(placement) => match placement.event {
                Event::Wakeup => "wakeup",
                Event::Fork => "fork",
                Event::Exec => "exec",
            },
            About::Numa(_) => "numa",
        }
    }
}

/// A number; those beyond an `i64` are cut to its largest.
fn number(n: impl TryInto<i64>) -> Value {
    Value::Number(n.try_into().unwrap_or(i64::MAX))
}

fn placement(decision: &Decision) -> Option<&Placement> {
    match &decision.about {
        About::Placement(placement) => Some(placement),
        About::Balance(_) | About::Numa(_) => None,
    }
}

fn balance(decision: &Decision) -> Option<&Balance> {
    match &decision.about {
        About::Balance(balance) => Some(balance),
        About::Placement(_) | About::Numa(_) => None,
    }
}

fn numa(decision: &Decision) -> Option<&NumaMigrate> {
    match &decision.about {
        About::Numa(attempt) => Some(attempt),
        About::Balance(_) | About::Placement(_) => None,
    }
}

/// The CPU that tasks are taken from.
fn src_cpu(decision: &Decision) -> Option<CpuId> {
    match &decision.about {
        About::Balance(balance) => balance.src_cpu,
        About::Numa(attempt) => Some(attempt.src_cpu),
        About::Placement(_) => None,
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

fn local(decision: &Decision) -> Option<&GroupStats> {
    balance(decision)?.seen.local.as_ref()
}

fn busiest(decision: &Decision) -> Option<&GroupStats> {
    balance(decision)?.seen.busiest.as_ref()
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
