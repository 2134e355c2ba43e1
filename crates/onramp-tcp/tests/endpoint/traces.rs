//! Traces of complete downloads, segment by segment.

use crate::pair::{Crossing, End, Pair, DELAY_NS};
use crate::script::plain;
use crate::trace::lines;
use onramp_tcp::{Config, InitialWindow, Recovery};

/// Trace of a download of sixteen segments. `lost`: numbers of the lost segments of the server; its
/// SYN has number 0.
fn download(recovery: Recovery, lost: &[u64]) -> String {
    let config = Config {
        initial_window: InitialWindow::Segments(8),
        ..plain(recovery)
    };
    let mut pair = Pair::new(config.clone(), config);
    let mut path = |crossing: &Crossing| match crossing.from == End::Server
        && lost.contains(&crossing.number)
    {
        true => vec![],
        false => vec![DELAY_NS],
    };
    pair.download(16_000, 100_000_000_000, &mut path);
    // Skip the handshake.
    lines(&pair).split_off(3).join("\n")
}

fn assert_trace(trace: String, expected: &str) {
    let trimmed = |text: &str| {
        text.trim()
            .lines()
            .map(|line| line.trim().to_owned())
            .collect::<Vec<_>>()
    };
    assert!(trimmed(&trace) == trimmed(expected), "\n{trace}");
}

/// The traces with two holes begin with these lines, whatever the recovery.
const BEFORE_TWO_HOLES: &str = "
          150 0:1000               cwnd 8.0 of -
          150 1000:2000            cwnd 8.0 of -
          150 2000:3000            cwnd 8.0 of -
          150 3000:4000            cwnd 8.0 of -
          150 4000:5000            cwnd 8.0 of -
          150 5000:6000            cwnd 8.0 of -
          150 6000:7000            cwnd 8.0 of -
          150 7000:8000            cwnd 8.0 of -
          200                                                    ack 1000
          200                                                    ack 1000 [2000:3000]
          200                                                    ack 1000 [4000:5000] [2000:3000]
          200                                                    ack 1000 [4000:6000] [2000:3000]
          200                                                    ack 1000 [4000:7000] [2000:3000]
          200                                                    ack 1000 [4000:8000] [2000:3000]
";

/// The second and the fourth segment are lost. `expected` follows [`BEFORE_TWO_HOLES`].
fn assert_two_holes(recovery: Recovery, expected: &str) {
    let expected = [BEFORE_TWO_HOLES.trim_end(), expected].concat();
    assert_trace(download(recovery, &[2, 4]), &expected);
}

/// RFC 6582, section 3.2.
#[test]
fn newreno_repairs_one_hole_per_round_trip() {
    let expected = "
          250 8000:9000            cwnd 9.0 of -
          250 9000:10000           cwnd 9.0 of -
          250 10000:11000          cwnd 9.0 of -
          250 11000:12000          cwnd 9.0 of -
          250 1000:2000 rexmt      cwnd 7.0 of 4.0
          300                                                    ack 1000 [4000:9000] [2000:3000]
          300                                                    ack 1000 [4000:10000] [2000:3000]
          300                                                    ack 1000 [4000:11000] [2000:3000]
          300                                                    ack 1000 [4000:12000] [2000:3000]
          300                                                    ack 3000 [4000:12000]
          350 12000:13000          cwnd 12.0 of 4.0
          350 13000:14000          cwnd 13.0 of 4.0
          350 3000:4000 rexmt      cwnd 12.0 of 4.0
          350 14000:15000          cwnd 12.0 of 4.0
          400                                                    ack 3000 [4000:13000]
          400                                                    ack 3000 [4000:14000]
          400                                                    ack 14000
          400                                                    ack 15000
          450 F 15000:16000        cwnd 13.0 of 4.0
          500                                                    F
          550 ack 1                cwnd 4.0 of 4.0
    ";
    assert_two_holes(Recovery::NewReno, expected);
}

/// RFC 5681, section 3.2: Reno leaves recovery at the first new acknowledgement. The second hole
/// needs a timeout or three duplicate ACKs of its own.
#[test]
fn reno_leaves_the_second_hole_to_the_timer() {
    let expected = "
          250 8000:9000            cwnd 9.0 of -
          250 9000:10000           cwnd 9.0 of -
          250 10000:11000          cwnd 9.0 of -
          250 11000:12000          cwnd 9.0 of -
          250 1000:2000 rexmt      cwnd 7.0 of 4.0
          300                                                    ack 1000 [4000:9000] [2000:3000]
          300                                                    ack 1000 [4000:10000] [2000:3000]
          300                                                    ack 1000 [4000:11000] [2000:3000]
          300                                                    ack 1000 [4000:12000] [2000:3000]
          300                                                    ack 3000 [4000:12000]
          350 12000:13000          cwnd 12.0 of 4.0
          350 13000:14000          cwnd 13.0 of 4.0
          400                                                    ack 3000 [4000:13000]
          400                                                    ack 3000 [4000:14000]
         1350 3000:4000 rexmt      cwnd 1.0 of 2.0
         1400                                                    ack 14000
         1450 14000:15000          cwnd 7.0 of 2.0
         1450 F 15000:16000        cwnd 7.0 of 2.0
         1500                                                    ack 15000
         1500                                                    F
         1550 ack 1                cwnd 7.0 of 2.0
    ";
    assert_two_holes(Recovery::Reno, expected);
}

