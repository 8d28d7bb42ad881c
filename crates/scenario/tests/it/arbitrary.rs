//! Valid scenarios of all shapes, every key of the format among them.

use std::collections::BTreeMap;

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use serde_json::{Value, json};
use teeter_scenario::document::workload::{
    Channel, ChannelKind, Dbench, Hackbench, Ipc, Kworker, Netperf, NetperfMode, Npb, NpbClass,
    NpbLu, NpbProgram, Numa, NumaKind, Periodic, Pipe, Schbench, SchbenchStyle, Services, Step,
    Stream, Tbench, Ycsb,
};
use teeter_scenario::document::{
    Action, Bandwidth, Cgroup, CgroupChange, ClusterSpec, CoreSpec, Fork, ImportKind, Kernel,
    LlcSpec, Machine, MachineSource, Memory, NodeSpec, Numbering, Partition, Policy, Run, Scenario,
    ScriptEntry, SettingValue, Tasks, Uclamp, Until, Workload,
};
use teeter_scenario::{Bytes, CpuList, Nanos};

/// A valid scenario.
pub(crate) fn scenario() -> impl Strategy<Value = Scenario> {
    let head = (text(), text(), machine());
    let body = (cgroups(), 1..4_usize, vec(kernel(), 1..=4), run());
    (head, body).prop_flat_map(|((name, about, machine), (cgroups, count, kernels, run))| {
        let paths: Vec<String> = std::iter::once("/".to_owned())
            .chain(cgroups.iter().map(|cgroup| cgroup.path.clone()))
            .collect();
        let below: Vec<String> = paths.iter().skip(1).cloned().collect();
        let script = vec(entry(count, paths.clone(), below), 0..4);
        (tasks(count, paths), script).prop_map(move |(tasks, script)| Scenario {
            name: name.clone(),
            about: about.clone(),
            machine: machine.clone(),
            cgroups: cgroups.clone(),
            tasks,
            kernels: kernels.clone(),
            script,
            run,
        })
    })
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), "[a-zA-Z0-9 \"\\\\/<>&é漢.-]{1,30}"]
}

/// A time that is not short enough to be refused anywhere.
fn time() -> impl Strategy<Value = Nanos> {
    prop_oneof![
        (10_000..2_000_000_000_u64).prop_map(Nanos),
        (1..100_u64).prop_map(Nanos::from_millis)
    ]
}

fn cpus() -> impl Strategy<Value = CpuList> {
    vec(0..1024_u32, 1..5).prop_map(|cpus| cpus.into_iter().collect())
}

fn size() -> impl Strategy<Value = Bytes> {
    prop_oneof![
        (1..u64::MAX).prop_map(Bytes),
        (1..64_u64).prop_map(Bytes::from_gb)
    ]
}

/// A value that reads as what it was: a text that looks like a time would come back as one.
fn value() -> impl Strategy<Value = SettingValue> {
    prop_oneof![
        any::<i64>().prop_map(SettingValue::Int),
        any::<bool>().prop_map(SettingValue::Bool),
        time().prop_map(SettingValue::Time),
        size().prop_map(SettingValue::Size),
        "[a-z.]{1,10}".prop_map(SettingValue::Text),
        Just(SettingValue::Text("115".to_owned())),
    ]
}

fn settings() -> impl Strategy<Value = BTreeMap<String, SettingValue>> {
    let name = prop_oneof![
        Just("domain.NUMA.imbalance_pct".to_owned()),
        Just("domain.*.busy_factor".to_owned()),
        Just("hz".to_owned()),
        "[a-zA-Z_./~]{1,12}",
    ];
    btree_map(name, value(), 0..4)
}

