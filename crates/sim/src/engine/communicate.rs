//! Threads that wait for each other asleep: mutexes, conditions and channels.
//!
//! A call takes its time on the caller's CPU and has its effect on others at its end. A thread that has to
//! wait sleeps; when it is woken it looks again, as the kernel's waiters do, unless it was handed what it
//! waited for.

use teeter_machine::CpuId;
use teeter_scenario::document::workload::ChannelKind;

use super::Simulation;
use crate::code::{NO_MUTEX, work};
use crate::seed::{Purpose, draw};
use crate::sync::Wait;
use crate::thread::{Call, Phase};

impl Simulation {
    /// Takes a mutex or sleeps for it. Gives whether time passes.
    pub(super) fn lock(&mut self, cpu: CpuId, thread: u32, mutex: u32) -> bool {
        let locked = &mut self.shared.mutexes[mutex as usize];
        if locked.owner.is_some() {
            // One to whom it is handed does not ask again.
            let again = !locked.handoff;
            self.block(cpu, thread, Wait::Mutex(mutex), again);
            return true;
        }
        locked.owner = Some(thread);
        let line = self.hardware.line(locked.taken_on, cpu);
        locked.taken_on = cpu;
        if line == 0 {
            return false;
        }
        let state = &mut self.threads[thread as usize];
        state.phase = Phase::Work;
        state.left = work(line);
        self.arm(cpu);
        true
    }

    /// Gives a mutex back; where somebody waits for it, that takes a call. Gives whether time passes.
    pub(super) fn unlock(&mut self, cpu: CpuId, thread: u32, mutex: u32) -> bool {
        let locked = &mut self.shared.mutexes[mutex as usize];
        if locked.owner != Some(thread) {
            return false;
        }
        let contended = !locked.waiters.is_empty();
        if !(contended && locked.handoff) {
            locked.owner = None;
        }
        if contended {
            let wake = self.hardware.single_wake_work();
            self.call(cpu, thread, Call::Unlock { mutex }, wake);
        }
        contended
    }

    /// Sleeps on a condition. Giving back a mutex takes a call.
    pub(super) fn wait(&mut self, cpu: CpuId, thread: u32, condition: u32, mutex: u32) {
        if mutex == NO_MUTEX {
            return self.block(cpu, thread, Wait::Condition(condition), false);
        }
        let mut time = self.hardware.futex_wait();
        let locked = &self.shared.mutexes[mutex as usize];
        if locked.owner == Some(thread) && !locked.waiters.is_empty() {
            time += self.hardware.single_wake_work();
        }
        self.call(cpu, thread, Call::Wait { condition, mutex }, time);
    }

    /// Wakes one that waits on a condition. Gives whether time passes.
    pub(super) fn signal(&mut self, cpu: CpuId, thread: u32, condition: u32) -> bool {
        let somebody = !self.shared.conditions[condition as usize]
            .waiters
            .is_empty();
        if somebody {
            let wake = self.hardware.single_wake_work();
            self.call(cpu, thread, Call::Signal { condition }, wake);
        }
        somebody
    }

    /// Wakes all that wait on a condition now. Gives whether time passes.
    pub(super) fn broadcast(&mut self, cpu: CpuId, thread: u32, condition: u32) -> bool {
        let waited = &mut self.shared.conditions[condition as usize];
        let waiters = &mut waited.waiters;
        waited.to_wake.append(&mut self.threads, waiters);
        let somebody = !waited.to_wake.is_empty();
        if somebody {
            let wake = self.hardware.wake_work();
            self.call(cpu, thread, Call::Broadcast { condition }, wake);
        }
        somebody
    }

    /// Puts a message into a channel, or sleeps until there is room.
    pub(super) fn send(&mut self, cpu: CpuId, thread: u32, channel: u32) {
        let used = &mut self.shared.channels[channel as usize];
        if !used.has_room() {
            return self.block(cpu, thread, Wait::Room(channel), true);
        }
        used.reserve();
        let hold = self.hardware.channel_lock(&used.made, used.locked_on, cpu);
        let mut time = self
            .hardware
            .send(&used.made, cpu, used.received_on, !used.sent_last)
            + work(used.lock(self.now, cpu, hold));
        if used.made.segment == 0 && !used.receivers.is_empty() {
            time += self.hardware.single_wake_work();
        }
        let state = &mut self.threads[thread as usize];
        let waited = std::mem::take(&mut state.waited);
        self.call(cpu, thread, Call::Send { channel, waited }, time);
    }

