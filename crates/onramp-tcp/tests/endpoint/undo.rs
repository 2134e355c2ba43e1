//! Spurious recoveries and timeouts, and how they are undone: Eifel (RFC 3522, RFC 4015), F-RTO
//! (RFC 5682), DSACK (RFC 3708), as in Linux.

use crate::pair::{Crossing, End, Pair, DELAY_NS};
use crate::script::{plain, segments, Script, MS_NS};
use onramp_tcp::{Avoidance, Config, Options, Recovery, SackBlocks, Segment, Stack};

/// No ssthresh, in segments of 1000 bytes.
const UNLIMITED: u64 = u64::MAX / 1000;

/// Segments of 1000 bytes with timestamps.
fn stamped() -> Config {
    Config {
        timestamps: true,
        mss_bytes: 1012,
        ..plain(Recovery::Rack)
    }
}

/// An acknowledgement that echoes the timestamp of this time.
fn echo(script: &mut Script, ack: i64, blocks: &[(i64, i64)], echo_ms: u32) -> Vec<String> {
    let mut sack = SackBlocks::default();
    for &(left, right) in blocks {
        assert!(sack.push(left as u32 + 1, right as u32 + 1));
    }
    let options = Options {
        sack,
        timestamps: Some(((script.now_ns / MS_NS) as u32, echo_ms)),
        ..Options::default()
    };
    script.arrives(Segment {
        options,
        ..script.bare(ack)
    })
}

/// Ten segments were sent at 100 ms and a probe at 302 ms. The timer expired at 1302 ms, and the
/// first segment was retransmitted. The application has written `more` segments beyond the ten.
fn timed_out(config: Config, more: u64) -> Script {
    let mut script = Script::new(config);
    assert_eq!(script.write(10_000), segments(0..10));
    assert_eq!(script.until(310).len(), 1, "the tail loss probe");
    assert_eq!(script.until(1302), ["1302 ms: 0:1000 rexmt"]);
    assert_eq!(script.window(), (1, 5));
    assert!(script.write(1000 * more).is_empty());
    script
}

#[test]
fn the_echo_of_an_original_undoes_a_timeout() {
    let mut script = timed_out(stamped(), 10);
    script.now_ns = 1350 * MS_NS;
    //= RFC 3522 section 3.2 step 5: the ACK's timestamp is older than the retransmission's
    let sent = echo(&mut script, 2000, &[], 100);
    // cwnd and ssthresh are restored (RFC 4015 section 3.2), and slow start goes on: 10 + 2.
    assert_eq!(script.window(), (12, UNLIMITED));
    assert_eq!(sent, segments(10..14), "new data, and no retransmission");
    assert_eq!(script.end.stats().undone, 1);
    for ack in [4000, 6000, 8000, 10_000] {
        let sent = echo(&mut script, ack, &[], 100);
        assert!(sent.iter().all(|sent| !sent.contains("rexmt")), "{sent:?}");
    }
}

#[test]
fn the_echo_of_the_retransmission_undoes_nothing() {
    let mut script = timed_out(stamped(), 0);
    script.now_ns = 1402 * MS_NS;
    echo(&mut script, 1000, &[], 1302);
    assert_eq!(script.window(), (2, 5));
    assert_eq!(script.end.stats().undone, 0);
}

#[test]
fn without_timestamps_f_rto_finds_a_spurious_timeout_with_the_second_ack() {
    let mut script = timed_out(plain(Recovery::Rack), 10);
    script.now_ns = 1350 * MS_NS;
    //= RFC 5682 section 3.1 step 2.b: send new data. (Linux: as much as cwnd permits.)
    let sent = script.ack(1000);
    assert_eq!(sent, segments(10..12));
    assert_eq!(script.window(), (2, 5));
    script.now_ns = 1351 * MS_NS;
    //= RFC 5682 section 3.1 step 3.b: the ACK covers data that was sent once
    script.ack(2000);
    assert_eq!(script.window(), (11, UNLIMITED));
    assert_eq!(script.end.stats().undone, 1);
}

#[test]
fn f_rto_counts_selective_acknowledgements_of_originals() {
    let mut script = timed_out(plain(Recovery::Rack), 10);
    script.now_ns = 1350 * MS_NS;
    script.sack(0, &[(2000, 3000)]);
    assert_eq!(script.window(), (10, UNLIMITED));
    assert_eq!(script.end.stats().undone, 1);
}

#[test]
fn f_rto_resumes_the_repair_where_only_new_data_arrives() {
    let mut script = timed_out(plain(Recovery::Rack), 10);
    script.now_ns = 1402 * MS_NS;
    assert_eq!(script.ack(1000), segments(10..12));
    script.now_ns = 1502 * MS_NS;
    //= RFC 5682 section 3.1 step 3.a
    let sent = script.sack(1000, &[(10_000, 11_000)]);
    assert_eq!(sent, ["1000:2000 rexmt"]);
    assert_eq!(script.window(), (2, 5));
    assert_eq!(script.end.stats().undone, 0);
}

