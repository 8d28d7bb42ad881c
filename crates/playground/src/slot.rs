//! Kernels are told apart by a letter and a dash, never by hue.

/// The letter of a kernel's slot: A, B, C, D.
pub(crate) fn letter(slot: usize) -> &'static str {
    ["A", "B", "C", "D"].get(slot).copied().unwrap_or("?")
}
