//! What the hardware does to speed: threads that share a core, cold caches, cache lines that travel,
//! interrupts and idle states.
//!
//! A [`Speed`] is a set of [`parameters`], all whole numbers, from which a few functions compute the
//! costs that the engine adds to the scheduler's decisions. Each [`Preset`](crate::Preset) machine has a set; another
//! machine gets that of the hardware that `machine.hardware` names, else of what is most like it in shape; the
//! scenario's `machine.speed` overrides single parameters by name. Letters after a source grade it: R read there, M from memory of it, A
//! assumed.
//!
//! # Set after a table was seen
//!
//! - `tcp.send` is what remains of netperf's time for a message (0.944 µs without turbo, from the unpatched
//!   column) when the time for segments is taken off.
//! - `call.spread` came when pairs of netperf were seen to meet every tick at the same point of their messages. Its
//!   size is assumed; only that it is not 0 matters.
//! - `idle.exit_share` and `idle.package` stay at three quarters and nothing (both assumed), though schbench's wakeups
//!   on two sockets then take twice as long as measured and 0.15 with 8 µs, as measured on Haswell-EP, would be near:
//!   with those the balancing of idle CPUs falls into other phases, and lu.C beside hogs spreads less well than on
//!   the real machine.

mod caches;
mod channel;
mod clock;
pub mod hardware;
mod memory;
mod parameter;

pub use caches::Footprint;
use channel::ByChannel;
pub use channel::Handover;
pub(crate) use hardware::Hardware;
pub use parameter::{Parameter, Unit, parameters};

use teeter_scenario::document::Machine;
use teeter_scenario::problem::join;
use teeter_scenario::{Nanos, Problem};

use crate::{Distance, Topology};

/// Full speed in the fixed point of [`Speed::smt_rate_q16`].
pub const FULL_RATE: u32 = 1 << 16;

/// One cost a distance, for CPUs that are not the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ByDistance {
    smt: u32,
    llc: u32,
    node: u32,
    remote: u32,
}

impl ByDistance {
    const fn get(&self, distance: Distance) -> u32 {
        match distance {
            Distance::SameCpu => 0,
            Distance::Smt => self.smt,
            Distance::Llc => self.llc,
            Distance::Node => self.node,
            Distance::Remote => self.remote,
        }
    }
}

/// Kernel time of NUMA balancing, for a page ([`Speed::page_bytes`]) each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumaCosts {
    /// A hinting fault.
    pub fault: Nanos,
    /// Moving a page to another node.
    pub migrate: Nanos,
    /// Marking a page in a scan.
    pub scan: Nanos,
}

/// An idle state of the processor; one with no residency is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct IdleState {
    /// Longest time to leave it, ns.
    exit: u32,
    /// Shortest stay for which it pays, ns.
    residency: u32,
}

/// The hardware model's parameters of one machine; see [`parameters`] for what each means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Speed {
    smt_2: u32,
    smt_4: u32,
    smt_8: u32,
    turbo_most: u32,
    turbo_step: u32,
    turbo_cores: u32,
    line: ByDistance,
    cache_l2: u32,
    cache_l3: u32,
    memory_local: u32,
    memory_remote: u32,
    memory_bandwidth: u32,
    link_bandwidth: u32,
    memory_page: u32,
    numa_fault: u32,
    numa_migrate: u32,
    numa_scan: u32,
    refill_parallel: u32,
    refill_stream: u32,
    refill_tlb: u32,
    refill_cold: u32,
    switch_direct: u32,
    call_spread: u32,
    wake_plain: u32,
    wake_serial: u32,
    wake_lines_near: u32,
    wake_lines_far: u32,
    ipi_near: u32,
    ipi_remote: u32,
    /// Shallow first.
    idle: [IdleState; 4],
    idle_exit_share: u32,
    idle_package: u32,
    channel: ByChannel,
}

impl Speed {
    /// The parameters of a machine, with the scenario's overrides.
    ///
    /// # Errors
    ///
    /// Unknown names and values of the wrong kind or out of range, with paths relative to the machine
    /// (`/speed/line.llc`).
    pub fn for_machine(machine: &Machine, topology: &Topology) -> Result<Self, Vec<Problem>> {
        let (hardware, known) = Hardware::of(machine, topology);
        let mut speed = hardware.speed();
        if !known {
            // What its clock does is not known.
            speed.turbo_most = 100;
        }
        let mut problems = Vec::new();
        if let Some(name) = &machine.hardware
            && Hardware::named(name).is_none()
        {
            let names = hardware::names().map(|(name, _)| name);
            problems.push(Problem::unknown("/hardware", "hardware", name, names));
        }
        for (name, value) in &machine.speed {
            let path = join("/speed", name);
            let parameter = parameters().iter().find(|parameter| parameter.name == name);
            let Some(parameter) = parameter else {
                let known = parameters().iter().map(|parameter| parameter.name);
                problems.push(Problem::unknown(path, "hardware parameter", name, known));
                continue;
            };
            match parameter.read(value) {
                Ok(number) => *(parameter.field)(&mut speed) = number,
                Err(message) => problems.push(Problem::new(path, message)),
            }
        }
        if problems.is_empty() {
            Ok(speed)
        } else {
            Err(problems)
        }
    }

