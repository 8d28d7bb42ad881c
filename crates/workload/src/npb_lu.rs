//! NPB LU, the OpenMP version (NPB 3.3-OMP): a wavefront over rows whose waits spin without yielding.
//!
//! Each time step computes a lower and an upper triangular sweep and some parallel loops. In a sweep
//! the rows (j) are split over the threads, and a thread may work on its rows of a plane (k) only after
//! its left neighbour has. They hand planes over through one flag a thread, one plane at a time: the
//! receiver polls until the flag is set and clears it, the giver polls until it is clear and sets it
//! (`blts.f`, `buts.f`). The upper sweep runs through the rows backwards, but its loop is split the same
//! way, so that there too thread 0 is first. Parallel loops end in libgomp's barriers.
//!
//! Classes differ by the grid and the number of steps. [`ROW_WORK`] was set for class C; the work on a
//! row of another class is that times its interior width over class C's. The parallel loops are 30 % of
//! the computation, shared evenly, and the sweeps 70 % (assumed; results hardly depend on it).
//!
//! Work counts as done while the sweeps and loops go on, in proportion to their time, and sums to the
//! number of operations by which the benchmark itself computes its Mop/s.

use teeter_scenario::document::Tasks;
use teeter_scenario::document::workload::{NpbClass, NpbLu};
use teeter_scenario::{Bytes, Nanos, Problem};

use crate::program::{Measure, Metric, Op, Program, Programs, Traits};
use crate::shared::{BarrierId, FlagId};

/// Computation on one row of one plane of class C by a core that nothing else uses: the one constant
/// set by a measurement, the 29.8 to 35.1 Gop/s of undisturbed lu.C runs with 76 threads on 80 CPUs.
const ROW_WORK: Nanos = Nanos::from_micros(94);
/// Interior width of class C's grid, for which [`ROW_WORK`] holds.
const ROW_WORK_WIDTH: u64 = 160;
/// Polling of a barrier before it sleeps: libgomp's 300,000 rounds (about 3 ms, reported for casacore).
const BARRIER_SPIN: Nanos = Nanos::from_millis(3);
/// How the time of a step is shared, in hundredths: the two sweeps, and the loops around them.
const SWEEP_SHARE: u64 = 70;
const LOOP_SHARE: u64 = 30;
/// How the loops' time is shared, in hundredths: right before the sweeps, then `add`, `l2norm`, `rhs`.
const LOOPS: [u64; 4] = [10, 25, 35, 30];
/// Pieces in which a loop's work is counted as done.
const LOOP_PIECES: u64 = 16;
/// Counts of progress in an operation: the formula's coefficients have two decimals.
const COUNTS_PER_OP: u64 = 100;
/// The L2 of the time, which the rows of a thread fill.
const FOOTPRINT: u32 = 256 << 10;

/// Memory of one point of the grid: `u`, `rsd` and `frct` of 5 numbers each, `qs` and `rho_i` (applu.incl).
const POINT_BYTES: u64 = 17 * 8;
/// Time to walk through 1 KB of it: a row of class C in the time of its work.
pub(crate) const WALK_NS_PER_KB: u32 = (ROW_WORK.0 * 1024 / (ROW_WORK_WIDTH * POINT_BYTES)) as u32;

/// Memory of each of so many threads: the rows it works on, which it was the first to touch.
pub(crate) fn bytes_per_thread(class: NpbClass, threads: u32) -> Bytes {
    let (edge, _) = size(class);
    Bytes(edge * edge * edge * POINT_BYTES / u64::from(threads.max(1)))
}

/// Edge length of the grid and time steps of a class.
const fn size(class: NpbClass) -> (u64, u32) {
    match class {
        NpbClass::S => (12, 50),
        NpbClass::W => (33, 300),
        NpbClass::A => (64, 250),
        NpbClass::B => (102, 250),
        NpbClass::C => (162, 250),
        NpbClass::D => (408, 300),
        NpbClass::E => (1020, 300),
    }
}

/// Operations of one time step in counts of progress: the benchmark's own formula,
/// `1984.77 n^3 - 10923.3 n^2 + 27770.9 n - 144010`.
const fn step_counts(edge: u64) -> u64 {
    198_477 * edge * edge * edge + 2_777_090 * edge - 1_092_330 * edge * edge - 14_401_000
}

/// Compiles `tasks.processes` runs of the benchmark with `tasks.threads` threads each.
pub(crate) fn compile(lu: &NpbLu, tasks: &Tasks) -> Result<Programs, Vec<Problem>> {
    let (edge, class_steps) = size(lu.class);
    let steps = lu.steps.unwrap_or(class_steps);
    if steps == 0 {
        let problem = Problem::new("/workload/npb-lu/steps", "at least 1 step is expected");
        return Err(vec![problem]);
    }
    let mut programs = Programs {
        metric: Some(Metric {
            name: "Mop/s",
            measure: Measure::Rate,
            per_unit: 1_000_000 * COUNTS_PER_OP,
            higher_is_better: true,
        }),
        ..Programs::none(Traits::footprint(FOOTPRINT))
    };
    for _ in 0..tasks.processes {
        Team::new(edge, steps, tasks.threads, &programs).add_to(&mut programs);
    }
    Ok(programs)
}

