//! BBR version 3 on a link with a drop-tail queue, and each rule of the draft by itself.

use super::*;
use crate::avoidance::LostSegment;
use std::collections::VecDeque;

const MSS: u64 = 1000;
/// 10 Mbit/s of payload: a segment in 0.8 ms.
const SEGMENT_NS: u64 = 800_000;
const BYTES_PER_S: u64 = 1_250_000;
const RTT_NS: u64 = 80 * MS_NS;
/// 100 segments
const BDP: u64 = 100 * MSS;

/// A segment in flight: when it left and arrives (`None`: it is lost), and when that is noticed.
#[derive(Clone, Copy, Debug)]
struct Flying {
    start: u64,
    sent_ns: u64,
    noticed_ns: u64,
    is_lost: bool,
}

/// A sender on a link with a queue of so many segments, whose receiver acknowledges each segment. A
/// loss is noticed with the next arrival, and repaired a round trip later.
struct Path {
    bbr: Bbr3,
    queue: u64,
    now_ns: u64,
    link_free_ns: u64,
    next_departure_ns: u64,
    flying: VecDeque<Flying>,
    sent: u64,
    lost_bytes: u64,
    recovery_end: Option<u64>,
    /// Lost segments, and when their retransmissions arrive.
    holes: VecDeque<(u64, u64)>,
    drops: u64,
}

impl Path {
    fn new(queue: u64) -> Path {
        let window = Window {
            cwnd_bytes: 10 * MSS,
            ssthresh_bytes: UNLIMITED,
            mss_bytes: MSS as u32,
        };
        let mut bbr = Bbr3::default();
        bbr.established(0, RTT_NS, &window, 7);
        Path {
            bbr,
            queue,
            now_ns: 0,
            link_free_ns: 0,
            next_departure_ns: 0,
            flying: VecDeque::new(),
            sent: 0,
            lost_bytes: 0,
            recovery_end: None,
            holes: VecDeque::new(),
            drops: 0,
        }
    }

    fn inflight_bytes(&self) -> u64 {
        self.flying.len() as u64 * MSS
    }

    fn send(&mut self) {
        let (empty, inflight) = (self.flying.is_empty(), self.inflight_bytes());
        self.bbr.sent(self.now_ns, empty, inflight);
        let waits_ns = self.link_free_ns.saturating_sub(self.now_ns);
        let is_lost = waits_ns > self.queue * SEGMENT_NS;
        if !is_lost {
            self.link_free_ns = self.link_free_ns.max(self.now_ns) + SEGMENT_NS;
        }
        self.drops += u64::from(is_lost);
        self.flying.push_back(Flying {
            start: self.sent,
            sent_ns: self.now_ns,
            noticed_ns: self.link_free_ns + RTT_NS - SEGMENT_NS,
            is_lost,
        });
        self.sent += MSS;
        let rate = self.bbr.control().unwrap().pacing_bytes_per_s;
        self.next_departure_ns = self.next_departure_ns.max(self.now_ns) + MSS * SECOND_NS / rate;
    }

    /// The first segment arrives, after those before it that were lost.
    fn acknowledge(&mut self) {
        let prior_inflight_bytes = self.inflight_bytes();
        let mut lost = Vec::new();
        let mut arrived = None;
        while let Some(segment) = self.flying.pop_front() {
            if !segment.is_lost {
                arrived = Some(segment);
                break;
            }
            self.lost_bytes += MSS;
            self.holes.push_back((segment.start, self.now_ns + RTT_NS));
            lost.push(LostSegment {
                start: segment.start,
                len: MSS as u32,
                sent_ns: segment.sent_ns,
            });
        }
        let now_ns = self.now_ns;
        self.holes.retain(|&(_, repaired_ns)| repaired_ns > now_ns);
        let arrived_end = arrived.map_or(self.sent, |segment| segment.start + MSS);
        let una = self.holes.front().map_or(arrived_end, |&(start, _)| start);
        if !lost.is_empty() && self.recovery_end.is_none() {
            self.recovery_end = Some(self.sent);
            let window = Window {
                cwnd_bytes: self.bbr.cwnd_bytes,
                ssthresh_bytes: UNLIMITED,
                mss_bytes: MSS as u32,
            };
            self.bbr.ssthresh(&window, self.now_ns, 0);
        }
        self.recovery_end = self.recovery_end.filter(|&end| una < end);
        let ack = AckSample {
            now_ns: self.now_ns,
            delivered_bytes: if arrived.is_some() { MSS } else { 0 },
            has_ece: false,
            lost_bytes: self.lost_bytes,
            una,
            nxt: self.sent,
            inflight_bytes: self.inflight_bytes(),
            rtt_ns: arrived.map(|segment| self.now_ns - segment.sent_ns),
            srtt_ns: RTT_NS,
            cwnd_limited: prior_inflight_bytes + MSS > self.bbr.cwnd_bytes,
            startup: false,
        };
        self.bbr.arrived(&Arrival {
            ack: &ack,
            newest_sent_ns: arrived.map(|segment| segment.sent_ns),
            prior_inflight_bytes,
            lost: &lost,
            is_recovering: self.recovery_end.is_some(),
        });
    }

