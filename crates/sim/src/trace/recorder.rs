//! What is kept while a run is recorded.

use teeter_machine::CpuId;

use super::event::{Left, TraceEvent};

/// Events since they were last taken, and what the next ones need to know.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recorder {
    pub(crate) events: Vec<TraceEvent>,
    /// A task that is leaving its CPU other than by force, and how.
    pub(crate) leaving: Option<(u32, Left)>,
    /// The CPU whose event is at hand.
    pub(crate) acting: Option<CpuId>,
}
