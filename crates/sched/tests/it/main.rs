//! A running kernel, driven from outside.

#![expect(clippy::expect_used, reason = "a test's own set-up may end the test")]

mod balance_cases;
mod bandwidth;
mod cases;
mod change;
mod domains;
mod driver;
mod eevdf;
mod fairness;
mod hotplug;
mod invariants;
mod moving_load;
mod nested_load;
mod numa;
mod placement;
mod spreading;
