//! hwloc's synthetic descriptions: `node:4 l3:1 core:10 pu:2`.
//!
//! Each word names a kind of object and how many of it there are below each object of the word
//! before. What lstopo exports is read too: long names, `[NUMANode]` in brackets for a node beside
//! each object of the word before, sizes in parentheses (which change nothing here).
//!
//! What is not named is assumed: packages, one for each node; no node, one over all; no L3, the L2 is
//! the last level; no cache at all, one for each die. An L3 above nodes is cut at their borders, as
//! the kernel does for sub-NUMA clusters.

use crate::layout::{Core, Layout};
use crate::{Cpu, MAX_CPUS, MAX_NODES, NodeId};

/// Why a synthetic description was refused. Columns count characters from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SyntheticError {
    /// No word in it.
    #[error("nothing is described: expected words such as `node:4 l3:1 core:10 pu:2`")]
    Empty,
    /// A word that names no level.
    #[error(
        "column {column}: `{word}` is no level: expected one of pack, die, node, l3, l2, cluster, core, pu"
    )]
    Level {
        /// Where the word begins.
        column: usize,
        /// The word.
        word: String,
    },
    /// A word without a count, or with one that is none.
    #[error(
        "column {column}: expected `{level}:` and a count from 1 to {MAX_CPUS}, found `{found}`"
    )]
    Count {
        /// Where the word begins.
        column: usize,
        /// The level's name as written.
        level: String,
        /// The word.
        found: String,
    },
    /// A level below one that it has to be above, or for a second time.
    #[error("column {column}: `{level}` cannot come after `{after}`")]
    Order {
        /// Where the word begins.
        column: usize,
        /// The level's name as written.
        level: String,
        /// The name of the level before it.
        after: &'static str,
    },
    /// An attribute in parentheses that would change the machine.
    #[error("column {column}: the attribute `{attribute}` is not read here: {advice}")]
    Attribute {
        /// Where the word begins.
        column: usize,
        /// The attribute.
        attribute: String,
        /// What to do instead.
        advice: &'static str,
    },
    /// A parenthesis or bracket without its partner.
    #[error("column {column}: `{found}` has an unclosed bracket")]
    Bracket {
        /// Where the word begins.
        column: usize,
        /// The word.
        found: String,
    },
    /// More than [`MAX_CPUS`] CPUs.
    #[error("column {column}: that makes more than {MAX_CPUS} CPUs")]
    TooManyCpus {
        /// Where the word begins.
        column: usize,
    },
    /// More than [`MAX_NODES`] nodes.
    #[error("column {column}: that makes more than {MAX_NODES} nodes")]
    TooManyNodes {
        /// Where the word begins.
        column: usize,
    },
}

/// A kind of object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Package,
    Die,
    Node,
    Group,
    L3,
    L2,
    Cluster,
    L1,
    Core,
    Pu,
}

impl Level {
    fn from_name(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "pack" | "package" | "socket" | "sock" => Self::Package,
            "die" => Self::Die,
            "node" | "numanode" | "numa" => Self::Node,
            "group" => Self::Group,
            "l3" | "l3u" | "l3cache" | "l3ucache" => Self::L3,
            "l2" | "l2u" | "l2cache" | "l2ucache" => Self::L2,
            "cluster" => Self::Cluster,
            "l1" | "l1d" | "l1i" | "l1u" | "l1cache" | "l1dcache" | "l1icache" => Self::L1,
            "core" => Self::Core,
            "pu" => Self::Pu,
            _ => return None,
        })
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Package => "pack",
            Self::Die => "die",
            Self::Node => "node",
            Self::Group => "group",
            Self::L3 => "l3",
            Self::L2 => "l2",
            Self::Cluster => "cluster",
            Self::L1 => "l1",
            Self::Core => "core",
            Self::Pu => "pu",
        }
    }

    /// Outer levels first. Nodes and groups may stand anywhere above the cores.
    const fn rank(self) -> Option<u8> {
        match self {
            Self::Node | Self::Group => None,
            Self::Package => Some(0),
            Self::Die => Some(1),
            Self::L3 => Some(2),
            Self::L2 | Self::Cluster => Some(3),
            Self::L1 => Some(4),
            Self::Core => Some(5),
            Self::Pu => Some(6),
        }
    }

    /// Whether a description may name it twice (L1d and L1i; groups of groups).
    const fn repeats(self) -> bool {
        matches!(self, Self::L1 | Self::Group)
    }
}

