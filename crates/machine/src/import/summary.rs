//! What plain `lscpu` and `lscpu -J` print: how many of each thing there are.

use serde_json::Value;
use teeter_scenario::CpuList;

use super::found::{Found, Place};
use super::text::{ImportError, lines};
use crate::{MAX_CPUS, MAX_NODES};

/// What of it matters.
#[derive(Debug, Default)]
struct Summary {
    cpus: Option<u32>,
    online: Option<CpuList>,
    threads: Option<u32>,
    cores: Option<u32>,
    sockets: Option<u32>,
    l3: Option<u32>,
    nodes: Vec<(u32, CpuList)>,
    amd: bool,
    family: u32,
}

/// Reads `lscpu`.
pub(super) fn text(text: &str) -> Result<Found, ImportError> {
    let mut summary = Summary::default();
    for line in lines(text) {
        let line = line.trim();
        if line.text.is_empty() {
            continue;
        }
        let (field, data) = line
            .split_once(':')
            .ok_or_else(|| line.expected("a field and its value, such as `CPU(s): 8`"))?;
        summary
            .field(field.text.trim(), data.text.trim())
            .map_err(|expected| data.trim().expected(&expected))?;
    }
    summary.found()
}

/// Reads the fields of `lscpu -J`, which newer ones nest.
pub(super) fn fields(fields: &[Value]) -> Result<Found, ImportError> {
    let mut summary = Summary::default();
    let mut left: Vec<&Value> = fields.iter().rev().collect();
    while let Some(value) = left.pop() {
        if let Some(Value::Array(children)) = value.get("children") {
            left.extend(children.iter().rev());
        }
        let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
        let field = text("field").trim_end_matches(':');
        let data = text("data");
        summary.field(field, data).map_err(|expected| {
            ImportError::Whole(format!("`{field}`: expected {expected}, found `{data}`"))
        })?;
    }
    summary.found()
}

impl Summary {
    /// Takes in a field, or says what was expected of it.
    fn field(&mut self, field: &str, data: &str) -> Result<(), String> {
        let number = || {
            let number = data
                .parse()
                .ok()
                .filter(|number| (1..=1024).contains(number));
            number.map(Some).ok_or("a number from 1 to 1024".to_owned())
        };
        let list = || {
            let list = data.parse::<CpuList>();
            list.map_err(|error| format!("a list of CPUs ({error})"))
        };
        match field {
            "CPU(s)" => self.cpus = number()?,
            "On-line CPU(s) list" => self.online = Some(list()?),
            "Thread(s) per core" => self.threads = number()?,
            "Core(s) per socket" | "Core(s) per cluster" => self.cores = number()?,
            "Socket(s)" | "Cluster(s)" => self.sockets = number().or(Ok::<_, String>(None))?,
            "L3 cache" | "L3" => self.l3 = instances(data),
            "Vendor ID" => self.amd = data == "AuthenticAMD",
            "CPU family" => self.family = data.parse().unwrap_or(0),
            _ => {
                let node = field.strip_prefix("NUMA node");
                let node = node.and_then(|rest| rest.strip_suffix(" CPU(s)"));
                if let Some(node) = node.and_then(|node| node.parse().ok()) {
                    if self.nodes.len() == MAX_NODES {
                        return Err(format!("at most {MAX_NODES} nodes"));
                    }
                    self.nodes.push((node, list()?));
                }
            }
        }
        Ok(())
    }

