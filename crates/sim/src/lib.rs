//! Teeter sim.
