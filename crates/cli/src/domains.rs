//! `teeter domains`: the sched domains of a machine as a kernel builds them, and why.

use serde::Serialize;
use teeter_machine::{CpuId, CpuSet, Topology, presets as machine_presets};
use teeter_scenario::document::{Kernel, Machine, MachineSource};
use teeter_scenario::{CpuList, Problem, Problems, presets};
use teeter_sched::{DomainGroup, DomainView, Explanation, Outcome, Rules, SchedDomains, Step};

use crate::args::DomainsArgs;
use crate::error::Error;
use crate::source;

/// Builds the domains and lists them.
pub(crate) fn execute(args: &DomainsArgs) -> Result<String, Error> {
    let problems = |problems| Error::scenario(source::name(&args.machine), problems);
    let (machine, kernels) = machine(&args.machine)?;
    let topology =
        Topology::from_spec(&machine).map_err(|found| problems(below("/machine", found)))?;
    let rules = kernel(args, &kernels).map_err(problems)?;
    let domains = SchedDomains::build(&topology, rules.topology, &rules.domains);
    Ok(if args.json {
        json(&domains)
    } else {
        text(&topology, &domains, rules.name)
    })
}

/// The machine that the argument means, and the kernels of the scenario it came in.
fn machine(argument: &str) -> Result<(Machine, Vec<Kernel>), Error> {
    if let Some(name) = argument.strip_prefix("preset:")
        && presets::ALL.iter().all(|preset| preset.name != name)
        && machine_presets().iter().any(|preset| preset.name == name)
    {
        return Ok((Machine::preset(name), Vec::new()));
    }
    if is_synthetic(argument) {
        let source = MachineSource::Synthetic(argument.to_owned());
        return Ok((Machine::new(source), Vec::new()));
    }
    let scenario = source::scenario(argument)?;
    Ok((scenario.machine, scenario.kernels))
}

/// Whether an argument is an hwloc synthetic description: words of a level and a count.
fn is_synthetic(argument: &str) -> bool {
    let counted = |word: &str| {
        let parts = word.split_once(':');
        parts.is_some_and(|(level, count)| {
            level
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "[]()=".contains(c))
                && count.starts_with(|c: char| c.is_ascii_digit())
        })
    };
    !std::path::Path::new(argument).exists()
        && argument.split_whitespace().next().is_some_and(counted)
}

/// The kernel asked for, or else the scenario's first, or else the newest preset.
fn kernel(args: &DomainsArgs, kernels: &[Kernel]) -> Result<Rules, Problems> {
    let (kernel, place) = match &args.kernel {
        Some(name) => {
            let of_scenario = kernels.iter().find(|kernel| kernel.base == *name);
            let kernel = of_scenario.cloned().unwrap_or_else(|| Kernel::new(name));
            (kernel, "--kernel")
        }
        None => match kernels.first() {
            Some(kernel) => (kernel.clone(), "/kernels/0"),
            None => (Kernel::new(Kernel::NEWEST), "/kernels/0"),
        },
    };
    Rules::from_kernel(&kernel).map_err(|found| below(place, found))
}

/// Problems with their paths from the scenario on.
fn below(path: &str, problems: Vec<Problem>) -> Problems {
    let below = |problem: Problem| Problem {
        path: format!("{path}{}", problem.path),
        ..problem
    };
    Problems(problems.into_iter().map(below).collect())
}

fn list(cpus: &CpuSet) -> String {
    let list: CpuList = cpus.iter().map(|cpu| u32::from(cpu.0)).collect();
    list.to_string()
}

/// One CPU in `--json`.
#[derive(Debug, Serialize)]
struct OfCpu {
    cpu: u16,
    domains: Vec<Domain>,
    /// What became of each level.
    levels: Vec<String>,
}

/// One of its domains.
#[derive(Debug, Serialize)]
struct Domain {
    name: &'static str,
    span: String,
    groups: Vec<String>,
    flags: Vec<&'static str>,
    imbalance_pct: u32,
    min_interval: u32,
    max_interval: u32,
    busy_factor: u32,
    cache_nice_tries: u32,
    imb_numa_nr: u32,
    groups_flags: Vec<&'static str>,
    /// CPUs that balance for each group.
    balance_masks: Vec<String>,
    /// What each group can compute, 1024 for the biggest CPU.
    capacities: Vec<u64>,
}

