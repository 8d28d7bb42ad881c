//! Kernel terms in a sentence or two, with the versions they hold for: one list for the whole page.

/// A term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// As the kernel or the page spells it.
    pub term: &'static str,
    /// The kernels for which it holds.
    pub versions: &'static str,
    /// What it means.
    pub text: &'static str,
}

/// Every term, by the alphabet.
pub fn all() -> &'static [Entry] {
    &TERMS
}

/// The entry of a term, if there is one.
pub fn entry(term: &str) -> Option<&'static Entry> {
    TERMS.iter().find(|entry| entry.term == term)
}

impl Entry {
    /// The explanation and the versions in one text.
    pub fn whole(&self) -> String {
        format!("{} ({})", self.text, self.versions)
    }

    /// Whether its term or its text has all these words.
    pub fn matches(&self, words: &str) -> bool {
        let text = format!("{} {} {}", self.term, self.text, self.versions).to_lowercase();
        words
            .to_lowercase()
            .split_whitespace()
            .all(|word| text.contains(word))
    }

    /// Whether it is a name that is found in running text by its spelling alone: no ordinary word is like it.
    fn is_name(&self) -> bool {
        self.term.contains(['_', '.', '('])
            || self.term.chars().filter(char::is_ascii_uppercase).count() > 1
    }
}

/// A text cut where the names of terms stand in it, each name the first time it does.
pub fn cut(text: &str) -> Vec<(&str, Option<&'static Entry>)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut pieces = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    let mut rest = text;
    loop {
        let found = TERMS
            .iter()
            .filter(|entry| entry.is_name() && !seen.contains(&entry.term))
            .filter_map(|entry| {
                rest.match_indices(entry.term).find_map(|(at, found)| {
                    let before = rest[..at].chars().next_back();
                    let after = rest[at + found.len()..].chars().next();
                    let whole = !before.is_some_and(is_part) && !after.is_some_and(is_part);
                    whole.then_some((at, entry))
                })
            })
            // Of those that begin in one place the longest.
            .min_by_key(|(at, entry)| (*at, usize::MAX - entry.term.len()));
        let Some((at, entry)) = found else { break };
        if at > 0 {
            pieces.push((&rest[..at], None));
        }
        let end = at + entry.term.len();
        pieces.push((&rest[at..end], Some(entry)));
        seen.push(entry.term);
        rest = &rest[end..];
    }
    if !rest.is_empty() {
        pieces.push((rest, None));
    }
    pieces
}

const fn entry_of(term: &'static str, versions: &'static str, text: &'static str) -> Entry {
    Entry {
        term,
        versions,
        text,
    }
}

const ALL: &str = "all versions";

