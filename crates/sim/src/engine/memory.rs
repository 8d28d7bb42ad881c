//! Threads that walk through memory: what the scheduler is told of it, and what that costs them.

use teeter_machine::CpuId;
use teeter_scenario::Nanos;
use teeter_sched::TaskId;

use super::Simulation;
use crate::code::FULL;
use crate::cpu::Seen;

impl Simulation {
    /// Sets the speed of a CPU by its core and clock, and by where the memory lies that its thread walks
    /// through.
    pub(super) fn set_rate(&mut self, cpu: CpuId) {
        let state = &self.cpus[cpu.index()];
        let Some(thread) = state.running else {
            return self.ask_nothing(cpu);
        };
        let (number, thread) = (thread, &self.threads[thread as usize]);
        let smt = self.tasks[thread.task as usize].smt;
        let busy = self.busy[self.hardware.core(cpu)];
        let active = self.active[self.hardware.package(cpu)];
        let rate = self.hardware.rate(busy, smt) * self.hardware.clock(active) / FULL;
        let Some(walk) = thread.walk.as_deref() else {
            self.cpus[cpu.index()].rate = rate;
            return self.ask_nothing(cpu);
        };
        if !walk.goes_on_in(thread.phase) {
            self.cpus[cpu.index()].rate = rate;
            return;
        }
        let seen = Seen {
            thread: number,
            rate,
            moves: self.sched.page_moves(walk.region),
        };
        if state.seen != Some(seen) {
            let home = self.hardware.topology.cpu(cpu).node;
            let pages = self.sched.pages_on_node(walk.region);
            let alone = self.hardware.memory_slowdown(home, pages, |_| FULL);
            let asked = walk.traffic(walk.rate(rate, alone));
            self.traffic
                .ask(&self.hardware, (cpu.index(), home), asked, pages);
            self.cpus[cpu.index()].seen = Some(seen);
            self.slow_down(cpu, seen);
        }
        let state = &mut self.cpus[cpu.index()];
        state.rate = state.walking;
    }

    /// Finds the speed of a walk with what others ask of memory now.
    fn slow_down(&mut self, cpu: CpuId, seen: Seen) {
        let Some(walk) = &self.threads[seen.thread as usize].walk else {
            return;
        };
        let home = self.hardware.topology.cpu(cpu).node;
        let pages = self.sched.pages_on_node(walk.region);
        let slower = |node| self.traffic.slower(home, node);
        let slowdown = self.hardware.memory_slowdown(home, pages, slower);
        self.cpus[cpu.index()].walking = walk.rate(seen.rate, slowdown);
    }

    /// Nobody walks on this CPU.
    fn ask_nothing(&mut self, cpu: CpuId) {
        if self.cpus[cpu.index()].seen.take().is_some() {
            let home = self.hardware.topology.cpu(cpu).node;
            self.traffic
                .ask(&self.hardware, (cpu.index(), home), 0, &[]);
        }
    }

    /// If nodes or links clog more or less than before, all that walk go on at other speeds.
    #[inline]
    pub(super) fn share_memory(&mut self) {
        if self.traffic.take_changed() {
            self.change_speeds();
        }
    }

    #[cold]
    fn change_speeds(&mut self) {
        for cpu in self.hardware.topology.cpu_ids() {
            if let Some(seen) = self.cpus[cpu.index()].seen {
                self.charge(cpu);
                self.slow_down(cpu, seen);
                self.arm(cpu);
            }
        }
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
        let spent = self.hardware.fault_time(touched.faults, touched.migrated);
        walk.owed += spent;
        walk.system += spent;
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
        let scanned = self.hardware.scan_time(marked);
        walk.system += scanned;
        let spent = std::mem::take(&mut walk.owed) + scanned;
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
