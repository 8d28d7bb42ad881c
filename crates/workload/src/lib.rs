//! Teeter workload.
