//! Teeter scenario.
