//! The parameters of the hardware that Teeter's machines are made of.

use super::channel::{ByChannel, ChannelSpeed};
use super::{ByDistance, IdleState, Speed};
use crate::{Preset, Topology};
use teeter_scenario::document::{Machine, MachineSource};

/// Hardware whose parameters are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hardware {
    /// One or two sockets of Intel Haswell-EP or Broadwell-EP.
    Haswell,
    /// Four sockets of Intel Xeon E5 or E7.
    FourSocketXeon,
    /// AMD EPYC of the second to fourth generation: several L3 a socket.
    Zen,
    /// IBM POWER8 under its hypervisor.
    Power8,
    /// An Intel client processor.
    Client,
}

/// Hardware with its name and what it is, for who chooses among it.
const NAMED: [(Hardware, &str, &str); 5] = [
    (
        Hardware::Haswell,
        "haswell",
        "one or two sockets of Intel Haswell-EP or Broadwell-EP",
    ),
    (
        Hardware::FourSocketXeon,
        "four-socket-xeon",
        "four sockets of Intel Xeon E5 or E7",
    ),
    (
        Hardware::Zen,
        "zen",
        "AMD EPYC of the second to fourth generation",
    ),
    (Hardware::Power8, "power8", "IBM POWER8"),
    (Hardware::Client, "client", "an Intel client processor"),
];

/// The hardware whose speed a scenario's machine may ask for (`machine.hardware`): name, and what it is.
pub fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
    NAMED.iter().map(|(_, name, about)| (*name, *about))
}

/// The name of the hardware whose speed a machine has.
pub fn name_of(machine: &Machine, topology: &Topology) -> &'static str {
    Hardware::of(machine, topology).0.name()
}

impl Hardware {
    /// That of a machine, and whether it is known: asked for by name or by preset, not guessed by shape.
    pub(super) fn of(machine: &Machine, topology: &Topology) -> (Self, bool) {
        let preset = match &machine.source {
            MachineSource::Preset(name) => Preset::find(name).map(|preset| preset.hardware),
            _ => None,
        };
        let asked = machine.hardware.as_deref().and_then(Self::named);
        match asked.or(preset) {
            Some(known) => (known, true),
            None => (Self::like(topology), false),
        }
    }

    /// That of a name.
    pub(super) fn named(name: &str) -> Option<Self> {
        let found = NAMED.iter().find(|(_, known, _)| *known == name);
        found.map(|(hardware, ..)| *hardware)
    }

    /// Its name.
    fn name(self) -> &'static str {
        let found = NAMED.iter().find(|(hardware, ..)| *hardware == self);
        found.map_or("", |(_, name, _)| *name)
    }

    /// What a machine of this shape most likely is: more than two threads a core, POWER8; several
    /// last-level caches a node, Zen; more than two nodes, a four-socket Xeon; else Haswell.
    pub(super) fn like(topology: &Topology) -> Self {
        let threads = |cpu| topology.peers(cpu, |place| place.core).len();
        let split = |cpu| {
            let node = topology.peers(cpu, |place| place.node);
            topology.peers(cpu, |place| place.llc) != node
        };
        let deepest = topology.cpu_ids().map(threads).max();
        if deepest > Some(2) {
            Self::Power8
        } else if topology.cpu_ids().any(split) {
            Self::Zen
        } else if topology.nodes.len() > 2 {
            Self::FourSocketXeon
        } else {
            Self::Haswell
        }
    }

    /// Its parameters.
    pub(super) const fn speed(self) -> Speed {
        match self {
            Self::Haswell => HASWELL,
            Self::FourSocketXeon => FOUR_SOCKET_XEON,
            Self::Zen => ZEN,
            Self::Power8 => POWER8,
            Self::Client => CLIENT,
        }
    }
}

const UNUSED: IdleState = IdleState {
    exit: 0,
    residency: 0,
};

/// An idle state in microseconds.
const fn idle(exit_us: u32, residency_us: u32) -> IdleState {
    IdleState {
        exit: exit_us * 1_000,
        residency: residency_us * 1_000,
    }
}

