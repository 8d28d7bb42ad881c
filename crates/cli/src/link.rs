//! `teeter link`

use std::io::{self, Write as _};

use teeter_scenario::link::{LENGTH_HINT, LENGTH_MOST, LENGTH_WARNING, Link};

use crate::error::Error;
use crate::source;

/// The fragment of a scenario, or the whole address. A long one is remarked on; the limits count the fragment.
pub(crate) fn encode(argument: &str, base: Option<&str>) -> Result<String, Error> {
    let fragment = Link::new(source::scenario(argument)?).encode();
    let length = fragment.len();
    let remark = match length {
        _ if length > LENGTH_MOST => {
            let most = LENGTH_MOST;
            return Err(Error::LongLink { length, most });
        }
        _ if length > LENGTH_HINT => "many servers and tools refuse addresses as long as this",
        _ if length > LENGTH_WARNING => {
            "some chat programs and old tools cut links as long as this"
        }
        _ => "",
    };
    if !remark.is_empty() {
        // A remark that can not be made is no reason to fail.
        let _ = writeln!(io::stderr(), "note: {length} characters: {remark}");
    }
    let address = base.map_or("", |base| base.split('#').next().unwrap_or(base));
    Ok(format!("{address}{fragment}\n"))
}

/// The scenario of a link, laid out for people.
pub(crate) fn decode(argument: &str) -> Result<String, Error> {
    let link = if argument == "-" {
        Link::decode(&source::text(argument)?)?
    } else {
        Link::decode(argument)?
    };
    Ok(format!("{}\n", link.scenario.to_json_pretty()))
}
