//! `kworker`: kernel threads of single CPUs that have a little to do now and then.

use teeter_scenario::document::Tasks;
use teeter_scenario::document::workload::Kworker;
use teeter_scenario::{CpuList, Nanos};

use crate::individual::{Birth, Individual};
use crate::program::{Op, Programs, Traits};

/// Thread number `i` is bound to CPU `i`, or to the one at this place in the tasks' affinity, in turn.
pub(crate) fn compile(kworker: Kworker, tasks: &Tasks, threads: u32, traits: Traits) -> Programs {
    let ops = vec![
        Op::Loop { rounds: None },
        Op::Timer {
            period: kworker.every,
        },
        Op::Compute(kworker.run),
        Op::End,
    ];
    let own: Vec<u32> = tasks.affinity.iter().flat_map(CpuList::iter).collect();
    let cpu = |thread: u32| match own.len() {
        0 => thread,
        count => own[thread as usize % count],
    };
    let individual = |thread: u32| Individual {
        name: Some(format!("kworker/{}:{}", cpu(thread), thread)),
        cpus: Some([cpu(thread)].into_iter().collect()),
        per_cpu_kthread: true,
        birth: Birth::Placed {
            after: Nanos::ZERO,
            cpu: cpu(thread),
        },
        ..Individual::default()
    };
    Programs {
        individuals: (0..threads).map(individual).collect(),
        ..Programs::alike(threads, ops, traits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use teeter_scenario::document::Workload;

    #[test]
    fn each_is_bound_to_a_cpu() {
        let bound = |affinity: Option<&str>| {
            let kworker = Kworker::default();
            let tasks = Tasks {
                affinity: affinity.map(|cpus| cpus.parse().unwrap()),
                ..Tasks::new("k", Workload::Kworker(kworker))
            };
            let programs = compile(kworker, &tasks, 3, Traits::footprint(0));
            let cpus = |individual: &Individual| individual.cpus.clone().unwrap().to_string();
            assert!(programs.individuals.iter().all(|one| one.per_cpu_kthread));
            programs.individuals.iter().map(cpus).collect::<Vec<_>>()
        };
        assert_eq!(bound(None), ["0", "1", "2"]);
        assert_eq!(bound(Some("4,6")), ["4", "6", "4"]);
    }
}