    fn step(&mut self) {
        let has_room = self.inflight_bytes() + MSS <= self.bbr.cwnd_bytes;
        let departs_ns = has_room.then_some(self.next_departure_ns.max(self.now_ns));
        let first = self.flying.iter().find(|segment| !segment.is_lost);
        let noticed = first.or(self.flying.back());
        let noticed_ns = noticed.map_or(u64::MAX, |segment| segment.noticed_ns);
        match departs_ns.filter(|&departs_ns| departs_ns < noticed_ns) {
            Some(departs_ns) => {
                self.now_ns = departs_ns;
                self.send();
            }
            None => {
                self.now_ns = noticed_ns;
                self.acknowledge();
            }
        }
    }

    fn until(&mut self, is_so: impl Fn(&Bbr3) -> bool) {
        let limit_ns = self.now_ns + 20 * SECOND_NS;
        while !is_so(&self.bbr) {
            self.step();
            assert!(self.now_ns < limit_ns, "{:?}", self.bbr.state);
        }
    }

    fn until_state(&mut self, state: State) {
        self.until(|bbr| bbr.state == state);
    }
}

/// A sender in a state whose model is that of the path.
fn settled(state: State) -> Bbr3 {
    let mut path = Path::new(400);
    path.until_state(State::Cruise);
    path.bbr.state = state;
    path.bbr
}

fn sample() -> Sample {
    Sample {
        now_ns: 10 * SECOND_NS,
        bytes_per_s: BYTES_PER_S,
        delivered_bytes: BDP,
        prior_delivered_bytes: 0,
        newly_acked_bytes: MSS,
        tx_in_flight_bytes: BDP,
        lost_bytes: 0,
        is_app_limited: false,
        is_cwnd_limited: true,
        rtt_ns: Some(RTT_NS),
        inflight_bytes: BDP,
    }
}

/// Sections "Startup", "Drain" and "ProbeBW": the order of states, and what they measure.
#[test]
fn a_flow_passes_through_all_states_in_their_order() {
    let mut path = Path::new(400);
    let states = [
        State::Startup,
        State::Drain,
        State::Down,
        State::Cruise,
        State::Refill,
        State::Up,
        State::Down,
        State::Cruise,
    ];
    for state in states {
        path.until_state(state);
    }
    assert_eq!(path.drops, 0);
    let bw = path.bbr.max_bw();
    assert!(bw.abs_diff(BYTES_PER_S) < BYTES_PER_S / 50, "{bw}");
    assert_eq!(path.bbr.min_rtt.min_rtt_ns(), Some(RTT_NS));
}

/// Section "Summary of Control Behavior in the State Machine".
#[test]
fn gains_are_those_of_the_table() {
    let gains = [
        (State::Startup, (277, 200)),
        (State::Drain, (50, 200)),
        (State::Down, (90, 200)),
        (State::Cruise, (100, 200)),
        (State::Refill, (100, 200)),
        (State::Up, (125, 225)),
        (State::ProbeRtt, (100, 50)),
    ];
    for (state, expected) in gains {
        assert_eq!(state.gains(), expected, "{state:?}");
    }
}

