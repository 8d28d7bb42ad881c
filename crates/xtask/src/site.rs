//! The page: built into `dist/`, and served from there.

use std::fs;
use std::path::PathBuf;

use crate::error::{Error, Result};
use crate::fingerprint;
use crate::step::Step;
use crate::workshop::Workshop;

/// The server of static files, which the browser tests use as well.
const SERVER: &str = "crates/xtask/server.mjs";

/// What the examples' pictures show.
const GALLERY: &str = "static/gallery.json";

/// Builds the page in release mode, unless it is there and nothing has changed; returns its directory.
///
/// # Errors
/// As the set-up, and [`Error::Step`] if the page does not build.
pub(crate) fn build(workshop: &Workshop) -> Result<PathBuf> {
    let trunk = workshop.trunk()?;
    let step = Step::begin("page");
    let dist = workshop.checkout().join("dist");
    let record = workshop.checkout().join("target/page.fingerprint");
    // Two builds at once would write into each other's dist/.
    let _lock = workshop.cache().lock("dist")?;
    let now = fingerprint::of_sources(workshop.checkout(), &workshop.wasm_rustc_version()?)?;
    let built = fs::read_to_string(&record).is_ok_and(|then| then == now);
    if built && dist.join("index.html").is_file() {
        step.done("dist/ is up to date");
        return Ok(dist);
    }
    step.doing("building it with Trunk");
    trunk
        .args(["build", "--release"])
        .run()
        .map_err(Error::step(
            step.name(),
            "the messages above say what is wrong",
        ))?;
    fs::create_dir_all(record.with_file_name(""))
        .and_then(|()| fs::write(&record, now))
        .map_err(Error::file("write", &record))?;
    step.done("built in dist/, which can be hosted under any path");
    Ok(dist)
}

/// Builds the page and serves it on 127.0.0.1 until interrupted, at `port` or the next one free.
///
/// # Errors
/// As [`build`], and [`Error::Failed`] if the server ends by itself.
pub(crate) fn serve(workshop: &Workshop, port: u16, open: bool) -> Result<()> {
    let dist = build(workshop)?;
    let open: &[&str] = if open { &["--open"] } else { &[] };
    workshop
        .node()?
        .node()
        .dir(workshop.checkout())
        .args([SERVER, "--port", &port.to_string()])
        .args(open)
        .args([dist])
        .run()
}

/// Runs every preset for a while and keeps what the examples' pictures show of it.
///
/// # Errors
/// [`Error::Failed`] if a preset does not run, and the failure to write the file.
pub(crate) fn gallery(workshop: &Workshop) -> Result<()> {
    let step = Step::begin("gallery");
    let shown = workshop
        .cargo()
        .args(["run", "--quiet", "--release", "--package", "teeter-cli"])
        .args(["--", "gallery"])
        .output()?;
    let file = workshop.checkout().join(GALLERY);
    fs::write(&file, shown).map_err(Error::file("write", &file))?;
    step.done(GALLERY);
    Ok(())
}
