//! A result of M-Lab's ndt7: `tcp_info` of the server's connection each quarter of a second. The
//! server sends as much as it can for ten seconds.

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
    server_measurements: Vec<Snapshot>,
}

#[derive(Deserialize)]
struct Snapshot {
    #[serde(rename = "BBRInfo")]
    bbr: Option<serde_json::Value>,
    #[serde(rename = "TCPInfo")]
    tcp: Option<TcpInfo>,
}

/// The names of the kernel's `struct tcp_info`. Times are in microseconds.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct TcpInfo {
    app_limited: u8,
    #[serde(rename = "SndMSS")]
    snd_mss: u32,
    #[serde(rename = "RTT")]
    rtt: u32,
    #[serde(rename = "MinRTT")]
    min_rtt: u32,
    snd_cwnd: u32,
    total_retrans: u32,
    bytes_acked: u64,
    data_segs_out: u32,
    delivery_rate: u64,
    busy_time: u64,
    #[serde(rename = "RWndLimited")]
    rwnd_limited: u64,
    snd_buf_limited: u64,
    /// Linux 5.4 and later have it.
    #[serde(default)]
    snd_wnd: u32,
    elapsed_time: u64,
}

pub(super) fn read(input: impl Read) -> Result<Observations, ImportError> {
    let test: Test = serde_json::from_reader(input.take(MAX_BYTES))?;
    let measurements = test
        .download
        .ok_or(ImportError::NothingSent)?
        .server_measurements;
    let is_bbr = measurements.iter().any(|snapshot| snapshot.bbr.is_some());
    let infos: Vec<TcpInfo> = measurements.into_iter().filter_map(|one| one.tcp).collect();
    let (Some(first), Some(last)) = (infos.first(), infos.last()) else {
        return Err(ImportError::NothingSent);
    };
    let seconds = |us: u64| us as f64 / 1e6;
    let share = |us: u64| us as f64 / last.busy_time.max(1) as f64;
    let rates = infos.iter().filter(|info| info.app_limited == 0);
    let rtts = || infos.iter().map(|info| info.rtt);
    let is_lossy = |pair: &&[TcpInfo]| pair[1].total_retrans > pair[0].total_retrans;
    let first_loss = infos.iter().find(|info| info.total_retrans > 0);
    let connection = Observation {
        destination: prefix(test.client),
        port: test.server_port,
        accepted: true,
        congestion_control: if is_bbr { "bbr" } else { "cubic" }.to_owned(),
        transfers: vec![ObservedTransfer {
            start_s: 0.0,
            time_s: seconds(last.elapsed_time),
            bytes: last.bytes_acked,
        }],
        transfer_count: 1,
        complete: true,
        duration_s: seconds(last.elapsed_time),
        handshake_rtt_s: None,
        min_rtt_s: Some(seconds(last.min_rtt.into())),
        max_rtt_s: rtts().max().map(|us| seconds(us.into())),
        rounds: (last.elapsed_time / u64::from(last.rtt.max(1))) as u32,
        rate_bytes_per_s: rates.map(|info| info.delivery_rate).max(),
        mss_bytes: last.snd_mss,
        sent_segments: last.data_segs_out,
        retransmitted_segments: last.total_retrans,
        marked_segments: 0,
        first_loss_bytes: first_loss.map(|info| info.bytes_acked),
        loss_rtt_s: first_loss.map(|info| seconds(info.rtt.into())),
        loss_rounds: infos.windows(2).filter(is_lossy).count() as u32,
        initial_cwnd_segments: 0,
        max_cwnd_segments: infos.iter().map(|info| info.snd_cwnd).max().unwrap_or(0),
        first_window_bytes: first.snd_wnd,
        max_window_bytes: infos.iter().map(|info| info.snd_wnd).max().unwrap_or(0),
        receiver_limited: share(last.rwnd_limited),
        buffer_limited: share(last.snd_buf_limited),
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