    /// Lays the CPUs out by what is told.
    fn found(self) -> Result<Found, ImportError> {
        let whole = |message: &str| ImportError::Whole(message.to_owned());
        let online = self.online.clone().unwrap_or_default();
        let last = online.max().map(|cpu| cpu + 1);
        let total = self.cpus.or(last).ok_or_else(|| {
            whole("expected the output of lscpu: the field `CPU(s)` is not there")
        })?;
        let total = total.max(last.unwrap_or(0));
        let mut found = Found {
            zen: self.amd && self.family >= 0x17,
            ..Found::default()
        };
        for cpu in 0..total.min(MAX_CPUS as u32) {
            let offline = self
                .online
                .as_ref()
                .is_some_and(|online| !online.contains(cpu));
            found.cpus.insert(
                cpu,
                Place {
                    offline,
                    ..Place::default()
                },
            );
        }
        for (node, cpus) in &self.nodes {
            if let Some(beyond) = cpus.iter().find(|&cpu| cpu >= total) {
                let message = format!(
                    "node {node} has CPU {beyond}: the last of all is {}",
                    total - 1
                );
                return Err(ImportError::Whole(message));
            }
            found.set_node(*node, cpus);
        }
        let threads = self.threads.unwrap_or(1);
        let order = self.order(&mut found, total, threads)?;
        let cores = order.len() as u32;
        let sockets = self.sockets.unwrap_or(1).min(cores);
        let llcs = self.l3.unwrap_or(0).min(cores);
        for (core, cpus) in (0_u32..).zip(&order) {
            // Sockets and caches hold equally many cores, in order.
            let part = |parts: u32| u64::from(core) * u64::from(parts) / u64::from(cores);
            for cpu in cpus {
                let place = found.cpus.entry(*cpu).or_default();
                place.core = Some(u64::from(core));
                place.package = Some(part(sockets));
                place.llc = (llcs > 0).then(|| part(llcs));
            }
        }
        if llcs > 0 && llcs != sockets {
            found.assume(format!(
                "which cores share an L3 is not told: the {llcs} L3 hold equally many, in order"
            ));
        }
        Ok(found)
    }

    /// The CPUs of each core.
    fn order(
        &self,
        found: &mut Found,
        total: u32,
        threads: u32,
    ) -> Result<Vec<Vec<u32>>, ImportError> {
        let hint = "give the output of `lscpu -e` instead";
        let told = self
            .cores
            .zip(self.sockets)
            .map(|(cores, sockets)| cores * sockets);
        if let Some(cores) = told
            && threads == 2
            && cores < total
            && total < cores * 2
        {
            let pairs = total - cores;
            found.assume(format!(
                "which cores have two threads is not told: the first {pairs} have, and their threads are neighbours"
            ));
            let paired = (0..pairs).map(|core| vec![2 * core, 2 * core + 1]);
            return Ok(paired
                .chain((2 * pairs..total).map(|cpu| vec![cpu]))
                .collect());
        }
        if !total.is_multiple_of(threads) {
            let message = format!("{total} CPUs do not make cores of {threads} threads: {hint}");
            return Err(ImportError::Whole(message));
        }
        let cores = total / threads;
        let contiguous =
            || (0..cores).map(|core| (0..threads).map(|t| core * threads + t).collect());
        let last = || (0..cores).map(|core| (0..threads).map(|t| t * cores + core).collect());
        if threads == 1 {
            return Ok(contiguous().collect());
        }
        let split = |order: &[Vec<u32>]| {
            order.iter().any(|cpus| {
                let node = |cpu: &u32| found.cpus.get(cpu).and_then(|place| place.node);
                cpus.iter().any(|cpu| node(cpu) != node(&cpus[0]))
            })
        };
        let (contiguous, last): (Vec<Vec<u32>>, Vec<Vec<u32>>) =
            (contiguous().collect(), last().collect());
        Ok(match (split(&contiguous), split(&last)) {
            (false, true) => contiguous,
            (true, false) => last,
            (true, true) => {
                let message = format!("which CPUs are threads of one core is not told: {hint}");
                return Err(ImportError::Whole(message));
            }
            (false, false) => {
                found.assume(
                    "which CPUs are threads of one core is not told: all first threads come first, as on most x86 machines",
                );
                last
            }
        })
    }
}

/// How many caches there are: `32 MiB (2 instances)`.
fn instances(data: &str) -> Option<u32> {
    let (_, rest) = data.split_once('(')?;
    let number = rest.split(' ').next()?.parse().ok()?;
    (1..=MAX_CPUS as u32).contains(&number).then_some(number)
}
