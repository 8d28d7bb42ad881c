//! What stands before the name of an event: who, where, in what context, when.
//!
//! tracefs and `trace-cmd report`: `comm-pid (tgid) [cpu] flags seconds:`, of which the group and the flags may
//! be missing. `trace-cmd report -l`: `comm-pid CPUflags seconds:`. `perf script`: `comm pid/tid [cpu] seconds:`,
//! of which the first number may be missing.

use super::event::Context;
use crate::error::Unreadable;

/// What is told before the name of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header<'a> {
    pub(super) at: u64,
    pub(super) cpu: u32,
    pub(super) comm: &'a str,
    pub(super) pid: u32,
    pub(super) context: Context,
}

/// Reads a header, which ends with the `:` behind the time.
pub(super) fn read(text: &str) -> Result<Header<'_>, Unreadable> {
    let text = text.trim_end();
    let text = text.strip_suffix(':').ok_or(Unreadable::Missing("time:"))?;
    let (rest, time) = last_word(text);
    let (rest, cpu, flags) = cpu_and_flags(rest)?;
    let (comm, pid) = who(rest)?;
    Ok(Header {
        at: super::number::seconds(time)?,
        cpu,
        comm,
        pid,
        context: flags.map_or(Context::Unknown, context),
    })
}

/// `… [cpu] flags`, taken apart from the right: a name may hold brackets as well.
fn cpu_and_flags(text: &str) -> Result<(&str, u32, Option<&str>), Unreadable> {
    let bracketed = |word: &str| {
        let inside = word.strip_prefix('[')?.strip_suffix(']')?;
        super::number::cpu(inside).ok()
    };
    let (rest, word) = last_word(text);
    if let Some(cpu) = bracketed(word) {
        return Ok((rest, cpu, None));
    }
    if let Some((cpu, flags)) = joined(word) {
        return Ok((rest, cpu, Some(flags)));
    }
    let (rest, before) = last_word(rest);
    let cpu = bracketed(before).ok_or(Unreadable::Missing("[cpu]"))?;
    Ok((rest, cpu, Some(word)))
}

/// `3d.h2.`, the number of a CPU and the flags, as latency formats have them; `3-0x9` in raw ones.
fn joined(word: &str) -> Option<(u32, &str)> {
    let end = word.find(|c: char| !c.is_ascii_digit())?;
    let (cpu, flags) = word.split_at(end);
    let is_flags = flags.starts_with("-0x") || (4..=6).contains(&flags.len());
    super::number::cpu(cpu)
        .ok()
        .filter(|_| is_flags)
        .map(|cpu| (cpu, flags))
}

/// A name and a number.
fn who(text: &str) -> Result<(&str, u32), Unreadable> {
    let mut text = text.trim();
    // The thread group, which the option record-tgid adds.
    if let Some(open) = text.rfind('(').filter(|_| text.ends_with(')')) {
        let group = text[open + 1..text.len() - 1].trim();
        if group.bytes().all(|b| b.is_ascii_digit() || b == b'-') && text[..open].contains('-') {
            text = text[..open].trim_end();
        }
    }
    let (comm, word) = last_word(text);
    let number = word.rsplit('/').next().unwrap_or(word);
    if let Ok(pid) = super::number::pid(number) {
        return Ok((comm.trim(), pid));
    }
    let (comm, pid) = text
        .rsplit_once('-')
        .ok_or(Unreadable::Missing("comm-pid"))?;
    Ok((comm, super::number::pid(pid)?))
}

/// The third flag tells of interrupts (`trace_print_lat_fmt`): `h` and `H` hardware, `s` software, `z` and `Z`
/// non-maskable.
fn context(flags: &str) -> Context {
    if let Some(bits) = flags.strip_prefix("-0x") {
        // TRACE_FLAG_HARDIRQ and TRACE_FLAG_SOFTIRQ.
        return match u32::from_str_radix(bits, 16) {
            Ok(bits) if bits & 0x18 != 0 => Context::Interrupt,
            Ok(_) => Context::Task,
            Err(_) => Context::Unknown,
        };
    }
    match flags.as_bytes().get(2) {
        Some(b'.') => Context::Task,
        Some(b'h' | b'H' | b's' | b'z' | b'Z') => Context::Interrupt,
        _ => Context::Unknown,
    }
}

fn last_word(text: &str) -> (&str, &str) {
    let text = text.trim_end();
    text.rsplit_once(char::is_whitespace)
        .map_or(("", text), |(rest, word)| (rest.trim_end(), word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tools_way() {
        let cases = [
            (
                "             orc-150     [000] d..2.    73.945460: ",
                "orc",
                150,
                0,
                Context::Task,
            ),
            (
                "          <idle>-0       [012] dNh3.    73.945460: ",
                "<idle>",
                0,
                12,
                Context::Interrupt,
            ),
            (
                "  Web Content-77   (   70) [001] d.s3 73.945460:",
                "Web Content",
                77,
                1,
                Context::Interrupt,
            ),
            (
                "  kworker/u8:1-ev-77 (-----) [001] d..3 73.945460:",
                "kworker/u8:1-ev",
                77,
                1,
                Context::Task,
            ),
            (
                "           sleep-1234  [003]    73.945460: ",
                "sleep",
                1234,
                3,
                Context::Unknown,
            ),
            (
                "Web Content  1234 [003]    73.945460:",
                "Web Content",
                1234,
                3,
                Context::Unknown,
            ),
            (
                "a [1] b-c  1230/1234 [003]    73.945460:",
                "a [1] b-c",
                1234,
                3,
                Context::Unknown,
            ),
            (
                "swapper     0 [000]    73.945460: ",
                "swapper",
                0,
                0,
                Context::Unknown,
            ),
            (
                "  <idle>-0      11d.h2.    73.945460: ",
                "<idle>",
                0,
                11,
                Context::Interrupt,
            ),
            (
                "   hog.0-1000    0-0x1     73.945460: ",
                "hog.0",
                1000,
                0,
                Context::Task,
            ),
        ];
        for (text, comm, pid, cpu, context) in cases {
            let at = 73_945_460_000;
            let expected = Header {
                at,
                cpu,
                comm,
                pid,
                context,
            };
            assert_eq!(read(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let message = |text| read(text).unwrap_err().to_string();
        assert_eq!(message("a-1 [000] d..2. 1.0"), "`time:` is missing");
        assert_eq!(
            message("a-1 [000] d..2. 123456:"),
            "`123456` is not a time in seconds"
        );
        assert_eq!(message("a-1 d..2. 1.0:"), "`[cpu]` is missing");
        assert_eq!(message("a [000] 1.0:"), "`comm-pid` is missing");
    }
}
