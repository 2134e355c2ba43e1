//! BBR on a link with an unlimited queue: its modes, gains and windows.

use super::*;
use std::collections::VecDeque;

const MSS: u64 = 1000;

/// A sender with BBR on a link, whose receiver acknowledges each segment.
struct Path {
    bbr: Bbr,
    segment_ns: u64,
    delay_ns: u64,
    now_ns: u64,
    link_free_ns: u64,
    next_departure_ns: u64,
    /// Departure and acknowledgement of each segment in flight.
    in_flight: VecDeque<(u64, u64)>,
    una: u64,
    srtt_ns: u64,
    lost_bytes: u64,
    is_recovering: bool,
    /// The application has data.
    has_data: bool,
}

impl Path {
    /// 10 Mbit/s of payload: a segment in 0.8 ms. 80 ms: a BDP of 100 segments.
    fn new() -> Path {
        let window = Window {
            cwnd_bytes: 10 * MSS,
            ssthresh_bytes: UNLIMITED,
            mss_bytes: MSS as u32,
        };
        let mut bbr = Bbr::default();
        bbr.established(0, 80 * MS_NS, &window, 7);
        Path {
            bbr,
            segment_ns: 800_000,
            delay_ns: 80 * MS_NS,
            now_ns: 0,
            link_free_ns: 0,
            next_departure_ns: 0,
            in_flight: VecDeque::new(),
            una: 0,
            srtt_ns: 80 * MS_NS,
            lost_bytes: 0,
            is_recovering: false,
            has_data: true,
        }
    }

    fn inflight_bytes(&self) -> u64 {
        self.in_flight.len() as u64 * MSS
    }

    /// Runs until an event at or after this time. Returns the largest number of segments in flight.
    fn run(&mut self, until_ns: u64) -> usize {
        let mut most = 0;
        while self.now_ns < until_ns {
            let has_room = self.inflight_bytes() + MSS <= self.bbr.cwnd_bytes;
            let departure_ns = match has_room && self.has_data {
                true => self.next_departure_ns.max(self.now_ns),
                false => u64::MAX,
            };
            let ack_ns = self.in_flight.front().map_or(u64::MAX, |first| first.1);
            if departure_ns == u64::MAX && ack_ns == u64::MAX {
                self.now_ns = until_ns;
            } else if departure_ns < ack_ns {
                self.now_ns = departure_ns;
                self.send();
            } else {
                self.now_ns = ack_ns;
                self.acknowledge(0);
            }
            most = most.max(self.in_flight.len());
        }
        most
    }

    fn send(&mut self) {
        self.bbr.sent(self.now_ns, self.in_flight.is_empty(), 0);
        self.link_free_ns = self.link_free_ns.max(self.now_ns) + self.segment_ns;
        self.in_flight.push_back((
            self.now_ns,
            self.link_free_ns + self.delay_ns - self.segment_ns,
        ));
        self.next_departure_ns =
            self.now_ns + MSS * SECOND_NS / self.bbr.control().unwrap().pacing_bytes_per_s;
    }

    fn acknowledge(&mut self, lost_bytes: u64) {
        let prior_inflight_bytes = self.inflight_bytes();
        let Some((sent_ns, _)) = self.in_flight.pop_front() else {
            return;
        };
        self.una += MSS;
        self.lost_bytes += lost_bytes;
        let rtt_ns = self.now_ns - sent_ns;
        self.srtt_ns = (7 * self.srtt_ns + rtt_ns) / 8;
        let ack = AckSample {
            now_ns: self.now_ns,
            delivered_bytes: MSS,
            has_ece: false,
            lost_bytes: self.lost_bytes,
            una: self.una,
            nxt: self.una + self.inflight_bytes(),
            inflight_bytes: self.inflight_bytes(),
            rtt_ns: Some(rtt_ns),
            srtt_ns: self.srtt_ns,
            cwnd_limited: true,
            startup: false,
        };
        self.bbr.arrived(&Arrival {
            ack: &ack,
            newest_sent_ns: Some(sent_ns),
            prior_inflight_bytes,
            lost: &[],
            is_recovering: self.is_recovering,
        });
    }

