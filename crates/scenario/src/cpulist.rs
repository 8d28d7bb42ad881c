//! Sets of CPUs or nodes in the kernel's list format.

use std::fmt;
use std::str::FromStr;

use crate::limits;

/// A set of CPU (or node) numbers, written as the kernel writes them: `"0-3,8"`.
///
/// Always canonical: ranges ascend and neither touch nor overlap. The empty set is the empty text.
///
/// ```
/// use teeter_scenario::CpuList;
///
/// let cpus: CpuList = "8,0-2,3".parse().unwrap();
/// assert_eq!(cpus.to_string(), "0-3,8");
/// assert_eq!(cpus.iter().collect::<Vec<_>>(), [0, 1, 2, 3, 8]);
/// assert_eq!("0-6:2/3".parse::<CpuList>().unwrap().to_string(), "0-1,3-4,6");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CpuList {
    /// First and last number of each range.
    ranges: Vec<(u32, u32)>,
}

impl CpuList {
    /// No CPU.
    pub const EMPTY: Self = Self { ranges: Vec::new() };

    /// All numbers from `first` up to `last`, both included; empty if `last < first`.
    pub fn range(first: u32, last: u32) -> Self {
        let ranges = if first <= last {
            vec![(first, last)]
        } else {
            Vec::new()
        };
        Self { ranges }
    }

    /// The numbers in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.ranges.iter().flat_map(|&(first, last)| first..=last)
    }

    /// Whether the set holds nothing.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// How many numbers there are.
    pub fn count(&self) -> u32 {
        self.ranges
            .iter()
            .map(|(first, last)| last - first + 1)
            .sum()
    }

    /// Whether `cpu` is in the set.
    pub fn contains(&self, cpu: u32) -> bool {
        self.ranges
            .iter()
            .any(|&(first, last)| (first..=last).contains(&cpu))
    }

    /// The highest number.
    pub fn max(&self) -> Option<u32> {
        self.ranges.last().map(|range| range.1)
    }

    /// The first and last number of each run of neighbours, ascending.
    pub fn ranges(&self) -> &[(u32, u32)] {
        &self.ranges
    }
}

impl FromIterator<u32> for CpuList {
    fn from_iter<I: IntoIterator<Item = u32>>(numbers: I) -> Self {
        canonical(numbers.into_iter().map(|n| (n, n)).collect())
    }
}

impl fmt::Display for CpuList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (first, last)) in self.ranges.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            if first == last {
                write!(f, "{comma}{first}")?;
            } else {
                write!(f, "{comma}{first}-{last}")?;
            }
        }
        Ok(())
    }
}

impl FromStr for CpuList {
    type Err = CpuListError;

    /// Reads `N`, `N-M` and the kernel's `N-M:used/group`, separated by commas.
    fn from_str(text: &str) -> Result<Self, CpuListError> {
        if text.trim().is_empty() {
            return Ok(Self::EMPTY);
        }
        let mut ranges = Vec::new();
        for part in text.split(',') {
            read_part(part.trim(), &mut ranges)?;
        }
        Ok(canonical(ranges))
    }
}

/// Reads one part between commas into `ranges`.
fn read_part(part: &str, ranges: &mut Vec<(u32, u32)>) -> Result<(), CpuListError> {
    let (range, pattern) = match part.split_once(':') {
        Some((range, pattern)) => (range, Some(pattern)),
        None => (part, None),
    };
    let (first, last) = match range.split_once('-') {
        Some((first, last)) => (number(first, part)?, number(last, part)?),
        None => (number(range, part)?, number(range, part)?),
    };
    if last < first {
        return Err(CpuListError::Backwards(part.to_owned()));
    }
    let Some(pattern) = pattern else {
        ranges.push((first, last));
        return Ok(());
    };
    let (used, group) = pattern
        .split_once('/')
        .ok_or_else(|| CpuListError::Syntax(part.to_owned()))?;
    let (used, group) = (number(used, part)?, number(group, part)?);
    if used == 0 || used > group {
        return Err(CpuListError::Syntax(part.to_owned()));
    }
    for start in (first..=last).step_by(group as usize) {
        ranges.push((start, (start + used - 1).min(last)));
    }
    Ok(())
}

