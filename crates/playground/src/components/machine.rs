//! The parts of the machine panel.

pub(super) mod distances;
pub(super) mod keys;
pub(super) mod part_form;
pub(super) mod part_tree;
