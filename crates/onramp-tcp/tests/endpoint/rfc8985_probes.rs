//! RFC 8985, RACK-TLP: tail loss probes (section 7).

use crate::script::{plain, Script, MS_NS};
use onramp_tcp::Recovery;

fn script() -> Script {
    Script::new(plain(Recovery::Rack))
}

#[test]
fn two_round_trips_after_the_last_segment_a_probe_retransmits_it() {
    let mut script = script();
    script.write(3000);
    //= RFC 8985 section 7.2: PTO = 2 * SRTT, plus an allowance for coarse timers
    //= RFC 8985 section 7.3: without new data, the segment with the highest sequence number
    assert_eq!(script.until(400), ["302 ms: 2000:3000 rexmt"]);
    assert_eq!((script.end.stats().probes, script.window().0), (1, 10));
}

#[test]
fn a_single_segment_waits_for_the_peers_delayed_acknowledgement() {
    let mut script = script();
    script.write(1000);
    //= RFC 8985 section 7.2: FlightSize of one segment adds WCDelAckT
    assert_eq!(script.until(600), ["500 ms: 0:1000 rexmt"]);
}

#[test]
fn the_probe_sends_new_data_first_and_new_data_delays_the_probe() {
    let mut script = script();
    script.write(3000);
    script.idle_until(200);
    script.write(1000);
    //= RFC 8985 section 7.2: restarted after each transmission of new data
    script.idle_until(350);
    assert_eq!(script.until(500), ["402 ms: 3000:4000 rexmt"]);
    let mut full = Script::new(plain(Recovery::Rack));
    full.write(20_000);
    //= RFC 8985 section 7.3: new data first, even beyond the congestion window
    assert_eq!(full.until(400), ["302 ms: 10000:11000"]);
}

#[test]
fn a_trickle_of_data_does_not_delay_the_timer_for_ever() {
    let mut script = script();
    script.write(10);
    let mut sent = Vec::new();
    for turn in 1..20 {
        sent.extend(script.until(100 + 90 * turn));
        script.write(10);
    }
    //= RFC 8985 section 7.2: no later than TCP_RTO_expiration()
    assert_eq!(sent[0], "1100 ms: 110:120 rexmt");
}

#[test]
fn only_one_probe_is_in_flight_and_the_timer_follows_it() {
    let mut script = script();
    script.write(3000);
    //= RFC 8985 section 7.3: the retransmission timer is started after the probe
    assert_eq!(
        script.until(2000),
        ["302 ms: 2000:3000 rexmt", "1302 ms: 0:1000 rexmt"]
    );
}

#[test]
fn the_ack_of_a_probe_shows_the_losses_before_it() {
    let mut script = script();
    script.write(5000);
    script.until(310);
    script.now_ns = 402 * MS_NS;
    //= RFC 8985 section 7.4: RACK repairs the loss, not the timer
    assert_eq!(
        script.sack(2000, &[(4000, 5000)]),
        ["2000:3000 rexmt", "3000:4000 rexmt"]
    );
    assert_eq!(
        (script.end.stats().recoveries, script.end.stats().timeouts),
        (1, 0)
    );
}

#[test]
fn a_probe_that_repaired_the_only_loss_halves_cwnd() {
    let mut script = script();
    script.write(5000);
    script.until(310);
    script.now_ns = 402 * MS_NS;
    script.ack(5000);
    let (before, _) = script.window();
    script.write(1000);
    script.now_ns = 502 * MS_NS;
    //= RFC 8985 section 7.4.2: no sign of a duplicate, so the original was lost
    script.ack(6000);
    assert_eq!(script.window(), (before / 2, before / 2));
}

#[test]
fn an_unnecessary_probe_does_not_reduce_cwnd() {
    let mut script = script();
    script.write(5000);
    script.until(310);
    script.now_ns = 402 * MS_NS;
    script.ack(5000);
    //= RFC 8985 section 7.4.2: a DSACK
    script.sack(5000, &[(4000, 5000)]);
    script.write(1000);
    script.now_ns = 502 * MS_NS;
    script.ack(6000);
    assert!(script.window().0 >= 10);
}

#[test]
fn a_lost_end_of_the_stream_needs_no_timeout() {
    let mut script = script();
    script.end.write(2500);
    script.end.close();
    assert_eq!(script.sends(), ["0:1000", "1000:2000", "F 2000:2500"]);
    //= RFC 8985 section 7.3
    assert_eq!(script.until(310), ["302 ms: F 2000:2500 rexmt"]);
    script.now_ns = 402 * MS_NS;
    script.ack(2501);
    assert_eq!(script.end.next_timer_ns(), None);
}
