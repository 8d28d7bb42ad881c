//! `teeter compare`

use serde_json::Value;

use crate::teeter::{SMALL, printed, refused};

fn compare(arguments: &[&str]) -> String {
    printed(&[&["compare", "-"], arguments].concat(), SMALL)
}

#[test]
fn the_object_holds_every_run_and_what_they_come_to() {
    let output: Value = serde_json::from_str(&compare(&["--format", "json"])).unwrap();
    let run: Value = serde_json::from_str(&printed(&["run", "-", "--json"], SMALL)).unwrap();
    assert_eq!(output["kernels"], serde_json::json!(["v5.3", "new"]));
    assert_eq!(output["seeds"].as_array().unwrap().len(), 2);
    let figures = output["figures"].as_array().unwrap();
    let rate = figures
        .iter()
        .find(|figure| figure["task"] == "timer" && figure["name"] == "periods/s")
        .unwrap();
    assert_eq!(
        (&rate["better"], &rate["mean"]),
        (&"higher".into(), &"Hmean".into())
    );
    for (kernel, column) in rate["kernels"].as_array().unwrap().iter().enumerate() {
        let values = column["values"].as_array().unwrap();
        for (repeat, value) in values.iter().enumerate() {
            assert_eq!(
                value,
                &run["runs"][2 * kernel + repeat]["tasks"][1]["metric"]["value"]
            );
        }
        let values: Vec<f64> = values.iter().map(|value| value.as_f64().unwrap()).collect();
        let mean = f64::midpoint(values[0], values[1]);
        assert!((column["amean"].as_f64().unwrap() - mean).abs() < 1e-9);
    }
    assert_eq!(rate["kernels"][0]["change_pct"], 0.0);
    assert_eq!(rate["kernels"][0]["p_value"], Value::Null);
}

#[test]
fn it_can_be_pasted_into_a_mail() {
    let text = compare(&["--repeats", "3"]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "small: 3 runs of each kernel");
    assert!(
        lines[1].contains("v5.3") && lines[1].trim_end().ends_with("new"),
        "{text}"
    );
    let hmean = lines
        .iter()
        .find(|line| line.starts_with("Hmean     periods/s"))
        .unwrap();
    assert!(hmean.contains("(    0.00%)"), "{text}");
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with("Stddev    periods/s")),
        "{text}"
    );
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with("Ops hog migrations")),
        "{text}"
    );
    assert!(lines.iter().all(|line| line.len() < 120), "{text}");
}

#[test]
fn other_forms_hold_the_same_figures() {
    let markdown = compare(&["--format", "md"]);
    let columns = |line: &str| line.matches('|').count();
    assert!(
        markdown.lines().all(|line| columns(line) == 4),
        "{markdown}"
    );
    assert!(markdown.starts_with("| figure | v5.3 | new |\n| --- | ---: | ---: |\n"));
    let csv = compare(&["--format", "csv"]);
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let rates: Vec<_> = rows.iter().filter(|row| &row[1] == "periods/s").collect();
    assert_eq!((&rates[0][4], &rates[1][4]), ("v5.3", "new"));
}

#[test]
fn one_run_has_no_spread() {
    let text = compare(&["--repeats", "1"]);
    assert!(text.starts_with("small: 1 run of each kernel\n"), "{text}");
    assert!(!text.contains("Stddev") && !text.contains('*'), "{text}");
}

#[test]
fn what_can_not_be_compared_is_refused() {
    let said = refused(&["compare", "-", "--kernel", "v5.4"], SMALL);
    assert!(
        said.starts_with("error: stdin: /kernels/0/base: unknown kernel"),
        "{said}"
    );
}
