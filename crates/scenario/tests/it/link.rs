//! Properties of the link codec.

use proptest::prelude::*;
use teeter_scenario::document::{Kernel, SettingValue};
use teeter_scenario::link::{Link, LinkError, Stage, View};
use teeter_scenario::{Nanos, Scenario, limits, presets};

use crate::arbitrary;

/// A scenario that is like no preset, so that it travels whole.
fn own() -> Scenario {
    let mut scenario = presets::get("lu-group").unwrap();
    scenario.name.push_str(", changed");
    scenario.tasks.reverse();
    scenario.tasks[0].start = Nanos::from_millis(1500);
    scenario.tasks.pop();
    scenario
}

fn payload(scenario: Scenario) -> String {
    let link = Link::new(scenario).encode();
    link.strip_prefix("#s=").unwrap().to_owned()
}

#[test]
fn presets_are_links_by_name() {
    for name in presets::names() {
        let scenario = presets::get(name).unwrap();
        let link = Link::new(scenario.clone()).encode();
        assert_eq!(link, format!("#p={name}"));
        assert_eq!(Link::decode(&link).unwrap().scenario, scenario);
    }
}

#[test]
fn a_preset_with_three_changed_knobs_is_short_and_readable() {
    let mut scenario = presets::get("lu-group").unwrap();
    for kernel in &mut scenario.kernels {
        let name = "domain.NUMA.imbalance_pct".to_owned();
        kernel.set.insert(name, SettingValue::Int(115));
    }
    scenario.kernels[1].base = "v5.5+numa-v3".to_owned();
    scenario.run.duration = Nanos::from_secs(30);
    let link = Link::new(scenario.clone());
    assert_eq!(
        link.encode(),
        "#p=lu-group&k=v5.3,v5.5+numa-v3&set.domain.NUMA.imbalance_pct=115&/run/duration=null"
    );
    assert!(link.encode().len() < 200);
    assert_eq!(Link::decode(&link.encode()).unwrap(), link);
}

#[test]
fn a_single_kernel_can_be_chosen_and_changed() {
    let link = Link::decode("#p=lu-group&k=v5.5&set.hz=250&/kernels/0/label=tick%20of%204%20ms");
    let kernels = link.unwrap().scenario.kernels;
    let mut expected = Kernel::new("v5.5");
    expected.set.insert("hz".to_owned(), SettingValue::Int(250));
    expected.label = Some("tick of 4 ms".to_owned());
    assert_eq!(kernels, [expected]);
}

#[test]
fn a_text_that_looks_like_a_number_stays_a_text() {
    let mut scenario = presets::get("lu-group").unwrap();
    scenario.name = "115".to_owned();
    let link = Link::new(scenario.clone()).encode();
    assert_eq!(link, "#p=lu-group&/name=%22115%22");
    assert_eq!(Link::decode(&link).unwrap().scenario, scenario);
}

#[test]
fn changes_that_can_not_be_made_are_told_apart() {
    for (link, code, message) in [
        (
            "#p=lu-group&/tasks/7/threads=3",
            "change",
            "this link changes `/tasks/7/threads`: there is no place `/tasks/7/threads` in the scenario",
        ),
        (
            "#p=lu-group&/tasks/0/threds=3",
            "field",
            "this link's scenario has problems:\n/tasks/0/threds: unknown key (did you mean `threads`?)",
        ),
        (
            "#p=lu-group&set.hz=2.5",
            "change",
            "this link changes `set.hz`: is not a value",
        ),
    ] {
        let error = Link::decode(link).unwrap_err();
        assert_eq!((error.code(), error.to_string().as_str()), (code, message));
        assert_eq!(error.stage(), Stage::Field);
    }
}

#[test]
fn view_parameters_are_kept() {
    let text = format!("#embed?theme=dark&t=1s,2s&s={}", payload(own()));
    let link = Link::decode(&text).unwrap();
    assert_eq!(link.view, View::Embed);
    assert_eq!(
        link.params,
        [
            ("theme".to_owned(), "dark".to_owned()),
            ("t".to_owned(), "1s,2s".to_owned())
        ]
    );
    assert_eq!(link.encode(), text);
    let address = format!("  https://example.org/teeter/?x=1{text}\n");
    assert_eq!(Link::decode(&address), Ok(link));
}

#[test]
fn a_cut_link_says_by_how_much() {
    let whole = payload(own());
    for arrived in 0..whole.len() {
        let error = Link::decode(&format!("#s={}", &whole[..arrived])).unwrap_err();
        // Cut within the length itself, not even that is known; cut within the codec, nothing is.
        match arrived {
            0..2 => assert!(matches!(error, LinkError::Codec(_)), "{arrived}: {error}"),
            2..7 => assert_eq!(
                error,
                LinkError::Cut {
                    arrived,
                    expected: None
                }
            ),
            _ => assert_eq!(
                error,
                LinkError::Cut {
                    arrived,
                    expected: Some(whole.len())
                }
            ),
        }
    }
}

#[test]
fn every_changed_character_is_noticed() {
    let whole = payload(own());
    let data = whole.match_indices('.').nth(1).unwrap().0 + 1;
    for i in data..whole.len() {
        let mut bytes = whole.clone().into_bytes();
        bytes[i] = if bytes[i] == b'A' { b'B' } else { b'A' };
        let text = String::from_utf8(bytes).unwrap();
        let error = Link::decode(&format!("#s={text}")).unwrap_err();
        assert_eq!(error.stage(), Stage::Checksum, "{i}: {error}");
    }
    let lost = format!("{}{}", &whole[..data + 9], &whole[data + 12..]);
    assert_eq!(
        Link::decode(&format!("#s={lost}")),
        Err(LinkError::Length {
            arrived: whole.len() - 3,
            expected: whole.len()
        })
    );
}

