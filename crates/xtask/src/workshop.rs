//! The workshop: the checkout and the tools to work on it, each made ready when first asked for.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use crate::browser::{self, Browser};
use crate::cache::Cache;
use crate::cargo_tool::CargoTool;
use crate::error::Result;
use crate::node::Node;
use crate::program::Program;
use crate::wasm_std::{self, Source, Toolchain};

/// Seconds that the wasm tests of one crate may take in the browser: a whole run of a scenario is one test.
const TEST_TIMEOUT: &str = "600";

/// The checkout, the cache and what is ready so far.
#[derive(Debug)]
pub(crate) struct Workshop {
    checkout: PathBuf,
    cache: Cache,
    source: Source,
    toolchain: OnceCell<Toolchain>,
    bindgen: OnceCell<Option<PathBuf>>,
    trunk: OnceCell<Option<PathBuf>>,
    node: OnceCell<Node>,
    wasm_opt: OnceCell<PathBuf>,
    browser: OnceCell<Browser>,
}

impl Workshop {
    /// Opens the workshop; `source` says where Rust's standard library for wasm32 is to come from.
    ///
    /// # Errors
    /// As [`Cache::open`].
    pub(crate) fn open(source: Source) -> Result<Self> {
        // xtask is always built in the checkout that it serves.
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
        let checkout = manifest.ancestors().nth(2).unwrap_or(manifest);
        Ok(Self {
            checkout: checkout.to_path_buf(),
            cache: Cache::open()?,
            source,
            toolchain: OnceCell::new(),
            bindgen: OnceCell::new(),
            trunk: OnceCell::new(),
            node: OnceCell::new(),
            wasm_opt: OnceCell::new(),
            browser: OnceCell::new(),
        })
    }

    /// The top directory of the checkout.
    pub(crate) fn checkout(&self) -> &Path {
        &self.checkout
    }

    /// The cache of tools.
    pub(crate) fn cache(&self) -> &Cache {
        &self.cache
    }

    /// `cargo` of the user's own toolchain, in the checkout.
    pub(crate) fn cargo(&self) -> Program {
        Program::new("cargo").dir(&self.checkout)
    }

    /// `cargo` of a toolchain that builds for wasm32, in the checkout.
    ///
    /// # Errors
    /// As [`wasm_std::ready`].
    pub(crate) fn wasm_cargo(&self) -> Result<Program> {
        Ok(self.toolchain()?.cargo().dir(&self.checkout))
    }

    /// What the compiler of that toolchain says it is.
    ///
    /// # Errors
    /// As [`wasm_std::ready`].
    pub(crate) fn wasm_rustc_version(&self) -> Result<String> {
        let rustc = self.toolchain()?.used_by(Program::new("rustc"));
        rustc.args(["-vV"]).dir(&self.checkout).output()
    }

    /// `cargo` as [`Workshop::wasm_cargo`] gives it, with wasm-bindgen's test runner at hand and `browser`'s driver named to it.
    ///
    /// # Errors
    /// As the set-up of each of these.
    pub(crate) fn wasm_test_cargo(&self) -> Result<Program> {
        let cargo = self.wasm_cargo()?;
        let path: Vec<PathBuf> = self.bindgen()?.into_iter().collect();
        let driver = &self.browser()?.driver;
        Ok(cargo
            .path_first(&path)
            .env("CHROMEDRIVER", driver)
            .env("WASM_BINDGEN_TEST_TIMEOUT", TEST_TIMEOUT))
    }

    /// Trunk with all that it calls.
    ///
    /// # Errors
    /// As the set-up of each of these.
    pub(crate) fn trunk(&self) -> Result<Program> {
        let toolchain = self.toolchain()?;
        let bindgen = self.bindgen()?;
        let wasm_opt = self.wasm_opt()?;
        let trunk = once(&self.trunk, || CargoTool::trunk().ready(&self.cache))?;
        let node = self.node()?.bin().map(Path::to_path_buf);
        let path: Vec<PathBuf> = [trunk.clone(), bindgen, Some(wasm_opt), node]
            .into_iter()
            .flatten()
            .collect();
        let program = trunk
            .as_ref()
            .map_or_else(|| PathBuf::from("trunk"), |bin| bin.join("trunk"));
        // Trunk takes NO_COLOR=1, as the convention has it, for a mistake.
        let program = toolchain
            .used_by(Program::new(program))
            .path_first(&path)
            .without(&["NO_COLOR"])
            .env("TRUNK_SKIP_VERSION_CHECK", "true")
            .env("RUST_LIB_BACKTRACE", "0")
            .dir(&self.checkout);
        Ok(program)
    }

    /// Node.js.
    ///
    /// # Errors
    /// As [`Node::ready`].
    pub(crate) fn node(&self) -> Result<&Node> {
        once(&self.node, || Node::ready(&self.cache))
    }

    /// The browser and its driver.
    ///
    /// # Errors
    /// As [`browser::ready`].
    pub(crate) fn browser(&self) -> Result<&Browser> {
        once(&self.browser, || browser::ready(&self.cache))
    }

    fn toolchain(&self) -> Result<Toolchain> {
        once(&self.toolchain, || {
            wasm_std::ready(&self.cache, self.source)
        })
        .copied()
    }

    fn bindgen(&self) -> Result<Option<PathBuf>> {
        once(&self.bindgen, || {
            CargoTool::wasm_bindgen(&self.checkout)?.ready(&self.cache)
        })
        .cloned()
    }

    fn wasm_opt(&self) -> Result<PathBuf> {
        let node = self.node()?;
        once(&self.wasm_opt, || node.wasm_opt(&self.cache)).cloned()
    }
}

/// What the cell holds, made by `make` when first asked for.
fn once<T>(cell: &OnceCell<T>, make: impl FnOnce() -> Result<T>) -> Result<&T> {
    if let Some(value) = cell.get() {
        return Ok(value);
    }
    let value = make()?;
    Ok(cell.get_or_init(|| value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn a_tool_is_made_ready_once() {
        let cell = OnceCell::new();
        let failed = once(&cell, || {
            Err(Error::Missing {
                what: "tool".into(),
                help: "get it".into(),
            })
        });
        assert!(failed.is_err());
        assert!(matches!(once(&cell, || Ok(1)), Ok(1)));
        assert!(matches!(once(&cell, || Ok(2)), Ok(1)));
    }

    #[test]
    fn the_checkout_holds_this_crate() {
        let workshop = Workshop::open(Source::Auto).unwrap();
        assert!(workshop.checkout().join("crates/xtask").is_dir());
    }
}
