//! What a data sender does with a reported interval (sections 4.1.1, 4.2.1 to 4.2.3).

use super::{counts, replied, reply, sending, supporting};
use crate::pair::{clean, Crossing, End, Pair, DELAY_NS};
use crate::script::{segments, Script, MS_NS};
use onramp_core::pairs::Form;
use onramp_core::{PHASE_AVOIDANCE, PHASE_SAFE, PHASE_SLOW_START};
use onramp_tcp::{ByteCounting, Config, PacketPair, Recovery};

/// The last decision of the start-up algorithm: its phase, the pacing rate and its estimate.
fn decision(script: &Script) -> (u32, Option<u64>, u64) {
    let decision = script.end.startup().expect("it has one");
    (
        decision.phase,
        script.end.pacing_bytes_per_s(),
        decision.estimate_bytes_per_s,
    )
}

#[test]
fn the_bucket_has_the_rate_of_the_last_interval() {
    let mut script = Script::new(sending(4));
    script.write(100_000);
    script.now_ns = 200 * MS_NS;
    script.ack(1000);
    assert_eq!(decision(&script), (PHASE_SLOW_START, None, 0));
    script.now_ns = 240 * MS_NS;
    // "When data sender receives packet pair reply option, data sender records timer values in the
    // option"
    replied(&mut script, 2000, reply(1, 40));
    assert_eq!(decision(&script), (PHASE_SLOW_START, Some(25_000), 25_000));
    script.until(300);
    script.ack(5000);
    assert_eq!(decision(&script), (PHASE_SLOW_START, Some(25_000), 25_000));
    script.until(320);
    replied(&mut script, 6000, reply(2, 20));
    assert_eq!(decision(&script), (PHASE_SLOW_START, Some(50_000), 50_000));
    assert_eq!(counts(&script).replies, 2);
}

#[test]
fn until_an_interval_is_reported_slow_start_is_unchanged() {
    let mut script = Script::new(sending(4));
    script.write(100_000);
    script.now_ns = 200 * MS_NS;
    let sent: usize = (1..=4).map(|ack| script.ack(1000 * ack).len()).sum();
    assert_eq!(sent, 8);
}

#[test]
fn an_interval_of_less_than_a_tick_is_ignored() {
    let mut script = Script::new(sending(4));
    script.write(100_000);
    script.now_ns = 200 * MS_NS;
    assert_eq!(replied(&mut script, 2000, reply(1, 0)).len(), 4);
    assert_eq!(
        (script.end.pacing_bytes_per_s(), counts(&script).replies),
        (None, 0)
    );
}

#[test]
fn a_reply_on_an_ack_that_was_overtaken_counts() {
    let mut script = Script::new(sending(4));
    script.write(100_000);
    script.now_ns = 200 * MS_NS;
    script.ack(3000);
    script.now_ns = 210 * MS_NS;
    assert!(replied(&mut script, 2000, reply(1, 40)).is_empty());
    assert_eq!(counts(&script).replies, 1);
    script.ack(4000);
    assert_eq!(script.end.pacing_bytes_per_s(), Some(25_000));
}

#[test]
fn slow_start_sends_one_segment_per_interval() {
    let mut script = Script::new(sending(4));
    script.write(100_000);
    script.now_ns = 200 * MS_NS;
    script.ack(1000);
    script.now_ns = 240 * MS_NS;
    replied(&mut script, 2000, reply(1, 40));
    // The ACK covers everything. Without the bucket nine segments would be sent at once.
    script.until(600);
    script.ack(8000);
    let sent = script.until(900);
    let after: Vec<_> = sent
        .iter()
        .map(|line| line.split(' ').next().unwrap().parse::<u64>().unwrap())
        .collect();
    assert!(
        after.len() >= 5 && after.windows(2).all(|two| two[1] - two[0] == 40),
        "{sent:?}"
    );
}

