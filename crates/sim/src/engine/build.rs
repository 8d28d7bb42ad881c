//! From the scenario to a simulation at time 0.

use std::collections::VecDeque;
use std::sync::Arc;

use teeter_machine::{CpuId, CpuSet, NodeId, Speed, Topology};
use teeter_scenario::document::{Action, Fork, Scenario, ScriptEntry, Tasks};
use teeter_scenario::{CpuList, Nanos, Problem};
use teeter_sched::{MmId, NewTask, RegionId, Rules, Sched, TaskId};
use teeter_workload::{self as workload, Individual, MemoryUse, Programs};

use super::Simulation;
use crate::code::{Code, ends};
use crate::cpu::Cpu;
use crate::digest::Digest;
use crate::groups::Groups;
use crate::hardware::Hardware;
use crate::memory::Walk;
use crate::queue::{Event, Queue};
use crate::sampler::Sampler;
use crate::script::{Names, Script};
use crate::seed::{Purpose, derive_seed, draw};
use crate::stats::{Stats, Totals};
use crate::support;
use crate::sync::{Conflict, Names as SharedNames, Shared};
use crate::table::{TaskInfo, ThreadInfo, ThreadTable};
use crate::task::{Birth, TaskRun};
use crate::thread::{Phase, Thread};
use crate::traffic::Traffic;

/// A part of the build, or all that is wrong with it.
type Part<T> = Result<T, Vec<Problem>>;

/// One of the scenario's tasks before its threads are known to the scheduler.
struct Compiled {
    programs: Programs,
    /// CPUs its threads ask for.
    asked: CpuSet,
    /// Those of them that they get.
    affinity: CpuSet,
    birth: Birth,
    /// What each thread asks for and gets, where they differ.
    each: Vec<(CpuSet, CpuSet)>,
}

