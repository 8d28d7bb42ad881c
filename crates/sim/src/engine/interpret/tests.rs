//! Small programs, and when their threads get to the end.

use teeter_scenario::Nanos;
use teeter_scenario::document::{Fork, Kernel, Machine, MachineSource, Scenario, Tasks, Workload};
use teeter_sched::Cause;
use teeter_workload::{BarrierId, FlagId, Op, Program, Programs, Shared, Traits};

use super::*;
use crate::engine::build;

const US: u64 = 1000;
const MS: u64 = 1000 * US;

/// One thread for each program, on the CPUs 0, 1, … of a flat machine (more threads go round).
fn simulation(cpus: u32, programs: &[&[Op]]) -> Simulation {
    let threads = programs.len() as u32;
    let all = format!("0-{}", cpus - 1);
    let tasks = Tasks {
        threads,
        fork: Fork::On(all.parse().unwrap()),
        ..Tasks::new("t", Workload::Hog)
    };
    build(cpus, tasks, programs)
}

fn build(cpus: u32, tasks: Tasks, programs: &[&[Op]]) -> Simulation {
    let source = MachineSource::Synthetic(format!("node:1 core:{cpus} pu:1"));
    let mut scenario = Scenario::new(Machine::new(source), vec![tasks]);
    scenario.run.duration = Nanos(1000 * MS);
    // Turns as CFS gives them; the newest kernel lets a thread run its slice out.
    scenario.kernels = vec![Kernel::new("v5.5")];
    let compiled = Programs {
        memory: None,
        individuals: Vec::new(),
        programs: programs
            .iter()
            .map(|ops| Program { ops: ops.to_vec() })
            .collect(),
        thread: (0..programs.len() as u32).collect(),
        shared: Shared {
            flags: vec![0; 2],
            barriers: vec![programs.len() as u32],
            ..Shared::default()
        },
        cpus: Vec::new(),
        latencies: Vec::new(),
        teams: None,
        runtime: None,
        metric: None,
        traits: Traits::default(),
    };
    build::simulation(&scenario, 0, 0, |_| Ok(compiled.clone())).unwrap()
}

/// Runs to the end; when each thread ended, ns.
fn ends(simulation: &mut Simulation) -> Vec<u64> {
    simulation.run_until(simulation.end());
    simulation
        .threads
        .iter()
        .map(|thread| thread.ended)
        .collect()
}

/// Whether a time is that late, but for switches, lines and wakeups.
#[track_caller]
fn assert_about(time: u64, expected: u64) {
    assert!(
        (expected..expected + 300 * US).contains(&time),
        "{time} is not just after {expected}"
    );
}

fn compute(nanos: u64) -> Op {
    Op::Compute(Nanos(nanos))
}

fn spin(flag: u32, value: u32) -> Op {
    Op::SpinUntil {
        flag: FlagId(flag),
        value,
    }
}

fn set(flag: u32, value: u32) -> Op {
    Op::Set {
        flag: FlagId(flag),
        value,
    }
}

fn barrier(spin: u64) -> Op {
    Op::Barrier {
        barrier: BarrierId(0),
        spin: Nanos(spin),
    }
}

#[test]
fn a_barrier_holds_all_until_the_last_has_come() {
    let of = |work: u64| [compute(work), barrier(100 * US), compute(MS), Op::Exit];
    let programs = [of(MS), of(2 * MS), of(3 * MS), of(4 * MS)];
    let programs: Vec<&[Op]> = programs.iter().map(|ops| &ops[..]).collect();
    let mut simulation = simulation(4, &programs);
    let ends = ends(&mut simulation);
    for &end in &ends {
        assert_about(end, 5 * MS);
    }
    // Three slept, and were woken one after another, first come, first served, by the last to come.
    assert_eq!(simulation.wakeups, 3);
    assert!(ends[0] < ends[1] && ends[1] < ends[2], "{ends:?}");
    let run = simulation.stats.totals(simulation.now).run;
    assert!(
        run[0] > 2 * MS + 100 * US && run[0] < 2 * MS + 120 * US,
        "{run:?}"
    );
    let waking = 3 * simulation.hardware.wake_work() / FULL;
    assert!(run[3] >= 5 * MS + waking, "{run:?}");
}

