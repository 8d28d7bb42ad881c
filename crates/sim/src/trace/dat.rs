//! `trace.dat`, the file of trace-cmd, version 6 (trace-cmd.dat(5) of trace-cmd 3.1): read by `trace-cmd report` and by
//! KernelShark.
//!
//! Events lie in pages, CPU by CPU, as the kernel's ring buffer has them (kernel/trace/ring_buffer.c, v6.1): a page
//! begins with a time and the length of what is used of it; an event is a word with its length and the time since the
//! event before, then its fields. Since those of one CPU lie together, all are kept until the end.

use std::io::{self, Seek, Write};

use super::event::{Context, Left, TraceEvent, What};
use super::face::Face;
use crate::Simulation;

const PAGE: usize = 4096;
/// Time and length before the events of a page.
const PAGE_HEADER: usize = 16;
/// The time since the event before has 27 bits; a longer one needs a word of its own kind before the event.
const DELTA_BITS: u32 = 27;
const TIME_EXTEND: u32 = 30;

/// The layout of a page, and of an event's first word, as tracefs prints them in `events/header_page` and
/// `events/header_event`.
const HEADER_PAGE: &str = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\
                           \tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n\
                           \tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n\
                           \tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";
const HEADER_EVENT: &str = "# compressed entry header\n\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n\
                            \tarray       :   32 bits\n\n\tpadding     : type == 29\n\ttime_extend : type == 30\n\
                            \ttime_stamp : type == 31\n\tdata max type_len  == 28\n";

