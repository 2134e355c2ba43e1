//! Malformed, truncated, repeated or forged options change nothing, and are counted.

use super::peer::{Peer, Segment, OURS, PORT};
use super::{first, has_option, mark, of_type, reply, second, PERMITTED};
use crate::common::process::Background;
use crate::common::*;
use serde_json::Value;
use std::time::Duration;

/// RTT of the path as the kernel sees it. It is so long that the kernel sends small packets while a
/// pair is due.
const ROUND_TRIP: Duration = Duration::from_millis(30);
const ANSWER_BYTES: usize = 20_000;

/// A program that sends a request, reads this many bytes, prints them, and answers.
fn program(bytes: usize) -> String {
    format!(
        "import socket\n\
         connection = socket.create_connection(('{OURS}', {PORT}))\n\
         connection.sendall(b'?')\n\
         got = b''\n\
         while len(got) < {bytes}: got += connection.recv({bytes} - len(got))\n\
         print(got.decode(), flush=True)\n\
         connection.sendall(bytes({ANSWER_BYTES}))\n\
         connection.recv(1)"
    )
}

/// A program under `onramp exec`, its connection, which the test has accepted, and its SYN.
fn connect(permitted: bool, bytes: usize) -> (Peer, Background, Segment) {
    let mut peer = Peer::new();
    let program = program(bytes);
    let arguments = ["exec", "--startup", "pair", "--", "python3", "-c", &program];
    let exec = peer
        .namespace
        .run(|| Background::onramp(arguments))
        .unwrap();
    let syn = peer.accept(if permitted { &PERMITTED } else { &[] }, ROUND_TRIP);
    while peer.receive().payload != b"?" {}
    peer.ack += 1;
    std::thread::sleep(ROUND_TRIP);
    (peer, exec, syn)
}

/// The connection in `onramp ss`.
fn row(peer: &Peer) -> Value {
    let local = peer.kernel().to_string();
    connections()
        .into_iter()
        .find(|row| row["local"] == local)
        .expect("ss shows it")
}

#[track_caller]
fn assert_counts(peer: &Peer, expected: [u64; 4]) {
    let pairs = row(peer)["pairs"].clone();
    let counts =
        ["reported", "measured", "malformed", "ignored"].map(|key| pairs[key].as_u64().unwrap());
    assert_eq!(
        counts, expected,
        "reported, measured, malformed, ignored: {pairs}"
    );
}

#[test]
fn options_that_a_receiver_cannot_use_are_counted_and_the_data_arrives() {
    let Some(_machine) = machine() else { return };
    let malformed = [
        vec![253, 4, 0x4f, 0x52],
        vec![253, 5, 0x4f, 0x52, 1],
        vec![253, 7, 0x4f, 0x52, 1, 7, 0],
        mark(3, 7),
        mark(4, 7),
        mark(255, 7),
        [&[253, 10, 0x4f, 0x52, 2, 7][..], &[0; 4]].concat(),
        [&[253, 9, 0x4f, 0x52, 3, 7][..], &[0; 3]].concat(),
        [&[253, 20, 0x4f, 0x52, 3, 7][..], &[0; 14]].concat(),
        // After an option of another experiment, an option that extends beyond the header.
        vec![253, 4, 1, 2, 253, 20, 0x4f, 0x52],
    ];
    let of_others = [
        vec![253, 6, 0x4f, 0x53, 1, 7],
        vec![254, 6, 0x4f, 0x52, 1, 7],
        vec![253, 2],
    ];
    let ignored = [
        second(1),
        PERMITTED.to_vec(),
        reply(0, 1000),
        reply(1, 1000),
        reply(200, u32::MAX),
    ];
    let bytes = malformed.len() + of_others.len() + ignored.len() + 7;
    let (mut peer, exec, syn) = connect(true, bytes);
    assert_eq!(of_type(&syn.options, 0), Some(0));
    assert_counts(&peer, [0; 4]);

    malformed.iter().for_each(|option| peer.send(option, b"m"));
    assert_counts(&peer, [0, 0, 10, 0]);
    of_others.iter().for_each(|option| peer.send(option, b"o"));
    assert_counts(&peer, [0, 0, 10, 0]);
    ignored.iter().for_each(|option| peer.send(option, b"i"));
    assert_counts(&peer, [0, 0, 10, 5]);
    // TCP drops a segment that is out of the window.
    peer.send_at(peer.seq.wrapping_add(1 << 30), peer.ack, &first(9), b"x");
    assert_counts(&peer, [0, 0, 10, 5]);

    // A pair, each half of it twice. Then the pair is complete.
    peer.send(&first(7), b"p");
    peer.send(&first(7), b"p");
    assert_counts(&peer, [0, 0, 10, 6]);
    peer.send(&first(8), b"p");
    peer.send(&second(7), b"p"); // a half of an older pair
    assert_counts(&peer, [0, 0, 10, 7]);
    peer.send(&first(9), b"p");
    peer.send(&second(9), b"p");
    assert_counts(&peer, [0, 1, 10, 7]);
    let answer = loop {
        let segment = peer.receive();
        if of_type(&segment.options, 3).is_some() {
            break segment;
        }
    };
    assert_eq!(of_type(&answer.options, 3), Some(9));
    peer.send_at(peer.seq - 1, peer.ack, &second(9), b"p");
    assert_counts(&peer, [0, 1, 10, 8]);
    assert_eq!(row(&peer)["estimate_bytes_per_s"], Value::Null);
    onramp(["ss"])
        .code(0)
        .says(&["PAIRS", "1 measured (", "10 malformed, 8 ignored"]);
    peer.send(&[], b"e");
    let expected = format!("{}{}{}{}e", "m".repeat(10), "ooo", "iiiii", "pppppp");
    assert_eq!(exec.first_line(), expected);
}