    /// Runs until PROBE_BW.
    fn settle(&mut self) {
        while self.bbr.mode != Mode::ProbeBw {
            self.run(self.now_ns + MS_NS);
            assert!(self.now_ns < 5 * SECOND_NS, "{:?}", self.bbr.mode);
        }
    }
}

#[test]
fn the_first_flight_is_paced_at_2_89_windows_in_a_round() {
    let rate = Path::new().bbr.control().unwrap().pacing_bytes_per_s;
    let expected = 10 * MSS * SECOND_NS / (80 * MS_NS) * 289 * 99 / 10_000;
    assert!(
        rate.abs_diff(expected) < expected / 500,
        "{rate}, {expected}"
    );
}

#[test]
fn startup_ends_after_three_rounds_without_growth_and_drain_empties_the_queue() {
    let mut path = Path::new();
    while path.bbr.mode == Mode::Startup {
        path.run(path.now_ns + MS_NS);
    }
    assert_eq!(path.bbr.mode, Mode::Drain);
    // 10, 20, 40 and 80 segments, and three rounds with a queue of up to 1.89 BDP.
    assert!(
        (500..1400).contains(&(path.now_ns / MS_NS)),
        "{}",
        path.now_ns
    );
    let drained = paced(path.bbr.bw.get(), DRAIN_GAIN, UNIT);
    assert_eq!(path.bbr.pacing_bytes_per_s, drained);
    path.settle();
    assert!(path.in_flight.len() <= 108, "{}", path.in_flight.len());
}

#[test]
fn the_rate_and_the_min_rtt_are_those_of_the_path() {
    let mut path = Path::new();
    path.run(3 * SECOND_NS);
    let bw = path.bbr.bw.get();
    assert!((1_235_000..=1_252_000).contains(&bw), "{bw}");
    assert_eq!(path.bbr.min_rtt_ns, Some(80 * MS_NS));
}

#[test]
fn probe_bw_cycles_through_eight_phases_of_a_round_trip() {
    let mut path = Path::new();
    path.settle();
    assert_ne!(
        path.bbr.phase, 1,
        "the cycle does not begin with the phase that drains"
    );
    let mut phases = vec![path.bbr.phase];
    let begin_ns = path.now_ns;
    while phases.len() < 17 {
        path.run(path.now_ns + MS_NS);
        if *phases.last().unwrap() != path.bbr.phase {
            phases.push(path.bbr.phase);
            assert_eq!(path.bbr.gains(), (CYCLE[path.bbr.phase], CWND_GAIN));
        }
    }
    assert!(
        phases.windows(2).all(|two| two[1] == (two[0] + 1) % 8),
        "{phases:?}"
    );
    let rounds = (path.now_ns - begin_ns) / (80 * MS_NS);
    assert!(
        (13..=20).contains(&rounds),
        "{rounds} round trips for 16 phases"
    );
    let most = path.run(path.now_ns + SECOND_NS);
    assert!(
        (100..=140).contains(&most),
        "a quarter of a BDP in the queue at most: {most}"
    );
}