/// A field of an event: its declaration, its size, and whether it is signed.
type Field = (&'static str, usize, bool);

/// Fields that every event begins with.
const COMMON: [Field; 4] = [
    ("unsigned short common_type", 2, false),
    ("unsigned char common_flags", 1, false),
    ("unsigned char common_preempt_count", 1, false),
    ("int common_pid", 4, true),
];

const COMM: Field = ("char comm[16]", 16, false);
const PID: Field = ("pid_t pid", 4, true);
const PRIO: Field = ("int prio", 4, true);
const TARGET: Field = ("int target_cpu", 4, true);

/// An event's name, its fields behind the common ones, and how it is printed.
struct Format {
    name: &'static str,
    fields: &'static [Field],
    print: &'static str,
}

const WOKEN: &[Field] = &[COMM, PID, PRIO, TARGET];
const PRINT_WOKEN: &str =
    r#""comm=%s pid=%d prio=%d target_cpu=%03d", REC->comm, REC->pid, REC->prio, REC->target_cpu"#;

/// The events, by number from [`FIRST_ID`] on (include/trace/events/sched.h).
const FORMATS: [Format; 7] = [
    Format {
        name: "sched_switch",
        fields: &[
            ("char prev_comm[16]", 16, false),
            ("pid_t prev_pid", 4, true),
            ("int prev_prio", 4, true),
            ("long prev_state", 8, true),
            ("char next_comm[16]", 16, false),
            ("pid_t next_pid", 4, true),
            ("int next_prio", 4, true),
        ],
        print: r#""prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%ld ==> next_comm=%s next_pid=%d next_prio=%d", REC->prev_comm, REC->prev_pid, REC->prev_prio, REC->prev_state, REC->next_comm, REC->next_pid, REC->next_prio"#,
    },
    Format {
        name: "sched_waking",
        fields: WOKEN,
        print: PRINT_WOKEN,
    },
    Format {
        name: "sched_wakeup",
        fields: WOKEN,
        print: PRINT_WOKEN,
    },
    Format {
        name: "sched_wakeup_new",
        fields: WOKEN,
        print: PRINT_WOKEN,
    },
    Format {
        name: "sched_process_fork",
        fields: &[
            ("char parent_comm[16]", 16, false),
            ("pid_t parent_pid", 4, true),
            ("char child_comm[16]", 16, false),
            ("pid_t child_pid", 4, true),
        ],
        print: r#""comm=%s pid=%d child_comm=%s child_pid=%d", REC->parent_comm, REC->parent_pid, REC->child_comm, REC->child_pid"#,
    },
    Format {
        name: "sched_process_exit",
        fields: &[COMM, PID, PRIO],
        print: r#""comm=%s pid=%d prio=%d", REC->comm, REC->pid, REC->prio"#,
    },
    Format {
        name: "sched_migrate_task",
        fields: &[
            COMM,
            PID,
            PRIO,
            ("int orig_cpu", 4, true),
            ("int dest_cpu", 4, true),
        ],
        print: r#""comm=%s pid=%d prio=%d orig_cpu=%d dest_cpu=%d", REC->comm, REC->pid, REC->prio, REC->orig_cpu, REC->dest_cpu"#,
    },
];

/// The number of the first event; those of a kernel differ from build to build.
const FIRST_ID: u16 = 300;

/// What one CPU has recorded.
#[derive(Clone, Debug, Default)]
struct Buffer {
    /// Whole pages, and the one at hand.
    pages: Vec<u8>,
    /// Bytes used of the page at hand.
    used: usize,
    /// Time of the last event.
    last: u64,
}

/// The buffers of all CPUs.
#[derive(Clone, Debug)]
pub(super) struct Dat {
    cpus: Vec<Buffer>,
}

impl Dat {
    pub(super) fn new(cpus: usize) -> Self {
        Self {
            cpus: vec![Buffer::default(); cpus],
        }
    }

    /// Puts an event into the buffer of its CPU.
    pub(super) fn event(&mut self, simulation: &Simulation, event: &TraceEvent) {
        let data = record(simulation, event);
        if let Some(buffer) = self.cpus.get_mut(event.cpu.index()) {
            buffer.put(event.at.0, &data);
        }
    }

    /// Writes the file.
    pub(super) fn end<W: Write + Seek>(
        &mut self,
        out: &mut W,
        simulation: &Simulation,
    ) -> io::Result<()> {
        out.write_all(b"\x17\x08\x44tracing6\0")?;
        // Little-endian, words of 8 bytes.
        out.write_all(&[0, 8])?;
        out.write_all(&(PAGE as u32).to_le_bytes())?;
        for (name, text) in [("header_page", HEADER_PAGE), ("header_event", HEADER_EVENT)] {
            write!(out, "{name}\0")?;
            sized(out, text)?;
        }
        // No formats of ftrace's own events; one system.
        out.write_all(&0u32.to_le_bytes())?;
        out.write_all(&1u32.to_le_bytes())?;
        out.write_all(b"sched\0")?;
        out.write_all(&(FORMATS.len() as u32).to_le_bytes())?;
        for (id, format) in (FIRST_ID..).zip(&FORMATS) {
            sized(out, &format.text(id))?;
        }
        // Neither addresses of functions nor formats of printk.
        out.write_all(&0u32.to_le_bytes())?;
        out.write_all(&0u32.to_le_bytes())?;
        let mut names = String::new();
        for task in 0..simulation.threads().threads.len() as u32 {
            let Face { comm, pid, .. } = Face::of(simulation, task);
            names.extend([pid.to_string().as_str(), " ", &comm, "\n"]);
        }
        sized(out, &names)?;
        out.write_all(&(self.cpus.len() as u32).to_le_bytes())?;
        out.write_all(b"flyrecord\0")?;
        let head = out.stream_position()? + 16 * self.cpus.len() as u64;
        let mut at = head.next_multiple_of(PAGE as u64);
        let padding = (at - head) as usize;
        for buffer in &mut self.cpus {
            buffer.close();
            let size = buffer.pages.len() as u64;
            out.write_all(&at.to_le_bytes())?;
            out.write_all(&size.to_le_bytes())?;
            at += size;
        }
        out.write_all(&vec![0; padding])?;
        for buffer in &self.cpus {
            out.write_all(&buffer.pages)?;
        }
        Ok(())
    }
}

/// A text with its length before it.
fn sized(out: &mut dyn Write, text: &str) -> io::Result<()> {
    out.write_all(&(text.len() as u64).to_le_bytes())?;
    out.write_all(text.as_bytes())
}

impl Format {
    /// The text of tracefs `events/sched/NAME/format`.
    fn text(&self, id: u16) -> String {
        let mut text = format!("name: {}\nID: {id}\nformat:\n", self.name);
        let mut offset = 0;
        for (index, (declaration, size, signed)) in COMMON.iter().chain(self.fields).enumerate() {
            if index == COMMON.len() {
                text.push('\n');
            }
            let signed = u8::from(*signed);
            let field = format!(
                "\tfield:{declaration};\toffset:{offset};\tsize:{size};\tsigned:{signed};\n"
            );
            text.push_str(&field);
            offset += size;
        }
        text + "\nprint fmt: " + self.print + "\n"
    }
}

impl Buffer {
    /// Appends an event.
    fn put(&mut self, at: u64, data: &[u8]) {
        let delta = at.saturating_sub(self.last);
        let long = delta >> DELTA_BITS > 0;
        let length = 4 + data.len() + if long { 8 } else { 0 };
        if self.pages.is_empty() || self.used + length > PAGE {
            self.close();
            self.pages.extend(at.to_le_bytes());
            self.pages.extend([0; 8]);
            self.used = PAGE_HEADER;
            self.last = at;
            return self.put(at, data);
        }
        let word = |kind: u32, delta: u64| (kind | (delta as u32) << 5).to_le_bytes();
        let mask = (1 << DELTA_BITS) - 1;
        if long {
            self.pages.extend(word(TIME_EXTEND, delta & mask));
            self.pages
                .extend(((delta >> DELTA_BITS) as u32).to_le_bytes());
            self.pages.extend(word(data.len() as u32 / 4, 0));
        } else {
            self.pages.extend(word(data.len() as u32 / 4, delta));
        }
        self.pages.extend(data);
        self.used += length;
        self.last = at;
    }

    /// Notes how much of the page at hand is used, and fills it.
    fn close(&mut self) {
        if self.used == 0 {
            return;
        }
        let page = self.pages.len() - self.used;
        let commit = (self.used - PAGE_HEADER) as u64;
        self.pages[page + 8..page + PAGE_HEADER].copy_from_slice(&commit.to_le_bytes());
        self.pages.resize(page + PAGE, 0);
        self.used = 0;
    }
}

/// The fields of an event, a multiple of four bytes.
fn record(simulation: &Simulation, event: &TraceEvent) -> Vec<u8> {
    let place = FORMATS
        .iter()
        .position(|format| format.name == event.what.name());
    let id = FIRST_ID + place.unwrap_or_default() as u16;
    // TRACE_FLAG_IRQS_OFF, TRACE_FLAG_HARDIRQ and TRACE_FLAG_SOFTIRQ, and how deep preemption is off.
    let (flags, depth): (u8, u8) = match (event.context, &event.what) {
        (_, What::Fork { .. } | What::Exit { .. }) => (0, 0),
        (Context::Task, _) => (0x01, 2),
        (Context::Hardirq, _) => (0x01 | 0x08, 2),
        (Context::Softirq, _) => (0x01 | 0x10, 3),
    };
    let current = Face::or_idle(simulation, event.current, event.cpu);
    let mut data = Vec::with_capacity(64);
    data.extend(id.to_le_bytes());
    data.extend([flags, depth]);
    data.extend(current.pid.to_le_bytes());
    let comm = |data: &mut Vec<u8>, face: &Face| {
        let mut name = [0; 16];
        let bytes = face.comm.as_bytes();
        name[..bytes.len()].copy_from_slice(bytes);
        data.extend(name);
    };
    let all = |data: &mut Vec<u8>, face: &Face| {
        comm(data, face);
        data.extend(face.pid.to_le_bytes());
        data.extend(face.prio.to_le_bytes());
    };
    match event.what {
        What::Switch { prev, left, next } => {
            all(&mut data, &Face::or_idle(simulation, prev, event.cpu));
            // TASK_INTERRUPTIBLE and EXIT_DEAD.
            let state: u64 = match left {
                Left::Runnable => 0,
                Left::Asleep => 1,
                Left::Dead => 0x10,
            };
            data.extend(state.to_le_bytes());
            all(&mut data, &Face::or_idle(simulation, next, event.cpu));
        }
        What::Waking { task, cpu } | What::Wakeup { task, cpu } | What::WakeupNew { task, cpu } => {
            all(&mut data, &Face::of(simulation, task));
            data.extend(u32::from(cpu.0).to_le_bytes());
        }
        What::Fork { task } => {
            for face in [current, Face::of(simulation, task)] {
                comm(&mut data, &face);
                data.extend(face.pid.to_le_bytes());
            }
        }
        What::Exit { task } => all(&mut data, &Face::of(simulation, task)),
        What::Migrate { task, from, to, .. } => {
            all(&mut data, &Face::of(simulation, task));
            data.extend(u32::from(from.0).to_le_bytes());
            data.extend(u32::from(to.0).to_le_bytes());
        }
    }
    data
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_laid_out_one_behind_the_other() {
        let text = FORMATS[1].text(301);
        assert!(text.contains("\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n\tfield:char comm[16];\toffset:8;"));
        assert!(
            text.contains("\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n"),
            "{text}"
        );
    }

    #[test]
    fn pages_tell_how_much_is_in_them() {
        let mut buffer = Buffer::default();
        for event in 0..100u64 {
            buffer.put(1000 + event * (1 << 26), &[7; 64]);
        }
        buffer.close();
        assert_eq!(buffer.pages.len(), 2 * PAGE);
        let number = |at: usize| u64::from_le_bytes(buffer.pages[at..at + 8].try_into().unwrap());
        // 60 events of 68 bytes.
        assert_eq!((number(0), number(8)), (1000, 4080));
        assert_eq!(
            (number(PAGE), number(PAGE + 8)),
            (1000 + 60 * (1 << 26), 40 * 68)
        );
    }

    #[test]
    fn long_times_have_a_word_of_their_own() {
        let mut buffer = Buffer::default();
        buffer.put(5, &[1; 8]);
        buffer.put(5 + (3 << 27) + 9, &[2; 8]);
        let word = |at: usize| u32::from_le_bytes(buffer.pages[at..at + 4].try_into().unwrap());
        assert_eq!(word(PAGE_HEADER), 2);
        assert_eq!(
            (word(28), word(32), word(36)),
            (TIME_EXTEND + (9 << 5), 3, 2)
        );
    }
}