#[test]
fn without_new_data_f_rto_leaves_the_repair_alone() {
    let mut script = timed_out(plain(Recovery::Rack), 0);
    script.now_ns = 1402 * MS_NS;
    assert_eq!(script.ack(1000), ["1000:2000 rexmt", "2000:3000 rexmt"]);
}

#[test]
fn f_rto_does_not_begin_during_a_recovery() {
    let mut script = Script::new(plain(Recovery::Rack));
    script.write(20_000);
    script.now_ns = 200 * MS_NS;
    assert_eq!(script.sack(0, &[(1000, 4000)])[0], "0:1000 rexmt");
    let expired = script.until(1300);
    assert!(
        expired.last().unwrap().contains("0:1000 rexmt"),
        "{expired:?}"
    );
    script.now_ns = 1310 * MS_NS;
    //= RFC 5682 section 3.1 step 1: "if no loss recovery is in progress"
    script.sack(0, &[(1000, 5000)]);
    assert_eq!(script.end.stats().undone, 0);
}

/// The first of ten segments was retransmitted at 203 ms, 5 ms after its original was due.
fn recovering(config: Config) -> Script {
    let mut script = Script::new(config);
    assert_eq!(script.write(10_000), segments(0..10));
    script.now_ns = 203 * MS_NS;
    let sent = match script.end.config().timestamps {
        true => echo(&mut script, 0, &[(1000, 4000)], 100),
        false => script.sack(0, &[(1000, 4000)]),
    };
    assert_eq!(sent, ["0:1000 rexmt"]);
    assert_eq!(script.window().1, 5);
    script
}

#[test]
fn the_echo_of_an_original_undoes_a_recovery_that_is_over() {
    let mut script = recovering(stamped());
    script.now_ns = 204 * MS_NS;
    echo(&mut script, 10_000, &[], 100);
    assert_eq!(
        (script.window().0 >= 10, script.window().1),
        (true, UNLIMITED)
    );
    assert_eq!(script.end.stats().undone, 1);
}

#[test]
fn during_a_recovery_the_undo_waits_for_retransmissions_in_flight() {
    let mut script = recovering(stamped());
    script.write(10_000);
    script.now_ns = 204 * MS_NS;
    // The copy of the first segment is no longer counted, since the segment is acknowledged.
    let sent = echo(&mut script, 5000, &[], 100);
    assert!(sent.iter().all(|sent| !sent.contains("rexmt")), "{sent:?}");
    assert_eq!(
        (script.window().0 >= 10, script.window().1),
        (true, UNLIMITED)
    );
    assert_eq!(script.end.stats().undone, 1);
}

#[test]
fn after_an_undo_the_path_is_known_to_reorder() {
    let mut script = recovering(stamped());
    script.write(10_000);
    script.now_ns = 204 * MS_NS;
    echo(&mut script, 4000, &[(5000, 6000)], 100);
    assert_eq!(script.end.stats().undone, 1);
    script.now_ns = 205 * MS_NS;
    //= RFC 8985 section 6.2 step 4: three segments above no longer show a loss
    let sent = echo(&mut script, 4000, &[(5000, 9000)], 100);
    assert!(sent.iter().all(|sent| !sent.contains("rexmt")), "{sent:?}");
    assert!(script
        .end
        .next_timer_ns()
        .is_some_and(|at_ns| at_ns < 250 * MS_NS));
}

#[test]
fn a_dsack_for_every_retransmission_undoes_a_recovery() {
    let mut script = recovering(plain(Recovery::Rack));
    script.now_ns = 204 * MS_NS;
    script.ack(10_000);
    assert_eq!((script.window(), script.end.stats().undone), ((5, 5), 0));
    script.now_ns = 304 * MS_NS;
    //= RFC 3708 section 3, step A: each retransmission was unnecessary
    script.sack(10_000, &[(0, 1000)]);
    assert_eq!(script.window(), (10, UNLIMITED));
    assert_eq!(script.end.stats().undone, 1);
}

#[test]
fn a_dsack_for_one_of_two_retransmissions_undoes_nothing() {
    let mut script = Script::new(plain(Recovery::Rack));
    script.write(10_000);
    script.now_ns = 203 * MS_NS;
    assert_eq!(script.sack(0, &[(2000, 5000)]), ["0:1000 rexmt"]);
    assert_eq!(script.sack(0, &[(2000, 8000)])[0], "1000:2000 rexmt");
    script.now_ns = 303 * MS_NS;
    script.ack(10_000);
    let reduced = script.window();
    script.sack(10_000, &[(0, 1000)]);
    assert_eq!((script.window(), script.end.stats().undone), (reduced, 0));
    script.sack(10_000, &[(1000, 2000)]);
    assert_eq!(
        (script.window(), script.end.stats().undone),
        ((10, UNLIMITED), 1)
    );
}