/// Section "Exiting Startup Based on Packet Loss": more than 2 %, in six ranges, in a round of
/// recovery.
#[test]
fn startup_ends_with_losses_and_remembers_what_was_in_flight() {
    let mut path = Path::new(20);
    path.until_state(State::Drain);
    assert!(path.drops > 6, "{}", path.drops);
    let longterm = path.bbr.cycle.inflight_longterm;
    assert!((BDP..3 * BDP).contains(&longterm), "{longterm}");
    assert_eq!(path.bbr.congestion.undo.state, Some(State::Startup));
}

/// Section "ProbeBW_UP", exit condition 2, and HandleInflightTooHigh().
#[test]
fn a_probe_that_loses_more_than_2_percent_ends_and_sets_the_bound() {
    let mut bbr = settled(State::Up);
    bbr.cycle.is_probe_sample = true;
    let (ack, now_ns) = (AckSample::default(), bbr.rate.delivered_ns + 1);
    bbr.sent(now_ns, false, 150 * MSS - MSS);
    let lost = |n: u64| LostSegment {
        start: 2 * n * MSS,
        len: MSS as u32,
        sent_ns: now_ns,
    };
    for n in 1..=3 {
        bbr.handle_lost_segment(&lost(n), &ack);
        assert_eq!((n, bbr.state), (n, State::Up), "3 of 150 are 2 %");
    }
    bbr.handle_lost_segment(&lost(4), &ack);
    assert_eq!(bbr.state, State::Down);
    assert!(bbr.cycle.prev_probe_too_high);
    // InflightAtLoss(): 149 segments allow 2.98, of which 3 were lost.
    assert_eq!(bbr.cycle.inflight_longterm, 149 * MSS);
    // Only once for each probe.
    bbr.state = State::Refill;
    bbr.handle_lost_segment(&lost(5), &ack);
    assert_eq!(bbr.cycle.inflight_longterm, 149 * MSS);
}

/// InflightWithHeadroom() and BoundCwndForModel(): 15 % in CRUISE and PROBE_RTT.
#[test]
fn cruise_leaves_headroom_below_the_bound_and_probes_do_not() {
    let mut bbr = settled(State::Cruise);
    bbr.cycle.inflight_longterm = 100 * MSS;
    for (state, segments) in [
        (State::Cruise, 85),
        (State::ProbeRtt, 85),
        (State::Down, 100),
        (State::Refill, 100),
        (State::Up, 100),
        (State::Startup, 500),
        (State::Drain, 500),
    ] {
        bbr.state = state;
        bbr.cwnd_bytes = 500 * MSS;
        bbr.bound_cwnd();
        assert_eq!(bbr.cwnd_bytes, segments * MSS, "{state:?}");
    }
    bbr.cycle.inflight_longterm = 4 * MSS;
    assert_eq!(bbr.inflight_with_headroom(), 4 * MSS, "BBR.MinPipeCwnd");
}

/// IsTimeToCruise(): the queue is empty, and there is headroom.
#[test]
fn down_ends_at_the_bdp_and_at_the_headroom() {
    let bbr = settled(State::Down);
    let at = |bytes: u64| Sample {
        inflight_bytes: bytes,
        ..sample()
    };
    assert!(bbr.is_time_to_cruise(&at(BDP - MSS)));
    assert!(!bbr.is_time_to_cruise(&at(BDP + 10 * MSS)));
    let mut bbr = bbr;
    bbr.cycle.inflight_longterm = BDP;
    assert!(!bbr.is_time_to_cruise(&at(BDP - MSS)));
    assert!(bbr.is_time_to_cruise(&at(85 * MSS)));
}

