//! trace-cmd, which a test has read what Teeter writes.

use crate::cache::Cache;
use crate::debian::{self, Distribution};
use crate::error::Result;
use crate::program::on_path;
use crate::step::Step;

/// Makes sure of trace-cmd where it can be installed; elsewhere its test leaves itself out.
///
/// # Errors
/// As [`debian::install`].
pub(crate) fn ready(cache: &Cache) -> Result<()> {
    let step = Step::begin("trace-cmd");
    if on_path(&["trace-cmd"]).is_some() {
        step.done("there");
    } else if Distribution::here() == Distribution::Other {
        step.done("not here: its test is left out");
    } else {
        debian::install(&step, cache, &["trace-cmd"])?;
        step.done("installed");
    }
    Ok(())
}
