//! A user's own rules: expressions that take the place of the kernel's at the points that patch threads argue about.

use std::sync::Arc;

use serde_json::Value;
use teeter_scenario::Problem;
use teeter_scenario::expr::{Expr, Trap, Vocabulary};

use crate::sched::Sched;

/// A point at which an expression can take the place of the kernel's rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnPoint {
    /// How many tasks are moved between NUMA nodes, where the local one has spare capacity.
    NumaImbalance,
    /// Whether a group is busier than the busiest so far.
    Busier,
    /// How much is moved, whatever it is counted in.
    Imbalance,
    /// Whether a task fits on a CPU that is not idle, when it wakes.
    Fits,
}

impl OwnPoint {
    /// Every point, by its name among the rules of a scenario, with what its expression gives and the names
    /// it may use.
    pub const ALL: [(Self, &'static str, &'static str, Vocabulary); 4] = [
        (
            Self::NumaImbalance,
            "numa_imbalance",
            "tasks to move between nodes, where the local one has spare capacity",
            MOVES,
        ),
        (
            Self::Busier,
            "busier",
            "not 0: `candidate` is busier than `busiest`",
            GROUPS,
        ),
        (
            Self::Imbalance,
            "imbalance",
            "how much to move, in what the kernel counts there (load, utilization or tasks)",
            MOVES,
        ),
        (
            Self::Fits,
            "fits",
            "not 0: the woken task fits on `cpu` though it is not idle",
            FITS,
        ),
    ];

    /// Its name among the rules of a scenario.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

/// Where the numbers of a group begin among a vocabulary's inputs, each group with the same ones in the
/// same order: `sum_nr_running sum_h_nr_running idle_cpus group_weight group_load group_util group_runnable
/// group_capacity avg_load group_type`.
pub(crate) const GROUP_INPUTS: usize = 10;

const CONSTANTS: &[(&str, i64)] = &[
    ("CPU_IDLE", 0),
    ("CPU_NOT_IDLE", 1),
    ("CPU_NEWLY_IDLE", 2),
    ("group_other", 0),
    ("group_has_spare", 1),
    ("group_fully_busy", 2),
    ("group_misfit_task", 3),
    ("group_smt_balance", 4),
    ("group_asym_packing", 5),
    ("group_imbalanced", 6),
    ("group_overloaded", 7),
];

/// Inputs of an imbalance: six numbers, the local group, the busiest group.
const MOVES: Vocabulary = Vocabulary {
    inputs: &[
        "imbalance",
        "imbalance_pct",
        "idle",
        "domain.span_weight",
        "child.span_weight",
        "domain.imb_numa_nr",
        "local.sum_nr_running",
        "local.sum_h_nr_running",
        "local.idle_cpus",
        "local.group_weight",
        "local.group_load",
        "local.group_util",
        "local.group_runnable",
        "local.group_capacity",
        "local.avg_load",
        "local.group_type",
        "busiest.sum_nr_running",
        "busiest.sum_h_nr_running",
        "busiest.idle_cpus",
        "busiest.group_weight",
        "busiest.group_load",
        "busiest.group_util",
        "busiest.group_runnable",
        "busiest.group_capacity",
        "busiest.avg_load",
        "busiest.group_type",
    ],
    constants: CONSTANTS,
};

/// Inputs of a comparison: two numbers, the candidate, the busiest group so far.
const GROUPS: Vocabulary = Vocabulary {
    inputs: &[
        "imbalance_pct",
        "idle",
        "candidate.sum_nr_running",
        "candidate.sum_h_nr_running",
        "candidate.idle_cpus",
        "candidate.group_weight",
        "candidate.group_load",
        "candidate.group_util",
        "candidate.group_runnable",
        "candidate.group_capacity",
        "candidate.avg_load",
        "candidate.group_type",
        "busiest.sum_nr_running",
        "busiest.sum_h_nr_running",
        "busiest.idle_cpus",
        "busiest.group_weight",
        "busiest.group_load",
        "busiest.group_util",
        "busiest.group_runnable",
        "busiest.group_capacity",
        "busiest.avg_load",
        "busiest.group_type",
    ],
    constants: CONSTANTS,
};

const FITS: Vocabulary = Vocabulary {
    inputs: &[
        "cpu",
        "prev_cpu",
        "task_util",
        "cpu_util",
        "enqueued",
        "capacity",
        "nr_running",
    ],
    constants: &[],
};

/// The user's own rules; empty: the kernel's are in force.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OwnRules {
    /// By [`OwnPoint`].
    exprs: [Option<Arc<Expr>>; OwnPoint::ALL.len()],
}

