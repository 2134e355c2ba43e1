//! `suss`: when a round's data is quadrupled, how its red part is paced, and how HyStart ends it.

use crate::flights::{start, MS};
use crate::path::{Path, Transfer};
use onramp_core::{
    exit_name, phase_name, Ack, Clock, Decision, Start, Startup, ACK_CWND_LIMITED, LOSS_RECOVERY,
    PHASE_PACING, PHASE_SLOW_START, UNLIMITED,
};

const MSS: u32 = 1448;
const SEGMENT: u64 = MSS as u64;
const RTT_NS: u64 = 50 * MS;
/// The path of the paper's example: 48 Mbit/s, 50 ms, 207 segments.
const PATH: Path = Path {
    rate_bytes_per_s: 6_000_000,
    delay_ns: RTT_NS,
    mss_bytes: MSS,
};

fn connection() -> Start {
    Start {
        mss_bytes: MSS,
        cwnd_bytes: 10 * SEGMENT,
        ..start()
    }
}

/// The first round of a connection: ten ACKs that take `train_ns`, with these RTTs.
fn after_ten_acks(start: &Start, train_ns: u64, first_rtt_ns: u64, last_rtt_ns: u64) -> Decision {
    let mut startup = Startup::new("suss").unwrap();
    let mut decision = startup.start(start);
    for i in 1..=10 {
        decision = startup.ack(&Ack {
            now_ns: RTT_NS + (i - 1) * train_ns / 9,
            acked_bytes: SEGMENT,
            delivered_bytes: i * SEGMENT,
            // In flight: the rest of the flight, and two segments for each earlier ACK.
            inflight_bytes: (10 - i + 2 * (i - 1)) * SEGMENT,
            srtt_ns: RTT_NS,
            rtt_ns: if i == 1 { first_rtt_ns } else { last_rtt_ns },
            cwnd_bytes: decision.cwnd_bytes,
            ssthresh_bytes: UNLIMITED,
            mss_bytes: MSS,
            flags: ACK_CWND_LIMITED,
            ..Ack::default()
        });
    }
    decision
}

/// The phases of a transfer with the cwnd, in segments, at the beginning of each.
fn phases(transfer: &Transfer) -> Vec<(&'static str, u64)> {
    let mut phases = Vec::new();
    for step in &transfer.steps {
        let name = phase_name(step.decision.phase);
        if phases.last().is_none_or(|&(last, _)| last != name) {
            phases.push((name, step.decision.cwnd_bytes / SEGMENT));
        }
        if step.decision.exit != 0 {
            break;
        }
    }
    phases
}

/// The published log: 10, 40, 160 segments, then doubled, since the train of 160 would take 39 ms.
#[test]
fn two_rounds_are_quadrupled_on_the_path_of_the_paper() {
    let transfer = PATH.transfer("suss", connection(), 3000);
    let phases = phases(&transfer);
    let [blue, red, blue_2, red_2, blue_3, done] = phases[..] else {
        panic!("{phases:?}");
    };
    assert_eq!(
        (blue.0, red, blue_2.0),
        ("slow-start", ("pacing", 40), "slow-start")
    );
    assert_eq!((red_2, blue_3.0), (("pacing", 160), "slow-start"));
    assert_eq!(done.0, "done");
    let (_, last) = transfer.first_in("done").unwrap();
    assert_eq!(exit_name(last.decision.exit), "estimate");
    assert_eq!(last.decision.cwnd_bytes, last.decision.ssthresh_bytes);
}

/// Red data leaves within the time of the paper's guard and pacing: after the blue ACKs, and with
/// the guard before the next ones.
#[test]
fn red_data_is_spread_until_the_guard_before_the_next_round() {
    let train_ns = 9 * MS / 4;
    let red = after_ten_acks(&connection(), train_ns, RTT_NS, RTT_NS);
    assert_eq!((red.phase, red.cwnd_bytes), (PHASE_PACING, 40 * SEGMENT));
    // dt_bat is 2.5 ms: 2.25 ms for the nine ACKs behind the first. 20 red segments in 25 ms of
    // pacing and 11.25 ms of guard.
    let wanted = 20.0 * SEGMENT as f64 / 0.03625;
    let error = red.pacing_bytes_per_s as f64 / wanted - 1.0;
    assert!(error.abs() < 0.01, "{} B/s", red.pacing_bytes_per_s);
}

