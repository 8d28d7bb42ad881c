//! A tournament tree: every CPU plays its next time, and the earliest wins.
//!
//! Changing one time replays only the matches on its way to the root, without a branch that could
//! be mispredicted, and stops where the winner stays the same.

/// No event.
pub(super) const NEVER: u64 = u64::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Player {
    time: u64,
    cpu: u32,
}

/// The earliest of the CPUs' times.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    /// Winner of each match: node `i` has the children `2i` and `2i + 1`, the root is node 1, and the
    /// last half are the CPUs.
    nodes: Vec<Player>,
    leaves: usize,
}

impl Tree {
    /// A tree of so many CPUs without an event.
    pub(super) fn new(nr_cpus: usize) -> Self {
        let leaves = nr_cpus.next_power_of_two();
        let mut nodes = vec![
            Player {
                time: NEVER,
                cpu: 0
            };
            2 * leaves
        ];
        for (cpu, leaf) in (0..).zip(&mut nodes[leaves..]) {
            leaf.cpu = cpu;
        }
        for at in (1..leaves).rev() {
            nodes[at] = nodes[2 * at];
        }
        Self { nodes, leaves }
    }

    /// The earliest time and its CPU; the lowest CPU of equal times. O(1).
    #[inline]
    pub(super) fn first(&self) -> (u64, u32) {
        let Player { time, cpu } = self.nodes[1];
        (time, cpu)
    }

    /// A CPU's time.
    pub(super) fn time(&self, cpu: u32) -> u64 {
        self.nodes[self.leaves + cpu as usize].time
    }

    /// Sets a CPU's time. O(log n).
    #[inline]
    pub(super) fn set(&mut self, cpu: u32, time: u64) {
        let mut at = self.leaves + cpu as usize;
        if self.nodes[at].time == time {
            return;
        }
        self.nodes[at].time = time;
        while at > 1 {
            let (left, right) = (self.nodes[at & !1], self.nodes[at | 1]);
            at /= 2;
            let winner = if right.time < left.time { right } else { left };
            if self.nodes[at] == winner {
                return;
            }
            self.nodes[at] = winner;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_earliest_and_lowest_wins(
            nr_cpus in 1_usize..70,
            ops in prop::collection::vec((0_u32..70, prop::option::of(0_u64..20)), 1..200),
        ) {
            let mut tree = Tree::new(nr_cpus);
            let mut times = vec![NEVER; nr_cpus];
            for (cpu, time) in ops {
                let (cpu, time) = (cpu % nr_cpus as u32, time.unwrap_or(NEVER));
                tree.set(cpu, time);
                times[cpu as usize] = time;
                let first = (0..).zip(&times).map(|(cpu, &time)| (time, cpu)).min();
                prop_assert_eq!(Some(tree.first()), first);
            }
        }
    }
}
