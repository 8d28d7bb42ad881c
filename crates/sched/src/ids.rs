//! Dense numbers of the things the scheduler keeps in arrays.

/// A task, numbered in order of [`crate::Sched::add_task`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId(pub u32);

/// A task group (cgroup of the cpu controller), numbered in order of [`crate::Sched::add_group`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupId(pub u32);

/// A `cfs_rq`: that of group `g` on CPU `c` has number `g * nr_cpus + c`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CfsRqId(pub(crate) u32);

/// A `sched_entity`, of a task or of a group on one CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EntityId(pub(crate) u32);

/// A `sched_domain`: one CPU's own instance of one level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SdId(pub(crate) u32);

/// A `sched_group`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SgId(pub(crate) u32);

macro_rules! index {
    ($($id:ident)*) => {$(
        impl $id {
            /// The number as an index.
            #[inline]
            pub(crate) const fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}
index!(TaskId GroupId CfsRqId EntityId SdId SgId);

impl GroupId {
    /// The root group, to which every task without a cgroup belongs.
    pub const ROOT: Self = Self(0);
}
