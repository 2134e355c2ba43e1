//! Guaranteed flows and best-effort flows share a link, on this kernel.

use crate::common::{machine, onramp, undisturbed};
use serde_json::Value;

/// Three concurrent flows of 2 Mbit/s with a profile of 1.1 times their rate, and six CUBIC flows
/// (twelve for a while), on 10 Mbit/s.
#[test]
#[ignore = "takes long: make test-kernel"]
fn guaranteed_flows_keep_their_rate_and_other_flows_get_the_rest() {
    let Some(_machine) = machine() else { return };
    let text = include_str!("../../../../scenarios/ef.toml");
    // The last of the three tables of transfers.
    let tables: Vec<&str> = text.split("[[transfer]]").collect();
    let [before, .., reserving] = tables[..] else {
        panic!("ef.toml has transfers")
    };
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("ef.toml");
    // A fourth flow starts when three have sent for two seconds. The traffic before it competes
    // with three guaranteed flows.
    assert!(reserving.contains("count = 3\n") && reserving.contains("spacing = \"3 s\"\n"));
    let reserving =
        reserving
            .replacen("count = 3", "count = 4", 1)
            .replacen("\"3 s\"", "\"2500 ms\"", 1);
    std::fs::write(&file, format!("{before}[[transfer]]{reserving}")).unwrap();
    let run = || {
        let ran = onramp(["lab", file.to_str().unwrap(), "--json"]).code(0);
        let records = ran.json().as_array().unwrap().clone();
        assert_eq!(records.len(), 4);
        records
    };
    let number = |record: &Value, key: &str| {
        record[key]
            .as_f64()
            .unwrap_or_else(|| panic!("{key}: {record}"))
    };
    let is_guaranteed = |record: &Value| {
        // The rate since the first byte, which arrives two round trips after the connect.
        let rate = number(record, "size_bytes") * 8.0 / (number(record, "completion_s") - 0.2);
        (1.96e6..2.04e6).contains(&rate)
            && number(record, "retransmitted_segments") == 0.0
            && number(record, "policed_packets") == 0.0
    };
    // The three flows use 6.2 Mbit/s with headers. The other flows get the rest.
    let others = |records: &[Value]| number(&records[3], "traffic_before_bytes_per_s") * 8.0;
    let is_right = |records: &Vec<Value>| {
        records.iter().all(is_guaranteed) && (3.3e6..3.9e6).contains(&others(records))
    };
    let records = undisturbed(run, is_right);
    for record in &records {
        assert!(is_guaranteed(record), "{record}");
    }
    assert!(is_right(&records), "{}", others(&records));
}
