//! Cgroups of a real machine: units of systemd, or pods of Kubernetes.

use teeter_scenario::document::{Bandwidth, Cgroup};
use teeter_scenario::{CpuList, Nanos, limits};

use super::text::{ImportError, Span, lines};
use super::{MOST, kubernetes};

/// Cgroups as a scenario has them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cgroups {
    /// In the order of the text.
    pub cgroups: Vec<Cgroup>,
    /// What was assumed, as sentences without a full stop.
    pub assumptions: Vec<String>,
}

/// Reads `systemctl show` or `systemctl cat` of some units, or `kubectl get pods -o json`.
///
/// # Errors
///
/// What cannot be read, with line and column.
pub fn cgroups(text: &str) -> Result<Cgroups, ImportError> {
    if text.len() > MOST {
        return Err(ImportError::TooLong { most: MOST });
    }
    let cgroups = if is_json(text) {
        kubernetes::read(text)?
    } else {
        units(text)?
    };
    if cgroups.cgroups.is_empty() {
        let message =
            "expected units of systemd, such as `CPUWeight=200`, or `kubectl get pods -o json`";
        return Err(ImportError::Whole(message.to_owned()));
    }
    Ok(cgroups)
}

/// Whether a text is meant as JSON; a section of a unit file begins with a bracket as well.
pub(super) fn is_json(text: &str) -> bool {
    let text = text.trim_start();
    let list = text.strip_prefix('[').map(str::trim_start);
    text.starts_with('{') || list.is_some_and(|list| list.starts_with(['{', '[', ']']))
}

/// A unit as it is told of.
#[derive(Debug, Default)]
struct Unit {
    id: Option<String>,
    slice: Option<String>,
    path: Option<String>,
    weight: Option<u32>,
    idle: bool,
    /// Parts of a CPU, in millionths.
    quota: Option<u64>,
    period: Option<Nanos>,
    cpus: Option<CpuList>,
    mems: Option<CpuList>,
}

/// Reads units: blocks of `KEY=VALUE` between blank lines, or files with sections, each after a comment
/// with its path.
fn units(text: &str) -> Result<Cgroups, ImportError> {
    let mut read = Cgroups::default();
    let mut unit = Unit::default();
    // `systemctl cat` names a file before its sections; blank lines within a file separate nothing.
    let mut in_file = false;
    for line in lines(text) {
        let line = line.trim();
        if let Some(comment) = line.strip_prefix("#") {
            if let Some(id) = id_of(comment.text.trim()) {
                if unit.id.as_ref() != Some(&id) {
                    finish(&mut read, std::mem::take(&mut unit))?;
                }
                unit.id = Some(id);
                in_file = true;
            }
        } else if line.text.is_empty() {
            if !in_file {
                finish(&mut read, std::mem::take(&mut unit))?;
            }
        } else if !(line.text.starts_with('[') || line.text.starts_with(';')) {
            let (key, value) = line
                .split_once('=')
                .ok_or_else(|| line.expected("a line such as `CPUWeight=200`"))?;
            unit.field(key.text.trim(), value.trim())?;
        }
    }
    finish(&mut read, unit)?;
    Ok(read)
}

/// The unit of a file: of a drop-in, the one it is for.
fn id_of(path: &str) -> Option<String> {
    let ends = [".service", ".slice", ".scope", ".socket", ".mount", ".swap"];
    let steps = path.starts_with('/').then(|| path.rsplit('/'))?;
    let mut names = steps.map(|step| step.trim_end_matches(".d"));
    let unit = |name: &&str| ends.iter().any(|end| name.ends_with(end));
    names.find(unit).map(str::to_owned)
}

