//! Why a CPU has the domains it has.

use std::fmt;

use teeter_machine::{CpuId, CpuSet};
use teeter_scenario::CpuList;

use super::attach::Fate;
use super::level::{Absent, Kind};
use super::{Flags, SchedDomains};
use crate::rules::AsymCapacity;

/// Why a CPU has the domains it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Explanation {
    /// It has none, as it is offline.
    Offline,
    /// It has none, as it is isolated.
    Isolated,
    /// What became of each level, lowest first.
    Levels(Vec<Step>),
}

/// What became of one level for one CPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The level as the kernel names it.
    pub name: &'static str,
    /// The node distance up to which a NUMA level reaches.
    pub distance: Option<u8>,
    /// CPUs of its domain; none if it was not built.
    pub span: Option<CpuSet>,
    /// What became of it.
    pub outcome: Outcome,
    /// What happened to its flags.
    pub notes: Vec<Note>,
}

/// What became of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The CPU balances over it.
    Kept,
    /// Dropped: it spans one CPU.
    OneCpu,
    /// Dropped: it has one group, and no flag for which that is enough.
    OneGroup,
    /// Dropped: it spans what the domain below it spans, and adds no flag.
    AddsNothing {
        /// The level of the domain below.
        to: &'static str,
    },
    /// Not built: a domain below spans all CPUs already.
    AllSpanned,
    /// Not built: this kernel has no level of clusters.
    NoClusters,
    /// Not built: this kernel leaves out clusters where cores differ in kind.
    NoClustersOfHybrid,
    /// Not built: a package holds several nodes, so that a node is no larger than a package.
    NumaInPackage,
}

/// What happened to the flags of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// It passed SD_PREFER_SIBLING on to the level below when it was dropped.
    PreferSiblingMoved {
        /// The level below.
        to: &'static str,
    },
    /// It took SD_PREFER_SIBLING from the level below, as it spans CPUs of different capacity.
    PreferSiblingTaken,
    /// It lies farther than RECLAIM_DISTANCE, so that forks, execs and wakeups stay below it.
    Far {
        /// RECLAIM_DISTANCE.
        reclaim_distance: u8,
    },
}

impl SchedDomains {
    /// Why a CPU has the domains it has.
    pub fn explain(&self, cpu: CpuId) -> Explanation {
        if !self.online.contains(cpu) {
            return Explanation::Offline;
        }
        if self.isolated.contains(cpu) {
            return Explanation::Isolated;
        }
        let mut built = self.domains.built(cpu);
        let mut steps = Vec::new();
        for &(kind, absent) in &self.kinds {
            let mut step = Step {
                name: kind.name(&self.rules),
                distance: match kind {
                    Kind::Numa { distance, .. } => Some(distance),
                    _ => None,
                },
                span: None,
                outcome: match absent {
                    Some(Absent::Clusters) => Outcome::NoClusters,
                    Some(Absent::ClustersOfHybrid) => Outcome::NoClustersOfHybrid,
                    Some(Absent::NumaInPackage) => Outcome::NumaInPackage,
                    None => Outcome::AllSpanned,
                },
                notes: Vec::new(),
            };
            if absent.is_none()
                && let Some(sd) = built.next()
            {
                self.describe(sd.index(), &mut step);
            }
            steps.push(step);
        }
        Explanation::Levels(steps)
    }

    /// Fills in what became of a domain that was built.
    fn describe(&self, sd: usize, step: &mut Step) {
        let sd = &self.domains.sds[sd];
        step.span = Some(sd.span);
        step.outcome = match sd.fate {
            Fate::Kept => Outcome::Kept,
            Fate::OneCpu => Outcome::OneCpu,
            Fate::OneGroup => Outcome::OneGroup,
            Fate::AddsNothing { to, moved } => {
                let to = self.domains.sd(to).name;
                if moved {
                    step.notes.push(Note::PreferSiblingMoved { to });
                }
                Outcome::AddsNothing { to }
            }
        };
        let took = self.rules.asym_capacity != AsymCapacity::Unseen && sd.level > 0;
        if took && sd.flags.has(Flags::ASYM_CPUCAPACITY) {
            step.notes.push(Note::PreferSiblingTaken);
        }
        if step
            .distance
            .is_some_and(|distance| distance > self.reclaim_distance)
        {
            step.notes.push(Note::Far {
                reclaim_distance: self.reclaim_distance,
            });
        }
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Offline => f.write_str("no domains: the CPU is offline"),
            Self::Isolated => f.write_str("no domains: the CPU is isolated"),
            Self::Levels(steps) => {
                let lines: Vec<String> = steps.iter().map(Step::to_string).collect();
                f.write_str(&lines.join("\n"))
            }
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)?;
        if let Some(distance) = self.distance {
            write!(f, " (distance {distance})")?;
        }
        if let Some(span) = &self.span {
            write!(f, " {}", list(span))?;
        }
        write!(f, ": {}", self.outcome)?;
        for note in &self.notes {
            write!(f, "; {note}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kept => f.write_str("kept"),
            Self::OneCpu => f.write_str("dropped because it spans one CPU"),
            Self::OneGroup => f.write_str("dropped because it has one group only"),
            Self::AddsNothing { to } => {
                write!(
                    f,
                    "dropped because it spans the same CPUs as {to} and adds no flag"
                )
            }
            Self::AllSpanned => f.write_str("not built because a level below spans all CPUs"),
            Self::NoClusters => f.write_str("not built because this kernel knows no clusters"),
            Self::NoClustersOfHybrid => f.write_str(
                "not built because this kernel leaves out clusters on hybrid processors",
            ),
            Self::NumaInPackage => f.write_str("not built because a package holds several nodes"),
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PreferSiblingMoved { to } => write!(f, "{to} takes over its SD_PREFER_SIBLING"),
            Self::PreferSiblingTaken => {
                f.write_str("the level below loses SD_PREFER_SIBLING, as capacities differ here")
            }
            Self::Far { reclaim_distance } => write!(
                f,
                "no fork, exec or wakeup balancing beyond distance {reclaim_distance}"
            ),
        }
    }
}

/// CPUs as the kernel lists them: `0-3,8`.
fn list(cpus: &CpuSet) -> String {
    let list: CpuList = cpus.iter().map(|cpu| u32::from(cpu.0)).collect();
    list.to_string()
}