const TERMS: [Entry; 67] = [
    entry_of(
        "affinity",
        ALL,
        "The CPUs a task may run on, as sched_setaffinity sets them; its cgroup's cpuset.cpus narrows them further.",
    ),
    entry_of(
        "asym_packing",
        ALL,
        "Balancing that prefers some CPUs of a group to others, such as the first thread of a core (SD_ASYM_PACKING).",
    ),
    entry_of(
        "avg_load",
        ALL,
        "The load of a group for 1024 of its capacity. From v5.5 it is compared only between groups that are overloaded.",
    ),
    entry_of(
        "balance",
        ALL,
        "A CPU's look at the other groups of one of its sched domains, to pull tasks from the busiest: periodic, when it falls idle (new-idle), or for a CPU that sleeps (nohz).",
    ),
    entry_of(
        "base_slice",
        "v6.6 and later",
        "How long a task runs before another that is eligible may take its place; 3 ms on eight CPUs or more.",
    ),
    entry_of(
        "busiest",
        ALL,
        "The group from which a balance would pull, or the run-queue in it.",
    ),
    entry_of(
        "busy_factor",
        "all versions: 32, and 16 from v5.10",
        "By how much rarer a CPU that is busy balances than one that idles.",
    ),
    entry_of(
        "cache_nice_tries",
        ALL,
        "How many passes at a domain must fail before a task whose cache is still warm is moved. 0 for SMT, 1 within a cache and a package, 2 between nodes.",
    ),
    entry_of(
        "capacity",
        ALL,
        "What a CPU can do, 1024 for the largest: less for small cores, and less while other classes or interrupts use it.",
    ),
    entry_of(
        "CFS",
        "up to v6.5",
        "The completely fair scheduler: the task with the least vruntime runs next.",
    ),
    entry_of(
        "cgroup",
        ALL,
        "A control group. Its tasks compete as one against other groups, and up to v5.4 the balancer judges CPUs by the load that comes out of this.",
    ),
    entry_of(
        "core",
        ALL,
        "One or more hardware threads that share the core's units: the SMT level of sched domains.",
    ),
    entry_of(
        "cpu.idle",
        "v5.15 and later",
        "Makes a cgroup run only where nothing else wants to: its weight is 3.",
    ),
    entry_of(
        "cpu.max",
        ALL,
        "Quota and period of a cgroup: how much CPU time it may use in each period before all its tasks are throttled until the next.",
    ),
    entry_of(
        "cpu.weight",
        ALL,
        "The share of CPU time a cgroup gets against its siblings where they compete, 1 to 10000. Its weight is split over the CPUs its tasks run on, so in a large group each task counts for little load.",
    ),
    entry_of(
        "cpuset.cpus",
        ALL,
        "The CPUs that the tasks of a cgroup may run on.",
    ),
    entry_of(
        "cpuset.cpus.partition",
        "v5.0 and later; isolated from v6.1",
        "Takes the CPUs of a cgroup out of the sched domains of the rest: root has domains of its own, isolated has none.",
    ),
    entry_of(
        "cpuset.mems",
        ALL,
        "The nodes whose memory the tasks of a cgroup may use.",
    ),
    entry_of(
        "digest",
        "Teeter",
        "A number over everything that happened in the run: every switch, every migration. The same link gives the same digest in any browser and on the command line.",
    ),
    entry_of(
        "EEVDF",
        "v6.6 and later",
        "Earliest eligible virtual deadline first: of the tasks that have not had more than their share, the one with the earliest deadline runs next.",
    ),
    entry_of(
        "fix_small_imbalance",
        "up to v5.4",
        "What decided where the difference of loads is smaller than a task: it moves one only if the sum of what gets done grows.",
    ),
    entry_of(
        "fork",
        ALL,
        "A new thread is placed on the idlest CPU of the idlest group, from the widest sched domain down; or where it is told to begin here.",
    ),
    entry_of(
        "fully_busy",
        "v5.5 and later",
        "A group without a spare CPU in which nothing waits long: its tasks get what they ask for.",
    ),
    entry_of(
        "group_type",
        "v5.5 and later; fewer kinds before",
        "How a balance classes a group: has_spare, fully_busy, misfit_task, asym_packing, smt_balance (v6.6), imbalanced, overloaded.",
    ),
    entry_of(
        "has_spare",
        "v5.5 and later",
        "A group with capacity to spare. Between such groups numbers of tasks or idle CPUs are evened out, not load.",
    ),
    entry_of(
        "HZ",
        ALL,
        "Ticks in a second: 100, 250, 300 or 1000. A tick ends slices and starts balances.",
    ),
    entry_of(
        "idle while another waits",
        "Teeter",
        "Share of the time in which at least one CPU had nothing to do while a task that may run there waited elsewhere.",
    ),
    entry_of(
        "imb_numa_nr",
        "v5.18 and later",
        "How many tasks a node may hold before its balancer cares for a difference of two: one for each last-level cache, a quarter of the node with one cache; an eighth from v6.0.",
    ),
    entry_of(
        "imbalance",
        ALL,
        "What a balance sets out to move: load, utilization, a number of tasks, or one misfit task (migration_type).",
    ),
    entry_of(
        "imbalance_pct",
        "all versions: 125 between nodes and packages up to v5.9, 117 from v5.10; 117 within a cache, 110 for SMT",
        "How much busier, in per cent, another group of CPUs must be than the local one before the balancer moves anything: 125 asks for a quarter more. Each level of sched domains has its own value in debugfs.",
    ),
    entry_of(
        "LLC",
        ALL,
        "The last-level cache. Wakeups look for an idle CPU among those that share one: the MC level of sched domains.",
    ),
    entry_of(
        "load",
        ALL,
        "Weight times the share of time that a task is runnable (load_avg). A task of a large cgroup has little of it.",
    ),
    entry_of(
        "load_avg",
        ALL,
        "Load averaged by PELT: weight times the share of time spent runnable, halved in 32 ms.",
    ),
    entry_of(
        "local",
        ALL,
        "The group of the CPU that balances: what is pulled comes here.",
    ),
    entry_of(
        "migration_cost",
        ALL,
        "A task that ran less than this ago counts as cache-hot (0.5 ms), and a CPU that expects to idle for less does not balance on falling idle.",
    ),
    entry_of(
        "migrations",
        ALL,
        "How often a task came to another CPU: at fork, at wakeup, or pulled by a balance.",
    ),
    entry_of(
        "misfit_task",
        "v4.20 and later",
        "A task too large for the capacity of its CPU; a larger CPU that idles takes it over.",
    ),
    entry_of(
        "new-idle",
        ALL,
        "A balance by a CPU that is about to idle: it pulls one task, at once, and spends no more than it is expected to idle.",
    ),
    entry_of(
        "nice",
        ALL,
        "-20 to 19: each step is a weight about a quarter less, 1024 at 0, 15 at 19.",
    ),
    entry_of(
        "nohz",
        ALL,
        "CPUs that idle without ticks: one that is busy has another balance for all of them.",
    ),
    entry_of(
        "nr_migrate",
        ALL,
        "How many tasks a balance looks at at most with interrupts off: 32.",
    ),
    entry_of(
        "NUMA balancing",
        ALL,
        "Takes pages away from tasks for a moment to learn which node they use, and moves tasks to their memory or memory to its tasks.",
    ),
    entry_of(
        "NUMA node",
        ALL,
        "CPUs and the memory next to them. The balancer's top levels move tasks between nodes.",
    ),
    entry_of(
        "overloaded",
        ALL,
        "A group in which tasks wait and which has no capacity left. Loads are compared only between such groups from v5.5.",
    ),
    entry_of(
        "PELT",
        ALL,
        "Per-entity load tracking: averages of how long a task runs (util_avg), wants to (runnable_avg, v5.7) and weighs (load_avg); what was 32 ms ago counts half.",
    ),
    entry_of(
        "policy",
        ALL,
        "SCHED_NORMAL; SCHED_BATCH, which does not preempt at a wakeup; SCHED_IDLE, which runs where nothing else wants to, with a weight of 3.",
    ),
    entry_of(
        "prefer_sibling",
        "all versions; between nodes of one cache from v4.20",
        "Where it is set a group that runs more tasks than it has CPUs counts as overloaded, so that tasks spread over caches, packages and the nearest nodes.",
    ),
    entry_of("run-queue", ALL, "The tasks that run or wait on one CPU."),
    entry_of(
        "runnable_avg",
        "v5.7 and later",
        "Share of the time in which a task ran or waited to.",
    ),
    entry_of(
        "sched domain",
        ALL,
        "CPUs that one level of balancing covers, in groups: SMT for a core, CLS for a cluster, MC for a cache, PKG (DIE before v6.7) for a package, NODE and NUMA for nodes.",
    ),
    entry_of(
        "seed",
        "Teeter",
        "Where all random draws of a run come from: the same seed gives the same run.",
    ),
    entry_of(
        "SELECT_BIAS_PREV",
        "patch series on v6.5 and v6.7",
        "A feature: a waking task looks for an idle CPU around the one it ran on before it looks around its waker.",
    ),
    entry_of(
        "select_idle_sibling()",
        ALL,
        "Where a waking task looks for an idle CPU: the target, the CPU it ran on, one it used recently, then those of the cache.",
    ),
    entry_of(
        "SIS_PROP",
        "v4.13 to v6.6",
        "A limit of the search for an idle CPU: the shorter a CPU tends to idle, the fewer are looked at.",
    ),
    entry_of(
        "SIS_UTIL",
        "v6.0 and later",
        "A limit of the search for an idle CPU: the busier the cache, the fewer CPUs are looked at; none from about 85 %.",
    ),
    entry_of(
        "slice",
        ALL,
        "How long a task runs before the next gets its turn: a part of sched_latency up to v6.5, base_slice from v6.6.",
    ),
    entry_of(
        "SMT",
        ALL,
        "Hardware threads of one core. Two that are busy at once are each slower than one alone.",
    ),
    entry_of(
        "smt_balance",
        "v6.6 and later",
        "A core with two busy threads beside an idle core: it gives one away.",
    ),
    entry_of(
        "throttled",
        ALL,
        "A cgroup that has used its quota: none of its tasks runs before the next period.",
    ),
    entry_of(
        "util_avg",
        ALL,
        "Share of the time a CPU was used or a task ran, 1024 for all of it, averaged by PELT.",
    ),
    entry_of(
        "util_est",
        "v4.17 and later",
        "What a task used before it slept, kept so that a CPU does not look unused as soon as it sleeps.",
    ),
    entry_of(
        "UTIL_FITS_CAPACITY",
        "patch series on v6.5 and v6.7",
        "A feature: a busy CPU where the utilization of the waking task still fits is as good as an idle one.",
    ),
    entry_of(
        "vruntime",
        ALL,
        "Time a task has run divided by its weight: who has least is owed most.",
    ),
    entry_of(
        "wake_affine",
        "all versions; by idle CPUs and weight from v4.14",
        "Decides at a wakeup whether to look around the waker's CPU or the one the task ran on.",
    ),
    entry_of(
        "wakeup",
        ALL,
        "A task that slept wants to run: it is placed on a CPU before it is queued.",
    ),
    entry_of(
        "weight",
        ALL,
        "What shares are in proportion to: 1024 for nice 0; of a cgroup cpu.weight / 100 of that.",
    ),
    entry_of(
        "workload",
        "Teeter",
        "A program or benchmark as a model of when its threads run, wait, wake each other and touch memory.",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_found_by_their_kernel_spelling() {
        assert!(entry("imbalance_pct").is_some_and(|entry| entry.text.contains("per cent")));
        assert_eq!(entry("imbalance pct"), None);
    }

    #[test]
    fn terms_come_by_the_alphabet_and_once() {
        let key = |entry: &Entry| entry.term.to_lowercase();
        for pair in TERMS.windows(2) {
            assert!(
                key(&pair[0]) < key(&pair[1]),
                "{} {}",
                pair[0].term,
                pair[1].term
            );
        }
    }

    #[test]
    fn names_are_found_in_running_text_once_and_whole() {
        let text =
            "imbalance_pct 117 above the LLC, busy_factor 16; imbalance_pct again, my_LLC not.";
        let cut = cut(text);
        let names: Vec<_> = cut
            .iter()
            .filter_map(|(name, entry)| entry.map(|_| *name))
            .collect();
        assert_eq!(names, ["imbalance_pct", "LLC", "busy_factor"]);
        let whole: String = cut.iter().map(|(piece, _)| *piece).collect();
        assert_eq!(whole, text);
    }

    #[test]
    fn a_longer_name_is_not_cut_into_shorter_ones() {
        let names: Vec<_> = cut("cpuset.cpus.partition")
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        assert_eq!(names, ["cpuset.cpus.partition"]);
    }

    /// Terms that components ask for by name are in the list.
    #[test]
    fn no_term_of_the_page_is_missing() {
        const SOURCES: [&str; 6] = [
            include_str!("components/tasks/cgroup_row.rs"),
            include_str!("components/tasks/task_row.rs"),
            include_str!("components/machine_panel.rs"),
            include_str!("components/tasks_panel.rs"),
            include_str!("components/comparison.rs"),
            include_str!("components/script_panel.rs"),
        ];
        let mut asked = 0;
        for source in SOURCES {
            for rest in source.split("<Term term=\"").skip(1) {
                let term = rest.split('"').next().unwrap_or_default();
                assert!(entry(term).is_some(), "{term}");
                asked += 1;
            }
        }
        assert!(asked > 10);
    }
}
