//! Accounts of who was where for how long: exact integrals over time, in ns.
//!
//! An integral grows when what it integrates changes, and is read at any time without being
//! disturbed, so that looking never changes a result.

use teeter_machine::{CpuId, CpuSet, NodeId};

/// A count and its integral over time.
#[derive(Clone, Copy, Debug, Default)]
struct Gauge {
    count: u32,
    since: u64,
    integral: u64,
}

impl Gauge {
    fn step(&mut self, now: u64, by: i32) {
        self.integral = self.at(now);
        self.since = now;
        self.count = self.count.saturating_add_signed(by);
    }

    fn at(&self, now: u64) -> u64 {
        self.integral + u64::from(self.count) * (now - self.since)
    }
}

/// Whether a thread is on a run-queue, and since when it is as it is.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each changes at a time of its own"
)]
#[derive(Clone, Debug)]
struct Account {
    task: u32,
    cpu: CpuId,
    queued: bool,
    running: bool,
    /// The CPU it runs on, or ran on last.
    ran_on: CpuId,
    /// Its group has used up its run time.
    throttled: bool,
    /// Counted in its class as waiting for a CPU that runs something else.
    waiting: bool,
    class: u32,
    since: u64,
    run: u64,
    wait: u64,
}

/// Threads that may run on the same CPUs.
#[derive(Clone, Debug)]
struct Class {
    cpus: CpuSet,
    waiting: u32,
    idle: u32,
}

/// What of a CPU is counted.
#[derive(Clone, Debug, Default)]
struct CpuAccount {
    node: NodeId,
    online: bool,
    queued: u32,
    busy: Gauge,
    idle: bool,
}

/// The accounts.
#[derive(Clone, Debug)]
pub(crate) struct Stats {
    threads: Vec<Account>,
    cpus: Vec<CpuAccount>,
    nodes: usize,
    classes: Vec<Class>,
    /// Runnable threads of (task, cpu).
    on_cpu: Vec<Gauge>,
    /// Runnable threads of (task, node).
    on_node: Vec<Gauge>,
    /// 1 while some CPU idles and a task waits that may run there.
    wasted: Gauge,
}

/// All integrals at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    /// Time each thread ran.
    pub(crate) run: Vec<u64>,
    /// Time each thread waited.
    pub(crate) wait: Vec<u64>,
    /// Runnable threads of (task, cpu), at `task * cpus + cpu`.
    pub(crate) on_cpu: Vec<u64>,
    /// Runnable threads of (task, node), at `task * nodes + node`.
    pub(crate) on_node: Vec<u64>,
    /// Time each CPU ran something.
    pub(crate) busy: Vec<u64>,
    /// Time some CPU idled while a task waited that may run there.
    pub(crate) wasted: u64,
}

impl Totals {
    /// What has come since `before`; an empty `before` is the beginning.
    pub(crate) fn since(&self, before: &Self) -> Self {
        let difference = |now: &[u64], before: &[u64]| {
            let before = before.iter().copied().chain(std::iter::repeat(0));
            now.iter()
                .zip(before)
                .map(|(now, before)| now - before)
                .collect()
        };
        Self {
            run: difference(&self.run, &before.run),
            wait: difference(&self.wait, &before.wait),
            on_cpu: difference(&self.on_cpu, &before.on_cpu),
            on_node: difference(&self.on_node, &before.on_node),
            busy: difference(&self.busy, &before.busy),
            wasted: self.wasted - before.wasted,
        }
    }
}

