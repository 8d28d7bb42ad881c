//! hwloc's XML, as `lstopo --of xml` writes it: of version 1, 2 and 3.
//!
//! All three nest objects with `type`, `os_index` and `cpuset`. In version 1 a NUMA node holds its cores
//! and caches are of one type with a `depth`; since version 2 a node stands beside what it is near to. So
//! cores, caches, dies and packages are read from what a PU stands in, and nodes by their cpusets.

use std::collections::{BTreeMap, BTreeSet};

use roxmltree::{Document, Node, ParsingOptions};
use teeter_scenario::Bytes;

use super::found::{Found, Place};
use super::mask;
use super::text::ImportError;
use crate::{MAX_CPUS, MAX_NODES};

/// Most elements and texts that are read.
const MOST_ELEMENTS: u32 = 400_000;
/// Deepest nesting that is followed from a PU upwards.
const DEEPEST: usize = 64;

/// Reads a document.
pub(super) fn read(text: &str) -> Result<Found, ImportError> {
    let options = ParsingOptions {
        allow_dtd: true,
        nodes_limit: MOST_ELEMENTS,
        ..ParsingOptions::default()
    };
    let document = Document::parse_with_options(text, options).map_err(|error| {
        let position = error.pos();
        ImportError::At {
            line: position.row as usize,
            column: position.col as usize,
            message: format!("expected XML of hwloc: {}", bare(&error)),
        }
    })?;
    let root = document.root_element();
    if root.tag_name().name() != "topology" {
        return Err(expected(
            root,
            "the element `topology`",
            root.tag_name().name(),
        ));
    }
    let mut found = Found::default();
    let mut nodes = BTreeMap::new();
    for object in root
        .descendants()
        .filter(|node| node.has_tag_name("object"))
    {
        match object.attribute("type") {
            Some("PU") => pu(&mut found, object)?,
            Some("NUMANode") => {
                nodes.insert(number(object, "os_index")?, object);
            }
            None => return Err(expected(object, "the attribute `type`", "none")),
            _ => {}
        }
    }
    if nodes.len() > MAX_NODES {
        let message = format!("{} nodes: at most {MAX_NODES} are possible", nodes.len());
        return Err(ImportError::Whole(message));
    }
    set_nodes(&mut found, &nodes)?;
    offline(&mut found, root)?;
    let order: Vec<u32> = nodes.keys().copied().collect();
    if let Some(rows) = distances(root, &order)? {
        found.distances = rows;
    }
    kinds(&mut found, root);
    found.zen = is_zen(root);
    Ok(found)
}

/// The message without the place that is told beside it.
fn bare(error: &roxmltree::Error) -> String {
    let message = error.to_string();
    match message.rsplit_once(" at ") {
        Some((message, _)) => message.to_owned(),
        None => message,
    }
}

/// The error that something else was expected of an element.
fn expected(node: Node<'_, '_>, expected: &str, found: &str) -> ImportError {
    let position = node.document().text_pos_at(node.range().start);
    ImportError::At {
        line: position.row as usize,
        column: position.col as usize,
        message: format!(
            "expected {expected}, found `{}`",
            super::text::shorten(found)
        ),
    }
}

/// A number in an attribute.
fn number(node: Node<'_, '_>, attribute: &str) -> Result<u32, ImportError> {
    let text = node.attribute(attribute).unwrap_or_default();
    let number = text.parse().ok().filter(|&number| number < MAX_CPUS as u32);
    number.ok_or_else(|| {
        let what = format!("`{attribute}` from 0 to {}", MAX_CPUS - 1);
        expected(node, &what, text)
    })
}

/// CPUs in an attribute; `None` if it is not there.
fn cpus(node: Node<'_, '_>, attribute: &str) -> Result<Option<BTreeSet<u32>>, ImportError> {
    let Some(text) = node.attribute(attribute) else {
        return Ok(None);
    };
    let cpus = mask::read(text);
    let what = format!("a mask in `{attribute}`, such as `0x000000ff`");
    cpus.map(Some).ok_or_else(|| expected(node, &what, text))
}

