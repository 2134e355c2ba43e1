//! Start-up algorithms in a connection, and congestion avoidance after them.

use crate::pair::{Crossing, End, Pair};
use crate::script::{plain, Script, MS_NS};
use onramp_core::{exit_name, phase_name};
use onramp_tcp::{Avoidance, Config, ReceiveBuffer, Recovery, Window};

const SECOND_NS: u64 = 1_000 * MS_NS;
/// One-way delay. With a segment of 1000 bytes per millisecond the BDP is 101 segments.
const DELAY_NS: u64 = 50 * MS_NS;
const SEGMENT_NS: u64 = MS_NS;
const BDP_SEGMENTS: u64 = 101;

/// An unlimited download over a bottleneck with an unlimited queue.
struct Download {
    pair: Pair,
    /// Transmission time of a segment at the bottleneck.
    segment_ns: u64,
    /// When the bottleneck's queue is empty.
    free_ns: u64,
    /// Data is lost until this time.
    outage_ns: u64,
    /// The next data segment is lost.
    loses: bool,
}

impl Download {
    fn new(startup: &'static str, avoidance: Avoidance) -> Download {
        let config = Config {
            window_scaling: true,
            restart_after_idle: false,
            ..plain(Recovery::Sack)
        };
        let server = Config {
            startup: Some(startup),
            avoidance,
            ..config.clone()
        };
        let client = Config {
            receive_buffer: ReceiveBuffer::Bytes(4 << 20),
            ..config
        };
        Download {
            pair: Pair::new(client, server),
            segment_ns: SEGMENT_NS,
            free_ns: 0,
            outage_ns: 0,
            loses: false,
        }
    }

    /// Runs until a time. Returns the windows with which the server has sent since.
    fn until(&mut self, at_ns: u64) -> Vec<Window> {
        self.until_it(at_ns, |_| false)
    }

    /// Runs until a time, or until a condition holds.
    fn until_it(&mut self, at_ns: u64, mut is: impl FnMut(&Pair) -> bool) -> Vec<Window> {
        let from = self.pair.log.len();
        let Download {
            pair,
            segment_ns,
            free_ns,
            outage_ns,
            loses,
        } = self;
        let mut path = |crossing: &Crossing| {
            if crossing.from == End::Client || crossing.transmit.segment.payload_bytes == 0 {
                return vec![DELAY_NS];
            }
            if crossing.now_ns < *outage_ns || std::mem::take(loses) {
                return vec![];
            }
            *free_ns = crossing.now_ns.max(*free_ns) + *segment_ns;
            vec![*free_ns - crossing.now_ns + DELAY_NS]
        };
        pair.until(1000 * SECOND_NS, &mut path, |pair| {
            let now_ns = pair.now_ns;
            if let Some(server) = &mut pair.server {
                server.write(1 << 20);
            }
            pair.client.read(now_ns, u64::MAX);
            now_ns >= at_ns || is(pair)
        });
        let sent = self.pair.log[from..]
            .iter()
            .filter(|crossing| crossing.from == End::Server);
        sent.map(|crossing| crossing.window).collect()
    }

    fn window(&mut self) -> Window {
        self.pair.end(End::Server).window()
    }

    /// Phase and exit reason of the start-up.
    fn phase(&mut self) -> (&'static str, &'static str) {
        let decision = self
            .pair
            .end(End::Server)
            .startup()
            .expect("the server has one");
        (phase_name(decision.phase), exit_name(decision.exit))
    }

    /// Loses one segment and waits for its repair.
    fn lose(&mut self) {
        self.loses = true;
        self.until(self.pair.now_ns + SECOND_NS);
        assert_eq!(self.pair.end(End::Server).stats().recoveries, 1);
    }

    /// Loses everything until the retransmission timer has expired once.
    fn time_out(&mut self) {
        let timeouts = self.pair.end(End::Server).stats().timeouts;
        self.outage_ns = u64::MAX;
        self.until_it(self.pair.now_ns + 60 * SECOND_NS, |pair| {
            pair.server
                .as_ref()
                .is_some_and(|server| server.stats().timeouts > timeouts)
        });
        self.outage_ns = 0;
    }
}

