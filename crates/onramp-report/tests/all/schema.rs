//! The exported fields: a snapshot finds accidental changes, and the documentation has all of them.

use onramp_report::{to_csv, to_json, SCHEMA_VERSION};
use onramp_results::Record;
use onramp_testing::samples::record;

fn fields() -> Vec<String> {
    let csv = to_csv(&[record("a", "paced", "cubic", 1)]);
    csv.lines()
        .next()
        .unwrap()
        .split(',')
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_json_of_one_record() {
    insta::assert_snapshot!(to_json(&[record("a", "paced", "cubic", 1)]));
}

#[test]
fn json_and_csv_have_the_same_fields() {
    let json: Vec<serde_json::Map<String, serde_json::Value>> =
        serde_json::from_str(&to_json(&[record("a", "paced", "cubic", 1)])).unwrap();
    let mut expected = fields();
    expected.sort();
    let mut keys: Vec<String> = json[0].keys().cloned().collect();
    keys.sort();
    assert_eq!(keys, expected);
}

#[test]
fn records_can_be_read_back_from_json() {
    let records = [
        record("a", "paced", "cubic", 1),
        record("b", "none", "bbr", 2),
    ];
    let back: Vec<Record> = serde_json::from_str(&to_json(&records)).unwrap();
    assert_eq!(back, records);
    assert_eq!(to_json(&[]), "[]\n");
}

#[test]
fn the_documentation_names_every_field_and_the_version() {
    let doc = include_str!("../../../../docs/results.md");
    for field in fields() {
        assert!(
            doc.contains(&format!("| `{field}` |")),
            "docs/results.md says nothing about {field}"
        );
    }
    assert!(doc.contains(&format!("schema version is {SCHEMA_VERSION}")));
}