impl Stats {
    /// Accounts for these CPUs (the node of each, and whether it is online) and threads (the task of
    /// each, and the CPUs it may use).
    pub(crate) fn new(
        cpus: impl Iterator<Item = (NodeId, bool)>,
        nodes: usize,
        tasks: usize,
        threads: impl Iterator<Item = (u32, CpuSet)>,
    ) -> Self {
        let cpus: Vec<CpuAccount> = cpus
            .map(|(node, online)| CpuAccount {
                node,
                online,
                idle: online,
                ..CpuAccount::default()
            })
            .collect();
        let mut stats = Self {
            threads: Vec::new(),
            on_cpu: vec![Gauge::default(); tasks * cpus.len()],
            on_node: vec![Gauge::default(); tasks * nodes],
            wasted: Gauge::default(),
            cpus,
            nodes,
            classes: Vec::new(),
        };
        for (task, allowed) in threads {
            let class = stats.class_of(&allowed);
            stats.threads.push(Account {
                task,
                cpu: CpuId(0),
                queued: false,
                running: false,
                ran_on: CpuId(0),
                throttled: false,
                waiting: false,
                class,
                since: 0,
                run: 0,
                wait: 0,
            });
        }
        stats
    }

    /// The class of threads that may use these CPUs, a new one if there is none.
    fn class_of(&mut self, allowed: &CpuSet) -> u32 {
        let known = self.classes.iter().position(|class| class.cpus == *allowed);
        let class = known.unwrap_or_else(|| {
            let usable = |(cpu, account): &(usize, &CpuAccount)| {
                account.idle && allowed.contains(CpuId(*cpu as u16))
            };
            let idle = self.cpus.iter().enumerate().filter(usable).count() as u32;
            self.classes.push(Class {
                cpus: *allowed,
                waiting: 0,
                idle,
            });
            self.classes.len() - 1
        });
        class as u32
    }

    /// The CPU was switched on or off.
    pub(crate) fn set_online(&mut self, now: u64, cpu: CpuId, online: bool) {
        self.cpus[cpu.index()].online = online;
        self.refresh_idle(now, cpu);
    }

    /// The thread may use these CPUs from now on.
    pub(crate) fn allow(&mut self, now: u64, thread: u32, allowed: &CpuSet) {
        let account = &self.threads[thread as usize];
        let (old, waiting) = (account.class as usize, account.waiting);
        if self.classes[old].cpus == *allowed {
            return;
        }
        let class = self.class_of(allowed);
        self.threads[thread as usize].class = class;
        if waiting {
            self.classes[old].waiting -= 1;
            self.classes[class as usize].waiting += 1;
        }
        self.refresh_wasted(now);
    }

    /// The thread became runnable on a CPU's run-queue.
    pub(crate) fn enqueue(&mut self, now: u64, thread: u32, cpu: CpuId) {
        self.close(now, thread);
        let account = &mut self.threads[thread as usize];
        account.queued = true;
        account.cpu = cpu;
        self.place(now, thread, 1);
        self.refresh(now, thread, cpu);
    }

    /// The thread, which runs, sleeps or ends now.
    pub(crate) fn dequeue(&mut self, now: u64, thread: u32) {
        self.close(now, thread);
        let account = &mut self.threads[thread as usize];
        let cpu = account.cpu;
        account.queued = false;
        account.running = false;
        self.place(now, thread, -1);
        self.threads[thread as usize].throttled = false;
        self.refresh(now, thread, cpu);
    }

    /// A runnable thread went to another CPU's run-queue.
    pub(crate) fn migrate(&mut self, now: u64, thread: u32, to: CpuId) {
        let account = &self.threads[thread as usize];
        let from = account.cpu;
        if !account.queued || from == to {
            return;
        }
        self.place(now, thread, -1);
        self.threads[thread as usize].cpu = to;
        self.place(now, thread, 1);
        self.refresh_idle(now, from);
        self.refresh(now, thread, to);
    }

    /// The thread's group ran out of run time, or has some again.
    pub(crate) fn throttle(&mut self, now: u64, thread: u32, throttled: bool) {
        let account = &mut self.threads[thread as usize];
        if account.throttled == throttled {
            return;
        }
        account.throttled = throttled;
        let (cpu, queued) = (account.cpu, account.queued);
        if queued {
            let queued = &mut self.cpus[cpu.index()].queued;
            *queued = queued.saturating_add_signed(if throttled { -1 } else { 1 });
            self.refresh(now, thread, cpu);
        }
    }