impl From<DomainView> for Domain {
    fn from(sd: DomainView) -> Self {
        Self {
            name: sd.name,
            span: list(&sd.span),
            groups: sd.groups.iter().map(|group| list(&group.span)).collect(),
            flags: sd.flags,
            imbalance_pct: sd.imbalance_pct,
            min_interval: sd.min_interval,
            max_interval: sd.max_interval,
            busy_factor: sd.busy_factor,
            cache_nice_tries: sd.cache_nice_tries,
            imb_numa_nr: sd.imb_numa_nr,
            groups_flags: sd.groups_flags,
            balance_masks: sd
                .groups
                .iter()
                .map(|group| list(&group.balance_mask))
                .collect(),
            capacities: sd.groups.iter().map(|group| group.capacity).collect(),
        }
    }
}

fn json(domains: &SchedDomains) -> String {
    let cpu = |cpu: CpuId| OfCpu {
        cpu: cpu.0,
        domains: domains.of(cpu).into_iter().map(Domain::from).collect(),
        levels: match domains.explain(cpu) {
            Explanation::Levels(steps) => steps.iter().map(ToString::to_string).collect(),
            none => vec![none.to_string()],
        },
    };
    let cpus: Vec<OfCpu> = domains.online().iter().map(cpu).collect();
    // Every key is a text, so that nothing can fail here.
    let json = serde_json::to_string(&cpus).unwrap_or_default();
    format!("{json}\n")
}

/// CPUs whose domains differ in nothing but which CPUs they span are told of once, by the lowest.
fn text(topology: &Topology, domains: &SchedDomains, kernel: &str) -> String {
    let mut kinds: Vec<(String, CpuSet)> = Vec::new();
    for cpu in &topology.online {
        let kind = kind(domains, cpu);
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, cpus)) => cpus.insert(cpu),
            None => kinds.push((kind, CpuSet::of(cpu))),
        }
    }
    let mut lines = vec![format!(
        "{} CPUs on {} nodes, {} online; {kernel}",
        topology.cpus.len(),
        topology.nodes.len(),
        topology.online.len(),
    )];
    for (_, cpus) in &kinds {
        if let Some(cpu) = cpus.first() {
            lines.push(String::new());
            lines.push(match cpus.len() {
                1 => format!("CPU {}", cpu.0),
                _ => format!("CPUs {}, as CPU {} has them", list(cpus), cpu.0),
            });
            lines.extend(of_cpu(domains, cpu));
        }
    }
    lines.join("\n") + "\n"
}

/// What sets the domains of some CPUs apart from those of others.
fn kind(domains: &SchedDomains, cpu: CpuId) -> String {
    let outcomes = match domains.explain(cpu) {
        Explanation::Levels(steps) => {
            let outcome = |step: &Step| format!("{} {}", step.outcome, step.notes.len());
            steps.iter().map(outcome).collect()
        }
        none => vec![none.to_string()],
    };
    let shape = |sd: DomainView| {
        let groups: Vec<_> = sd.groups.iter().map(|group| group.capacity).collect();
        format!(
            "{} {:?} {:?} {} {}",
            sd.name, groups, sd.flags, sd.imbalance_pct, sd.min_interval
        )
    };
    let shapes: Vec<String> = domains.of(cpu).into_iter().map(shape).collect();
    format!("{outcomes:?} {shapes:?}")
}

/// The domains of a CPU, lowest first, and then what there is to say of levels.
fn of_cpu(domains: &SchedDomains, cpu: CpuId) -> Vec<String> {
    let mut lines: Vec<String> = domains.of(cpu).iter().flat_map(domain).collect();
    match domains.explain(cpu) {
        Explanation::Levels(steps) => {
            let told = |step: &&Step| step.outcome != Outcome::Kept || !step.notes.is_empty();
            lines.extend(steps.iter().filter(told).map(|step| format!("  {step}")));
        }
        none => lines.push(format!("  {none}")),
    }
    lines
}

fn domain(sd: &DomainView) -> [String; 4] {
    let group = |group: &DomainGroup| {
        let span = list(&group.span);
        if group.balance_mask == group.span {
            span
        } else {
            format!("{span} (balanced by {})", list(&group.balance_mask))
        }
    };
    let groups: Vec<String> = sd.groups.iter().map(group).collect();
    let imb_numa_nr = match sd.imb_numa_nr {
        0 => String::new(),
        number => format!(", imb_numa_nr {number}"),
    };
    [
        format!("  {} {}", sd.name, list(&sd.span)),
        format!("    groups {}", groups.join(" | ")),
        format!("    {}", sd.flags.join(" ")),
        format!(
            "    imbalance_pct {}, every {} to {} ms, busy_factor {}, cache_nice_tries {}{imb_numa_nr}",
            sd.imbalance_pct, sd.min_interval, sd.max_interval, sd.busy_factor, sd.cache_nice_tries
        ),
    ]
}
