//! The path that a group of connections crossed, as far as their senders can know it.

use onramp_kernel::Observation;
use onramp_report::statistics::{median, quantile};
use serde::Serialize;

/// IP and TCP headers of a data segment with timestamps, over IPv4.
const HEADER_BYTES: u32 = 52;

/// A queue of the sender's own has built up if the RTT rises by this share of the minimum ...
const QUEUE_RISE: f64 = 0.1;
/// ... and by this time, which is more than the noise of most paths.
const QUEUE_RISE_S: f64 = 1e-3;

/// The delivery rates of connections that filled the path, up to the bottleneck's.
const HIGH_QUANTILE: f64 = 0.9;

/// The RTT of a handshake that is less than this share of the RTT of payload is that of a proxy.
const PROXY_SHARE: f64 = 0.5;

/// Below this share of the busy time the receiver's window is no limit.
const LIMITED_SHARE: f64 = 0.1;

/// A window of this size at the beginning is that of a large buffer: Linux's default has 64 kB.
const LARGE_WINDOW_BYTES: u32 = 4 << 20;

/// More retransmissions in a round trip are a burst: a queue or a policer had no room.
const MAX_SINGLE_LOSSES: u32 = 4;

/// The room that a queue has at least: what leaves at once.
const MIN_QUEUE_SEGMENTS: f64 = 10.0;

/// So many handshakes show how much the RTT varies.
const MIN_HANDSHAKES: usize = 4;

/// A host's own timing varies by some 20 us. Less than this is not jitter of the path.
const MIN_JITTER_S: f64 = 2e-4;

/// A path, estimated.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Path {
    /// RTT without queues.
    pub rtt_s: f64,
    /// Payload that the bottleneck carries.
    pub rate_bytes_per_s: f64,
    /// No connection has filled the path: its rate is this or more.
    pub rate_is_lower_bound: bool,
    /// The room of the queue; `None`: no connection has filled it, and 1 BDP is assumed.
    pub queue_bytes: Option<f64>,
    /// Share of the segments that are lost without a queue: at random, or by a policer.
    pub loss: f64,
    /// Each packet is delayed by a random time of up to this.
    pub jitter_s: f64,
    /// The receiver's buffer.
    pub receiver: Receiver,
    /// Payload of a full segment.
    pub mss_bytes: u32,
}

/// What is known of the receiver's buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Receiver {
    /// The window grows as that of Linux with its default buffer.
    LinuxDefault,
    /// The window is large from the beginning.
    Large,
    /// The window held the sender up and is about this from the beginning.
    Window(u32),
}

/// The RTT of a connection without queues.
pub(crate) fn base_rtt_s(seen: &Observation) -> Option<f64> {
    let data_s = seen.min_rtt_s?;
    let handshake_s = seen.handshake_rtt_s;
    Some(
        match handshake_s.filter(|rtt_s| *rtt_s >= PROXY_SHARE * data_s) {
            Some(handshake_s) => handshake_s.min(data_s),
            None => data_s,
        },
    )
}

fn is_queue(rtt_s: Option<f64>, base_s: f64) -> bool {
    rtt_s.is_some_and(|rtt_s| rtt_s - base_s > (QUEUE_RISE * base_s).max(QUEUE_RISE_S))
}

impl Path {
    /// The path of these connections, which have an RTT. `None` if none has a rate.
    pub(crate) fn of(connections: &[&Observation]) -> Option<Path> {
        let base = |seen: &Observation| base_rtt_s(seen).unwrap_or(0.0);
        let rtt_s = quantile(connections.iter().map(|seen| base(seen)).collect(), 0.25);
        let rates = |of: &dyn Fn(&Observation) -> bool| -> Vec<f64> {
            let of = connections.iter().filter(|seen| of(seen));
            of.filter_map(|seen| Some(seen.rate_bytes_per_s? as f64))
                .collect()
        };
        let full = rates(&|seen| is_queue(seen.max_rtt_s, base(seen)));
        let rate_is_lower_bound = full.is_empty();
        let rate_bytes_per_s = match rate_is_lower_bound {
            // Those of short transfers are low, and a single one may be too high.
            false => quantile(full, HIGH_QUANTILE),
            true => rates(&|_| true).into_iter().reduce(f64::max)?,
        };
        let mss_bytes = connections.iter().map(|seen| seen.mss_bytes).max()?;
        Some(Path {
            rtt_s,
            rate_bytes_per_s,
            rate_is_lower_bound,
            queue_bytes: queue_bytes(connections, rate_bytes_per_s, mss_bytes),
            loss: loss(connections),
            jitter_s: jitter_s(connections),
            receiver: Receiver::of(connections),
            mss_bytes,
        })
    }

    /// Whether a queue overflowed, and nobody saw how much waited in it.
    pub(crate) fn has_unseen_queue(&self) -> bool {
        self.queue_bytes == Some(min_queue_bytes(self.mss_bytes))
    }

    /// The size of its packets.
    pub(crate) fn packet_bytes(&self) -> u32 {
        (self.mss_bytes + HEADER_BYTES).clamp(296, 9000)
    }

    /// Its rate, counted in IP packets.
    pub(crate) fn kbits_per_s(&self) -> u64 {
        let packets_per_s = self.rate_bytes_per_s / f64::from(self.mss_bytes);
        (packets_per_s * f64::from(self.packet_bytes()) * 8.0 / 1e3).max(1.0) as u64
    }