/// LossLowerBounds(): 0.7 at most, and not below what was delivered.
#[test]
fn a_round_with_a_loss_lowers_the_short_term_model_but_not_while_probing() {
    for (state, delivered, rate, expected) in [
        (State::Cruise, 10, 100_000, (70, 70)),
        (State::Down, 90, 1_125_000, (90, 90)),
        (State::Drain, 10, 100_000, (70, 70)),
        (State::Refill, 10, 100_000, (0, 0)),
        (State::Up, 10, 100_000, (0, 0)),
    ] {
        let mut bbr = settled(state);
        bbr.max_bw = [0, BYTES_PER_S];
        bbr.cwnd_bytes = BDP;
        bbr.congestion.reset_signals();
        bbr.congestion.reset_short_term();
        let lost = LostSegment {
            start: 7,
            len: MSS as u32,
            sent_ns: 1,
        };
        bbr.handle_lost_segment(&lost, &AckSample::default());
        let round = Sample {
            bytes_per_s: rate,
            delivered_bytes: delivered * MSS,
            prior_delivered_bytes: u64::MAX,
            ..sample()
        };
        bbr.congestion.update_latest(&round, 0);
        bbr.adapt_to_congestion();
        let model = &bbr.congestion;
        let of = |value: u64, whole: u64| match value {
            UNLIMITED => 0,
            value => value * 100 / whole,
        };
        let percent = (
            of(model.bw_shortterm, BYTES_PER_S),
            of(model.inflight_shortterm, BDP),
        );
        assert_eq!(percent, expected, "{state:?}");
    }
}

/// StartProbeBW_REFILL() forgets the short-term model.
#[test]
fn refill_forgets_the_short_term_model_and_lasts_a_round() {
    let mut path = Path::new(400);
    path.until_state(State::Cruise);
    path.bbr.congestion.bw_shortterm = BYTES_PER_S / 2;
    path.bbr.congestion.inflight_shortterm = BDP / 2;
    path.until_state(State::Refill);
    assert_eq!(path.bbr.congestion.bw_shortterm, UNLIMITED);
    assert_eq!(path.bbr.congestion.inflight_shortterm, UNLIMITED);
    let begin_ns = path.now_ns;
    path.until_state(State::Up);
    let rounds = (path.now_ns - begin_ns) as f64 / RTT_NS as f64;
    assert!((0.9..1.5).contains(&rounds), "{rounds}");
}

/// PickProbeWait() and IsTimeToProbeBW(): 2 to 3 s, or as many rounds as the BDP has segments.
#[test]
fn the_next_probe_waits_2_to_3_s_or_a_renos_time() {
    let mut bbr = settled(State::Cruise);
    let mut waits = Vec::new();
    for _ in 0..50 {
        bbr.start_down(0);
        assert!(bbr.cycle.rounds_since_probe <= 1);
        let first = (2000..=3000).find(|ms| {
            let mut probe = bbr.clone();
            probe.cycle.rounds_since_probe = 0;
            probe.is_time_to_probe(ms * MS_NS)
        });
        waits.push(first.expect("within 3 s"));
    }
    waits.sort_unstable();
    assert!(waits[0] < 2100 && waits[49] > 2900, "{waits:?}");
    bbr.cycle.rounds_since_probe = 62;
    assert!(!bbr.is_time_to_probe(MS_NS));
    bbr.cycle.rounds_since_probe = 63;
    assert!(bbr.is_time_to_probe(MS_NS));
    bbr.cwnd_bytes = 20 * MSS;
    bbr.cycle.rounds_since_probe = 20;
    assert!(bbr.is_time_to_probe(MS_NS), "a cwnd of 20 segments");
}

/// RaiseInflightLongtermSlope(): 1, 2, 4, 8 segments in successive rounds.
#[test]
fn the_bound_grows_by_twice_as_much_in_each_round_of_a_probe() {
    let mut bbr = settled(State::Up);
    bbr.cwnd_bytes = BDP;
    bbr.cycle.inflight_longterm = BDP;
    bbr.start_refill();
    bbr.start_up(&sample());
    let mut growth = Vec::new();
    for _ in 0..4 {
        let before = bbr.cycle.inflight_longterm;
        for ack in 0..100 {
            bbr.cwnd_bytes = bbr.cycle.inflight_longterm;
            bbr.round_begins = ack == 99;
            bbr.update_cycle(&Sample {
                tx_in_flight_bytes: 0,
                inflight_bytes: 0,
                ..sample()
            });
        }
        growth.push((bbr.cycle.inflight_longterm - before) / MSS);
    }
    // cwnd grows meanwhile, so a round has a few acknowledgements more than these 100.
    assert_eq!(growth[..2], [1, 2]);
    assert!(
        (3..=4).contains(&growth[2]) && (7..=9).contains(&growth[3]),
        "{growth:?}"
    );
}

