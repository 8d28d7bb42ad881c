//! The parts of the kernel panel.

pub(super) mod changes;
pub(super) mod compared;
pub(super) mod knob_row;
pub(super) mod own_rule;
pub(super) mod rule_list;