/// Builds the run. `compile` makes programs of tasks, with paths below those.
pub(super) fn simulation(
    scenario: &Scenario,
    kernel: usize,
    repeat: u32,
    compile: impl Fn(&Tasks) -> Part<Programs>,
) -> Part<Simulation> {
    let mut problems = support::problems(scenario);
    let hardware = keep(hardware(scenario), &mut problems);
    let kernel_spec = scenario.kernels.get(kernel).ok_or_else(|| {
        vec![Problem::new(
            "/kernels",
            format!("there is no kernel number {kernel}"),
        )]
    });
    let kernel_spec = keep(kernel_spec, &mut problems);
    let rules = kernel_spec.and_then(|spec| {
        keep(
            below(&format!("/kernels/{kernel}"), Rules::from_kernel(spec)),
            &mut problems,
        )
    });
    let (Some(hardware), Some(kernel_spec), Some(rules)) = (hardware, kernel_spec, rules) else {
        return Err(problems);
    };
    let topology = &hardware.topology;
    problems.extend(support::series(scenario, topology.nodes.len()));
    for (index, cgroup) in scenario.cgroups.iter().enumerate() {
        let path = format!("/cgroups/{index}/mems");
        let mems = cgroup.mems.iter();
        problems.extend(mems.filter_map(|mems| support::mems(&path, mems, topology.nodes.len())));
    }

    let tick = rules.tick().0;
    let mut sched = Sched::new(topology, rules);
    let groups = Groups::new(scenario, &topology.online, &mut sched);
    let compiled = keep(
        compile_all(scenario, topology, &groups, compile),
        &mut problems,
    );
    let Some(compiled) = compiled.filter(|_| problems.is_empty()) else {
        return Err(problems);
    };

    let mut world = World::default();
    for (tasks, compiled) in scenario.tasks.iter().zip(&compiled) {
        world.add(tasks, compiled, &groups, &mut sched, topology.cpus.len())?;
    }
    world.table.cgroups = groups.paths();

    let seed = derive_seed(scenario.run.seed, repeat);
    sched.idle_before(scenario.run.uptime);
    sched.seed(draw(seed, Purpose::Kernel, 0, u64::MAX));
    let phase = |cpu: CpuId| draw(seed, Purpose::TickPhase, u64::from(cpu.0), tick);
    let phases = topology.cpu_ids().map(phase);
    let mut queue = Queue::new(tick, phases, world.threads.len());
    let names = Names {
        groups: &groups.ids(),
        table: &world.table,
        cpus: CpuSet::first_n(topology.cpus.len()),
        nodes: topology.nodes.len(),
    };
    for thread in names.started_by(&scenario.script) {
        world.threads[thread as usize].phase = Phase::Held;
    }
    for task in &world.tasks {
        for (index, thread) in task.threads.clone().enumerate() {
            let after = match &task.birth {
                Birth::Forked { .. } => (index == 0).then_some(0),
                Birth::Placed { .. } => Some(0),
                Birth::Individual { births, .. } => births.get(index).and_then(after),
            };
            if let Some(after) = after
                && world.threads[thread as usize].phase == Phase::Unborn
            {
                queue.set(Event::Timer(thread), task.start.saturating_add(after));
            }
        }
    }
    let places = topology
        .cpu_ids()
        .map(|cpu| (topology.cpu(cpu).node, topology.online.contains(cpu)));
    let affinities = world
        .threads
        .iter()
        .zip(&world.table.threads)
        .map(|(thread, info)| {
            let compiled = &compiled[thread.task as usize];
            let own = compiled.each.get(info.index as usize);
            (thread.task, own.map_or(compiled.affinity, |own| own.1))
        });
    let stats = Stats::new(places, topology.nodes.len(), world.tasks.len(), affinities);
    let online = |node: &CpuSet| node.and(&topology.online).len() as u32;
    let online_cpus = topology.nodes.iter().map(online).collect();

    let nodes = topology.nodes.len();
    let mut simulation = Simulation {
        now: 0,
        end: scenario.run.duration.0,
        until: scenario.run.until,
        warmup: Some(scenario.run.warmup.0).filter(|&warmup| warmup > 0),
        seed,
        kernel: kernel_spec.title().to_owned(),
        code: Arc::new(world.code),
        table: Arc::new(world.table),
        groups: Arc::new(groups.ids()),
        queue,
        sched,
        kernel_timer: None,
        cpus: vec![Cpu::new(); topology.cpus.len()],
        busy: vec![0; hardware.nr_cores()],
        active: vec![0; hardware.nr_packages()],
        traffic: Traffic::new(topology.cpus.len(), nodes),
        threads: world.threads,
        shared: world.shared,
        script: Script::default(),
        to_end: world.to_end,
        stats,
        before: Totals::default(),
        measured_from: 0,
        sampler: Sampler::new(scenario.run.sample, world.tasks.len(), online_cpus),
        tasks: world.tasks,
        marks: VecDeque::new(),
        recorder: None,
        digest: Digest::new(),
        events: 0,
        switches: 0,
        wakeups: 0,
        last_event: None,
        hardware: Arc::new(hardware),
    };
    let stops = scenario.tasks.iter().zip(&compiled);
    let stops = stops.filter_map(|(tasks, compiled)| {
        Some(ScriptEntry {
            at: tasks.start + compiled.programs.runtime?,
            action: Action::Stop(tasks.name.clone()),
        })
    });
    let entries: Vec<ScriptEntry> = scenario.script.iter().cloned().chain(stops).collect();
    for (index, entry) in entries.iter().enumerate() {
        let Simulation {
            script,
            groups,
            table,
            sched,
            cpus,
            ..
        } = &mut simulation;
        let names = Names {
            groups,
            table,
            cpus: CpuSet::first_n(cpus.len()),
            nodes,
        };
        let path = format!("/script/{index}");
        keep(script.add(&path, entry, names, sched), &mut problems);
    }
    if problems.is_empty() {
        Ok(simulation)
    } else {
        Err(problems)
    }
}

/// The value, or its problems put with the others.
fn keep<T>(part: Part<T>, problems: &mut Vec<Problem>) -> Option<T> {
    part.map_err(|more| problems.extend(more)).ok()
}

/// Problems of a part of the document, with paths from its root.
fn below<T>(path: &str, part: Part<T>) -> Part<T> {
    let absolute = |problem: Problem| Problem {
        path: format!("{path}{}", problem.path),
        ..problem
    };
    part.map_err(|problems| problems.into_iter().map(absolute).collect())
}

fn hardware(scenario: &Scenario) -> Part<Hardware> {
    let machine = &scenario.machine;
    let topology = below("/machine", Topology::from_spec(machine))?;
    let speed = below("/machine", Speed::for_machine(machine, &topology))?;
    Ok(Hardware::new(topology, speed))
}

fn compile_all(
    scenario: &Scenario,
    topology: &Topology,
    groups: &Groups,
    compile: impl Fn(&Tasks) -> Part<Programs>,
) -> Part<Vec<Compiled>> {
    let mut problems = Vec::new();
    let compiled = (0..)
        .zip(&scenario.tasks)
        .filter_map(|(index, tasks): (usize, _)| {
            let part = compile(tasks).and_then(|programs| place(tasks, programs, topology, groups));
            keep(below(&format!("/tasks/{index}"), part), &mut problems)
        })
        .collect();
    if problems.is_empty() {
        Ok(compiled)
    } else {
        Err(problems)
    }
}