/// The levels read so far: each with how many of its objects the machine has.
#[derive(Debug, Default)]
struct Levels {
    objects: Vec<(Level, usize)>,
}

impl Levels {
    /// Objects of the innermost level.
    fn total(&self) -> usize {
        self.objects.last().map_or(1, |&(_, objects)| objects)
    }

    fn objects(&self, level: Level) -> Option<usize> {
        let found = self.objects.iter().find(|&&(other, _)| other == level);
        found.map(|&(_, objects)| objects)
    }

    fn last_ranked(&self) -> Option<Level> {
        let ranked = |&&(level, _): &&(Level, usize)| level.rank().is_some();
        self.objects
            .iter()
            .rev()
            .find(ranked)
            .map(|&(level, _)| level)
    }

    /// The level that forbids `next` to follow, if one does.
    fn forbids(&self, next: Level) -> Option<Level> {
        if !next.repeats() && self.objects(next).is_some() {
            return Some(next);
        }
        let last = self.last_ranked()?;
        let rank = next.rank().or(Level::L1.rank());
        (last.rank() > rank).then_some(last)
    }

    /// The cores with their places. Every object of a level holds equally many cores, and objects of
    /// an outer level hold whole ones of an inner, so a core's object is its number divided by that.
    fn layout(&self) -> Layout {
        let total = self.total();
        let cores = self.objects(Level::Core).unwrap_or(total);
        let per = |level| self.objects(level).map(|objects| cores / objects);
        let node = per(Level::Node).unwrap_or(cores);
        let package = per(Level::Package).unwrap_or_else(|| node.max(per(Level::Die).unwrap_or(1)));
        let die = per(Level::Die).unwrap_or(package);
        let llc = per(Level::L3).or(per(Level::L2)).unwrap_or(die).min(node);
        let cluster = per(Level::Cluster).or(per(Level::L2)).unwrap_or(1).min(llc);
        let place = |core: usize| Cpu {
            core: core as u16,
            cluster: (core / cluster) as u16,
            llc: (core / llc) as u16,
            die: (core / die) as u16,
            package: (core / package) as u16,
            node: NodeId((core / node) as u16),
            capacity: 1024,
        };
        Layout {
            cores: (0..cores)
                .map(|core| Core {
                    place: place(core),
                    threads: (total / cores) as u16,
                })
                .collect(),
            memory: vec![None; cores / node],
        }
    }
}

/// Reads a description.
pub(crate) fn parse(text: &str) -> Result<Layout, SyntheticError> {
    let mut levels = Levels::default();
    let words = Words { text, at: 0 };
    for (at, word) in words {
        let column = text[..at].chars().count() + 1;
        let (level, count) = read_word(column, word, &levels)?;
        // At most MAX_CPUS times MAX_CPUS, which fits 32 bits.
        let objects = levels.total() * count;
        if objects > MAX_CPUS {
            return Err(SyntheticError::TooManyCpus { column });
        }
        if level == Level::Node && objects > MAX_NODES {
            return Err(SyntheticError::TooManyNodes { column });
        }
        levels.objects.push((level, objects));
    }
    if levels.objects.is_empty() {
        return Err(SyntheticError::Empty);
    }
    Ok(levels.layout())
}

