//! Running programs: what a CPU's thread does next, and when that ends.

#[cfg(test)]
mod tests;

use teeter_machine::CpuId;
use teeter_scenario::Nanos;
use teeter_scenario::document::Until;
use teeter_sched::TaskId;

use super::Simulation;
use crate::code::{FULL, Instr, work};
use crate::queue::Event;
use crate::seed::{Purpose, draw};
use crate::sync::Wait;
use crate::thread::{NEVER, Phase};
use crate::trace::Left;

/// Work of forking one thread, the 50 µs between two threads of a team: `clone` itself takes some
/// 20 µs, mapping and protecting its stack about as much again. An assumption, which matters only in
/// that the averages of the run-queues move between forks.
pub(super) const FORK_WORK: u64 = work(50_000);

/// Work of a system call that changes something about the caller; an assumption.
const CALL_WORK: u64 = work(1_000);

/// Instructions that may pass without time passing. A program that goes on longer is charged
/// 1 ns for each.
const FREE_INSTRUCTIONS: u64 = 4096;

impl Simulation {
    /// The thread on `cpu` comes to the end of what it was doing.
    pub(super) fn boundary(&mut self, cpu: CpuId) {
        self.charge(cpu);
        let Some(thread) = self.cpus[cpu.index()].running else {
            return self.queue.cancel(Event::Boundary(cpu));
        };
        let state = &self.threads[thread as usize];
        match state.phase {
            phase if phase.is_measured() && state.left > 0 => self.arm(cpu),
            Phase::Poll => self.sleep(cpu, thread, Phase::Futex),
            Phase::Waking { barrier } => self.wake_next(cpu, thread, barrier),
            Phase::Call(call) => self.finish(cpu, thread, call),
            Phase::Parking => {
                if !self.parks(cpu, thread) {
                    self.go_on(cpu, thread);
                }
            }
            Phase::Forking { forked } => self.fork_next(cpu, thread, forked),
            Phase::Spawning { child } => self.spawn(cpu, thread, child),
            Phase::Wall { until } if self.now < until => self.arm(cpu),
            Phase::Spin { flag, value } => {
                let flag = &mut self.shared.flags[flag as usize];
                if flag.value == value {
                    flag.leave(&mut self.threads, thread);
                    self.go_on(cpu, thread);
                } else {
                    self.arm(cpu);
                }
            }
            _ => self.go_on(cpu, thread),
        }
    }

    /// Books the progress of the thread on `cpu` up to now.
    pub(super) fn charge(&mut self, cpu: CpuId) {
        let state = &mut self.cpus[cpu.index()];
        if let Some(thread) = state.running
            && state.from < self.now
        {
            let elapsed = self.now - state.from;
            state.from = self.now;
            self.threads[thread as usize].progress(elapsed, state.rate);
        }
    }

    /// Sets the CPU's boundary to when its thread ends what it is doing, as things stand.
    pub(super) fn arm(&mut self, cpu: CpuId) {
        let walks = |thread: u32| self.threads[thread as usize].walk.is_some();
        if self.cpus[cpu.index()].running.is_some_and(walks) {
            self.set_rate(cpu);
        }
        match self.boundary_time(cpu) {
            Some(time) => self.queue.set(Event::Boundary(cpu), time),
            None => self.queue.cancel(Event::Boundary(cpu)),
        }
    }

    fn boundary_time(&self, cpu: CpuId) -> Option<u64> {
        let state = &self.cpus[cpu.index()];
        let thread = &self.threads[state.running? as usize];
        let from = state.from;
        match thread.phase {
            Phase::Ready | Phase::Parking => Some(from),
            phase if phase.makes_progress() => {
                Some(from.saturating_add(thread.left.div_ceil(state.rate)))
            }
            Phase::Poll | Phase::Steady => Some(from.saturating_add(thread.left.div_ceil(FULL))),
            Phase::Wall { until } => Some(until.max(from)),
            Phase::Spin { flag, value } => {
                let flag = &self.shared.flags[flag as usize];
                (flag.value == value).then(|| from + self.hardware.line(flag.set_by, cpu))
            }
            Phase::Released { by } => Some(from + self.hardware.line(by, cpu)),
            _ => None,
        }
    }