    /// The tables `[path]` and `[receiver]` of a scenario.
    pub(crate) fn tables(&self) -> String {
        let queue = match self.queue_bytes {
            Some(bytes) => format!("{:.0} B", bytes),
            None => "1 bdp".to_owned(),
        };
        let receiver = match self.receiver {
            Receiver::LinuxDefault => "linux-default".to_owned(),
            Receiver::Large => "64 MiB".to_owned(),
            Receiver::Window(bytes) => format!("{} B", bytes.max(4096)),
        };
        let (kbits_per_s, mtu_bytes) = (self.kbits_per_s(), self.packet_bytes());
        let (rtt_us, loss_percent) = (self.rtt_s * 1e6, self.loss * 100.0);
        let jitter = match self.jitter_s > 0.0 {
            true => format!("jitter = \"{:.0} us\"\n", self.jitter_s * 1e6),
            false => String::new(),
        };
        format!(
            "[path]\nrate = \"{kbits_per_s} kbit/s\"\nrtt = \"{rtt_us:.0} us\"\n\
             mtu = \"{mtu_bytes} B\"\nqueue = \"{queue}\"\nloss = \"{loss_percent:.4} %\"\n{jitter}\
             \n[receiver]\nbuffer = \"{receiver}\"\n"
        )
    }
}

/// Whether its losses came many at a time.
fn is_burst(seen: &Observation) -> bool {
    seen.retransmitted_segments > MAX_SINGLE_LOSSES * seen.loss_rounds
}

fn min_queue_bytes(mss_bytes: u32) -> f64 {
    MIN_QUEUE_SEGMENTS * f64::from(mss_bytes + HEADER_BYTES)
}

/// The room of the queue: what waited in it when it overflowed, or at least what has waited in it.
fn queue_bytes(connections: &[&Observation], rate: f64, mss_bytes: u32) -> Option<f64> {
    let waited = |seen: &&Observation| {
        let base_s = base_rtt_s(seen)?;
        let rtt_s = seen
            .max_rtt_s
            .filter(|_| is_queue(seen.max_rtt_s, base_s))?;
        Some((rtt_s - base_s) * rate)
    };
    let overflowed = connections
        .iter()
        .filter(|seen| seen.retransmitted_segments > 0);
    // A burst whose RTT nobody saw: the queue is short.
    let room = |seen: &&Observation| waited(seen).or(is_burst(seen).then_some(0.0));
    let overflowed: Vec<f64> = overflowed.filter_map(room).collect();
    let floor = min_queue_bytes(mss_bytes);
    if !overflowed.is_empty() {
        return Some(median(overflowed).max(floor));
    }
    // No loss: the queue has room for more.
    let waited = connections.iter().filter_map(waited);
    let most = waited.reduce(f64::max)?;
    let bdp = rate
        * connections
            .iter()
            .filter_map(|seen| base_rtt_s(seen))
            .reduce(f64::min)?;
    Some((2.0 * most).max(bdp).max(floor))
}

/// The share of segments that are lost one by one, without a queue.
fn loss(connections: &[&Observation]) -> f64 {
    let is_single = |seen: &Observation| {
        let before_loss = seen.loss_rtt_s.or(seen.max_rtt_s);
        let base_s = base_rtt_s(seen);
        !is_burst(seen) && base_s.is_some_and(|base_s| !is_queue(before_loss, base_s))
    };
    let (mut sent, mut lost) = (0, 0);
    for seen in connections.iter().filter(|seen| is_single(seen)) {
        sent += u64::from(seen.sent_segments);
        lost += u64::from(seen.retransmitted_segments);
    }
    (lost as f64 / sent.max(1) as f64).min(0.5)
}

/// The jitter of the path: what spreads the RTTs of the handshakes, which meet no queue of the
/// sender's own. Clients at different distances spread them too, but not their difference to the
/// minimum RTT of the same connection. What a short last segment takes less at the bottleneck
/// spreads only this difference. So the smaller spread counts.
fn jitter_s(connections: &[&Observation]) -> f64 {
    let both = connections.iter().filter_map(|seen| {
        let (handshake_s, data_s) = (seen.handshake_rtt_s?, seen.min_rtt_s?);
        let is_of_proxy = handshake_s < PROXY_SHARE * data_s;
        (!is_of_proxy).then_some((handshake_s, handshake_s - data_s))
    });
    let (handshakes_s, differences_s): (Vec<f64>, Vec<f64>) = both.unzip();
    if handshakes_s.len() < MIN_HANDSHAKES {
        return 0.0;
    }
    let jitter_s = width(&handshakes_s).min(width(&differences_s));
    match jitter_s >= MIN_JITTER_S {
        true => jitter_s,
        false => 0.0,
    }
}

/// The width of the uniform distribution from which these values are: their mean distance from the
/// median is a quarter of it, and less by one part in their number, which is small.
fn width(values: &[f64]) -> f64 {
    let (count, middle) = (values.len() as f64, median(values.to_vec()));
    let distances = values.iter().map(|value| (value - middle).abs());
    4.0 * distances.sum::<f64>() / (count - 1.0)
}

impl Receiver {
    /// The receiver of the connection that sent most says most.
    fn of(connections: &[&Observation]) -> Receiver {
        let bytes = |seen: &Observation| -> u64 {
            seen.transfers.iter().map(|transfer| transfer.bytes).sum()
        };
        let Some(seen) = connections.iter().max_by_key(|seen| bytes(seen)) else {
            return Receiver::LinuxDefault;
        };
        // A buffer that the application chose is offered at once.
        if seen.first_window_bytes > LARGE_WINDOW_BYTES {
            return Receiver::Large;
        }
        let grown = seen
            .max_window_bytes
            .saturating_sub(seen.first_window_bytes);
        match seen.receiver_limited > LIMITED_SHARE && grown < seen.first_window_bytes / 2 {
            true => Receiver::Window(seen.first_window_bytes),
            false => Receiver::LinuxDefault,
        }
    }
}
