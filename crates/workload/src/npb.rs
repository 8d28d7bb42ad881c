//! npb: programs of the NAS Parallel Benchmarks (OpenMP) whose threads meet at a barrier behind each loop: BT,
//! SP, FT and MG. LU, which polls flags, is `npb-lu`.

use teeter_scenario::document::Tasks;
use teeter_scenario::document::workload::{Npb, NpbClass, NpbProgram};
use teeter_scenario::{Bytes, Nanos, Problem};

use crate::program::{Measure, Metric, Op, Program, Programs, Traits};
use crate::shared::{BarrierId, Shared};

/// CPU time polled at a barrier (`GOMP_SPINCOUNT`).
const SPIN: Nanos = Nanos::from_millis(3);

/// The L2.
const TRAITS: Traits = Traits::footprint(256 << 10);

/// How one of the programs computes.
struct Kind {
    /// Points of the grid along its longest side, of all its points, and iterations, by class from S to E.
    sizes: [(u64, u64, u32); 7],
    /// Bytes of each point.
    point_bytes: u64,
    /// Time for 1000 operations on one thread of a core at full speed, ns.
    ns_per_kop: u64,
    /// Hundredths of that which wait for memory, and time for 1 KB of it, ns.
    stall: u32,
    ns_per_kb: u32,
    /// Hundredths of an iteration's work before each barrier.
    loops: &'static [u64],
}

/// Edges and iterations of a cube for each class.
const fn cubes(sizes: [(u64, u32); 7]) -> [(u64, u64, u32); 7] {
    let mut all = [(0, 0, 0); 7];
    let mut at = 0;
    while at < 7 {
        let (edge, steps) = sizes[at];
        all[at] = (edge, edge * edge * edge, steps);
        at += 1;
    }
    all
}

/// Sizes and iterations are those of NPB 3.3 (M). Speeds are of the order of one Haswell core's: 2300, 1500, 1700
/// and 2700 Mop/s; how much of that time waits for memory and at what rate grows from BT over SP and FT to MG, as
/// all characterisations have it (A). Shares of the loops are those of the programs' own timers (M), of MG those
/// of grids that halve each edge.
impl Kind {
    const BT: Self = Self {
        sizes: cubes([
            (12, 60),
            (24, 200),
            (64, 200),
            (102, 200),
            (162, 200),
            (408, 250),
            (1020, 250),
        ]),
        point_bytes: 21 * 8,
        ns_per_kop: 435,
        stall: 25,
        ns_per_kb: 1280,
        loops: &[28, 22, 24, 24, 2],
    };
    const SP: Self = Self {
        sizes: cubes([
            (12, 100),
            (36, 400),
            (64, 400),
            (102, 400),
            (162, 400),
            (408, 500),
            (1020, 500),
        ]),
        ns_per_kop: 667,
        stall: 45,
        ns_per_kb: 512,
        loops: &[34, 4, 19, 19, 20, 4],
        ..Self::BT
    };
    const FT: Self = Self {
        sizes: [
            (64, 1 << 18, 6),
            (128, 1 << 19, 6),
            (256, 1 << 23, 6),
            (512, 1 << 25, 20),
            (512, 1 << 27, 20),
            (2048, 1 << 31, 25),
            (4096, 1 << 34, 25),
        ],
        point_bytes: 3 * 16,
        ns_per_kop: 588,
        stall: 50,
        ns_per_kb: 341,
        loops: &[15, 25, 28, 29, 3],
    };
    const MG: Self = Self {
        sizes: cubes([
            (32, 4),
            (128, 4),
            (256, 4),
            (256, 20),
            (512, 20),
            (1024, 50),
            (2048, 50),
        ]),
        point_bytes: 27,
        ns_per_kop: 370,
        stall: 65,
        ns_per_kb: 205,
        loops: &[30, 12, 3, 1, 1, 1, 3, 12, 37],
    };

    const fn of(program: NpbProgram) -> &'static Self {
        match program {
            NpbProgram::Bt => &Self::BT,
            NpbProgram::Sp => &Self::SP,
            NpbProgram::Ft => &Self::FT,
            NpbProgram::Mg => &Self::MG,
        }
    }

    const fn size(&self, class: NpbClass) -> (u64, u64, u32) {
        self.sizes[match class {
            NpbClass::S => 0,
            NpbClass::W => 1,
            NpbClass::A => 2,
            NpbClass::B => 3,
            NpbClass::C => 4,
            NpbClass::D => 5,
            NpbClass::E => 6,
        }]
    }
}

