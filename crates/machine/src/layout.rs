//! The machine as a list of cores in physical order, before its CPUs are numbered.

use teeter_scenario::Bytes;
use teeter_scenario::document::Numbering;

use crate::Cpu;

/// One core: where its CPUs sit, and how many there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Core {
    /// The place that each of its CPUs will have.
    pub(crate) place: Cpu,
    /// Hardware threads.
    pub(crate) threads: u16,
}

/// Cores in physical order, and the nodes (some may have no core).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Every core, node by node.
    pub(crate) cores: Vec<Core>,
    /// Memory of each NUMA node where it is known; nodes without CPUs included.
    pub(crate) memory: Vec<Option<Bytes>>,
}

impl Layout {
    /// One place a CPU, in the order in which the kernel numbers them.
    pub(crate) fn number(&self, numbering: Numbering) -> Vec<Cpu> {
        match numbering {
            Numbering::Contiguous => self
                .cores
                .iter()
                .flat_map(|core| (0..core.threads).map(|_| core.place))
                .collect(),
            Numbering::SiblingsLast => {
                let deepest = self.cores.iter().map(|core| core.threads).max();
                (0..deepest.unwrap_or(0))
                    .flat_map(|thread| {
                        self.cores
                            .iter()
                            .filter(move |core| core.threads > thread)
                            .map(|core| core.place)
                    })
                    .collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NodeId;

    fn layout(threads: &[u16]) -> Layout {
        let cores = threads.iter().enumerate().map(|(core, &threads)| Core {
            place: Cpu {
                core: core as u16,
                cluster: core as u16,
                llc: 0,
                die: 0,
                package: 0,
                node: NodeId(0),
                capacity: 1024,
            },
            threads,
        });
        Layout {
            cores: cores.collect(),
            memory: vec![None],
        }
    }

    fn cores(layout: &Layout, numbering: Numbering) -> Vec<u16> {
        layout
            .number(numbering)
            .iter()
            .map(|cpu| cpu.core)
            .collect()
    }

    #[test]
    fn both_numberings() {
        let layout = layout(&[2, 2, 1]);
        assert_eq!(cores(&layout, Numbering::Contiguous), [0, 0, 1, 1, 2]);
        assert_eq!(cores(&layout, Numbering::SiblingsLast), [0, 1, 2, 0, 1]);
    }
}
