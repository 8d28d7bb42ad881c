//! The engine from the outside: scenarios in, results out.

mod bench;
mod determinism;
mod digests;
mod invariants;
mod proof;
mod script;
mod shape;
mod speed;
mod support;
mod synchronisation;
mod time;
