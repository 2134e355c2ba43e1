//! RFC 6298, Computing TCP's Retransmission Timer: when the timer starts, stops and restarts.

use crate::pair::{Crossing, End, Pair, DELAY_NS};
use crate::script::{plain, Script, MS_NS};
use onramp_tcp::{Config, Recovery, State};

fn script() -> Script {
    Script::new(plain(Recovery::NewReno))
}

#[test]
fn data_starts_the_timer_if_it_does_not_run() {
    let mut script = script();
    assert_eq!(script.end.next_timer_ns(), None);
    script.idle_until(500);
    script.write(1000);
    //= RFC 6298 section 5 rule 5.1
    assert_eq!(script.end.next_timer_ns(), Some(1500 * MS_NS));
    script.idle_until(700);
    script.write(1000);
    //= RFC 6298 section 5 rule 5.1: "if the timer is not running"
    assert_eq!(script.end.next_timer_ns(), Some(1500 * MS_NS));
}

#[test]
fn the_timer_stops_when_nothing_is_in_flight() {
    let mut script = script();
    script.write(3000);
    script.now_ns = 200 * MS_NS;
    script.ack(3000);
    //= RFC 6298 section 5 rule 5.2
    assert_eq!(script.end.next_timer_ns(), None);
}

#[test]
fn an_acknowledgement_of_new_data_restarts_the_timer() {
    let mut script = script();
    script.write(3000);
    script.now_ns = 200 * MS_NS;
    script.ack(1000);
    //= RFC 6298 section 5 rule 5.3
    assert_eq!(script.end.next_timer_ns(), Some(1200 * MS_NS));
    script.now_ns = 300 * MS_NS;
    script.ack(1000);
    //= RFC 6298 section 5 rule 5.3: a duplicate ACK does not restart it
    assert_eq!(script.end.next_timer_ns(), Some(1200 * MS_NS));
}

#[test]
fn an_expired_timer_retransmits_the_earliest_segment_doubles_and_restarts() {
    let mut script = script();
    script.write(3000);
    //= RFC 6298 section 5 rules 5.4, 5.5 and 5.6
    let sent = script.until(8000);
    assert_eq!(
        sent,
        [
            "1100 ms: 0:1000 rexmt",
            "3100 ms: 0:1000 rexmt",
            "7100 ms: 0:1000 rexmt"
        ]
    );
    assert_eq!(script.end.rto_ns(), 8000 * MS_NS);
}

#[test]
fn the_backoff_lasts_until_a_segment_that_was_sent_once_is_acknowledged() {
    let mut script = script();
    script.write(1000);
    assert_eq!(script.until(1100), ["1100 ms: 0:1000 rexmt"]);
    script.now_ns = 1150 * MS_NS;
    script.ack(1000);
    //= RFC 6298 section 3: Karn's algorithm
    assert_eq!(
        (script.end.rto_ns(), script.end.srtt_ns()),
        (2000 * MS_NS, 100 * MS_NS)
    );
    script.write(1000);
    script.now_ns = 1250 * MS_NS;
    script.ack(2000);
    //= RFC 6298 section 5: "subsequent RTT sample [...] RTO recomputed"
    assert_eq!(script.end.rto_ns(), 1000 * MS_NS);
}

#[test]
fn a_timestamp_shows_which_copy_was_acknowledged() {
    let config = Config {
        timestamps: true,
        ..plain(Recovery::NewReno)
    };
    let mut script = Script::new(config);
    script.write(1000);
    assert_eq!(script.until(1100), ["1100 ms: 0:988 rexmt"]);
    script.now_ns = 1400 * MS_NS;
    let mut ack = script.bare(988);
    ack.options.timestamps = Some((2, 1100));
    script.arrives(ack);
    //= RFC 6298 section 3: "the TCP timestamp option [...] removes the ambiguity"
    assert_eq!(script.end.srtt_ns(), (7 * 100 + 300) * MS_NS / 8);
}

#[test]
fn data_after_a_lost_syn_has_an_rto_of_three_seconds() {
    let config = plain(Recovery::NewReno);
    let mut pair = Pair::new(config.clone(), config);
    let mut path = |crossing: &Crossing| match (crossing.from, crossing.number) {
        (End::Client, 0) => vec![],
        _ => vec![DELAY_NS],
    };
    pair.until(10_000_000_000, &mut path, |pair| {
        pair.client.state() == State::Established
    });
    //= RFC 6298 section 5 rule 5.7
    assert_eq!(pair.client.rto_ns(), 3000 * MS_NS);
}
