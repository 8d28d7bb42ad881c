//! What stands behind the name of an event, in either spelling: the kernel's `prev_comm=… prev_pid=…`, or
//! that of the plugins of libtraceevent, `comm:pid [prio] S ==> comm:pid [prio]`.
//!
//! Names of tasks may hold anything: spaces, colons, brackets, equals signs. They are found from what
//! follows them.

use super::event::{Named, State, What};
use crate::error::Unreadable;

/// The events that are read, as they are named in a line.
pub(super) const NAMES: [&str; 7] = [
    "sched_switch",
    "sched_waking",
    "sched_wakeup",
    "sched_wakeup_new",
    "sched_migrate_task",
    "sched_process_fork",
    "sched_process_exit",
];

type Read<T> = Result<T, Unreadable>;

/// Reads the payload of the event called `name`, one of [`NAMES`].
pub(super) fn read<'a>(name: &str, payload: &'a str) -> Read<What<'a>> {
    match name {
        "sched_switch" => switch(payload),
        "sched_migrate_task" => migrate(payload),
        "sched_process_fork" => fork(payload),
        "sched_process_exit" => Ok(What::Exit {
            task: keyed("", payload)?.0,
        }),
        _ => {
            let (task, cpu) = woken(payload)?;
            Ok(match name {
                "sched_waking" => What::Waking { task, cpu },
                "sched_wakeup" => What::Wakeup { task, cpu },
                _ => What::WakeupNew { task, cpu },
            })
        }
    }
}

fn switch(payload: &str) -> Read<What<'_>> {
    if payload.starts_with("prev_comm=") {
        let (prev, next) = payload
            .split_once(" ==> next_comm=")
            .or_else(|| payload.split_once(" next_comm="))
            .ok_or(Unreadable::Missing("==> next_comm="))?;
        let (task, rest) = keyed("prev_", prev)?;
        let state = after(rest, "prev_state=").ok_or(Unreadable::Missing("prev_state="))?;
        let next = named(next, "next_")?.0;
        return Ok(What::Switch {
            prev: task,
            state: state_of(word(state))?,
            next,
        });
    }
    let (prev, next) = payload
        .split_once(" ==> ")
        .ok_or(Unreadable::Missing("==>"))?;
    let (task, state) = plugin(prev)?;
    Ok(What::Switch {
        prev: task,
        state: state_of(word(state))?,
        next: plugin(next)?.0,
    })
}

/// `comm=… pid=… prio=… [success=…] target_cpu=…` or `comm:pid [prio] [success=…] CPU:…`.
fn woken(payload: &str) -> Read<(Named<'_>, u32)> {
    let (task, rest) = if payload.starts_with("comm=") {
        keyed("", payload)?
    } else {
        plugin(payload)?
    };
    let cpu = after(rest, "target_cpu=").or_else(|| after(rest, "CPU:"));
    let cpu = cpu.ok_or(Unreadable::Missing("target_cpu="))?;
    Ok((task, super::number::cpu(word(cpu))?))
}

fn migrate(payload: &str) -> Read<What<'_>> {
    let (task, rest) = keyed("", payload)?;
    let cpu = |key: &'static str| {
        let text = after(rest, key).ok_or(Unreadable::Missing(key))?;
        super::number::cpu(word(text))
    };
    Ok(What::Migrate {
        task,
        from: cpu("orig_cpu=")?,
        to: cpu("dest_cpu=")?,
    })
}

fn fork(payload: &str) -> Read<What<'_>> {
    let (parent, child) = payload
        .split_once(" child_comm=")
        .ok_or(Unreadable::Missing("child_comm="))?;
    Ok(What::Fork {
        parent: keyed("", parent)?.0,
        child: named(child, "child_")?.0,
    })
}

/// A task told of by `comm=`, `pid=` and perhaps `prio=` with this before each, and what follows.
fn keyed<'a>(before: &'static str, text: &'a str) -> Read<(Named<'a>, &'a str)> {
    let text = text
        .strip_prefix(before)
        .and_then(|text| text.strip_prefix("comm="))
        .ok_or(Unreadable::Missing("comm="))?;
    named(text, before)
}

/// The same, from behind `comm=` on.
fn named<'a>(text: &'a str, before: &'static str) -> Read<(Named<'a>, &'a str)> {
    let key = match before {
        "prev_" => " prev_pid=",
        "next_" => " next_pid=",
        "child_" => " child_pid=",
        _ => " pid=",
    };
    let (comm, rest) = text.rsplit_once(key).ok_or(Unreadable::Missing(key))?;
    let pid = super::number::pid(word(rest))?;
    let prio = after(rest, "prio=").map(|text| super::number::prio(word(text)));
    let prio = prio.transpose()?;
    Ok((Named { comm, pid, prio }, rest))
}

