//! What the name of a task tells: threads of the kernel itself.

use super::recording::Recorded;

/// Kernel threads of one CPU, by what their names begin with; a number follows.
const PER_CPU: [&str; 9] = [
    "kworker/",
    "ksoftirqd/",
    "migration/",
    "cpuhp/",
    "irq_work/",
    "idle_inject/",
    "rcuc/",
    "backlog_napi/",
    "ktimers/",
];

impl Recorded {
    /// The CPU that a kernel thread is bound to. `kworker/u8:1` is bound to none, `kworker/3:1H` to CPU 3.
    pub fn bound_to(&self) -> Option<u32> {
        let number = PER_CPU
            .iter()
            .find_map(|name| self.comm.strip_prefix(name))?;
        let end = number
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(number.len());
        let (number, rest) = number.split_at(end);
        let whole = rest.is_empty() || rest.starts_with(':');
        number.parse().ok().filter(|_| whole)
    }

    /// Whether it is a CPU's stopper, by which the scheduler itself moves running tasks.
    pub fn is_stopper(&self) -> bool {
        self.comm.starts_with("migration/") && self.bound_to().is_some()
    }

    /// Its nice level; real-time classes, which are not modelled, go as -20.
    pub fn nice(&self) -> i8 {
        match self.prio {
            None => 0,
            Some(prio) => (prio - 120).clamp(-20, 19) as i8,
        }
    }

    /// Its name with its number, `comm-pid` as traces have it.
    pub fn label(&self) -> String {
        format!("{}-{}", self.comm, self.pid)
    }
}

#[cfg(test)]
mod tests {
    use super::super::recording::Origin;
    use super::*;

    fn named(comm: &str) -> Recorded {
        Recorded {
            pid: 7,
            comm: comm.to_owned(),
            prio: Some(89),
            cpu: 0,
            origin: Origin::Start,
            pieces: Vec::new(),
        }
    }

    #[test]
    fn kernel_threads_of_one_cpu() {
        for (comm, cpu) in [
            ("kworker/12:1H-kblockd", Some(12)),
            ("kworker/0:2", Some(0)),
            ("kworker/u8:1", None),
            ("kworker/R-rcu_g", None),
            ("ksoftirqd/3", Some(3)),
            ("rcu_preempt", None),
            ("migration/31", Some(31)),
        ] {
            assert_eq!(named(comm).bound_to(), cpu, "{comm}");
        }
        assert!(named("migration/0").is_stopper());
        assert!(!named("migration/x").is_stopper());
    }

    #[test]
    fn real_time_is_as_nice_as_it_gets() {
        assert_eq!(named("orc").nice(), -20);
        let prio = |prio| Recorded { prio, ..named("a") };
        assert_eq!((prio(Some(139)).nice(), prio(None).nice()), (19, 0));
    }
}
