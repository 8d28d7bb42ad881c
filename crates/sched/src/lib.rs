//! Teeter sched.
