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
/// The Node.js to take from npm where the one at hand is older, as Debian 12's is.
const NODE: &str = "22.23.3";
/// The release of Binaryen whose wasm-opt understands what today's rustc writes.
const BINARYEN: &str = "132.0.0";

/// Node.js with npm.
#[derive(Debug)]
pub(crate) struct Node {
    /// Where `node` is, if not the first on `PATH`.
    bin: Option<PathBuf>,
}

impl Node {
    /// Makes sure of Node.js and npm.
    ///
    /// # Errors
    /// [`Error::Missing`] if they are neither there nor installable.
    pub(crate) fn ready(cache: &Cache) -> Result<Self> {
        let step = Step::begin("Node.js");
        if on_path(&["node"]).is_none() || on_path(&[NPM]).is_none() {
            if Distribution::here() == Distribution::Other {
                return Err(Error::Missing {
                    what: "Node.js and npm are not on PATH".into(),
                    help: format!("install Node.js {OLDEST} or later with npm"),
                });
            }
            debian::install(&step, cache, &["nodejs", "npm"])?;
        }
        let node = Self { bin: None };
        let version = node.version()?;
        if major(&version).is_some_and(|major| major >= OLDEST) {
            step.done(&version);
            return Ok(node);
        }
        let root = cache.tool("node", NODE);
        let newer = Self {
            bin: Some(root.join("node_modules").join(".bin")),
        };
        if newer.version().is_ok() {
            step.done(&format!("{version} is too old; {NODE} in the cache"));
            return Ok(newer);
        }
        step.doing(&format!("{version} is too old, installing {NODE} from npm"));
        node.install(cache, "node", NODE).map_err(Error::step(
            step.name(),
            &format!("install Node.js {OLDEST} or later by hand"),
        ))?;
        step.done("installed");
        Ok(newer)
    }

    /// Makes sure of wasm-opt.
    ///
    /// # Errors
    /// [`Error::Step`] if npm cannot install it.
    pub(crate) fn wasm_opt(&self, cache: &Cache) -> Result<PathBuf> {
        let step = Step::begin(format!("wasm-opt {BINARYEN}"));
        let bin = cache.tool("binaryen", BINARYEN).join("node_modules/.bin");
        let wasm_opt = self.program(&bin.join("wasm-opt"));
        if wasm_opt.args(["--version"]).succeeds() {
            step.done("in the cache");
            return Ok(bin);
        }
        step.doing("installing it from npm");
        self.install(cache, "binaryen", BINARYEN)
            .map_err(Error::step(step.name(), NO_REGISTRY))?;
        step.done("installed");
        Ok(bin)
    }

    /// Makes sure that `dir` has the packages which its package-lock.json names.
    ///
    /// # Errors
    /// [`Error::Step`] if npm cannot install them.
    pub(crate) fn packages(&self, cache: &Cache, dir: &Path) -> Result<()> {
        let step = Step::begin("packages of the browser tests");
        let lock = dir.join("package-lock.json");
        let installed = dir.join("node_modules").join(".installed-lock.json");
        let wanted = fs::read(&lock).map_err(Error::file("read", &lock))?;
        let _lock = cache.lock("npm")?;
        if fs::read(&installed).is_ok_and(|have| have == wanted) {
            step.done("there");
            return Ok(());
        }
        step.doing("npm ci");
        self.program(Path::new(NPM))
            .args(["ci", "--no-audit", "--no-fund"])
            .dir(dir)
            .run_logged(&cache.log("packages"))
            .map_err(Error::step(step.name(), NO_REGISTRY))?;
        fs::write(&installed, wanted).map_err(Error::file("write", &installed))?;
        step.done("installed");
        Ok(())
    }

    /// `node`.
    pub(crate) fn node(&self) -> Program {
        match &self.bin {
            Some(bin) => self.program(&bin.join("node")),
            None => self.program(Path::new("node")),
        }
    }

    /// The directory to put on `PATH` for this Node.js to be found.
    pub(crate) fn bin(&self) -> Option<&Path> {
        self.bin.as_deref()
    }

    /// A program that runs on Node.js.
    fn program(&self, program: &Path) -> Program {
        Program::new(program).path_first(self.bin.as_slice())
    }

    fn version(&self) -> Result<String> {
        let version = self.node().args(["--version"]).output()?;
        Ok(version.trim().to_owned())
    }

    /// Installs a package of npm into the cache.
    fn install(&self, cache: &Cache, package: &str, version: &str) -> Result<()> {
        let root = cache.tool(package, version);
        let _lock = cache.lock("npm")?;
        fs::create_dir_all(&root).map_err(Error::file("make", &root))?;
        self.program(Path::new(NPM))
            .args(["install", "--no-audit", "--no-fund", "--no-save"])
            .args([format!("{package}@{version}")])
            .dir(&root)
            .run_logged(&cache.log(package))
    }
}

const NPM: &str = if cfg!(windows) { "npm.cmd" } else { "npm" };
const NO_REGISTRY: &str = "see that the npm registry can be reached, then try again";

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
