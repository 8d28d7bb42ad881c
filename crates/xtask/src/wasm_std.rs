//! The standard library for wasm32: found, fetched by rustup, or built from Debian's packages.

use std::fs;
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use crate::cache::Cache;
use crate::debian::{self, Distribution};
use crate::error::{Error, Result};
use crate::program::{Program, on_path};
use crate::step::Step;

/// The target that browsers run.
pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

/// Debian's Rust, with the source of its standard library.
const DEBIAN_RUST: [&str; 4] = ["rustc-web", "cargo-web", "rust-web-src", "rust-web-clippy"];
/// Where Debian's Rust has its sysroot; also a toolchain as rustup understands one.
const DEBIAN_SYSROOT: &str = "/usr";
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
const DEBIAN_CARGO: &str = "/usr/bin/cargo";

/// Where the wasm32 standard library is to come from (`TEETER_WASM_STD`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Source {
    /// What is there, else rustup, else Debian's packages.
    Auto,
    /// `rustup target add`.
    Rustup,
    /// Built from Debian's packages.
    Debian,
}

/// The Rust that builds for wasm32.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Toolchain {
    /// The one that builds everything else, too.
    Own,
    /// Debian's.
    Debian,
}

impl Toolchain {
    /// Has a program and its children use this toolchain. Nothing is left in rustup's settings.
    pub(crate) fn used_by(self, program: Program) -> Program {
        match self {
            Self::Own => program,
            Self::Debian => program.env("RUSTUP_TOOLCHAIN", DEBIAN_SYSROOT),
        }
    }

    /// `cargo` of this toolchain.
    pub(crate) fn cargo(self) -> Program {
        self.used_by(Program::new("cargo"))
    }

    /// Whether a program that uses the standard library compiles and links for wasm32.
    fn builds_wasm(self, cache: &Cache) -> Result<bool> {
        let dir = cache.scratch(&format!("probe-{}", std::process::id()));
        fs::create_dir_all(&dir).map_err(Error::file("make", &dir))?;
        let source = dir.join("probe.rs");
        let code = "#[unsafe(no_mangle)]\npub extern \"C\" fn probe(n: u32) -> usize {\n    format!(\"{n}\").len()\n}\n";
        fs::write(&source, code).map_err(Error::file("write", &source))?;
        let builds = self
            .used_by(Program::new("rustc"))
            .args(["--edition=2024", "--crate-type=cdylib", "-Copt-level=1"])
            .args(["-Clto=fat", "--target", TARGET, "-o", "probe.wasm"])
            .args(["probe.rs"])
            .dir(&dir)
            .succeeds();
        fs::remove_dir_all(&dir).map_err(Error::file("remove", &dir))?;
        Ok(builds)
    }
}

/// Finds or makes a toolchain that builds for wasm32.
///
/// # Errors
/// [`Error::Missing`] if there is no way on this machine; other errors if a way that should work failed.
pub(crate) fn ready(cache: &Cache, source: Source) -> Result<Toolchain> {
    let step = Step::begin("Rust for wasm32");
    if source != Source::Debian && Toolchain::Own.builds_wasm(cache)? {
        step.done("your own toolchain has it");
        return Ok(Toolchain::Own);
    }
    let debian = source != Source::Rustup && Distribution::here() == Distribution::Debian;
    if debian && has_debian_std() && Toolchain::Debian.builds_wasm(cache)? {
        step.done("Debian's Rust, built before");
        return Ok(Toolchain::Debian);
    }
    if source != Source::Debian && from_rustup(&step, cache)? {
        step.done("added by rustup");
        return Ok(Toolchain::Own);
    }
    if debian {
        from_debian(&step, cache)?;
        step.done("built from Debian's packages");
        return Ok(Toolchain::Debian);
    }
    Err(Error::Missing {
        what: format!("Rust's standard library for {TARGET}"),
        help: format!(
            "run `rustup target add {TARGET}`, or install your distribution's package of it"
        ),
    })
}

/// Asks rustup for the target. False if rustup may not or cannot.
fn from_rustup(step: &Step, cache: &Cache) -> Result<bool> {
    let forbidden = std::env::var("RUSTUP_AUTO_INSTALL").is_ok_and(|value| value == "0");
    if forbidden || on_path(&["rustup"]).is_none() {
        return Ok(false);
    }
    step.doing(&format!("rustup target add {TARGET}"));
    let added = Program::new("rustup")
        .args(["target", "add", TARGET])
        .run_logged(&cache.log("rustup"));
    if let Err(error) = added {
        step.doing(&format!("rustup could not ({error})"));
        return Ok(false);
    }
    Toolchain::Own.builds_wasm(cache)
}

/// The directory where Debian's rustc looks for a target's libraries.
fn debian_rustlib(target: &str) -> PathBuf {
    Path::new(DEBIAN_SYSROOT).join("lib/rustlib").join(target)
}

fn has_debian_std() -> bool {
    debian_rustlib(TARGET).join("lib").is_dir()
}

