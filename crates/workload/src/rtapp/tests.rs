use super::*;
use teeter_scenario::document::Workload;

use crate::shared::{BarrierId, ChannelId, ConditionId, MutexId, TimerId};

const TRAITS: Traits = Traits::footprint(0);

fn compiled(text: &str) -> Result<Programs, Vec<String>> {
    let document = document(text).unwrap();
    let tasks = Tasks::new("r", Workload::RtApp(document.clone()));
    let said = |problems: Vec<Problem>| problems.iter().map(Problem::to_string).collect();
    compile(&document, &tasks, TRAITS).map_err(said)
}

fn programs(tasks: &str) -> Programs {
    compiled(&format!("{{ \"tasks\": {{ {tasks} }} }}")).unwrap()
}

fn ops(tasks: &str) -> Vec<Op> {
    programs(tasks).programs.remove(0).ops
}

const fn us(micros: u64) -> Nanos {
    Nanos::from_micros(micros)
}

/// The ops of one endless phase.
fn once(inner: &[Op]) -> Vec<Op> {
    let mut ops = vec![Op::Loop { rounds: None }, Op::Loop { rounds: Some(1) }];
    ops.extend(inner);
    ops.extend([Op::End, Op::Progress(1), Op::End, Op::Exit]);
    ops
}

#[test]
fn a_tenth_of_load() {
    // The tutorial's simplest: 10 ms in each 100 ms, with a timer of each instance's own.
    let text = r#"{
        /* a tenth */
        "tasks": { "thread0": { "instance": 2, "loop": -1, "run": 10000, "timer": { "ref": "unique", "period": 100000 } } },
        "global": { "duration": 2, "calibration": "CPU0", "default_policy": "SCHED_OTHER", "pi_enabled": false, "logdir": "./" }
    }"#;
    let programs = compiled(text).unwrap();
    assert_eq!(programs.thread.len(), 2);
    assert_eq!(programs.shared.timers, 2);
    for (thread, program) in (0..).zip(&programs.programs) {
        let timer = Op::SharedTimer {
            timer: TimerId(thread),
            period: us(100_000),
            absolute: false,
        };
        let mut expected = once(&[Op::Compute(us(10_000)), timer]);
        expected[0] = Op::Loop { rounds: Some(1) };
        expected[1] = Op::Loop { rounds: None };
        assert_eq!(program.ops, expected);
    }
    assert_eq!(programs.individuals[1].name.as_deref(), Some("thread0-1"));
    assert_eq!(
        programs.individuals[1].birth,
        Birth::Forked { after: CREATE }
    );
    let about = about(&document(text).unwrap());
    assert_eq!((about.duration, about.cpus), (Some(Nanos::from_secs(2)), 1));
    assert_eq!(about.notes.len(), 1);
}

#[test]
fn events_come_in_their_order_whatever_their_numbers() {
    let ops = ops(
        r#""t": { "run": 1, "sleep": 2, "run": 3, "runtime1": 4, "mem": 1024, "iorun2": 100, "yield": "" }"#,
    );
    assert_eq!(
        ops,
        once(&[
            Op::Compute(us(1)),
            Op::Sleep(us(2)),
            Op::Compute(us(3)),
            Op::ComputeWall(us(4)),
            Op::Compute(Nanos(100)),
            Op::Compute(Nanos(500)),
            Op::Yield,
        ])
    );
}

#[test]
fn phases_have_rounds_cpus_and_priorities() {
    let tasks = r#""t": { "cpus": [2], "loop": 3, "priority": 5, "policy": "SCHED_BATCH", "taskgroup": "/tg1", "phases": {
        "a": { "cpus": [0, 1], "loop": 4, "run": 1 }, "b": { "run": 2 }, "c": { "priority": -2, "sleep": 3 } } }"#;
    let programs = programs(tasks);
    assert_eq!(
        programs.programs[0].ops,
        [
            Op::Loop { rounds: Some(3) },
            Op::Affinity { cpus: 0 },
            Op::Loop { rounds: Some(4) },
            Op::Compute(us(1)),
            Op::End,
            Op::Affinity { cpus: 1 },
            Op::Loop { rounds: Some(1) },
            Op::Compute(us(2)),
            Op::End,
            Op::Nice(-2),
            Op::Loop { rounds: Some(1) },
            Op::Sleep(us(3)),
            Op::End,
            Op::Progress(1),
            Op::End,
            Op::Exit,
        ]
    );
    let sets: Vec<String> = programs.cpus.iter().map(ToString::to_string).collect();
    assert_eq!(sets, ["0-1", "2"]);
    let own = &programs.individuals[0];
    assert_eq!((own.nice, own.policy), (Some(5), Some(Policy::Batch)));
    assert_eq!(own.cgroup.as_deref(), Some("/tg1"));
}

