//! `teeter import`

use std::fs;

use serde_json::Value;

use crate::teeter::{file, printed, refused, teeter, teeter_with};

fn golden(name: &str) -> String {
    format!(
        "{}/../../tests/golden/lscpu/{name}",
        env!("CARGO_MANIFEST_DIR")
    )
}

fn scenario(stdout: &str) -> Value {
    serde_json::from_str(stdout).unwrap()
}

#[test]
fn a_table_of_lscpu_is_a_scenario_that_can_be_run() {
    let outcome = teeter(&["import", &golden("s2c4t2_2n.p.txt")]);
    assert_eq!(outcome.code, 0);
    assert_eq!(
        outcome.stderr,
        "note: distances are not told of: any two nodes are 20 from each other\n\
         note: the tasks are not told of: 16 hogs, one for each online CPU\n"
    );
    let read = scenario(&outcome.stdout);
    assert_eq!(
        read["machine"]["nodes"],
        serde_json::json!([{ "count": 2, "llcs": [{ "cores": [{ "count": 4, "pus": 2 }] }] }])
    );
    assert_eq!(read["tasks"][0]["threads"], 16);
    let checked = printed(&["check", "-"], &outcome.stdout);
    assert!(checked.contains("16 threads"), "{checked}");
}

#[test]
fn what_it_is_can_be_said() {
    let text = fs::read_to_string(golden("ring4c2.sysfs.txt")).unwrap();
    let outcome = teeter_with(&["import", "-", "--from", "sysfs"], &text);
    assert_eq!(
        scenario(&outcome.stdout)["machine"]["distances"][0],
        serde_json::json!([10, 16, 22, 16])
    );
    let said = refused(&["import", "-", "--from", "lscpu-e"], "CPU NODE\n0 x\n");
    assert_eq!(
        said,
        "error: stdin: line 2, column 3: expected the number of a node, from 0 to 1023, found `x`\n"
    );
}

#[test]
fn a_tar_of_sysfs_is_read() {
    let text = fs::read_to_string(golden("memonly.sysfs.txt")).unwrap();
    let mut builder = tar::Builder::new(Vec::new());
    for line in text.lines() {
        let (path, value) = line.split_once(':').unwrap();
        // tar pads the files of sysfs to the page that they claim to hold.
        let mut content = format!("{value}\n").into_bytes();
        content.resize(4096, 0);
        let mut header = tar::Header::new_ustar();
        header.set_size(content.len() as u64);
        header.set_mode(0o444);
        header.set_cksum();
        let path = path.trim_start_matches('/');
        builder
            .append_data(&mut header, path, content.as_slice())
            .unwrap();
    }
    let archive = file("memonly.tar", "");
    fs::write(&archive, builder.into_inner().unwrap()).unwrap();
    let from_tar = teeter(&["import", archive.to_str().unwrap()]);
    let from_text = teeter(&["import", &golden("memonly.sysfs.txt")]);
    assert_eq!((from_tar.code, &from_tar.stdout), (0, &from_text.stdout));
    let read = scenario(&from_tar.stdout);
    assert_eq!(read["machine"]["nodes"][1], serde_json::json!({}));
}

#[test]
fn settings_go_to_the_kernel() {
    let listing = "/sys/kernel/debug/sched/migration_cost_ns:250000\n\
                   /sys/kernel/debug/sched/tunable_scaling:1\n\
                   /sys/kernel/debug/sched/domains/cpu0/domain0/name:MC\n\
                   /sys/kernel/debug/sched/domains/cpu0/domain0/imbalance_pct:115\n";
    let outcome = teeter_with(&["import", "-"], listing);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert_eq!(
        scenario(&outcome.stdout)["kernels"][0]["set"],
        serde_json::json!({ "domain.MC.imbalance_pct": 115, "migration_cost": "250us" })
    );
    assert!(
        outcome
            .stderr
            .contains("note: the machine is not told of: it is the preset `laptop`"),
        "{}",
        outcome.stderr
    );
    let both = fs::read_to_string(golden("memonly.sysfs.txt")).unwrap() + listing;
    let outcome = teeter_with(&["import", "-"], &both);
    let read = scenario(&outcome.stdout);
    assert_eq!(read["kernels"][0]["set"]["migration_cost"], "250us");
    assert_eq!(read["machine"]["nodes"].as_array().unwrap().len(), 2);
}

#[test]
fn units_are_cgroups() {
    let units = "Id=web.service\nSlice=system.slice\nCPUWeight=200\nCPUQuotaPerSecUSec=500ms\n";
    let outcome = teeter_with(&["import", "-"], units);
    assert_eq!(
        scenario(&outcome.stdout)["cgroups"],
        serde_json::json!([{ "path": "/system.slice/web.service", "weight": 200, "max": "50000 100000" }])
    );
}