    /// Runs the thread's program until time must pass.
    pub(super) fn go_on(&mut self, cpu: CpuId, thread: u32) {
        if self.threads[thread as usize].killed {
            return self.exit(cpu, thread);
        }
        for _ in 0..FREE_INSTRUCTIONS {
            let state = &mut self.threads[thread as usize];
            let instr = self.code.at(state.pc);
            state.pc += 1;
            match instr {
                Instr::Compute(0) | Instr::ComputeCpu(0) | Instr::Sleep(0) => {}
                Instr::Compute(work) => {
                    state.left = work;
                    state.pay_debt();
                    state.phase = Phase::Work;
                    return self.arm(cpu);
                }
                Instr::ComputeWall(time) => {
                    state.phase = Phase::Wall {
                        until: self.now.saturating_add(time),
                    };
                    return self.arm(cpu);
                }
                Instr::ComputeCpu(work) => {
                    state.left = work;
                    state.phase = Phase::Steady;
                    return self.arm(cpu);
                }
                Instr::ComputeForever => {
                    state.phase = Phase::Forever;
                    return self.arm(cpu);
                }
                Instr::Sleep(time) => {
                    self.queue
                        .set(Event::Timer(thread), self.now.saturating_add(time));
                    return self.sleep(cpu, thread, Phase::Asleep);
                }
                Instr::Timer { period } => {
                    state.timer = state.timer.saturating_add(period);
                    if state.timer > self.now {
                        self.queue.set(Event::Timer(thread), state.timer);
                        return self.sleep(cpu, thread, Phase::Asleep);
                    }
                    state.timer = self.now;
                }
                Instr::SpinUntil { flag, value } => {
                    let polled = &mut self.shared.flags[flag as usize];
                    if polled.value != value {
                        state.phase = Phase::Spin { flag, value };
                        polled.join(&mut self.threads, thread);
                        return self.arm(cpu);
                    }
                }
                Instr::Set { flag, value } => self.set_flag(cpu, flag, value),
                Instr::Barrier { barrier, spin } => {
                    let met = &mut self.shared.barriers[barrier as usize];
                    if !met.last_is_coming() {
                        met.come.push(thread);
                        state.phase = Phase::Poll;
                        state.left = work(spin);
                        return self.arm(cpu);
                    }
                    self.release(cpu, barrier);
                    if !self.shared.barriers[barrier as usize].to_wake.is_empty() {
                        let state = &mut self.threads[thread as usize];
                        state.phase = Phase::Waking { barrier };
                        state.left = self.hardware.wake_work();
                        return self.arm(cpu);
                    }
                }
                Instr::SleepBetween { least, most } => {
                    let time = least + self.draw(thread, most.saturating_sub(least) + 1);
                    self.queue
                        .set(Event::Timer(thread), self.now.saturating_add(time.max(1)));
                    return self.sleep(cpu, thread, Phase::Asleep);
                }
                Instr::Lock(mutex) => {
                    if self.lock(cpu, thread, mutex) {
                        return;
                    }
                }
                Instr::Unlock(mutex) => {
                    if self.unlock(cpu, thread, mutex) {
                        return;
                    }
                }
                Instr::Wait { condition, mutex } => {
                    return self.wait(cpu, thread, condition, mutex);
                }
                Instr::Signal(condition) => {
                    if self.signal(cpu, thread, condition) {
                        return;
                    }
                }
                Instr::Broadcast(condition) => {
                    if self.broadcast(cpu, thread, condition) {
                        return;
                    }
                }
                Instr::Send(channel) => return self.send(cpu, thread, channel),
                Instr::Receive(channel) => return self.receive(cpu, thread, channel),
                Instr::Drain(channel) => self.shared.channels[channel as usize].drain(),
                Instr::Enlist(condition) => self.enlist(thread, condition),
                Instr::Park => {
                    if self.parks(cpu, thread) {
                        return;
                    }
                }
                Instr::LockCpu { first } => {
                    if self.lock_cpu(cpu, thread, first) {
                        return;
                    }
                }
                Instr::UnlockCpu => {
                    if let Some(flag) = state.cpu_lock.take() {
                        self.set_flag(cpu, flag, 0);
                    }
                }
                Instr::Begin(latency) => {
                    state.latency_from[latency as usize] = self.now;
                }
                Instr::BeginAtWaker(latency) => {
                    state.latency_from[latency as usize] = state.waker_began;
                }
                Instr::Record(latency) => {
                    let from = state.latency_from[latency as usize];
                    let task = &mut self.tasks[state.task as usize];
                    if let Some((_, latencies)) = task.latencies.get_mut(latency as usize) {
                        latencies.record(self.now - from);
                    }
                }
                Instr::StartClock => {
                    let task = &mut self.tasks[state.task as usize];
                    task.clock.get_or_insert(self.now);
                }
                Instr::Affinity { cpus } => return self.bind_itself(cpu, thread, cpus),
                Instr::Touch(bytes) => {
                    let Some(walk) = &state.walk else {
                        continue;
                    };
                    state.left = walk.work(bytes);
                    state.pay_debt();
                    state.phase = Phase::Touch;
                    return self.arm(cpu);
                }
                Instr::Yield => return self.give_way(cpu, thread),
                Instr::SleepUntil(after) => {
                    let at = self.tasks[state.task as usize].start.saturating_add(after);
                    if at > self.now {
                        self.queue.set(Event::Timer(thread), at);
                        return self.sleep(cpu, thread, Phase::Asleep);
                    }
                }
                Instr::SharedTimer {
                    timer,
                    period,
                    absolute,
                } => {
                    let timer = &mut self.shared.timers[timer as usize];
                    let next = timer.unwrap_or(state.started).saturating_add(period);
                    let missed = next <= self.now;
                    *timer = Some(if missed && !absolute { self.now } else { next });
                    if !missed {
                        self.queue.set(Event::Timer(thread), next);
                        return self.sleep(cpu, thread, Phase::Asleep);
                    }
                }
                Instr::Fork { first, count } => {
                    let begin = self.tasks[state.task as usize].threads.start + first;
                    let unborn = |&child: &u32| {
                        let child = self.threads.get(child as usize);
                        child.is_some_and(|child| child.phase == Phase::Unborn)
                    };
                    if let Some(child) = (begin..begin + count).find(unborn) {
                        let state = &mut self.threads[thread as usize];
                        state.phase = Phase::Spawning { child };
                        state.left = FORK_WORK;
                        state.pay_debt();
                        return self.arm(cpu);
                    }
                }
                Instr::Nice(nice) => {
                    state.phase = Phase::Work;
                    state.left = CALL_WORK;
                    self.arm(cpu);
                    self.sched.set_nice(Nanos(self.now), TaskId(thread), nice);
                    return self.settle();
                }
                Instr::Exec => return self.exec(cpu, thread),
                Instr::Loop { .. } | Instr::End { .. } => state.jump(instr),
                Instr::Progress(amount) => {
                    let task = &mut self.tasks[state.task as usize];
                    task.progress = task.progress.saturating_add(amount);
                }
                Instr::Exit => return self.exit(cpu, thread),
            }
        }
        let state = &mut self.threads[thread as usize];
        state.phase = Phase::Work;
        state.left = work(FREE_INSTRUCTIONS);
        self.arm(cpu);
    }

