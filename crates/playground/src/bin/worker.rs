//! worker binary.

fn main() {}