const HASWELL: Speed = Speed {
    smt_2: 124,
    smt_4: 124,
    smt_8: 124,
    turbo_most: 125,
    turbo_step: 6,
    turbo_cores: 2,
    line: ByDistance {
        smt: 8,
        llc: 44,
        node: 80,
        remote: 118,
    },
    cache_l2: 5,
    cache_l3: 20,
    memory_local: 93,
    memory_remote: 143,
    memory_bandwidth: 60,
    link_bandwidth: 34,
    memory_page: 4,
    numa_fault: 1_000,
    numa_migrate: 3_000,
    numa_scan: 15,
    refill_parallel: 250,
    refill_stream: 800,
    refill_tlb: 1_000,
    refill_cold: 10_000_000,
    switch_direct: 1_200,
    call_spread: 10,
    wake_plain: 1_300,
    wake_serial: 4_500,
    wake_lines_near: 12,
    wake_lines_far: 30,
    ipi_near: 750,
    ipi_remote: 1_500,
    idle: [idle(2, 2), idle(10, 20), idle(40, 100), idle(133, 400)],
    idle_exit_share: 75,
    idle_package: 0,
    channel: ByChannel {
        pipe: ChannelSpeed {
            send: 850,
            receive: 750,
            copy_send: 100,
            copy_receive: 100,
            lock: 300,
            push: 0,
            lines: 8,
        },
        socket: ChannelSpeed {
            send: 1_000,
            receive: 800,
            copy_send: 100,
            copy_receive: 100,
            lock: 150,
            push: 0,
            lines: 12,
        },
        tcp: ChannelSpeed {
            send: 700,
            receive: 500,
            copy_send: 279,
            copy_receive: 100,
            lock: 150,
            push: 1_500,
            lines: 35,
        },
        semaphore: ChannelSpeed {
            send: 100,
            receive: 100,
            copy_send: 0,
            copy_receive: 0,
            lock: 0,
            push: 0,
            lines: 1,
        },
    },
};

const FOUR_SOCKET_XEON: Speed = Speed {
    line: ByDistance {
        smt: 8,
        llc: 50,
        node: 90,
        remote: 130,
    },
    memory_local: 135,
    memory_remote: 198,
    memory_bandwidth: 55,
    link_bandwidth: 32,
    ..HASWELL
};

const ZEN: Speed = Speed {
    smt_2: 130,
    smt_4: 130,
    smt_8: 130,
    turbo_most: 110,
    turbo_step: 1,
    turbo_cores: 8,
    line: ByDistance {
        smt: 10,
        llc: 23,
        node: 107,
        remote: 197,
    },
    cache_l2: 4,
    cache_l3: 13,
    memory_local: 110,
    memory_remote: 200,
    memory_bandwidth: 170,
    link_bandwidth: 75,
    idle: [idle(1, 2), UNUSED, UNUSED, UNUSED],
    ..HASWELL
};

const POWER8: Speed = Speed {
    smt_2: 160,
    smt_4: 195,
    smt_8: 215,
    turbo_most: 100,
    line: ByDistance {
        smt: 10,
        llc: 60,
        node: 120,
        remote: 300,
    },
    cache_l2: 4,
    cache_l3: 8,
    memory_local: 90,
    memory_remote: 140,
    memory_bandwidth: 90,
    link_bandwidth: 30,
    memory_page: 64,
    numa_migrate: 10_000,
    idle: [idle(10, 100), UNUSED, UNUSED, UNUSED],
    ..HASWELL
};

const CLIENT: Speed = Speed {
    turbo_most: 115,
    turbo_step: 5,
    turbo_cores: 1,
    line: ByDistance {
        smt: 8,
        llc: 25,
        node: 50,
        remote: 100,
    },
    cache_l2: 3,
    cache_l3: 10,
    memory_local: 70,
    memory_remote: 110,
    memory_bandwidth: 35,
    idle: [idle(2, 2), idle(10, 20), idle(70, 100), idle(85, 200)],
    ..HASWELL
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters;

    #[test]
    fn every_parameter_is_within_its_own_limits() {
        for hardware in [
            Hardware::Haswell,
            Hardware::FourSocketXeon,
            Hardware::Zen,
            Hardware::Power8,
            Hardware::Client,
        ] {
            let speed = hardware.speed();
            for parameter in parameters() {
                let value = parameter.value(&speed);
                assert!(
                    (parameter.min..=parameter.max).contains(&value),
                    "{hardware:?} {}: {value}",
                    parameter.name
                );
            }
        }
    }
}
