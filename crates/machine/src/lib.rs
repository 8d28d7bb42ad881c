//! Teeter machine.
