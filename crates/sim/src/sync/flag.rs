//! Flags in memory.

use teeter_machine::CpuId;

use crate::thread::Thread;

/// A flag that threads set and poll.
#[derive(Clone, Debug)]
pub(crate) struct Flag {
    pub(crate) value: u32,
    /// CPU whose cache has the line.
    pub(crate) set_by: CpuId,
    /// First of those that poll it; [`Thread::next_waiter`] leads to the others.
    pub(crate) first_waiter: Option<u32>,
}

impl Flag {
    /// A flag that holds `value`.
    pub(crate) fn new(value: u32) -> Self {
        Self {
            value,
            set_by: CpuId(0),
            first_waiter: None,
        }
    }

    /// Puts a thread on the list of those that poll.
    pub(crate) fn join(&mut self, threads: &mut [Thread], thread: u32) {
        threads[thread as usize].next_waiter = self.first_waiter;
        self.first_waiter = Some(thread);
    }

    /// Takes a thread off the list. The list is as long as there are threads that poll, mostly one.
    pub(crate) fn leave(&mut self, threads: &mut [Thread], thread: u32) {
        let after = threads[thread as usize].next_waiter.take();
        if self.first_waiter == Some(thread) {
            self.first_waiter = after;
            return;
        }
        let mut at = self.first_waiter;
        while let Some(other) = at {
            let next = &mut threads[other as usize].next_waiter;
            if *next == Some(thread) {
                *next = after;
                return;
            }
            at = *next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiters(flag: &Flag, threads: &[Thread]) -> Vec<u32> {
        std::iter::successors(flag.first_waiter, |&at| threads[at as usize].next_waiter).collect()
    }

    #[test]
    fn waiters_leave_from_anywhere() {
        for gone in 0..3 {
            let mut threads = vec![Thread::new(0, 0); 3];
            let mut flag = Flag::new(0);
            (0..3).for_each(|thread| flag.join(&mut threads, thread));
            flag.leave(&mut threads, gone);
            let left: Vec<u32> = [2, 1, 0]
                .into_iter()
                .filter(|&thread| thread != gone)
                .collect();
            assert_eq!(waiters(&flag, &threads), left);
        }
    }
}