#[test]
fn more_dsacks_than_retransmissions_are_dubious() {
    let mut script = Script::new(plain(Recovery::Rack));
    script.write(10_000);
    script.now_ns = 203 * MS_NS;
    // No segment was sent twice.
    script.sack(5000, &[(0, 1000)]);
    assert_eq!(script.sack(5000, &[(6000, 9000)]), ["5000:6000 rexmt"]);
    script.now_ns = 303 * MS_NS;
    script.ack(10_000);
    script.sack(10_000, &[(5000, 6000)]);
    assert_eq!(
        script.end.stats().undone,
        0,
        "two copies are reported, one was sent"
    );
}

#[test]
fn a_genuine_recovery_is_not_undone() {
    let mut script = recovering(stamped());
    script.now_ns = 303 * MS_NS;
    echo(&mut script, 10_000, &[], 203);
    assert_eq!((script.window(), script.end.stats().undone), ((5, 5), 0));
}

/// Linux: `tcp_current_ssthresh()`.
#[test]
fn ssthresh_is_restored_to_three_quarters_of_cwnd_at_least() {
    let mut script = Script::new(Config {
        initial_ssthresh_bytes: Some(4000),
        ..stamped()
    });
    script.write(10_000);
    script.now_ns = 203 * MS_NS;
    echo(&mut script, 0, &[(1000, 4000)], 100);
    script.now_ns = 204 * MS_NS;
    echo(&mut script, 10_000, &[], 100);
    assert_eq!(script.window(), (10, 7));
}

#[test]
fn cubic_gets_its_window_back() {
    let mut script = recovering_with(Avoidance::Cubic);
    script.now_ns = 204 * MS_NS;
    echo(&mut script, 10_000, &[], 100);
    assert!(script.window().0 >= 10, "{:?}", script.window());
    assert_eq!(script.window().1, UNLIMITED);
}

fn recovering_with(avoidance: Avoidance) -> Script {
    let mut script = Script::new(Config {
        avoidance,
        ..stamped()
    });
    script.write(10_000);
    script.now_ns = 203 * MS_NS;
    assert_eq!(echo(&mut script, 0, &[(1000, 4000)], 100), ["0:1000 rexmt"]);
    script
}

/// Linux begins a recovery wherever a segment is marked lost and none is in progress, even if that
/// segment was retransmitted already (`tcp_time_to_recover()`).
#[test]
fn a_loss_that_is_still_open_when_a_recovery_ends_begins_the_next() {
    let mut script = Script::new(plain(Recovery::Rack));
    script.write(20_000);
    script.now_ns = 200 * MS_NS;
    assert_eq!(script.sack(0, &[(1000, 4000)])[0], "0:1000 rexmt");
    let point = script.end.flight_size_bytes() as i64;
    script.now_ns = 290 * MS_NS;
    script.sack(0, &[(1000, point)]);
    script.now_ns = 301 * MS_NS;
    // The first segment after the recovery point is lost, and is retransmitted at once.
    let sent = script.sack(0, &[(1000, point), (point + 1000, point + 4000)]);
    assert!(
        sent.contains(&format!("{point}:{} rexmt", point + 1000)),
        "{sent:?}"
    );
    script.now_ns = 302 * MS_NS;
    script.sack(point, &[(point + 1000, point + 4000)]);
    assert_eq!(script.end.stats().recoveries, 2);
}

/// A path on which every 20th segment of the server arrives 15 ms late.
fn reordering(crossing: &Crossing) -> Vec<u64> {
    let is_late = crossing.from == End::Server && crossing.number % 20 == 7;
    vec![DELAY_NS + if is_late { 15 * MS_NS } else { 0 }]
}

#[test]
fn only_the_recovery_of_linux_undoes() {
    for &recovery in Recovery::ALL {
        let config = Config {
            recovery,
            ..Config::of(Stack::Linux, 1500)
        };
        let mut pair = Pair::new(Config::of(Stack::Linux, 1500), config);
        pair.download(500_000, 100_000_000_000, &mut reordering);
        let undone = pair.end(End::Server).stats().undone;
        assert_eq!(
            undone > 0,
            recovery == Recovery::Rack,
            "{recovery:?} {undone}"
        );
    }
}

#[test]
fn where_a_path_reorders_cwnd_grows_with_selective_acknowledgements() {
    let mut script = Script::new(plain(Recovery::Rack));
    script.write(30_000);
    script.now_ns = 200 * MS_NS;
    // The first segment arrives after the sixth: the degree is six.
    script.sack(0, &[(4000, 6000)]);
    assert_eq!(script.window().0, 10);
    script.ack(6000);
    let (before, _) = script.window();
    script.now_ns = 201 * MS_NS;
    script.sack(6000, &[(7000, 9000)]);
    assert_eq!(script.window().0, before + 2);
}
