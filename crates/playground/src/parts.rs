//! A machine as it is drawn: nodes, last-level caches and cores, each by itself, to be added, copied, moved,
//! stretched and taken away. Pure.

mod change;
mod distance;
mod drawing;
mod group;
mod growth;
mod machine;
mod path;
mod topology;
mod values;

pub use change::Change;
pub use drawing::{Core, Drawing, Llc, Node};
pub use path::{Path, kind, name, whole_name};

#[cfg(test)]
mod tests {
    use teeter_machine::Topology;
    use teeter_scenario::document::{Machine, MachineSource};

    use super::Drawing;

    /// The drawing of a machine in words.
    pub(super) fn drawing(words: &str) -> Drawing {
        let machine = Machine::new(MachineSource::Synthetic(words.to_owned()));
        Drawing::of(&machine, &Topology::from_spec(&machine).unwrap())
    }
}