    /// A number in `0..below` from the thread's own stream.
    fn draw(&mut self, thread: u32, below: u64) -> u64 {
        let state = &mut self.threads[thread as usize];
        state.draws += 1;
        let entity = u64::from(thread) << 32 | u64::from(state.draws);
        draw(self.seed, Purpose::Program, entity, below)
    }

    /// Stores to a flag. Those that poll it on a CPU see it once the line has come to them.
    fn set_flag(&mut self, cpu: CpuId, flag: u32, value: u32) {
        let stored = &mut self.shared.flags[flag as usize];
        stored.set_by = cpu;
        if stored.value == value {
            return;
        }
        stored.value = value;
        let mut at = stored.first_waiter;
        while let Some(waiter) = at {
            let state = &self.threads[waiter as usize];
            at = state.next_waiter;
            self.notice(state.cpu, waiter);
        }
    }

    /// Arms the CPU of a thread that polls, if it is running there: what it polls has changed.
    fn notice(&mut self, cpu: CpuId, waiter: u32) {
        let state = &mut self.cpus[cpu.index()];
        if state.running == Some(waiter) {
            state.from = state.from.max(self.now);
            self.arm(cpu);
        }
    }

    /// The last one has come to a barrier: lets the others go on. Those asleep are left to be woken.
    fn release(&mut self, cpu: CpuId, barrier: u32) {
        let mut come = std::mem::take(&mut self.shared.barriers[barrier as usize].come);
        for &waiter in &come {
            let state = &mut self.threads[waiter as usize];
            if state.phase == Phase::Poll {
                state.phase = Phase::Released { by: cpu };
                let on = state.cpu;
                self.notice(on, waiter);
            }
        }
        let asleep = |waiter: &u32| self.threads[*waiter as usize].phase == Phase::Futex;
        let barrier = &mut self.shared.barriers[barrier as usize];
        barrier
            .to_wake
            .extend(come.iter().rev().copied().filter(asleep));
        come.clear();
        barrier.come = come;
    }

