//! A machine that answers what the kernel asks at once, with ticks on every busy CPU.

use teeter_machine::{CpuId, CpuSet, Topology};
use teeter_scenario::Nanos;
use teeter_scenario::document::{Kernel, Machine, MachineSource, Policy};
use teeter_sched::{Effect, GroupId, NewTask, Rules, Sched, TaskId};

/// A kernel on a machine, and its time.
pub(crate) struct Driver {
    pub(crate) sched: Sched,
    pub(crate) cpus: u16,
    pub(crate) nodes: u16,
    pub(crate) now: Nanos,
    /// Run time of each task so far, ns.
    pub(crate) ran: Vec<u64>,
    effects: Vec<Effect>,
}

impl Driver {
    /// Boots a kernel by name on a machine of a synthetic string.
    pub(crate) fn new(kernel: &str, synthetic: &str) -> Self {
        Self::with(&Kernel::new(kernel), synthetic)
    }

    /// Boots a kernel that may differ from its preset.
    pub(crate) fn with(kernel: &Kernel, synthetic: &str) -> Self {
        let machine = Machine::new(MachineSource::Synthetic(synthetic.to_owned()));
        Self::on(kernel, &machine)
    }

    /// Boots a kernel on a machine.
    pub(crate) fn on(kernel: &Kernel, machine: &Machine) -> Self {
        let topology = Topology::from_spec(machine).expect("the tests' machines and kernels exist");
        let rules = Rules::from_kernel(kernel).expect("the tests' machines and kernels exist");
        Self {
            sched: Sched::new(&topology, rules),
            cpus: topology.cpus.len() as u16,
            nodes: topology.nodes.len() as u16,
            now: Nanos(0),
            ran: Vec::new(),
            effects: Vec::new(),
        }
    }

    /// A task of nice 0 in a group.
    pub(crate) fn task(&mut self, group: GroupId) -> TaskId {
        self.task_with(group, 0, CpuSet::first_n(usize::from(self.cpus)))
    }

    /// A task of a nice level that may use some CPUs.
    pub(crate) fn task_with(&mut self, group: GroupId, nice: i8, affinity: CpuSet) -> TaskId {
        self.task_of(&NewTask {
            group,
            nice,
            policy: Policy::Normal,
            affinity,
            per_cpu_kthread: false,
        })
    }

    /// Any task.
    pub(crate) fn task_of(&mut self, new: &NewTask) -> TaskId {
        self.ran.push(0);
        self.sched.add_task(new)
    }

    /// Forks a task from a CPU, placed by the kernel.
    pub(crate) fn fork(&mut self, parent: u16, task: TaskId) {
        self.sched.fork(self.now, CpuId(parent), task, None);
        self.settle();
    }

    /// The current task of the CPU sleeps.
    pub(crate) fn block(&mut self, cpu: CpuId) {
        self.sched.block(self.now, cpu);
        self.settle();
    }

    /// Wakes a task from a CPU.
    pub(crate) fn wake(&mut self, waker: CpuId, task: TaskId) {
        self.sched.wake(self.now, waker, task, false);
        self.settle();
    }

    /// Runs for a time, with a tick of every CPU that runs something.
    pub(crate) fn run(&mut self, time: Nanos) {
        let tick = self.sched.rules().tick();
        let end = Nanos(self.now.0 + time.0);
        while self.now.0 + tick.0 <= end.0 {
            let next = Nanos(self.now.0 + tick.0);
            while let Some(timer) = self.sched.next_timer()
                && timer <= next
            {
                self.pass_to(timer);
                self.sched.run_timers(timer);
                self.settle();
            }
            self.pass_to(next);
            for cpu in (0..self.cpus).map(CpuId) {
                if self.sched.curr(cpu).is_some() {
                    self.sched.tick(self.now, cpu);
                    self.settle();
                }
            }
        }
    }

    fn pass_to(&mut self, time: Nanos) {
        for cpu in (0..self.cpus).map(CpuId) {
            if let Some(task) = self.sched.curr(cpu) {
                self.ran[task.0 as usize] += time.0 - self.now.0;
            }
        }
        self.now = time;
    }

    /// Tasks on each CPU.
    pub(crate) fn nr_running(&self) -> Vec<u32> {
        (0..self.cpus)
            .map(|cpu| self.sched.nr_running(CpuId(cpu)))
            .collect()
    }

    /// Answers what the kernel asks until it asks no more.
    pub(crate) fn settle(&mut self) {
        loop {
            let mut effects = std::mem::take(&mut self.effects);
            effects.clear();
            self.sched.take_effects(&mut effects);
            if effects.is_empty() {
                return;
            }
            for effect in &effects {
                match *effect {
                    Effect::Resched { cpu, .. } => self.sched.schedule(self.now, cpu),
                    Effect::NohzKick { cpu, .. } => self.sched.nohz_balance(self.now, cpu),
                    Effect::ActiveBalance { cpu, .. } => self.sched.active_balance(self.now, cpu),
                    Effect::Stop { cpu, .. } => self.sched.run_stopper(self.now, cpu),
                    Effect::Unthrottle { cpu, .. } => self.sched.unthrottle_queued(self.now, cpu),
                    Effect::Switch { .. } | Effect::Migrate { .. } | Effect::Throttle { .. } => {}
                }
            }
            self.effects = effects;
        }
    }
}
