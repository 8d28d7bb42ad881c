//! How many tasks two nodes may be apart before they are balanced.
//!
//! Source: kernel/sched/topology.c `build_sched_domains` (v5.18; SCHED.md 4.4).

use super::{Flags, SchedDomain};
use crate::rules::ImbNumaNr;

/// What the rule looks at in a domain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rung {
    /// CPUs in its span.
    pub(crate) span_weight: u32,
    /// Whether they share a last-level cache.
    pub(crate) shares_llc: bool,
    /// Whether it is of a NUMA level.
    pub(crate) numa: bool,
}

impl From<&SchedDomain> for Rung {
    fn from(sd: &SchedDomain) -> Self {
        Self {
            span_weight: sd.span_weight,
            shares_llc: sd.flags.has(Flags::SHARE_PKG_RESOURCES),
            numa: sd.flags.has(Flags::NUMA),
        }
    }
}

/// `imb_numa_nr` of all domains of a CPU, lowest first, before any is dropped.
pub(crate) fn imb_numa_nr(rule: ImbNumaNr, rungs: &[Rung]) -> Vec<u32> {
    let mut imb = 0;
    let mut imb_span = 1;
    let mut numbers = Vec::with_capacity(rungs.len());
    for (at, sd) in rungs.iter().enumerate() {
        let child = at.checked_sub(1).map(|below| rungs[below]);
        match child.filter(|child| child.shares_llc && !sd.shares_llc) {
            Some(child) => {
                let llcs = sd.span_weight / child.span_weight.max(1);
                imb = match rule {
                    ImbNumaNr::None => 0,
                    ImbNumaNr::Quarter if llcs == 1 => sd.span_weight >> 2,
                    ImbNumaNr::Eighth if llcs == 1 => (sd.span_weight >> 3).max(1),
                    ImbNumaNr::Quarter | ImbNumaNr::Eighth => llcs.max(1),
                };
                let first_numa = rungs[at + 1..].iter().find(|above| above.numa);
                imb_span = first_numa.unwrap_or(sd).span_weight.max(1);
                numbers.push(imb);
            }
            None => numbers.push(imb * (sd.span_weight / imb_span).max(1)),
        }
    }
    numbers
}