/// One word: which level, and how many below each object of the level before.
fn read_word(column: usize, word: &str, levels: &Levels) -> Result<(Level, usize), SyntheticError> {
    let shown = || shorten(word);
    let unclosed = || SyntheticError::Bracket {
        column,
        found: shown(),
    };
    let (word, beside) = match word.strip_prefix('[') {
        Some(inner) => (inner.strip_suffix(']').ok_or_else(unclosed)?, true),
        None => (word, false),
    };
    let (word, attributes) = match word.split_once('(') {
        Some((word, rest)) => (word, rest.strip_suffix(')').ok_or_else(unclosed)?),
        None => (word, ""),
    };
    let (name, count) = match word.split_once(':') {
        Some((name, count)) => (name, Some(count)),
        None => (word, None),
    };
    let level = Level::from_name(name)
        .filter(|&level| !beside || level == Level::Node)
        .ok_or_else(|| SyntheticError::Level {
            column,
            word: shown(),
        })?;
    let count = match count {
        None if beside => Some(1),
        Some(count) if count.bytes().all(|b| b.is_ascii_digit()) => count.parse().ok(),
        _ => None,
    };
    let count = count
        .filter(|count| (1..=MAX_CPUS).contains(count))
        .ok_or_else(|| SyntheticError::Count {
            column,
            level: name.to_owned(),
            found: shown(),
        })?;
    if let Some(after) = levels.forbids(level) {
        return Err(SyntheticError::Order {
            column,
            level: name.to_owned(),
            after: after.name(),
        });
    }
    read_attributes(column, attributes)?;
    Ok((level, count))
}

/// Sizes are let through; what would renumber the CPUs, or is unknown, is not.
fn read_attributes(column: usize, attributes: &str) -> Result<(), SyntheticError> {
    for attribute in attributes.split_whitespace() {
        let name = attribute.split('=').next().unwrap_or(attribute);
        let advice = match name {
            "size" | "memory" | "memorysidecachesize" => continue,
            "indexes" => "leave it out and give the machine a `numbering`",
            _ => "expected `size=` or `memory=`",
        };
        return Err(SyntheticError::Attribute {
            column,
            attribute: shorten(attribute),
            advice,
        });
    }
    Ok(())
}

