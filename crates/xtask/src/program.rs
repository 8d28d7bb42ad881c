//! A child process: described, then run in one of four ways.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::error::{Error, Result};

/// How many lines of a log a failure shows.
const TAIL: usize = 25;

/// A program with its arguments and environment, not yet started.
#[derive(Debug)]
pub(crate) struct Program {
    command: Command,
    shown: String,
}

impl Program {
    /// The program `name`, looked up on `PATH`.
    pub(crate) fn new(name: impl AsRef<OsStr>) -> Self {
        let mut command = Command::new(&name);
        // `cargo run` tells its child which cargo it is; ours may have to be another one.
        command.env_remove("CARGO");
        let shown = name.as_ref().to_string_lossy().into_owned();
        Self { command, shown }
    }

    /// Adds arguments.
    pub(crate) fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        for arg in args {
            self.shown.push(' ');
            self.shown.push_str(&arg.as_ref().to_string_lossy());
            self.command.arg(arg);
        }
        self
    }

    /// Sets an environment variable.
    pub(crate) fn env(mut self, key: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(key, value);
        self
    }

    /// Unsets environment variables.
    pub(crate) fn without(mut self, keys: &[&str]) -> Self {
        for key in keys {
            self.command.env_remove(key);
        }
        self
    }

    /// Sets the working directory.
    pub(crate) fn dir(mut self, dir: &Path) -> Self {
        self.command.current_dir(dir);
        self
    }

    /// Puts directories before the rest of `PATH`.
    pub(crate) fn path_first(self, dirs: &[PathBuf]) -> Self {
        let path = prefixed(dirs, std::env::var_os("PATH"));
        self.env("PATH", path)
    }

    /// Runs it, its output going where ours goes.
    ///
    /// # Errors
    /// [`Error::Start`] if it cannot be started, [`Error::Failed`] if it reports failure.
    pub(crate) fn run(mut self) -> Result<()> {
        let status = self.command.status().map_err(start(&self.shown))?;
        if status.success() {
            Ok(())
        } else {
            Err(Error::Failed {
                program: self.shown,
                status,
            })
        }
    }

    /// Runs it with its output in the file `log`.
    ///
    /// # Errors
    /// [`Error::Logged`], with the end of the log, if it reports failure; else as [`Program::run`].
    pub(crate) fn run_logged(mut self, log: &Path) -> Result<()> {
        let out = File::create(log).map_err(Error::file("write", log))?;
        let err = out.try_clone().map_err(Error::file("write", log))?;
        let status = self
            .command
            .stdin(Stdio::null())
            .stdout(out)
            .stderr(err)
            .status()
            .map_err(start(&self.shown))?;
        if status.success() {
            return Ok(());
        }
        let text = std::fs::read(log).map_err(Error::file("read", log))?;
        Err(Error::Logged {
            program: self.shown,
            status,
            log: log.to_path_buf(),
            tail: tail(&String::from_utf8_lossy(&text)),
        })
    }

    /// Runs it quietly and returns what it printed.
    ///
    /// # Errors
    /// As [`Program::run`].
    pub(crate) fn output(mut self) -> Result<String> {
        let output = self
            .command
            .stdin(Stdio::null())
            .output()
            .map_err(start(&self.shown))?;
        if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        } else {
            Err(Error::Failed {
                program: self.shown,
                status: output.status,
            })
        }
    }

    /// Whether it starts and succeeds, run quietly.
    pub(crate) fn succeeds(self) -> bool {
        self.output().is_ok()
    }
}

fn start(shown: &str) -> impl FnOnce(std::io::Error) -> Error + use<> {
    let program = shown.to_owned();
    move |source| Error::Start { program, source }
}

fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(TAIL)..].join("\n")
}

/// `PATH` with `dirs` first. A directory that cannot stand in a `PATH` is left out.
fn prefixed(dirs: &[PathBuf], path: Option<OsString>) -> OsString {
    let rest = path.unwrap_or_default();
    let all = dirs.iter().cloned().chain(std::env::split_paths(&rest));
    std::env::join_paths(all).unwrap_or(rest)
}

/// The first of `names` found on `PATH`.
pub(crate) fn on_path(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let dirs: Vec<PathBuf> = std::env::split_paths(&path).collect();
    names
        .iter()
        .flat_map(|name| {
            let suffix = if name.contains('.') {
                ""
            } else {
                std::env::consts::EXE_SUFFIX
            };
            let file = format!("{name}{suffix}");
            dirs.iter().map(move |dir| dir.join(&file))
        })
        .find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_is_the_end() {
        let text: Vec<String> = (1..=40).map(|line| line.to_string()).collect();
        let tail = tail(&text.join("\n"));
        assert!(tail.starts_with("16\n") && tail.ends_with("\n40"));
        assert_eq!(super::tail("one"), "one");
    }

    #[test]
    fn own_directories_come_first() {
        let path = prefixed(&[PathBuf::from("own")], Some("theirs".into()));
        let dirs: Vec<PathBuf> = std::env::split_paths(&path).collect();
        assert_eq!(dirs, [PathBuf::from("own"), PathBuf::from("theirs")]);
    }

    #[test]
    fn a_program_says_how_it_ended() {
        assert!(Program::new("cargo").args(["--version"]).succeeds());
        let failed = Program::new("cargo").args(["no-such-command"]).output();
        assert!(matches!(failed, Err(Error::Failed { .. })));
        let absent = Program::new("teeter-no-such-program").output();
        assert!(matches!(absent, Err(Error::Start { .. })));
    }

    #[test]
    fn programs_are_found_on_the_path() {
        assert!(on_path(&["teeter-no-such-program", "cargo"]).is_some());
        assert!(on_path(&["teeter-no-such-program"]).is_none());
    }
}
