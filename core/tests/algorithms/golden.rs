//! The decisions on one path, as text: a change of behaviour shows as a difference.

use crate::flights::{start, MS};
use crate::path::{Path, Transfer};
use onramp_core::{exit_name, fnv1a, phase_name, Clock, Decision, Start, UNLIMITED};
use std::fmt::Write;

/// FNV-1a over every member of every decision.
fn digest(transfer: &Transfer) -> u64 {
    let members = transfer.steps.iter().flat_map(|step| {
        let d = step.decision;
        [
            d.cwnd_bytes,
            d.ssthresh_bytes,
            d.pacing_bytes_per_s,
            d.estimate_bytes_per_s,
            d.phase.into(),
            d.exit.into(),
        ]
    });
    fnv1a(members.flat_map(u64::to_le_bytes))
}

fn number(value: u64) -> String {
    if value == UNLIMITED {
        "-".to_string()
    } else {
        value.to_string()
    }
}

/// Each change of phase or of the value of `what`, and every `stride`-th ACK of each phase.
fn table(transfer: &Transfer, stride: usize, what: impl Fn(&Decision) -> u64) -> String {
    let mut table = format!(
        "{:>5} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}  phase\n",
        "ack", "us", "inflight", "cwnd", "ssthresh", "pacing", "estimate"
    );
    let mut before = (u32::MAX, 0);
    for (i, step) in transfer.steps.iter().enumerate() {
        let d = &step.decision;
        if before == (d.phase, what(d)) && i % stride != 0 {
            continue;
        }
        before = (d.phase, what(d));
        let exit = if d.exit == 0 {
            String::new()
        } else {
            format!(" ({})", exit_name(d.exit))
        };
        writeln!(
            table,
            "{:>5} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}  {}{exit}",
            i + 1,
            step.ack.now_ns / 1000,
            step.ack.inflight_bytes,
            d.cwnd_bytes,
            number(d.ssthresh_bytes),
            number(d.pacing_bytes_per_s),
            d.estimate_bytes_per_s,
            phase_name(d.phase)
        )
        .unwrap();
        if d.exit != 0 {
            break;
        }
    }
    writeln!(table, "digest of all decisions: {:016x}", digest(transfer)).unwrap();
    table
}

/// What a start-up decides on 50 Mbit/s and 600 ms.
fn on_50_mbit_per_s_and_600_ms(startup: &str, acks: usize) -> Transfer {
    let path = Path {
        rate_bytes_per_s: 6_250_000,
        delay_ns: 600 * MS,
        mss_bytes: 1448,
    };
    let clock = Clock {
        measure_ns: 1,
        event_ns: 50_000,
    };
    path.transfer(
        startup,
        Start {
            clock,
            cwnd_bytes: 14_480,
            ..start()
        },
        acks,
    )
}

#[test]
fn paced_on_50_mbit_per_s_and_600_ms() {
    let transfer = on_50_mbit_per_s_and_600_ms("paced", 4000);
    insta::assert_snapshot!(table(&transfer, 100, |decision| decision.estimate_bytes_per_s));
}

/// Its estimate and its ssthresh change with almost every ACK.
#[test]
fn astart_on_50_mbit_per_s_and_600_ms() {
    insta::assert_snapshot!(table(
        &on_50_mbit_per_s_and_600_ms("astart", 8000),
        400,
        |_| 0
    ));
}

/// A tenth of the path is reserved: cwnd follows from the first round trip on.
#[test]
fn qos_on_50_mbit_per_s_and_600_ms() {
    let path = Path {
        rate_bytes_per_s: 6_250_000,
        delay_ns: 600 * MS,
        mss_bytes: 1448,
    };
    let transfer = path.transfer(
        "qos",
        Start {
            pace_bytes_per_s: 625_000,
            cwnd_bytes: 14_480,
            ..start()
        },
        1000,
    );
    insta::assert_snapshot!(table(&transfer, 100, |decision| decision.cwnd_bytes));
}

#[test]
fn hoe_on_50_mbit_per_s_and_600_ms() {
    let transfer = on_50_mbit_per_s_and_600_ms("hoe", 4000);
    insta::assert_snapshot!(table(&transfer, 400, |decision| decision.estimate_bytes_per_s));
}

/// The estimate follows the path: cwnd grows until the delivery rate no longer does.
#[test]
fn onramp_on_50_mbit_per_s_and_600_ms() {
    let transfer = on_50_mbit_per_s_and_600_ms("onramp", 12_000);
    insta::assert_snapshot!(table(&transfer, 400, |decision| decision.estimate_bytes_per_s));
}
