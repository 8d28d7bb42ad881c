//! Debian's and Ubuntu's packages: what is installed, and installing what is not.

use std::path::Path;

use crate::cache::Cache;
use crate::error::{Error, Result};
use crate::program::{Program, on_path};
use crate::step::Step;

/// The distributions that xtask can install packages on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Distribution {
    /// Debian itself: has Chromium, ChromeDriver and a current Rust with its source as packages.
    Debian,
    /// Ubuntu and others built on Debian: has Node.js; Chromium there is a snap.
    Derived,
    /// Anything else: nothing is installed by xtask.
    Other,
}

impl Distribution {
    /// Reads /etc/os-release.
    pub(crate) fn here() -> Self {
        let text = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
        match Self::from_os_release(&text) {
            Self::Other => Self::Other,
            known if on_path(&["apt-get"]).is_some() => known,
            Self::Debian | Self::Derived => Self::Other,
        }
    }

    fn from_os_release(text: &str) -> Self {
        let field = |key: &str| {
            text.lines()
                .find_map(|line| line.strip_prefix(key))
                .map(|value| value.trim_matches('"'))
                .unwrap_or_default()
        };
        if field("ID=") == "debian" {
            Self::Debian
        } else if field("ID_LIKE=").split(' ').any(|id| id == "debian") || field("ID=") == "ubuntu"
        {
            Self::Derived
        } else {
            Self::Other
        }
    }
}

/// Installs those of `packages` that are not installed yet, saying so in `step`.
///
/// # Errors
/// [`Error::Step`] if apt-get fails.
pub(crate) fn install(step: &Step, cache: &Cache, packages: &[&str]) -> Result<()> {
    let absent: Vec<&str> = packages
        .iter()
        .copied()
        .filter(|package| !is_installed(package))
        .collect();
    if absent.is_empty() {
        return Ok(());
    }
    step.doing(&format!("installing {} with apt-get", absent.join(", ")));
    let _lock = cache.lock("apt")?;
    let help = format!(
        "install by hand: apt-get install --no-install-recommends {}",
        absent.join(" ")
    );
    let log = cache.log("apt");
    // An old package list names files that the mirror no longer has.
    as_root("apt-get")
        .args(["update"])
        .run_logged(&log)
        .and_then(|()| {
            as_root("env")
                .args(["DEBIAN_FRONTEND=noninteractive", "apt-get", "install"])
                .args(["--yes", "--no-install-recommends"])
                .args(&absent)
                .run_logged(&log)
        })
        .map_err(Error::step(step.name(), &help))
}

/// A program run as root: by itself where we are root, else through sudo.
pub(crate) fn as_root(program: &str) -> Program {
    let we_are = Program::new("id")
        .args(["-u"])
        .output()
        .is_ok_and(|id| id.trim() == "0");
    if we_are {
        Program::new(program)
    } else {
        Program::new("sudo").args([program])
    }
}

/// Whether dpkg has the package fully installed.
fn is_installed(package: &str) -> bool {
    Program::new("dpkg-query")
        .args(["--show", "--showformat=${db:Status-Status}", package])
        .output()
        .is_ok_and(|status| status == "installed")
}

/// Makes `link` point at `target`, as root, along with the directory that holds it.
///
/// # Errors
/// [`Error::Failed`] if that is not allowed.
pub(crate) fn link(target: &Path, link: &Path) -> Result<()> {
    if let Some(dir) = link.parent() {
        as_root("mkdir").args(["-p"]).args([dir]).run()?;
    }
    as_root("ln").args(["-sfn"]).args([target, link]).run()
}

#[cfg(test)]
mod tests {
    use super::Distribution::{self, Debian, Derived, Other};

    #[test]
    fn distributions_are_told_apart() {
        let debian = "PRETTY_NAME=\"Debian GNU/Linux 12\"\nVERSION_ID=\"12\"\nID=debian\n";
        let ubuntu = "NAME=\"Ubuntu\"\nID=ubuntu\nID_LIKE=debian\n";
        let mint = "ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n";
        let fedora = "ID=fedora\n";
        let kinds = [debian, ubuntu, mint, fedora, ""].map(Distribution::from_os_release);
        assert_eq!(kinds, [Debian, Derived, Derived, Other, Other]);
    }
}