fn number(text: &str, part: &str) -> Result<u32, CpuListError> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return Err(CpuListError::Syntax(part.to_owned()));
    }
    match text.parse() {
        Ok(number) if number < limits::CPUS => Ok(number),
        _ => Err(CpuListError::TooLarge(text.to_owned())),
    }
}

/// Sorts and joins ranges.
fn canonical(mut ranges: Vec<(u32, u32)>) -> CpuList {
    ranges.sort_unstable();
    let mut joined: Vec<(u32, u32)> = Vec::with_capacity(ranges.len());
    for (first, last) in ranges {
        match joined.last_mut() {
            Some(previous) if first <= previous.1.saturating_add(1) => {
                previous.1 = previous.1.max(last);
            }
            _ => joined.push((first, last)),
        }
    }
    CpuList { ranges: joined }
}

/// A text that is not a list of CPUs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CpuListError {
    /// Not a number, a range, or a range with a pattern.
    #[error("`{0}` is not a list of CPUs: write numbers and ranges, as in \"0-3,8\"")]
    Syntax(String),
    /// A range whose end comes before its start.
    #[error("the range `{0}` runs backwards")]
    Backwards(String),
    /// A number beyond [`limits::CPUS`].
    #[error("`{0}` is too large: CPUs are numbered from 0 to {max}", max = limits::CPUS - 1)]
    TooLarge(String),
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lists_are_made_canonical() {
        for (text, canonical) in [
            ("", ""),
            ("3", "3"),
            ("0,1,2", "0-2"),
            ("5-7,0-3,4", "0-7"),
            ("0-10,2-3", "0-10"),
            (" 1 , 3 ", "1,3"),
            ("0-9:2/4", "0-1,4-5,8-9"),
        ] {
            let list: CpuList = text.parse().unwrap();
            assert_eq!(list.to_string(), canonical, "{text}");
        }
    }

    #[test]
    fn errors_say_which_part() {
        let syntax = |part: &str| CpuListError::Syntax(part.to_owned());
        for (text, error) in [
            ("0-3,x", syntax("x")),
            ("1,,2", syntax("")),
            ("-3", syntax("-3")),
            ("0-9:3", syntax("0-9:3")),
            ("0-9:0/2", syntax("0-9:0/2")),
            ("3-1", CpuListError::Backwards("3-1".to_owned())),
            ("0-1024", CpuListError::TooLarge("1024".to_owned())),
            (
                "99999999999",
                CpuListError::TooLarge("99999999999".to_owned()),
            ),
        ] {
            assert_eq!(text.parse::<CpuList>(), Err(error), "{text}");
        }
    }

    #[test]
    fn members_are_counted() {
        let list: CpuList = "0-3,8".parse().unwrap();
        assert_eq!(list.count(), 5);
        assert_eq!(list.max(), Some(8));
        assert!(list.contains(2) && !list.contains(4));
        assert!(CpuList::range(2, 1).is_empty());
    }

    proptest! {
        #[test]
        fn text_and_back(numbers in prop::collection::btree_set(0..limits::CPUS, 0..40)) {
            let list: CpuList = numbers.iter().copied().collect();
            prop_assert!(list.iter().eq(numbers));
            prop_assert_eq!(list.to_string().parse(), Ok(list));
        }

        #[test]
        fn any_text_is_read_or_refused(text in "[0-9,:/ -]{0,30}") {
            if let Ok(list) = text.parse::<CpuList>() {
                prop_assert_eq!(list.to_string().parse(), Ok(list));
            }
        }
    }
}
