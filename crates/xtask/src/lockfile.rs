//! The versions that Cargo.lock has settled on.

use std::path::Path;

use crate::error::{Error, Result};

/// The version of `package` in the checkout's Cargo.lock.
///
/// # Errors
/// [`Error::File`] if the file cannot be read, [`Error::Missing`] if it does not name the package.
pub(crate) fn locked_version(checkout: &Path, package: &str) -> Result<String> {
    let path = checkout.join("Cargo.lock");
    let text = std::fs::read_to_string(&path).map_err(Error::file("read", &path))?;
    version_in(&text, package)
        .map(str::to_owned)
        .ok_or_else(|| Error::Missing {
            what: format!("Cargo.lock does not name {package}"),
            help: "run `cargo generate-lockfile`, or take Cargo.lock from git again".into(),
        })
}

fn version_in<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines();
    lines.find(|line| *line == name)?;
    lines
        .next()?
        .strip_prefix("version = \"")?
        .strip_suffix('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = "version = 4\n\n[[package]]\nname = \"wasm-bindgen-futures\"\nversion = \"0.4.80\"\n\n[[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\ndependencies = [\n \"cfg-if\",\n]\n";

    #[test]
    fn a_name_is_matched_whole() {
        assert_eq!(version_in(LOCK, "wasm-bindgen"), Some("0.2.130"));
        assert_eq!(version_in(LOCK, "wasm-bindgen-futures"), Some("0.4.80"));
        assert_eq!(version_in(LOCK, "wasm"), None);
        assert_eq!(version_in("", "wasm-bindgen"), None);
    }

    #[test]
    fn the_projects_own_lock_names_wasm_bindgen() {
        let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let version = locked_version(&checkout, "wasm-bindgen").unwrap();
        assert!(version.starts_with("0.2."), "{version}");
    }
}