fn machine() -> impl Strategy<Value = Machine> {
    let import = (
        "[a-z0-9,#\n ]{0,40}x",
        prop::sample::select(vec![
            ImportKind::LscpuP,
            ImportKind::LscpuE,
            ImportKind::LscpuJson,
            ImportKind::Lscpu,
            ImportKind::HwlocXml,
            ImportKind::NumactlH,
            ImportKind::Sysfs,
            ImportKind::Cpuinfo,
            ImportKind::Auto,
        ]),
    );
    let source = prop_oneof![
        Just(MachineSource::Preset("4n-80c".to_owned())),
        Just(MachineSource::Synthetic(
            "node:4 l3:1 core:10 pu:2".to_owned()
        )),
        import.prop_map(|(text, from)| MachineSource::Import { text, from }),
        (node(true), vec(node(false), 0..3)).prop_map(|(first, rest)| {
            MachineSource::Nodes(std::iter::once(first).chain(rest).collect())
        }),
    ];
    let numbering = prop::sample::select(vec![Numbering::Contiguous, Numbering::SiblingsLast]);
    (
        source,
        option::of((1..4_usize).prop_flat_map(|n| vec(vec(10..255_u32, n), n))),
        option::of(numbering),
        cpus(),
        (option::of("[a-z][a-z0-9-]{0,9}"), settings()),
        option::of(any::<bool>()),
        option::of(10..255_u32),
        prop_oneof![Just(Vec::new()), Just(vec![vec![0, 1], vec![2]])],
        prop_oneof![Just(CpuList::EMPTY), cpus()],
    )
        .prop_map(
            |(
                source,
                distances,
                numbering,
                offline,
                (hardware, speed),
                asym_packing,
                reclaim_distance,
                packages,
                isolcpus,
            )| Machine {
                source,
                distances,
                numbering,
                offline,
                hardware,
                speed,
                asym_packing,
                reclaim_distance,
                packages,
                isolcpus,
            },
        )
}

fn node(with_cpus: bool) -> impl Strategy<Value = NodeSpec> {
    let least = usize::from(with_cpus);
    (1..3_u32, vec(llc(), least..3), option::of(size())).prop_map(|(count, llcs, memory)| {
        NodeSpec {
            count,
            llcs,
            memory,
        }
    })
}

fn llc() -> impl Strategy<Value = LlcSpec> {
    let clusters = vec(
        (1..3_u32, cores()).prop_map(|(count, cores)| ClusterSpec { count, cores }),
        1..3,
    );
    let content = prop_oneof![
        clusters.prop_map(|clusters| (clusters, Vec::new())),
        cores().prop_map(|cores| (Vec::new(), cores)),
    ];
    (1..3_u32, content, option::of(size())).prop_map(|(count, (clusters, cores), size)| LlcSpec {
        count,
        clusters,
        cores,
        size,
    })
}

fn cores() -> impl Strategy<Value = Vec<CoreSpec>> {
    let capacity = prop_oneof![Just(1024_u32), 1..1024_u32];
    let core = (1..3_u32, 1..3_u32, capacity).prop_map(|(count, pus, capacity)| CoreSpec {
        count,
        pus,
        capacity,
    });
    vec(core, 1..3)
}

fn bandwidth() -> impl Strategy<Value = Bandwidth> {
    let quota = option::of((1_000..2_000_000_u64).prop_map(Nanos::from_micros));
    let period = (1_000..=1_000_000_u64).prop_map(Nanos::from_micros);
    (quota, period).prop_map(|(quota, period)| Bandwidth { quota, period })
}

fn cgroups() -> impl Strategy<Value = Vec<Cgroup>> {
    let one = (
        1..=10_000_u32,
        prop_oneof![Just(Bandwidth::default()), bandwidth()],
        option::of(cpus()),
        option::of(cpus()),
        any::<bool>(),
        (0..1_000_u64).prop_map(Nanos::from_micros),
        prop::sample::select(vec![
            Partition::Member,
            Partition::Root,
            Partition::Isolated,
        ]),
    );
    let paths = prop::sample::subsequence(vec!["/a", "/a/b", "/lu", "/x.slice/y é"], 0..=4);
    (paths, vec(one, 4)).prop_map(|(paths, values)| {
        let cgroup = |(path, value): (&str, (_, _, _, _, _, _, _))| {
            let (weight, max, cpus, mems, idle, burst, partition) = value;
            Cgroup {
                path: path.to_owned(),
                weight,
                max,
                cpus,
                mems,
                idle,
                burst,
                partition,
            }
        };
        paths.into_iter().zip(values).map(cgroup).collect()
    })
}

