//! `perf bench sched pipe`: two threads pass an int to and fro through two pipes.

use teeter_scenario::document::Tasks;
use teeter_scenario::document::workload::{ChannelKind, Pipe};

use crate::program::{Measure, Metric, Op, Programs, Traits};
use crate::shared::Channel;

/// Length of the message.
const BYTES: u32 = 4;
/// Working set of either thread (assumed).
const FOOTPRINT: u32 = 8 << 10;

/// Compiles `tasks.processes` pairs.
pub(crate) fn compile(pipe: Pipe, tasks: &Tasks) -> Programs {
    let metric = Metric {
        name: "ops/s",
        per_unit: 1,
        measure: Measure::Rate,
        higher_is_better: true,
    };
    let traits = Traits::footprint(FOOTPRINT);
    let mut programs = Programs {
        metric: Some(metric),
        ..Programs::none(traits)
    };
    for _ in 0..tasks.processes {
        let way = Channel::new(ChannelKind::Pipe, BYTES);
        let (there, back) = (programs.shared.channel(way), programs.shared.channel(way));
        let ping = [Op::Send(there), Op::Receive(back), Op::Progress(1)];
        let pong = [Op::Receive(there), Op::Send(back)];
        let rounds = Some(pipe.loops);
        for body in [&ping[..], &pong] {
            programs.add(
                [&[Op::Loop { rounds }], body, &[Op::End, Op::Exit]].concat(),
                1,
            );
        }
    }
    programs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpreter;
    use teeter_scenario::document::Workload;

    #[test]
    fn every_round_comes_back() {
        let pipe = Pipe { loops: 50 };
        let programs = compile(pipe, &Tasks::new("pipe", Workload::Pipe(pipe)));
        assert_eq!(interpreter::run(&programs), 50);
    }
}
