//! What snapshots of the kernel's `struct tcp_info` tell about a connection.

use onramp_kernel::Observation;
use serde::Deserialize;

/// The names of the kernel's `struct tcp_info`. Times are in microseconds, except for
/// `last_ack_recv`. Kernels lack the fields that are newer than they are: these are zero.
#[derive(Clone, Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub(super) struct TcpInfo {
    pub(super) app_limited: u8,
    #[serde(rename = "SndMSS")]
    pub(super) snd_mss: u32,
    pub(super) unacked: u32,
    /// In milliseconds.
    pub(super) last_ack_recv: u32,
    #[serde(rename = "RTT")]
    pub(super) rtt: u32,
    pub(super) snd_cwnd: u32,
    pub(super) total_retrans: u32,
    pub(super) bytes_acked: u64,
    pub(super) notsent_bytes: u32,
    /// `u32::MAX`: not measured.
    #[serde(rename = "MinRTT")]
    pub(super) min_rtt: u32,
    pub(super) data_segs_out: u32,
    pub(super) delivery_rate: u64,
    /// Time with payload to send, limited or not.
    pub(super) busy_time: u64,
    #[serde(rename = "RWndLimited")]
    pub(super) rwnd_limited: u64,
    pub(super) snd_buf_limited: u64,
    #[serde(rename = "DeliveredCE")]
    pub(super) delivered_ce: u32,
    /// Linux 5.4 and later have it.
    pub(super) snd_wnd: u32,
}

impl TcpInfo {
    /// Everything that the application wrote was acknowledged.
    pub(super) fn is_idle(&self) -> bool {
        self.unacked == 0 && self.notsent_bytes == 0
    }
}

/// The state of a connection at a time.
#[derive(Clone)]
pub(super) struct Snapshot {
    /// Since a time that all snapshots of the connection share.
    pub(super) at_s: f64,
    pub(super) tcp: TcpInfo,
}

pub(super) fn seconds(us: u64) -> f64 {
    us as f64 / 1e6
}

/// A connection, without its ends, its congestion control and its transfers. `None`: there is no
/// snapshot.
pub(super) fn observation(snapshots: &[Snapshot]) -> Option<Observation> {
    let (first, last) = (snapshots.first()?, snapshots.last()?);
    let infos = || snapshots.iter().map(|snapshot| &snapshot.tcp);
    let last_tcp = &last.tcp;
    let share = |us: u64| us as f64 / last_tcp.busy_time.max(1) as f64;
    let unlimited = infos().filter(|tcp| tcp.app_limited == 0);
    let first_loss = infos().find(|tcp| tcp.total_retrans > 0);
    let duration_s = last.at_s - first.at_s;
    Some(Observation {
        duration_s,
        min_rtt_s: is_measured(last_tcp.min_rtt).then(|| seconds(last_tcp.min_rtt.into())),
        max_rtt_s: infos().map(|tcp| seconds(tcp.rtt.into())).reduce(f64::max),
        rounds: (last_tcp.busy_time / u64::from(last_tcp.rtt.max(1))) as u32,
        rate_bytes_per_s: unlimited
            .map(|tcp| tcp.delivery_rate)
            .max()
            .filter(|rate| *rate > 0),
        mss_bytes: last_tcp.snd_mss,
        sent_segments: last_tcp.data_segs_out,
        retransmitted_segments: last_tcp.total_retrans,
        marked_segments: last_tcp.delivered_ce,
        first_loss_bytes: first_loss.map(|tcp| tcp.bytes_acked),
        loss_rtt_s: first_loss.map(|tcp| seconds(tcp.rtt.into())),
        loss_rounds: loss_rounds(snapshots),
        max_cwnd_segments: infos().map(|tcp| tcp.snd_cwnd).max().unwrap_or(0),
        first_window_bytes: first.tcp.snd_wnd,
        max_window_bytes: infos().map(|tcp| tcp.snd_wnd).max().unwrap_or(0),
        receiver_limited: share(last_tcp.rwnd_limited),
        buffer_limited: share(last_tcp.snd_buf_limited),
        ..Observation::default()
    })
}

fn is_measured(min_rtt: u32) -> bool {
    min_rtt != 0 && min_rtt != u32::MAX
}

/// Round trips in which something was retransmitted. Several snapshots may show parts of one.
fn loss_rounds(snapshots: &[Snapshot]) -> u32 {
    let (mut count, mut over_s) = (0, f64::NEG_INFINITY);
    for pair in snapshots.windows(2) {
        let (before, now) = (&pair[0].tcp, &pair[1]);
        if now.tcp.total_retrans > before.total_retrans && now.at_s >= over_s {
            count += 1;
            over_s = now.at_s + seconds(now.tcp.rtt.into());
        }
    }
    count
}
