//! A result of M-Lab's ndt7: `tcp_info` of the server's connection each quarter of a second. The
//! server sends as much as it can for ten seconds.

use super::snapshots::{observation, Snapshot, TcpInfo};
use super::ImportError;
use onramp_kernel::{prefix, Observation, Observations, Observed, ObservedTransfer};
use serde::Deserialize;
use std::io::Read;
use std::net::IpAddr;

/// A result is smaller than this: some 100 snapshots of 1 kB.
const MAX_BYTES: u64 = 16 << 20;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Test {
    #[serde(rename = "ClientIP")]
    client: IpAddr,
    server_port: u16,
    download: Option<Download>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Download {
    #[serde(default)]
    server_measurements: Vec<Measurement>,
}

#[derive(Deserialize)]
struct Measurement {
    #[serde(rename = "BBRInfo")]
    bbr: Option<serde_json::Value>,
    #[serde(rename = "TCPInfo")]
    tcp: Option<Timed>,
}

#[derive(Deserialize)]
struct Timed {
    /// Microseconds since the connection was established.
    #[serde(rename = "ElapsedTime")]
    elapsed_us: u64,
    #[serde(flatten)]
    tcp: TcpInfo,
}

pub(super) fn read(input: impl Read) -> Result<Observations, ImportError> {
    let test: Test = serde_json::from_reader(input.take(MAX_BYTES))?;
    let measurements = test
        .download
        .ok_or(ImportError::NothingSent)?
        .server_measurements;
    let is_bbr = measurements.iter().any(|one| one.bbr.is_some());
    let timed = measurements.into_iter().filter_map(|one| one.tcp);
    let snapshots: Vec<Snapshot> = timed
        .map(|one| Snapshot {
            at_s: one.elapsed_us as f64 / 1e6,
            tcp: one.tcp,
        })
        .collect();
    let (Some(seen), Some(last)) = (observation(&snapshots), snapshots.last()) else {
        return Err(ImportError::NothingSent);
    };
    let connection = Observation {
        destination: prefix(test.client),
        port: test.server_port,
        accepted: true,
        congestion_control: if is_bbr { "bbr" } else { "cubic" }.to_owned(),
        transfers: vec![ObservedTransfer {
            start_s: 0.0,
            time_s: last.at_s,
            bytes: last.tcp.bytes_acked,
        }],
        transfer_count: 1,
        complete: true,
        duration_s: last.at_s,
        ..seen
    };
    Ok(Observations {
        kernel: String::new(),
        for_s: connection.duration_s,
        observed: Observed {
            opened: 1,
            ended: 1,
            ..Observed::default()
        },
        connections: vec![connection],
    })
}