/// Thousands of operations in one iteration, as each program counts them for its Mop/s (M).
fn kops(program: NpbProgram, class: NpbClass) -> u64 {
    let (edge, points, _) = Kind::of(program).size(class);
    let ops = match program {
        NpbProgram::Bt => 3479 * points + 28_024 * edge - 17_656 * edge * edge,
        NpbProgram::Sp => 881 * points + 11_485 * edge - 4_684 * edge * edge,
        // 5.23518 + 7.21113 ln(points), where points are a power of two.
        NpbProgram::Ft => points * (5_235 + 4_998 * u64::from(points.ilog2())) / 1000,
        NpbProgram::Mg => 58 * points,
    };
    ops / 1000
}

/// Memory of each thread, time to go through 1 KB of it, and how much of the time waits for it.
pub(crate) fn memory(npb: Npb, threads: u32) -> (Bytes, u32, u32) {
    let kind = Kind::of(npb.program);
    let (_, points, _) = kind.size(npb.class);
    let part = points * kind.point_bytes / u64::from(threads.max(1));
    (Bytes(part), kind.ns_per_kb, kind.stall)
}

/// Threads share out the planes of the grid as static schedules do: some have one more than others.
pub(crate) fn compile(npb: Npb, tasks: &Tasks) -> Result<Programs, Vec<Problem>> {
    let kind = Kind::of(npb.program);
    let (edge, _, steps) = kind.size(npb.class);
    let steps = npb.steps.unwrap_or(steps);
    if steps == 0 {
        let path = "/workload/npb/steps";
        return Err(vec![Problem::new(path, "at least 1 step is expected")]);
    }
    let threads = u64::from(tasks.threads.max(1));
    let kops = kops(npb.program, npb.class);
    let program = |process: u32, planes: u64| {
        let mut ops = vec![Op::Loop {
            rounds: Some(steps),
        }];
        for share in kind.loops {
            let part = kops * share * planes / (100 * edge);
            ops.push(Op::Compute(Nanos(part * kind.ns_per_kop)));
            ops.push(Op::Progress(part));
            ops.push(Op::Barrier {
                barrier: BarrierId(process),
                spin: SPIN,
            });
        }
        ops.extend([Op::End, Op::Exit]);
        Program { ops }
    };
    // Of each process those with one plane more come first.
    let (planes, more) = (edge / threads, edge % threads);
    let processes = 0..tasks.processes;
    Ok(Programs {
        programs: processes
            .clone()
            .flat_map(|process| [planes + 1, planes].map(|planes| program(process, planes)))
            .collect(),
        thread: processes
            .flat_map(|process| {
                (0..threads).map(move |index| 2 * process + u32::from(index >= more))
            })
            .collect(),
        shared: Shared {
            barriers: vec![tasks.threads; tasks.processes as usize],
            ..Shared::default()
        },
        metric: Some(Metric {
            name: "Mop/s",
            per_unit: 1000,
            measure: Measure::Rate,
            higher_is_better: true,
        }),
        ..Programs::none(TRAITS)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpreter;
    use teeter_scenario::document::Workload;

    #[test]
    fn operations_are_those_of_the_benchmarks() {
        let total = |program| {
            let (_, _, steps) = Kind::of(program).size(NpbClass::C);
            kops(program, NpbClass::C) * u64::from(steps) / 1_000_000
        };
        // Gop of class C: 2834.3 for BT, 1402 for SP, 396 for FT and 155.7 for MG, of which FT has some before
        // its iterations.
        assert!((2834..=2880).contains(&total(NpbProgram::Bt)));
        assert!((1400..=1480).contains(&total(NpbProgram::Sp)));
        assert!((360..=400).contains(&total(NpbProgram::Ft)));
        assert_eq!(total(NpbProgram::Mg), 155);
    }

    #[test]
    fn all_work_is_shared_out() {
        for program in [
            NpbProgram::Bt,
            NpbProgram::Sp,
            NpbProgram::Ft,
            NpbProgram::Mg,
        ] {
            assert_eq!(Kind::of(program).loops.iter().sum::<u64>(), 100);
            let npb = Npb {
                program,
                class: NpbClass::W,
                steps: Some(3),
            };
            let mut tasks = Tasks::new("npb", Workload::Npb(npb));
            (tasks.threads, tasks.processes) = (5, 2);
            let programs = compile(npb, &tasks).unwrap();
            let done = interpreter::run(&programs);
            let all = 2 * 3 * kops(program, NpbClass::W);
            assert!(done <= all && done * 100 > all * 99, "{done} of {all}");
        }
    }
}
