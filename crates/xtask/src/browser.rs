//! A browser without a window, and the driver that wasm-bindgen's test runner steers it with.

use std::path::PathBuf;

use crate::cache::Cache;
use crate::debian::{self, Distribution};
use crate::error::{Error, Result};
use crate::program::on_path;
use crate::step::Step;

/// The names that Chromium and Chrome go by.
const BROWSERS: [&str; 5] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
];
/// Where macOS keeps them, off `PATH`.
const APPLICATIONS: [&str; 2] = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/// Chromium, or Chrome, with its driver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Browser {
    /// The browser's program.
    pub(crate) browser: PathBuf,
    /// ChromeDriver's program.
    pub(crate) driver: PathBuf,
}

/// Finds the browser and its driver (`TEETER_BROWSER` and `CHROMEDRIVER` name them outright), installing them on Debian.
///
/// # Errors
/// [`Error::Missing`] if there is none and it cannot be installed here.
pub(crate) fn ready(cache: &Cache) -> Result<Browser> {
    let step = Step::begin("Chromium and ChromeDriver");
    if let Some(found) = find() {
        step.done(&found.browser.display().to_string());
        return Ok(found);
    }
    if Distribution::here() == Distribution::Debian {
        debian::install(&step, cache, &["chromium", "chromium-driver"])?;
        if let Some(found) = find() {
            step.done("installed");
            return Ok(found);
        }
    }
    Err(Error::Missing {
        what: "the browser tests need Chromium or Chrome and a ChromeDriver of the same version"
            .into(),
        help: "install both and put them on PATH, or name them in TEETER_BROWSER and CHROMEDRIVER"
            .into(),
    })
}

fn find() -> Option<Browser> {
    let named = |variable| std::env::var_os(variable).map(PathBuf::from);
    let application = || APPLICATIONS.map(PathBuf::from).into_iter();
    let browser = named("TEETER_BROWSER")
        .or_else(|| on_path(&BROWSERS))
        .or_else(|| application().find(|file| file.is_file()))?;
    let driver = named("CHROMEDRIVER").or_else(|| on_path(&["chromedriver"]))?;
    Some(Browser { browser, driver })
}
