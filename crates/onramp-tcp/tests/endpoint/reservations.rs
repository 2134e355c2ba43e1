//! Start-up `qos` in a connection: it sends at a reserved rate despite losses, until losses show
//! that the reservation does not hold.

use crate::pair::{Crossing, End, Pair};
use crate::script::{plain, MS_NS};
use onramp_core::{exit_name, phase_name};
use onramp_tcp::{Avoidance, Config, ReceiveBuffer, Recovery, Reservation, Stack, Ticks};

const SECOND_NS: u64 = 1_000 * MS_NS;
const DELAY_NS: u64 = 50 * MS_NS;
/// A segment of 1000 bytes per millisecond: with an RTT of 100 ms the BDP is 100 segments.
const RATE: u64 = 1_000_000;
const BURST: u32 = 3000;

fn reserved(config: &Config) -> Config {
    let reservation = Some(Reservation {
        bytes_per_s: RATE,
        burst_bytes: Some(BURST),
    });
    Config {
        startup: Some("qos"),
        reservation,
        ..config.clone()
    }
}

fn sender(recovery: Recovery) -> Config {
    Config {
        window_scaling: true,
        ..plain(recovery)
    }
}

/// A pair whose client has a window that is no limit.
fn to(config: &Config) -> Pair {
    let client = Config {
        startup: None,
        receive_buffer: ReceiveBuffer::Bytes(4 << 20),
        ..config.clone()
    };
    Pair::new(client, config.clone())
}

/// Time and bytes of the data segments that the server sent, including retransmissions.
fn sent(pair: &Pair) -> Vec<(u64, u64)> {
    let data = pair.sent_by(End::Server, |transmit| transmit.segment.payload_bytes > 0);
    data.iter()
        .map(|crossing| {
            (
                crossing.now_ns,
                crossing.transmit.segment.payload_bytes.into(),
            )
        })
        .collect()
}

/// Checks that the segments conform to a token bucket of the rate and this burst.
fn assert_conforms(sent: &[(u64, u64)], burst_bytes: u64) {
    let (mut tokens, mut then_ns) = (burst_bytes * SECOND_NS, 0);
    for &(now_ns, bytes) in sent {
        tokens = (tokens + (now_ns - then_ns) * RATE).min(burst_bytes * SECOND_NS);
        then_ns = now_ns;
        tokens = tokens
            .checked_sub(bytes * SECOND_NS)
            .unwrap_or_else(|| panic!("a burst at {now_ns} ns"));
    }
}

fn phase(pair: &mut Pair) -> (&'static str, &'static str) {
    let decision = pair.end(End::Server).startup().expect("the server has one");
    (phase_name(decision.phase), exit_name(decision.exit))
}

fn is_data(crossing: &Crossing) -> bool {
    crossing.from == End::Server && crossing.transmit.segment.payload_bytes > 0
}

/// A path that loses one of `every` data segments, periodically or at random.
fn lossy(every: u64, at_random: bool) -> impl FnMut(&Crossing) -> Vec<u64> {
    let (mut count, mut state) = (0, 1u64);
    move |crossing| {
        count += u64::from(is_data(crossing));
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let is_hit = if at_random {
            (state >> 33) % every == 0
        } else {
            count % every == every / 2
        };
        if is_data(crossing) && is_hit {
            vec![]
        } else {
            vec![DELAY_NS]
        }
    }
}

/// A bottleneck with this time per segment and this queue.
fn bottleneck(segment_ns: u64, queue_segments: u64) -> impl FnMut(&Crossing) -> Vec<u64> {
    let mut free_ns = 0;
    move |crossing| {
        if !is_data(crossing) {
            return vec![DELAY_NS];
        }
        let waits_ns = u64::saturating_sub(free_ns, crossing.now_ns);
        if waits_ns > queue_segments * segment_ns {
            return vec![];
        }
        free_ns = crossing.now_ns + waits_ns + segment_ns;
        vec![waits_ns + segment_ns + DELAY_NS]
    }
}