/// The successive values of ssthresh in segments, without the unlimited one.
fn thresholds(windows: &[Window]) -> Vec<u64> {
    let has_one = |window: &&Window| window.ssthresh_bytes != u64::MAX;
    let mut thresholds: Vec<_> = windows
        .iter()
        .filter(has_one)
        .map(|window| window.ssthresh_bytes / 1000)
        .collect();
    thresholds.dedup();
    thresholds
}

#[test]
fn astart_raises_ssthresh_from_32_kib_to_the_bdp() {
    let mut download = Download::new("astart", Avoidance::Reno);
    let thresholds = thresholds(&download.until(5 * SECOND_NS));
    assert!(
        thresholds.windows(2).all(|pair| pair[0] < pair[1]),
        "{thresholds:?}"
    );
    assert!(thresholds.len() > 20, "many times: {thresholds:?}");
    assert_eq!(
        (thresholds[0], *thresholds.last().unwrap()),
        (32, BDP_SEGMENTS)
    );
}

/// 101 segments after 2 s, and then only linear growth: one segment per round trip of 100 ms plus
/// the queueing delay.
#[test]
fn astart_grows_linearly_when_the_pipe_is_full() {
    let mut download = Download::new("astart", Avoidance::Reno);
    download.until(5 * SECOND_NS);
    let full = download.window().segments();
    let windows = download.until(10 * SECOND_NS);
    let grown = windows.last().unwrap().segments() - full;
    assert!(windows
        .windows(2)
        .all(|pair| pair[1].cwnd_bytes - pair[0].cwnd_bytes <= 1000));
    assert!((30..=50).contains(&grown), "{grown} in 5 s from {full}");
    assert_eq!(download.phase(), ("linear", "none"));
}

#[test]
fn astart_restarts_after_a_retransmission_timeout() {
    let mut download = Download::new("astart", Avoidance::Reno);
    download.until(SECOND_NS);
    download.time_out();
    assert_eq!(download.phase(), ("avoidance", "timeout"));
    let after_timeout = download.window().ssthresh_bytes / 1000;
    assert!(after_timeout < 40, "{after_timeout}");
    let thresholds = thresholds(&download.until(download.pair.now_ns + 5 * SECOND_NS));
    assert!(
        thresholds.windows(2).all(|pair| pair[0] < pair[1]),
        "{thresholds:?}"
    );
    assert!(*thresholds.last().unwrap() > 90, "{thresholds:?}");
    assert!(!download.pair.end(End::Server).startup().unwrap().is_over());
}

#[test]
fn astart_leaves_the_ssthresh_of_a_recovery_to_congestion_avoidance() {
    let mut download = Download::new("astart", Avoidance::Reno);
    download.until(SECOND_NS);
    download.lose();
    assert_eq!(download.phase(), ("avoidance", "loss"));
    let halved = download.window().ssthresh_bytes / 1000;
    assert!(halved < 40, "{halved}");
    let windows = download.until(download.pair.now_ns + 10 * SECOND_NS);
    assert_eq!(thresholds(&windows), [halved]);
    assert!(
        windows
            .windows(2)
            .all(|pair| pair[1].cwnd_bytes <= pair[0].cwnd_bytes + 1000),
        "Reno's growth"
    );
}

#[test]
fn vegas_after_hoe_keeps_two_to_four_segments_in_the_queue() {
    let mut download = Download::new("hoe", Avoidance::Vegas);
    let start_up = download.until(2 * SECOND_NS);
    assert_eq!(
        (download.phase(), *thresholds(&start_up).last().unwrap()),
        (("done", "estimate"), BDP_SEGMENTS)
    );
    let windows = download.until(12 * SECOND_NS);
    assert!(
        windows
            .iter()
            .all(|window| (102..=105).contains(&window.segments())),
        "{:?}",
        windows.last()
    );
}

#[test]
fn vegas_after_astart_keeps_two_to_four_segments_in_the_queue() {
    let mut download = Download::new("astart", Avoidance::Vegas);
    download.until(5 * SECOND_NS);
    download.lose();
    assert_eq!(download.phase(), ("avoidance", "loss"));
    let halved = download.window().segments();
    assert!(halved < 70, "{halved}");
    download.until(15 * SECOND_NS);
    let windows = download.until(25 * SECOND_NS);
    assert!(
        windows
            .iter()
            .all(|window| (102..=105).contains(&window.segments())),
        "{:?}",
        windows.last()
    );
}

