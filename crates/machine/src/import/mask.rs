//! Bit masks of CPUs as hwloc and sysfs write them.

use std::collections::BTreeSet;

use crate::MAX_CPUS;

/// The CPUs of `0x0000000f,0xffffffff` (hwloc) or `0000000f,ffffffff` (sysfs): words of 32 bits, the
/// highest first. `None` if it is none, is infinite (`0xf...f`), or goes beyond the CPUs there may be.
pub(super) fn read(text: &str) -> Option<BTreeSet<u32>> {
    let text = text.trim();
    let mut cpus = BTreeSet::new();
    let mut base = 0;
    for word in text.rsplit(',') {
        let digits = word.strip_prefix("0x").unwrap_or(word);
        // hwloc leaves out words of zeros: `0x1,,0x0` has three words.
        let bits = match digits {
            "" if text.contains(',') => 0,
            digits if digits.len() <= 8 && digits.bytes().all(|b| b.is_ascii_hexdigit()) => {
                u32::from_str_radix(digits, 16).ok()?
            }
            _ => return None,
        };
        if bits != 0 && base >= MAX_CPUS as u32 {
            return None;
        }
        cpus.extend(
            (0..32)
                .filter(|bit| bits >> bit & 1 == 1)
                .map(|bit| base + bit),
        );
        base = u32::checked_add(base, 32)?;
    }
    Some(cpus)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> Option<Vec<u32>> {
        read(text).map(|cpus| cpus.into_iter().collect())
    }

    #[test]
    fn masks_of_both_kinds() {
        assert_eq!(list("0x0000905b"), Some(vec![0, 1, 3, 4, 6, 12, 15]));
        assert_eq!(list("0x00000001,,0x0"), Some(vec![64]));
        assert_eq!(list("00000000,0000000f"), Some(vec![0, 1, 2, 3]));
        assert_eq!(list("ff\n"), Some((0..8).collect()));
        assert_eq!(list("0x0"), Some(vec![]));
        for bad in ["", "0xf...f", "0x0000000000000001", "xyz", "1-3"] {
            assert_eq!(list(bad), None, "{bad}");
        }
        let beyond = format!("1{}", ",00000000".repeat(32));
        assert_eq!(list(&beyond), None);
    }
}
