//! The arithmetic of a decision with its numbers. A formula is told only where it gives the number on record.

use crate::protocol::decisions::Told;

/// Lines such as `imbalance = (busiest.sum_nr_running 34 − local.sum_nr_running 7) / 2 = 13`.
pub fn formula(told: &Told) -> Vec<String> {
    match told.kind.as_str() {
        "balance" => balance(told),
        _ => Vec::new(),
    }
}

fn balance(told: &Told) -> Vec<String> {
    let number = |name: &str| told.number(name);
    let mut lines = Vec::new();
    if let (Some(busiest), Some(local), Some(pct)) = (
        number("busiest.avg_load"),
        number("local.avg_load"),
        number("imbalance_pct"),
    ) && busiest > 0
        && local > 0
    {
        let (left, right) = (100 * busiest, pct * local);
        let sign = if left > right { ">" } else { "≤" };
        lines.push(format!(
            "100 × busiest.avg_load {busiest} = {left} {sign} imbalance_pct {pct} × local.avg_load {local} = {right}"
        ));
    }
    if let Some(before) = number("imbalance_before").or(number("imbalance")) {
        lines.extend(tasks_to_move(told, before));
        if let Some(after) = number("imbalance").filter(|after| *after != before) {
            lines.push(format!(
                "imbalance {before} → {after} by the rule for NUMA nodes: src_running {}, local.sum_nr_running {}",
                text(number("busiest.sum_nr_running")),
                text(number("local.sum_nr_running")),
            ));
        }
    }
    lines
}

/// How many tasks to move, by `calculate_imbalance` where a group has spare CPUs.
fn tasks_to_move(told: &Told, imbalance: i64) -> Option<String> {
    if told.text("migration").as_deref() != Some("migrate_task") {
        return None;
    }
    let halved = |left: &str, right: &str| {
        let (a, b) = (told.number(left)?, told.number(right)?);
        ((a - b).max(0) / 2 == imbalance)
            .then(|| format!("imbalance = ({left} {a} − {right} {b}) / 2 = {imbalance}"))
    };
    halved("busiest.sum_nr_running", "local.sum_nr_running")
        .or_else(|| halved("local.idle_cpus", "busiest.idle_cpus"))
}

fn text(number: Option<i64>) -> String {
    number.map_or_else(|| "?".to_owned(), |number| number.to_string())
}

/// Where in the kernel a decision is made: `, in load_balance() of domain NUMA`.
pub fn place(told: &Told) -> String {
    let domain = told.text("domain.name");
    let of = domain.map_or_else(String::new, |name| format!(" of domain {name}"));
    match told.kind.as_str() {
        "balance" => format!(", in load_balance(){of}"),
        "wake_affine" => ", in wake_affine()".to_owned(),
        "find_idlest_group" => format!(", in find_idlest_group(){of}"),
        "numa" => ", in task_numa_migrate()".to_owned(),
        "wakeup" | "fork" | "exec" => ", in select_task_rq_fair()".to_owned(),
        _ => String::new(),
    }
}

/// Why a task that a pass looked at was moved or not.
pub fn verdict(name: &str) -> &str {
    match name {
        "moved" => "moved",
        "throttled" => "not moved: its group has used up cpu.max",
        "affinity" => "not moved: it may not run on this CPU",
        "running" => "not moved: it runs right now",
        "hot" => "not moved: its cache is warm, or its memory near, where it is",
        "too_heavy" => "not moved: it is heavier than what is to be moved",
        "per_cpu_kthread" => "not moved: it is a kernel thread of its CPU",
        "delayed" => "not moved: it sleeps, and is queued only for the time it owes",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::decisions::Word;

    fn pass(fields: &[(&str, f64)]) -> Told {
        let numbers = fields
            .iter()
            .map(|(name, n)| ((*name).to_owned(), Word::Number(*n)));
        let unit = (
            "migration".to_owned(),
            Word::Name("migrate_task".to_owned()),
        );
        Told {
            kind: "balance".to_owned(),
            fields: numbers.chain([unit]).collect(),
            ..Told::default()
        }
    }

    #[test]
    fn the_formula_that_gives_the_number_is_told() {
        let lines = formula(&pass(&[
            ("busiest.sum_nr_running", 34.0),
            ("local.sum_nr_running", 7.0),
            ("imbalance", 13.0),
        ]));
        assert_eq!(
            lines,
            ["imbalance = (busiest.sum_nr_running 34 − local.sum_nr_running 7) / 2 = 13"]
        );
        let lines = formula(&pass(&[
            ("busiest.sum_nr_running", 34.0),
            ("local.sum_nr_running", 7.0),
            ("imbalance", 99.0),
        ]));
        assert!(lines.is_empty(), "no formula rather than a wrong one");
    }

    #[test]
    fn loads_are_compared_as_the_kernel_compares_them() {
        let lines = formula(&pass(&[
            ("busiest.avg_load", 1100.0),
            ("local.avg_load", 1000.0),
            ("imbalance_pct", 117.0),
            ("imbalance_before", 2.0),
            ("imbalance", 0.0),
            ("local.sum_nr_running", 3.0),
            ("local.idle_cpus", 9.0),
            ("busiest.idle_cpus", 4.0),
        ]));
        assert_eq!(
            lines[0],
            "100 × busiest.avg_load 1100 = 110000 ≤ imbalance_pct 117 × local.avg_load 1000 = 117000"
        );
        assert!(lines[1].ends_with("(local.idle_cpus 9 − busiest.idle_cpus 4) / 2 = 2"));
        assert!(lines[2].starts_with("imbalance 2 → 0 by the rule for NUMA nodes"));
    }
}
