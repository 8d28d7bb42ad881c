//! Distances between nodes, as the firmware's table has them.

use super::drawing::Drawing;

/// Distance to a node where nothing else is known, as the kernel has it.
pub(super) const REMOTE: u32 = 20;
/// Distance of a node to itself.
pub(super) const LOCAL: u32 = 10;

impl Drawing {
    /// The distance between two nodes, both ways.
    pub fn set_distance(&mut self, from: usize, to: usize, distance: u32) {
        for (from, to) in [(from, to), (to, from)] {
            if let Some(place) = self.distances.get_mut(from).and_then(|row| row.get_mut(to)) {
                *place = distance;
            }
        }
    }

    /// The distance between two nodes.
    pub fn distance(&self, from: usize, to: usize) -> Option<u32> {
        self.distances.get(from)?.get(to).copied()
    }

    /// A new node there: as far from all others as the one it is like, else as far as nodes are.
    pub(super) fn insert_distances(&mut self, at: usize, like: Option<usize>) {
        let old = like.and_then(|like| self.distances.get(like).cloned());
        let usual = self.usual_distance();
        for (from, row) in self.distances.iter_mut().enumerate() {
            let distance = match (&old, like) {
                (Some(old), Some(like)) if from != like => old.get(from).copied(),
                _ => None,
            };
            row.insert(at.min(row.len()), distance.unwrap_or(usual));
        }
        let column = self.distances.iter().map(|row| row.get(at).copied());
        let mut row: Vec<u32> = column.map(|cell| cell.unwrap_or(usual)).collect();
        row.insert(at, LOCAL);
        self.distances.insert(at, row);
    }

    /// What all nodes are from each other; REMOTE where they differ or there is one only.
    fn usual_distance(&self) -> u32 {
        let rows = self.distances.iter().enumerate();
        let mut remote = rows.flat_map(|(from, row)| {
            let cells = row.iter().enumerate();
            cells.filter_map(move |(to, cell)| (from != to).then_some(*cell))
        });
        match remote.next() {
            Some(first) if remote.all(|cell| cell == first) => first,
            _ => REMOTE,
        }
    }

    pub(super) fn remove_distances(&mut self, node: usize) {
        self.distances.remove(node);
        for row in &mut self.distances {
            row.remove(node);
        }
    }

    pub(super) fn swap_distances(&mut self, a: usize, b: usize) {
        self.distances.swap(a, b);
        for row in &mut self.distances {
            row.swap(a, b);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::drawing;

    #[test]
    fn copies_are_as_far_away_as_what_they_were_made_of() {
        let mut drawing = drawing("node:3 l3:1 core:1 pu:1");
        drawing.set_distance(0, 1, 12);
        drawing.set_distance(1, 2, 31);
        assert_eq!(drawing.duplicate(&[1]), Some(vec![2]));
        assert_eq!(drawing.distances[2], [12, 20, 10, 31]);
        assert_eq!(drawing.distances[0], [10, 12, 12, 20]);
        assert_eq!(drawing.shift(&[0], true), Some(vec![1]));
        assert_eq!(drawing.distances[1], [12, 10, 12, 20]);
        assert_eq!(drawing.shift(&[0], false), None);
    }

    #[test]
    fn a_new_node_is_as_far_away_as_all_are() {
        let mut drawing = drawing("node:2 l3:1 core:1 pu:1");
        drawing.set_distance(0, 1, 21);
        drawing.add(&[]);
        assert_eq!(drawing.distances[2], [21, 21, 10]);
        assert_eq!(drawing.distance(0, 2), Some(21));
    }
}