/// `count` tasks named `t0`, `t1`…
fn tasks(count: usize, paths: Vec<String>) -> impl Strategy<Value = Vec<Tasks>> {
    let fork = prop_oneof![
        Just(Fork::default()),
        (0..1024_u32, prop_oneof![Just(Nanos::ZERO), time()])
            .prop_map(|(cpu, every)| Fork::From { cpu, every }),
        cpus().prop_map(Fork::On),
    ];
    let memory = (size(), option::of(cpus())).prop_map(|(size, nodes)| Memory { size, nodes });
    let uclamp = (0..=512_u32, 512..=1024_u32).prop_map(|(min, max)| Uclamp { min, max });
    let slice = option::of(time());
    let first = (
        prop::sample::select(paths),
        workload(),
        1..100_u32,
        -20..=19_i8,
        prop::sample::select(vec![Policy::Normal, Policy::Batch, Policy::Idle]),
        option::of(cpus()),
    );
    let second = (
        prop_oneof![Just(Nanos::ZERO), time()],
        fork,
        1..5_u32,
        option::of(memory),
        0..3_u32,
        (uclamp, slice),
    );
    vec((first, second), count).prop_map(|all| {
        all.into_iter()
            .enumerate()
            .map(
                |(
                    i,
                    (
                        (cgroup, workload, threads, nice, policy, affinity),
                        (start, fork, processes, memory, session, (uclamp, slice)),
                    ),
                )| Tasks {
                    name: format!("t{i}"),
                    cgroup,
                    workload,
                    threads,
                    nice,
                    policy,
                    affinity,
                    start,
                    fork,
                    processes,
                    memory,
                    session,
                    uclamp,
                    slice,
                },
            )
            .collect()
    })
}

fn workload() -> impl Strategy<Value = Workload> {
    use NpbClass::{A, B, C, D, E, S, W};
    prop_oneof![
        Just(Workload::Hog),
        Just(Workload::Stress),
        (time(), time()).prop_map(|(run, period)| Workload::Periodic(Periodic { run, period })),
        (
            prop::sample::select(vec![S, W, A, B, C, D, E]),
            option::of(1..300_u32)
        )
            .prop_map(|(class, steps)| Workload::NpbLu(NpbLu { class, steps })),
        (
            prop::sample::select(vec![
                NpbProgram::Bt,
                NpbProgram::Sp,
                NpbProgram::Ft,
                NpbProgram::Mg
            ]),
            prop::sample::select(vec![S, W, A, B, C, D, E]),
            option::of(1..300_u32)
        )
            .prop_map(|(program, class, steps)| {
                Workload::Npb(Npb {
                    program,
                    class,
                    steps,
                })
            }),
        benchmark(),
        Just(Workload::RtApp(rtapp())),
        "[a-z0-9:=> \n]{0,40}x".prop_map(Workload::Trace),
        vec(step(), 1..4).prop_map(|mut steps| {
            steps.push(Step::Run(Nanos::from_millis(1)));
            Workload::Program(steps)
        }),
    ]
}

