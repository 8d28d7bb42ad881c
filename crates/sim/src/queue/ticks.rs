//! The ticks of all CPUs. They have one period and phases of their own, so that the next one is the next CPU in a
//! fixed order: no comparison of times is needed.

use super::tree::NEVER;

/// When a CPU's tick comes within each period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Phase {
    phase: u64,
    cpu: u32,
}

/// Of 64 ranks, a bit each.
#[derive(Clone, Copy, Debug, Default)]
struct Word {
    /// Those that tick.
    ticking: u64,
    /// Those among them that are left out the next time the order comes to them.
    late: u64,
}

/// Which CPUs tick, and which is next. A CPU that ticks does so once a period; one that begins to, begins less than a
/// period after now, or just a period.
#[derive(Clone, Debug)]
pub(super) struct Ticks {
    /// ns
    period: u64,
    /// CPUs in the order in which they tick; the place of each is its rank.
    order: Vec<Phase>,
    ranks: Vec<u32>,
    /// 64 ranks each.
    words: Vec<Word>,
    /// The next tick ([`NEVER`]: nobody ticks), and its rank.
    next: u64,
    at: usize,
}

impl Ticks {
    /// CPUs that tick at these phases, less than a period each, once they begin to.
    pub(super) fn new(period: u64, phases: impl Iterator<Item = u64>) -> Self {
        let mut order: Vec<Phase> = phases
            .zip(0..)
            .map(|(phase, cpu)| Phase { phase, cpu })
            .collect();
        order.sort_unstable();
        let mut ranks = vec![0; order.len()];
        for (rank, of) in (0..).zip(&order) {
            ranks[of.cpu as usize] = rank;
        }
        let words = order.len().div_ceil(64);
        Self {
            period,
            order,
            ranks,
            words: vec![Word::default(); words],
            next: NEVER,
            at: 0,
        }
    }

    /// How many CPUs there are.
    pub(super) fn nr_cpus(&self) -> usize {
        self.order.len()
    }

    /// The next tick and its CPU; the lowest CPU of equal times. O(1).
    #[inline]
    pub(super) fn first(&self) -> (u64, u32) {
        (self.next, self.order[self.at].cpu)
    }

    /// The first tick has come: that CPU's next one is a period later. O(CPUs / 64).
    #[inline]
    pub(super) fn pass(&mut self) {
        if self.next != NEVER {
            self.advance();
        }
    }

    /// The CPU, which did not, ticks from now on: the first time after now.
    pub(super) fn start(&mut self, cpu: u32, now: u64) {
        let rank = self.ranks[cpu as usize] as usize;
        let phase = self.order[rank].phase;
        let time = if now < phase {
            phase
        } else {
            now + self.period - (now - phase) % self.period
        };
        self.words[rank / 64].ticking |= 1 << (rank % 64);
        if (time, rank) < (self.next, self.at) {
            (self.next, self.at) = (time, rank);
            return;
        }
        let begin = self.next - self.order[self.at].phase;
        let in_order = if rank > self.at {
            begin + phase
        } else {
            begin + self.period + phase
        };
        if in_order < time {
            self.words[rank / 64].late |= 1 << (rank % 64);
        }
    }

    /// The CPU ticks no longer.
    pub(super) fn stop(&mut self, cpu: u32) {
        let rank = self.ranks[cpu as usize] as usize;
        let (word, bit) = (&mut self.words[rank / 64], 1 << (rank % 64));
        let was = word.ticking & bit != 0;
        word.ticking &= !bit;
        word.late &= !bit;
        if was && rank == self.at {
            if self.words.iter().all(|word| word.ticking == 0) {
                self.next = NEVER;
            } else {
                self.advance();
            }
        }
    }

    /// Goes on to the next rank that ticks; there is one.
    #[inline]
    fn advance(&mut self) {
        let mut begin = self.next - self.order[self.at].phase;
        let mut from = self.at + 1;
        loop {
            let mut at = from / 64;
            let mut mask = u64::MAX << (from % 64);
            while let Some(word) = self.words.get_mut(at) {
                let in_time = word.ticking & !word.late & mask;
                if in_time != 0 {
                    let bit = in_time.trailing_zeros();
                    // Whoever was late and is passed over is so no longer.
                    word.late &= !(mask & ((1 << bit) - 1));
                    let rank = at * 64 + bit as usize;
                    self.at = rank;
                    self.next = begin + self.order[rank].phase;
                    return;
                }
                word.late &= !mask;
                mask = u64::MAX;
                at += 1;
            }
            begin += self.period;
            from = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PERIOD: u64 = 8;

    /// What happens to CPUs: they begin, end, or time passes to the next tick or by so much.
    #[derive(Clone, Debug)]
    enum Op {
        Start(u32),
        Stop(u32),
        Pass,
        Wait(u64),
    }

    fn op() -> impl Strategy<Value = Op> {
        prop_oneof![
            (0_u32..70).prop_map(Op::Start),
            (0_u32..70).prop_map(Op::Stop),
            Just(Op::Pass),
            Just(Op::Pass),
            (0_u64..20).prop_map(Op::Wait),
        ]
    }

    proptest! {
        #[test]
        fn each_ticks_on_its_own_grid_in_the_order_of_time_and_number(
            phases in prop::collection::vec(0..PERIOD, 1..70),
            ops in prop::collection::vec(op(), 1..300),
        ) {
            let nr_cpus = phases.len() as u32;
            let mut ticks = Ticks::new(PERIOD, phases.iter().copied());
            let mut times = vec![NEVER; phases.len()];
            let mut now = 0;
            for op in ops {
                let first = (0..).zip(&times).map(|(cpu, &time)| (time, cpu)).min();
                match op {
                    Op::Start(cpu) => {
                        let cpu = cpu % nr_cpus;
                        let (time, phase) = (&mut times[cpu as usize], phases[cpu as usize]);
                        if *time == NEVER {
                            ticks.start(cpu, now);
                            *time = (now + 1..=now + PERIOD).find(|t| t % PERIOD == phase).unwrap();
                            if now < phase {
                                *time = phase;
                            }
                        }
                    }
                    Op::Stop(cpu) => {
                        let cpu = cpu % nr_cpus;
                        ticks.stop(cpu);
                        times[cpu as usize] = NEVER;
                    }
                    Op::Pass => {
                        if let Some((time, cpu)) = first.filter(|(time, _)| *time != NEVER) {
                            now = time;
                            ticks.pass();
                            times[cpu as usize] += PERIOD;
                        }
                    }
                    // No tick is passed over.
                    Op::Wait(by) => now = first.map_or(now + by, |(time, _)| time.min(now + by)),
                }
                let first = (0..).zip(&times).map(|(cpu, &time)| (time, cpu)).min();
                let said = ticks.first();
                prop_assert_eq!(Some(said.0), first.map(|(time, _)| time));
                if said.0 != NEVER {
                    prop_assert_eq!(Some(said), first);
                }
            }
        }
    }
}