    /// Takes a message from a channel, or sleeps until there is one.
    pub(super) fn receive(&mut self, cpu: CpuId, thread: u32, channel: u32) {
        let used = &mut self.shared.channels[channel as usize];
        let messages = used.take();
        if messages == 0 {
            return self.block(cpu, thread, Wait::Message(channel), true);
        }
        let hold = self.hardware.channel_lock(&used.made, used.locked_on, cpu);
        let mut time =
            self.hardware
                .receive(&used.made, messages, used.sent_on, cpu, used.sent_last)
                + work(used.lock(self.now, cpu, hold));
        if used.lets_senders_go(messages) {
            time += self.hardware.single_wake_work();
        }
        if used.leaves_some() {
            time += self.hardware.single_wake_work();
        }
        self.threads[thread as usize].waited = false;
        self.call(cpu, thread, Call::Receive { channel, messages }, time);
    }

    /// Begins a call that takes so much work, more or less.
    fn call(&mut self, cpu: CpuId, thread: u32, call: Call, time: u64) {
        let spread = self.hardware.call_spread(time);
        let time = time - spread + self.draw_call(thread, 2 * spread);
        let state = &mut self.threads[thread as usize];
        state.phase = Phase::Call(call);
        state.left = time;
        if !matches!(call, Call::Push { .. }) {
            state.call_began = self.now;
        }
        state.pay_debt();
        self.arm(cpu);
    }

    /// A number in `0..below` for the time of a thread's next call.
    fn draw_call(&mut self, thread: u32, below: u64) -> u64 {
        if below == 0 {
            return 0;
        }
        let state = &mut self.threads[thread as usize];
        state.calls = state.calls.wrapping_add(1);
        let entity = u64::from(thread) << 32 | u64::from(state.calls);
        draw(self.seed, Purpose::Call, entity, below)
    }

    /// A call comes to its end.
    pub(super) fn finish(&mut self, cpu: CpuId, thread: u32, call: Call) {
        let woken = match call {
            Call::Send { channel, waited } => return self.sent(cpu, thread, channel, waited),
            Call::Push { channel, waited } => {
                self.shared.channels[channel as usize].push();
                return self.handed_over(cpu, thread, channel, waited);
            }
            Call::Receive { channel, messages } => {
                let used = &mut self.shared.channels[channel as usize];
                used.free(cpu, messages);
                let sender = if used.lets_senders_go(0) {
                    used.senders.pop(&mut self.threads)
                } else {
                    None
                };
                // Of several that receive, one that leaves messages wakes the next.
                let receiver = if used.leaves_some() {
                    used.receivers.pop(&mut self.threads)
                } else {
                    None
                };
                let sync = used.made.kind != ChannelKind::Semaphore;
                return self.go_on_having_woken(cpu, thread, [sender, receiver], sync);
            }
            Call::Unlock { mutex } => self.next_owner(mutex),
            Call::Wait { condition, mutex } => return self.park(cpu, thread, condition, mutex),
            Call::Signal { condition } => self.shared.conditions[condition as usize]
                .waiters
                .pop(&mut self.threads),
            Call::Broadcast { condition } => {
                let to_wake = &mut self.shared.conditions[condition as usize].to_wake;
                let next = to_wake.pop(&mut self.threads);
                if !to_wake.is_empty() {
                    self.threads[thread as usize].left = self.hardware.wake_work();
                    self.arm(cpu);
                    return self.let_go(cpu, thread, next, false);
                }
                next
            }
        };
        self.go_on_having_woken(cpu, thread, [woken, None], false);
    }

    /// A message has come into a channel. It is handed over by itself, or with others in a segment.
    fn sent(&mut self, cpu: CpuId, thread: u32, channel: u32, waited: bool) {
        let used = &mut self.shared.channels[channel as usize];
        used.put(cpu);
        if used.has_segment() {
            let mut time = self.hardware.push(&used.made);
            if !used.receivers.is_empty() {
                time += self.hardware.single_wake_work();
            }
            return self.call(cpu, thread, Call::Push { channel, waited }, time);
        }
        if used.made.segment > 0 {
            return self.go_on(cpu, thread);
        }
        self.handed_over(cpu, thread, channel, waited);
    }

    /// Messages are there to be received: one who waits for them is woken. A sender who was woken because
    /// there was room wakes the next one if there still is.
    fn handed_over(&mut self, cpu: CpuId, thread: u32, channel: u32, waited: bool) {
        let used = &mut self.shared.channels[channel as usize];
        let receiver = used.receivers.pop(&mut self.threads);
        let sender = if waited && used.has_room() {
            used.senders.pop(&mut self.threads)
        } else {
            None
        };
        let sync = used.made.kind != ChannelKind::Semaphore;
        self.go_on_having_woken(cpu, thread, [receiver, sender], sync);
    }