#[test]
fn line_breaks_in_a_mail_do_no_harm() {
    let whole = payload(own());
    let broken = format!("#s={}\r\n  {}", &whole[..40], &whole[40..]);
    assert_eq!(Link::decode(&broken).unwrap().scenario, own());
}

#[test]
fn a_link_ends_in_a_letter_or_digit_and_holds_no_punctuation() {
    let link = Link::new(own()).encode();
    assert!(link.ends_with(|c: char| c.is_ascii_alphanumeric()));
    let safe = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    assert!(link.strip_prefix("#s=").unwrap().chars().all(safe));
}

#[test]
fn a_link_that_is_too_long_is_not_looked_at() {
    let length = limits::LINK + 1;
    let link = "#s=z1.".to_owned() + &"A".repeat(length - 6);
    assert_eq!(Link::decode(&link), Err(LinkError::TooLong { length }));
}

/// Deflate packs a run of zeros a thousandfold.
#[test]
fn a_bomb_is_not_unpacked() {
    use base64::Engine as _;
    let packed = miniz_oxide::deflate::compress_to_vec(&vec![b' '; 100 << 20], 9);
    assert!(packed.len() < 150_000);
    let data = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(packed);
    assert_eq!(Link::decode(&format!("#s=z1.{data}")), Err(LinkError::Bomb));
}

/// Eight nodes, 256 CPUs, 20 cgroups.
#[test]
fn a_large_custom_machine_stays_under_2000_characters() {
    let cgroups: Vec<String> = (0..20)
        .map(|i| format!(r#"{{"path":"/tenant{i}","weight":{}}}"#, 50 + 7 * i))
        .collect();
    let tasks: Vec<String> = (0..20)
        .map(|i| {
            format!(
                r#"{{"name":"job{i}","cgroup":"/tenant{i}","workload":{{"periodic":{{"run":"{}us","period":"{}ms"}}}},"threads":{}}}"#,
                300 + 37 * i,
                5 + i,
                3 + i % 9
            )
        })
        .collect();
    let nodes: Vec<String> = (0..8)
        .map(|i| {
            format!(
                r#"{{"llcs":[{{"count":2,"cores":[{{"count":8,"pus":2}}],"size":"32MB"}}],"memory":"{}GB"}}"#,
                64 + 8 * i
            )
        })
        .collect();
    let text = format!(
        r#"{{"teeter":1,"machine":{{"nodes":[{}]}},"cgroups":[{}],"tasks":[{}]}}"#,
        nodes.join(","),
        cgroups.join(","),
        tasks.join(",")
    );
    let scenario = Scenario::from_json(&text).unwrap();
    let link = Link::new(scenario).encode();
    assert!(link.len() < 2_000, "{} characters", link.len());
}

proptest! {
    #[test]
    fn a_scenario_survives_its_link(scenario in arbitrary::scenario()) {
        let link = Link::new(scenario);
        prop_assert_eq!(Link::decode(&link.encode()), Ok(link));
    }

    #[test]
    fn a_changed_preset_survives_its_link(
        preset in prop::sample::select(presets::ALL.to_vec()),
        seed in any::<u64>(),
        threads in 1..200_u32,
        name in "\\PC{0,20}",
        hz in prop_oneof![Just(100), Just(250), Just(1000)],
        kernels in prop::sample::subsequence(vec!["v5.3", "v5.5", "v5.6"], 1..=3),
    ) {
        let mut scenario = preset.scenario().unwrap();
        scenario.run.seed = seed;
        scenario.tasks[0].threads = threads;
        scenario.name = name;
        let names: Vec<String> = kernels.iter().map(|&name| name.to_owned()).collect();
        scenario.kernels = Kernel::replace(&scenario.kernels, &names);
        for kernel in &mut scenario.kernels {
            kernel.set.insert("hz".to_owned(), SettingValue::Int(hz));
        }
        let link = Link::new(scenario);
        let text = link.encode();
        prop_assert!(text.starts_with("#p="), "{}", text);
        prop_assert_eq!(Link::decode(&text), Ok(link));
    }

    #[test]
    fn parameters_survive(
        embed: bool,
        params in prop::collection::vec(("\\PC{1,8}", "\\PC{0,8}"), 0..4),
    ) {
        let reserved = |key: &str| key == "p" || key == "s" || key == "k" || key.starts_with("set.") || key.starts_with('/');
        let link = Link {
            view: if embed { View::Embed } else { View::Edit },
            params: params.into_iter().filter(|(key, _)| !reserved(key)).collect(),
            scenario: own(),
        };
        prop_assert_eq!(Link::decode(&link.encode()), Ok(link));
    }

    #[test]
    fn any_text_is_opened_or_refused(text in "\\PC{0,80}") {
        let _ = Link::decode(&text).map_err(|error| (error.code(), error.stage(), error.to_string()));
    }

    #[test]
    fn any_payload_is_opened_or_refused(text in "[zj]1\\.([0-9]{1,3}\\.)?[A-Za-z0-9_.-]{0,200}") {
        let _ = Link::decode(&format!("#s={text}")).map_err(|error| error.to_string());
    }

    #[test]
    fn any_change_is_made_or_refused(key in "(k|set\\.[a-z.]{0,6}|/[a-z0-9/~]{0,12})", value in "\\PC{0,12}") {
        let _ = Link::decode(&format!("#p=lu-group&{key}={value}")).map_err(|error| error.to_string());
    }
}
