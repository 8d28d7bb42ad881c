//! Kernel terms in a sentence or two, with the versions they hold for.

/// The explanation of a term, if there is one.
pub fn explain(term: &str) -> Option<&'static str> {
    TERMS
        .iter()
        .find(|(known, _)| *known == term)
        .map(|(_, text)| *text)
}

const TERMS: [(&str, &str); 9] = [
    (
        "imbalance_pct",
        "How much busier, in per cent, another group of CPUs must be than the local one before the balancer \
         moves anything: 125 asks for a quarter more. Each sched domain level has its own value in debugfs; \
         this one is that of the NUMA levels.",
    ),
    (
        "cpu.weight",
        "The share of CPU time a cgroup gets against its siblings where they compete, 1 to 10000. Its weight \
         is split over the CPUs its tasks run on, so in a large group each task counts for little load.",
    ),
    (
        "cgroup",
        "A control group. Its tasks compete as one against other groups, and up to v5.4 the balancer judges \
         CPUs by the load that comes out of this.",
    ),
    (
        "v5.3",
        "Balances by average load: groups are compared by load, and fix_small_imbalance steps in for small \
         differences.",
    ),
    (
        "v5.5",
        "Balances by group type (v5.5 reworked load_balance): spare CPUs are filled by number of tasks before \
         loads are compared.",
    ),
    (
        "idle while another waits",
        "Share of the time in which at least one CPU had nothing to do while a task that may run there waited \
         elsewhere.",
    ),
    (
        "migrations",
        "How often a task came to another CPU: at fork, at wakeup, or pulled by a balance.",
    ),
    (
        "digest",
        "A number over everything that happened in the run: every switch, every migration. The same link gives \
         the same digest in any browser and on the command line.",
    ),
    (
        "NUMA node",
        "CPUs and the memory next to them. The balancer's top levels move tasks between nodes.",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_found_by_their_kernel_spelling() {
        assert!(explain("imbalance_pct").is_some_and(|text| text.contains("NUMA")));
        assert_eq!(explain("imbalance pct"), None);
    }
}