/// Twelve segments are in flight. The third was lost, and is retransmitted at 300 ms. The bucket
/// has this interval, if any. Then everything is acknowledged.
fn recovered(interval_ms: Option<u32>) -> (Script, Vec<String>) {
    let mut script = Script::new(Config {
        recovery: Recovery::Reno,
        ..sending(10)
    });
    script.write(100_000);
    script.now_ns = 200 * MS_NS;
    match interval_ms {
        Some(interval_ms) => drop(replied(&mut script, 2000, reply(1, interval_ms))),
        None => drop(script.ack(2000)),
    }
    script.until(300);
    let sent: Vec<_> = (0..3).flat_map(|_| script.ack(2000)).collect();
    assert!(sent.contains(&"2000:3000 rexmt".to_owned()));
    script.until(400);
    let sent = script.ack(script.end.acked_bytes() as i64 + script.end.flight_size_bytes() as i64);
    (script, sent)
}

#[test]
fn without_an_interval_the_ack_that_ends_recovery_causes_a_burst() {
    let (script, sent) = recovered(None);
    assert_eq!(
        (sent.len() as u64, script.window().0),
        (script.window().1, script.window().1)
    );
    assert_eq!(decision(&script).0, PHASE_AVOIDANCE);
}

#[test]
fn after_fast_recovery_one_segment_is_sent_per_interval() {
    let (mut script, immediate) = recovered(Some(40));
    // "When new acknowledgement packet is received, The new TCP enters in 'safe-transmit' mode"
    assert_eq!(decision(&script), (PHASE_SAFE, Some(25_000), 25_000));
    assert_eq!(immediate.len(), 1);
    let sent = script.until(499);
    let at: Vec<_> = sent.iter().map(|line| &line[..6]).collect();
    // A pause of less than an interval is made up for.
    assert_eq!(at, ["420 ms", "460 ms"]);
    assert!(
        sent.iter().all(|line| !line.contains("first")),
        "a pair would be a burst: {sent:?}"
    );
}

#[test]
fn safe_transmit_ends_a_round_trip_after_its_first_ack() {
    let (mut script, _) = recovered(Some(40));
    let una = script.end.acked_bytes() as i64;
    script.until(500);
    script.ack(una + 1000);
    let end_ns = script.now_ns + script.end.srtt_ns();
    for ack in 2..=5 {
        script.until(420 + 40 * (ack as u64 + 1));
        script.ack(una + 1000 * ack);
        let phase = if script.now_ns < end_ns {
            PHASE_SAFE
        } else {
            PHASE_AVOIDANCE
        };
        assert_eq!(
            decision(&script).0,
            phase,
            "{} ns of {end_ns}",
            script.now_ns
        );
    }
    assert_eq!(
        (decision(&script).0, script.end.pacing_bytes_per_s()),
        (PHASE_AVOIDANCE, None)
    );
}

#[test]
fn safe_transmit_ends_when_cwnd_is_full() {
    let (mut script, _) = recovered(Some(10));
    let una = script.end.acked_bytes() as i64;
    // In 100 ms the bucket sends as much as cwnd allows.
    script.until(500);
    assert_eq!(script.end.flight_size_bytes(), 1000 * script.window().0);
    assert_eq!(decision(&script).0, PHASE_SAFE);
    // The ACK clocks the next segment.
    assert_eq!(script.ack(una + 1000).len(), 1);
    assert_eq!(
        (decision(&script).0, script.end.pacing_bytes_per_s()),
        (PHASE_AVOIDANCE, None)
    );
}

#[test]
fn after_a_timeout_slow_start_uses_pairs_and_the_bucket_again() {
    let mut script = Script::new(Config {
        byte_counting: ByteCounting::ACKS,
        ..sending(10)
    });
    script.write(100_000);
    script.now_ns = 200 * MS_NS;
    replied(&mut script, 2000, reply(1, 40));
    script.until(300);
    let sent = script.until(2000);
    assert!(
        sent.last()
            .is_some_and(|line| line.ends_with("2000:3000 rexmt")),
        "{sent:?}"
    );
    assert_eq!(decision(&script).0, PHASE_AVOIDANCE);
    // The other segments had arrived.
    let sent = script.ack(2000 + script.end.flight_size_bytes() as i64);
    assert_eq!(decision(&script), (PHASE_SLOW_START, Some(25_000), 25_000));
    assert!(
        sent.len() == 2 && sent[0].ends_with("first 3") && sent[1].ends_with("second 3"),
        "{sent:?}"
    );
}

