//! The parts of the panel of cgroups and tasks.

pub(super) mod catalogue;
pub(super) mod cgroup_row;
pub(super) mod drag;
pub(super) mod phases;
pub(super) mod place_form;
pub(super) mod task_row;
pub(super) mod workload_fields;
