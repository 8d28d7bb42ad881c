//! playground binary.

fn main() {}