    /// A CPU changed from one thread to another; `queued` are the threads on its run-queue.
    pub(crate) fn switch(
        &mut self,
        now: u64,
        cpu: CpuId,
        prev: Option<u32>,
        next: Option<u32>,
        queued: impl Iterator<Item = u32>,
    ) {
        // One that was swapped with another CPU's thread may run there already.
        if let Some(prev) = prev
            && self.threads[prev as usize].ran_on == cpu
        {
            self.close(now, prev);
            self.threads[prev as usize].running = false;
        }
        if let Some(next) = next {
            self.close(now, next);
            let account = &mut self.threads[next as usize];
            account.running = true;
            account.ran_on = cpu;
        }
        let account = &mut self.cpus[cpu.index()];
        let by = i32::from(next.is_some()) - account.busy.count as i32;
        if by != 0 {
            account.busy.step(now, by);
            // Those that waited for an idle CPU to wake up now wait for what it runs.
            for other in queued {
                self.refresh_waiting(other);
            }
        }
        for thread in [prev, next].into_iter().flatten() {
            self.refresh_waiting(thread);
        }
        self.refresh_idle(now, cpu);
    }

    /// All integrals at `now`.
    pub(crate) fn totals(&self, now: u64) -> Totals {
        let gauges = |gauges: &[Gauge]| gauges.iter().map(|gauge| gauge.at(now)).collect();
        let times = |time: fn(&Account) -> u64, on: fn(&Account) -> bool| {
            let total = |account: &Account| {
                time(account) + if on(account) { now - account.since } else { 0 }
            };
            self.threads.iter().map(total).collect()
        };
        Totals {
            run: times(|account| account.run, |account| account.running),
            wait: times(
                |account| account.wait,
                |account| account.queued && !account.running,
            ),
            on_cpu: gauges(&self.on_cpu),
            on_node: gauges(&self.on_node),
            busy: self.cpus.iter().map(|cpu| cpu.busy.at(now)).collect(),
            wasted: self.wasted.at(now),
        }
    }

