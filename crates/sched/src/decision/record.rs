//! Decisions in columns, one for each kind.

use teeter_machine::CpuId;
use teeter_scenario::Nanos;

use super::{
    About, Affine, Balance, Decision, Idlest, NumaMigrate, Pass, Placement, Seen, Verdict,
};
use crate::ids::TaskId;

/// Decisions in the order in which they were made. Cleared, it keeps its memory.
#[derive(Clone, Debug, Default)]
pub struct Decisions {
    entries: Vec<Entry>,
    passes: Vec<Row>,
    seen: Vec<Seen>,
    candidates: Vec<(TaskId, Verdict)>,
    placements: Vec<Placement>,
    affine: Vec<Affine>,
    idlest: Vec<Idlest>,
    numa: Vec<NumaMigrate>,
}

/// One decision.
#[derive(Clone, Copy, Debug)]
struct Entry {
    at: Nanos,
    /// Its place in the column of its kind.
    row: u32,
    cpu: CpuId,
    column: Column,
}

#[derive(Clone, Copy, Debug)]
enum Column {
    Passes,
    Placements,
    Affine,
    Idlest,
    Numa,
}

/// A balance pass; what it saw and the tasks it looked at are in columns of their own.
#[derive(Clone, Copy, Debug)]
struct Row {
    balance: Balance,
    /// Whether it saw the groups.
    saw: bool,
    /// Rows of `seen`, and of `candidates`, that belong to passes before it.
    seen_at: u32,
    candidates_at: u32,
}

impl Decisions {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Forgets them.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.passes.clear();
        self.seen.clear();
        self.candidates.clear();
        self.placements.clear();
        self.affine.clear();
        self.idlest.clear();
        self.numa.clear();
    }

    /// Each of them, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = Decision<'_>> {
        self.entries.iter().filter_map(|entry| self.decision(entry))
    }

    /// A row that an entry names is there, as they are put down together.
    fn decision(&self, entry: &Entry) -> Option<Decision<'_>> {
        let row = entry.row as usize;
        let about = match entry.column {
            Column::Passes => About::Balance(self.pass(row)?),
            Column::Placements => About::Placement(self.placements.get(row)?),
            Column::Affine => About::Affine(self.affine.get(row)?),
            Column::Idlest => About::Idlest(self.idlest.get(row)?),
            Column::Numa => About::Numa(self.numa.get(row)?),
        };
        let (at, cpu) = (entry.at, entry.cpu);
        Some(Decision { at, cpu, about })
    }

    fn pass(&self, row: usize) -> Option<Pass<'_>> {
        let pass = self.passes.get(row)?;
        let end = self.passes.get(row + 1).map(|next| next.candidates_at);
        let end = end.map_or(self.candidates.len(), |end| end as usize);
        let seen = self.seen.get(pass.seen_at as usize);
        Some(Pass {
            balance: &pass.balance,
            seen: seen.filter(|_| pass.saw),
            candidates: self.candidates.get(pass.candidates_at as usize..end)?,
        })
    }

    fn enter(&mut self, at: Nanos, cpu: CpuId, column: Column, row: usize) {
        let row = row as u32;
        self.entries.push(Entry {
            at,
            row,
            cpu,
            column,
        });
    }

    pub(super) fn add_balance(
        &mut self,
        (at, cpu): (Nanos, CpuId),
        balance: Balance,
        seen: Option<&Seen>,
        candidates: &[(TaskId, Verdict)],
    ) {
        self.enter(at, cpu, Column::Passes, self.passes.len());
        self.passes.push(Row {
            balance,
            saw: seen.is_some(),
            seen_at: self.seen.len() as u32,
            candidates_at: self.candidates.len() as u32,
        });
        if let Some(seen) = seen {
            self.seen.push(*seen);
        }
        self.candidates.extend_from_slice(candidates);
    }

    pub(super) fn add_placement(&mut self, (at, cpu): (Nanos, CpuId), placement: Placement) {
        self.enter(at, cpu, Column::Placements, self.placements.len());
        self.placements.push(placement);
    }

    pub(super) fn add_affine(&mut self, (at, cpu): (Nanos, CpuId), affine: Affine) {
        self.enter(at, cpu, Column::Affine, self.affine.len());
        self.affine.push(affine);
    }

    pub(super) fn add_idlest(&mut self, (at, cpu): (Nanos, CpuId), idlest: Idlest) {
        self.enter(at, cpu, Column::Idlest, self.idlest.len());
        self.idlest.push(idlest);
    }

    pub(super) fn add_numa(&mut self, (at, cpu): (Nanos, CpuId), attempt: NumaMigrate) {
        self.enter(at, cpu, Column::Numa, self.numa.len());
        self.numa.push(attempt);
    }
}
