//! SCENARIO: a file, `-`, a link, or `preset:NAME`.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use teeter_scenario::link::Link;
use teeter_scenario::{Problem, Scenario, limits, presets};

use crate::error::Error;

/// Reads the scenario that the argument names.
pub(crate) fn scenario(argument: &str) -> Result<Scenario, Error> {
    if let Some(name) = argument.strip_prefix("preset:") {
        return presets::get(name).map_err(|problems| Error::scenario(argument, problems));
    }
    if argument != "-" && is_link(argument) && !Path::new(argument).exists() {
        return Ok(Link::decode(argument)?.scenario);
    }
    let text = text(argument)?;
    if is_link(&text) {
        return Ok(Link::decode(&text)?.scenario);
    }
    Scenario::from_json(&text).map_err(|problems| Error::scenario(name(argument), problems))
}

/// Reads a file, or stdin for `-`, up to the length that a scenario may have.
pub(crate) fn text(argument: &str) -> Result<String, Error> {
    let place = name(argument);
    let error = |error| Error::read(place, error);
    let reader: Box<dyn Read> = if argument == "-" {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(argument).map_err(error)?)
    };
    let most = limits::DOCUMENT as u64;
    let mut text = String::new();
    reader
        .take(most + 1)
        .read_to_string(&mut text)
        .map_err(error)?;
    if text.len() as u64 > most {
        let problem = Problem::new("", format!("longer than {most} bytes"));
        return Err(Error::scenario(place, problem.into()));
    }
    Ok(text)
}

/// What to call an argument in a message.
pub(crate) fn name(argument: &str) -> &str {
    if argument == "-" { "stdin" } else { argument }
}

/// Whether a text is a link rather than the name of a file or a document.
fn is_link(text: &str) -> bool {
    let text = text.trim_start();
    let begins = ["#", "http://", "https://", "s=", "p="];
    let holds = ["#s=", "#p="];
    begins.iter().any(|mark| text.starts_with(mark))
        || (!text.starts_with(['{', '[']) && holds.iter().any(|mark| text.contains(mark)))
}
