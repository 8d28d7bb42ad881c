//! One line of `trace`, `trace-cmd report` or `perf script` to an event.

use super::event::{Context, Event, What};
use super::{header, payload};
use crate::error::Unreadable;

/// Reads a line. `None` where it tells of no event that is read: comments, other events, call chains.
pub(super) fn read(number: u32, line: &str) -> Option<Result<Event<'_>, Unreadable>> {
    if let Some(cpu) = lost(line) {
        let event = |cpu| Event {
            line: number,
            at: 0,
            cpu,
            current: None,
            comm: "",
            context: Context::Unknown,
            what: What::Lost,
        };
        return Some(cpu.map(event));
    }
    if line.trim_start().starts_with('#') {
        return None;
    }
    let (head, name, payload) = split(line)?;
    Some(header::read(head).and_then(|head| {
        Ok(Event {
            line: number,
            at: head.at,
            cpu: head.cpu,
            current: Some(head.pid),
            comm: head.comm,
            context: head.context,
            what: payload::read(name, payload.trim())?,
        })
    }))
}

/// What stands before the event's name, the name, what stands behind it.
fn split(line: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    while let Some(found) = line[from..].find("sched_") {
        let at = from + found;
        let (head, rest) = line.split_at(at);
        let end = rest.find(|c: char| c != '_' && !c.is_ascii_lowercase());
        let (name, behind) = rest.split_at(end.unwrap_or(rest.len()));
        // perf puts the system before it: `sched:sched_switch:`.
        let head = head.strip_suffix("sched:").unwrap_or(head);
        let known = payload::NAMES.contains(&name) && head.trim_end().ends_with(':');
        if let Some(payload) = behind.strip_prefix(':').filter(|_| known) {
            return Some((head, name, payload));
        }
        from = at + "sched_".len();
    }
    None
}

/// `CPU:3 [LOST 12 EVENTS]`, as tracefs and trace-cmd say it, or `CPU:3 [EVENTS DROPPED]`.
fn lost(line: &str) -> Option<Result<u32, Unreadable>> {
    let (cpu, what) = line.trim().strip_prefix("CPU:")?.split_once(' ')?;
    let is_lost = what.starts_with("[LOST ") || what.starts_with("[EVENTS DROPPED");
    is_lost.then(|| super::number::cpu(cpu))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_of_each_tool_are_found() {
        for line in [
            "             orc-150     [000] d..2.    73.945460: sched_wakeup_new: comm=orc pid=151 prio=120 target_cpu=000",
            "             orc-150     [000]    73.945460: sched_wakeup_new:     orc:151 [120] CPU:000",
            "orc   150 [000]    73.945460: sched:sched_wakeup_new: comm=orc pid=151 prio=120 target_cpu=000",
            "             orc  150 [000]    73.945460:     sched:sched_wakeup_new: orc:151 [120] success=1 CPU:000",
        ] {
            let event = read(4, line).unwrap().unwrap();
            assert_eq!((event.line, event.at, event.cpu), (4, 73_945_460_000, 0));
            assert_eq!((event.comm, event.current), ("orc", Some(150)));
            let What::WakeupNew { task, cpu } = event.what else {
                panic!("{line}")
            };
            assert_eq!((task.comm, task.pid, cpu), ("orc", 151, 0), "{line}");
        }
    }

    #[test]
    fn other_lines_are_passed_over() {
        for line in [
            "",
            "# tracer: nop",
            "cpus=8",
            "bash-1 [000] d..2. 1.0: irq_handler_entry: irq=1 name=sched_switch",
            "bash-1 [000] d..2. 1.0: sched_stat_runtime: comm=a pid=1 runtime=3 [ns]",
            "        ffffffff81 __schedule+0x12 ([kernel.kallsyms])",
            "the function sched_switch: is not traced",
        ] {
            assert!(read(1, line).is_none(), "{line}");
        }
    }

    #[test]
    fn a_name_like_an_event_is_no_event() {
        let line = "sched_switch-7 [000] d..2. 1.0: sched_waking: comm=sched_switch pid=9 prio=120 target_cpu=001";
        let event = read(1, line).unwrap().unwrap();
        assert_eq!((event.comm, event.current), ("sched_switch", Some(7)));
        assert!(matches!(event.what, What::Waking { task, cpu: 1 } if task.pid == 9));
    }

    #[test]
    fn lost_events_are_told() {
        let cpu = |line| read(1, line).unwrap().map(|event| event.cpu);
        assert_eq!(cpu("CPU:3 [LOST 12 EVENTS]"), Ok(3));
        assert_eq!(cpu("CPU:11 [EVENTS DROPPED]"), Ok(11));
        assert!(cpu("CPU:x [LOST 12 EVENTS]").is_err());
    }
}