#[test]
fn locks_conditions_and_semaphores() {
    let locked = ops(
        r#""t": { "lock": "m", "wait": { "ref": "c", "mutex": "m" }, "unlock": "m", "signal": "c", "broad": "d",
            "sync": { "ref": "c", "mutex": "m" }, "sem_post": "s", "sem_wait": "s" }"#,
    );
    let (mutex, c, d) = (MutexId(0), ConditionId(0), ConditionId(2));
    let wait = |mutex| Op::Wait {
        condition: c,
        mutex,
    };
    assert_eq!(
        locked,
        once(&[
            Op::Lock(mutex),
            wait(Some(mutex)),
            Op::Lock(mutex),
            Op::Unlock(mutex),
            Op::Signal(c),
            Op::Broadcast(d),
            Op::Signal(c),
            wait(None),
            Op::Send(ChannelId(0)),
            Op::Receive(ChannelId(0)),
        ])
    );
}

#[test]
fn barriers_count_every_instance_that_names_them() {
    let programs = programs(
        r#""a": { "instance": 3, "barrier": "x", "run": 1 }, "b": { "phases": { "p": { "barrier0": "x", "run": 1 }, "q": { "barrier": "y", "run": 1 } } }"#,
    );
    assert_eq!(programs.shared.barriers, [4, 1]);
    let spin = Nanos::ZERO;
    assert!(programs.programs[3].ops.contains(&Op::Barrier {
        barrier: BarrierId(1),
        spin
    }));
}

#[test]
fn threads_are_resumed_by_the_name_of_their_task() {
    let programs = programs(
        r#""a": { "suspend": "ignored", "run": 1 }, "b": { "resume": "a", "suspend": "stage", "run": 1 }, "c": { "resume": "stage", "run": 1 }"#,
    );
    let at = |thread: usize, op: usize| programs.programs[thread].ops[op];
    let wait = |condition| Op::Wait {
        condition: ConditionId(condition),
        mutex: None,
    };
    assert_eq!(at(0, 2), wait(1));
    assert_eq!(
        (at(1, 2), at(1, 3)),
        (Op::Broadcast(ConditionId(1)), wait(3))
    );
    assert_eq!(at(2, 2), Op::Broadcast(ConditionId(3)));
    assert_eq!(programs.shared.conditions, 4);
}

#[test]
fn what_is_forked_is_there_as_often_as_it_can_be() {
    let programs = programs(
        r#""parent": { "loop": 3, "fork": "child", "run": 1 }, "child": { "instance": 0, "loop": 1, "run": 5 }"#,
    );
    assert_eq!(programs.thread.len(), 4);
    assert!(
        programs.programs[0]
            .ops
            .contains(&Op::Fork { first: 1, count: 3 })
    );
    let births: Vec<Birth> = programs.individuals.iter().map(|one| one.birth).collect();
    assert_eq!(births[1..], [Birth::ByThread; 3]);
    let endless = ops(
        r#""p": { "fork": "p2", "sleep": 1000 }, "p2": { "instance": 0, "loop": 1, "run": 1 }"#,
    );
    assert!(endless.contains(&Op::Fork {
        first: 1,
        count: FORKS
    }));
}

#[test]
fn a_delay_comes_before_the_first_timer() {
    let ops = ops(
        r#""t": { "delay": 700, "run": 1, "timer": { "ref": "unique2", "period": 5000, "mode": "absolute" } }"#,
    );
    let timer = |timer, period| Op::SharedTimer {
        timer: TimerId(timer),
        period: us(period),
        absolute: true,
    };
    assert_eq!(ops[..2], [timer(0, 700), timer(1, 700)]);
    assert_eq!(ops[5], timer(0, 5000));
}

