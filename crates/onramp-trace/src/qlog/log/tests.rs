//! The log of a short transfer, read back.

use crate::format::Format;
use crate::testing;
use serde_json::Value;

fn log(max_entries: u64) -> Vec<Value> {
    let (name, text) = testing::written(&[Format::Qlog], max_entries).remove(0);
    assert_eq!(name, "case-1-flow-0.sqlog");
    let texts = text.split('\u{1e}').skip(1);
    texts
        .map(|text| serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}")))
        .collect()
}

#[test]
fn a_short_transfer_is_logged() {
    insta::assert_snapshot!(testing::written(&[Format::Qlog], u64::MAX)
        .remove(0)
        .1
        .replace('\u{1e}', ""));
}

#[test]
fn the_header_is_that_of_a_sequence() {
    let log = log(u64::MAX);
    assert_eq!(
        (&log[0]["qlog_version"], &log[0]["qlog_format"]),
        (&"0.3".into(), &"JSON-SEQ".into())
    );
    assert_eq!(log[0]["trace"]["common_fields"]["time_format"], "relative");
    assert_eq!(log[0]["trace"]["common_fields"]["reference_time"], 0);
}

#[test]
fn acknowledged_packets_were_sent() {
    let log = log(u64::MAX);
    let numbers = |name: &str| -> Vec<u64> {
        let events = log.iter().filter(|event| event["name"] == name);
        events
            .map(|event| event["data"]["header"]["packet_number"].as_u64().unwrap())
            .collect()
    };
    let sent = numbers("transport:packet_sent");
    assert!(sent.iter().copied().eq(0..sent.len() as u64));
    let lost = numbers("recovery:packet_lost");
    let mut acked: Vec<u64> = Vec::new();
    for event in log
        .iter()
        .filter(|event| event["name"] == "transport:packet_received")
    {
        for frame in event["data"]["frames"].as_array().unwrap() {
            for range in frame["acked_ranges"].as_array().unwrap() {
                acked.extend(range[0].as_u64().unwrap()..=range[1].as_u64().unwrap());
            }
        }
    }
    assert!(!acked.is_empty() && !lost.is_empty());
    assert!(acked
        .iter()
        .all(|number| sent.contains(number) && !lost.contains(number)));
}

#[test]
fn a_log_that_ends_at_its_limit_has_a_warning() {
    let log = log(5);
    assert_eq!(log.len(), 1 + 5 + 1);
    assert_eq!(log[6]["name"], "generic:warning");
    assert!(log[6]["data"]["message"]
        .as_str()
        .unwrap()
        .starts_with("the limit of 5 events was reached"));
}

/// RFC 3168: flags of the TCP header, and the field of the IP header, as qlog names its values.
#[test]
fn ecn_is_logged_where_a_segment_has_it() {
    use onramp_tcp::{EcnField, Flags, Segment};
    let text = |ecn| {
        let flags = Flags::ACK.with(Flags::ECE).with(Flags::CWR);
        let segment = Segment {
            flags,
            ecn,
            ..Segment::default()
        };
        super::Tcp(&segment).to_string()
    };
    let flags = r#""flags":["ACK","ECE","CWR"]"#;
    assert!(text(EcnField::NotEct).ends_with(flags));
    for (ecn, name) in [
        (EcnField::Ect0, "ECT(0)"),
        (EcnField::Ect1, "ECT(1)"),
        (EcnField::Ce, "CE"),
    ] {
        assert!(text(ecn).ends_with(&format!(r#"{flags},"ecn":"{name}""#)));
    }
}