/// Time, sequence number and cwnd of each data segment of a download.
fn departures(pair: &Pair) -> Vec<(u64, u32, u64)> {
    let data = pair.sent_by(End::Server, |transmit| transmit.segment.payload_bytes > 0);
    data.iter()
        .map(|sent| {
            (
                sent.now_ns,
                sent.transmit.segment.seq,
                sent.window.cwnd_bytes,
            )
        })
        .collect()
}

/// A download of 200 kB from a server with this start-up and ssthresh, over a path with 4 ms per
/// segment.
fn download(startup: &'static str, initial_ssthresh_bytes: u64) -> Pair {
    let server = Config {
        startup: Some(startup),
        initial_ssthresh_bytes: Some(initial_ssthresh_bytes),
        recovery: Recovery::NewReno,
        ..sending(4)
    };
    let mut pair = Pair::new(
        supporting(PacketPair::Answer, Form::Experiment),
        Config {
            pair_form: Form::Experiment,
            ..server
        },
    );
    let mut free_ns = 0;
    let mut path = |crossing: &Crossing| {
        if crossing.from == End::Client || crossing.transmit.segment.payload_bytes == 0 {
            return clean(crossing);
        }
        free_ns = crossing.now_ns.max(free_ns) + 4 * MS_NS;
        vec![free_ns - crossing.now_ns + DELAY_NS]
    };
    pair.download(200_000, 100_000 * MS_NS, &mut path);
    pair
}

#[test]
fn a_connection_that_starts_in_congestion_avoidance_is_unchanged() {
    // "we added no modification to congestion avoidance algorithm"
    assert_eq!(
        departures(&download("pair", 4000)),
        departures(&download("standard", 4000))
    );
    // In slow start they differ.
    assert_ne!(
        departures(&download("pair", 30_000)),
        departures(&download("standard", 30_000))
    );
}

#[test]
fn in_congestion_avoidance_acks_clock_the_sender() {
    let pair = download("pair", 20_000);
    let acks = pair.sent_by(End::Client, |_| true);
    let arrivals: Vec<u64> = acks.iter().map(|ack| ack.now_ns + DELAY_NS).collect();
    let sent = departures(&pair);
    // Slow start ends with 20 segments. Then the segments held by the bucket are sent, and cwnd
    // grows by one segment per round trip.
    let end = sent
        .iter()
        .position(|&(_, _, cwnd_bytes)| cwnd_bytes >= 21_000)
        .expect("cwnd grows");
    let is_clocked = |&&(at_ns, ..): &&(u64, u32, u64)| arrivals.contains(&at_ns);
    assert!(sent[end..].len() > 100);
    assert_eq!(
        sent[end..].iter().filter(is_clocked).count(),
        sent[end..].len()
    );
    // Before, segments are sent at the times of the bucket.
    assert!(sent[..end].iter().filter(is_clocked).count() < end);
    let server = pair.server.as_ref().expect("the server was connected");
    assert_eq!(
        (server.pacing_bytes_per_s(), server.startup().unwrap().phase),
        (None, PHASE_AVOIDANCE)
    );
}

#[test]
fn cwnd_grows_as_without_a_start_up() {
    let windows = [Some("pair"), None].map(|startup| {
        let mut script = Script::new(Config {
            startup,
            ..sending(4)
        });
        script.write(1_000_000);
        script.now_ns = 200 * MS_NS;
        // Slow start up to 64 segments, then one segment per round trip.
        [(); 6].map(|()| {
            script.ack(script.end.acked_bytes() as i64 + script.end.flight_size_bytes() as i64);
            script.now_ns += 100 * MS_NS;
            script.window()
        })
    });
    assert_eq!(windows[0], windows[1]);
    assert_eq!(windows[0].map(|(cwnd, _)| cwnd), [8, 16, 32, 64, 65, 66]);
}

#[test]
fn segments_of_the_first_flight_are_not_delayed() {
    let mut script = Script::new(sending(4));
    let sent = script.write(100_000);
    assert_eq!(sent[2..], segments(2..4));
}
