//! A listing of `/sys/devices/system/{cpu,node}`.
//!
//! Lines are `path:value`, as `grep -r . /sys/devices/system/cpu/cpu*/topology …` prints them, or
//! `==> path <==` with the value below, as `tail -n +1` does. Only the end of a path matters, from its
//! last `cpuN` or `nodeN` on; what is not about the machine's shape is passed over.

use std::collections::{BTreeMap, BTreeSet};

use teeter_scenario::{Bytes, CpuList};

use super::found::{Found, Place, cpu_list, cpu_number, node_number};
use super::mask;
use super::text::{ImportError, Span, lines};
use crate::MAX_NODES;

/// A file, and the line that gives its value.
#[derive(Debug)]
pub(super) struct Entry<'a> {
    pub(super) path: Span<'a>,
    pub(super) value: Span<'a>,
}

/// The files of a listing.
pub(super) fn entries(text: &str) -> impl Iterator<Item = Result<Entry<'_>, ImportError>> {
    let mut headed: Option<Span<'_>> = None;
    lines(text).filter_map(move |line| {
        let line = line.trim();
        if line.text.is_empty() {
            return None;
        }
        let heading = line.strip_prefix("==>").map(Span::trim);
        if let Some(heading) = heading {
            headed = heading.split_once(' ').map(|(path, _)| path);
            return None;
        }
        if let Some((path, value)) = line.split_once(':')
            && path.text.contains('/')
        {
            let (path, value) = (path.trim(), value.trim());
            return Some(Ok(Entry { path, value }));
        }
        match headed {
            Some(path) => Some(Ok(Entry { path, value: line })),
            None => Some(Err(line.expected(
                "a file and its value, such as `/sys/devices/system/cpu/cpu0/topology/core_id:0`",
            ))),
        }
    })
}

/// What is told of one CPU beside its place.
#[derive(Debug, Default)]
struct Cpu {
    place: Place,
    /// By index: level, whether it holds data, and which CPUs share it.
    caches: BTreeMap<u32, Cache>,
}

#[derive(Debug, Default)]
struct Cache {
    level: u32,
    instructions: bool,
    shared: Option<u64>,
    id: Option<u64>,
}

/// Everything that is told.
#[derive(Debug, Default)]
struct Listing {
    cpus: BTreeMap<u32, Cpu>,
    found: Found,
    /// CPUs by node.
    nodes: BTreeMap<u32, CpuList>,
    distances: BTreeMap<u32, Vec<u32>>,
}

/// Reads a listing.
pub(super) fn read(text: &str) -> Result<Found, ImportError> {
    let mut listing = Listing::default();
    let mut files = 0;
    for entry in entries(text) {
        let Entry { path, value } = entry?;
        let steps: Vec<Span<'_>> = path.split('/').collect();
        let numbered = steps.iter().rposition(|step| {
            let digits = ["cpu", "node"]
                .iter()
                .find_map(|name| step.text.strip_prefix(name));
            digits.is_some_and(|digits| {
                !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
            })
        });
        if let Some(at) = numbered {
            let files: Vec<&str> = steps[at + 1..].iter().map(|step| step.text).collect();
            if let Some(number) = steps[at].strip_prefix("cpu") {
                listing.cpu(number, &files, value)?;
            } else if let Some(number) = steps[at].strip_prefix("node") {
                listing.node(number, &files, value)?;
            }
        } else {
            let parent = steps.len().checked_sub(2).map(|at| steps[at].text);
            let name = steps.last().map(|step| step.text);
            listing.machine(parent, name, value)?;
        }
        files += 1;
    }
    if files == 0 {
        let message =
            "expected a listing of /sys/devices/system/cpu and node: there is no file in it";
        return Err(ImportError::Whole(message.to_owned()));
    }
    listing.finish()
}

