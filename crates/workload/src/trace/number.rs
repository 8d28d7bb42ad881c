//! Numbers in a recording, none of which is larger than what it stands for can be.

use teeter_scenario::limits;

use crate::error::Unreadable;

/// Largest number of a task: `PID_MAX_LIMIT` of 64-bit kernels.
const PID_MAX: u32 = 4 << 20;

fn excerpt(text: &str) -> String {
    text.chars().take(24).collect()
}

/// The number of a task.
pub(super) fn pid(text: &str) -> Result<u32, Unreadable> {
    let number = text.parse().ok().filter(|&pid| pid <= PID_MAX);
    number.ok_or_else(|| Unreadable::Pid(excerpt(text)))
}

/// A priority: -1 (deadline) to 140.
pub(super) fn prio(text: &str) -> Result<i32, Unreadable> {
    let number = text.parse().ok().filter(|prio| (-1..=140).contains(prio));
    number.ok_or_else(|| Unreadable::Prio(excerpt(text)))
}

/// The number of a CPU.
pub(super) fn cpu(text: &str) -> Result<u32, Unreadable> {
    let number = text.parse().ok().filter(|&cpu| cpu < limits::CPUS);
    number.ok_or_else(|| Unreadable::Cpu(excerpt(text)))
}

/// Seconds with a fraction of up to nine digits, in ns.
pub(super) fn seconds(text: &str) -> Result<u64, Unreadable> {
    let read = || {
        let (seconds, fraction) = text.split_once('.')?;
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if !digits(seconds) || !digits(fraction) || fraction.len() > 9 {
            return None;
        }
        let scale = 10u64.pow(9 - fraction.len() as u32);
        let nanos = fraction.parse::<u64>().ok()? * scale;
        seconds
            .parse::<u64>()
            .ok()?
            .checked_mul(1_000_000_000)?
            .checked_add(nanos)
    };
    read().ok_or_else(|| Unreadable::Seconds(excerpt(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_exact() {
        assert_eq!(seconds("73.945460").unwrap(), 73_945_460_000);
        assert_eq!(seconds("0.000000001").unwrap(), 1);
        for wrong in [
            "",
            "1",
            "1.",
            ".5",
            "1.0000000001",
            "-1.0",
            "99999999999999.0",
        ] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn numbers_have_ranges() {
        assert_eq!(cpu("003").unwrap(), 3);
        assert_eq!(
            cpu("70000").unwrap_err().to_string(),
            "`70000` is not a number of a CPU"
        );
        assert!(pid("99999999").is_err());
        assert_eq!(prio("-1").unwrap(), -1);
        assert!(prio("500").is_err());
    }
}
