//! The fingerprint of what the page is built from: if it has not changed, the page has not either.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// What the page is built from, from the top of the checkout.
const SOURCES: [&str; 8] = [
    ".cargo",
    "Cargo.lock",
    "Cargo.toml",
    "Trunk.toml",
    "crates",
    "index.html",
    "static",
    "styles",
];

/// Directories below these that the page is not built from.
const SKIPPED: [&str; 6] = ["benches", "cli", "examples", "pictures", "tests", "xtask"];

/// A number that changes when a source file is added, removed or written to, or when `tools` changes.
///
/// # Errors
/// [`Error::File`] if a source file cannot be read.
pub(crate) fn of_sources(checkout: &Path, tools: &str) -> Result<String> {
    let mut files = Vec::new();
    for source in SOURCES {
        collect(&checkout.join(source), &mut files)?;
    }
    files.sort();
    let mut hasher = DefaultHasher::new();
    tools.hash(&mut hasher);
    for file in files {
        let metadata = fs::metadata(&file).map_err(Error::file("read", &file))?;
        metadata.len().hash(&mut hasher);
        let modified = metadata.modified().map_err(Error::file("read", &file))?;
        modified.hash(&mut hasher);
        file.hash(&mut hasher);
    }
    Ok(format!("{:016x}\n", hasher.finish()))
}

/// Adds the file at `path`, or those below it, to `files`. Nothing there is nothing to add.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    if path.is_file() {
        files.push(path.to_path_buf());
    } else if path.is_dir() && !SKIPPED.iter().any(|name| path.ends_with(name)) {
        for entry in fs::read_dir(path).map_err(Error::file("read", path))? {
            collect(&entry.map_err(Error::file("read", path))?.path(), files)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_changes_with_each_source_and_tool() {
        let name = format!("teeter-fingerprint-{}", std::process::id());
        let checkout = std::env::temp_dir().join(name);
        let styles = checkout.join("styles");
        fs::create_dir_all(&styles).unwrap();
        let print = |tools| of_sources(&checkout, tools).unwrap();

        let empty = print("1");
        assert_eq!(empty, print("1"));
        assert_ne!(empty, print("2"));

        fs::write(styles.join("a.css"), "a").unwrap();
        let one = print("1");
        assert_ne!(empty, one);

        fs::write(styles.join("a.css"), "ab").unwrap();
        assert_ne!(one, print("1"));

        fs::remove_file(styles.join("a.css")).unwrap();
        fs::create_dir(styles.join("tests")).unwrap();
        fs::write(styles.join("tests").join("a.css"), "a").unwrap();
        assert_eq!(empty, print("1"));
        fs::remove_dir_all(&checkout).unwrap();
    }
}
