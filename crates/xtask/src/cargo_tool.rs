//! Tools that come from crates.io, built once into the cache: Trunk and wasm-bindgen's command line.

use std::fs;
use std::path::{Path, PathBuf};

use crate::cache::Cache;
use crate::error::{Error, Result};
use crate::lockfile::locked_version;
use crate::program::Program;
use crate::step::Step;

/// A crate whose programs the build needs, at one exact version.
#[derive(Debug)]
pub(crate) struct CargoTool {
    package: &'static str,
    /// The program that tells the version.
    program: &'static str,
    version: String,
    /// Arguments of `cargo install` beyond the crate's name.
    install: &'static [&'static str],
    /// How far its own code is optimised: the less, the sooner it is there.
    opt_level: &'static str,
    lasts: &'static str,
}

impl CargoTool {
    /// Trunk, which bundles the page. It never downloads here, so it is built without TLS.
    pub(crate) fn trunk() -> Self {
        Self {
            package: "trunk",
            program: "trunk",
            version: "0.21.14".into(),
            install: &["--locked", "--no-default-features"],
            opt_level: "0",
            lasts: "three minutes",
        }
    }

    /// wasm-bindgen's programs, which refuse any version of the crate but their own.
    ///
    /// # Errors
    /// As [`locked_version`].
    pub(crate) fn wasm_bindgen(checkout: &Path) -> Result<Self> {
        Ok(Self {
            package: "wasm-bindgen-cli",
            program: "wasm-bindgen",
            version: locked_version(checkout, "wasm-bindgen")?,
            // Its packed lock file names crates that not every registry mirror has.
            install: &[],
            opt_level: "1",
            lasts: "two to three minutes",
        })
    }

    /// Makes sure of the tool; returns the directory to put on `PATH`, or none if it is on it already.
    ///
    /// # Errors
    /// [`Error::Step`] if it cannot be built.
    pub(crate) fn ready(&self, cache: &Cache) -> Result<Option<PathBuf>> {
        let step = Step::begin(format!("{} {}", self.package, self.version));
        if self.answers(Path::new(self.program)) {
            step.done("on PATH");
            return Ok(None);
        }
        let root = cache.tool(self.package, &self.version);
        let bin = root.join("bin");
        let program = bin.join(self.program);
        if self.answers(&program) {
            step.done("in the cache");
            return Ok(Some(bin));
        }
        let _lock = cache.lock(self.package)?;
        if !self.answers(&program) {
            step.doing(&format!("building it from crates.io, {}, once", self.lasts));
            self.install(cache, &root).map_err(Error::step(
                step.name(),
                "see that crates.io can be reached and a C compiler is there, then try again",
            ))?;
        }
        step.done("built");
        Ok(Some(bin))
    }

    fn answers(&self, program: &Path) -> bool {
        Program::new(program)
            .args(["--version"])
            .without(&["NO_COLOR"])
            .output()
            .is_ok_and(|text| names_version(&text, &self.version))
    }

    /// Builds the tool for a quick build rather than a quick tool.
    fn install(&self, cache: &Cache, root: &Path) -> Result<()> {
        let scratch = cache.scratch(self.package);
        Program::new("cargo")
            .args(["install", "--force", "--root"])
            .args([root])
            .args([format!("{}@{}", self.package, self.version)])
            .args(self.install)
            .dir(cache.root())
            .env("CARGO_TARGET_DIR", &scratch)
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", self.opt_level)
            .env("CARGO_PROFILE_RELEASE_DEBUG", "0")
            .env("CARGO_PROFILE_RELEASE_LTO", "off")
            .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
            .without(&["CARGO_BUILD_TARGET"])
            .run_logged(&cache.log(self.package))?;
        fs::remove_dir_all(&scratch).map_err(Error::file("remove", &scratch))
    }
}

/// Whether a program's `--version` line, such as `trunk 0.21.14` or `wasm-bindgen 0.2.130 (…)`, is of this version.
fn names_version(text: &str, version: &str) -> bool {
    text.split_whitespace().nth(1) == Some(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_whole() {
        assert!(names_version("trunk 0.21.14\n", "0.21.14"));
        assert!(names_version("wasm-bindgen 0.2.130 (abc)\n", "0.2.130"));
        assert!(!names_version("trunk 0.21.1\n", "0.21.14"));
        assert!(!names_version("", "0.21.14"));
    }
}
