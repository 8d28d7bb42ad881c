//! Flags of machines whose CPUs differ in capacity.
//!
//! Source: kernel/sched/topology.c `asym_cpu_capacity_level` (v4.20 to v5.13), `asym_cpu_capacity_classify`
//! (v5.14).

use teeter_machine::{CpuSet, Topology};

use super::Flags;
use super::level::Level;
use crate::rules::AsymCapacity;

/// What is known of the capacities of the machine's CPUs.
pub(super) enum Capacities {
    /// They are alike, or the kernel does not look.
    Alike,
    /// They differ, and this is the level that says so.
    Level { level: usize, balance_wake: bool },
    /// The CPUs of each capacity.
    Classes(Vec<CpuSet>),
}

impl Capacities {
    /// Looks at the CPUs as the kernel does.
    pub(super) fn of(
        topology: &Topology,
        rule: AsymCapacity,
        levels: &[Level],
        map: &CpuSet,
    ) -> Self {
        match rule {
            AsymCapacity::Unseen => Self::Alike,
            AsymCapacity::OneLevel { balance_wake } => {
                let level = lowest_level_with_biggest(topology, levels, map);
                level.map_or(Self::Alike, |level| Self::Level {
                    level,
                    balance_wake,
                })
            }
            AsymCapacity::Classified => {
                let classes = classes(topology);
                if classes.len() < 2 {
                    Self::Alike
                } else {
                    Self::Classes(classes)
                }
            }
        }
    }

    /// Flags that they give a domain.
    pub(super) fn flags(&self, level: usize, span: &CpuSet, map: &CpuSet) -> Flags {
        match self {
            Self::Level { level: asym, .. } if *asym == level => Flags::ASYM_CPUCAPACITY,
            Self::Classes(classes) => {
                let spanned = |class: &&CpuSet| class.intersects(span);
                let count = classes.iter().filter(spanned).count();
                let missed = |class: &CpuSet| !class.intersects(span) && class.intersects(map);
                if count < 2 {
                    Flags::NONE
                } else if classes.iter().any(missed) {
                    Flags::ASYM_CPUCAPACITY
                } else {
                    Flags::ASYM_CPUCAPACITY.with(Flags::ASYM_CPUCAPACITY_FULL)
                }
            }
            Self::Alike | Self::Level { .. } => Flags::NONE,
        }
    }

    /// Whether domains below one that has the flag, and that one, balance at wakeups.
    pub(super) fn balance_wake(&self) -> bool {
        matches!(
            self,
            Self::Level {
                balance_wake: true,
                ..
            }
        )
    }
}

/// CPUs of each capacity, isolated ones aside.
fn classes(topology: &Topology) -> Vec<CpuSet> {
    let mut classes: Vec<(u32, CpuSet)> = Vec::new();
    for (cpu, place) in topology.cpu_ids().zip(&topology.cpus) {
        if topology.isolated.contains(cpu) {
            continue;
        }
        match classes
            .iter_mut()
            .find(|(capacity, _)| *capacity == place.capacity)
        {
            Some((_, class)) => class.insert(cpu),
            None => classes.push((place.capacity, CpuSet::of(cpu))),
        }
    }
    classes.into_iter().map(|(_, class)| class).collect()
}

/// The lowest level at which every CPU sees one as big as it will ever see; `None` if all are alike.
fn lowest_level_with_biggest(topology: &Topology, levels: &[Level], map: &CpuSet) -> Option<usize> {
    let biggest_of_unit = |level: &Level| -> Vec<u32> {
        let mut biggest = vec![0; level.units.len()];
        for cpu in map {
            let unit = &mut biggest[level.unit_of(cpu)];
            *unit = topology.cpu(cpu).capacity.max(*unit);
        }
        biggest
    };
    let biggest: Vec<Vec<u32>> = levels.iter().map(biggest_of_unit).collect();
    let sees = |cpu, level: usize| biggest[level][levels[level].unit_of(cpu)];
    map.iter()
        .filter_map(|cpu| {
            let most = sees(cpu, levels.len() - 1);
            let first = (0..levels.len()).find(|&level| sees(cpu, level) == most)?;
            (most > topology.cpu(cpu).capacity).then_some(first)
        })
        .max()
}