impl Unit {
    fn field(&mut self, key: &str, value: Span<'_>) -> Result<(), ImportError> {
        let given = |value: Span<'_>| {
            let unset = ["", "[not set]", "infinity", "18446744073709551615"];
            (!unset.contains(&value.text)).then(|| value.text.to_owned())
        };
        match key {
            "Id" => self.id = given(value),
            "Slice" => self.slice = given(value),
            "ControlGroup" => self.path = given(value),
            "CPUWeight" if value.text == "idle" => self.idle = true,
            "CPUWeight" if given(value).is_some() => {
                self.weight = Some(within(value, "a weight from 1 to 10000", 1, 10_000)?);
            }
            "CPUShares" if given(value).is_some() => {
                let shares = within(value, "shares from 2 to 262144", 2, 262_144)?;
                self.weight = Some(weight_of_shares(u64::from(shares)));
            }
            "CPUQuota" if given(value).is_some() => {
                let percent = value.text.strip_suffix('%').and_then(millionths);
                self.quota =
                    Some(percent.ok_or_else(|| value.expected("a percentage such as 50%"))?);
            }
            "CPUQuotaPerSecUSec" if given(value).is_some() => {
                self.quota = Some(time(value)?.0 / 1_000);
            }
            "CPUQuotaPeriodSec" | "CPUQuotaPeriodUSec" if given(value).is_some() => {
                self.period = Some(time(value)?);
            }
            "AllowedCPUs" if given(value).is_some() => self.cpus = Some(list(value)?),
            "AllowedMemoryNodes" if given(value).is_some() => self.mems = Some(list(value)?),
            _ => {}
        }
        Ok(())
    }

    fn is_limited(&self) -> bool {
        self.weight.is_some()
            || self.idle
            || self.quota.is_some()
            || self.cpus.is_some()
            || self.mems.is_some()
    }
}

/// Takes in a unit that says anything of its CPUs.
fn finish(read: &mut Cgroups, unit: Unit) -> Result<(), ImportError> {
    if !unit.is_limited() {
        return Ok(());
    }
    let number = read.cgroups.len() + 1;
    let id = unit.id.unwrap_or_else(|| {
        read.assumptions
            .push(format!("a unit has no name: it is called unit{number}"));
        format!("unit{number}")
    });
    let is_slice = id.strip_suffix(".slice").is_some();
    let path = match (unit.path, unit.slice) {
        (Some(path), _) if path.starts_with('/') && path.len() > 1 => path,
        (_, Some(slice)) => format!("{}/{id}", slice_path(&slice)),
        _ if is_slice => slice_path(&id),
        _ => {
            read.assumptions
                .push(format!("the slice of {id} is not told: it is system.slice"));
            format!("/system.slice/{id}")
        }
    };
    let mut cgroup = Cgroup::new(path);
    cgroup.weight = unit.weight.unwrap_or(cgroup.weight);
    cgroup.idle = unit.idle;
    cgroup.cpus = unit.cpus;
    cgroup.mems = unit.mems;
    let period = unit.period.unwrap_or(cgroup.max.period);
    cgroup.max = bandwidth(unit.quota, period);
    if let Some(there) = read
        .cgroups
        .iter_mut()
        .find(|there| there.path == cgroup.path)
    {
        *there = cgroup;
    } else {
        read.cgroups.push(cgroup);
    }
    limited(read)
}

/// Whether there are no more cgroups than there may be.
pub(super) fn limited(read: &Cgroups) -> Result<(), ImportError> {
    if read.cgroups.len() > limits::CGROUPS {
        let message = format!("more than {} cgroups", limits::CGROUPS);
        return Err(ImportError::Whole(message));
    }
    Ok(())
}

/// The path of a slice: `a-b.slice` is in `a.slice`.
fn slice_path(slice: &str) -> String {
    let name = slice.strip_suffix(".slice").unwrap_or(slice);
    if name == "-" {
        return String::new();
    }
    let ends = name.match_indices('-').map(|(at, _)| at);
    let steps = ends
        .chain([name.len()])
        .map(|end| format!("/{}.slice", &name[..end]));
    steps.collect()
}

/// cpu.max for so many millionths of a CPU; the kernel takes no quota below 1 ms.
pub(super) fn bandwidth(millionths: Option<u64>, period: Nanos) -> Bandwidth {
    let quota = millionths.map(|part| {
        let nanos = u128::from(part) * u128::from(period.0) / 1_000_000;
        let nanos = u64::try_from(nanos).unwrap_or(u64::MAX);
        Nanos((nanos / 1_000 * 1_000).max(1_000_000))
    });
    Bandwidth { quota, period }
}

/// cpu.weight for cpu.shares, as container runtimes and systemd convert them.
pub(super) fn weight_of_shares(shares: u64) -> u32 {
    let shares = shares.clamp(2, 262_144);
    (1 + (shares - 2) * 9_999 / 262_142) as u32
}

