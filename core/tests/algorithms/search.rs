//! `search`: when its comparison has data, what passes its threshold, and how each version leaves
//! slow start.

use crate::flights::{start, MS, MSS};
use crate::path::{Path, Transfer};
use onramp_core::{
    exit_name, phase_name, Ack, Decision, SearchVersion, Start, Startup, ACK_CWND_LIMITED,
    LOSS_RECOVERY, PHASE_DRAIN, PHASE_SLOW_START, UNLIMITED,
};

const SEGMENT: u64 = MSS as u64;
const RTT_NS: u64 = 100 * MS;
/// The satellite of the draft's measurements: 50 Mbit/s, 600 ms.
const SATELLITE: Path = Path {
    rate_bytes_per_s: 6_250_000,
    delay_ns: 600 * MS,
    mss_bytes: 1448,
};

fn version(name: &str) -> SearchVersion {
    SearchVersion::named(name).unwrap()
}

/// A sender whose rate and whose delivery rate the test chooses, in bytes for each 10 ms.
struct Flow {
    startup: Startup,
    decision: Decision,
    ack: Ack,
    sent: u64,
}

impl Flow {
    fn new(version: SearchVersion) -> Flow {
        let mut startup = Startup::new("search").unwrap();
        let decision = startup.start(&Start {
            variant: version.bits("search"),
            ..start()
        });
        let ack = Ack {
            rtt_ns: RTT_NS,
            srtt_ns: RTT_NS,
            mss_bytes: MSS,
            ssthresh_bytes: UNLIMITED,
            flags: ACK_CWND_LIMITED,
            ..Ack::default()
        };
        Flow {
            startup,
            decision,
            ack,
            sent: 0,
        }
    }

    /// 10 ms later, `sent` bytes more have left and `delivered` more have arrived.
    fn step(&mut self, sent: u64, delivered: u64) -> Decision {
        self.sent += sent;
        let delivered_bytes = self.ack.delivered_bytes + delivered;
        self.ack = Ack {
            now_ns: self.ack.now_ns + 10 * MS,
            acked_bytes: delivered,
            delivered_bytes,
            inflight_bytes: self.sent - delivered_bytes,
            cwnd_bytes: self.decision.cwnd_bytes,
            ..self.ack
        };
        self.decision = self.startup.ack(&self.ack);
        self.decision
    }

    /// Rounds of ten steps. What is sent in a round is delivered in the next, up to a limit.
    fn rounds(&mut self, rounds: u32, limit: u64) -> Decision {
        for _ in 0..rounds {
            let delivered = self.last_round().min(limit);
            for _ in 0..10 {
                if self.decision.phase != PHASE_SLOW_START {
                    return self.decision;
                }
                self.step(2 * delivered, delivered);
            }
        }
        self.decision
    }

    /// What a step of the last round sent.
    fn last_round(&self) -> u64 {
        self.ack.acked_bytes.max(500) * 2
    }
}

fn slow_start_on(path: &Path, version: SearchVersion, acks: usize) -> Transfer {
    path.transfer(
        "search",
        Start {
            cwnd_bytes: 14_480,
            variant: version.bits("search"),
            ..start()
        },
        acks,
    )
}

/// The ACK at which the start-up left slow start, and the last decision.
fn exit(transfer: &Transfer) -> (Ack, Decision) {
    let left = transfer
        .steps
        .iter()
        .find(|step| step.decision.phase != PHASE_SLOW_START);
    let done = transfer.steps.iter().find(|step| step.decision.exit != 0);
    (left.unwrap().ack, done.unwrap().decision)
}

#[test]
fn deliveries_that_follow_what_was_sent_never_end_slow_start() {
    for version in SearchVersion::all() {
        let mut flow = Flow::new(version);
        let decision = flow.rounds(25, u64::MAX);
        assert_eq!(
            phase_name(decision.phase),
            "slow-start",
            "{}",
            version.name()
        );
    }
}

/// Two windows of 3.5 RTTs that are an RTT apart take 4.5 RTTs.
#[test]
fn before_four_and_a_half_round_trips_there_is_nothing_to_compare() {
    let mut flow = Flow::new(version("draft"));
    for _ in 0..45 {
        assert_eq!(flow.step(10 * SEGMENT, SEGMENT).phase, PHASE_SLOW_START);
    }
    let phases = (0..10).map(|_| flow.step(10 * SEGMENT, SEGMENT).phase);
    assert!(phases.into_iter().any(|phase| phase == PHASE_DRAIN));
}

