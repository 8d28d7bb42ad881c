//! Where a part of a machine is, and what it is called.

/// Where a part is: nothing for the machine; a node; a cache of a node; a core of that.
pub type Path = Vec<usize>;

/// What a part at this depth is.
pub fn kind(depth: usize) -> &'static str {
    ["machine", "node", "cache", "core"]
        .get(depth)
        .copied()
        .unwrap_or("thread")
}

/// What a part is called among its siblings.
pub fn name(path: &[usize]) -> String {
    match path.split_last() {
        None => "machine".to_owned(),
        Some((last, _)) => format!("{} {last}", kind(path.len())),
    }
}

/// What a part is called wherever it is: "core 3 of cache 0 of node 1".
pub fn whole_name(path: &[usize]) -> String {
    let names: Vec<String> = (1..=path.len())
        .rev()
        .map(|depth| name(&path[..depth]))
        .collect();
    if names.is_empty() {
        "machine".to_owned()
    } else {
        names.join(" of ")
    }
}

/// Several parts in words: "a core", "3 parts".
pub(super) fn several(chosen: &[Path]) -> String {
    match chosen {
        [one] => name(one),
        more => format!("{} parts", more.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_called_by_where_it_is() {
        assert_eq!(whole_name(&[]), "machine");
        assert_eq!(whole_name(&[1, 0, 3]), "core 3 of cache 0 of node 1");
        assert_eq!(name(&[1, 0]), "cache 0");
        assert_eq!(several(&[vec![1], vec![2]]), "2 parts");
    }
}