#[test]
fn the_first_phase_follows_from_the_random_number() {
    let first = |seed| {
        let mut bbr = Bbr {
            random: SplitMix64::new(seed),
            ..Bbr::default()
        };
        bbr.begin_probe_bw(0);
        bbr.phase
    };
    assert_eq!(first(3), first(3));
    let mut phases: Vec<_> = (0..100).map(first).collect();
    phases.sort_unstable();
    phases.dedup();
    assert_eq!(phases, [0, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn an_old_min_rtt_is_probed_with_four_segments_for_200_ms() {
    let mut path = Path::new();
    path.settle();
    // A longer path, so that no lower RTT comes.
    path.delay_ns += 20 * MS_NS;
    while path.bbr.mode != Mode::ProbeRtt {
        path.run(path.now_ns + MS_NS);
        assert!(path.now_ns < 12 * SECOND_NS);
    }
    assert!(path.now_ns >= 10 * SECOND_NS);
    let (begin_ns, before) = (path.now_ns, path.bbr.prior_cwnd_bytes);
    assert_eq!(path.bbr.cwnd_bytes, 4 * MSS);
    while path.bbr.mode == Mode::ProbeRtt {
        path.run(path.now_ns + MS_NS);
    }
    let took_ms = (path.now_ns - begin_ns) / MS_NS;
    assert!((280..500).contains(&took_ms), "{took_ms}");
    assert!(path.bbr.cwnd_bytes >= before.min(100 * MSS));
    assert_eq!(path.bbr.min_rtt_ns.map(|rtt_ns| rtt_ns / MS_NS), Some(100));
}

/// Linux: "On the first round of recovery, we follow the packet conservation principle".
#[test]
fn recovery_conserves_packets_for_a_round_and_then_restores_cwnd() {
    let mut path = Path::new();
    path.settle();
    path.run(path.now_ns + SECOND_NS);
    let window = Window {
        cwnd_bytes: path.bbr.cwnd_bytes,
        ssthresh_bytes: UNLIMITED,
        mss_bytes: MSS as u32,
    };
    let before = path.bbr.cwnd_bytes;
    path.bbr.ssthresh(&window, path.now_ns, 0);
    path.is_recovering = true;
    path.now_ns = path.in_flight[0].1;
    let inflight = path.inflight_bytes();
    path.acknowledge(MSS);
    assert_eq!(
        path.bbr.cwnd_bytes, inflight,
        "in flight after it, and what it delivers"
    );
    path.run(path.now_ns + 2 * path.srtt_ns);
    assert!(!path.bbr.conserves_packets && path.bbr.cwnd_bytes > inflight);
    path.is_recovering = false;
    path.run(path.now_ns + path.srtt_ns);
    assert!(
        path.bbr.cwnd_bytes + 3 * MSS >= before,
        "{} {before}",
        path.bbr.cwnd_bytes
    );
}

#[test]
fn after_a_timeout_cwnd_grows_from_one_segment() {
    let mut path = Path::new();
    path.settle();
    let pacing = path.bbr.pacing_bytes_per_s;
    path.bbr.timeout();
    let control = path.bbr.control().unwrap();
    assert_eq!(
        (control.cwnd_bytes, control.pacing_bytes_per_s),
        (MSS, pacing)
    );
}

#[test]
fn an_application_that_sends_little_does_not_fill_the_pipe() {
    let mut path = Path::new();
    path.has_data = false;
    for round in 1..40 {
        path.now_ns = round * 100 * MS_NS;
        path.bbr.starved(0);
        path.send();
        path.run(path.now_ns + 90 * MS_NS);
    }
    assert_eq!(path.bbr.mode, Mode::Startup);
    assert_eq!(path.bbr.full_rounds, 0);
}

/// Linux: `bbr_undo_cwnd()`, and `bbr_set_cwnd_to_recover_or_restore()` at the next ACK.
#[test]
fn a_timeout_that_is_undone_restores_cwnd() {
    let mut path = Path::new();
    path.settle();
    let window = Window {
        cwnd_bytes: path.bbr.cwnd_bytes,
        ssthresh_bytes: UNLIMITED,
        mss_bytes: MSS as u32,
    };
    path.bbr.ssthresh(&window, path.now_ns, 0);
    path.bbr.timeout();
    assert_eq!(path.bbr.cwnd_bytes, MSS);
    assert_eq!(path.bbr.undo(MSS, window.cwnd_bytes), MSS);
    path.now_ns = path.in_flight[0].1;
    path.acknowledge(0);
    let cwnd_bytes = path.bbr.cwnd_bytes;
    assert!(cwnd_bytes + 3 * MSS >= window.cwnd_bytes, "{cwnd_bytes}");
}