#[test]
fn the_reserved_rate_is_used_exactly_from_the_first_segment_on() {
    let mut pair = to(&reserved(&sender(Recovery::Sack)));
    let completed_ns = pair.download(1_000_000, 100 * SECOND_NS, &mut |_| vec![DELAY_NS]);
    // The client connects, so the server may send when the last ACK of the handshake arrives: after
    // 3 one-way delays. The last segment is sent 997 ms after the burst of three.
    assert_eq!(completed_ns, 4 * DELAY_NS + 997 * MS_NS);
    assert_conforms(&sent(&pair), BURST.into());
    let sizes: Vec<_> = pair
        .log
        .iter()
        .filter(|crossing| is_data(crossing))
        .map(|c| c.window.cwnd_bytes)
        .collect();
    assert!(
        sizes.iter().all(|cwnd_bytes| *cwnd_bytes == 200_000),
        "two BDPs: {:?}",
        &sizes[..5]
    );
}

/// Retransmissions take tokens as other segments do, and cwnd does not change.
#[test]
fn single_losses_cost_no_rate_with_any_recovery() {
    for &recovery in Recovery::ALL {
        for avoidance in [Avoidance::Reno, Avoidance::Cubic] {
            let mut pair = to(&reserved(&Config {
                avoidance,
                ..sender(recovery)
            }));
            let completed_ns = pair.download(4_000_000, 100 * SECOND_NS, &mut lossy(400, false));
            assert_eq!(phase(&mut pair), ("reserved", "none"), "{recovery:?}");
            assert_conforms(&sent(&pair), BURST.into());
            let of_data = pair.log.iter().filter(|crossing| is_data(crossing));
            for crossing in of_data.filter(|crossing| crossing.now_ns > SECOND_NS) {
                let window = crossing.window;
                assert!(
                    (199_000..=201_000).contains(&window.cwnd_bytes),
                    "{recovery:?} {window:?}"
                );
                assert_eq!(window.ssthresh_bytes, u64::MAX, "{recovery:?}");
            }
            // Going back retransmits a BDP at each loss. A recovery that repairs one hole per round
            // trip may stall for a moment, with a cwnd of two BDPs.
            let max_percent = if recovery == Recovery::Tahoe {
                145
            } else {
                104
            };
            let took_ms = (completed_ns - 4 * DELAY_NS) / MS_NS;
            assert!(
                took_ms <= 4000 * max_percent / 100,
                "{recovery:?}: {took_ms} ms"
            );
            assert_eq!(pair.end(End::Server).stats().timeouts, 0, "{recovery:?}");
        }
    }
}

#[test]
fn random_losses_cost_no_rate_with_sack() {
    for recovery in [Recovery::Sack, Recovery::Prr, Recovery::Rack] {
        let mut pair = to(&reserved(&Config {
            avoidance: Avoidance::Cubic,
            ..sender(recovery)
        }));
        let completed_ns = pair.download(8_000_000, 100 * SECOND_NS, &mut lossy(300, true));
        assert_eq!(phase(&mut pair), ("reserved", "none"), "{recovery:?}");
        assert_conforms(&sent(&pair), BURST.into());
        let took_ms = (completed_ns - 4 * DELAY_NS) / MS_NS;
        assert!(took_ms <= 8000 * 104 / 100, "{recovery:?}: {took_ms} ms");
    }
}

/// Segments that were due since the last tick are sent at the next one.
#[test]
fn a_host_with_coarse_ticks_keeps_the_rate_with_larger_bursts() {
    for event_ns in [10 * MS_NS, 100 * MS_NS] {
        let ticks = Ticks {
            event_ns,
            phase_ns: 3 * MS_NS,
            ..Ticks::FINE
        };
        let mut pair = to(&reserved(&Config {
            ticks,
            ..sender(Recovery::Sack)
        }));
        let completed_ns = pair.download(2_000_000, 100 * SECOND_NS, &mut lossy(400, false));
        let tick_bytes = RATE * event_ns / SECOND_NS;
        assert_conforms(&sent(&pair), u64::from(BURST) + tick_bytes);
        let took_ms = (completed_ns - 4 * DELAY_NS) / MS_NS;
        assert!(
            (1800..=2150).contains(&took_ms),
            "ticks of {event_ns} ns: {took_ms} ms"
        );
        assert_eq!(phase(&mut pair), ("reserved", "none"));
    }
}

