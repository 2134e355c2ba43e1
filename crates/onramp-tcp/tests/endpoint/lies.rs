//! Receivers that deceive the sender: what their ACKs say.

use crate::pair::{clean, End, Pair};
use crate::script::{plain, Script, MS_NS};
use onramp_tcp::{Config, Lie, Recovery};

fn lies(lie: Lie) -> Script {
    Script::new(Config {
        lie,
        ..plain(Recovery::Sack)
    })
}

#[test]
fn a_gap_is_acknowledged_where_losses_are_hidden() {
    let mut script = lies(Lie::Losses);
    assert_eq!(script.data(0, 1000, 0), ["ack 1000"]);
    assert_eq!(script.data(3000, 1000, 0), ["ack 4000"]);
    assert_eq!(lies(Lie::None).data(3000, 1000, 0), ["ack 0 [3000:4000]"]);
}

#[test]
fn a_segment_is_acknowledged_in_eight_parts() {
    let acks = lies(Lie::Split).data(0, 1000, 0);
    let parts = (1..=8).map(|part| format!("ack {}", 125 * part));
    assert_eq!(acks, parts.collect::<Vec<_>>());
}

#[test]
fn each_segment_is_reported_as_a_duplicate() {
    let mut script = lies(Lie::Duplicates);
    assert_eq!(script.data(0, 1000, 0), ["ack 1000 [0:1000]"]);
}

#[test]
fn what_arrives_in_half_a_round_trip_is_acknowledged_early() {
    let mut script = lies(Lie::Early);
    for segment in 0..20 {
        script.now_ns += 10 * MS_NS;
        script.data(1000 * segment, 1000, 0);
    }
    // The RTT is 100 ms, so five segments are on their way.
    assert_eq!(script.data(20_000, 1000, 0), ["ack 26000"]);
    // The sender has ignored an ACK of what it had not sent: it sends an old segment again.
    assert_eq!(script.data(20_000, 1000, 0), ["ack 21000 [20000:21000]"]);
}

#[test]
fn the_clock_stops_after_64_kib() {
    let last_stamp = |lie| {
        let receiver = Config {
            timestamps: true,
            lie,
            ..plain(Recovery::Sack)
        };
        let sender = Config {
            lie: Lie::None,
            ..receiver.clone()
        };
        let mut pair = Pair::new(receiver, sender);
        pair.download(1_000_000, 10_000_000_000, &mut clean);
        let of_receiver = pair.log.iter().filter(|sent| sent.from == End::Client);
        let stamps = of_receiver.filter_map(|sent| sent.transmit.segment.options.timestamps);
        stamps.map(|(value, _)| value).max().expect("timestamps")
    };
    // In slow start from ten segments, the third flight completes 64 KiB.
    assert_eq!(last_stamp(Lie::Clock), 400);
    assert!(last_stamp(Lie::None) > 600);
}
