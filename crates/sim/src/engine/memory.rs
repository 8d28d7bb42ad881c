//! Threads that walk through memory: what the scheduler is told of it, and what that costs them.

use teeter_machine::CpuId;
use teeter_scenario::Nanos;
use teeter_sched::TaskId;

use super::Simulation;

impl Simulation {
    /// Sets the speed of a CPU by its core, and by where the memory lies that its thread walks through.
    pub(super) fn set_rate(&mut self, cpu: CpuId) {
        let rate = self.hardware.rate(self.busy[self.hardware.core(cpu)]);
        let thread = self.cpus[cpu.index()].running;
        let thread = thread.map(|thread| &self.threads[thread as usize]);
        let walk = thread.and_then(|thread| {
            let walk = thread.walk.as_deref()?;
            walk.goes_on_in(thread.phase).then_some(walk)
        });
        self.cpus[cpu.index()].rate = walk.map_or(rate, |walk| {
            let pages = self.sched.pages_on_node(walk.region);
            walk.rate(rate, self.hardware.memory_slowdown(cpu, pages))
        });
    }

    /// Tells the scheduler what memory a thread has touched on `cpu` since the last time.
    pub(super) fn tell_touched(&mut self, cpu: CpuId, thread: u32) {
        let Some(walk) = self.threads[thread as usize].walk.as_deref_mut() else {
            return;
        };
        let (from, bytes) = walk.take();
        if bytes == 0 {
            return;
        }
        let (now, task) = (Nanos(self.now), TaskId(thread));
        let touched = self.sched.touch(now, cpu, task, walk.region, from, bytes);
        walk.owed += self.hardware.fault_time(touched.faults, touched.migrated);
    }

    /// A tick comes to `cpu`: its thread's walk is told first, and then goes on at the speed it has now.
    pub(super) fn tick(&mut self, cpu: CpuId) {
        let walker = self.cpus[cpu.index()].running;
        let walker = walker.filter(|&thread| self.threads[thread as usize].walk.is_some());
        if let Some(thread) = walker {
            self.charge(cpu);
            self.tell_touched(cpu, thread);
        }
        let marked = self.sched.numa_stats().pte_updates;
        self.sched.tick(Nanos(self.now), cpu);
        let Some(walk) =
            walker.and_then(|thread| self.threads[thread as usize].walk.as_deref_mut())
        else {
            return;
        };
        let marked = self.sched.numa_stats().pte_updates - marked;
        let spent = std::mem::take(&mut walk.owed) + self.hardware.scan_time(marked);
        let state = &mut self.cpus[cpu.index()];
        state.from = state.from.max(self.now) + spent;
        self.arm(cpu);
    }

    /// A thread that walks leaves `cpu`: what it had left to do in the kernel goes with it.
    pub(super) fn leave(&mut self, cpu: CpuId, thread: u32) {
        self.charge(cpu);
        self.tell_touched(cpu, thread);
        let left = self.cpus[cpu.index()].from.saturating_sub(self.now);
        if let Some(walk) = self.threads[thread as usize].walk.as_deref_mut() {
            walk.owed += left;
        }
    }

    /// Time a thread spends in the kernel before it goes on, ns.
    pub(super) fn owed(&mut self, thread: u32) -> u64 {
        let walk = self.threads[thread as usize].walk.as_deref_mut();
        walk.map_or(0, |walk| std::mem::take(&mut walk.owed))
    }
}