/// The beginning of a text, for messages.
fn shorten(text: &str) -> String {
    const LENGTH: usize = 40;
    match text.char_indices().nth(LENGTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Words between white space with their byte offsets; white space within parentheses separates nothing.
struct Words<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for Words<'a> {
    type Item = (usize, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = &self.text[self.at..];
        let start = self.at + (rest.len() - rest.trim_start().len());
        let word = &self.text[start..];
        let mut open = 0_u32;
        let end = word.find(|c: char| {
            match c {
                '(' => open += 1,
                ')' => open = open.saturating_sub(1),
                _ => {}
            }
            open == 0 && c.is_whitespace()
        });
        let word = &word[..end.unwrap_or(word.len())];
        self.at = start + word.len();
        (!word.is_empty()).then_some((start, word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `(package, die, node, llc, cluster)` of each core, and threads of the first.
    fn cores(text: &str) -> (Vec<[u16; 5]>, u16) {
        let layout = parse(text).unwrap();
        let place = |core: &Core| {
            let place = core.place;
            [
                place.package,
                place.die,
                place.node.0,
                place.llc,
                place.cluster,
            ]
        };
        (
            layout.cores.iter().map(place).collect(),
            layout.cores[0].threads,
        )
    }

    #[test]
    fn four_nodes_of_ten_cores() {
        let layout = parse("node:4 l3:1 core:10 pu:2").unwrap();
        assert_eq!((layout.memory.len(), layout.cores.len()), (4, 40));
        let place = layout.cores[39].place;
        assert_eq!(
            (place.package, place.die, place.node.0, place.llc),
            (3, 3, 3, 3)
        );
        assert_eq!((place.cluster, place.core), (39, 39));
    }

    #[test]
    fn levels_in_either_order_around_the_node() {
        let (sockets_in_a_node, _) = cores("node:1 pack:2 core:1");
        assert_eq!(sockets_in_a_node, [[0, 0, 0, 0, 0], [1, 1, 0, 1, 1]]);
        let (nodes_in_a_socket, threads) = cores("pack:1 node:2 l3:1 core:1 pu:2");
        assert_eq!(nodes_in_a_socket, [[0, 0, 0, 0, 0], [0, 0, 1, 1, 1]]);
        assert_eq!(threads, 2);
    }

    #[test]
    fn an_l3_above_nodes_is_cut() {
        let (cores, _) = cores("pack:1 l3:1 node:2 core:2");
        let llcs: Vec<u16> = cores.iter().map(|core| core[3]).collect();
        assert_eq!(llcs, [0, 0, 1, 1]);
    }

    #[test]
    fn what_is_not_named_is_assumed() {
        let (one_node, threads) = cores("pack:2 core:2");
        assert_eq!((one_node[3][2], one_node[3][3], threads), (0, 1, 1));
        let (l2_is_last, _) = cores("pack:1 l2:2 core:2 pu:1");
        assert_eq!(l2_is_last[2], [0, 0, 0, 1, 1]);
        let (clusters, _) = cores("node:1 l3:1 cluster:2 core:2");
        assert_eq!(clusters[2], [0, 0, 0, 0, 1]);
        let (threads_are_cores, threads) = cores("pack:1 pu:4");
        assert_eq!((threads_are_cores.len(), threads), (4, 1));
        let (dies, _) = cores("die:4 node:2 core:1");
        assert_eq!(dies[7], [3, 3, 7, 7, 7]);
    }

    #[test]
    fn an_export_of_lstopo_is_read() {
        let text = "Package:2 [NUMANode(memory=33554432000 memorysidecachesize=1)] \
                    L3Cache:2(size=33554432) L2Cache:8(size=524288) L1dCache:1(size=32768) \
                    L1iCache:1(size=32768) Core:1 PU:2";
        let (cores, threads) = cores(text);
        assert_eq!((cores.len(), threads), (32, 2));
        assert_eq!(cores[31], [1, 1, 1, 3, 31]);
    }

    #[test]
    fn errors_name_the_column_and_what_was_expected() {
        for (text, message) in [
            (
                "",
                "nothing is described: expected words such as `node:4 l3:1 core:10 pu:2`",
            ),
            (
                "node:2 coer:4",
                "column 8: `coer:4` is no level: expected one of pack, die, node, l3, l2, cluster, core, pu",
            ),
            (
                "é node:2",
                "column 1: `é` is no level: expected one of pack, die, node, l3, l2, cluster, core, pu",
            ),
            (
                "node:2  core",
                "column 9: expected `core:` and a count from 1 to 1024, found `core`",
            ),
            (
                "core:0",
                "column 1: expected `core:` and a count from 1 to 1024, found `core:0`",
            ),
            (
                "core:-1",
                "column 1: expected `core:` and a count from 1 to 1024, found `core:-1`",
            ),
            (
                "core:99999999999999999999",
                "column 1: expected `core:` and a count from 1 to 1024, found `core:99999999999999999999`",
            ),
            ("core:4 node:2", "column 8: `node` cannot come after `core`"),
            ("core:4 l3:2", "column 8: `l3` cannot come after `core`"),
            (
                "node:4 l3:1 node:2",
                "column 13: `node` cannot come after `node`",
            ),
            ("pu:4 pu:2", "column 6: `pu` cannot come after `pu`"),
            (
                "node:4 core:257",
                "column 8: that makes more than 1024 CPUs",
            ),
            ("node:65 core:1", "column 1: that makes more than 64 nodes"),
            (
                "core:4(indexes=0,1)",
                "column 1: the attribute `indexes=0,1` is not read here: leave it out and give the machine a `numbering`",
            ),
            (
                "core:4(size=1",
                "column 1: `core:4(size=1` has an unclosed bracket",
            ),
            (
                "pack:2 [core]",
                "column 8: `[core]` is no level: expected one of pack, die, node, l3, l2, cluster, core, pu",
            ),
        ] {
            assert_eq!(parse(text).unwrap_err().to_string(), message, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "([a-z0-9\\[\\]]{0,8}[:( ]{0,2}[0-9)é]{0,4} ?){0,6}") {
            if let Ok(layout) = parse(&text) {
                let cpus: usize = layout.cores.iter().map(|core| core.threads as usize).sum();
                proptest::prop_assert!((1..=MAX_CPUS).contains(&cpus));
                proptest::prop_assert!((1..=MAX_NODES).contains(&layout.memory.len()));
            }
        }
    }
}
