//! From the scenario's tasks to programs.

use teeter_scenario::document::workload::Periodic;
use teeter_scenario::document::{Tasks, Workload};
use teeter_scenario::{Nanos, Problem};

use crate::program::{Measure, Metric, Op, Programs, Traits};
use crate::{
    dbench, hackbench, kworker, memory, netperf, npb, npb_lu, numa, phases, pipe, rtapp, schbench,
    services, stream, tbench, trace, ycsb,
};

/// Private working set of a loop that computes on little data (assumed).
const SMALL: Traits = Traits::footprint(8 << 10);

/// Compiles what `tasks.processes` times `tasks.threads` threads do.
///
/// ```
/// use teeter_scenario::document::{Tasks, Workload};
/// use teeter_workload::{Op, compile};
///
/// let programs = compile(&Tasks::new("burner", Workload::Hog)).unwrap();
/// assert_eq!(programs.programs[0].ops, [Op::ComputeForever]);
/// ```
///
/// # Errors
///
/// What the engine cannot run, with paths relative to the tasks (`/workload/npb-lu/steps`).
pub fn compile(tasks: &Tasks) -> Result<Programs, Vec<Problem>> {
    let threads = tasks.threads.saturating_mul(tasks.processes);
    let mut programs = match &tasks.workload {
        Workload::Hog | Workload::Stress => {
            Ok(Programs::alike(threads, vec![Op::ComputeForever], SMALL))
        }
        Workload::Periodic(periodic) => compile_periodic(*periodic, threads),
        Workload::NpbLu(lu) => npb_lu::compile(lu, tasks),
        Workload::Npb(npb) => npb::compile(*npb, tasks),
        Workload::Stream(stream) => Ok(stream::compile(*stream, tasks)),
        Workload::Schbench(schbench) => Ok(schbench::compile(schbench, tasks)),
        Workload::Hackbench(hackbench) => Ok(hackbench::compile(hackbench, tasks)),
        Workload::Netperf(netperf) => Ok(netperf::compile(netperf, tasks)),
        Workload::Tbench(tbench) => Ok(tbench::compile(*tbench, tasks)),
        Workload::Pipe(pipe) => Ok(pipe::compile(*pipe, tasks)),
        Workload::Numa(numa) => Ok(numa::compile(*numa, tasks)),
        Workload::Ycsb(ycsb) => Ok(ycsb::compile(*ycsb, tasks.processes)),
        Workload::Services(services) => services::compile(*services, tasks),
        Workload::Dbench(dbench) => Ok(dbench::compile(*dbench, tasks.processes)),
        Workload::Program(steps) => phases::compile(steps, threads, SMALL),
        Workload::Kworker(kworker) => Ok(kworker::compile(*kworker, tasks, threads, SMALL)),
        Workload::RtApp(document) => rtapp::compile(document, tasks, SMALL),
        Workload::Trace(text) => trace::compile(text, tasks, SMALL),
    }?;
    memory::give(&mut programs, tasks)?;
    Ok(programs)
}

fn compile_periodic(periodic: Periodic, threads: u32) -> Result<Programs, Vec<Problem>> {
    let Periodic { run, period } = periodic;
    if period == Nanos::ZERO {
        let path = "/workload/periodic/period";
        return Err(vec![Problem::new(
            path,
            "a period longer than 0 is expected",
        )]);
    }
    let ops = vec![
        Op::Loop { rounds: None },
        Op::Compute(run),
        Op::Progress(1),
        Op::Timer { period },
        Op::End,
    ];
    let metric = Metric {
        name: "periods/s",
        measure: Measure::Rate,
        per_unit: 1,
        higher_is_better: true,
    };
    Ok(Programs {
        metric: Some(metric),
        ..Programs::alike(threads, ops, SMALL)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use teeter_scenario::document::workload::{
        Dbench, Hackbench, Kworker, Netperf, Npb, NpbLu, Numa, Pipe, Schbench, Services, Stream,
        Tbench, Ycsb,
    };

    fn tasks(workload: Workload) -> Tasks {
        Tasks {
            threads: 3,
            processes: 2,
            ..Tasks::new("t", workload)
        }
    }

    #[test]
    fn hogs_never_stop() {
        for workload in [Workload::Hog, Workload::Stress] {
            let programs = compile(&tasks(workload)).unwrap();
            assert_eq!(programs.programs[0].ops, [Op::ComputeForever]);
            assert_eq!(programs.thread, [0; 6]);
            assert_eq!(programs.metric, None);
        }
    }

    #[test]
    fn periodic_runs_once_a_period() {
        let (run, period) = (Nanos::from_millis(3), Nanos::from_millis(10));
        let programs = compile(&tasks(Workload::Periodic(Periodic { run, period }))).unwrap();
        assert_eq!(
            programs.programs[0].ops,
            [
                Op::Loop { rounds: None },
                Op::Compute(run),
                Op::Progress(1),
                Op::Timer { period },
                Op::End,
            ]
        );
    }

    #[test]
    fn what_cannot_be_run_is_a_problem() {
        let refused = |workload| compile(&tasks(workload)).unwrap_err()[0].to_string();
        let never = Periodic {
            run: Nanos(1),
            period: Nanos::ZERO,
        };
        assert_eq!(
            refused(Workload::Periodic(never)),
            "/workload/periodic/period: a period longer than 0 is expected"
        );
        let none = NpbLu {
            steps: Some(0),
            ..NpbLu::default()
        };
        assert_eq!(
            refused(Workload::NpbLu(none)),
            "/workload/npb-lu/steps: at least 1 step is expected"
        );
    }

    #[test]
    fn every_workload_is_compiled_and_in_the_catalogue() {
        let listed = |name| crate::catalogue().iter().any(|info| info.name == name);
        assert!(Workload::NAMES.into_iter().all(listed));
        for workload in [
            Workload::Hog,
            Workload::Stress,
            Workload::Periodic(Periodic {
                run: Nanos(1),
                period: Nanos(2),
            }),
            Workload::NpbLu(NpbLu::default()),
            Workload::Npb(Npb::default()),
            Workload::Stream(Stream::default()),
            Workload::Ycsb(Ycsb::default()),
            Workload::Services(Services {
                depth: 2,
                rate: Some(5),
            }),
            Workload::Dbench(Dbench::default()),
            Workload::Numa(Numa::default()),
            Workload::Program(Vec::new()),
            Workload::Schbench(Schbench::default()),
            Workload::Hackbench(Hackbench::default()),
            Workload::Netperf(Netperf::default()),
            Workload::Tbench(Tbench::default()),
            Workload::Pipe(Pipe::default()),
            Workload::Kworker(Kworker::default()),
        ] {
            let name = workload.name();
            assert!(compile(&tasks(workload)).is_ok(), "{name}");
        }
    }
}
