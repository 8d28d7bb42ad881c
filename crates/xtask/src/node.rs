//! Node.js and what comes from npm: wasm-opt, and the packages of the browser tests.

use std::fs;
use std::path::{Path, PathBuf};

use crate::cache::Cache;
use crate::debian::{self, Distribution};
use crate::error::{Error, Result};
use crate::program::{Program, on_path};
use crate::step::Step;

/// The oldest Node.js whose test runner does what the browser tests ask of it.
const OLDEST: u32 = 20;
/// The release of Binaryen whose wasm-opt understands what today's rustc writes.
const BINARYEN: &str = "132.0.0";

/// Makes sure of Node.js and npm.
///
/// # Errors
/// [`Error::Missing`] if they are neither there nor installable, or too old.
pub(crate) fn ready(cache: &Cache) -> Result<()> {
    let step = Step::begin("Node.js");
    let help = format!("install Node.js {OLDEST} or later with npm");
    if on_path(&["node"]).is_none() || on_path(&["npm", "npm.cmd"]).is_none() {
        if Distribution::here() == Distribution::Other {
            let what = "Node.js and npm are not on PATH".into();
            return Err(Error::Missing { what, help });
        }
        debian::install(&step, cache, &["nodejs", "npm"])?;
    }
    let version = Program::new("node").args(["--version"]).output()?;
    if major(&version).is_none_or(|major| major < OLDEST) {
        let what = format!("Node.js {} is too old", version.trim());
        return Err(Error::Missing { what, help });
    }
    step.done(version.trim());
    Ok(())
}

/// Makes sure of wasm-opt; returns the directory to put on `PATH`.
///
/// # Errors
/// [`Error::Step`] if npm cannot install it.
pub(crate) fn wasm_opt(cache: &Cache) -> Result<PathBuf> {
    let step = Step::begin(format!("wasm-opt {BINARYEN}"));
    let root = cache.tool("binaryen", BINARYEN);
    let bin = root.join("node_modules").join(".bin");
    let answers = || {
        Program::new(bin.join("wasm-opt"))
            .args(["--version"])
            .succeeds()
    };
    if answers() {
        step.done("in the cache");
        return Ok(bin);
    }
    let _lock = cache.lock("binaryen")?;
    step.doing("installing it from npm");
    fs::create_dir_all(&root).map_err(Error::file("make", &root))?;
    npm()
        .args(["install", "--no-audit", "--no-fund", "--no-save"])
        .args([format!("binaryen@{BINARYEN}")])
        .dir(&root)
        .run_logged(&cache.log("binaryen"))
        .map_err(Error::step(
            step.name(),
            "see that the npm registry can be reached, then try again",
        ))?;
    step.done("installed");
    Ok(bin)
}

/// Makes sure that `dir` has the packages which its package-lock.json names.
///
/// # Errors
/// [`Error::Step`] if npm cannot install them.
pub(crate) fn packages(cache: &Cache, dir: &Path) -> Result<()> {
    let step = Step::begin("packages of the browser tests");
    let lock = dir.join("package-lock.json");
    let installed = dir.join("node_modules").join(".installed-lock.json");
    let wanted = fs::read(&lock).map_err(Error::file("read", &lock))?;
    if fs::read(&installed).is_ok_and(|have| have == wanted) {
        step.done("there");
        return Ok(());
    }
    let _lock = cache.lock("packages")?;
    step.doing("npm ci");
    npm()
        .args(["ci", "--no-audit", "--no-fund"])
        .dir(dir)
        .run_logged(&cache.log("packages"))
        .map_err(Error::step(
            step.name(),
            "see that the npm registry can be reached, then try again",
        ))?;
    fs::write(&installed, wanted).map_err(Error::file("write", &installed))?;
    step.done("installed");
    Ok(())
}

fn npm() -> Program {
    Program::new(if cfg!(windows) { "npm.cmd" } else { "npm" })
}

/// `v20.20.2` is of major version 20.
fn major(version: &str) -> Option<u32> {
    let number = version.trim().strip_prefix('v')?.split('.').next()?;
    number.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn majors_are_read() {
        assert_eq!(major("v20.20.2\n"), Some(20));
        assert_eq!(major("v9.1.0"), Some(9));
        assert_eq!(major("node"), None);
    }
}
