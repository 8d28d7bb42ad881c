//! `teeter import`: a scenario from what real machines tell of themselves, and of what ran on them.

mod archive;
mod workload;

use std::io::{self, Write as _};

use clap::ValueEnum;
use teeter_machine::Topology;
use teeter_machine::import::{self, ImportError, Kind, cgroups, detect, settings};
use teeter_scenario::document::{ImportKind, Kernel, Machine, MachineSource, Tasks, Workload};
use teeter_scenario::{Problem, Problems, Scenario};
use teeter_sched::Rules;

use crate::error::Error;
use crate::source;

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum From {
    /// Whichever it looks like
    Auto,
    /// lscpu -p
    LscpuP,
    /// lscpu -e
    LscpuE,
    /// lscpu -J or lscpu -e -J
    LscpuJson,
    /// lscpu
    Lscpu,
    /// lstopo --of xml
    HwlocXml,
    /// numactl -H
    #[value(name = "numactl-H")]
    NumactlH,
    /// A listing (path:value) or tar of /sys/devices/system/{cpu,node}
    Sysfs,
    /// /proc/cpuinfo
    Cpuinfo,
    /// An hwloc synthetic description
    Synthetic,
    /// A listing of /sys/kernel/debug/sched, or sysctl lines
    Settings,
    /// systemctl show or cat, or kubectl get pods -o json
    Cgroups,
    /// A trace of the scheduler: tracefs trace, trace-cmd report, perf sched script
    Trace,
    /// A document of rt-app
    RtApp,
}

impl From {
    /// The kind of a text, where it says or shows it.
    fn kind(self, text: &str) -> Result<Kind, ImportError> {
        let machine = match self {
            Self::Auto | Self::Trace | Self::RtApp => {
                return detect(text).ok_or(ImportError::Unknown);
            }
            Self::Synthetic => return Ok(Kind::Synthetic),
            Self::Settings => return Ok(Kind::Settings),
            Self::Cgroups => return Ok(Kind::Cgroups),
            Self::LscpuP => ImportKind::LscpuP,
            Self::LscpuE => ImportKind::LscpuE,
            Self::LscpuJson => ImportKind::LscpuJson,
            Self::Lscpu => ImportKind::Lscpu,
            Self::HwlocXml => ImportKind::HwlocXml,
            Self::NumactlH => ImportKind::NumactlH,
            Self::Sysfs => ImportKind::Sysfs,
            Self::Cpuinfo => ImportKind::Cpuinfo,
        };
        Ok(Kind::Machine(machine))
    }
}

/// A scenario of what the file tells, as JSON; what was assumed is told on stderr.
pub(crate) fn execute(file: &str, from: From) -> Result<String, Error> {
    let place = source::name(file);
    let refused = |message: String| Error::scenario(place, Problem::new("", message).into());
    let text = archive::text(file)?;
    let imported = match from {
        From::Trace => workload::trace(&text),
        From::RtApp => workload::rt_app(&text),
        From::Auto if workload::is_trace(&text) => workload::trace(&text),
        From::Auto if workload::is_rtapp(&text) => workload::rt_app(&text),
        _ if text.len() > import::MOST => {
            Err(ImportError::TooLong { most: import::MOST }.to_string())
        }
        _ => scenario(&text, from).map_err(|error| error.to_string()),
    };
    let (scenario, assumptions) = imported.map_err(refused)?;
    let json = scenario.to_json_pretty();
    // What was read has to be a scenario that is read again.
    Scenario::from_json(&json).map_err(|problems| Error::scenario(place, problems))?;
    for assumption in assumptions {
        // A remark that can not be made is no reason to fail.
        let _ = writeln!(io::stderr(), "note: {assumption}");
    }
    Ok(format!("{json}\n"))
}

/// The scenario of a text, and what was assumed.
fn scenario(text: &str, from: From) -> Result<(Scenario, Vec<String>), ImportError> {
    let kind = from.kind(text)?;
    let mut assumptions = Vec::new();
    let machine = match kind {
        Kind::Machine(kind) => {
            let imported = import::import(text, kind)?;
            assumptions.extend(imported.assumptions);
            imported.machine
        }
        Kind::Synthetic => Machine::new(MachineSource::Synthetic(text.trim().to_owned())),
        Kind::Settings | Kind::Cgroups => {
            assumptions.push("the machine is not told of: it is the preset `laptop`".to_owned());
            Machine::preset("laptop")
        }
    };
    let topology = Topology::from_spec(&machine)
        .map_err(|problems| ImportError::Whole(Problems(problems).to_string()))?;
    let cpus = topology.online.len();
    let mut tasks = Tasks::new("hog", Workload::Hog);
    tasks.threads = cpus as u32;
    assumptions.push(format!(
        "the tasks are not told of: {cpus} hogs, one for each online CPU"
    ));
    let mut scenario = Scenario::new(machine, vec![tasks]);
    let listing = kind == Kind::Machine(ImportKind::Sysfs);
    let holds_settings = ["/sched/", "/proc/sys/kernel/"]
        .iter()
        .any(|mark| text.contains(mark));
    if kind == Kind::Settings || listing && holds_settings {
        let mut settings = settings(text)?;
        assumptions.append(&mut settings.assumptions);
        let kernel = Kernel::default();
        assumptions.push(format!(
            "the kernel's version is not told: it is {}",
            kernel.base
        ));
        let (kernel, left) = known(kernel, settings);
        if !left.is_empty() {
            assumptions.push(format!("not modelled and left out: {}", left.join(", ")));
        }
        scenario.kernels = vec![kernel];
    }
    if kind == Kind::Cgroups {
        let mut cgroups = cgroups(text)?;
        assumptions.append(&mut cgroups.assumptions);
        scenario.cgroups = cgroups.cgroups;
    }
    Ok((scenario, assumptions))
}

/// The kernel with the settings that the engine knows, and the names of the others.
fn known(mut kernel: Kernel, settings: import::Settings) -> (Kernel, Vec<String>) {
    let mut left = Vec::new();
    for (name, value) in settings.set {
        let mut one = Kernel::new(&kernel.base);
        one.set.insert(name.clone(), value.clone());
        if Rules::from_kernel(&one).is_ok() {
            kernel.set.insert(name, value);
        } else {
            left.push(name);
        }
    }
    (kernel, left)
}