impl Listing {
    fn cpu(
        &mut self,
        number: Span<'_>,
        files: &[&str],
        value: Span<'_>,
    ) -> Result<(), ImportError> {
        let number = cpu_number(number)?;
        match files {
            ["topology", file] => {
                let cpu = self.cpus.entry(number).or_default();
                topology(&mut cpu.place, file, value)
            }
            ["cache", index, file] => {
                let index = index
                    .strip_prefix("index")
                    .and_then(|index| index.parse().ok());
                let Some(index) = index.filter(|index| *index < 16) else {
                    return Ok(());
                };
                let cpu = self.cpus.entry(number).or_default();
                cache(cpu.caches.entry(index).or_default(), file, value)
            }
            ["online"] => {
                self.cpus.entry(number).or_default().place.offline = value.text == "0";
                Ok(())
            }
            ["cpu_capacity"] => {
                let capacity = value.number("a capacity from 1 to 1024")?;
                if !(1..=1024).contains(&capacity) {
                    return Err(value.expected("a capacity from 1 to 1024"));
                }
                self.cpus.entry(number).or_default().place.capacity = Some(capacity);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn node(
        &mut self,
        number: Span<'_>,
        files: &[&str],
        value: Span<'_>,
    ) -> Result<(), ImportError> {
        let node = node_number(number)?;
        match files {
            ["cpulist"] => {
                let cpus = cpu_list(value)?;
                self.nodes.insert(node, cpus);
            }
            ["cpumap"] => {
                let cpus = mask::read(value.text)
                    .ok_or_else(|| value.expected("a mask of CPUs, such as `000000ff`"))?;
                self.nodes.insert(node, cpus.into_iter().collect());
            }
            ["distance"] => {
                let row: Result<Vec<u32>, _> = value
                    .words()
                    .take(MAX_NODES + 1)
                    .map(|word| word.number("a distance"))
                    .collect();
                self.distances.insert(node, row?);
                self.found.memory.entry(node).or_default();
            }
            ["meminfo"] => {
                if let Some((_, size)) = value.split_once(':')
                    && value.text.contains("MemTotal")
                    && let Some(size) = size.words().next()
                    && let Ok(kb) = size.text.parse()
                {
                    self.found.memory.insert(node, Some(Bytes::from_kb(kb)));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Files of the machine as a whole.
    fn machine(
        &mut self,
        parent: Option<&str>,
        name: Option<&str>,
        value: Span<'_>,
    ) -> Result<(), ImportError> {
        match (parent, name) {
            (Some("cpu"), Some("isolated")) => self.found.isolated = cpu_list(value)?,
            (Some("cpu"), Some("offline")) => {
                // The kernel lists what could be there beyond the last CPU as well.
                let known: Result<CpuList, _> = value.text.parse();
                for cpu in known.iter().flat_map(CpuList::iter) {
                    if let Some(cpu) = self.cpus.get_mut(&cpu) {
                        cpu.place.offline = true;
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn finish(self) -> Result<Found, ImportError> {
        let Self {
            cpus,
            mut found,
            nodes,
            distances,
        } = self;
        for (node, cpus) in nodes {
            found.set_node(node, &cpus);
        }
        if cpus.is_empty() && found.cpus.is_empty() {
            let message =
                "no file of a CPU is in the listing: expected such as cpu0/topology/core_cpus_list";
            return Err(ImportError::Whole(message.to_owned()));
        }
        let described: BTreeSet<u32> = cpus.keys().copied().collect();
        for (number, cpu) in cpus {
            let node = found.cpus.get(&number).and_then(|place| place.node);
            found.cpus.insert(
                number,
                Place {
                    node,
                    ..cpu.placed(number)
                },
            );
        }
        // A node lists CPUs of which nothing else is told only where nothing is told of any.
        if !described.is_empty() {
            for (number, place) in &mut found.cpus {
                place.offline |= !described.contains(number);
            }
        }
        found.distances = distances.into_values().collect();
        Ok(found)
    }
}

impl Cpu {
    /// Its place, with what its caches tell.
    fn placed(&self, number: u32) -> Place {
        let data = self.caches.values().filter(|cache| !cache.instructions);
        let key = |cache: &Cache| {
            let shared = cache.shared.or(cache.id.map(|id| id | 1 << 31));
            u64::from(cache.level) << 32 | shared.unwrap_or(u64::from(number))
        };
        let last = data.clone().max_by_key(|cache| cache.level);
        let second = data.clone().find(|cache| cache.level == 2);
        Place {
            llc: last.map(key),
            cluster: self
                .place
                .cluster
                .or(second.map(|cache| key(cache) | 1 << 63)),
            ..self.place
        }
    }
}

/// The lowest CPU of a list or mask, which stands for all in it.
fn first(list: bool, value: Span<'_>) -> Result<Option<u64>, ImportError> {
    let first = if list {
        cpu_list(value)?.iter().next()
    } else {
        let mask = mask::read(value.text);
        let mask = mask.ok_or_else(|| value.expected("a mask of CPUs, such as `000000ff`"))?;
        mask.first().copied()
    };
    Ok(first.map(u64::from))
}

fn topology(place: &mut Place, file: &str, value: Span<'_>) -> Result<(), ImportError> {
    let (name, list) = match file.strip_suffix("_list") {
        Some(name) => (name, true),
        None => (file, false),
    };
    let slot = match name {
        "core_cpus" | "thread_siblings" => &mut place.core,
        "cluster_cpus" => &mut place.cluster,
        "die_cpus" => &mut place.die,
        "package_cpus" | "core_siblings" => &mut place.package,
        _ => return Ok(()),
    };
    if let Some(first) = first(list, value)? {
        *slot = Some(first);
    }
    Ok(())
}

fn cache(cache: &mut Cache, file: &str, value: Span<'_>) -> Result<(), ImportError> {
    match file {
        "level" => cache.level = value.number("the level of a cache")?.min(9),
        "type" => cache.instructions = value.text == "Instruction",
        "id" => cache.id = value.text.parse::<u32>().ok().map(u64::from),
        "shared_cpu_list" => cache.shared = first(true, value)?,
        "shared_cpu_map" => cache.shared = first(false, value)?,
        _ => {}
    }
    Ok(())
}
