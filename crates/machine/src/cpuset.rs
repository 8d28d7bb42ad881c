//! Sets of CPUs as fixed bit words: copied by value, no allocation.

use crate::CpuId;

/// The most CPUs a machine may have.
pub const MAX_CPUS: usize = teeter_scenario::limits::CPUS as usize;

const WORDS: usize = MAX_CPUS / 64;

/// A set of CPU numbers in `0..MAX_CPUS`, the kernel's `cpumask`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CpuSet {
    words: [u64; WORDS],
}

impl CpuSet {
    /// The empty set.
    pub const EMPTY: Self = Self { words: [0; WORDS] };

    /// The set `{0, …, n-1}`.
    pub fn first_n(n: usize) -> Self {
        (0..n.min(MAX_CPUS)).map(|cpu| CpuId(cpu as u16)).collect()
    }

    /// The set that holds one CPU.
    pub fn of(cpu: CpuId) -> Self {
        let mut set = Self::EMPTY;
        set.insert(cpu);
        set
    }

    /// Adds a CPU; numbers of `MAX_CPUS` and above are left out.
    pub fn insert(&mut self, cpu: CpuId) {
        if let Some(word) = self.words.get_mut(cpu.index() / 64) {
            *word |= 1 << (cpu.index() % 64);
        }
    }

    /// Takes a CPU out.
    pub fn remove(&mut self, cpu: CpuId) {
        if let Some(word) = self.words.get_mut(cpu.index() / 64) {
            *word &= !(1 << (cpu.index() % 64));
        }
    }

    /// Whether the CPU is in the set.
    #[inline]
    pub fn contains(&self, cpu: CpuId) -> bool {
        self.words
            .get(cpu.index() / 64)
            .is_some_and(|word| word >> (cpu.index() % 64) & 1 == 1)
    }

    /// How many CPUs it holds (`cpumask_weight`).
    pub fn len(&self) -> usize {
        self.words
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum()
    }

    /// Whether it holds none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.words.iter().fold(0, |all, word| all | word) == 0
    }

    /// The lowest CPU (`cpumask_first`).
    pub fn first(&self) -> Option<CpuId> {
        self.next_from(0)
    }

    /// The lowest CPU not below `start`.
    pub fn next_from(&self, start: usize) -> Option<CpuId> {
        let mut index = start / 64;
        let mut mask = u64::MAX << (start % 64);
        while let Some(word) = self.words.get(index) {
            let hit = word & mask;
            if hit != 0 {
                return Some(CpuId((index * 64) as u16 + hit.trailing_zeros() as u16));
            }
            mask = u64::MAX;
            index += 1;
        }
        None
    }

    /// CPUs in increasing order.
    pub fn iter(&self) -> Iter<'_> {
        Iter { set: self, next: 0 }
    }

    /// CPUs in increasing order from `start`, then those below it (`for_each_cpu_wrap`).
    pub fn iter_wrap(&self, start: CpuId) -> impl Iterator<Item = CpuId> + '_ {
        let start = start.index();
        Iter {
            set: self,
            next: start,
        }
        .chain(Iter { set: self, next: 0 }.take_while(move |cpu| cpu.index() < start))
    }

    /// The CPUs in both sets (`cpumask_and`).
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a & b)
    }

    /// The CPUs in either set (`cpumask_or`).
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a | b)
    }

    /// The CPUs in this set and not in the other (`cpumask_andnot`).
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a & !b)
    }

    /// Whether every CPU here is in the other too (`cpumask_subset`).
    pub fn is_subset(&self, other: &Self) -> bool {
        self.words
            .iter()
            .zip(&other.words)
            .all(|(a, b)| a & !b == 0)
    }

    /// Whether the two share a CPU (`cpumask_intersects`).
    pub fn intersects(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).any(|(a, b)| a & b != 0)
    }

    fn zip(&self, other: &Self, op: impl Fn(u64, u64) -> u64) -> Self {
        let mut words = self.words;
        for (word, &with) in words.iter_mut().zip(&other.words) {
            *word = op(*word, with);
        }
        Self { words }
    }
}

impl FromIterator<CpuId> for CpuSet {
    fn from_iter<I: IntoIterator<Item = CpuId>>(cpus: I) -> Self {
        let mut set = Self::EMPTY;
        for cpu in cpus {
            set.insert(cpu);
        }
        set
    }
}

impl<'a> IntoIterator for &'a CpuSet {
    type Item = CpuId;
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

/// The CPUs of a [`CpuSet`], in increasing order.
#[derive(Clone, Debug)]
pub struct Iter<'a> {
    set: &'a CpuSet,
    next: usize,
}

impl Iterator for Iter<'_> {
    type Item = CpuId;

    fn next(&mut self) -> Option<CpuId> {
        let cpu = self.set.next_from(self.next)?;
        self.next = cpu.index() + 1;
        Some(cpu)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(cpus: &[u16]) -> CpuSet {
        cpus.iter().map(|&cpu| CpuId(cpu)).collect()
    }

    #[test]
    fn iterates_in_order_across_words() {
        let cpus = set(&[1000, 3, 63, 64, 128]);
        assert_eq!(
            cpus.iter().map(|c| c.0).collect::<Vec<_>>(),
            [3, 63, 64, 128, 1000]
        );
        assert_eq!(cpus.len(), 5);
        assert_eq!(cpus.first(), Some(CpuId(3)));
    }

    #[test]
    fn wraps_from_a_start_in_or_out_of_the_set() {
        let cpus = set(&[1, 5, 9]);
        assert_eq!(
            cpus.iter_wrap(CpuId(5)).map(|c| c.0).collect::<Vec<_>>(),
            [5, 9, 1]
        );
        assert_eq!(
            cpus.iter_wrap(CpuId(6)).map(|c| c.0).collect::<Vec<_>>(),
            [9, 1, 5]
        );
    }

    #[test]
    fn set_algebra() {
        let (a, b) = (set(&[1, 2, 3]), set(&[3, 4]));
        assert_eq!(a.and(&b), set(&[3]));
        assert_eq!(a.or(&b), set(&[1, 2, 3, 4]));
        assert_eq!(a.minus(&b), set(&[1, 2]));
        assert!(a.intersects(&b) && !a.is_subset(&b) && set(&[3]).is_subset(&b));
    }
}