/// RFC 5681, section 4.1, is for connections that must probe the path again.
#[test]
fn an_idle_time_keeps_cwnd() {
    let mut pair = to(&reserved(&sender(Recovery::Rack)));
    let mut path = |_: &Crossing| vec![DELAY_NS];
    for (from_ms, size) in [(0, 500_000), (20_000, 500_000)] {
        let (mut to_write, mut got) = (size, 0);
        pair.until(100 * SECOND_NS, &mut path, |pair| {
            let now_ns = pair.now_ns;
            if let (Some(server), true) = (&mut pair.server, now_ns >= from_ms * MS_NS) {
                to_write -= server.write(to_write);
            }
            got += pair.client.read(now_ns, u64::MAX);
            got == size
        });
        while pair.step(&mut path) {}
        pair.now_ns = 20 * SECOND_NS;
    }
    let last = sent(&pair);
    assert_conforms(&last, BURST.into());
    let later: Vec<_> = last
        .iter()
        .filter(|(at_ns, _)| *at_ns >= 20 * SECOND_NS)
        .collect();
    assert_eq!((later.len(), later[499].0 - later[0].0), (500, 497 * MS_NS));
}

/// Nothing arrives any more. The first timeout ends the reservation, and is then a normal timeout.
#[test]
fn an_outage_breaks_the_reservation() {
    for &recovery in Recovery::ALL {
        for stack in [Stack::Linux, Stack::Lite] {
            let config = Config {
                recovery,
                stack,
                ..sender(recovery)
            };
            let mut pair = to(&reserved(&config));
            let mut path = |crossing: &Crossing| match crossing.now_ns {
                now_ns if (SECOND_NS..3 * SECOND_NS).contains(&now_ns) => vec![],
                _ => vec![DELAY_NS],
            };
            pair.download(3_000_000, 1000 * SECOND_NS, &mut path);
            assert_eq!(phase(&mut pair), ("done", "broken"), "{recovery:?}");
            let sent = sent(&pair);
            let in_vain = sent
                .iter()
                .filter(|(at_ns, _)| (SECOND_NS..3 * SECOND_NS).contains(at_ns))
                .count();
            // Until the timer expires, and a few probes and timeouts.
            assert!(in_vain <= 210, "{recovery:?}: {in_vain} segments");
            assert_eq!(pair.end(End::Server).pacing_bytes_per_s(), None);
        }
    }
}

/// The path has half of the reserved rate and a queue of one RTT. After the reservation, recovery
/// and congestion avoidance are normal.
#[test]
fn a_path_with_half_the_rate_breaks_the_reservation() {
    let with_sack = [Recovery::Sack, Recovery::Prr, Recovery::Rack];
    let others = [Avoidance::Cubic, Avoidance::Vegas, Avoidance::Westwood];
    let all_with_reno = Recovery::ALL
        .iter()
        .map(|recovery| (*recovery, Avoidance::Reno));
    let cases = all_with_reno.chain(
        with_sack
            .into_iter()
            .flat_map(|recovery| others.map(|other| (recovery, other))),
    );
    for (recovery, avoidance) in cases {
        for stack in [Stack::Linux, Stack::Lite] {
            let what = format!("{recovery:?} {avoidance:?} {stack:?}");
            let mut pair = to(&reserved(&Config {
                avoidance,
                stack,
                ..sender(recovery)
            }));
            let completed_ns =
                pair.download(10_000_000, 1000 * SECOND_NS, &mut bottleneck(2 * MS_NS, 50));
            assert_eq!(phase(&mut pair), ("done", "broken"), "{what}");
            let broken = pair
                .log
                .iter()
                .find(|crossing| crossing.window.ssthresh_bytes != u64::MAX)
                .unwrap();
            // The queue is full 200 ms after the first segment. Without SACK a recovery detects one
            // loss per round trip, and the timer ends the reservation.
            let (max_ms, max_bytes) = if with_sack.contains(&recovery) {
                (600, 110_000)
            } else {
                (1500, 200_000)
            };
            assert!(
                broken.now_ns <= max_ms * MS_NS,
                "{what}: {} ms",
                broken.now_ns / MS_NS
            );
            assert!(
                broken.window.ssthresh_bytes <= max_bytes,
                "{what}: {:?}",
                broken.window
            );
            // The path needs 20 s. ns's Reno waits for the timer at every second loss of a window.
            let took_ms = completed_ns / MS_NS;
            let max_ms = match recovery {
                Recovery::NsReno => 50_000,
                _ if with_sack.contains(&recovery) => 22_000,
                _ => 31_000,
            };
            assert!(took_ms < max_ms, "{what}: {took_ms} ms");
        }
    }
}