impl OwnRules {
    /// The expression in force at a point.
    pub fn at(&self, point: OwnPoint) -> Option<&Expr> {
        self.exprs[point as usize].as_deref()
    }

    /// What the expression at a point says, if there is one. `input`: the numbers of its vocabulary.
    pub(crate) fn eval(
        &self,
        point: OwnPoint,
        input: impl Fn(usize) -> Option<i64>,
    ) -> Option<Result<i64, Trap>> {
        Some(self.at(point)?.eval(input))
    }

    /// Puts `{ "expr": … }` in force at the point of that name; anything else at a point takes it away. False:
    /// this is no value of an own rule.
    pub(super) fn set(&mut self, name: &str, value: &Value, path: &str) -> Result<bool, Problem> {
        let Some((point, _, _, names)) = OwnPoint::ALL.iter().find(|(_, known, ..)| *known == name)
        else {
            return Ok(false);
        };
        let place = &mut self.exprs[*point as usize];
        *place = None;
        let Value::Object(members) = value else {
            // The kernels' own rules have names only here.
            if *point == OwnPoint::NumaImbalance {
                return Ok(false);
            }
            let hint = "such as { \"expr\": \"imbalance / 2\" }";
            return Err(Problem::new(path, "takes an expression").with_hint(hint));
        };
        let (1, Some(Value::String(source))) = (members.len(), members.get("expr")) else {
            let message = "takes an object with the one key `expr`, a text";
            return Err(Problem::new(path, message));
        };
        let expr =
            Expr::parse(source, names).map_err(|error| error.problem(format!("{path}/expr")))?;
        *place = Some(Arc::new(expr));
        Ok(true)
    }
}

/// What went wrong with the expression at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnTrap {
    /// Which rule.
    pub point: OwnPoint,
    /// Why it had no result the first time.
    pub first: Trap,
    /// How often it had none; the kernel's rule applied then.
    pub count: u64,
}

/// Expressions that had no result, by point.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OwnTraps([Option<OwnTrap>; OwnPoint::ALL.len()]);

impl OwnTraps {
    /// Those that had none at least once.
    pub(crate) fn iter(&self) -> impl Iterator<Item = OwnTrap> {
        self.0.iter().flatten().copied()
    }
}

impl Sched {
    /// The result of an expression; one without is noted, and the kernel's rule applies.
    pub(crate) fn heed(&mut self, point: OwnPoint, said: Result<i64, Trap>) -> Option<i64> {
        said.inspect_err(|&first| {
            let trap = &mut self.own_traps.0[point as usize];
            let known = trap.map_or(0, |trap| trap.count);
            let first = trap.map_or(first, |trap| trap.first);
            *trap = Some(OwnTrap {
                point,
                first,
                count: known + 1,
            });
        })
        .ok()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn points_stand_in_order_and_groups_where_they_are_looked_for() {
        for (at, (point, name, _, names)) in OwnPoint::ALL.iter().enumerate() {
            assert_eq!((*point as usize, point.name()), (at, *name));
            if let Some(busiest) = names.inputs.iter().position(|n| n.starts_with("busiest.")) {
                assert_eq!(names.inputs.len(), busiest + GROUP_INPUTS, "{name}");
                let fields = names.inputs[busiest - GROUP_INPUTS..].chunks(GROUP_INPUTS);
                let fields: Vec<Vec<&str>> = fields
                    .map(|group| group.iter().filter_map(|n| n.split('.').nth(1)).collect())
                    .collect();
                assert_eq!(fields[0], fields[1], "{name}");
            }
        }
    }

    #[test]
    fn expressions_are_read_or_refused_with_their_place() {
        let mut own = OwnRules::default();
        let mut set = |name, value| own.set(name, &value, "/rules/x");
        assert_eq!(set("detach_load", json!("shift")), Ok(false));
        assert_eq!(set("numa_imbalance", json!("v3")), Ok(false));
        assert_eq!(
            set("imbalance", json!({ "expr": "imbalance / 2" })),
            Ok(true)
        );
        let refused = set("fits", json!({ "expr": "task_utill < 3" })).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "/rules/x/expr: column 1: unknown name `task_utill` (did you mean `task_util`?)"
        );
        assert!(set("busier", json!("yes")).is_err());
        assert!(set("busier", json!({ "exp": "1" })).is_err());
        let seen = own.eval(OwnPoint::Imbalance, |input| (input == 0).then_some(7));
        assert_eq!(seen, Some(Ok(3)));
        assert_eq!(own.eval(OwnPoint::Fits, |_| None), None);
    }
}
