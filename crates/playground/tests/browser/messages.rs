#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use teeter_playground::protocol::decisions::{Decisions, Told, Word};
use teeter_playground::protocol::domains::{CpuDomains, Domain, DomainLevel};
use teeter_playground::protocol::window::{Explained, Window};
use teeter_playground::protocol::{
    CpuStates, Failed, Frame, FromWorker, Level, Loaded, Moment, StepKind, ToWorker, wire,
};
use teeter_sim::{IDLE, TaskInfo, ThreadInfo, ThreadTable};
use wasm_bindgen_test::wasm_bindgen_test;

fn to_worker(message: &ToWorker) {
    let value = wire::to_worker(message).unwrap();
    assert_eq!(wire::read_to_worker(value).unwrap(), *message);
}

fn from_worker(message: &FromWorker) -> u32 {
    let (value, transfer) = wire::from_worker(message).unwrap();
    assert_eq!(wire::read_from_worker(value).unwrap(), *message);
    transfer.length()
}

#[wasm_bindgen_test]
fn what_the_page_says_arrives() {
    to_worker(&ToWorker::Load {
        generation: 3,
        scenario: "{\"teeter\":1}".to_owned(),
        kernel: 1,
    });
    to_worker(&ToWorker::Advance { until_ns: 16e6 });
    to_worker(&ToWorker::Append {
        scenario: "{}".to_owned(),
    });
    to_worker(&ToWorker::Domains { cpu: 43 });
    to_worker(&ToWorker::Look {
        id: 4,
        from_ns: 1.5e9,
        to_ns: 1.6e9,
    });
    to_worker(&ToWorker::Explain { id: 4, index: 9 });
    to_worker(&ToWorker::Seek { at_ns: 1.55e9 });
    to_worker(&ToWorker::Step {
        step: StepKind::Balance,
        back: true,
    });
    for filter in [None, Some("kind == wakeup".to_owned())] {
        to_worker(&ToWorker::Watch { filter });
    }
}

#[wasm_bindgen_test]
fn what_a_worker_says_arrives() {
    assert_eq!(from_worker(&FromWorker::Ready), 0);
    from_worker(&FromWorker::Domains(CpuDomains {
        generation: 3,
        cpu: 43,
        none: None,
        levels: vec![DomainLevel {
            name: "NUMA".to_owned(),
            distance: Some(21),
            span: "0-79".to_owned(),
            notes: vec!["kept".to_owned()],
            domain: Some(Domain {
                groups: vec!["0-9,40-49".to_owned()],
                imbalance_pct: 125,
                ..Domain::default()
            }),
        }],
    }));
    from_worker(&FromWorker::Loaded(Loaded {
        generation: 3,
        table: ThreadTable {
            threads: vec![ThreadInfo { task: 0, index: 0 }],
            tasks: vec![TaskInfo {
                name: "lu".to_owned(),
                cgroup: 1,
                threads: 1,
                metric: Some("Mop/s".to_owned()),
                labels: Vec::new(),
            }],
            cgroups: vec!["/".to_owned(), "/lu".to_owned()],
        },
        nodes: 4,
        levels: vec![Level {
            name: "NUMA".to_owned(),
            span: 80,
            imbalance_pct: 125,
            ..Level::default()
        }],
        end_ns: 60e9,
        sample_ns: 1e8,
    }));
    from_worker(&FromWorker::Decisions(Decisions {
        generation: 3,
        all: 9e9,
        passed: 1.0,
        told: vec![Told {
            at_ns: 2.5e6,
            cpu: 7,
            kind: "balance".to_owned(),
            fields: vec![
                ("imbalance".to_owned(), Word::Number(-3.0)),
                ("why".to_owned(), Word::Name("moved".to_owned())),
                ("best_task".to_owned(), Word::Task("lu.3".to_owned())),
            ],
            candidates: vec![("lu.3".to_owned(), "moved".to_owned())],
        }],
        weighed: None,
    }));
    from_worker(&FromWorker::Failed(Failed {
        generation: 3,
        problems: vec!["/kernels/0: unknown kernel `v9`".to_owned()],
    }));
}

#[wasm_bindgen_test]
fn frames_travel_as_typed_arrays_with_their_buffers() {
    let frame = Frame {
        generation: 7,
        now_ns: 1.5e9,
        finished: true,
        result: Some("{}".to_owned()),
        cpus: CpuStates {
            curr: vec![0, IDLE, 2],
            queued: vec![1, 3],
            queued_start: vec![0, 1, 1, 2],
            load: vec![1024, 0, 13],
            util: vec![1024, 0, 500],
            spinning: vec![0, 0, 1],
        },
        rows: vec![1e8, 0.25, 3.0, 19.5, f64::INFINITY],
        migrations: vec![1, 0, 2, 4],
        lanes: vec![0xff00_0010],
    };
    from_worker(&FromWorker::Moment(Moment {
        generation: 7,
        stepped: true,
        at_ns: 1.25e9,
        cpus: frame.cpus.clone(),
    }));
    assert_eq!(from_worker(&FromWorker::Frame(frame)), 9);
    let window = Window {
        generation: 7,
        id: 2,
        from_ns: 1e9,
        to_ns: 1.1e9,
        spans: vec![1e9, 1.05e9],
        places: vec![3, 9],
        moved_ns: vec![1.02e9],
        moved: vec![3, 4, 5, 1],
        decided_ns: vec![1.02e9],
        decided: vec![5, 0, u32::MAX],
    };
    assert_eq!(from_worker(&FromWorker::Window(window)), 6);
    from_worker(&FromWorker::Explained(Explained::default()));
    from_worker(&FromWorker::Frame(Frame::default()));
}

#[wasm_bindgen_test]
fn strange_messages_are_refused_not_fatal() {
    for value in [
        wasm_bindgen::JsValue::NULL,
        "hello".into(),
        5.into(),
        js_sys::Object::new().into(),
    ] {
        assert!(wire::read_from_worker(value.clone()).is_err());
        assert!(wire::read_to_worker(value).is_err());
    }
}