#[test]
fn those_who_poll_at_a_barrier_need_no_wakeup() {
    let of = |work: u64| [compute(work), barrier(10 * MS), compute(MS), Op::Exit];
    let mut simulation = simulation(2, &[&of(MS), &of(4 * MS)]);
    for end in ends(&mut simulation) {
        assert_about(end, 5 * MS);
    }
    assert_eq!(simulation.wakeups, 0);
    let run = simulation.stats.totals(simulation.now).run;
    assert_about(run[0], 5 * MS);
}

#[test]
fn a_barrier_can_be_used_again_at_once() {
    let rounds = [
        Op::Loop { rounds: Some(50) },
        compute(10 * US),
        barrier(5 * US),
        Op::End,
        Op::Exit,
    ];
    let slow = [
        Op::Loop { rounds: Some(50) },
        compute(90 * US),
        barrier(5 * US),
        Op::End,
        Op::Exit,
    ];
    let mut simulation = simulation(3, &[&rounds, &slow, &rounds]);
    for end in ends(&mut simulation) {
        assert!(end < 50 * 400 * US, "{end}");
    }
    assert_eq!(simulation.wakeups, 2 * 50);
}

#[test]
fn a_spinner_goes_on_when_the_flag_is_set() {
    let mut simulation = simulation(
        2,
        &[
            &[spin(0, 1), Op::Exit],
            &[compute(7 * MS), set(0, 1), Op::Exit],
        ],
    );
    let ends = ends(&mut simulation);
    assert_about(ends[1], 7 * MS);
    let line = simulation.hardware.line(CpuId(1), CpuId(0));
    assert_eq!(ends[0], ends[1] + line);
    let run = simulation.stats.totals(simulation.now).run;
    assert_about(run[0], 7 * MS);
}

#[test]
fn a_spinner_misses_a_flag_that_is_taken_back() {
    let setter = [
        compute(MS),
        set(0, 1),
        set(0, 0),
        compute(MS),
        set(0, 1),
        Op::Exit,
    ];
    let mut simulation = simulation(2, &[&[spin(0, 1), Op::Exit], &setter]);
    assert_about(ends(&mut simulation)[0], 2 * MS);
}

#[test]
fn a_spinner_without_a_cpu_sees_the_flag_when_it_runs_again() {
    // Thread 0 spins on the CPU of thread 2, which sets the flag and goes on computing.
    let setter = [compute(MS), set(0, 1), compute(MS), Op::Exit];
    let mut simulation = simulation(1, &[&[spin(0, 1), Op::Exit], &setter]);
    let ends = ends(&mut simulation);
    let run = simulation.stats.totals(simulation.now).run;
    assert!(ends[0] > MS && run[0] + run[1] <= simulation.now);
    // It burnt whole slices before the setter got its turn.
    assert!(run[0] > 2 * MS, "{run:?}");
}

#[test]
fn work_on_the_wall_clock_passes_for_those_who_wait() {
    let wall = [Op::ComputeWall(Nanos(60 * MS)), Op::Exit];
    let work = [compute(60 * MS), Op::Exit];
    let last = |ops: &[Op]| {
        ends(&mut simulation(1, &[ops, ops]))
            .into_iter()
            .max()
            .unwrap()
    };
    assert!(last(&wall) < 100 * MS);
    assert!(last(&work) >= 120 * MS);
}

#[test]
fn a_missed_timer_is_not_caught_up() {
    let timer = Op::Timer {
        period: Nanos(10 * MS),
    };
    let program = [
        compute(25 * MS),
        timer,
        compute(MS),
        timer,
        compute(MS),
        timer,
        Op::Exit,
    ];
    // Late at 25 ms; then due at 35 and 45 ms.
    assert_about(ends(&mut simulation(1, &[&program]))[0], 45 * MS);
}

