//! The machine as the engine asks it: costs in ns by CPU numbers.

use teeter_machine::{CpuId, Distance, Footprint, Handover, NodeId, Speed, Topology};
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
    /// CPUs of each package.
    packages: Vec<Vec<CpuId>>,
    /// Clock of a package, by how many of its cores are active.
    clocks: Vec<u64>,
}

impl Hardware {
    pub(crate) fn new(topology: Topology, speed: Speed) -> Self {
        let mut cores: Vec<Vec<CpuId>> = Vec::new();
        let mut packages: Vec<Vec<CpuId>> = Vec::new();
        let add = |groups: &mut Vec<Vec<CpuId>>, group: u16, cpu| {
            let group = usize::from(group);
            if groups.len() <= group {
                groups.resize(group + 1, Vec::new());
            }
            groups[group].push(cpu);
        };
        for cpu in topology.cpu_ids() {
            add(&mut cores, topology.cpu(cpu).core, cpu);
            add(&mut packages, topology.cpu(cpu).package, cpu);
        }
        let clocks = (0..=cores.len() as u32)
            .map(|active| u64::from(speed.turbo_q16(active)))
            .collect();
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
            packages,
            clocks,
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

    pub(crate) fn nr_packages(&self) -> usize {
        self.packages.len()
    }

    /// The package a CPU belongs to.
    pub(crate) fn package(&self, cpu: CpuId) -> usize {
        usize::from(self.topology.cpu(cpu).package)
    }

    /// CPUs of a package.
    pub(crate) fn cpus_of(&self, package: usize) -> &[CpuId] {
        &self.packages[package]
    }

    /// Clock of a package of which so many cores are active, of [`FULL`].
    pub(crate) fn clock(&self, active: u32) -> u64 {
        self.clocks[active as usize]
    }

    /// Rate of each busy thread of a core with so many of them. `smt`: what the core gives with more than
    /// one, if the thread's work differs in that from others (hundredths).
    pub(crate) fn rate(&self, busy: u32, smt: Option<u32>) -> u64 {
        match smt {
            Some(core) if busy > 1 => (FULL * u64::from(core) / (100 * u64::from(busy))).max(1),
            _ => self.rates[busy as usize],
        }
    }

    /// How many times longer a CPU of `home` waits for memory with so many pages on each node than for local
    /// memory that it has for itself, of [`FULL`]: by the distance of each node, and by what `slower` says
    /// of congestion on the way there.
    pub(crate) fn memory_slowdown(
        &self,
        home: NodeId,
        pages: &[u64],
        slower: impl Fn(NodeId) -> u64,
    ) -> u64 {
        let from = home.index() * pages.len();
        let row = self.slowdown.get(from..from + pages.len()).unwrap_or(&[]);
        let all: u64 = pages.iter().sum();
        if all == 0 {
            return slower(home);
        }
        let mut sum = 0_u128;
        for ((node, &pages), &slowdown) in (0..).zip(pages).zip(row) {
            if pages > 0 {
                let each = slowdown * slower(NodeId(node)) / FULL;
                sum += u128::from(pages) * u128::from(each);
            }
        }
        (sum / u128::from(all)) as u64
    }

    /// How many times longer accesses take where so many MB/s are asked of a node's memory, of [`FULL`].
    pub(crate) fn memory_congestion(&self, demand: u64) -> u64 {
        self.speed.memory_congestion_q16(demand)
    }

    /// The same for a node's link.
    pub(crate) fn link_congestion(&self, demand: u64) -> u64 {
        self.speed.link_congestion_q16(demand)
    }

    /// How many pages of the machine's kernel so many of 4 KB are.
    pub(crate) fn pages(&self, of_4_kb: u64) -> u64 {
        of_4_kb.saturating_mul(4096) / self.speed.page_bytes()
    }

    /// Kernel time of hinting faults on so many pages of 4 KB, of which so many moved, ns.
    pub(crate) fn fault_time(&self, faults: u64, migrated: u64) -> u64 {
        let costs = self.speed.numa_costs();
        self.pages(faults) * costs.fault.0 + self.pages(migrated) * costs.migrate.0
    }

    /// Kernel time of marking so many pages of 4 KB, ns.
    pub(crate) fn scan_time(&self, pages: u64) -> u64 {
        self.pages(pages) * self.speed.numa_costs().scan.0
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
    pub(crate) fn idle_exit(&self, expected_idle: u64, package_idle: bool) -> u64 {
        self.speed.idle_exit(Nanos(expected_idle), package_idle).0
    }

    /// Time of a context switch.
    pub(crate) fn switch(&self) -> u64 {
        self.speed.t_cs().0
    }

    /// How far a system call of so much work may lie off it, either way.
    pub(crate) fn call_spread(&self, work: u64) -> u64 {
        work / 100 * u64::from(self.speed.call_spread())
    }

    /// Work of sending what is handed over between two CPUs.
    pub(crate) fn send(&self, made: &Made, from: CpuId, to: CpuId, fresh: bool) -> u64 {
        work(self.speed.send(self.handover(made, 1, (from, to), fresh)).0)
    }

    /// Work of handing a message to a receiver that has nothing to read.
    pub(crate) fn push(&self, made: &Made) -> u64 {
        work(self.speed.push(made.kind).0)
    }

    /// Work of receiving so many messages that are handed over between two CPUs.
    pub(crate) fn receive(
        &self,
        made: &Made,
        messages: u32,
        from: CpuId,
        to: CpuId,
        fresh: bool,
    ) -> u64 {
        let handover = self.handover(made, messages, (from, to), fresh);
        work(self.speed.receive(handover).0)
    }

    fn handover(
        &self,
        made: &Made,
        messages: u32,
        (from, to): (CpuId, CpuId),
        fresh: bool,
    ) -> Handover {
        Handover {
            kind: made.kind,
            bytes: u64::from(made.bytes) * u64::from(messages),
            distance: self.distance(from, to),
            fresh,
        }
    }

    /// How long a message holds its channel's lock on one CPU, ns, if another held it before.
    pub(crate) fn channel_lock(&self, channel: &Made, from: CpuId, to: CpuId) -> u64 {
        let distance = self.distance(from, to);
        self.speed.channel_lock(channel.kind, distance).0
    }

    /// Work of going to sleep on a futex.
    pub(crate) fn futex_wait(&self) -> u64 {
        let semaphore = Handover {
            kind: ChannelKind::Semaphore,
            bytes: 0,
            distance: Distance::SameCpu,
            fresh: false,
        };
        work(self.speed.receive(semaphore).0)
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
    pub(crate) fn warm_up(&self, from: CpuId, to: CpuId, footprint: Footprint) -> u64 {
        work(self.speed.warm_up(self.distance(from, to), footprint).0)
    }

    /// Work to warm the CPU's own caches, where others ran for `away` ns.
    pub(crate) fn cold_start(&self, away: u64, footprint: Footprint) -> u64 {
        work(self.speed.cold_start(Nanos(away), footprint).0)
    }

    fn distance(&self, a: CpuId, b: CpuId) -> Distance {
        self.topology.distance_class(a, b)
    }
}
