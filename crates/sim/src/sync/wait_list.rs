//! Threads that sleep until they are let go.

use crate::thread::Thread;

/// Threads that wait for the same thing, the one that has waited longest first. A thread is on one list at a
/// time; [`Thread::next_waiter`] leads from one to the next.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WaitList {
    first: Option<u32>,
    last: Option<u32>,
}

impl WaitList {
    pub(crate) fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    /// Puts a thread behind the others.
    pub(crate) fn push(&mut self, threads: &mut [Thread], thread: u32) {
        threads[thread as usize].next_waiter = None;
        match self.last.replace(thread) {
            Some(before) => threads[before as usize].next_waiter = Some(thread),
            None => self.first = Some(thread),
        }
    }

    /// Takes off the thread that has waited longest.
    pub(crate) fn pop(&mut self, threads: &mut [Thread]) -> Option<u32> {
        let first = self.first?;
        self.first = threads[first as usize].next_waiter.take();
        if self.first.is_none() {
            self.last = None;
        }
        Some(first)
    }

    /// Puts all of another list behind.
    pub(crate) fn append(&mut self, threads: &mut [Thread], others: &mut Self) {
        let Some(first) = others.first else { return };
        match self.last {
            Some(before) => threads[before as usize].next_waiter = Some(first),
            None => self.first = Some(first),
        }
        self.last = others.last;
        *others = Self::default();
    }

    /// Takes a thread off wherever it is, if it is on the list.
    pub(crate) fn remove(&mut self, threads: &mut [Thread], thread: u32) {
        let mut before = None;
        let mut at = self.first;
        while let Some(other) = at {
            let next = threads[other as usize].next_waiter;
            if other == thread {
                threads[other as usize].next_waiter = None;
                match before {
                    Some(before) => {
                        let before: u32 = before;
                        threads[before as usize].next_waiter = next;
                    }
                    None => self.first = next,
                }
                if next.is_none() {
                    self.last = before;
                }
                return;
            }
            before = Some(other);
            at = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drain(mut list: WaitList, threads: &mut [Thread]) -> Vec<u32> {
        std::iter::from_fn(|| list.pop(threads)).collect()
    }

    fn list(threads: &mut [Thread], waiters: &[u32]) -> WaitList {
        let mut list = WaitList::default();
        for &waiter in waiters {
            list.push(threads, waiter);
        }
        list
    }

    #[test]
    fn waiters_leave_in_the_order_they_came() {
        let threads = &mut vec![Thread::new(0, 0); 6];
        let mut ahead = list(threads, &[3, 1]);
        let mut behind = list(threads, &[0, 2]);
        ahead.append(threads, &mut behind);
        ahead.append(threads, &mut behind);
        ahead.push(threads, 5);
        assert!(behind.is_empty());
        assert_eq!(drain(ahead, threads), [3, 1, 0, 2, 5]);
    }

    #[test]
    fn waiters_can_leave_from_anywhere() {
        for gone in [3, 1, 0, 4] {
            let threads = &mut vec![Thread::new(0, 0); 6];
            let mut left = list(threads, &[3, 1, 0]);
            left.remove(threads, gone);
            left.push(threads, 5);
            let expected: Vec<u32> = [3, 1, 0, 5]
                .into_iter()
                .filter(|&waiter| waiter != gone)
                .collect();
            assert_eq!(drain(left, threads), expected);
        }
    }
}