/// Westwood measures from the beginning, so a loss sets ssthresh to the BDP, not to half of cwnd.
#[test]
fn westwood_after_hoe_or_astart_uses_the_rate_measured_meanwhile() {
    for (startup, phase) in [
        ("hoe", ("done", "estimate")),
        ("astart", ("avoidance", "loss")),
    ] {
        let mut download = Download::new(startup, Avoidance::Westwood);
        download.until(8 * SECOND_NS);
        let before = download.window().segments();
        assert!(before > BDP_SEGMENTS + 20, "{startup}: {before}");
        download.lose();
        assert_eq!(download.phase(), phase);
        let after = download.window().ssthresh_bytes / 1000;
        assert!(
            (BDP_SEGMENTS - 6..=BDP_SEGMENTS).contains(&after),
            "{startup}: {after} of {before}"
        );
        let windows = download.until(download.pair.now_ns + 5 * SECOND_NS);
        assert!(
            windows.last().unwrap().segments() > after + 20,
            "{startup}: cwnd grows as with Reno"
        );
    }
}

/// Runs until the start-up is in this phase.
fn until_phase(download: &mut Download, wanted: &str) {
    let is = |pair: &Pair| {
        let decision = pair
            .server
            .as_ref()
            .and_then(|server| server.startup().copied());
        decision.is_some_and(|decision| phase_name(decision.phase) == wanted)
    };
    download.until_it(download.pair.now_ns + 20 * SECOND_NS, is);
    assert_eq!(download.phase().0, wanted);
}

#[test]
fn onramp_fills_the_pipe_within_three_round_trips() {
    let mut download = Download::new("onramp", Avoidance::Cubic);
    until_phase(&mut download, "pacing");
    assert_eq!(download.window().segments(), 101 * 3 / 4 + 10);
    until_phase(&mut download, "avoidance");
    let window = download.window().segments();
    // It grows by an eighth, and by a quarter more until the delay of that eighth is measured.
    assert!(
        (BDP_SEGMENTS * 17 / 16..BDP_SEGMENTS * 11 / 8).contains(&window),
        "{window}"
    );
    assert_eq!(download.phase(), ("avoidance", "delay"));
    let after = download.window();
    assert_eq!(
        (after.segments(), after.ssthresh_bytes / 1000),
        (window, window),
        "CUBIC takes cwnd over"
    );
    assert_eq!(download.pair.end(End::Server).stats().recoveries, 0);
}

#[test]
fn onramp_goes_on_from_what_the_path_carried() {
    let mut download = Download::new("onramp", Avoidance::Cubic);
    until_phase(&mut download, "pacing");
    download.segment_ns = 4 * SEGMENT_NS;
    until_phase(&mut download, "hold");
    until_phase(&mut download, "approach");
    // The BDP is 25 segments: 101 ms with 4 ms each.
    assert_eq!(download.window().segments(), 25, "what was carried");
    until_phase(&mut download, "avoidance");
    // Growth by an eighth and by a quarter, and for the eight samples that show the delay.
    let last = download.window().segments();
    assert!((26..=25 * 11 / 8 + 2).contains(&last), "{last}");
    assert_eq!(download.phase(), ("avoidance", "delay"));
}

#[test]
fn a_light_loss_during_onramps_validation_holds_cwnd() {
    let mut download = Download::new("onramp", Avoidance::Cubic);
    until_phase(&mut download, "pacing");
    let sent = download.window().segments();
    download.until(download.pair.now_ns + DELAY_NS);
    download.loses = true;
    until_phase(&mut download, "retreat");
    let held = download.window().ssthresh_bytes / 1000;
    assert!(held >= sent, "{held} of {sent}");
    until_phase(&mut download, "approach");
    assert!(download.window().segments() >= sent);
    until_phase(&mut download, "avoidance");
    assert_eq!(download.phase(), ("avoidance", "delay"));
}

