//! `numactl -H`: the nodes, their CPUs, memory and distances.

use teeter_scenario::{Bytes, CpuList};

use super::found::{Found, cpu_number, node_number};
use super::text::{ImportError, Span, lines};
use crate::MAX_NODES;

/// Reads `numactl -H`.
pub(super) fn read(text: &str) -> Result<Found, ImportError> {
    let mut found = Found::default();
    let mut runs = Vec::new();
    let mut in_distances = false;
    for line in lines(text) {
        let line = line.trim();
        if line.text.is_empty() || line.text.starts_with("available:") {
            continue;
        }
        if line.text.starts_with("node distances:") {
            in_distances = true;
        } else if in_distances {
            distances(&mut found, line)?;
        } else {
            let cpus = node(&mut found, line)?;
            runs.extend(cpus.map(|cpus| cpus.ranges().to_vec()));
        }
    }
    let runs: Vec<_> = runs.into_iter().filter(|runs| !runs.is_empty()).collect();
    set_threads(&mut found, &runs);
    Ok(found)
}

/// Reads `node 0 cpus: 0 1 2` and `node 0 size: 1024 MB`; gives the CPUs if they are told.
fn node(found: &mut Found, line: Span<'_>) -> Result<Option<CpuList>, ImportError> {
    let expected = "a line such as `node 0 cpus: 0 1 2 3`";
    let error = || line.expected(expected);
    let (what, value) = line.split_once(':').ok_or_else(error)?;
    let mut words = what.words();
    if words.next().is_none_or(|word| word.text != "node") {
        return Err(error());
    }
    let node = node_number(words.next().ok_or_else(error)?)?;
    match words.next().map(|word| word.text) {
        Some("cpus") => {
            let mut numbers = Vec::new();
            for word in value.words() {
                let cpu = cpu_number(word)?;
                if found
                    .cpus
                    .get(&cpu)
                    .is_some_and(|place| place.node.is_some())
                {
                    return Err(word.error(format!("CPU {cpu} is on a node already")));
                }
                numbers.push(cpu);
                found.cpus.entry(cpu).or_default().node = Some(node);
            }
            found.memory.entry(node).or_default();
            Ok(Some(numbers.into_iter().collect()))
        }
        Some("size") => {
            let mut words = value.words();
            let size = words.next().ok_or_else(|| value.expected("a size"))?;
            let unit = words.next().map_or("", |word| word.text);
            let bytes = match (size.number("a size")?, unit) {
                (size, "MB") => Bytes::from_mb(u64::from(size)),
                (size, "GB") => Bytes::from_gb(u64::from(size)),
                _ => return Err(size.error("expected a size in MB")),
            };
            found.memory.insert(node, Some(bytes));
            Ok(None)
        }
        Some("free") => Ok(None),
        _ => Err(error()),
    }
}

/// Reads a row of the matrix; its heading is none.
fn distances(found: &mut Found, line: Span<'_>) -> Result<(), ImportError> {
    if line.text.starts_with("node") {
        return Ok(());
    }
    let (node, row) = line
        .split_once(':')
        .ok_or_else(|| line.expected("a row of distances, such as `0: 10 21`"))?;
    node_number(node.trim())?;
    if found.distances.len() == MAX_NODES {
        return Err(line.error(format!("at most {MAX_NODES} nodes are possible")));
    }
    let row: Result<Vec<u32>, _> = row
        .words()
        .take(MAX_NODES + 1)
        .map(|word| word.number("a distance"))
        .collect();
    found.distances.push(row?);
    Ok(())
}

/// If the CPUs of every node fall into as many equally long runs, they are taken as the first threads of
/// its cores, the second ones and so on.
fn set_threads(found: &mut Found, nodes: &[Vec<(u32, u32)>]) {
    let threads = nodes.first().map_or(0, Vec::len);
    let length = |&(first, last): &(u32, u32)| last - first;
    let alike = nodes.iter().all(|runs| {
        runs.len() == threads && runs.iter().all(|run| length(run) == length(&runs[0]))
    });
    if !alike || !(2..=8).contains(&threads) {
        return;
    }
    for runs in nodes {
        for &(first, last) in runs {
            for cpu in first..=last {
                let core = runs[0].0 + (cpu - first);
                found.cpus.entry(cpu).or_default().core = Some(u64::from(core));
            }
        }
    }
    found.assume(format!(
        "hardware threads are not told of: the {threads} runs of each node's CPUs are the threads of its cores"
    ));
}
