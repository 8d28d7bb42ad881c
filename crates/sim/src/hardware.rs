//! The machine as the engine asks it: costs in ns by CPU numbers.

use teeter_machine::{CpuId, Distance, NodeId, Speed, Topology};
use teeter_scenario::Nanos;
use teeter_scenario::document::workload::ChannelKind;
use teeter_workload::Channel as Made;

use crate::code::{FULL, work};

/// Topology and speed, with what is asked often computed beforehand.
#[derive(Debug)]
pub(crate) struct Hardware {
    pub(crate) topology: Topology,
    speed: Speed,
    /// CPUs of each core.
    cores: Vec<Vec<CpuId>>,
    /// For each pair of nodes, how many times longer the one waits for memory of the other.
    slowdown: Vec<u64>,
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
        let nodes = || (0..topology.nodes.len() as u16).map(NodeId);
        let slowdown = nodes()
            .flat_map(|from| nodes().map(move |to| (from, to)))
            .map(|(from, to)| u64::from(speed.memory_slowdown_q16(&topology, from, to)))
            .collect();
        Self {
            topology,
            speed,
            cores,
            slowdown,
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

    /// How many times longer a CPU waits for memory with so many pages on each node than for local memory,
    /// of [`FULL`].
    pub(crate) fn memory_slowdown(&self, cpu: CpuId, pages: &[u64]) -> u64 {
        let from = self.topology.cpu(cpu).node.index() * pages.len();
        let row = self.slowdown.get(from..from + pages.len()).unwrap_or(&[]);
        let all: u128 = pages.iter().map(|&pages| u128::from(pages)).sum();
        let sum: u128 = pages
            .iter()
            .zip(row)
            .map(|(&pages, &slowdown)| u128::from(pages) * u128::from(slowdown))
            .sum();
        sum.checked_div(all).map_or(FULL, |mean| mean as u64)
    }

    /// Kernel time of hinting faults on so many pages, of which so many moved, ns.
    pub(crate) fn fault_time(&self, faults: u64, migrated: u64) -> u64 {
        let costs = self.speed.numa_costs();
        faults * costs.fault.0 + migrated * costs.migrate.0
    }

    /// Kernel time of marking so many pages, ns.
    pub(crate) fn scan_time(&self, pages: u64) -> u64 {
        pages * self.speed.numa_costs().scan.0
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

    /// Work of sending a message from a CPU to whom it ran on another.
    pub(crate) fn send(&self, channel: &Made, from: CpuId, to: CpuId) -> u64 {
        let distance = self.distance(to, from);
        work(self.speed.send(channel.kind, channel.bytes, distance).0)
    }

    /// Work of receiving on a CPU a message that was sent from another.
    pub(crate) fn receive(&self, channel: &Made, from: CpuId, to: CpuId) -> u64 {
        let distance = self.distance(from, to);
        work(self.speed.receive(channel.kind, channel.bytes, distance).0)
    }

    /// How long a message holds its channel's lock on one CPU, ns, if another held it before.
    pub(crate) fn channel_lock(&self, channel: &Made, from: CpuId, to: CpuId) -> u64 {
        let distance = self.distance(from, to);
        self.speed.channel_lock(channel.kind, distance).0
    }

    /// Work of going to sleep on a futex.
    pub(crate) fn futex_wait(&self) -> u64 {
        let receive = self
            .speed
            .receive(ChannelKind::Semaphore, 0, Distance::SameCpu);
        work(receive.0)
    }

    /// Work of the waker for a single wakeup.
    pub(crate) fn single_wake_work(&self) -> u64 {
        work(self.speed.t_wake(false).0)
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