/// Says where the threads of compiled tasks may run and come into being.
fn place(
    tasks: &Tasks,
    mut programs: Programs,
    topology: &Topology,
    groups: &Groups,
) -> Part<Compiled> {
    let allowed = groups.of(tasks).cpus;
    let everywhere = CpuSet::first_n(topology.cpus.len());
    let asked = tasks.affinity.as_ref().map_or(everywhere, cpu_set);
    let affinity = asked.and(&allowed);
    if affinity.is_empty() {
        let message = "no CPU in it is online and open to the task's cgroup";
        return Err(vec![Problem::new("/affinity", message)]);
    }
    for &node in programs.memory.iter().flat_map(|memory| &memory.nodes) {
        let known = node < topology.nodes.len() as u32;
        if !known || !topology.has_memory(NodeId(node as u16)) {
            let message = format!("there is no node {node} with memory");
            return Err(vec![Problem::new("/memory/nodes", message)]);
        }
    }
    programs.throttle_spins(affinity.len());
    let birth = match programs.individuals.as_slice() {
        [] => birth(&tasks.fork, topology, &affinity)?,
        individuals => Birth::Individual {
            from: match birth(&tasks.fork, topology, &affinity)? {
                Birth::Forked { from, .. } => from,
                _ => affinity.first().unwrap_or(CpuId(0)),
            },
            births: individuals.iter().map(|one| one.birth).collect(),
        },
    };
    let each = individuals(tasks, &programs, &asked, groups)?;
    Ok(Compiled {
        programs,
        asked,
        affinity,
        birth,
        each,
    })
}

/// The time after its tasks' start at which a thread comes into being by itself.
fn after(birth: &workload::Birth) -> Option<u64> {
    match birth {
        workload::Birth::Forked { after } | workload::Birth::Placed { after, .. } => Some(after.0),
        workload::Birth::ByThread => None,
    }
}

/// For each thread that differs, the CPUs it asks for, and those of them that it gets.
fn individuals(
    tasks: &Tasks,
    programs: &Programs,
    asked: &CpuSet,
    groups: &Groups,
) -> Part<Vec<(CpuSet, CpuSet)>> {
    let path = format!("/workload/{}", tasks.workload.name());
    let one = |(index, individual): (usize, &Individual)| {
        let asked = individual
            .cpus
            .as_ref()
            .map_or(*asked, |cpus| cpu_set(cpus).and(asked));
        let group = match &individual.cgroup {
            Some(cgroup) => groups.named(cgroup),
            None => Some(groups.of(tasks)),
        };
        let problem = |message: String| {
            let name = individual
                .name
                .clone()
                .unwrap_or_else(|| format!("thread {index}"));
            vec![Problem::new(&path, format!("{name}: {message}"))]
        };
        let group = group.ok_or_else(|| problem("its cgroup is not there".to_owned()))?;
        let affinity = asked.and(&group.cpus);
        let on = match individual.birth {
            workload::Birth::Placed { cpu, .. } => {
                affinity.contains(CpuId(cpu as u16)) && cpu < u32::from(u16::MAX)
            }
            _ => !affinity.is_empty(),
        };
        if on {
            Ok((asked, affinity))
        } else {
            Err(problem(
                "the CPU it is on is not online, or not open to it".to_owned(),
            ))
        }
    };
    programs.individuals.iter().enumerate().map(one).collect()
}

fn birth(fork: &Fork, topology: &Topology, affinity: &CpuSet) -> Part<Birth> {
    match fork {
        Fork::From { cpu, every } => {
            let from = CpuId(*cpu as u16);
            if topology.online.contains(from) && u32::from(from.0) == *cpu {
                Ok(Birth::Forked {
                    from,
                    every: every.0,
                })
            } else {
                Err(vec![Problem::new(
                    "/fork/from",
                    format!("CPU {cpu} is not online"),
                )])
            }
        }
        Fork::On(list) => {
            let on: Vec<CpuId> = list.iter().map(|cpu| CpuId(cpu as u16)).collect();
            match on.iter().find(|cpu| !affinity.contains(**cpu)) {
                Some(cpu) => {
                    let message = format!("the task may not run on CPU {}", cpu.0);
                    Err(vec![Problem::new("/fork/on", message)])
                }
                None if on.is_empty() => Err(vec![Problem::new("/fork/on", "it names no CPU")]),
                None => Ok(Birth::Placed { on }),
            }
        }
    }
}

fn cpu_set(list: &CpuList) -> CpuSet {
    list.iter().map(|cpu| CpuId(cpu as u16)).collect()
}

/// All threads of tasks, those of every process.
fn threads_of(tasks: &Tasks) -> u32 {
    tasks.thread_count().try_into().unwrap_or(u32::MAX)
}

