//! A decision in a sentence, with the numbers it was made by. Pure.

mod formula;

pub use formula::{formula, place, verdict};

use crate::protocol::decisions::Told;

/// What was decided, and why, as a reviewer might write it.
pub fn sentence(told: &Told) -> String {
    match told.kind.as_str() {
        "balance" => balance(told),
        "wake_affine" => affine(told),
        "find_idlest_group" => idlest(told),
        "numa" => numa(told),
        _ => placement(told),
    }
}

fn text(told: &Told, name: &str) -> String {
    told.text(name).unwrap_or_else(|| "?".to_owned())
}

fn balance(told: &Told) -> String {
    let when = match told.text("idle").as_deref() {
        Some("CPU_NEWLY_IDLE") => "about to idle",
        Some("CPU_IDLE") => "idle",
        _ => "busy",
    };
    let domain = format!(
        "{} ({} CPUs)",
        text(told, "domain.name"),
        text(told, "domain.span_weight")
    );
    let group = |which: &str| {
        let running = told.number(&format!("{which}.sum_nr_running"))?;
        let weight = text(told, &format!("{which}.group_weight"));
        let kind = text(told, &format!("{which}.group_type"));
        let load = text(told, &format!("{which}.avg_load"));
        Some(format!(
            "runs {running} on {weight} CPUs, {kind}, avg_load {load}"
        ))
    };
    let seen = match (group("busiest"), group("local")) {
        (Some(busiest), Some(local)) => {
            format!(" The busiest group {busiest}; the local one {local}.")
        }
        (Some(busiest), None) => format!(" The busiest group {busiest}."),
        (None, Some(local)) => format!(" The local group {local}."),
        (None, None) => String::new(),
    };
    let imbalance = match (told.number("imbalance_before"), told.number("imbalance")) {
        (Some(before), Some(after)) if before != after => {
            format!(" imbalance {before}, and {after} after the rule for NUMA nodes.")
        }
        (_, Some(after)) => match told.text("migration") {
            Some(unit) => format!(" imbalance {after} ({unit})."),
            None => format!(" imbalance {after}."),
        },
        _ => String::new(),
    };
    let outcome = match text(told, "why").as_str() {
        "refused" => "left it to another CPU of its group".to_owned(),
        "no_busiest_group" => "found no group that is busier".to_owned(),
        "balanced" => "found the busiest group not busy enough".to_owned(),
        "numa_imbalance_allowed" => {
            "let the difference be: the rule for NUMA nodes allows it".to_owned()
        }
        "no_busiest_queue" => "found no CPU that has something to give".to_owned(),
        "all_pinned" => "found no task that may run here".to_owned(),
        "nothing_moved" => "looked at tasks and took none".to_owned(),
        "active_balance" => format!(
            "asked CPU {} to push the task it runs",
            text(told, "src_cpu")
        ),
        "moved" => format!(
            "pulled {} from CPU {}",
            match told.number("nr_moved") {
                Some(1) => "1 task".to_owned(),
                other => format!("{} tasks", other.unwrap_or(0)),
            },
            text(told, "src_cpu")
        ),
        other => other.to_owned(),
    };
    format!(
        "CPU {}, {when}, balanced {domain} and {outcome}.{seen}{imbalance}",
        told.cpu
    )
}

fn placement(told: &Told) -> String {
    let verb = match told.kind.as_str() {
        "fork" => "begins",
        "exec" => "calls exec()",
        _ => "wakes",
    };
    let why = match told.text("step").as_deref() {
        Some("given") => "it may run nowhere else, or was placed there",
        Some("idlest") => "the idlest CPU of the idlest group",
        Some("target") => "the target idles, or the task fits there",
        Some("prev") => "its previous CPU idles",
        Some("per_cpu_kthread") => "a kernel thread of that CPU woke it",
        Some("recent_used_cpu") => "the CPU it used before idles",
        Some("idle_scan") => "the search of the cache found it idle",
        Some("capacity") => "it has the capacity that the task needs",
        Some("fallback") => "nothing idles",
        _ => "",
    };
    let target = told
        .text("target_cpu")
        .map(|cpu| format!(", to be looked for near CPU {cpu}"))
        .unwrap_or_default();
    format!(
        "{} {verb} after CPU {}{target}; it goes to CPU {}: {why}.",
        text(told, "task"),
        text(told, "prev_cpu"),
        text(told, "chosen_cpu")
    )
}

