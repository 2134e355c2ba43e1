//! Every loss recovery with this machine's kernel, in both directions, over a path that loses
//! packets.
//!
//! `make interworking` moves 100 MB in each transfer; `make test`, in a debug build, less.

use super::peer::{accept, generated, read_all, report, sha256, write_all, Host};
use onramp_scenario::units::parse_size;
use onramp_tcp::Recovery;
use serde_json::Value;

/// A path of 1 Gbit/s with an RTT of 4 ms that loses 1 % in each direction.
const PATH: [&str; 6] = ["--rate", "1Gbit/s", "--delay", "2ms", "--loss", "1%"];

/// Bytes in a transfer.
fn size_bytes() -> u64 {
    let size = std::env::var("ONRAMP_INTERWORKING_SIZE").unwrap_or_else(|_| "3 MB".to_owned());
    parse_size(&size).unwrap_or_else(|error| panic!("ONRAMP_INTERWORKING_SIZE: {error}"))
}

fn print(recovery: Recovery, direction: &str, report: &Value) {
    let number = |key: &str| report[key].as_f64().unwrap();
    eprintln!(
        "{:8} {direction:9} {:7.2} s {:7.1} Mbit/s {:6} retransmitted {:4} timeouts \
         {:5} duplicates",
        recovery.name(),
        number("time_s"),
        number("goodput_bytes_per_s") * 8e-6,
        number("retransmitted_segments"),
        number("timeouts"),
        number("duplicates_received"),
    );
}

#[track_caller]
fn sends(recovery: Recovery) {
    let Some(host) = Host::new() else { return };
    let size = size_bytes();
    let size_text = format!("{size} B");
    let serve = host.serve(
        &[
            &PATH[..],
            &[
                "--recovery",
                recovery.name(),
                "--size",
                &size_text,
                "--once",
            ],
        ]
        .concat(),
    );
    let received = read_all(&host.connect());
    let report = report(serve);
    print(recovery, "sends", &report);
    assert_eq!(
        (received.len() as u64, &report["sent_bytes"]),
        (size, &size.into())
    );
    assert!(
        received == generated(size),
        "what arrived is not what is sent"
    );
    assert_eq!(report["sent_sha256"], sha256(&received));
    assert_eq!(report["packets"]["damaged"], 0);
    let lost = size as f64 / 1448.0 / 100.0;
    let sent_again = report["retransmitted_segments"].as_f64().unwrap();
    assert!(
        sent_again > lost / 2.0,
        "about {lost:.0} segments were lost, and {sent_again} retransmitted"
    );
}

#[track_caller]
fn receives(recovery: Recovery) {
    let Some(host) = Host::new() else { return };
    let dir = tempfile::tempdir().unwrap();
    let output = dir.path().join("output");
    let (listener, bytes) = (host.listen(), generated(size_bytes()));
    let output_text = output.to_str().unwrap();
    let get = host.get(
        &[
            &PATH[..],
            &["--recovery", recovery.name(), "--output", output_text],
        ]
        .concat(),
    );
    write_all(&accept(&listener), &bytes);
    let report = report(get);
    print(recovery, "receives", &report);
    assert!(
        std::fs::read(&output).unwrap() == bytes,
        "what was written is not what was sent"
    );
    assert_eq!(report["received_sha256"], sha256(&bytes));
    assert_eq!(report["packets"]["damaged"], 0);
}

macro_rules! each {
    ($($name:ident: $recovery:ident,)*) => { $(
        mod $name {
            use super::*;

            #[test]
            fn sends() {
                super::sends(Recovery::$recovery);
            }

            #[test]
            fn receives() {
                super::receives(Recovery::$recovery);
            }
        }
    )* };
}

each! {
    tahoe: Tahoe,
    reno: Reno,
    newreno: NewReno,
    sack: Sack,
    prr: Prr,
    rack: Rack,
}
