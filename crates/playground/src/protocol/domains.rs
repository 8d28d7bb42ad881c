//! The sched domains of one CPU, as they are told to the page.

use serde::{Deserialize, Serialize};

/// The sched domains of one CPU under one kernel, as the run begins with them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CpuDomains {
    /// Of the load it belongs to.
    pub generation: u32,
    /// The CPU.
    pub cpu: u32,
    /// Why it has none, where it has none.
    pub none: Option<String>,
    /// What became of each level, lowest first.
    pub levels: Vec<DomainLevel>,
}

/// A level of one CPU: its domain, or why there is none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DomainLevel {
    /// As the kernel names it.
    pub name: String,
    /// The node distance up to which a NUMA level reaches.
    pub distance: Option<u32>,
    /// Its CPUs, as the kernel lists them; nothing where it was not built.
    pub span: String,
    /// What became of it, and of its flags, in words; empty where it is as it was built.
    pub notes: Vec<String>,
    /// The domain, unless it was dropped or not built.
    pub domain: Option<Domain>,
}

/// A domain that the CPU balances over (`sched_domain`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Domain {
    /// CPUs of each group, the CPU's own first.
    pub groups: Vec<String>,
    /// CPUs that balance for each group.
    pub balance_masks: Vec<String>,
    /// Its flags (`SD_…`).
    pub flags: Vec<String>,
    /// How much busier another group has to be, percent.
    pub imbalance_pct: u32,
    /// Shortest interval between two passes, ms.
    pub min_interval: u32,
    /// Longest interval between two passes, ms.
    pub max_interval: u32,
    /// By how much a busy CPU balances less often.
    pub busy_factor: u32,
    /// Failed passes before cache-hot tasks move.
    pub cache_nice_tries: u32,
    /// Tasks that two nodes may be apart before they are balanced (v5.18; 0 before).
    pub imb_numa_nr: u32,
}