/// The delivered bytes of a window miss this share of what was sent.
#[test]
fn a_quarter_that_is_missing_ends_slow_start_and_less_does_not() {
    for (delivered, phase) in [(76, "slow-start"), (73, "drain")] {
        let mut flow = Flow::new(version("draft"));
        let mut last = PHASE_SLOW_START;
        for _ in 0..80 {
            last = last.max(flow.step(100 * SEGMENT, delivered * SEGMENT).phase);
        }
        let drained = last != PHASE_SLOW_START;
        assert_eq!(drained, phase == "drain", "{delivered} % delivered");
    }
}

/// An RTT that has grown beyond 15 bins (5.25 initial RTTs) reaches behind the bins.
#[test]
fn an_rtt_that_has_grown_too_far_gives_no_comparison() {
    let mut flow = Flow::new(version("draft"));
    flow.step(SEGMENT, SEGMENT);
    flow.ack.rtt_ns = 6 * RTT_NS;
    for _ in 0..300 {
        assert_eq!(flow.step(10 * SEGMENT, SEGMENT).phase, PHASE_SLOW_START);
    }
}

/// More than ten bins without an ACK: what they hold says nothing about the path now.
#[test]
fn a_pause_begins_again() {
    let mut flow = Flow::new(version("draft"));
    (0..60).for_each(|_| _ = flow.step(10 * SEGMENT, 10 * SEGMENT));
    flow.ack.now_ns += 400 * MS;
    for _ in 0..44 {
        assert_eq!(flow.step(10 * SEGMENT, SEGMENT).phase, PHASE_SLOW_START);
    }
}

/// In the drain, a segment leaves for every three that arrive, until cwnd is what a round trip
/// delivers.
#[test]
fn the_draft_drains_to_what_a_round_trip_delivers() {
    let (left, done) = exit(&slow_start_on(&SATELLITE, version("draft"), 30_000));
    assert_eq!(exit_name(done.exit), "delivery");
    assert_eq!(done.cwnd_bytes, done.ssthresh_bytes);
    let bdp = SATELLITE.bdp_bytes();
    assert!(left.cwnd_bytes > 2 * bdp, "{} B", left.cwnd_bytes);
    assert!(
        (bdp..bdp * 11 / 10).contains(&done.cwnd_bytes),
        "{} B, and the BDP is {bdp} B",
        done.cwnd_bytes
    );
}

#[test]
fn version_3_1_keeps_its_cwnd() {
    let (left, done) = exit(&slow_start_on(&SATELLITE, version("linux"), 30_000));
    assert_eq!(
        (exit_name(done.exit), done.cwnd_bytes),
        ("delivery", left.cwnd_bytes)
    );
}

/// Back by what two round trips delivered.
#[test]
fn version_4_for_freebsd_goes_back() {
    let (left, done) = exit(&slow_start_on(&SATELLITE, version("freebsd"), 40_000));
    let bdp = SATELLITE.bdp_bytes();
    let back = left.cwnd_bytes - done.cwnd_bytes;
    assert!((bdp * 9 / 5..bdp * 23 / 10).contains(&back), "{back} B");
}

/// The draft's threshold is lower than that of version 3, so it leaves earlier.
#[test]
fn the_draft_leaves_before_the_versions_with_35_percent() {
    let times = ["draft", "linux", "freebsd"].map(|name| {
        exit(&slow_start_on(&SATELLITE, version(name), 40_000))
            .0
            .now_ns
            / MS
    });
    assert!(times[0] < times[1] && times[0] < times[2], "{times:?} ms");
}

#[test]
fn a_loss_ends_slow_start_with_the_hosts_ssthresh() {
    let mut flow = Flow::new(version("draft"));
    flow.step(10 * SEGMENT, SEGMENT);
    let done = flow.startup.loss(&onramp_core::Loss {
        kind: LOSS_RECOVERY,
        ssthresh_bytes: 7 * SEGMENT,
        cwnd_bytes: 10 * SEGMENT,
        mss_bytes: MSS,
        ..Default::default()
    });
    assert_eq!(
        (exit_name(done.exit), done.ssthresh_bytes),
        ("loss", 7 * SEGMENT)
    );
}
