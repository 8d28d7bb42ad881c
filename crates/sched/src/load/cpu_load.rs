//! What CPUs carried at their last ticks, and the bias it gives to balancing: a CPU's load counts for less if it
//! has just come, and that of the pulling group for more if it has just gone (LB_BIAS).
//!
//! Source: kernel/sched/fair.c `cpu_load_update`, `decay_load_missed`, `source_load`, `target_load`,
//! `get_sd_load_idx` (v4.11; SCHED.md 5.3).

use teeter_machine::{CpuId, CpuSet};

use crate::balance::IdleType;
use crate::ids::{SdId, SgId};
use crate::rules::Feature;
use crate::sched::Sched;

/// Ticks after which nothing is left of a load, by how slowly it is averaged (`degrade_zero_ticks`).
const ZERO_TICKS: [u64; CPU_LOAD_IDX_MAX] = [0, 8, 32, 64, 128];

/// 128 * (1 - 2^-i)^(2^j), what is left after 1, 2, 4 … ticks of an idle CPU (`degrade_factor`).
const LEFT: [[u64; 8]; CPU_LOAD_IDX_MAX] = [
    [0; 8],
    [64, 32, 8, 0, 0, 0, 0, 0],
    [96, 72, 40, 12, 1, 0, 0, 0],
    [112, 98, 75, 43, 15, 1, 0, 0],
    [120, 112, 98, 76, 45, 16, 2, 0],
];

/// How many averages there are, the first of them the load itself (`CPU_LOAD_IDX_MAX`).
const CPU_LOAD_IDX_MAX: usize = 5;

/// Loads of a CPU averaged over ticks, each over twice as many as the one before (`rq->cpu_load`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CpuLoad {
    loads: [u64; CPU_LOAD_IDX_MAX],
    /// Jiffy of the last update.
    updated: u64,
}

/// One average with one tick's load taken in; rises are rounded up.
pub(crate) fn average(old: u64, now: u64, index: u32) -> u64 {
    let parts = (1u64 << index) - 1;
    let round = if now > old { parts } else { 0 };
    (old * parts + now + round) >> index
}

/// What is left of a load after ticks that did not happen (`decay_load_missed`).
fn decay_missed(load: u64, missed: u64, index: usize) -> u64 {
    if missed >= ZERO_TICKS[index] && missed > 0 {
        return 0;
    }
    if index == 1 {
        return load >> missed;
    }
    let bits = (0..8).filter(|bit| missed >> bit & 1 == 1);
    bits.fold(load, |load, bit| (load * LEFT[index][bit]) >> 7)
}

impl CpuLoad {
    /// Takes in a load after so many ticks, all but the last of which did not happen (`cpu_load_update`).
    fn take_in(&mut self, load: u64, ticks: u64) {
        let idle_load = self.loads[0];
        self.loads[0] = load;
        for index in 1..CPU_LOAD_IDX_MAX {
            let missed = ticks - 1;
            let mut old = decay_missed(self.loads[index], missed, index);
            old += idle_load - decay_missed(idle_load, missed, index);
            self.loads[index] = average(old, load, index as u32);
        }
    }

    /// A tick (`cpu_load_update_periodic`).
    fn tick(&mut self, load: u64, jiffies: u64) {
        self.updated = jiffies;
        self.take_in(load, 1);
    }

    /// After a time without ticks (`cpu_load_update_nohz`).
    fn catch_up(&mut self, load: u64, jiffies: u64) {
        let ticks = jiffies - self.updated;
        if ticks > 0 {
            self.updated = jiffies;
            self.take_in(load, ticks);
        }
    }
}

/// Which average biases a domain's balancing, by why it balances; 0 = none (`busy_idx` and its like).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LoadIndex {
    pub(crate) busy: usize,
    pub(crate) idle: usize,
    pub(crate) newidle: usize,
}

impl LoadIndex {
    fn of(self, idle: IdleType) -> usize {
        match idle {
            IdleType::NotIdle => self.busy,
            IdleType::Idle => self.idle,
            IdleType::NewlyIdle => self.newidle,
        }
    }
}

impl Sched {
    /// At a tick (`cpu_load_update_active`).
    pub(crate) fn cpu_load_tick(&mut self, cpu: CpuId) {
        if self.rules.features.knows(Feature::LbBias) {
            let (load, jiffies) = (self.lb_load(cpu), self.jiffies());
            self.rqs[cpu.index()].cpu_load.tick(load, jiffies);
        }
    }

    /// The tick stops (`cpu_load_update_nohz_start`).
    pub(crate) fn cpu_load_stop(&mut self, cpu: CpuId) {
        self.rqs[cpu.index()].cpu_load.loads[0] = self.lb_load(cpu);
    }

    /// The tick starts again (`cpu_load_update_nohz_stop`).
    pub(crate) fn cpu_load_restart(&mut self, cpu: CpuId) {
        if self.rules.features.knows(Feature::LbBias) {
            let (load, jiffies) = (self.lb_load(cpu), self.jiffies());
            self.rqs[cpu.index()].cpu_load.catch_up(load, jiffies);
        }
    }

    /// Before an idle CPU is balanced on its behalf (`cpu_load_update_idle`).
    pub(crate) fn cpu_load_idle(&mut self, cpu: CpuId) {
        if self.lb_load(cpu) == 0 {
            self.cpu_load_restart(cpu);
        }
    }

    /// Load of a group in a pass of a domain, biased towards leaving tasks where they are. `local`: the group
    /// that pulls.
    pub(crate) fn biased_load(
        &self,
        sd: SdId,
        idle: IdleType,
        group: SgId,
        cpus: &CpuSet,
        local: bool,
    ) -> u64 {
        let index = self.domains.sd(sd).load_index.of(idle);
        let biased = index > 0 && self.rules.features.has(Feature::LbBias);
        let cpus = self
            .domains
            .sg(group)
            .cpus
            .iter()
            .filter(|&&cpu| cpus.contains(cpu));
        cpus.map(|&cpu| {
            let load = self.lb_load(cpu);
            if !biased {
                return load;
            }
            let before = self.rqs[cpu.index()].cpu_load.loads[index - 1];
            if local {
                load.max(before)
            } else {
                load.min(before)
            }
        })
        .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missed_ticks_are_idle_ones() {
        let mut ticked = CpuLoad::default();
        for jiffy in 1..=40 {
            ticked.tick(1024, jiffy);
        }
        ticked.loads[0] = 0;
        let mut missed = ticked;
        for jiffy in 41..=44 {
            ticked.tick(0, jiffy);
        }
        missed.catch_up(0, 44);
        for index in 1..CPU_LOAD_IDX_MAX {
            let off = ticked.loads[index].abs_diff(missed.loads[index]);
            assert!(off <= 16, "{index}: {:?} {:?}", ticked.loads, missed.loads);
        }
    }

    #[test]
    fn nothing_is_left_after_long_idleness() {
        let mut load = CpuLoad::default();
        load.tick(1024, 1);
        load.loads[0] = 0;
        load.catch_up(0, 1000);
        assert_eq!(load.loads, [0; CPU_LOAD_IDX_MAX]);
    }
}