/// Takes in a hardware thread, with what it stands in.
fn pu(found: &mut Found, pu: Node<'_, '_>) -> Result<(), ImportError> {
    let number = number(pu, "os_index")?;
    let mut place = Place::default();
    let mut last = 0;
    for (depth, object) in pu.ancestors().skip(1).enumerate() {
        if depth > DEEPEST {
            return Err(expected(pu, "less than 64 objects around a PU", "more"));
        }
        // Elements stand at different places in the text.
        let own = Some(object.range().start as u64);
        match object.attribute("type") {
            Some("Core") => place.core = place.core.or(own),
            Some("Package" | "Socket") => place.package = place.package.or(own),
            Some("Die") => place.die = place.die.or(own),
            Some("Group") if object.attribute("subtype") == Some("Cluster") => place.cluster = own,
            Some(cache) => {
                let level = level(cache, object);
                if level == 2 && place.cluster.is_none() {
                    place.cluster = own;
                }
                if level > last {
                    last = level;
                    place.llc = own;
                }
            }
            None => {}
        }
    }
    if found.cpus.insert(number, place).is_some() {
        let message = format!("another PU than {number}, which is there already");
        return Err(expected(pu, &message, &number.to_string()));
    }
    Ok(())
}

/// The level of a cache that holds data, 0 for anything else.
fn level(kind: &str, object: Node<'_, '_>) -> u32 {
    let instructions = object.attribute("cache_type") == Some("2");
    let depth = match kind {
        "Cache" => object.attribute("depth"),
        _ => kind
            .strip_prefix('L')
            .and_then(|kind| kind.strip_suffix("Cache")),
    };
    let depth = depth.and_then(|depth| depth.trim_end_matches(['d', 'u']).parse().ok());
    depth.filter(|_| !instructions).unwrap_or(0)
}

/// Puts the CPUs on the nodes they are near to: the first, where there are several.
fn set_nodes(found: &mut Found, nodes: &BTreeMap<u32, Node<'_, '_>>) -> Result<(), ImportError> {
    let mut second = Vec::new();
    for (&number, &node) in nodes {
        let memory = node
            .attribute("local_memory")
            .and_then(|bytes| bytes.parse().ok());
        found.memory.insert(number, memory.map(Bytes));
        let mut taken = false;
        for cpu in cpus(node, "cpuset")?.unwrap_or_default() {
            if let Some(place) = found.cpus.get_mut(&cpu) {
                taken |= place.node.is_some();
                place.node = place.node.or(Some(number));
            }
        }
        if taken {
            second.push(number.to_string());
        }
    }
    if !second.is_empty() {
        found.assume(format!(
            "several nodes are near to the same CPUs: {} hold memory only",
            second.join(", ")
        ));
    }
    Ok(())
}

/// CPUs that the machine has and that are not online.
fn offline(found: &mut Found, root: Node<'_, '_>) -> Result<(), ImportError> {
    let Some(machine) = root.children().find(|node| node.has_tag_name("object")) else {
        return Ok(());
    };
    let online = match cpus(machine, "online_cpuset")? {
        Some(online) => Some(online),
        None => cpus(machine, "cpuset")?,
    };
    for cpu in cpus(machine, "complete_cpuset")?.unwrap_or_default() {
        let dark = online.as_ref().is_some_and(|online| !online.contains(&cpu));
        let place = found.cpus.entry(cpu).or_default();
        place.offline |= dark;
    }
    Ok(())
}

