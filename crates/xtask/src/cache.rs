//! The cache: where tools are kept between runs and between checkouts.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// A directory outside the checkout, each tool in it under its name and version.
#[derive(Debug)]
pub(crate) struct Cache {
    root: PathBuf,
}

impl Cache {
    /// Opens `$TEETER_CACHE`, else `$XDG_CACHE_HOME/teeter`, else `~/.cache/teeter`, making it if need be.
    ///
    /// # Errors
    /// [`Error::Missing`] if none of these is set, [`Error::File`] if it cannot be made.
    pub(crate) fn open() -> Result<Self> {
        let root = root(|name| std::env::var_os(name).filter(|value| !value.is_empty()))
            .ok_or_else(|| Error::Missing {
                what: "no place for the tools: neither HOME nor TEETER_CACHE is set".into(),
                help: "set TEETER_CACHE to a directory that may be written".into(),
            })?;
        fs::create_dir_all(root.join("logs")).map_err(Error::file("make", &root))?;
        Ok(Self { root })
    }

    /// The directory of one tool at one version.
    pub(crate) fn tool(&self, name: &str, version: &str) -> PathBuf {
        self.root.join("tools").join(format!("{name}-{version}"))
    }

    /// A directory for intermediate files, to be removed afterwards.
    pub(crate) fn scratch(&self, name: &str) -> PathBuf {
        self.root.join("scratch").join(name)
    }

    /// The log file of a step.
    pub(crate) fn log(&self, name: &str) -> PathBuf {
        self.root.join("logs").join(format!("{name}.log"))
    }

    /// The cache itself.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Keeps other runs of xtask out until the returned file is dropped.
    ///
    /// # Errors
    /// [`Error::File`] if the lock cannot be made or taken.
    pub(crate) fn lock(&self, name: &str) -> Result<File> {
        let path = self.root.join(format!("{name}.lock"));
        let file = File::create(&path).map_err(Error::file("write", &path))?;
        file.lock().map_err(Error::file("lock", &path))?;
        Ok(file)
    }
}

fn root(var: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let home = || var("HOME").or_else(|| var("USERPROFILE"));
    var("TEETER_CACHE")
        .map(PathBuf::from)
        .or_else(|| var("XDG_CACHE_HOME").map(|dir| Path::new(&dir).join("teeter")))
        .or_else(|| home().map(|dir| Path::new(&dir).join(".cache").join("teeter")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root_of(set: &[(&str, &str)]) -> Option<PathBuf> {
        root(|name| {
            let found = set.iter().find(|(key, _)| *key == name)?;
            Some(found.1.into())
        })
    }

    #[test]
    fn the_nearest_setting_wins() {
        let home = ("HOME", "h");
        let xdg = ("XDG_CACHE_HOME", "x");
        let own = ("TEETER_CACHE", "t");
        assert_eq!(root_of(&[home, xdg, own]), Some("t".into()));
        assert_eq!(root_of(&[home, xdg]), Some("x/teeter".into()));
        assert_eq!(root_of(&[home]), Some("h/.cache/teeter".into()));
        assert_eq!(root_of(&[]), None);
    }

    #[test]
    fn versions_do_not_share_a_directory() {
        let cache = Cache { root: "c".into() };
        assert_eq!(cache.tool("trunk", "1"), Path::new("c/tools/trunk-1"));
        assert_ne!(cache.tool("trunk", "1"), cache.tool("trunk", "2"));
    }
}
