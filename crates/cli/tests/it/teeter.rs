//! Calls the command.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// What came of a call.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Calls `teeter` with nothing on stdin.
pub(crate) fn teeter(arguments: &[&str]) -> Outcome {
    teeter_with(arguments, "")
}

/// Calls `teeter` with a text on stdin.
pub(crate) fn teeter_with(arguments: &[&str], stdin: &str) -> Outcome {
    let mut child = Command::new(env!("CARGO_BIN_EXE_teeter"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Where the command does not read stdin, there may be no one to write to.
    let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    let Output {
        status,
        stdout,
        stderr,
    } = child.wait_with_output().unwrap();
    Outcome {
        code: status.code().unwrap(),
        stdout: String::from_utf8(stdout).unwrap(),
        stderr: String::from_utf8(stderr).unwrap(),
    }
}

/// What a successful call printed; nothing may be on stderr.
pub(crate) fn printed(arguments: &[&str], stdin: &str) -> String {
    let outcome = teeter_with(arguments, stdin);
    assert_eq!(
        (outcome.code, outcome.stderr.as_str()),
        (0, ""),
        "{arguments:?}"
    );
    outcome.stdout
}

/// What a failed call said; nothing may be on stdout.
pub(crate) fn refused(arguments: &[&str], stdin: &str) -> String {
    let outcome = teeter_with(arguments, stdin);
    assert_eq!(
        (outcome.code, outcome.stdout.as_str()),
        (2, ""),
        "{arguments:?}"
    );
    outcome.stderr
}

/// A file of this name for a test of its own.
pub(crate) fn file(name: &str, content: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, content).unwrap();
    path
}

/// A scenario that runs at once: two hogs and a periodic task on a small machine.
pub(crate) const SMALL: &str = r#"{
  "teeter": 1,
  "name": "small",
  "machine": { "synthetic": "node:2 l3:1 core:2 pu:1" },
  "cgroups": [{ "path": "/a" }],
  "tasks": [
    { "name": "hog", "workload": "hog", "threads": 3, "cgroup": "/a" },
    { "name": "timer", "workload": { "periodic": { "run": "1ms", "period": "10ms" } }, "threads": 2 }
  ],
  "kernels": ["v5.3", { "base": "v5.5", "set": { "hz": 1000 }, "label": "new" }],
  "run": { "duration": "500ms", "seed": 9, "repeats": 2, "sample": "50ms" }
}"#;
