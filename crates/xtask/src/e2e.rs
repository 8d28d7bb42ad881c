//! The page, driven in a browser: by the end-to-end tests, for the picture in the README, and to be measured.

use std::env::consts::EXE_SUFFIX;
use std::path::PathBuf;

use crate::error::{Error, Result};
use crate::program::Program;
use crate::site;
use crate::workshop::Workshop;

/// Where the tests are.
const E2E: &str = "tests/e2e";
/// Where the pictures go.
const PICTURES: &str = "static/pictures";

/// Runs the end-to-end tests on the page as it is built.
///
/// # Errors
/// As [`driver`], and [`Error::Failed`] if a test fails or the command line does not build.
pub(crate) fn test(workshop: &Workshop) -> Result<()> {
    let cli = cli(workshop)?;
    // One file at a time: a page under test wants the machine to itself.
    driver(workshop)?
        .args(["--test", "--test-concurrency=1", "--test-reporter=spec"])
        .env("TEETER_CLI", cli)
        .run()
}

/// Takes the pictures of the page anew.
///
/// # Errors
/// As [`driver`], and [`Error::Failed`] if a picture could not be taken.
pub(crate) fn picture(workshop: &Workshop) -> Result<()> {
    driver(workshop)?
        .args(["picture.mjs".into(), workshop.checkout().join(PICTURES)])
        .run()
}

/// Measures how quick the page is.
///
/// # Errors
/// As [`driver`], and [`Error::Failed`] if the page does not show a new run.
pub(crate) fn measure(workshop: &Workshop) -> Result<()> {
    driver(workshop)?.args(["measure.mjs"]).run()
}

/// Node.js beside the tests, with the built page and the browser named to it.
///
/// # Errors
/// As [`site::build`] and the set-up of Node.js, its packages and the browser.
fn driver(workshop: &Workshop) -> Result<Program> {
    let dist = site::build(workshop)?;
    let node = workshop.node()?;
    let tests = workshop.checkout().join(E2E);
    node.packages(workshop.cache(), &tests)?;
    Ok(node
        .node()
        .dir(&tests)
        .env("TEETER_DIST", dist)
        .env("TEETER_BROWSER", &workshop.browser()?.browser))
}

/// Builds `teeter`, whose results the tests compare the page's with.
fn cli(workshop: &Workshop) -> Result<PathBuf> {
    workshop
        .cargo()
        .args(["build", "--package", "teeter-cli"])
        .run()?;
    // It is built where xtask itself was, whatever CARGO_TARGET_DIR says.
    let xtask = std::env::current_exe().map_err(Error::file("find", "xtask".as_ref()))?;
    Ok(xtask.with_file_name(format!("teeter{EXE_SUFFIX}")))
}