/// Jacobson 1988: everything from the hole on is retransmitted.
#[test]
fn tahoe_restarts_slow_start_at_the_hole() {
    let expected = "
          250 8000:9000            cwnd 9.0 of -
          250 9000:10000           cwnd 9.0 of -
          250 1000:2000 rexmt      cwnd 1.0 of 4.0
          300                                                    ack 1000 [4000:9000] [2000:3000]
          300                                                    ack 1000 [4000:10000] [2000:3000]
          300                                                    ack 3000 [4000:10000]
          350 3000:4000 rexmt      cwnd 3.0 of 4.0
          350 4000:5000 rexmt      cwnd 3.0 of 4.0
          350 5000:6000 rexmt      cwnd 3.0 of 4.0
          400                                                    ack 10000
          400                                                    ack 10000 [4000:5000]
          400                                                    ack 10000 [5000:6000]
          450 10000:11000          cwnd 5.0 of 4.0
          450 11000:12000          cwnd 5.0 of 4.0
          450 12000:13000          cwnd 5.0 of 4.0
          450 13000:14000          cwnd 5.0 of 4.0
          450 14000:15000          cwnd 5.0 of 4.0
          500                                                    ack 11000
          500                                                    ack 12000
          500                                                    ack 13000
          500                                                    ack 14000
          500                                                    ack 15000
          550 F 15000:16000        cwnd 5.0 of 4.0
          600                                                    F
          650 ack 1                cwnd 6.0 of 4.0
    ";
    assert_two_holes(Recovery::Tahoe, expected);
}

/// RFC 6675, section 5: both holes are repaired in one round trip.
#[test]
fn sack_repairs_both_holes_at_once() {
    let expected = "
          250 8000:9000            cwnd 9.0 of -
          250 9000:10000           cwnd 9.0 of -
          250 10000:11000          cwnd 9.0 of -
          250 11000:12000          cwnd 9.0 of -
          250 1000:2000 rexmt      cwnd 4.0 of 4.0
          300                                                    ack 1000 [4000:9000] [2000:3000]
          300                                                    ack 1000 [4000:10000] [2000:3000]
          300                                                    ack 1000 [4000:11000] [2000:3000]
          300                                                    ack 1000 [4000:12000] [2000:3000]
          300                                                    ack 3000 [4000:12000]
          350 3000:4000 rexmt      cwnd 4.0 of 4.0
          350 12000:13000          cwnd 4.0 of 4.0
          350 13000:14000          cwnd 4.0 of 4.0
          350 14000:15000          cwnd 4.0 of 4.0
          400                                                    ack 12000
          400                                                    ack 13000
          400                                                    ack 14000
          400                                                    ack 15000
          450 F 15000:16000        cwnd 4.0 of 4.0
          500                                                    F
          550 ack 1                cwnd 5.0 of 4.0
    ";
    assert_two_holes(Recovery::Sack, expected);
}

/// RFC 8985, section 7: the last segments are lost.
#[test]
fn rack_probes_for_a_lost_tail() {
    let expected = "
          150 0:1000               cwnd 8.0 of -
          150 1000:2000            cwnd 8.0 of -
          150 2000:3000            cwnd 8.0 of -
          150 3000:4000            cwnd 8.0 of -
          150 4000:5000            cwnd 8.0 of -
          150 5000:6000            cwnd 8.0 of -
          150 6000:7000            cwnd 8.0 of -
          150 7000:8000            cwnd 8.0 of -
          200                                                    ack 1000
          200                                                    ack 2000
          200                                                    ack 3000
          200                                                    ack 4000
          200                                                    ack 5000
          200                                                    ack 6000
          200                                                    ack 7000
          200                                                    ack 8000
          250 8000:9000            cwnd 9.0 of -
          250 9000:10000           cwnd 9.0 of -
          250 10000:11000          cwnd 10.0 of -
          250 11000:12000          cwnd 10.0 of -
          250 12000:13000          cwnd 11.0 of -
          250 13000:14000          cwnd 11.0 of -
          250 14000:15000          cwnd 12.0 of -
          250 F 15000:16000        cwnd 12.0 of -
          300                                                    ack 9000
          300                                                    ack 10000
          300                                                    ack 11000
          300                                                    ack 12000
          300                                                    ack 13000
          300                                                    ack 14000
          552 F 15000:16000 rexmt  cwnd 22.0 of -
          602                                                    ack 14000 [15000:16001]
          652 14000:15000 rexmt    cwnd 1.0 of 11.0
          702                                                    F
          752 ack 1                cwnd 11.0 of 11.0
    ";
    assert_trace(download(Recovery::Rack, &[16, 15]), expected);
}
