//! Where a kernel's changes can be read: the commits that brought them, or the thread in which they were posted.

/// Something to read about a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// What it is.
    pub title: &'static str,
    /// Where it is.
    pub url: String,
}

/// What there is to read about the kernel of that name; none for releases between which nothing was taken apart.
pub fn of(name: &str) -> Vec<Source> {
    let commits = COMMITS.iter().filter(|(of, ..)| *of == name);
    let commits = commits.map(|(_, id, title)| Source {
        title,
        url: format!("https://git.kernel.org/torvalds/c/{id}"),
    });
    let threads = THREADS.iter().filter(|(of, ..)| of.contains(&name));
    let threads = threads.map(|(_, id, title)| Source {
        title,
        url: format!("https://lore.kernel.org/lkml/{id}/"),
    });
    commits.chain(threads).collect()
}

/// The first release with a commit among the presets, the commit, and what it is about.
const COMMITS: [(&str, &str, &str); 13] = [
    ("v5.5", "0b0695f2b34a", "the rework of load balancing"),
    ("v5.5", "57abff067a08", "the rework of find_idlest_group"),
    (
        "v5.6",
        "b396f52326de",
        "an imbalance of two tasks between nodes",
    ),
    ("v5.10", "2208cdaa56c9", "imbalance_pct 117 above the LLC"),
    ("v5.10", "6e7499135db7", "busy_factor 16"),
    (
        "v5.10",
        "c32b4308295a",
        "runnable tasks asked for where utilization is spread (v5.7)",
    ),
    (
        "v5.11",
        "7d2b5dd0bcc4",
        "an imbalance until a quarter of a node is used",
    ),
    ("v5.18", "e496132ebedd", "imb_numa_nr"),
    ("v6.1", "026b98a93bbd", "imb_numa_nr of an eighth (v6.0)"),
    ("v6.1", "70fb5ccf2ebb", "SIS_UTIL (v6.0)"),
    ("v6.6", "147f3efaa241", "EEVDF"),
    ("v6.7", "984ffb6a4366", "SIS_PROP removed"),
    ("v6.12", "152e11f6df29", "delayed dequeue"),
];

/// Series, the posting they were first in, and what it is about.
const THREADS: [(&[&str], &str, &str); 6] = [
    (
        &["v5.3+rework-v2", "v5.5"],
        "1564670424-26023-1-git-send-email-vincent.guittot@linaro.org",
        "rework the CFS load balance, second posting",
    ),
    (
        &[
            "v5.5+numa-v1",
            "v5.5+numa-squash",
            "v5.5+numa-v1b",
            "v5.5+numa-idle",
        ],
        "20191218154402.GF3178@techsingularity.net",
        "a small degree of load imbalance between SD_NUMA domains, and its thread",
    ),
    (
        &["v5.5+numa-v2"],
        "20191220084252.GL3178@techsingularity.net",
        "the second posting and its thread",
    ),
    (
        &["v5.5+numa-v3", "v5.5+numa-v3-gated", "v5.5+numa-child"],
        "20200106144250.GA3466@techsingularity.net",
        "the third posting and its thread",
    ),
    (
        &["v5.5+numa-v4", "v5.6"],
        "20200114101319.GO3466@techsingularity.net",
        "the fourth posting and its thread",
    ),
    (
        &[
            "v6.5+fits",
            "v6.5+bias",
            "v6.5+fits+bias",
            "v6.7+fits",
            "v6.7+fits+bias",
        ],
        "20231019160523.1582101-1-mathieu.desnoyers@efficios.com",
        "migration reduction features, second posting",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use teeter_sim::kernels;

    #[test]
    fn what_is_told_is_of_kernels_there_are() {
        let known = |name: &str| kernels().iter().any(|kernel| kernel.name == name);
        assert!(COMMITS.iter().all(|(name, ..)| known(name)));
        assert!(
            THREADS
                .iter()
                .all(|(names, ..)| names.iter().all(|name| known(name)))
        );
    }

    #[test]
    fn every_posted_series_has_its_thread() {
        for kernel in kernels()
            .iter()
            .filter(|kernel| kernel.name.contains("+numa") || kernel.name.contains("+fits"))
        {
            assert!(!of(kernel.name).is_empty(), "{}", kernel.name);
        }
        assert_eq!(of("v4.11"), []);
        assert!(of("v5.5")[0].url.ends_with("/0b0695f2b34a"));
    }
}