#[test]
fn unsolicited_replies_change_nothing() {
    let Some(_machine) = machine() else { return };
    let (mut peer, exec, _) = connect(true, 1);
    peer.send(&[], b"!");
    assert_eq!(exec.first_line(), "!");
    let mut ends = Vec::new();
    let mut id = None;
    while ends.len() < 4 {
        let segment = peer.receive();
        // A kernel that waits for the ACKs for long retransmits.
        let is_new = ends.last().is_none_or(|end| segment.seq == *end);
        if segment.payload.is_empty() || !is_new {
            continue;
        }
        // The halves, in two packets of one segment each.
        match ends.len() {
            0 => id = of_type(&segment.options, 1),
            1 => assert_eq!(of_type(&segment.options, 2), id),
            _ => {}
        }
        assert!(
            id.is_some() && segment.payload.len() == 1452,
            "{id:?}, {} bytes",
            segment.payload.len()
        );
        ends.push(segment.seq + segment.payload.len() as u32);
    }
    let id = id.unwrap();
    std::thread::sleep(ROUND_TRIP);

    // The acknowledgement numbers of the last two count, as those of any segment.
    peer.send_at(peer.seq, peer.ack, &reply(id, 5_000_000), &[]); // the pair is not acknowledged
    peer.send_at(
        peer.seq,
        peer.ack.wrapping_add(1 << 20),
        &reply(id, 5_000_000),
        &[],
    ); // this position has not been sent either
    peer.send_at(
        peer.seq,
        ends[1],
        &reply(id.wrapping_add(2), 5_000_000),
        &[],
    ); // a reply to another pair
       // An interval that is longer than the round trip.
    peer.send_at(peer.seq, ends[1], &reply(id, 3_000_000_000), &[]);
    assert_counts(&peer, [0, 0, 0, 4]);
    let now = row(&peer);
    assert_eq!(
        (&now["estimate_bytes_per_s"], &now["pacing_bytes_per_s"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(now["pairs"]["reported_interval_s"], Value::Null);

    peer.send_at(peer.seq, ends[2], &reply(id, 5_000_000), &[]);
    assert_counts(&peer, [1, 0, 0, 4]);
    let pairs = row(&peer)["pairs"].clone();
    assert_eq!(pairs["reported_interval_s"], 0.005);
    let estimate = row(&peer)["estimate_bytes_per_s"].as_u64().unwrap();
    assert_eq!(estimate, 1460 * 200);
    peer.send_at(peer.seq, ends[3], &reply(id, 1_000_000), &[]); // the same reply again
    let now = row(&peer);
    assert_eq!(now["estimate_bytes_per_s"], estimate);
    assert_eq!(now["pairs"]["ignored"], 5, "{now}");
}

#[test]
fn without_permission_options_are_neither_read_nor_written() {
    let Some(_machine) = machine() else { return };
    let (mut peer, exec, syn) = connect(false, 3);
    assert_eq!(of_type(&syn.options, 0), Some(0));
    peer.send(&first(1), b"a");
    peer.send(&second(1), b"b");
    peer.send(&reply(1, 1_000_000), b"c");
    assert_eq!(exec.first_line(), "abc");
    let mut received = 0;
    while received < 4 * 1460 {
        let segment = peer.receive();
        assert!(!has_option(&segment.options), "{:?}", segment.options);
        received += segment.payload.len();
    }
    assert_eq!(row(&peer)["pairs"], Value::Null);
}