    /// Wakes the next sleeper of a barrier; when there is none left, the waker goes on itself.
    fn wake_next(&mut self, cpu: CpuId, thread: u32, barrier: u32) {
        let to_wake = &mut self.shared.barriers[barrier as usize].to_wake;
        let next = to_wake.pop();
        let more = !to_wake.is_empty();
        let state = &mut self.threads[thread as usize];
        if more {
            state.left = self.hardware.wake_work();
        } else {
            state.phase = Phase::Ready;
        }
        self.arm(cpu);
        if let Some(sleeper) = next {
            self.wake(cpu, sleeper, false);
            self.settle();
        }
    }

    /// Forks one more of the workload's threads, once it is time to.
    fn fork_next(&mut self, cpu: CpuId, thread: u32, forked: u32) {
        let task = &self.tasks[self.threads[thread as usize].task as usize];
        let index = thread - task.threads.start;
        let Some(next) = task.child(index, forked) else {
            return self.go_on(cpu, thread);
        };
        let due = task.fork_time(next);
        if due > self.now {
            self.queue.set(Event::Timer(thread), due);
            return self.sleep(cpu, thread, Phase::Forking { forked });
        }
        let child = task.threads.start + next;
        let more = task.child(index, forked + 1).is_some();
        let forks = self.threads[child as usize].phase == Phase::Unborn;
        let state = &mut self.threads[thread as usize];
        if more {
            state.phase = Phase::Forking { forked: forked + 1 };
            state.left = FORK_WORK;
        } else {
            state.phase = Phase::Ready;
        }
        self.arm(cpu);
        if forks {
            self.fork(cpu, child, None);
            self.settle();
        }
    }

    /// Forks a thread of its own choice, and goes on.
    fn spawn(&mut self, cpu: CpuId, thread: u32, child: u32) {
        self.threads[thread as usize].phase = Phase::Ready;
        self.arm(cpu);
        if self.threads[child as usize].phase == Phase::Unborn {
            self.fork(cpu, child, None);
            self.settle();
        }
    }

    /// The thread on `cpu` sleeps; when it runs again it does what `phase` says.
    pub(super) fn sleep(&mut self, cpu: CpuId, thread: u32, phase: Phase) {
        let state = &mut self.threads[thread as usize];
        state.phase = phase;
        state.debt = 0;
        self.queue.cancel(Event::Boundary(cpu));
        self.stats.dequeue(self.now, thread);
        self.note_leaving(cpu, thread, Left::Asleep);
        self.sched.block(Nanos(self.now), cpu);
        self.settle();
    }

