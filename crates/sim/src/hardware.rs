//! The machine as the engine asks it: costs in ns by CPU numbers.

use teeter_machine::{CpuId, Distance, Speed, Topology};
use teeter_scenario::Nanos;

use crate::code::work;

/// Topology and speed, with what is asked often computed beforehand.
#[derive(Debug)]
pub(crate) struct Hardware {
    pub(crate) topology: Topology,
    speed: Speed,
    /// CPUs of each core.
    cores: Vec<Vec<CpuId>>,
    /// Rate of each thread of a core, by how many of them are busy.
    rates: Vec<u64>,
}

impl Hardware {
    pub(crate) fn new(topology: Topology, speed: Speed) -> Self {
        let mut cores: Vec<Vec<CpuId>> = Vec::new();
        for cpu in topology.cpu_ids() {
            let core = usize::from(topology.cpu(cpu).core);
            if cores.len() <= core {
                cores.resize(core + 1, Vec::new());
            }
            cores[core].push(cpu);
        }
        let widest = cores.iter().map(Vec::len).max().unwrap_or(0) as u32;
        let rates = (0..=widest)
            .map(|busy| u64::from(speed.smt_rate_q16(busy)).max(1))
            .collect();
        Self {
            topology,
            speed,
            cores,
            rates,
        }
    }

    pub(crate) fn nr_cores(&self) -> usize {
        self.cores.len()
    }

    /// The core a CPU belongs to.
    pub(crate) fn core(&self, cpu: CpuId) -> usize {
        usize::from(self.topology.cpu(cpu).core)
    }

    /// CPUs of a core.
    pub(crate) fn siblings(&self, core: usize) -> &[CpuId] {
        &self.cores[core]
    }

    /// Rate of each busy thread of a core with so many of them.
    pub(crate) fn rate(&self, busy: u32) -> u64 {
        self.rates[busy as usize]
    }

    /// Time to see what another CPU has written.
    pub(crate) fn line(&self, from: CpuId, to: CpuId) -> u64 {
        self.speed.line(self.distance(from, to)).0
    }

    /// Time an interrupt takes.
    pub(crate) fn ipi(&self, from: CpuId, to: CpuId) -> u64 {
        self.speed.t_ipi(self.distance(from, to)).0
    }

    /// Time to leave the idle state chosen for so long an idle period.
    pub(crate) fn idle_exit(&self, expected_idle: u64) -> u64 {
        self.speed.idle_exit(Nanos(expected_idle)).0
    }

    /// Time of a context switch.
    pub(crate) fn switch(&self) -> u64 {
        self.speed.t_cs().0
    }

    /// Work of the waker for one of several wakeups in a row.
    pub(crate) fn wake_work(&self) -> u64 {
        work(self.speed.t_wake(true).0)
    }

    /// Time the woken CPU takes to fetch what the waker has touched of its run-queue.
    pub(crate) fn wake_lines(&self, waker: CpuId, woken: CpuId) -> u64 {
        self.speed.wake_lines(self.distance(waker, woken)).0
    }

    /// Work to warm the caches of another CPU.
    pub(crate) fn warm_up(&self, from: CpuId, to: CpuId, footprint_bytes: u32) -> u64 {
        work(
            self.speed
                .warm_up(self.distance(from, to), footprint_bytes)
                .0,
        )
    }

    fn distance(&self, a: CpuId, b: CpuId) -> Distance {
        self.topology.distance_class(a, b)
    }
}