fn benchmark() -> impl Strategy<Value = Workload> {
    let n = || 1..50_u32;
    prop_oneof![
        (
            n(),
            n(),
            time(),
            time(),
            option::of(time()),
            option::of(n()),
            any::<bool>()
        )
            .prop_map(|(messages, workers, sleep, cputime, runtime, rps, old)| {
                Workload::Schbench(Schbench {
                    messages,
                    workers,
                    sleep,
                    cputime,
                    runtime,
                    rps,
                    style: if old {
                        SchbenchStyle::V2017
                    } else {
                        SchbenchStyle::V2023
                    },
                })
            }),
        (n(), n(), n(), n(), any::<bool>()).prop_map(|(groups, fds, loops, bytes, pipe)| {
            Workload::Hackbench(Hackbench {
                groups,
                fds,
                loops,
                bytes,
                ipc: if pipe { Ipc::Pipe } else { Ipc::Socket },
            })
        }),
        (any::<bool>(), n(), n()).prop_map(|(stream, bytes, pairs)| {
            Workload::Netperf(Netperf {
                mode: if stream {
                    NetperfMode::Stream
                } else {
                    NetperfMode::Rr
                },
                bytes,
                pairs,
            })
        }),
        n().prop_map(|clients| Workload::Tbench(Tbench { clients })),
        n().prop_map(|loops| Workload::Pipe(Pipe { loops })),
        (n(), size())
            .prop_map(|(iterations, array)| Workload::Stream(Stream { iterations, array })),
        (any::<bool>(), n(), size()).prop_map(|(shared, loops, size)| {
            Workload::Numa(Numa {
                kind: if shared {
                    NumaKind::Shared
                } else {
                    NumaKind::Local
                },
                loops,
                size,
            })
        }),
        n().prop_map(|clients| Workload::Ycsb(Ycsb { clients })),
        n().prop_map(|clients| Workload::Dbench(Dbench { clients })),
        (n(), option::of(n()))
            .prop_map(|(depth, rate)| Workload::Services(Services { depth, rate })),
        (time(), time()).prop_map(|(every, run)| Workload::Kworker(Kworker { every, run })),
    ]
}

/// The order of its keys is the order of events.
fn rtapp() -> Value {
    json!({ "tasks": { "thread0": { "run": 20000, "sleep": 80000, "abc": 0.5, "z": null } }, "global": { "duration": 2 } })
}

fn channel() -> impl Strategy<Value = Channel> {
    let kind = prop::sample::select(ChannelKind::ALL.to_vec());
    let bytes = (0..100_000_u64).prop_map(Bytes);
    let messages = option::of(1..1_000_u32);
    ("[a-z]{1,4}", kind, bytes, messages).prop_map(|(name, kind, bytes, messages)| Channel {
        name,
        kind,
        bytes,
        messages,
    })
}

fn step() -> impl Strategy<Value = Step> {
    let name = || "[a-z]{1,4}";
    let leaf = prop_oneof![
        time().prop_map(Step::Run),
        time().prop_map(Step::Sleep),
        time().prop_map(|period| Step::Timer { period }),
        (name(), any::<bool>()).prop_map(|(name, handoff)| Step::Mutex { name, handoff }),
        name().prop_map(Step::Lock),
        name().prop_map(Step::Unlock),
        (name(), option::of(name())).prop_map(|(condition, mutex)| Step::Wait { condition, mutex }),
        name().prop_map(Step::Signal),
        name().prop_map(Step::Broadcast),
        name().prop_map(Step::Suspend),
        name().prop_map(Step::Resume),
        name().prop_map(Step::Barrier),
        channel().prop_map(Step::Channel),
        name().prop_map(Step::Send),
        name().prop_map(Step::Receive),
        name().prop_map(Step::SpinUntil),
        name().prop_map(Step::Set),
        name().prop_map(Step::Begin),
        name().prop_map(Step::End),
        any::<bool>().prop_map(Step::Yield),
        any::<bool>().prop_map(Step::Exec),
        time().prop_map(Step::Runtime),
        cpus().prop_map(Step::Affinity),
        size().prop_map(|size| Step::Touch { size }),
    ];
    leaf.prop_recursive(3, 8, 3, |inner| {
        (1..9_u32, vec(inner, 0..3)).prop_map(|(times, steps)| Step::Loop { times, steps })
    })
}