fn affine(told: &Told) -> String {
    let weighed = match (told.number("this_load"), told.number("prev_load")) {
        (Some(here), Some(there)) => format!(
            " this_load {here} against prev_load {there}, the task's own {}, imbalance_pct {}.",
            text(told, "task_h_load"),
            text(told, "imbalance_pct")
        ),
        _ => String::new(),
    };
    format!(
        "wake_affine, CPU {} or CPU {} for {}: CPU {}.{weighed}",
        told.cpu,
        text(told, "prev_cpu"),
        text(told, "task"),
        text(told, "chosen_cpu")
    )
}

fn idlest(told: &Told) -> String {
    let stays = told.number("stays") == Some(1);
    let numbers = |which: &str| {
        let idle = told.text(&format!("{which}.idle_cpus"));
        let load = told.text(&format!("{which}.avg_load"));
        let idle = idle.map(|idle| format!("{idle} idle CPUs"));
        let load = load.map(|load| format!("avg_load {load}"));
        idle.into_iter().chain(load).collect::<Vec<_>>().join(", ")
    };
    format!(
        "find_idlest_group of {} for {}: {}. The local group: {}; the idlest other one: {}.",
        text(told, "domain.name"),
        text(told, "task"),
        if stays {
            "it stays in the local group"
        } else {
            "it goes to the other group"
        },
        numbers("local"),
        numbers("idlest")
    )
}

fn numa(told: &Told) -> String {
    let outcome = match text(told, "why").as_str() {
        "moved" => format!("moves to CPU {}", text(told, "best_cpu")),
        "swapped" => format!(
            "changes places with {} on CPU {}",
            text(told, "best_task"),
            text(told, "best_cpu")
        ),
        _ => "finds no better CPU".to_owned(),
    };
    format!(
        "NUMA balancing, node {} to {}: {} {outcome}. It gains {} there, its group {} (thousandths of faults); {} tasks run here, {} there.",
        text(told, "src_nid"),
        text(told, "dst_nid"),
        text(told, "task"),
        text(told, "taskimp"),
        text(told, "groupimp"),
        text(told, "src.nr_running"),
        text(told, "dst.nr_running")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::decisions::Word;

    fn told(kind: &str, fields: &[(&str, Word)]) -> Told {
        Told {
            cpu: 23,
            kind: kind.to_owned(),
            fields: fields
                .iter()
                .map(|(name, word)| ((*name).to_owned(), word.clone()))
                .collect(),
            ..Told::default()
        }
    }

    fn name(text: &str) -> Word {
        Word::Name(text.to_owned())
    }

    #[test]
    fn a_pass_is_told_with_its_groups() {
        let pass = told(
            "balance",
            &[
                ("domain.name", name("NUMA")),
                ("domain.span_weight", Word::Number(80.0)),
                ("idle", name("CPU_NEWLY_IDLE")),
                ("why", name("numa_imbalance_allowed")),
                ("imbalance_before", Word::Number(2.0)),
                ("imbalance", Word::Number(0.0)),
                ("busiest.sum_nr_running", Word::Number(34.0)),
                ("busiest.group_weight", Word::Number(20.0)),
                ("busiest.group_type", name("group_overloaded")),
                ("busiest.avg_load", Word::Number(22.0)),
            ],
        );
        assert_eq!(
            sentence(&pass),
            "CPU 23, about to idle, balanced NUMA (80 CPUs) and let the difference be: the rule for NUMA nodes \
             allows it. The busiest group runs 34 on 20 CPUs, group_overloaded, avg_load 22. imbalance 2, and 0 \
             after the rule for NUMA nodes."
        );
    }

    #[test]
    fn a_placement_is_told_with_its_step() {
        let task = Word::Task("lu.3".to_owned());
        let wakeup = told(
            "wakeup",
            &[
                ("task", task),
                ("prev_cpu", Word::Number(4.0)),
                ("step", name("idle_scan")),
                ("chosen_cpu", Word::Number(9.0)),
            ],
        );
        assert_eq!(
            sentence(&wakeup),
            "lu.3 wakes after CPU 4; it goes to CPU 9: the search of the cache found it idle."
        );
    }
}
