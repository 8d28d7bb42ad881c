//! Links that were made once and must be read for ever, and bad ones with what is said about them.
//!
//! Each file under `tests/links/` holds a link on its first line and what comes of it on the rest: the canonical
//! document of a good one, laid out for people, or `error CODE at STAGE: MESSAGE` of a bad one. A file whose name
//! ends in `.pinned.txt` is also what the encoder makes of that scenario today.

use std::fs;
use std::path::PathBuf;

use teeter_scenario::link::Link;

fn corpus() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/links")
}

#[test]
fn every_link_of_the_corpus_is_what_it_was() {
    let mut files: Vec<PathBuf> = fs::read_dir(corpus())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let mut good = 0;
    let mut bad = 0;
    for file in &files {
        let name = file.file_name().unwrap().to_str().unwrap();
        let text = fs::read_to_string(file).unwrap();
        let (link, expected) = text.split_once('\n').unwrap();
        let decoded = Link::decode(link);
        let found = match &decoded {
            Ok(link) => link.scenario.to_json_pretty(),
            Err(error) => format!("error {} at {}: {error}", error.code(), error.stage()),
        };
        assert_eq!(found, expected.trim_end(), "{name}");
        match decoded {
            Ok(decoded) => {
                good += 1;
                if name.ends_with(".pinned.txt") {
                    assert_eq!(decoded.encode(), link, "{name}");
                }
            }
            Err(_) => bad += 1,
        }
    }
    assert!(good >= 6 && bad >= 10, "{good} good and {bad} bad links");
}
