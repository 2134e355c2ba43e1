//! RFC 2018 and RFC 2883: SACK and D-SACK blocks of a receiver.

use crate::script::{number, plain, Script};
use onramp_tcp::{Config, Flags, Options, Recovery, Segment};

fn script() -> Script {
    Script::new(plain(Recovery::Sack))
}

#[test]
fn the_range_of_the_newest_segment_comes_first() {
    let mut script = script();
    //= RFC 2018 section 4: "The first SACK block MUST specify the contiguous block of data
    // containing the segment which triggered this ACK"
    assert_eq!(script.data(1000, 1000, 0), ["ack 0 [1000:2000]"]);
    assert_eq!(
        script.data(5000, 1000, 0),
        ["ack 0 [5000:6000] [1000:2000]"]
    );
    assert_eq!(
        script.data(3000, 1000, 0),
        ["ack 0 [3000:4000] [5000:6000] [1000:2000]"]
    );
    assert_eq!(
        script.data(2000, 1000, 0),
        ["ack 0 [1000:4000] [5000:6000]"]
    );
}

#[test]
fn a_filled_gap_is_acknowledged_immediately() {
    let mut script = script();
    script.data(1000, 1000, 0);
    script.data(3000, 1000, 0);
    //= RFC 5681 section 4.2
    assert_eq!(script.data(0, 1000, 0), ["ack 2000 [3000:4000]"]);
    assert_eq!(script.data(2000, 1000, 0), ["ack 4000"]);
}

#[test]
fn four_ranges_fit_without_timestamps_and_three_with_timestamps() {
    let mut script = script();
    let mut sent = Vec::new();
    for start in [1000, 3000, 5000, 7000, 9000] {
        sent = script.data(start, 1000, 0);
    }
    //= RFC 2018 section 3
    assert_eq!(
        sent,
        ["ack 0 [9000:10000] [7000:8000] [5000:6000] [3000:4000]"]
    );
    let mut script = Script::new(Config {
        timestamps: true,
        ..plain(Recovery::Sack)
    });
    for start in [1000, 3000, 5000, 7000] {
        let options = Options {
            timestamps: Some((2, 0)),
            ..Options::default()
        };
        let segment = Segment {
            seq: number(start),
            payload_bytes: 900,
            options,
            ..script.bare(0)
        };
        sent = script.arrives(segment);
    }
    assert_eq!(sent, ["ack 0 [7000:7900] [5000:5900] [3000:3900]"]);
}

#[test]
fn a_duplicate_below_the_ack_is_reported_first_and_once() {
    let mut script = script();
    script.data(0, 2000, 0);
    script.data(3000, 1000, 0);
    //= RFC 2883 section 4.1.1
    assert_eq!(script.data(0, 1000, 0), ["ack 2000 [0:1000] [3000:4000]"]);
    //= RFC 2883 section 4: "reported in at most one D-SACK block"
    assert_eq!(
        script.data(5000, 1000, 0),
        ["ack 2000 [5000:6000] [3000:4000]"]
    );
}

#[test]
fn a_duplicate_above_a_gap_is_reported_before_its_range() {
    let mut script = script();
    for start in [3000, 4000, 8000] {
        script.data(start, 1000, 0);
    }
    //= RFC 2883 section 4.1.3: the second block is the larger one that contains it
    assert_eq!(
        script.data(4000, 1000, 0),
        ["ack 0 [4000:5000] [3000:5000] [8000:9000]"]
    );
}

#[test]
fn the_repeated_part_of_a_partial_duplicate_is_reported() {
    let mut script = script();
    script.data(0, 1500, 0);
    //= RFC 2883 section 4.2
    assert_eq!(script.data(1000, 1000, 0), ["ack 2000 [1000:1500]"]);
    script.data(4000, 1000, 0);
    assert_eq!(
        script.data(3500, 1000, 0),
        ["ack 2000 [4000:4500] [3500:5000]"]
    );
}

#[test]
fn without_sack_nothing_is_reported() {
    let config = Config {
        sack: false,
        ..plain(Recovery::NewReno)
    };
    let mut script = Script::new(config);
    //= RFC 2018 section 4: only "if the data receiver has received a SACK-Permitted option"
    assert_eq!(script.data(1000, 1000, 0), ["ack 0"]);
}

#[test]
fn a_sender_does_not_count_a_dsack_as_an_arrival() {
    let mut script = script();
    script.write(10_000);
    script.ack(2000);
    //= RFC 2883 section 4: below the acknowledgement, or within the second block
    script.sack(2000, &[(0, 1000)]);
    script.sack(2000, &[(3000, 4000), (3000, 4000)]);
    assert_eq!(script.end.inflight_bytes(), 7000);
}

#[test]
fn blocks_of_unsent_data_and_reversed_blocks_are_ignored() {
    let mut script = script();
    script.write(10_000);
    script.sack(0, &[(50_000, 60_000)]);
    script.sack(0, &[(3000, 2000)]);
    script.sack(0, &[(-5000, -4000)]);
    assert_eq!(script.end.inflight_bytes(), 10_000);
}

#[test]
fn outgoing_data_does_not_hide_sack_blocks() {
    let mut script = script();
    script.end.write(1000);
    let segment = Segment {
        seq: number(1000),
        payload_bytes: 1000,
        flags: Flags::ACK,
        ..script.bare(0)
    };
    //= RFC 2018 section 4: "SACK options SHOULD be included in all ACKs which do not ACK the
    // highest sequence number"
    assert_eq!(script.arrives(segment), ["ack 0 [1000:2000]", "0:1000"]);
}
