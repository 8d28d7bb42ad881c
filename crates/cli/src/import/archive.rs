//! A file that is a text, or a tar of files of one value each.

use std::fs::File;
use std::io::{self, Read};

use tar::Archive;
use teeter_scenario::Problem;

use crate::error::Error;
use crate::source;

/// Longest file that is read: traces are long.
const MOST: usize = 512 << 20;
/// Longest file within a tar that is read; those of sysfs are a page.
const LONGEST: u64 = 64 << 10;
/// Where a tar says that it is one, and what it says.
const MAGIC: (usize, &[u8]) = (257, b"ustar");

/// Reads a file, or stdin for `-`; a tar becomes lines of `path:value`.
pub(super) fn text(argument: &str) -> Result<String, Error> {
    let place = source::name(argument);
    let refused = |message: String| Error::scenario(place, Problem::new("", message).into());
    let error = |error| Error::read(place, error);
    let reader: Box<dyn Read> = if argument == "-" {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(argument).map_err(error)?)
    };
    let mut bytes = Vec::new();
    reader
        .take(MOST as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(error)?;
    if bytes.len() > MOST {
        return Err(refused(format!("longer than {MOST} bytes")));
    }
    let (at, magic) = MAGIC;
    if bytes.get(at..at + magic.len()) == Some(magic) {
        return listing(&bytes).map_err(error);
    }
    if bytes.starts_with(&[0x1f, 0x8b]) {
        return Err(refused(
            "is compressed: expand it with gunzip first".to_owned(),
        ));
    }
    String::from_utf8(bytes).map_err(|error| {
        let read = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..read]
            .split(|&byte| byte == b'\n')
            .count();
        refused(format!("line {line}: expected text in UTF-8"))
    })
}

/// The files of a tar, a line for each of theirs. A tar of sysfs is padded: its files claim a page and
/// hold less.
fn listing(bytes: &[u8]) -> io::Result<String> {
    let mut listing = String::new();
    for entry in Archive::new(bytes).entries()? {
        let entry = entry?;
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let path = entry.path()?.to_string_lossy().into_owned();
        let mut content = Vec::new();
        entry.take(LONGEST).read_to_end(&mut content)?;
        let content = String::from_utf8_lossy(&content);
        for line in content.trim_matches('\0').lines() {
            // A path that is no more than a name would not be told from a value.
            listing.push_str("./");
            listing.push_str(&path);
            listing.push(':');
            listing.push_str(line);
            listing.push('\n');
        }
    }
    Ok(listing)
}