/// Section "Precautionary Bandwidth Probing".
#[test]
fn after_a_probe_that_was_too_high_the_next_stops_at_the_bound() {
    let mut bbr = settled(State::Up);
    bbr.cycle.inflight_longterm = BDP;
    bbr.cycle.prev_probe_too_high = true;
    bbr.update_cycle(&Sample {
        inflight_bytes: BDP,
        ..sample()
    });
    assert_eq!(bbr.state, State::Down);
    assert!(!bbr.cycle.prev_probe_too_high);
    // A round without losses follows: the next probe begins at once.
    bbr.round_begins = true;
    bbr.update_cycle(&sample());
    assert_eq!(bbr.state, State::Refill);
}

/// Section "ProbeRTT": every 5 s, half of the BDP, for 200 ms and a round.
#[test]
fn probe_rtt_halves_what_is_in_flight_every_five_seconds() {
    let mut path = Path::new(400);
    path.until_state(State::Cruise);
    path.until_state(State::ProbeRtt);
    let begin_ns = path.now_ns;
    path.until(|bbr| bbr.state != State::ProbeRtt || bbr.cwnd_bytes <= 51 * MSS);
    assert!((45 * MSS..=51 * MSS).contains(&path.bbr.cwnd_bytes));
    path.until(|bbr| bbr.state != State::ProbeRtt);
    assert_eq!(path.bbr.state, State::Cruise);
    let lasted_ms = (path.now_ns - begin_ns) / MS_NS;
    assert!((200..500).contains(&lasted_ms), "{lasted_ms}");
    path.until_state(State::ProbeRtt);
    let apart_ms = (path.now_ns - begin_ns) / MS_NS;
    assert!((5000..7000).contains(&apart_ms), "{apart_ms}");
}

/// AdvanceMaxBwFilter(): a rate is forgotten after two cycles.
#[test]
fn the_maximum_rate_is_that_of_two_cycles() {
    let mut bbr = settled(State::Down);
    bbr.max_bw = [0, 2 * BYTES_PER_S];
    for (cycles, expected) in [(1, 2 * BYTES_PER_S), (2, BYTES_PER_S)] {
        bbr.cycle.stop_probe();
        bbr.round_begins = true;
        bbr.update_cycle(&sample());
        bbr.max_bw[1] = bbr.max_bw[1].max(BYTES_PER_S);
        assert_eq!(bbr.max_bw(), expected, "{cycles}");
    }
}

/// HandleSpuriousLossDetection()
#[test]
fn a_spurious_loss_restores_the_model_and_resumes_the_probe() {
    let mut bbr = settled(State::Up);
    let window = Window {
        cwnd_bytes: bbr.cwnd_bytes,
        ssthresh_bytes: UNLIMITED,
        mss_bytes: MSS as u32,
    };
    bbr.ssthresh(&window, 0, 0);
    bbr.congestion.undo.state = Some(State::Up);
    bbr.state = State::Down;
    bbr.cycle.inflight_longterm = 20 * MSS;
    bbr.congestion.bw_shortterm = 1;
    bbr.timeout();
    let restored = bbr.undo(MSS, window.cwnd_bytes);
    assert_eq!(restored, window.cwnd_bytes);
    assert_eq!(bbr.state, State::Refill);
    assert_eq!(bbr.cycle.inflight_longterm, UNLIMITED);
    assert_eq!(bbr.congestion.bw_shortterm, UNLIMITED);
}

/// Section "Probing for Bandwidth In ProbeBW": losses stay below the threshold.
#[test]
fn a_shallow_queue_is_used_with_few_losses() {
    let mut path = Path::new(20);
    path.until_state(State::Cruise);
    let (drops, sent, begin_ns) = (path.drops, path.sent, path.now_ns);
    while path.now_ns < begin_ns + 20 * SECOND_NS {
        path.step();
    }
    let lost = (path.drops - drops) as f64 * MSS as f64 / (path.sent - sent) as f64;
    assert!(lost < 0.02, "{lost}");
    let rate = (path.sent - sent) as f64 * (1.0 - lost) / 20.0;
    assert!(rate > 0.85 * BYTES_PER_S as f64, "{rate}");
}