/// One process: its threads, and what they share.
struct Team {
    threads: u64,
    steps: u32,
    /// Planes of a sweep, and as many rows and points of a row: the grid's interior.
    interior: u64,
    /// Work on one row of one plane, ns.
    row_work: u64,
    /// Progress in one time step.
    step_counts: u64,
    barrier: BarrierId,
    first_flag: u32,
}

impl Team {
    fn new(edge: u64, steps: u32, threads: u32, programs: &Programs) -> Self {
        let interior = edge - 2;
        Self {
            threads: u64::from(threads),
            steps,
            interior,
            row_work: ROW_WORK.0 * interior / ROW_WORK_WIDTH,
            step_counts: step_counts(edge),
            barrier: BarrierId(programs.shared.barriers.len() as u32),
            first_flag: programs.shared.flags.len() as u32,
        }
    }

    /// Threads that have rows; more than there are rows only meet the others at barriers.
    fn workers(&self) -> u64 {
        self.threads.min(self.interior)
    }

    fn add_to(&self, programs: &mut Programs) {
        let first = programs.programs.len() as u32;
        let workers = self.workers() as u32;
        let distinct = workers + u32::from(self.threads > self.workers());
        for thread in 0..distinct {
            programs.programs.push(self.program(thread));
        }
        let threads = 0..self.threads as u32;
        programs
            .thread
            .extend(threads.map(|thread| first + thread.min(workers)));
        programs.shared.flags.extend((1..workers).map(|_| 0));
        programs.shared.barriers.push(self.threads as u32);
    }

    /// Rows of a thread under `schedule(static)`: the first ones have one more.
    fn rows(&self, thread: u64) -> u64 {
        let (rows, workers) = (self.interior, self.workers());
        match thread {
            _ if thread >= workers => 0,
            _ if thread < rows % workers => rows / workers + 1,
            _ => rows / workers,
        }
    }

    fn program(&self, thread: u32) -> Program {
        let rows = self.rows(u64::from(thread));
        let mut ops = vec![Op::Loop {
            rounds: Some(self.steps),
        }];
        self.parallel_loop(LOOPS[0], rows > 0, &mut ops);
        ops.push(Op::Loop { rounds: Some(2) });
        if rows > 0 {
            self.sweep(thread, rows, &mut ops);
        }
        ops.extend([self.meet(), Op::End]);
        for share in &LOOPS[1..] {
            self.parallel_loop(*share, rows > 0, &mut ops);
        }
        if thread == 0 {
            ops.push(Op::Progress(self.rounding()));
        }
        ops.extend([Op::End, Op::Exit]);
        Program { ops }
    }

    /// One triangular sweep over all planes.
    fn sweep(&self, thread: u32, rows: u64, ops: &mut Vec<Op>) {
        let half = Op::Compute(Nanos(rows * self.row_work / 2));
        let flag = |thread: u32| FlagId(self.first_flag + thread);
        ops.push(Op::Loop {
            rounds: Some(self.interior as u32),
        });
        ops.push(half);
        if thread > 0 {
            let left = flag(thread - 1);
            ops.push(Op::SpinUntil {
                flag: left,
                value: 1,
            });
            ops.push(Op::Set {
                flag: left,
                value: 0,
            });
        }
        ops.push(half);
        if u64::from(thread) + 1 < self.workers() {
            let own = flag(thread);
            ops.push(Op::SpinUntil {
                flag: own,
                value: 0,
            });
            ops.push(Op::Set {
                flag: own,
                value: 1,
            });
        }
        ops.extend([Op::Progress(rows * self.row_counts()), Op::End]);
    }

    /// A parallel loop that takes so many hundredths of the loops' time, and its barrier.
    fn parallel_loop(&self, share: u64, works: bool, ops: &mut Vec<Op>) {
        if works {
            let sweeps = 2 * self.interior * self.interior * self.row_work;
            let work = sweeps * LOOP_SHARE * share / (SWEEP_SHARE * 100);
            ops.extend([
                Op::Loop {
                    rounds: Some(LOOP_PIECES as u32),
                },
                Op::Compute(Nanos(work / (LOOP_PIECES * self.workers()))),
                Op::Progress(self.piece_counts(share)),
                Op::End,
            ]);
        }
        ops.push(self.meet());
    }

    fn meet(&self) -> Op {
        Op::Barrier {
            barrier: self.barrier,
            spin: BARRIER_SPIN,
        }
    }

    /// Progress in one row of one plane.
    fn row_counts(&self) -> u64 {
        let rows = 2 * self.interior * self.interior;
        self.step_counts / 100 * SWEEP_SHARE / rows
    }

    /// Progress of one thread in one piece of a loop.
    fn piece_counts(&self, share: u64) -> u64 {
        self.step_counts / 10_000 * LOOP_SHARE * share / (LOOP_PIECES * self.workers())
    }

