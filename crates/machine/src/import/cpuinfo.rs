//! `/proc/cpuinfo`: a block of fields for each online CPU.

use super::found::{Found, Place};
use super::text::{ImportError, Span, lines};

/// The fields of one CPU that matter.
#[derive(Debug, Default)]
struct Block<'a> {
    processor: Option<Span<'a>>,
    core: Option<u32>,
    package: Option<u32>,
    amd: bool,
    family: u32,
}

/// Reads `/proc/cpuinfo`.
pub(super) fn read(text: &str) -> Result<Found, ImportError> {
    let mut found = Found::default();
    let mut block = Block::default();
    for line in lines(text) {
        let line = line.trim();
        if line.text.is_empty() {
            finish(&mut found, &std::mem::take(&mut block))?;
            continue;
        }
        let (field, value) = line
            .split_once(':')
            .ok_or_else(|| line.expected("a field and its value, such as `processor : 0`"))?;
        let (field, value) = (field.trim(), value.trim());
        match field.text {
            // On s390 and old Arm a line may speak of all processors.
            "processor" => {
                finish(&mut found, &std::mem::take(&mut block))?;
                block.processor = Some(value);
            }
            "core id" => block.core = Some(value.number("the number of a core")?),
            "physical id" => block.package = Some(value.number("the number of a package")?),
            "vendor_id" => block.amd = value.text == "AuthenticAMD",
            "cpu family" => block.family = value.text.parse().unwrap_or(0),
            _ => {}
        }
    }
    finish(&mut found, &block)?;
    let packages = found.cpus.values().filter_map(|place| place.package);
    if packages.max() > Some(0) {
        // A package is a node on most machines, and nodes decide more than packages.
        for place in found.cpus.values_mut() {
            place.node = place
                .package
                .and_then(|package| u32::try_from(package).ok());
        }
        found.assume("nodes are not told of: every package is one");
    }
    Ok(found)
}

/// Takes in the CPU of a block.
fn finish(found: &mut Found, block: &Block<'_>) -> Result<(), ImportError> {
    let Some(processor) = block.processor else {
        return Ok(());
    };
    found.zen |= block.amd && block.family >= 0x17;
    let place = Place {
        core: block.core.map(u64::from),
        package: block.package.map(u64::from),
        ..Place::default()
    };
    found.add(processor, place)
}