    /// Runnable threads of (task, node), integrated up to `now`.
    pub(crate) fn on_node(&self, now: u64) -> impl Iterator<Item = u64> + '_ {
        self.on_node.iter().map(move |gauge| gauge.at(now))
    }

    /// Runnable threads of (task, cpu), integrated up to `now`.
    pub(crate) fn on_cpu(&self, now: u64) -> impl Iterator<Item = u64> + '_ {
        self.on_cpu.iter().map(move |gauge| gauge.at(now))
    }

    /// Time each CPU ran something, up to `now`, with its node.
    pub(crate) fn busy(&self, now: u64) -> impl Iterator<Item = (NodeId, u64)> + '_ {
        self.cpus
            .iter()
            .map(move |cpu| (cpu.node, cpu.busy.at(now)))
    }

    /// Time some CPU idled while a task waited that may run there, up to `now`.
    pub(crate) fn wasted(&self, now: u64) -> u64 {
        self.wasted.at(now)
    }

    /// Books the time since the thread last changed.
    fn close(&mut self, now: u64, thread: u32) {
        let account = &mut self.threads[thread as usize];
        let passed = now - account.since;
        account.since = now;
        if account.running {
            account.run += passed;
        } else if account.queued {
            account.wait += passed;
        }
    }

    /// Counts a runnable thread in or out where it is.
    fn place(&mut self, now: u64, thread: u32, by: i32) {
        let account = &self.threads[thread as usize];
        let (task, cpu, throttled) = (account.task, account.cpu, account.throttled);
        let (task, nr_cpus) = (task as usize, self.cpus.len());
        let account = &mut self.cpus[cpu.index()];
        if !throttled {
            account.queued = account.queued.saturating_add_signed(by);
        }
        self.on_cpu[task * nr_cpus + cpu.index()].step(now, by);
        self.on_node[task * self.nodes + account.node.index()].step(now, by);
    }

    fn refresh(&mut self, now: u64, thread: u32, cpu: CpuId) {
        self.refresh_waiting(thread);
        self.refresh_idle(now, cpu);
    }

    /// A thread waits if its CPU runs another. One that an idle CPU is waking up for does not.
    fn refresh_waiting(&mut self, thread: u32) {
        let account = &mut self.threads[thread as usize];
        let cpu_runs = self.cpus[account.cpu.index()].busy.count > 0;
        let waiting = account.queued && !account.running && !account.throttled && cpu_runs;
        if waiting != account.waiting {
            account.waiting = waiting;
            let class = &mut self.classes[account.class as usize];
            class.waiting = class
                .waiting
                .saturating_add_signed(if waiting { 1 } else { -1 });
        }
    }

    /// A CPU idles if it runs nothing and nothing is on its way to it.
    fn refresh_idle(&mut self, now: u64, cpu: CpuId) {
        let account = &mut self.cpus[cpu.index()];
        let idle = account.online && account.queued == 0 && account.busy.count == 0;
        if idle != account.idle {
            account.idle = idle;
            for class in self
                .classes
                .iter_mut()
                .filter(|class| class.cpus.contains(cpu))
            {
                class.idle = class.idle.saturating_add_signed(if idle { 1 } else { -1 });
            }
        }
        self.refresh_wasted(now);
    }

    /// Whether some CPU idles while a thread waits that may run there.
    fn refresh_wasted(&mut self, now: u64) {
        let wasted = self
            .classes
            .iter()
            .any(|class| class.waiting > 0 && class.idle > 0);
        if wasted != (self.wasted.count > 0) {
            self.wasted.step(now, if wasted { 1 } else { -1 });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two CPUs on a node each, one task of two threads.
    fn stats() -> Stats {
        let cpus = [(NodeId(0), true), (NodeId(1), true)].into_iter();
        let both = CpuSet::first_n(2);
        Stats::new(cpus, 2, 1, [(0, both), (0, both)].into_iter())
    }

    fn switch(stats: &mut Stats, now: u64, cpu: u16, prev: Option<u32>, next: Option<u32>) {
        let queued: Vec<u32> = (0_u32..)
            .zip(&stats.threads)
            .filter(|(_, account)| account.queued && account.cpu == CpuId(cpu))
            .map(|(thread, _)| thread)
            .collect();
        stats.switch(now, CpuId(cpu), prev, next, queued.into_iter());
    }

    #[test]
    fn time_goes_to_running_waiting_and_places() {
        let mut stats = stats();
        stats.enqueue(100, 0, CpuId(0));
        switch(&mut stats, 110, 0, None, Some(0));
        stats.enqueue(200, 1, CpuId(0));
        stats.migrate(350, 1, CpuId(1));
        switch(&mut stats, 360, 1, None, Some(1));
        stats.dequeue(400, 0);
        switch(&mut stats, 400, 0, Some(0), None);
        let totals = stats.totals(500);
        assert_eq!(totals.run, [290, 140]);
        assert_eq!(totals.wait, [10, 160]);
        assert_eq!(totals.on_cpu, [300 + 150, 150]);
        assert_eq!(totals.on_node, totals.on_cpu);
        assert_eq!(totals.busy, [290, 140]);
        // CPU 1 idled while thread 1 waited on CPU 0; from 350 on it was woken up for it.
        assert_eq!(totals.wasted, 150);
    }

    #[test]
    fn two_that_come_to_an_idle_cpu_wait_once_it_runs_one() {
        let mut stats = stats();
        stats.enqueue(0, 0, CpuId(0));
        stats.enqueue(0, 1, CpuId(0));
        assert_eq!(stats.wasted(50), 0);
        switch(&mut stats, 50, 0, None, Some(0));
        assert_eq!(stats.wasted(80), 30);
    }

    #[test]
    fn an_idle_cpu_that_a_task_may_not_use_is_not_wasted() {
        let cpus = [(NodeId(0), true), (NodeId(0), true)].into_iter();
        let own = CpuSet::of(CpuId(0));
        let mut stats = Stats::new(cpus, 1, 1, [(0, own), (0, own)].into_iter());
        stats.enqueue(0, 0, CpuId(0));
        switch(&mut stats, 0, 0, None, Some(0));
        stats.enqueue(0, 1, CpuId(0));
        assert_eq!(stats.wasted(1000), 0);
    }
}