    /// The one to be woken because a mutex is given back.
    fn next_owner(&mut self, mutex: u32) -> Option<u32> {
        let locked = &mut self.shared.mutexes[mutex as usize];
        let next = locked.waiters.pop(&mut self.threads);
        if locked.handoff {
            locked.owner = next;
        }
        next
    }

    /// Gives a mutex back and sleeps on a condition.
    fn park(&mut self, cpu: CpuId, thread: u32, condition: u32, mutex: u32) {
        let locked = &mut self.shared.mutexes[mutex as usize];
        let woken = if locked.owner == Some(thread) {
            locked.owner = None;
            self.next_owner(mutex)
        } else {
            None
        };
        if self.threads[thread as usize].killed {
            return self.go_on_having_woken(cpu, thread, [woken, None], false);
        }
        self.enlist(thread, condition);
        if woken.is_none() {
            return self.sleep(cpu, thread, Phase::Blocked(Wait::Condition(condition)));
        }
        self.threads[thread as usize].phase = Phase::Parking;
        self.arm(cpu);
        self.let_go(cpu, thread, woken, false);
    }

    /// Puts a thread on the list of a condition before it sleeps.
    pub(super) fn enlist(&mut self, thread: u32, condition: u32) {
        let wait = Wait::Condition(condition);
        self.shared.waiters(wait).push(&mut self.threads, thread);
        self.threads[thread as usize].enlisted = Some(condition);
    }

    /// Sleeps until taken off the list of a condition, if that has not happened yet. Gives whether it does.
    pub(super) fn parks(&mut self, cpu: CpuId, thread: u32) -> bool {
        let enlisted = self.threads[thread as usize].enlisted;
        if let Some(condition) = enlisted {
            self.sleep(cpu, thread, Phase::Blocked(Wait::Condition(condition)));
        }
        enlisted.is_some()
    }

    /// Takes the workload's spin lock of the CPU it is on, or polls until it is free and looks again, where it
    /// is then. Gives whether time passes.
    pub(super) fn lock_cpu(&mut self, cpu: CpuId, thread: u32, first: u32) -> bool {
        let flag = first + u32::from(cpu.0);
        let lock = &mut self.shared.flags[flag as usize];
        let taken = lock.value != 0;
        let state = &mut self.threads[thread as usize];
        if taken {
            state.pc -= 1;
            state.phase = Phase::Spin { flag, value: 0 };
            lock.join(&mut self.threads, thread);
            self.arm(cpu);
        } else {
            state.cpu_lock = Some(flag);
            lock.value = 1;
            lock.set_by = cpu;
        }
        taken
    }

    /// The thread on `cpu` sleeps until it is let go; then it does the same `again`, or goes on.
    fn block(&mut self, cpu: CpuId, thread: u32, wait: Wait, again: bool) {
        let state = &mut self.threads[thread as usize];
        state.pc -= u32::from(again);
        state.waited = again;
        self.shared.waiters(wait).push(&mut self.threads, thread);
        self.sleep(cpu, thread, Phase::Blocked(wait));
    }

    /// The thread goes on with its program; those that it has woken run when they can.
    fn go_on_having_woken(&mut self, cpu: CpuId, thread: u32, woken: [Option<u32>; 2], sync: bool) {
        if woken == [None; 2] {
            return self.go_on(cpu, thread);
        }
        self.threads[thread as usize].phase = Phase::Ready;
        self.arm(cpu);
        for sleeper in woken {
            self.let_go(cpu, thread, sleeper, sync);
        }
    }

    /// A thread that was taken off the list of what it waited for goes on.
    fn let_go(&mut self, cpu: CpuId, waker: u32, sleeper: Option<u32>, sync: bool) {
        let Some(sleeper) = sleeper else { return };
        let began = self.threads[waker as usize].call_began;
        let state = &mut self.threads[sleeper as usize];
        state.waker_began = began;
        state.enlisted = None;
        if !matches!(state.phase, Phase::Blocked(_)) {
            return;
        }
        self.wake(cpu, sleeper, sync);
        self.settle();
    }

    /// Takes a thread off the list of what it waits for.
    pub(super) fn stop_waiting(&mut self, wait: Wait, thread: u32) {
        let threads = &mut self.threads;
        threads[thread as usize].enlisted = None;
        self.shared.waiters(wait).remove(threads, thread);
        if let Wait::Condition(condition) = wait {
            let to_wake = &mut self.shared.conditions[condition as usize].to_wake;
            to_wake.remove(threads, thread);
        }
    }
}