    /// `sched_setaffinity` of the running thread, and the time the call takes.
    fn bind_itself(&mut self, cpu: CpuId, thread: u32, cpus: u32) {
        let cpus = self.code.cpus(cpus);
        let state = &mut self.threads[thread as usize];
        state.phase = Phase::Work;
        state.left = CALL_WORK;
        self.arm(cpu);
        let (now, task) = (Nanos(self.now), TaskId(thread));
        self.sched.set_affinity(now, cpu, task, &cpus);
        self.settle();
        let allowed = self.sched.affinity(task);
        self.stats.allow(self.now, thread, allowed);
    }

    /// `sched_yield`. A thread that keeps its CPU pays for the call like for a switch.
    fn give_way(&mut self, cpu: CpuId, thread: u32) {
        self.threads[thread as usize].phase = Phase::Ready;
        self.queue.cancel(Event::Boundary(cpu));
        self.sched.yield_now(Nanos(self.now), cpu);
        self.settle();
        self.pay_for_call(cpu, thread);
    }

    /// `exec`: the kernel may move the thread. One that keeps its CPU pays as for a switch.
    fn exec(&mut self, cpu: CpuId, thread: u32) {
        self.threads[thread as usize].phase = Phase::Ready;
        self.queue.cancel(Event::Boundary(cpu));
        self.sched.exec(Nanos(self.now), cpu);
        self.settle();
        self.pay_for_call(cpu, thread);
    }

    fn pay_for_call(&mut self, cpu: CpuId, thread: u32) {
        let state = &mut self.cpus[cpu.index()];
        if state.running == Some(thread) {
            state.from = state.from.max(self.now + self.hardware.switch());
            self.arm(cpu);
        }
    }

    /// The thread on `cpu` ends.
    fn exit(&mut self, cpu: CpuId, thread: u32) {
        let state = &self.threads[thread as usize];
        let lock = state.cpu_lock;
        if let Some(condition) = state.enlisted {
            self.stop_waiting(Wait::Condition(condition), thread);
        }
        if let Some(flag) = lock {
            self.set_flag(cpu, flag, 0);
        }
        self.tell_touched(cpu, thread);
        self.threads[thread as usize].phase = Phase::Done;
        self.queue.cancel(Event::Boundary(cpu));
        self.stats.dequeue(self.now, thread);
        self.note_leaving(cpu, thread, Left::Dead);
        self.sched.exit(Nanos(self.now), cpu);
        self.settle();
        self.note_end(thread);
    }

    /// Books the end of a thread, and the run's with that of the last one waited for.
    pub(super) fn note_end(&mut self, thread: u32) {
        let state = &mut self.threads[thread as usize];
        state.ended = self.now;
        let waited_for = state.ends;
        let task = &mut self.tasks[state.task as usize];
        task.alive -= 1;
        if task.alive == 0 {
            task.done = Some(self.now);
        }
        self.to_end = self.to_end.saturating_sub(u32::from(waited_for));
        if self.until == Until::Done && self.to_end == 0 {
            self.end = self.now;
        }
    }

    /// A thread gets a CPU: what that costs it before it makes progress.
    pub(super) fn resume(&mut self, cpu: CpuId, thread: u32) {
        let mut from = self.now + self.hardware.switch() + self.owed(thread);
        self.set_rate(cpu);
        let state = &mut self.threads[thread as usize];
        let task = &mut self.tasks[state.task as usize];
        state.cpu = cpu;
        if state.woken_at != NEVER {
            from += state.lines;
            task.record_latency(from - state.woken_at);
            state.woken_at = NEVER;
        }
        let place = &mut self.cpus[cpu.index()];
        place.from = from;
        let others = place.last.replace(thread) != Some(thread);
        match state.ran_on.replace(cpu) {
            Some(last) if last != cpu => {
                state.debt = self.hardware.warm_up(last, cpu, task.footprint);
            }
            Some(_) if others => {
                let away = self.now - state.left_cpu;
                let cold = self.hardware.cold_start(away, task.footprint);
                state.debt = state.debt.max(cold);
            }
            _ => {}
        }
        if state.phase == Phase::Work {
            state.pay_debt();
        }
        self.arm(cpu);
    }
}