#[test]
fn sleeping_takes_no_cpu_time() {
    let program = [
        compute(MS),
        Op::Sleep(Nanos(50 * MS)),
        compute(MS),
        Op::Exit,
    ];
    let mut simulation = simulation(1, &[&program]);
    assert_about(ends(&mut simulation)[0], 52 * MS);
    assert_about(simulation.stats.totals(simulation.now).run[0], 2 * MS);
}

#[test]
fn a_program_that_takes_no_time_is_charged_for_its_instructions() {
    let idle = [Op::Loop { rounds: None }, set(0, 1), set(0, 0), Op::End];
    let mut simulation = simulation(1, &[&idle]);
    simulation.run_until(Nanos(10 * MS));
    assert!(simulation.events < 10 * MS / 2048, "{}", simulation.events);
}

#[test]
fn threads_that_yield_take_turns() {
    let polite = [
        Op::Loop { rounds: Some(100) },
        compute(10 * US),
        Op::Yield,
        Op::End,
        Op::Exit,
    ];
    let mut simulation = simulation(1, &[&polite, &polite]);
    let ends = ends(&mut simulation);
    assert!(ends[0].abs_diff(ends[1]) < 100 * US, "{ends:?}");
    assert!(simulation.switches > 150);
}

#[test]
fn a_yield_with_nobody_to_yield_to_takes_time() {
    let mut simulation = simulation(1, &[&[Op::Loop { rounds: None }, Op::Yield, Op::End]]);
    simulation.run_until(Nanos(10 * MS));
    assert!(simulation.events < 20_000, "{}", simulation.events);
    assert_eq!(simulation.switches, 1);
}

#[test]
fn a_thread_that_calls_exec_leaves_a_crowded_cpu() {
    let hog: &[Op] = &[Op::ComputeForever];
    let program: &[Op] = &[compute(MS), Op::Exec, compute(MS), Op::Exit];
    let tasks = Tasks {
        threads: 3,
        fork: Fork::On("0".parse().unwrap()),
        ..Tasks::new("t", Workload::Hog)
    };
    let mut simulation = build(4, tasks, &[program, hog, hog]);
    // Before the first tick, at which the balancer would begin to spread them.
    simulation.run_until(Nanos(2 * MS));
    let moved = simulation.tasks[0].migrations;
    assert_eq!(moved.iter().sum::<u64>(), 1, "{moved:?}");
    assert_eq!(moved[Cause::Fork as usize], 1);
    assert_ne!(simulation.threads[0].cpu, CpuId(0));
}

#[test]
fn calls_of_exec_take_time() {
    let mut simulation = simulation(1, &[&[Op::Loop { rounds: None }, Op::Exec, Op::End]]);
    simulation.run_until(Nanos(10 * MS));
    assert!(simulation.events < 20_000, "{}", simulation.events);
}

#[test]
fn the_first_thread_forks_the_others_in_time() {
    let program: &[Op] = &[compute(MS), Op::Exit];
    let programs = [program; 3];
    let started = |every: u64| {
        let tasks = Tasks {
            threads: 3,
            start: Nanos(MS),
            fork: Fork::From {
                cpu: 1,
                every: Nanos(every),
            },
            ..Tasks::new("t", Workload::Hog)
        };
        let mut simulation = build(4, tasks, &programs);
        ends(&mut simulation);
        simulation
            .threads
            .iter()
            .map(|thread| thread.started)
            .collect::<Vec<_>>()
    };
    let at_once = started(0);
    assert_eq!(at_once[0], MS);
    assert_about(at_once[1], MS + FORK_WORK / FULL);
    assert_eq!(at_once[2], at_once[1] + FORK_WORK / FULL);
    let spaced = started(5 * MS);
    assert_about(spaced[1], 6 * MS);
    assert_about(spaced[2], 11 * MS);
}
