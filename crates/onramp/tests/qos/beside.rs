//! Guaranteed flows and best-effort flows share a link, on this kernel.

use crate::common::{machine, onramp};
use serde_json::Value;

/// Three concurrent flows of 2 Mbit/s with a profile of 1.1 times their rate, and six CUBIC flows
/// (twelve for a while), on 10 Mbit/s.
#[test]
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
    let records = onramp(["lab", file.to_str().unwrap(), "--json"])
        .code(0)
        .json();
    let records = records.as_array().unwrap();
    assert_eq!(records.len(), 4);
    let number = |record: &Value, key: &str| {
        record[key]
            .as_f64()
            .unwrap_or_else(|| panic!("{key}: {record}"))
    };
    for record in records {
        // The rate since the first byte, which arrives two round trips after the connect.
        let rate = number(record, "size_bytes") * 8.0 / (number(record, "completion_s") - 0.2);
        assert!((1.96e6..2.04e6).contains(&rate), "{rate}: {record}");
        assert_eq!(
            (
                number(record, "retransmitted_segments"),
                number(record, "policed_packets")
            ),
            (0.0, 0.0)
        );
    }
    // The three flows use 6.2 Mbit/s with headers. The other flows get the rest.
    let others = number(&records[3], "traffic_before_bytes_per_s") * 8.0;
    assert!((3.3e6..3.9e6).contains(&others), "{others}");
}
