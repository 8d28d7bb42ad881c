//! A 4-ary heap in which each slot holds at most one pending time, moved or cancelled in place.

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    time: u64,
    /// Order in which keys were set: first come, first served among equal times.
    seq: u64,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    key: Key,
    slot: u32,
}

/// Not in the heap.
const ABSENT: u32 = u32::MAX;

/// Pending slots by time, and among equal times in the order in which they were set.
#[derive(Clone, Debug)]
pub(super) struct Heap {
    entries: Vec<Entry>,
    /// Where in `entries` each slot is.
    place: Vec<u32>,
    seq: u64,
}

impl Heap {
    /// An empty heap for so many slots.
    pub(super) fn new(slots: usize) -> Self {
        Self {
            entries: Vec::with_capacity(slots),
            place: vec![ABSENT; slots],
            seq: 0,
        }
    }

    /// The earliest time and its slot. O(1).
    #[inline]
    pub(super) fn first(&self) -> Option<(u64, u32)> {
        self.entries
            .first()
            .map(|entry| (entry.key.time, entry.slot))
    }

    /// Makes the slot pending at `time`, wherever it was before. O(log n).
    pub(super) fn set(&mut self, slot: u32, time: u64) {
        self.seq += 1;
        let key = Key {
            time,
            seq: self.seq,
        };
        let entry = Entry { key, slot };
        let at = self.place[slot as usize];
        if at == ABSENT {
            self.entries.push(entry);
            self.rise(self.entries.len() - 1, entry);
        } else {
            self.settle(at as usize, entry);
        }
    }

    /// When the slot is pending.
    pub(super) fn time(&self, slot: u32) -> Option<u64> {
        let at = self.place[slot as usize];
        (at != ABSENT).then(|| self.entries[at as usize].key.time)
    }

    /// Takes the slot out, if it is pending. O(log n).
    pub(super) fn cancel(&mut self, slot: u32) {
        let at = self.place[slot as usize];
        if at == ABSENT {
            return;
        }
        self.place[slot as usize] = ABSENT;
        if let Some(last) = self.entries.pop()
            && at as usize != self.entries.len()
        {
            self.settle(at as usize, last);
        }
    }

    /// Puts an entry that belongs at or near `at` in its place.
    #[inline]
    fn settle(&mut self, at: usize, entry: Entry) {
        if at > 0 && entry.key < self.entries[(at - 1) / 4].key {
            self.rise(at, entry);
        } else {
            self.sink(at, entry);
        }
    }

    fn rise(&mut self, mut at: usize, entry: Entry) {
        while at > 0 {
            let parent = (at - 1) / 4;
            if self.entries[parent].key < entry.key {
                break;
            }
            self.put(at, self.entries[parent]);
            at = parent;
        }
        self.put(at, entry);
    }

    fn sink(&mut self, mut at: usize, entry: Entry) {
        loop {
            let first = 4 * at + 1;
            let children = self.entries.get(first..).unwrap_or(&[]);
            let Some((offset, child)) = children
                .iter()
                .take(4)
                .copied()
                .enumerate()
                .min_by_key(|(_, child)| child.key)
            else {
                break;
            };
            if entry.key < child.key {
                break;
            }
            self.put(at, child);
            at = first + offset;
        }
        self.put(at, entry);
    }

    #[inline]
    fn put(&mut self, at: usize, entry: Entry) {
        self.entries[at] = entry;
        self.place[entry.slot as usize] = at as u32;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pop(heap: &mut Heap) -> Option<(u64, u32)> {
        let first = heap.first()?;
        heap.cancel(first.1);
        Some(first)
    }

    #[test]
    fn equal_times_come_in_the_order_set() {
        let mut heap = Heap::new(6);
        for slot in [5, 2, 0, 3] {
            heap.set(slot, 7);
        }
        heap.set(5, 7);
        let order: Vec<u32> = std::iter::from_fn(|| pop(&mut heap))
            .map(|(_, slot)| slot)
            .collect();
        assert_eq!(order, [2, 0, 3, 5]);
    }

    proptest! {
        #[test]
        fn agrees_with_a_sorted_list(ops in prop::collection::vec((0_u32..40, prop::option::of(0_u64..50)), 1..300)) {
            let mut heap = Heap::new(40);
            let mut list: Vec<(u64, u64, u32)> = Vec::new();
            for (seq, &(slot, time)) in (0_u64..).zip(&ops) {
                list.retain(|entry| entry.2 != slot);
                match time {
                    Some(time) => {
                        heap.set(slot, time);
                        list.push((time, seq, slot));
                    }
                    None => heap.cancel(slot),
                }
            }
            list.sort_unstable();
            for (time, _, slot) in list {
                prop_assert_eq!(pop(&mut heap), Some((time, slot)));
            }
            prop_assert_eq!(pop(&mut heap), None);
        }
    }
}
