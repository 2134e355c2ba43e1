//! Made-up results of a sweep.

#![allow(dead_code, reason = "not every test needs all of it")]

use onramp_report::{Meta, Run};
use onramp_results::Record;
use onramp_testing::samples::{record, run, Setup, SATELLITE, SHALLOW};

const STARTUPS: [&str; 4] = ["none", "paced", "gamma", "onramp"];
const RATES_MBIT_S: [u64; 6] = [5, 10, 20, 50, 100, 250];
const RTTS_MS: [f64; 7] = [10.0, 20.0, 40.0, 80.0, 160.0, 320.0, 600.0];
const QUEUES: [&str; 3] = ["0.2 bdp", "0.5 bdp", "1 bdp"];
const SIZES: [u64; 10] = [10, 30, 100, 200, 300, 500, 1000, 3000, 5000, 10_000];

/// As many runs as are wanted, up to 5,040 with different conditions; then further repeats.
pub fn runs(count: usize) -> Vec<Run> {
    (0..count).map(one).collect()
}

fn one(at: usize) -> Run {
    let mut rest = at;
    let mut next = |values: usize| {
        let value = rest % values;
        rest /= values;
        value
    };
    let startup = next(STARTUPS.len());
    let (rate, rtt) = (next(RATES_MBIT_S.len()), next(RTTS_MS.len()));
    let (queue, size) = (next(QUEUES.len()), next(SIZES.len()));
    let mut record = record("sweep", STARTUPS[startup], "cubic", rest as u32 + 1);
    record.rate_bits_per_s = RATES_MBIT_S[rate] * 1_000_000;
    record.rtt_ms = RTTS_MS[rtt];
    record.queue = QUEUES[queue].to_owned();
    record.size_bytes = SIZES[size] * 1000;
    record.bound_s =
        2.0 * record.rtt_ms / 1e3 + record.size_bytes as f64 * 8.3 / record.rate_bits_per_s as f64;
    let wasted = [5.0, 2.0, 3.1, 1.1][startup] * (1.0 + 0.01 * f64::from(record.run));
    record.complete(record.bound_s + wasted * record.rtt_ms / 1e3);
    record.retransmitted_segments = (at % 37) as u64;
    Run {
        record,
        trace: None,
    }
}

/// Transfers with traces: more groups than are open at once.
pub fn traced() -> Vec<Run> {
    let mut runs = Vec::new();
    for setup in [SATELLITE, SHALLOW] {
        for size_bytes in [100_000, 200_000, 400_000, 800_000] {
            for startup in ["none", "paced"] {
                let setup = Setup {
                    size_bytes,
                    ..setup.clone()
                };
                let (record, trace) = run(&setup, startup, "cubic", 1);
                runs.push(Run {
                    record: Record {
                        exit_reason: "unfinished".to_owned(),
                        ..record
                    },
                    trace: Some(trace),
                });
            }
        }
    }
    runs
}

pub fn meta() -> Meta {
    Meta {
        title: "A sweep".into(),
        what: "Simulated transfers.".into(),
        scenarios: vec![("sweep".into(), "Many paths.".into())],
        version: "0.1.0".into(),
        command: "onramp sim sweep.toml --out out".into(),
        date: "2031-05-04".into(),
        kernel_release: String::new(),
        cpus: 0,
    }
}