/// The matrix between nodes, if there is one; values of version 1 are parts of a base.
fn distances(root: Node<'_, '_>, nodes: &[u32]) -> Result<Option<Vec<Vec<u32>>>, ImportError> {
    for element in root.descendants() {
        let (order, values) = match element.tag_name().name() {
            "distances2" if element.attribute("type") == Some("NUMANode") => {
                let name = element.attribute("name");
                if name.is_some_and(|name| name != "NUMALatency") {
                    continue;
                }
                (Some(words(element, "indexes")), words(element, "u64values"))
            }
            "distances" => match latencies(element, nodes.len()) {
                Some(values) => (None, values),
                None => continue,
            },
            _ => continue,
        };
        let order = match order {
            Some(order) if element.attribute("indexing") != Some("gp") => order,
            _ => nodes.iter().map(|&node| u64::from(node)).collect(),
        };
        let count = nodes.len();
        if order.len() != count || values.len() != count * count {
            let what = format!("distances between {count} nodes");
            return Err(expected(
                element,
                &what,
                &format!("{} values", values.len()),
            ));
        }
        let at = |node: u32| order.iter().position(|&other| other == u64::from(node));
        let value = |from: u32, to: u32| {
            let (from, to) = (at(from)?, at(to)?);
            values
                .get(from * count + to)
                .map(|&value| value.min(u64::from(u32::MAX)) as u32)
        };
        let row = |from: u32| nodes.iter().map(|&to| value(from, to)).collect();
        let rows: Option<Vec<Vec<u32>>> = nodes.iter().map(|&from| row(from)).collect();
        return Ok(rows);
    }
    Ok(None)
}

/// The numbers in the child elements of that name.
fn words(element: Node<'_, '_>, name: &str) -> Vec<u64> {
    let most = MAX_NODES * MAX_NODES + 1;
    let texts = element.children().filter(|child| child.has_tag_name(name));
    texts
        .filter_map(|child| child.text())
        .flat_map(str::split_whitespace)
        .filter_map(|word| word.parse().ok())
        .take(most)
        .collect()
}

/// Version 1's values between so many nodes, if that is what they are: the base is the local distance.
fn latencies(element: Node<'_, '_>, nodes: usize) -> Option<Vec<u64>> {
    let count: usize = element.attribute("nbobjs")?.parse().ok()?;
    let base: f64 = element.attribute("latency_base")?.parse().ok()?;
    // Matrices between cores or packages have a base of their own.
    if count != nodes || (base - 10.0).abs() > 0.5 {
        return None;
    }
    let values = element
        .children()
        .filter(|child| child.has_tag_name("latency"));
    let value = |child: Node<'_, '_>| {
        let value: f64 = child.attribute("value")?.parse().ok()?;
        Some((value * base).round() as u64)
    };
    values.take(count * count + 1).map(value).collect()
}

/// Cores of several kinds: their capacities, or that the kernel prefers one kind.
fn kinds(found: &mut Found, root: Node<'_, '_>) {
    let kinds = root.children().filter(|node| node.has_tag_name("cpukind"));
    for kind in kinds {
        let info = |name: &str| {
            let mut infos = kind.children().filter(|child| child.has_tag_name("info"));
            infos
                .find(|info| info.attribute("name") == Some(name))
                .and_then(|info| info.attribute("value"))
        };
        found.hybrid |= info("CoreType") == Some("IntelAtom");
        let capacity = info("LinuxCapacity").and_then(|text| text.parse().ok());
        let capacity = capacity.filter(|capacity| (1..=1024).contains(capacity));
        let members = kind.attribute("cpuset").and_then(mask::read);
        for cpu in members.into_iter().flatten() {
            if let Some(place) = found.cpus.get_mut(&cpu) {
                place.capacity = place.capacity.or(capacity);
            }
        }
    }
}

/// Whether the processors are AMD's of family 17h or later.
fn is_zen(root: Node<'_, '_>) -> bool {
    let infos = || root.descendants().filter(|node| node.has_tag_name("info"));
    let value = |name: &'static str| {
        infos()
            .filter(move |info| info.attribute("name") == Some(name))
            .filter_map(|info| info.attribute("value"))
    };
    value("CPUVendor").any(|vendor| vendor == "AuthenticAMD")
        && value("CPUFamilyNumber").any(|family| family.parse::<u32>().is_ok_and(|n| n >= 0x17))
}