fn within(value: Span<'_>, expected: &str, least: u32, most: u32) -> Result<u32, ImportError> {
    let number = value.number(expected)?;
    if (least..=most).contains(&number) {
        Ok(number)
    } else {
        Err(value.expected(expected))
    }
}

/// A percentage in millionths of one.
fn millionths(percent: &str) -> Option<u64> {
    let (whole, part) = percent.split_once('.').unwrap_or((percent, ""));
    let digits = format!("{part:0<4}");
    let plain = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || digits.len() > 4 || !plain(whole) || !plain(&digits) {
        return None;
    }
    let whole: u64 = whole.parse().ok()?;
    let sum = whole
        .checked_mul(10_000)?
        .checked_add(digits.parse().ok()?)?;
    (sum > 0).then_some(sum)
}

/// A list of CPUs or nodes, which systemd also writes with spaces.
fn list(value: Span<'_>) -> Result<CpuList, ImportError> {
    let text = value.text.split_whitespace().collect::<Vec<_>>().join(",");
    let text = text.replace(",,", ",");
    text.parse()
        .map_err(|error| value.error(format!("expected a list of CPUs: {error}")))
}

/// A time as systemd shows it: `500ms`, `1s`, or `1s 500ms`.
fn time(value: Span<'_>) -> Result<Nanos, ImportError> {
    let expected = "a time such as 500ms";
    let mut sum = 0_u64;
    for word in value.words() {
        let seconds = word
            .text
            .parse::<u64>()
            .ok()
            .map(|s| s.saturating_mul(1_000_000_000));
        let nanos = seconds.or_else(|| word.text.parse::<Nanos>().ok().map(|time| time.0));
        sum = sum.saturating_add(nanos.ok_or_else(|| word.expected(expected))?);
    }
    if sum == 0 {
        return Err(value.expected(expected));
    }
    Ok(Nanos(sum))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let read = cgroups(text).unwrap();
        let line = |cgroup: &Cgroup| {
            let cpus = cgroup
                .cpus
                .as_ref()
                .map_or(String::new(), CpuList::to_string);
            format!("{} {} [{}] {cpus}", cgroup.path, cgroup.weight, cgroup.max)
        };
        read.cgroups.iter().map(line).collect()
    }

    #[test]
    fn what_systemctl_shows() {
        let text = "Id=web.service\nControlGroup=/system.slice/web.service\nCPUWeight=200\n\
                    CPUQuotaPerSecUSec=1s 500ms\nAllowedCPUs=0-3 8\n\n\
                    Id=idle.service\nSlice=a-b.slice\nCPUWeight=[not set]\nCPUQuota=12.5%\n\n\
                    Id=none.service\nCPUWeight=18446744073709551615\nAllowedCPUs=\n";
        assert_eq!(
            shown(text),
            [
                "/system.slice/web.service 200 [150000 100000] 0-3,8",
                "/a.slice/a-b.slice/idle.service 100 [12500 100000] ",
            ]
        );
    }

    #[test]
    fn unit_files() {
        let text = "# /etc/systemd/system/db.service\n[Unit]\nDescription=x\n\n[Service]\nCPUWeight=50\n\n\
                    # /etc/systemd/system/db.service.d/cpu.conf\n[Service]\nCPUQuota=200%\n";
        assert_eq!(
            shown(text),
            ["/system.slice/db.service 50 [200000 100000] "]
        );
        let read = cgroups("[Service]\nCPUWeight=idle\n").unwrap();
        assert!(read.cgroups[0].idle);
        assert_eq!(read.assumptions.len(), 2);
    }

    #[test]
    fn errors_name_the_place() {
        for (text, message) in [
            (
                "CPUWeight=0",
                "line 1, column 11: expected a weight from 1 to 10000, found `0`",
            ),
            (
                "Id=a\nCPUQuota=half",
                "line 2, column 10: expected a percentage such as 50%, found `half`",
            ),
            (
                "what",
                "line 1, column 1: expected a line such as `CPUWeight=200`, found `what`",
            ),
            (
                "Id=a",
                "expected units of systemd, such as `CPUWeight=200`, or `kubectl get pods -o json`",
            ),
        ] {
            assert_eq!(cgroups(text).unwrap_err().to_string(), message, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(CPUQuota|CPUWeight|Slice|AllowedCPUs|[=%.# \n0-9a-z-]){0,20}") {
            let _ = cgroups(&text);
        }
    }
}