/// A download that has just lost a segment in its third round, whose algorithm controls the repair.
/// Also cwnd in segments before.
fn repairing(startup: &'static str) -> (Download, u64) {
    let mut download = Download::new(startup, Avoidance::Cubic);
    download.until_it(SECOND_NS, |pair| {
        let server = pair.server.as_ref();
        server.is_some_and(|server| server.window().segments() > 60)
    });
    download.loses = true;
    download.until_it(download.pair.now_ns + SECOND_NS, |pair| {
        let decision = pair
            .server
            .as_ref()
            .and_then(|server| server.startup().copied());
        decision.is_some_and(|decision| decision.is_repairing())
    });
    let sent = download.pair.log.iter().rev();
    let before = sent.filter(|crossing| crossing.from == End::Server).nth(1);
    let before = before.expect("the server sends").window.segments();
    (download, before)
}

/// Rapid Start: silence_factor, then less with each ACK, then beta times what arrived.
#[test]
fn rapid_controls_cwnd_with_each_ack_of_its_recovery() {
    let (mut download, before) = repairing("rapid");
    let silent = download.window().segments();
    assert!(
        (before * 84 / 100..=before * 89 / 100).contains(&silent),
        "{silent} of {before}"
    );
    let windows = download.until_it(download.pair.now_ns + SECOND_NS, |pair| {
        let decision = pair
            .server
            .as_ref()
            .and_then(|server| server.startup().copied());
        decision.is_some_and(|decision| decision.is_done())
    });
    let falls = windows
        .windows(2)
        .all(|two| two[1].cwnd_bytes <= two[0].cwnd_bytes);
    assert!(falls, "{windows:?}");
    assert_eq!(download.phase(), ("done", "loss"));
    let (cwnd, ssthresh) = (
        download.window().segments(),
        download.window().ssthresh_bytes / 1000,
    );
    assert!(
        (before * 65 / 100..=before * 71 / 100).contains(&ssthresh),
        "{ssthresh} of {before}"
    );
    assert!(cwnd.abs_diff(ssthresh) <= 1, "{cwnd}, {ssthresh}");
}

#[test]
fn one_loss_does_not_stop_the_growth_of_bbrstart_and_lift() {
    for startup in ["bbrstart", "lift"] {
        let (mut download, before) = repairing(startup);
        assert!(download.window().segments() >= before, "{startup}");
        until_phase(&mut download, "slow-start");
        assert!(download.window().segments() >= before, "{startup}");
        assert_eq!(download.pair.end(End::Server).stats().recoveries, 1);
    }
}

#[test]
fn a_timeout_ends_a_repair_that_the_algorithm_controls() {
    for startup in ["rapid", "bbrstart", "lift"] {
        let (mut download, _) = repairing(startup);
        download.time_out();
        assert_eq!(download.phase(), ("done", "timeout"), "{startup}");
        assert_eq!(download.window().segments(), 1, "{startup}");
    }
}

/// BBR repairs losses in its own way.
#[test]
fn before_bbr_a_loss_ends_a_startup_that_would_control_the_repair() {
    let mut download = Download::new("rapid", Avoidance::Bbr);
    download.until_it(SECOND_NS, |pair| {
        let server = pair.server.as_ref();
        server.is_some_and(|server| server.window().segments() > 60)
    });
    assert_eq!(download.pair.end(End::Server).pacing_bytes_per_s(), None);
    download.lose();
    assert_eq!(download.phase(), ("done", "loss"));
    let rate = download
        .pair
        .end(End::Server)
        .pacing_bytes_per_s()
        .expect("BBR paces");
    download.until(download.pair.now_ns + 2 * SECOND_NS);
    let cwnd = download.window().segments();
    assert!(
        (BDP_SEGMENTS..=2 * BDP_SEGMENTS + 10).contains(&cwnd),
        "{cwnd}, {rate}"
    );
}

#[test]
fn a_connection_for_small_messages_leaves_the_startup() {
    let mut server = Script::new(Config {
        startup: Some("onramp"),
        ..plain(Recovery::Sack)
    });
    // Each message is acknowledged before the next one.
    let mut written = 0;
    let mut exchange = |server: &mut Script, messages: i64| {
        for _ in 0..messages {
            server.write(100);
            written += 100;
            server.now_ns += 100 * MS_NS;
            server.ack(written);
        }
        let decision = server.end.startup().expect("it has a start-up");
        (phase_name(decision.phase), exit_name(decision.exit))
    };
    assert_eq!(exchange(&mut server, 99), ("slow-start", "none"));
    assert_eq!(exchange(&mut server, 1), ("done", "application"));
}