    /// Speed of each thread of a core of which `busy_threads` are busy; [`FULL_RATE`] is that of a
    /// thread alone. The core's throughput is interpolated between those of 1, 2, 4 and 8 threads.
    pub fn smt_rate_q16(&self, busy_threads: u32) -> u32 {
        let (alone, two, four, eight) = (100, self.smt_2, self.smt_4, self.smt_8);
        let between = |from: u32, to: u32, part: u32, of: u32| {
            i64::from(from) * i64::from(of) + (i64::from(to) - i64::from(from)) * i64::from(part)
        };
        // Hundredths of a lone thread's throughput, and how many times that is scaled up.
        let (throughput, scale) = match busy_threads {
            0 | 1 => return FULL_RATE,
            2 => (between(alone, two, 1, 1), 1),
            3 | 4 => (between(two, four, busy_threads - 2, 2), 2),
            5..=8 => (between(four, eight, busy_threads - 4, 4), 4),
            _ => (i64::from(eight), 1),
        };
        let full = throughput * i64::from(FULL_RATE);
        (full / (100 * scale * i64::from(busy_threads))) as u32
    }

    /// Time to fetch one cache line that the other CPU has modified.
    pub const fn line(&self, distance: Distance) -> Nanos {
        Nanos(self.line.get(distance) as u64)
    }

    /// From sending an interrupt to its handler, for a CPU that is not in an idle state. Nothing for
    /// the sender itself.
    pub const fn t_ipi(&self, distance: Distance) -> Nanos {
        Nanos(match distance {
            Distance::SameCpu => 0,
            Distance::Smt | Distance::Llc | Distance::Node => self.ipi_near as u64,
            Distance::Remote => self.ipi_remote as u64,
        })
    }

    /// CPU time of a context switch, without what cold caches cost.
    pub const fn t_cs(&self) -> Nanos {
        Nanos(self.switch_direct as u64)
    }

    /// How far the CPU time of a system call may lie off its mean either way, hundredths of it.
    pub const fn call_spread(&self) -> u32 {
        self.call_spread
    }

    /// CPU time a waker spends on one wakeup; `serial` if it is one of several futex wakeups in a row,
    /// interrupts included.
    pub const fn t_wake(&self, serial: bool) -> Nanos {
        Nanos(if serial {
            self.wake_serial as u64
        } else {
            self.wake_plain as u64
        })
    }

    /// Time for the woken CPU to fetch the cache lines a wakeup has touched.
    pub const fn wake_lines(&self, distance: Distance) -> Nanos {
        let lines = match distance {
            Distance::SameCpu | Distance::Smt | Distance::Llc => self.wake_lines_near,
            Distance::Node | Distance::Remote => self.wake_lines_far,
        };
        Nanos(lines as u64 * self.line.get(distance) as u64)
    }

    /// Time to leave the idle state of a CPU that expected to idle for so long: the deepest state whose
    /// residency is shorter. Where the whole package idles, that in its own state comes on top, which goes
    /// with the deepest of the cores.
    pub fn idle_exit(&self, expected_idle: Nanos, package_idle: bool) -> Nanos {
        let pays = |state: &&IdleState| {
            state.residency > 0 && u64::from(state.residency) < expected_idle.0
        };
        let Some(state) = self.idle.iter().rev().find(pays) else {
            return Nanos::ZERO;
        };
        let deepest = self.idle.iter().rev().find(|state| state.residency > 0) == Some(state);
        let package = if package_idle && deepest {
            u64::from(self.idle_package)
        } else {
            0
        };
        Nanos(u64::from(state.exit) * u64::from(self.idle_exit_share) / 100 + package)
    }