/// The memory of a task while it is handed out to its threads.
struct Memory<'a> {
    used: &'a MemoryUse,
    nodes: Vec<NodeId>,
    /// Threads of a process.
    threads: u32,
    /// The process at hand, and its memory if its threads share it.
    process: Option<(MmId, Option<RegionId>)>,
}

impl<'a> Memory<'a> {
    fn new(used: &'a MemoryUse, tasks: &Tasks, threads: usize) -> Self {
        let node = |&node: &u32| NodeId(node as u16);
        let all = threads as u32;
        Self {
            used,
            nodes: used.nodes.iter().map(node).collect(),
            threads: (all / tasks.processes.max(1)).max(1),
            process: None,
        }
    }

    /// The walk of thread number `index` of the task; they come in order, process by process.
    fn walk(&mut self, index: u32, task: TaskId, sched: &mut Sched) -> Walk {
        let within = index % self.threads;
        let (mm, shared) = match self.process {
            Some(process) if within > 0 && !self.used.own_process => process,
            _ => {
                let mm = sched.add_mm();
                let shared = self.used.shared.then(|| self.map(mm, sched));
                *self.process.insert((mm, shared))
            }
        };
        sched.set_mm(task, mm);
        let region = shared.unwrap_or_else(|| self.map(mm, sched));
        Walk::new(self.used, region, within, self.threads)
    }

    fn map(&self, mm: MmId, sched: &mut Sched) -> RegionId {
        sched.map(mm, self.used.size, &self.nodes)
    }
}

/// What the tasks bring into being.
#[derive(Default)]
struct World {
    code: Code,
    table: ThreadTable,
    threads: Vec<Thread>,
    tasks: Vec<TaskRun>,
    shared: Shared,
    names: SharedNames,
    to_end: u32,
}

impl World {
    fn add(
        &mut self,
        tasks: &Tasks,
        compiled: &Compiled,
        groups: &Groups,
        sched: &mut Sched,
        cpus: usize,
    ) -> Part<()> {
        let Compiled {
            programs,
            asked,
            birth,
            each,
            ..
        } = compiled;
        let alike = Individual::default();
        let task = self.tasks.len() as u32;
        let path = format!("/tasks/{task}/workload");
        let added = self.names.add(&mut self.shared, programs, cpus);
        let numbers = added.map_err(|Conflict(name)| {
            let message = format!("channel `{name}` is something else in other tasks");
            vec![Problem::new(&path, message)]
        })?;
        let starts = self.code.link(programs, &numbers).map_err(|_malformed| {
            vec![Problem::new(
                &path,
                "its loops do not match or nest too deep",
            )]
        })?;

        let first = self.threads.len() as u32;
        let mut memory = programs
            .memory
            .as_ref()
            .map(|used| Memory::new(used, tasks, programs.thread.len()));
        for (index, &program) in (0..).zip(&programs.thread) {
            let own = programs.individuals.get(index as usize).unwrap_or(&alike);
            let group = own.cgroup.as_ref().and_then(|path| groups.named(path));
            let id = sched.add_task(&NewTask {
                group: group.unwrap_or_else(|| groups.of(tasks)).id,
                nice: own.nice.unwrap_or(tasks.nice),
                policy: own.policy.unwrap_or(tasks.policy),
                affinity: each.get(index as usize).map_or(*asked, |own| own.0),
                per_cpu_kthread: own.per_cpu_kthread,
            });
            debug_assert_eq!(id.0 as usize, self.threads.len(), "both count tasks alike");
            if tasks.slice.is_some() {
                sched.set_slice(Nanos::ZERO, id, tasks.slice);
            }
            self.table.threads.push(ThreadInfo { task, index });
            let ends = programs.runtime.is_some() || ends(&programs.programs[program as usize]);
            let mut thread = Thread::new(task, starts[program as usize]);
            thread.ends = ends;
            thread.walk = memory
                .as_mut()
                .map(|memory| Box::new(memory.walk(index, id, sched)));
            self.threads.push(thread);
            self.to_end += u32::from(ends);
        }
        let threads = first..self.threads.len() as u32;
        self.table.tasks.push(TaskInfo {
            name: tasks.name.clone(),
            cgroup: groups.index_of(tasks) as u32,
            threads: threads.end - threads.start,
            metric: programs
                .metric
                .as_ref()
                .map(|metric| metric.name.to_owned()),
            labels: programs
                .individuals
                .iter()
                .filter_map(|one| one.name.clone())
                .collect(),
        });
        self.tasks.push(TaskRun::new(
            threads,
            birth.clone(),
            (threads_of(tasks) / tasks.processes.max(1)).max(1),
            groups.session(tasks),
            tasks.start.0,
            programs,
        ));
        Ok(())
    }
}
