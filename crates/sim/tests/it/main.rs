//! The engine from the outside: scenarios in, results out.

mod bench;
mod cases;
mod cgroups;
mod dbench;
mod determinism;
mod digests;
mod golden_fairness;
mod golden_placement;
mod invariants;
mod knobs;
mod nested_groups;
mod numa;
mod own_rules;
mod proof;
mod replay;
mod rtapp;
mod script;
mod shape;
mod speed;
mod support;
mod synchronisation;
mod time;
mod trace;