/// Builds the standard library of Debian's Rust and puts it where that Rust looks for it.
fn from_debian(step: &Step, cache: &Cache) -> Result<()> {
    debian::install(step, cache, &DEBIAN_RUST)?;
    let version = Program::new(DEBIAN_RUSTC).args(["-vV"]).output()?;
    let about = Compiler::parse(&version).ok_or_else(|| Error::Missing {
        what: format!("`{DEBIAN_RUSTC} -vV` names neither its host nor its LLVM"),
        help: "install Debian's package rustc-web again".into(),
    })?;
    let lld = format!("lld-{}", about.llvm);
    debian::install(step, cache, &[&lld])?;
    // rustc calls the linker that it ships with by this name; Debian ships it as lld.
    let rust_lld = debian_rustlib(&about.host).join("bin/rust-lld");
    debian::link(&Path::new("/usr/bin").join(&lld), &rust_lld)?;

    let _lock = cache.lock("wasm-std")?;
    step.doing("building the standard library from Debian's source, about a minute, once");
    let target_dir = cache.scratch("wasm-std");
    compile_std(&target_dir, &cache.log("wasm-std")).map_err(Error::step(
        step.name(),
        "reinstall Debian's packages rustc-web, cargo-web and rust-web-src, which must be of one version",
    ))?;
    put_in_place(&target_dir.join(TARGET).join("release/deps"))?;
    fs::remove_dir_all(&target_dir).map_err(Error::file("remove", &target_dir))?;

    if Toolchain::Debian.builds_wasm(cache)? {
        Ok(())
    } else {
        Err(Error::Missing {
            what: "a wasm32 program still does not build with Debian's Rust".into(),
            help: format!(
                "see what `RUSTUP_TOOLCHAIN={DEBIAN_SYSROOT} rustc --target {TARGET} --crate-type cdylib` says"
            ),
        })
    }
}

/// Compiles the standard library. `target_dir` must be outside any checkout, whose settings would apply.
fn compile_std(target_dir: &Path, log: &Path) -> Result<()> {
    fs::create_dir_all(target_dir).map_err(Error::file("make", target_dir))?;
    let source = debian_rustlib("src").join("rust/library");
    let flags = format!(
        "-Zforce-unstable-if-unmarked -Cembed-bitcode=yes --remap-path-prefix={}=/rustc/library",
        source.display()
    );
    Program::new(DEBIAN_CARGO)
        .args(["build", "--release", "--locked", "--target", TARGET])
        .args(["--features", "panic-unwind,backtrace", "--manifest-path"])
        .args([source.join("sysroot/Cargo.toml").as_os_str()])
        .args(["--target-dir".as_ref(), target_dir.as_os_str()])
        .dir(target_dir)
        .env("RUSTC", DEBIAN_RUSTC)
        // The standard library is built from features that only it may use.
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTFLAGS", flags)
        .env("__CARGO_DEFAULT_LIB_METADATA", "teeter")
        .env("CARGO_INCREMENTAL", "0")
        .without(&["RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER"])
        .without(&["CARGO_BUILD_TARGET", "CARGO_ENCODED_RUSTFLAGS"])
        .run_logged(log)
}

/// Copies the libraries in `built` into Debian's sysroot, all at once.
fn put_in_place(built: &Path) -> Result<()> {
    let rustlib = debian_rustlib(TARGET);
    let staged = rustlib.with_extension("new");
    let lib = staged.join("lib");
    debian::as_root("rm").args(["-rf"]).args([&staged]).run()?;
    debian::as_root("mkdir").args(["-p"]).args([&lib]).run()?;
    let entries = fs::read_dir(built).map_err(Error::file("read", built))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(Error::file("read", built))?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "rlib")
        {
            files.push(path);
        }
    }
    files.sort();
    debian::as_root("cp").args(&files).args([&lib]).run()?;
    debian::as_root("rm").args(["-rf"]).args([&rustlib]).run()?;
    debian::as_root("mv").args([&staged, &rustlib]).run()
}

/// What `rustc -vV` says of a compiler.
#[derive(Debug, PartialEq, Eq)]
struct Compiler {
    host: String,
    /// LLVM's major version.
    llvm: u32,
}

impl Compiler {
    fn parse(text: &str) -> Option<Self> {
        let field = |key: &str| text.lines().find_map(|line| line.strip_prefix(key));
        let llvm = field("LLVM version: ")?.split('.').next()?.parse().ok()?;
        Some(Self {
            host: field("host: ")?.to_owned(),
            llvm,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_compiler_says_what_it_is() {
        let text = "rustc 1.96.0 (ac68faa20 2026-05-25)\nbinary: rustc\nhost: x86_64-unknown-linux-gnu\nrelease: 1.96.0\nLLVM version: 22.1.8\n";
        let expected = Compiler {
            host: "x86_64-unknown-linux-gnu".into(),
            llvm: 22,
        };
        assert_eq!(Compiler::parse(text), Some(expected));
        assert_eq!(Compiler::parse("rustc 1.96.0\n"), None);
    }

    #[test]
    fn sources_are_spelled_as_documented() {
        let source = |name| Source::from_str(name, false);
        assert_eq!(source("auto"), Ok(Source::Auto));
        assert_eq!(source("rustup"), Ok(Source::Rustup));
        assert_eq!(source("debian"), Ok(Source::Debian));
        assert!(source("nix").is_err());
    }
}
