//! `s=`: a whole scenario in characters that survive wherever text goes.
//!
//! `CODEC VERSION . LENGTH . DATA . CHECK`, as in `z1.847.7VbRbts….0c3f9a`:
//! * CODEC `z` is raw DEFLATE, `j` is JSON as it is; both then in base64url without padding;
//! * VERSION is that of the scenario format;
//! * LENGTH counts the characters of all of it, so that a link that was cut knows by how much;
//! * CHECK is the CRC-24 of all before it, in hexadecimal: one changed character always shows, and the last
//!   character is never one that a chat program takes for punctuation.
//!
//! Written by hand, `j1.DATA` will do.

use base64::Engine as _;
use base64::alphabet::URL_SAFE;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use crc::{CRC_24_OPENPGP, Crc};
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::{TINFLStatus, decompress_to_vec_with_limit};

use super::LinkError;
use crate::document::Scenario;
use crate::{limits, wire};

/// Without padding when written, with or without when read.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new()
        .with_encode_padding(false)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);
/// The best compression there is: links are made once and read often.
const COMPRESSION: u8 = 10;
const CRC: Crc<u32> = Crc::<u32>::new(&CRC_24_OPENPGP);
/// Hexadecimal digits of the CRC-24.
const CHECK: usize = 6;

/// Writes a scenario.
pub(super) fn encode(scenario: &Scenario) -> String {
    let packed = compress_to_vec(scenario.to_json().as_bytes(), COMPRESSION);
    let data = BASE64.encode(packed);
    let prefix = format!("z{}", wire::VERSION);
    // The length counts its own digits.
    let others = prefix.len() + data.len() + CHECK + 3;
    let mut length = others + 1;
    while length != others + length.to_string().len() {
        length += 1;
    }
    let text = format!("{prefix}.{length}.{data}.");
    format!("{text}{}", check(&text))
}

/// Reads a scenario.
pub(super) fn decode(text: &str) -> Result<Scenario, LinkError> {
    // Mail programs break long lines.
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let (prefix, rest) = text.split_once('.').unwrap_or((&text, ""));
    let codec = codec(prefix)?;
    let data = if rest.is_empty() {
        return Err(cut(&text, None));
    } else {
        data(&text, rest)?
    };
    let bytes = BASE64
        .decode(data)
        .map_err(|error| LinkError::Base64(error.to_string()))?;
    let json = match codec {
        Codec::Json => bytes,
        Codec::Deflate => inflate(&bytes)?,
    };
    let json = String::from_utf8(json).map_err(|error| LinkError::Json(error.to_string()))?;
    Scenario::from_json(&json).map_err(|problems| match problems.0.as_slice() {
        [problem] if problem.path.is_empty() => LinkError::Json(problem.message.clone()),
        _ => LinkError::Field { problems, json },
    })
}

/// How the data is packed.
#[derive(Clone, Copy)]
enum Codec {
    Deflate,
    Json,
}

/// Reads codec and version.
fn codec(prefix: &str) -> Result<Codec, LinkError> {
    let unknown = || LinkError::Codec(prefix.chars().take(12).collect());
    let mut chars = prefix.chars();
    let codec = match chars.next() {
        Some('z') => Codec::Deflate,
        Some('j') => Codec::Json,
        Some('u') => return Err(LinkError::External),
        _ => return Err(unknown()),
    };
    let version: u32 = chars.as_str().parse().map_err(|_not_a_number| unknown())?;
    match version {
        0 => Err(unknown()),
        found if found > wire::VERSION => Err(LinkError::Newer {
            found,
            known: wire::VERSION,
        }),
        _ => Ok(codec),
    }
}

/// The data between length and checksum, when both agree with it; or all of it, where there are neither.
fn data<'a>(text: &str, rest: &'a str) -> Result<&'a str, LinkError> {
    let Some((length, rest)) = rest.split_once('.') else {
        // A number and nothing more is what is left of a link that was cut very short.
        return if rest.bytes().all(|b| b.is_ascii_digit()) {
            Err(cut(text, None))
        } else {
            Ok(rest)
        };
    };
    let expected: usize = length
        .parse()
        .map_err(|_not_a_number| LinkError::Base64(format!("`{length}` is not a length")))?;
    let Some((data, sent)) = rest
        .split_once('.')
        .filter(|(_, check)| check.len() >= CHECK)
    else {
        return Err(cut(text, Some(expected)));
    };
    if text.len() != expected {
        return Err(LinkError::Length {
            arrived: text.len(),
            expected,
        });
    }
    let found = check(text.strip_suffix(sent).unwrap_or(text));
    if found == sent {
        Ok(data)
    } else {
        Err(LinkError::Checksum {
            expected: sent.to_owned(),
            found,
        })
    }
}

fn cut(text: &str, expected: Option<usize>) -> LinkError {
    LinkError::Cut {
        arrived: text.len(),
        expected,
    }
}

/// The checksum of a text.
fn check(text: &str) -> String {
    format!("{:06x}", CRC.checksum(text.as_bytes()))
}

/// Unpacks, never to more than a document may be long.
fn inflate(bytes: &[u8]) -> Result<Vec<u8>, LinkError> {
    decompress_to_vec_with_limit(bytes, limits::JSON).map_err(|error| match error.status {
        TINFLStatus::HasMoreOutput => LinkError::Bomb,
        _ => LinkError::Inflate,
    })
}
