//! What parts have: threads, capacity, CPUs that are off.

use super::drawing::{Core, Drawing, bit};

impl Drawing {
    fn each_core(&mut self, path: &[usize], mut change: impl FnMut(&mut Core)) {
        for (n, node) in self.nodes.iter_mut().enumerate() {
            for (l, llc) in node.llcs.iter_mut().enumerate() {
                for (c, core) in llc.cores.iter_mut().enumerate() {
                    if [n, l, c].starts_with(path) {
                        change(core);
                    }
                }
            }
        }
    }

    /// Hardware threads of every core of a part, as far as the machine has room for them.
    pub fn set_pus(&mut self, path: &[usize], pus: u32) {
        let before = self.clone();
        self.each_core(path, |core| {
            core.pus = pus;
            let within = bit(pus).wrapping_sub(1);
            core.off &= within;
            core.isolated &= within;
        });
        if !self.fits() || !self.runs() {
            *self = before;
        }
    }

    /// Capacity of every core of a part.
    pub fn set_capacity(&mut self, path: &[usize], capacity: u32) {
        self.each_core(path, |core| core.capacity = capacity);
    }

    /// Whether a CPU of a part is on.
    pub fn any_on(&self, path: &[usize]) -> bool {
        let inside = self.cores().filter(|(place, _)| place.starts_with(path));
        let mut cores = inside.map(|(_, core)| core);
        cores.any(|core| (0..core.pus).any(|thread| !core.is_off(thread)))
    }

    /// Switches every CPU of a part on or off.
    pub fn switch(&mut self, path: &[usize], on: bool) {
        self.each_core(path, |core| {
            core.off = if on { 0 } else { bit(core.pus).wrapping_sub(1) };
        });
    }

    /// Switches one thread of a core on or off.
    pub fn switch_thread(&mut self, path: &[usize], thread: u32, on: bool) {
        self.each_core(path, |core| {
            if on {
                core.off &= !bit(thread);
            } else {
                core.off |= bit(thread);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::drawing;

    #[test]
    fn cpus_are_switched_off_by_part_and_by_thread() {
        let mut drawing = drawing("node:2 l3:1 core:2 pu:2");
        drawing.switch(&[1, 0], false);
        assert_eq!(drawing.offline().to_string(), "4-7");
        assert!(drawing.any_on(&[0]) && !drawing.any_on(&[1]));
        drawing.switch_thread(&[1, 0, 1], 1, true);
        assert_eq!(drawing.offline().to_string(), "4-6");
        drawing.switch_thread(&[0, 0, 0], 1, false);
        drawing.set_pus(&[0], 1);
        assert_eq!(drawing.offline().to_string(), "2-4");
        drawing.switch(&[], true);
        assert!(drawing.offline().is_empty());
    }
}