/// `comm:pid [prio]`, and what follows.
fn plugin(text: &str) -> Read<(Named<'_>, &str)> {
    let missing = || Unreadable::Missing("[prio]");
    let (task, rest) = text.rsplit_once(" [").ok_or_else(missing)?;
    let (prio, rest) = rest.split_once(']').ok_or_else(missing)?;
    let (comm, pid) = task
        .rsplit_once(':')
        .ok_or(Unreadable::Missing("comm:pid"))?;
    let named = Named {
        comm,
        pid: super::number::pid(pid)?,
        prio: Some(super::number::prio(prio.trim())?),
    };
    Ok((named, rest))
}

/// What follows a key.
fn after<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.split_once(key).map(|(_, rest)| rest)
}

/// Up to the next space.
fn word(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default()
}

/// The letters of a state, or its bits where a tool prints these (`-R`).
fn state_of(text: &str) -> Read<State> {
    let unknown = || Unreadable::State(text.chars().take(16).collect());
    let dead = |letter: char| matches!(letter, 'X' | 'x' | 'Z');
    if text.starts_with('R') {
        return Ok(State::Runnable);
    }
    if text.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
        let ended = text.contains(dead);
        return Ok(if ended { State::Dead } else { State::Asleep });
    }
    let bits = match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => text.parse(),
    };
    // TASK_REPORT is 0x7f; EXIT_DEAD 0x10 and EXIT_ZOMBIE 0x20. Above are marks such as "preempted".
    match bits.map_err(|_not_a_number| unknown())? & 0x7f {
        0 => Ok(State::Runnable),
        bits if bits & 0x30 != 0 => Ok(State::Dead),
        _ => Ok(State::Asleep),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(comm: &str, pid: u32, prio: i32) -> Named<'_> {
        let prio = Some(prio);
        Named { comm, pid, prio }
    }

    #[test]
    fn both_spellings_of_a_switch_say_the_same() {
        let kernel = "prev_comm=Web Content prev_pid=7 prev_prio=120 prev_state=R+ ==> next_comm=a=b:c [x] next_pid=9 next_prio=100";
        let plugin = "Web Content:7 [120] R+ ==> a=b:c [x]:9 [100]";
        for payload in [kernel, plugin] {
            let What::Switch { prev, state, next } = read("sched_switch", payload).unwrap() else {
                panic!("not a switch")
            };
            assert_eq!(prev, task("Web Content", 7, 120));
            assert_eq!((state, next), (State::Runnable, task("a=b:c [x]", 9, 100)));
        }
    }

    #[test]
    fn wakeups_name_the_cpu() {
        for payload in [
            "comm=foo bar pid=12 prio=120 target_cpu=003",
            "comm=foo bar pid=12 prio=120 success=1 target_cpu=003",
            "foo bar:12 [120] success=1 CPU:003",
            "foo bar:12 [120] CPU:003",
        ] {
            let (task, cpu) = (task("foo bar", 12, 120), 3);
            assert_eq!(
                read("sched_waking", payload).unwrap(),
                What::Waking { task, cpu }
            );
            assert_eq!(
                read("sched_wakeup_new", payload).unwrap(),
                What::WakeupNew { task, cpu }
            );
        }
    }

    #[test]
    fn migrations_forks_and_exits() {
        assert_eq!(
            read(
                "sched_migrate_task",
                "comm=x pid=16 prio=120 orig_cpu=3 dest_cpu=12"
            )
            .unwrap(),
            What::Migrate {
                task: task("x", 16, 120),
                from: 3,
                to: 12
            }
        );
        let plain = |comm, pid| Named {
            comm,
            pid,
            prio: None,
        };
        assert_eq!(
            read(
                "sched_process_fork",
                "comm=sh pid=1 child_comm=sh -c child_pid=2"
            )
            .unwrap(),
            What::Fork {
                parent: plain("sh", 1),
                child: plain("sh -c", 2)
            }
        );
        assert_eq!(
            read(
                "sched_process_exit",
                "comm=x y pid=5 prio=139 group_dead=true"
            )
            .unwrap(),
            What::Exit {
                task: task("x y", 5, 139)
            }
        );
    }

    #[test]
    fn states_by_letter_and_by_bit() {
        for (text, state) in [
            ("R", State::Runnable),
            ("R+", State::Runnable),
            ("0x100", State::Runnable),
            ("0", State::Runnable),
            ("D|K", State::Asleep),
            ("I", State::Asleep),
            ("1", State::Asleep),
            ("X", State::Dead),
            ("32", State::Dead),
        ] {
            assert_eq!(state_of(text).unwrap(), state, "{text}");
        }
        assert!(state_of("?").is_err());
        assert!(state_of("").is_err());
    }

    #[test]
    fn what_is_missing_is_named() {
        let message = |payload| read("sched_switch", payload).unwrap_err().to_string();
        assert_eq!(message("prev_comm=a"), "`==> next_comm=` is missing");
        assert_eq!(
            message("prev_comm=a prev_pid=x prev_prio=1 prev_state=S ==> next_comm=b next_pid=1"),
            "`x` is not a number of a task"
        );
        assert_eq!(message(""), "`==>` is missing");
    }
}