    /// Kernel time of a hinting fault, of moving a page to another node, and of looking at a page in a scan.
    pub const fn numa_costs(&self) -> NumaCosts {
        NumaCosts {
            fault: Nanos(self.numa_fault as u64),
            migrate: Nanos(self.numa_migrate as u64),
            scan: Nanos(self.numa_scan as u64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use teeter_scenario::document::{MachineSource, SettingValue};

    pub(super) fn preset(name: &str) -> Speed {
        with(name, &[]).unwrap()
    }

    fn with(name: &str, speed: &[(&str, SettingValue)]) -> Result<Speed, Vec<Problem>> {
        let mut machine = Machine::preset(name);
        machine.speed = speed
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect::<BTreeMap<_, _>>();
        Speed::for_machine(&machine, &Topology::from_spec(&machine)?)
    }

    #[test]
    fn threads_share_a_core() {
        // 1.24 / 2 = 0.62 of 65536.
        assert_eq!(preset("4n-80c").smt_rate_q16(2), 40_632);
        assert_eq!(preset("4n-80c").smt_rate_q16(1), FULL_RATE);
        let power8 = preset("power8-8n");
        // 1.6 / 2, (1.6 + 1.95) / 2 / 3, 1.95 / 4, (1.95 + 2.15) / 2 / 6, 2.15 / 8.
        let rates = [2, 3, 4, 6, 8].map(|busy| power8.smt_rate_q16(busy));
        assert_eq!(rates, [52_428, 38_775, 31_948, 22_391, 17_612]);
        assert_eq!(power8.smt_rate_q16(16), 8_806);
    }

    #[test]
    fn lines_and_interrupts_by_distance() {
        let milan = preset("milan-2s");
        let lines = Distance::ALL.map(|distance| milan.line(distance).0);
        assert_eq!(lines, [0, 10, 23, 107, 197]);
        let ipis = Distance::ALL.map(|distance| milan.t_ipi(distance).0);
        assert_eq!(ipis, [0, 750, 750, 750, 1_500]);
        // 12 lines near, 30 far.
        let wake = Distance::ALL.map(|distance| milan.wake_lines(distance).0);
        assert_eq!(wake, [0, 120, 276, 3_210, 5_910]);
        assert_eq!(
            (milan.t_cs().0, milan.t_wake(false).0, milan.t_wake(true).0),
            (1_200, 1_300, 4_500)
        );
    }

    #[test]
    fn the_deepest_idle_state_that_pays_is_left() {
        let haswell = preset("haswell-2s");
        // Residencies 2, 20, 100 and 400 us; exits 2, 10, 40 and 133 us, three quarters of each.
        let exit = |micros| haswell.idle_exit(Nanos::from_micros(micros), false).0;
        assert_eq!(
            [0, 2, 3, 21, 101, 400, 401].map(exit),
            [0, 0, 1_500, 7_500, 30_000, 30_000, 99_750]
        );
        // The package leaves its state where its cores were in their deepest.
        let slow = [("idle.package", SettingValue::Time(Nanos(8_000)))];
        let slow = with("haswell-2s", &slow).unwrap();
        let package = |micros| slow.idle_exit(Nanos::from_micros(micros), true).0;
        assert_eq!([400, 401].map(package), [30_000, 107_750]);
        // Three quarters of 1 us.
        let milan = preset("milan-2s").idle_exit(Nanos::from_secs(1), true);
        assert_eq!(milan.0, 750);
    }

    #[test]
    fn a_machine_without_a_preset_is_like_one_of_its_shape() {
        let like = |text: &str| {
            let machine = Machine::new(MachineSource::Synthetic(text.to_owned()));
            Speed::for_machine(&machine, &Topology::from_spec(&machine).unwrap()).unwrap()
        };
        let steady = |name: &str| Speed {
            turbo_most: 100,
            ..preset(name)
        };
        assert_eq!(like("node:2 l3:4 core:4 pu:2"), steady("rome-2s"));
        assert_eq!(like("node:2 core:4 pu:2"), steady("haswell-2s"));
        assert_eq!(like("node:4 core:4 pu:2"), steady("4n-80c"));
        assert_eq!(like("core:4 pu:8"), preset("power8-8n"));
    }

    #[test]
    fn a_machine_has_the_speed_of_the_hardware_it_names() {
        let mut machine = Machine::new(MachineSource::Synthetic("node:2 core:4 pu:2".to_owned()));
        let topology = Topology::from_spec(&machine).unwrap();
        assert_eq!(hardware::name_of(&machine, &topology), "haswell");
        machine.hardware = Some("zen".to_owned());
        assert_eq!(hardware::name_of(&machine, &topology), "zen");
        let speed = Speed::for_machine(&machine, &topology).unwrap();
        assert_eq!(speed, preset("rome-2s"), "with its clock");
        machine.hardware = Some("zem".to_owned());
        let problems = Speed::for_machine(&machine, &topology).unwrap_err();
        assert_eq!(
            problems[0].to_string(),
            "/hardware: unknown hardware `zem` (did you mean `zen`?)"
        );
        assert_eq!(hardware::names().count(), 5);
    }

    #[test]
    fn overrides_are_checked() {
        let speed = with(
            "laptop",
            &[
                ("line.llc", SettingValue::Time(Nanos(77))),
                ("smt.2", SettingValue::Int(150)),
            ],
        );
        let speed = speed.unwrap();
        assert_eq!(
            (speed.line(Distance::Llc).0, speed.smt_rate_q16(2)),
            (77, 49_152)
        );
        let problems = with(
            "laptop",
            &[
                ("line.lcl", SettingValue::Int(1)),
                ("line.llc", SettingValue::Int(40)),
                ("smt.2", SettingValue::Int(900)),
                ("switch.direct", SettingValue::Time(Nanos::from_secs(9))),
            ],
        );
        let problems: Vec<_> = problems
            .unwrap_err()
            .iter()
            .map(Problem::to_string)
            .collect();
        assert_eq!(
            problems,
            [
                "/speed/line.lcl: unknown hardware parameter `line.lcl` (did you mean `line.llc`?)",
                "/speed/line.llc: a time is expected, such as \"50ns\"",
                "/speed/smt.2: from 50 to 200 hundredths are expected, not 900",
                "/speed/switch.direct: from 0s to 1ms is expected, not 9s",
            ]
        );
    }
}
