//! Who is who in a trace.

use teeter_machine::CpuId;
use teeter_sched::TaskId;

use crate::Simulation;

/// The number of thread 0; those of the others follow.
const FIRST_PID: u32 = 1000;

/// `TASK_COMM_LEN` less the 0 at the end.
const COMM: usize = 15;

/// A task as tracepoints name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Face {
    /// Its name.
    pub comm: String,
    /// Its number; 0 for the idle task of each CPU.
    pub pid: u32,
    /// 120 is nice 0.
    pub prio: i32,
}

impl Face {
    /// The idle task of a CPU.
    pub fn idle(cpu: CpuId) -> Self {
        Self {
            comm: format!("swapper/{}", cpu.0),
            pid: 0,
            prio: 120,
        }
    }

    /// A task of a simulation as it is now.
    pub fn of(simulation: &Simulation, task: u32) -> Self {
        Self {
            comm: match simulation.threads().label(task) {
                Some(label) => short(label),
                None => short(&simulation.threads().name(task)),
            },
            pid: FIRST_PID + task,
            prio: 120 + i32::from(simulation.nice(TaskId(task))),
        }
    }

    /// A task of a simulation, or the idle one of a CPU.
    pub(super) fn or_idle(simulation: &Simulation, task: Option<u32>, cpu: CpuId) -> Self {
        task.map_or_else(|| Self::idle(cpu), |task| Self::of(simulation, task))
    }
}

/// A name cut to what the kernel keeps of it, its number at the end left whole.
fn short(name: &str) -> String {
    if name.len() <= COMM {
        return name.to_owned();
    }
    let number = name.rfind('.').map_or("", |dot| &name[dot..]);
    let room = COMM.saturating_sub(number.len());
    let end = name.floor_char_boundary(room);
    format!("{}{number}", &name[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_keep_their_number() {
        assert_eq!(short("lu.7"), "lu.7");
        assert_eq!(short("a-very-long-name.123"), "a-very-long.123");
        assert_eq!(short("äääääääää.1").len(), 14);
    }
}