#[test]
fn a_synthetic_description_is_kept() {
    let outcome = teeter_with(&["import", "-"], "node:2 core:4\n");
    assert_eq!(
        scenario(&outcome.stdout)["machine"]["synthetic"],
        "node:2 core:4"
    );
    let said = refused(&["import", "-", "--from", "synthetic"], "node:2 coer:4\n");
    assert!(
        said.contains("/synthetic: column 8: `coer:4` is no level"),
        "{said}"
    );
}

#[test]
fn nonsense_is_refused() {
    let said = refused(&["import", "-"], "what is this\n");
    assert!(
        said.starts_with("error: stdin: line 1, column 1: expected the output of lscpu"),
        "{said}"
    );
    let binary = file("import.bin", "");
    fs::write(&binary, b"a\n\xff").unwrap();
    let said = refused(&["import", binary.to_str().unwrap()], "");
    assert!(said.ends_with("line 2: expected text in UTF-8\n"), "{said}");
    fs::write(&binary, [0x1f, 0x8b, 8, 0]).unwrap();
    let said = refused(&["import", binary.to_str().unwrap()], "");
    assert!(
        said.ends_with("is compressed: expand it with gunzip first\n"),
        "{said}"
    );
}

#[test]
fn a_trace_of_the_scheduler_is_a_scenario_that_can_be_run() {
    let trace = format!(
        "{}/../../tests/golden/ftrace/v6.1.y.group.trace",
        env!("CARGO_MANIFEST_DIR")
    );
    let outcome = teeter(&["import", &trace]);
    assert_eq!(
        (outcome.code, outcome.stderr.as_str()),
        (
            0,
            "note: 2 stoppers (migration/N) left out\n\
             note: the machine is not told of: 8 cores that share a cache; put its own in place of it\n\
             note: the kernel is not told of: it is v6.17\n\
             note: cgroups and affinities are not told of: there are none\n"
        )
    );
    let read = scenario(&outcome.stdout);
    assert_eq!(read["run"]["duration"], "1215901us");
    let recorded = read["tasks"][0]["workload"]["trace"].as_str().unwrap();
    assert!(recorded.starts_with("# teeter trace 1\n"), "{recorded}");
    let run: Value =
        serde_json::from_str(&printed(&["run", "-", "--json"], &outcome.stdout)).unwrap();
    let task = &run["runs"][0]["tasks"][0];
    assert_eq!(task["threads"], 18);
    let shares = task["cpu_share"].as_array().unwrap();
    let hogs = shares.iter().filter(|share| share.as_f64().unwrap() > 0.97);
    assert_eq!(hogs.count(), 6);
    // What a run leaves behind can be replayed as well, with the names that the tasks had.
    let path = file("again.trace", "");
    let path = path.to_str().unwrap();
    printed(&["run", "-", "--trace", path], &outcome.stdout);
    let again = scenario(&teeter(&["import", path]).stdout);
    let recorded = again["tasks"][0]["workload"]["trace"].as_str().unwrap();
    assert!(recorded.contains(" burn3\n"), "{recorded}");
    fs::remove_file(path).unwrap();
    let said = refused(&["import", "-", "--from", "trace"], "nothing\n");
    assert_eq!(
        said,
        "error: stdin: holds no sched_switch or sched_wakeup event\n"
    );
}

#[test]
fn an_rt_app_document_is_a_scenario_that_can_be_run() {
    let text = r#"{
        /* two of these */
        "tasks": {
            "pair": { "instance": 2, "cpus": [1, 3], "taskgroup": "/tg1", "run": 10000, "run": 5000, "sleep": 10000 } // 60 %
        },
        "global": { "duration": 2, "calibration": 150, "pi_enabled": false }
    }"#;
    let outcome = teeter_with(&["import", "-"], text);
    assert_eq!(
        (outcome.code, outcome.stderr.as_str()),
        (
            0,
            "note: calibration: `run` is time at full speed here, whatever the loops of one would be\n\
             note: the machine is not told of: 4 cores that share a cache; put its own in place of it\n"
        )
    );
    let read = scenario(&outcome.stdout);
    assert_eq!(read["run"]["duration"], "2s");
    assert_eq!(read["cgroups"][0]["path"], "/tg1");
    let pair = &read["tasks"][0]["workload"]["rtapp"]["tasks"]["pair"];
    assert_eq!(
        (&pair["run"], &pair["run1"]),
        (&10_000.into(), &5000.into())
    );
    let run: Value =
        serde_json::from_str(&printed(&["run", "-", "--json"], &outcome.stdout)).unwrap();
    for share in run["runs"][0]["tasks"][0]["cpu_share"].as_array().unwrap() {
        assert!((share.as_f64().unwrap() - 0.6).abs() < 0.01, "{share}");
    }
    let said = refused(
        &["import", "-"],
        &text.replace("\"run\": 10000", "\"policy\": \"SCHED_RR\""),
    );
    assert_eq!(
        said,
        "error: stdin: /workload/rtapp/tasks/pair/policy: `SCHED_RR` is not of the fair class, which is all there is here \
         (SCHED_OTHER, SCHED_BATCH and SCHED_IDLE are)\n"
    );
}