#[test]
fn what_is_not_modelled_is_named() {
    let problems = |tasks: &str| compiled(&format!("{{ \"tasks\": {{ {tasks} }} }}")).unwrap_err();
    assert_eq!(
        problems(
            r#""t": { "policy": "SCHED_FIFO", "util_min": 3, "dl-runtime": 5, "runn": "x", "loup": 3, "_note": 1, "memrun": {}, "run": 5 }"#
        ),
        [
            "/workload/rtapp/tasks/t/policy: `SCHED_FIFO` is not of the fair class, which is all there is here (SCHED_OTHER, SCHED_BATCH and SCHED_IDLE are)",
            "/workload/rtapp/tasks/t/util_min: utilisation clamps are not modelled",
            "/workload/rtapp/tasks/t/dl-runtime: neither deadline tasks nor slices of a task's own are modelled",
            "/workload/rtapp/tasks/t/runn: a time in µs, at most an hour, is expected",
            "/workload/rtapp/tasks/t/loup: is neither an event nor a property that is known",
            "/workload/rtapp/tasks/t/memrun: `memrun` is not modelled",
        ]
    );
    assert_eq!(
        problems(r#""t": { "resume": "u", "run": 5 }"#),
        ["/workload/rtapp/tasks/t/resume: there is no task `u` (there are t)"]
    );
    assert_eq!(
        problems(r#""t": { "loop": 1 }"#),
        ["/workload/rtapp/tasks/t: there is no event in it"]
    );
    assert_eq!(
        problems(""),
        ["/workload/rtapp/tasks: 0 threads are not within 1 to 50000"]
    );
    assert_eq!(
        compiled("{}").unwrap_err(),
        ["/workload/rtapp/tasks: is missing"]
    );
    assert_eq!(
        compiled("[]").unwrap_err(),
        ["/workload/rtapp: an object is expected"]
    );
    let device = r#"{ "tasks": { "t": { "run": 1 } }, "global": { "io_device": "/dev/sda", "default_policy": "SCHED_RR" } }"#;
    assert_eq!(compiled(device).unwrap_err().len(), 2);
    assert_eq!(
        problems(r#""t": { "timer": { "ref": "x", "period": 1 }, "cpus": [9999], "taskgroup": "a", "instance": -1, "loop": -2 }"#).len(),
        5
    );
}

/// Values of any kind below keys that mean something, and a few that do not.
fn garbage() -> impl proptest::strategy::Strategy<Value = Value> {
    use proptest::prelude::*;
    let key = prop::sample::select(vec![
        "tasks",
        "global",
        "t",
        "u",
        "phases",
        "run",
        "run1",
        "sleep",
        "timer",
        "ref",
        "period",
        "mode",
        "lock",
        "wait",
        "sync",
        "mutex",
        "fork",
        "loop",
        "instance",
        "cpus",
        "policy",
        "priority",
        "taskgroup",
        "barrier",
        "suspend",
        "resume",
        "delay",
        "mem",
        "iorun",
        "sem_post",
        "default_policy",
        "x",
    ]);
    let leaf = prop_oneof![
        any::<i64>().prop_map(Value::from),
        (0..2000u64).prop_map(Value::from),
        prop::sample::select(vec![
            "t",
            "u",
            "unique",
            "absolute",
            "SCHED_OTHER",
            "SCHED_FIFO",
            "/a",
            ""
        ])
        .prop_map(Value::from),
        prop::collection::vec((0..5u64).prop_map(Value::from), 0..3).prop_map(Value::from),
        Just(Value::Null),
    ];
    leaf.prop_recursive(5, 60, 6, move |inner| {
        let entries = prop::collection::vec((key.clone(), inner), 0..6);
        entries.prop_map(|entries| {
            let entries = entries
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value));
            Value::Object(entries.collect())
        })
    })
}

proptest::proptest! {
    #[test]
    fn anything_is_compiled_or_refused(inner in garbage(), text in "[\\PC]{0,40}|[{}\":,/* a]{0,40}") {
        let document = serde_json::json!({ "tasks": { "t": inner, "u": { "run": 1 } } });
        let tasks = Tasks::new("r", Workload::RtApp(document.clone()));
        let _ = (about(&document), taskgroups(&tasks), super::document(&text));
        match compile(&document, &tasks, TRAITS) {
            Ok(programs) => {
                proptest::prop_assert_eq!(programs.thread.len(), programs.individuals.len());
            }
            Err(problems) => proptest::prop_assert!(problems.iter().all(|problem| problem.path.starts_with("/workload/rtapp"))),
        }
    }
}