#[test]
fn qos_without_a_reservation_behaves_as_no_start_up() {
    for stack in [Stack::Linux, Stack::Lite] {
        let config = Config {
            stack,
            initial_ssthresh_bytes: Some(40_000),
            ..sender(Recovery::Sack)
        };
        let run = |startup| {
            let mut pair = to(&Config {
                startup,
                ..config.clone()
            });
            pair.download(1_000_000, 100 * SECOND_NS, &mut bottleneck(MS_NS, 20));
            pair
        };
        let (mut unreserved, none) = (run(Some("qos")), run(None));
        assert_eq!(phase(&mut unreserved), ("done", "unreserved"));
        assert!(
            crate::trace::lines(&unreserved) == crate::trace::lines(&none),
            "{stack:?}"
        );
    }
}

/// At 1 kbit/s a segment takes 8 s, more than any timeout. Waiting for tokens is no loss.
#[test]
fn segments_that_wait_for_tokens_are_not_overdue() {
    let reservation = Some(Reservation {
        bytes_per_s: 125,
        burst_bytes: None,
    });
    for &recovery in Recovery::ALL {
        let mut pair = to(&Config {
            reservation,
            ..reserved(&sender(recovery))
        });
        let completed_ns = pair.download(20_000, 1000 * SECOND_NS, &mut lossy(10, false));
        let stats = pair.end(End::Server).stats();
        assert_eq!(phase(&mut pair), ("reserved", "none"), "{recovery:?}");
        // The 5th and the 15th are lost. Two are sent at once, the others every 8 s.
        assert_eq!(
            (stats.retransmitted_segments, stats.timeouts + stats.probes),
            (2, 2),
            "{recovery:?}"
        );
        assert_eq!(completed_ns / SECOND_NS, 160, "{recovery:?}");
    }
}

/// A lost SYN gives no RTT. The initial window is sent at the rate until an RTT is known.
#[test]
fn without_the_handshakes_rtt_the_initial_window_is_sent_at_the_rate() {
    let mut pair = to(&reserved(&sender(Recovery::Sack)));
    let mut path = |crossing: &Crossing| match (crossing.from, crossing.number) {
        (End::Server, 0) => vec![],
        _ => vec![DELAY_NS],
    };
    let completed_ns = pair.download(1_000_000, 100 * SECOND_NS, &mut path);
    assert_conforms(&sent(&pair), BURST.into());
    let first = *pair.log.iter().find(|crossing| is_data(crossing)).unwrap();
    assert_eq!(first.window.cwnd_bytes, 10_000);
    assert_eq!(phase(&mut pair), ("reserved", "none"));
    // One round trip more than with the RTT, less the ten segments.
    assert!(
        (completed_ns - first.now_ns) / MS_NS <= 1150,
        "{}",
        (completed_ns - first.now_ns) / MS_NS
    );
}

/// The reservation needs the start-up algorithm, which a fixed rate replaces.
#[test]
fn a_fixed_rate_has_no_reservation() {
    let config = Config {
        fixed_rate_bits_per_s: Some(8_000_000),
        ..reserved(&sender(Recovery::Sack))
    };
    let mut pair = to(&config);
    pair.download(100_000, 100 * SECOND_NS, &mut lossy(20, false));
    assert_eq!(pair.end(End::Server).startup(), None);
}