/// Condition 1: the train, as if all of it were blue, takes at most a quarter of minRTT.
#[test]
fn a_train_of_more_than_a_quarter_of_the_rtt_only_doubles() {
    for (train_ns, phase) in [(11 * MS, PHASE_PACING), (12 * MS, PHASE_SLOW_START)] {
        let decision = after_ten_acks(&connection(), train_ns, RTT_NS, RTT_NS);
        assert_eq!(decision.phase, phase, "{train_ns} ns");
    }
    let doubled = after_ten_acks(&connection(), 12 * MS, RTT_NS, RTT_NS);
    assert_eq!(
        (doubled.cwnd_bytes, doubled.pacing_bytes_per_s),
        (20 * SEGMENT, UNLIMITED)
    );
}

/// A path of 10 ms or less is not worth it, by the default of the authors.
#[test]
fn a_short_rtt_only_doubles() {
    let decision = after_ten_acks(&connection(), MS, 10 * MS, 11 * MS);
    assert_eq!(decision.phase, PHASE_SLOW_START);
}

/// Red data that the host cannot pace would be a burst.
#[test]
fn a_host_with_a_coarse_clock_only_doubles() {
    let coarse = Start {
        clock: Clock {
            measure_ns: 500 * MS,
            event_ns: 500 * MS,
        },
        ..connection()
    };
    let decision = after_ten_acks(&coarse, 2 * MS, RTT_NS, RTT_NS);
    assert_eq!(decision.phase, PHASE_SLOW_START);
}

/// Condition 2 compares with the next round: an RTT that has risen by a tenth since the last round
/// will have risen by more than an eighth.
#[test]
fn a_rising_rtt_only_doubles() {
    let quadruples = |rise_percent: u64| {
        let mut startup = Startup::new("suss").unwrap();
        let mut decision = startup.start(&connection());
        let (mut delivered, mut quadrupled) = (0, 0);
        for round in 0..2u64 {
            let blue = 10 << round;
            let window = 10 << (2 * round);
            for i in 1..=blue {
                delivered += SEGMENT;
                decision = startup.ack(&Ack {
                    now_ns: (round + 1) * RTT_NS + i * MS / 10,
                    acked_bytes: SEGMENT,
                    delivered_bytes: delivered,
                    inflight_bytes: (window - i + 2 * (i - 1)) * SEGMENT,
                    rtt_ns: RTT_NS + round * RTT_NS / 100 * rise_percent,
                    srtt_ns: RTT_NS,
                    cwnd_bytes: decision.cwnd_bytes,
                    ssthresh_bytes: UNLIMITED,
                    mss_bytes: MSS,
                    flags: ACK_CWND_LIMITED,
                    ..Ack::default()
                });
            }
            quadrupled += u32::from(decision.phase == PHASE_PACING);
            // The red part arrives too.
            delivered += (window - blue) * SEGMENT;
        }
        quadrupled
    };
    assert_eq!([0, 5, 7, 10].map(quadruples), [2, 2, 1, 1]);
}

/// HyStart, by the delay: the eighth sample of a round is an eighth above the minimum.
#[test]
fn a_longer_delay_ends_the_startup() {
    let low = after_ten_acks(&connection(), 12 * MS, 50 * MS, 57 * MS);
    assert_eq!(
        low.exit, 0,
        "below 16 segments, or with one low sample, nothing ends"
    );
    let narrow = Path {
        rate_bytes_per_s: 300_000,
        ..PATH
    };
    let transfer = narrow.transfer("suss", connection(), 400);
    let (_, done) = transfer.first_in("done").unwrap();
    assert_eq!(exit_name(done.decision.exit), "delay");
}

#[test]
fn a_loss_ends_the_startup_with_the_hosts_ssthresh() {
    let mut startup = Startup::new("suss").unwrap();
    startup.start(&connection());
    let done = startup.loss(&onramp_core::Loss {
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
