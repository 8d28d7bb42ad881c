//! `run`

use super::Report;
use crate::Nanos;
use crate::document::Run;
use crate::limits;

pub(super) fn check(run: &Run, report: &mut Report) {
    report.within("/run/duration", &run.duration, &Nanos(1), &limits::DURATION);
    if run.warmup >= run.duration && run.warmup > Nanos::ZERO {
        let message = format!("{} leaves nothing of {}", run.warmup, run.duration);
        report.add("/run/warmup", message);
    }
    report.within("/run/repeats", &run.repeats, &1, &limits::REPEATS);
    if run.sample < limits::SAMPLE_MIN {
        report.add(
            "/run/sample",
            format!("{} is less than {}", run.sample, limits::SAMPLE_MIN),
        );
    } else if run.duration.0 / run.sample.0 > limits::SAMPLES {
        let message = format!(
            "{} samples are too many: at most {}",
            run.duration.0 / run.sample.0,
            limits::SAMPLES
        );
        report.add("/run/sample", message);
    }
}
