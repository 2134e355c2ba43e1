//! RFC 7323, TCP Extensions for High Performance: window scaling, timestamps, PAWS.

use crate::pair::{clean, End, Pair};
use crate::script::{number, plain, Script, MS_NS};
use onramp_tcp::{Config, Flags, Options, ReceiveBuffer, Recovery, Segment};

fn stamped() -> Script {
    Script::new(Config {
        timestamps: true,
        ..plain(Recovery::Sack)
    })
}

/// Data with a timestamp arrives.
fn data(script: &mut Script, start: i64, bytes: u32, value: u32) -> Vec<String> {
    let options = Options {
        timestamps: Some((value, 0)),
        ..Options::default()
    };
    let segment = Segment {
        seq: number(start),
        payload_bytes: bytes,
        options,
        ..script.bare(0)
    };
    script.arrives(segment)
}

/// The timestamp that the next segment echoes.
fn echo(script: &mut Script) -> u32 {
    script.end.write(1);
    let transmit = script
        .end
        .poll_transmit(script.now_ns)
        .expect("a byte of data");
    transmit
        .segment
        .options
        .timestamps
        .expect("timestamps are in use")
        .1
}

#[test]
fn only_the_windows_of_syns_are_not_scaled() {
    let buffer = Config {
        receive_buffer: ReceiveBuffer::Bytes(1 << 20),
        window_scaling: true,
        ..plain(Recovery::Sack)
    };
    let mut pair = Pair::new(buffer.clone(), buffer);
    pair.download(200_000, 10_000_000_000, &mut clean);
    let windows: Vec<_> = pair
        .sent_by(End::Client, |_| true)
        .iter()
        .map(|c| c.transmit.segment)
        .collect();
    let shift = windows[0].options.window_scale.expect("scaling is offered");
    //= RFC 7323 section 2.2
    assert_eq!(windows[0].window, 65_535);
    //= RFC 7323 section 2.3: scaled by the sender's own shift
    assert!(u64::from(windows[1].window) << shift >= 1 << 20);
    assert!(u64::from(windows[1].window) << shift < (1 << 20) + (2 << 20 >> 3));
}

#[test]
fn no_shift_count_is_larger_than_14() {
    let huge = Config {
        receive_buffer: ReceiveBuffer::Bytes(1 << 40),
        window_scaling: true,
        ..plain(Recovery::Sack)
    };
    let mut pair = Pair::new(huge.clone(), huge);
    pair.download(1000, 10_000_000_000, &mut clean);
    //= RFC 7323 section 2.3
    assert_eq!(pair.log[0].transmit.segment.options.window_scale, Some(14));
}

#[test]
fn the_timestamp_of_the_segment_at_the_left_edge_is_echoed() {
    let mut script = stamped();
    data(&mut script, 0, 900, 10);
    assert_eq!(echo(&mut script), 10);
    //= RFC 7323 section 4.3: not that of a segment above a gap
    data(&mut script, 1800, 900, 20);
    assert_eq!(echo(&mut script), 10);
    //= RFC 7323 section 4.3: "(2) [...] SEG.SEQ <= Last.ACK.sent"
    data(&mut script, 900, 900, 30);
    assert_eq!(echo(&mut script), 30);
}

#[test]
fn a_delayed_ack_echoes_the_earliest_timestamp() {
    let mut script = Script::new(Config {
        timestamps: true,
        acks: onramp_tcp::Acks::Delayed,
        ..plain(Recovery::Sack)
    });
    data(&mut script, 0, 988, 10);
    script.now_ns += 10 * MS_NS;
    //= RFC 7323 section 4.2 (A): delayed acknowledgements
    data(&mut script, 988, 988, 20);
    assert_eq!(echo(&mut script), 10);
}

#[test]
fn an_older_timestamp_is_refused_and_acknowledged() {
    let mut script = stamped();
    data(&mut script, 0, 900, 1000);
    //= RFC 7323 section 5.3 R1
    assert_eq!(data(&mut script, 900, 900, 999), ["ack 900"]);
    assert_eq!(script.end.received_bytes(), 900);
    data(&mut script, 900, 900, 1000);
    assert_eq!(script.end.received_bytes(), 1800);
}

#[test]
fn timestamps_wrap_around() {
    let mut script = stamped();
    data(&mut script, 0, 900, u32::MAX / 2);
    data(&mut script, 900, 900, u32::MAX - 5);
    //= RFC 7323 section 5.2: "s < t" modulo 2^32
    data(&mut script, 1800, 900, 5);
    assert_eq!(script.end.received_bytes(), 2700);
}

#[test]
fn a_reset_needs_no_timestamp() {
    let mut script = stamped();
    data(&mut script, 0, 900, 1000);
    let options = Options {
        timestamps: Some((1, 0)),
        ..Options::default()
    };
    //= RFC 7323 section 5.2: "PAWS [...] MUST NOT" apply to RST
    let reset = Segment {
        seq: number(900),
        flags: Flags::RST,
        options,
        ..Segment::default()
    };
    script.arrives(reset);
    assert_eq!(script.end.failure(), Some(onramp_tcp::Failure::Reset));
}

#[test]
fn all_segments_have_timestamps_if_both_sides_use_them() {
    let config = Config {
        timestamps: true,
        ..plain(Recovery::Rack)
    };
    let mut pair = Pair::new(config.clone(), config);
    pair.download(50_000, 10_000_000_000, &mut clean);
    //= RFC 7323 section 3.2
    assert!(pair
        .log
        .iter()
        .all(|crossing| crossing.transmit.segment.options.timestamps.is_some()));
}