    /// Progress in a step that the divisions left over.
    fn rounding(&self) -> u64 {
        let sweeps = 2 * self.interior * self.interior * self.row_counts();
        let piece: u64 = LOOPS.iter().map(|&share| self.piece_counts(share)).sum();
        self.step_counts - sweeps - LOOP_PIECES * self.workers() * piece
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpreter;
    use teeter_scenario::document::Workload;

    fn lu(class: NpbClass, steps: Option<u32>, threads: u32) -> Programs {
        let lu = NpbLu { class, steps };
        let mut tasks = Tasks::new("lu", Workload::NpbLu(lu));
        tasks.threads = threads;
        compile(&lu, &tasks).unwrap()
    }

    #[test]
    fn class_c_is_as_many_operations_as_the_benchmark_says() {
        let (edge, steps) = size(NpbClass::C);
        // 62.65 s at 32548.4 Mop/s, as measured, within the rounding of the time.
        let mop = step_counts(edge) * u64::from(steps) / COUNTS_PER_OP / 1_000_000;
        assert_eq!(mop, 2_038_997);
        assert!((62.65_f64 * 32548.4 / mop as f64 - 1.0).abs() < 2e-4);
    }

    #[test]
    fn rows_of_76_threads() {
        let team = Team::new(162, 1, 76, &Programs::none(Traits::default()));
        let rows: Vec<u64> = (0..76).map(|thread| team.rows(thread)).collect();
        assert_eq!(rows.iter().sum::<u64>(), 160);
        assert_eq!(
            (
                rows[7],
                rows[8],
                rows.iter().filter(|&&rows| rows == 3).count()
            ),
            (3, 2, 8)
        );
    }

    #[test]
    fn a_thread_in_the_middle_of_class_c() {
        let programs = lu(NpbClass::C, None, 76);
        let Program { ops } = &programs.programs[9];
        let sweep = ops
            .iter()
            .position(|op| matches!(op, Op::SpinUntil { .. }))
            .unwrap();
        // 2 rows x 94 us, half of it before the neighbour's flag.
        let half = Op::Compute(Nanos::from_micros(94));
        assert_eq!(
            ops[sweep - 2..sweep + 7],
            [
                Op::Loop { rounds: Some(160) },
                half,
                Op::SpinUntil {
                    flag: FlagId(8),
                    value: 1
                },
                Op::Set {
                    flag: FlagId(8),
                    value: 0
                },
                half,
                Op::SpinUntil {
                    flag: FlagId(9),
                    value: 0
                },
                Op::Set {
                    flag: FlagId(9),
                    value: 1
                },
                Op::Progress(2 * 11_150_766),
                Op::End,
            ]
        );
        assert_eq!(ops[0], Op::Loop { rounds: Some(250) });
        assert!(ops.len() < 50);
        assert_eq!(
            (programs.shared.flags.len(), &programs.shared.barriers[..]),
            (75, &[76][..])
        );
    }

    #[test]
    fn loops_take_three_tenths_of_the_computation() {
        let programs = lu(NpbClass::C, Some(1), 76);
        let all: u64 = programs
            .programs
            .iter()
            .map(|program| interpreter::computation(program).0)
            .sum();
        let sweeps = 2 * 160 * 160 * 94_000;
        assert!(all.abs_diff(sweeps * 10 / 7) < 100_000, "{all}");
    }

    #[test]
    fn every_team_comes_to_the_end_and_counts_every_operation() {
        for threads in [1, 2, 5, 10, 12] {
            let programs = lu(NpbClass::S, None, threads);
            let counts = interpreter::run(&programs);
            assert_eq!(counts, 50 * step_counts(12), "{threads} threads");
            assert_eq!(programs.thread.len(), threads as usize);
        }
        assert_eq!(
            interpreter::run(&lu(NpbClass::C, Some(1), 76)),
            step_counts(162)
        );
        assert_eq!(
            interpreter::run(&lu(NpbClass::W, Some(2), 40)),
            2 * step_counts(33)
        );
    }

    #[test]
    fn threads_without_rows_share_a_program() {
        let programs = lu(NpbClass::S, None, 12);
        assert_eq!(programs.thread, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10]);
        assert_eq!(
            (programs.shared.flags.len(), programs.shared.barriers[0]),
            (9, 12)
        );
    }

    #[test]
    fn processes_share_nothing() {
        let workload = NpbLu {
            class: NpbClass::S,
            steps: Some(3),
        };
        let mut tasks = Tasks::new("lu", Workload::NpbLu(workload));
        (tasks.threads, tasks.processes) = (4, 2);
        let programs = compile(&workload, &tasks).unwrap();
        assert_eq!(
            (
                programs.thread.len(),
                programs.shared.flags.len(),
                programs.shared.barriers.len()
            ),
            (8, 6, 2)
        );
        assert_eq!(interpreter::run(&programs), 2 * 3 * step_counts(12));
    }

    proptest::proptest! {
        #[test]
        fn any_team_of_any_size_ends(threads in 1..200_u32, steps in 1..3_u32, w: bool) {
            let class = if w { NpbClass::W } else { NpbClass::S };
            let counts = interpreter::run(&lu(class, Some(steps), threads));
            proptest::prop_assert_eq!(counts, u64::from(steps) * step_counts(size(class).0));
        }
    }
}