fn kernel() -> impl Strategy<Value = Kernel> {
    let rules = prop_oneof![
        Just(BTreeMap::new()),
        Just(BTreeMap::from([
            ("numa_imbalance".to_owned(), json!("v3")),
            (
                "own".to_owned(),
                json!({ "expr": "busiest.sum_nr_running < 2" })
            ),
        ])),
    ];
    let base = prop::sample::select(vec!["v5.3", "v5.5", "v5.5+numa-v3"]);
    (base, rules, settings(), option::of("[a-z 0-9]{0,8}x")).prop_map(
        |(base, rules, set, label)| Kernel {
            base: base.to_owned(),
            rules,
            set,
            label,
        },
    )
}

fn entry(
    tasks: usize,
    paths: Vec<String>,
    below: Vec<String>,
) -> impl Strategy<Value = ScriptEntry> {
    let task = || {
        (0..tasks, any::<bool>()).prop_map(|(i, one)| {
            if one {
                format!("t{i}.0")
            } else {
                format!("t{i}")
            }
        })
    };
    let set = settings().prop_map(|mut settings| {
        settings.insert("hz".to_owned(), SettingValue::Int(250));
        Action::Set(settings)
    });
    let mut actions = vec![
        set.boxed(),
        (task(), cpus())
            .prop_map(|(task, cpus)| Action::Affinity { task, cpus })
            .boxed(),
        (task(), prop::sample::select(paths))
            .prop_map(|(task, to)| Action::Move { task, to })
            .boxed(),
        task().prop_map(Action::Start).boxed(),
        task().prop_map(Action::Stop).boxed(),
        cpus().prop_map(Action::Offline).boxed(),
        cpus().prop_map(Action::Online).boxed(),
        (task(), -20..=19_i8)
            .prop_map(|(task, nice)| Action::Nice { task, nice })
            .boxed(),
        (task(), -20..=19_i8)
            .prop_map(|(task, nice)| Action::Autogroup { task, nice })
            .boxed(),
        (task(), time())
            .prop_map(|(task, slice)| Action::Slice { task, slice })
            .boxed(),
    ];
    if !below.is_empty() {
        actions.push(change(below).prop_map(Action::Cgroup).boxed());
    }
    let at = prop_oneof![Just(Nanos::ZERO), time()];
    (at, proptest::strategy::Union::new(actions))
        .prop_map(|(at, action)| ScriptEntry { at, action })
}

fn change(below: Vec<String>) -> impl Strategy<Value = CgroupChange> {
    (
        prop::sample::select(below),
        option::of(1..=10_000_u32),
        option::of(bandwidth()),
        option::of(cpus()),
        option::of(cpus()),
        option::of(any::<bool>()),
        option::of(time()),
    )
        .prop_map(
            |(path, weight, max, cpus, mems, idle, burst)| CgroupChange {
                path,
                weight,
                max,
                cpus,
                mems,
                idle,
                burst,
            },
        )
}

fn run() -> impl Strategy<Value = Run> {
    (
        prop_oneof![
            Just(Nanos::from_secs(30)),
            (1..100_u64).prop_map(Nanos::from_secs)
        ],
        prop_oneof![Just(Nanos::ZERO), (1..999_u64).prop_map(Nanos::from_millis)],
        prop_oneof![Just(Nanos::ZERO), (1..999_u64).prop_map(Nanos::from_secs)],
        any::<u64>(),
        1..10_u32,
        (1..100_u64).prop_map(Nanos::from_millis),
        any::<bool>(),
    )
        .prop_map(
            |(duration, warmup, uptime, seed, repeats, sample, done)| Run {
                duration,
                warmup,
                uptime,
                seed,
                repeats,
                sample,
                until: if done { Until::Done } else { Until::Time },
            },
        )
}
