//! Machines as the tools on them tell of them.
//!
//! Each reader turns one tool's output into the CPUs it tells of, and what a tool cannot tell is
//! assumed and said: see [`Imported::assumptions`]. Nothing is allocated by a number in the text before
//! it is known to be within the machine's limits.

mod cgroups;
mod cpuinfo;
mod detect;
mod found;
mod hwloc;
mod kubernetes;
mod lscpu;
mod mask;
mod numactl;
mod settings;
mod summary;
mod sysfs;
mod text;

use teeter_scenario::document::{ImportKind, Machine, MachineSource};

pub use cgroups::{Cgroups, cgroups};
pub use detect::{Kind, detect};
pub use settings::{Settings, settings};
pub use text::ImportError;

use crate::{Topology, synthetic};
use found::Found;

/// Longest text that is read, in bytes: what lstopo writes of a machine of 1,024 CPUs is half of it.
pub const MOST: usize = 16 << 20;

/// A machine that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The machine for a scenario: its nodes, or its CPUs in a table if their numbers follow no rule.
    pub machine: Machine,
    /// What the text does not tell and was assumed, as sentences without a full stop.
    pub assumptions: Vec<String>,
}

/// Reads a machine.
///
/// ```
/// use teeter_machine::import::import;
/// use teeter_scenario::document::ImportKind;
///
/// let text = "# CPU,Core,Socket,Node\n0,0,0,0\n1,1,0,0\n2,0,0,0\n3,1,0,0\n";
/// let imported = import(text, ImportKind::Auto).unwrap();
/// let topology = teeter_machine::Topology::from_spec(&imported.machine).unwrap();
/// assert_eq!(topology.cpus[0].core, topology.cpus[2].core);
/// ```
///
/// # Errors
///
/// The first thing that cannot be read, with its line and column.
pub fn import(text: &str, from: ImportKind) -> Result<Imported, ImportError> {
    if from == ImportKind::Auto && detect(text) == Some(Kind::Synthetic) {
        return Ok(Imported {
            machine: Machine::new(MachineSource::Synthetic(text.trim().to_owned())),
            assumptions: Vec::new(),
        });
    }
    let shape = read(text, from, 0)?;
    let assumptions = shape.assumptions.clone();
    let topology = Topology::from_shape(shape);
    Ok(Imported {
        machine: topology.describe(),
        assumptions,
    })
}

/// Reads the CPUs of a machine, which has at least so many nodes.
pub(crate) fn read(
    text: &str,
    from: ImportKind,
    least_nodes: usize,
) -> Result<crate::shape::Shape, ImportError> {
    if text.len() > MOST {
        return Err(ImportError::TooLong { most: MOST });
    }
    let kind = match from {
        ImportKind::Auto => detect(text).ok_or(ImportError::Unknown)?,
        from => Kind::Machine(from),
    };
    let found: Found = match kind {
        Kind::Machine(ImportKind::LscpuP | ImportKind::LscpuE) => lscpu::table(text)?,
        Kind::Machine(ImportKind::LscpuJson) => lscpu::json(text)?,
        Kind::Machine(ImportKind::Lscpu) => summary::text(text)?,
        Kind::Machine(ImportKind::HwlocXml) => hwloc::read(text)?,
        Kind::Machine(ImportKind::NumactlH) => numactl::read(text)?,
        Kind::Machine(ImportKind::Sysfs) => sysfs::read(text)?,
        Kind::Machine(ImportKind::Cpuinfo) => cpuinfo::read(text)?,
        Kind::Synthetic => {
            let layout = synthetic::parse(text)
                .map_err(|error| ImportError::Synthetic(error.to_string()))?;
            return Ok(crate::shape::Shape::new(
                layout.number(teeter_scenario::document::Numbering::default()),
                layout.memory,
            ));
        }
        Kind::Machine(ImportKind::Auto) | Kind::Settings | Kind::Cgroups => {
            return Err(ImportError::Unknown);
        }
    };
    found.shape(least_nodes)
}
