//! The five senders that the paper compares, and the measurements of their first seconds.

use crate::{Bench, Flow, Run, Settings};

/// A sender's TCP.
#[derive(Clone, Copy, Debug)]
pub struct Sender {
    /// Its name in the paper.
    pub name: &'static str,
    keys: &'static [(&'static str, &'static str)],
    /// Whether an initial ssthresh ends its slow start. Vegas has a slow start of its own.
    has_threshold: bool,
}

pub const RENO: Sender = Sender {
    name: "Reno",
    keys: &[("transfer.recovery", "careful-reno")],
    has_threshold: true,
};
pub const NEWRENO: Sender = Sender {
    name: "NewReno",
    keys: &[],
    has_threshold: true,
};
pub const HOE: Sender = Sender {
    name: "Hoe",
    keys: &[("transfer.startup", "hoe")],
    has_threshold: true,
};
pub const VEGAS: Sender = Sender {
    name: "Vegas",
    keys: &[
        ("transfer.stack", "lite"),
        ("transfer.avoidance", "vegas"),
        ("transfer.clock", "1 ns"),
        ("transfer.tick", "1 ns"),
    ],
    has_threshold: false,
};
pub const ASTART: Sender = Sender {
    name: "Astart",
    keys: &[("transfer.startup", "astart")],
    has_threshold: true,
};

/// All of them.
pub const SENDERS: [Sender; 5] = [RENO, NEWRENO, HOE, VEGAS, ASTART];
/// Indexes in [`SENDERS`].
pub const OF_RENO: usize = 0;
pub const OF_NEWRENO: usize = 1;
pub const OF_HOE: usize = 2;
pub const OF_VEGAS: usize = 3;
pub const OF_ASTART: usize = 4;

/// An ssthresh above every window.
pub const NO_THRESHOLD: &str = "1 GB";

impl Sender {
    pub fn settings(&self) -> Settings {
        let threshold: &[(&str, &str)] = if self.has_threshold {
            &[]
        } else {
            &[("transfer.initial_ssthresh", NO_THRESHOLD)]
        };
        Settings::of(self.keys.iter().chain(threshold).copied())
    }
}

/// The first seconds of a sender, from when it could send.
#[derive(Clone, Copy, Debug)]
pub struct Beginning {
    /// Percentage of the bandwidth that its IP packets used at the bottleneck, in the first 10 and
    /// 20 s.
    pub utilization_10: f64,
    pub utilization_20: f64,
    /// Number of segments lost in 20 s.
    pub lost: usize,
    /// Maximum of losses within the time of a window: the RTT of the path and of its full buffer.
    pub lost_together: usize,
    /// Number of retransmission timeouts in 20 s.
    pub timeouts: usize,
}

/// The time from when a sender could send whose utilization the rows have.
#[derive(Clone, Copy)]
pub struct First {
    pub seconds: f64,
    pub utilization: fn(&Beginning) -> f64,
}

impl First {
    /// 20 s, unless an alternative has another time.
    pub fn of(bench: &Bench<'_>) -> First {
        match bench.measure("first") {
            None => First {
                seconds: 20.0,
                utilization: |beginning| beginning.utilization_20,
            },
            Some("10 s") => First {
                seconds: 10.0,
                utilization: |beginning| beginning.utilization_10,
            },
            Some(other) => panic!("no utilization is of the first {other}"),
        }
    }
}

impl Beginning {
    pub fn of(run: &Run<'_>) -> Beginning {
        let flow = run.transfer();
        let (from_s, _) = flow.established.expect("the connection stands");
        assert!(
            run.case
                .duration_ns
                .is_some_and(|end_ns| end_ns as f64 / 1e9 >= from_s + 20.0),
            "the run is long enough"
        );
        let utilization =
            |seconds: f64| 100.0 * rate(flow, from_s, from_s + seconds) / bandwidth(run);
        let until = |time_s: &f64| *time_s <= from_s + 20.0;
        let drops_s: Vec<f64> = flow.drops_s.iter().copied().filter(until).collect();
        Beginning {
            utilization_10: utilization(10.0),
            utilization_20: utilization(20.0),
            lost: drops_s.len(),
            lost_together: lost_together(run, &drops_s),
            timeouts: flow
                .timeouts
                .iter()
                .filter(|timeout| until(&timeout.at_s))
                .count(),
        }
    }
}

/// Maximum of losses within the time of a window: the RTT of the path and of its full buffer.
pub fn lost_together(run: &Run<'_>, drops_s: &[f64]) -> usize {
    let window_s = 2.0 * run.case.path.rtt_ns as f64 / 1e9;
    let together = |first: usize| {
        drops_s[first..].partition_point(|drop_s| *drop_s < drops_s[first] + window_s)
    };
    (0..drops_s.len()).map(together).max().unwrap_or(0)
}

/// The bottleneck's rate, in bits per second.
pub fn bandwidth(run: &Run<'_>) -> f64 {
    run.case.path.forward.rate_bits_per_s as f64
}

/// The rate of a flow at the bottleneck in this time, in bits of IP packets per second.
pub fn rate(flow: &Flow, from_s: f64, to_s: f64) -> f64 {
    (flow.carried.by(to_s) - flow.carried.by(from_s)) as f64 * 8.0 / (to_s - from_s)
}

/// Size of an IP packet.
pub fn packet_bytes(run: &Run<'_>) -> f64 {
    run.case.path.mtu_bytes.into()
}

/// Payload of a packet, without the headers of IP and TCP.
pub fn segment_bytes(run: &Run<'_>) -> f64 {
    packet_bytes(run) - 40.0
}

/// The BDP in packets.
pub fn bdp_packets(run: &Run<'_>) -> f64 {
    bandwidth(run) * run.case.path.rtt_ns as f64 / 8e9 / packet_bytes(run)
}
