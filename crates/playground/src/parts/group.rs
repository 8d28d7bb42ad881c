//! Parts that are moved among their siblings, or put together.

use super::drawing::{Drawing, Llc, Node};
use super::path::Path;

impl Drawing {
    /// Moves a part among its siblings. Gives its new place.
    pub fn shift(&mut self, path: &[usize], down: bool) -> Option<Path> {
        let (&last, parent) = path.split_last()?;
        let to = if down { last + 1 } else { last.checked_sub(1)? };
        match *parent {
            [] if to < self.nodes.len() => {
                self.nodes.swap(last, to);
                self.swap_distances(last, to);
            }
            [node] if to < self.nodes.get(node)?.llcs.len() => {
                self.nodes[node].llcs.swap(last, to);
            }
            [node, llc] if to < self.llc(node, llc)?.cores.len() => {
                self.nodes[node].llcs[llc].cores.swap(last, to);
            }
            _ => return None,
        }
        Some(parent.iter().copied().chain([to]).collect())
    }

    /// Whether [`Drawing::group`] would do something: siblings, caches or cores, and not all of them.
    pub fn can_group(&self, chosen: &[Path]) -> bool {
        let Some((_, parent)) = chosen.first().and_then(|path| path.split_last()) else {
            return false;
        };
        let is_sibling = |path: &Path| {
            path.len() == parent.len() + 1 && path.starts_with(parent) && self.has(path)
        };
        !parent.is_empty() && chosen.iter().all(is_sibling) && chosen.len() < self.size(parent)
    }

    /// Puts siblings together: cores in a cache of their own, caches in a node of their own, after the one
    /// they were in. Gives the new one's place.
    pub fn group(&mut self, chosen: &[Path]) -> Option<Path> {
        if !self.can_group(chosen) {
            return None;
        }
        let (_, parent) = chosen.first()?.split_last()?;
        let last: Vec<usize> = chosen
            .iter()
            .filter_map(|path| path.last().copied())
            .collect();
        match *parent {
            [node] => {
                let llcs = &mut self.nodes.get_mut(node)?.llcs;
                let own = part(llcs, &last);
                let package = self.nodes.get(node)?.package;
                self.insert_distances(node + 1, Some(node));
                self.nodes.insert(
                    node + 1,
                    Node {
                        memory: None,
                        llcs: own,
                        package,
                    },
                );
                Some(vec![node + 1])
            }
            [node, llc] => {
                let llcs = &mut self.nodes.get_mut(node)?.llcs;
                let cores = part(&mut llcs.get_mut(llc)?.cores, &last);
                llcs.insert(llc + 1, Llc { cores });
                Some(vec![node, llc + 1])
            }
            _ => None,
        }
    }
}

/// Takes the parts with these numbers out of a list.
fn part<T: Clone>(list: &mut Vec<T>, numbers: &[usize]) -> Vec<T> {
    let (own, rest): (Vec<_>, Vec<_>) = list
        .drain(..)
        .enumerate()
        .partition(|(number, _)| numbers.contains(number));
    *list = rest.into_iter().map(|(_, part)| part).collect();
    own.into_iter().map(|(_, part)| part).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::drawing;

    #[test]
    fn cores_get_a_cache_and_caches_a_node_of_their_own() {
        let mut drawing = drawing("node:1 l3:1 core:4 pu:1");
        assert_eq!(
            drawing.group(&[vec![0, 0, 1], vec![0, 0, 3]]),
            Some(vec![0, 1])
        );
        assert_eq!((drawing.size(&[0, 0]), drawing.size(&[0, 1])), (2, 2));
        assert_eq!(drawing.group(&[vec![0, 1]]), Some(vec![1]));
        assert_eq!(drawing.words().as_deref(), Ok("node:2 l3:1 core:2 pu:1"));
        assert_eq!(
            drawing.machine().packages,
            [vec![0, 1]],
            "in the same package"
        );
        assert_eq!(drawing.distances, [[10, 20], [20, 10]]);
    }

    #[test]
    fn only_some_of_the_parts_of_one_part_can_be_grouped() {
        let drawing = drawing("node:2 l3:1 core:2 pu:1");
        assert!(drawing.can_group(&[vec![0, 0, 0]]));
        assert!(!drawing.can_group(&[vec![0, 0, 0], vec![0, 0, 1]]));
        assert!(!drawing.can_group(&[vec![0, 0, 0], vec![1, 0, 0]]));
        assert!(!drawing.can_group(&[vec![0]]) && !drawing.can_group(&[vec![]]));
        assert!(!drawing.can_group(&[]));
    }
}
