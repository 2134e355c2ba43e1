//! Two sockets over a path that drops, damages, duplicates and delays packets.

use super::Socket;
use crate::wire::{self, Endpoints};
use crate::{Config, Failure, Flags, ReceiveBuffer, Segment, Stack, State};
use proptest::prelude::*;
use std::collections::BTreeMap;

const DELAY_NS: u64 = 10_000_000;
const MAX_NS: u64 = 3_600_000_000_000;

/// What the path does to a packet.
#[derive(Clone, Copy, Debug)]
enum Fate {
    Arrive,
    Drop,
    Damage,
    Repeat,
    Late,
}

fn fates() -> impl Strategy<Value = Vec<Fate>> {
    let fate = prop_oneof![
        8 => Just(Fate::Arrive),
        2 => Just(Fate::Drop),
        1 => Just(Fate::Damage),
        1 => Just(Fate::Repeat),
        1 => Just(Fate::Late),
    ];
    prop::collection::vec(fate, 0..80)
}

fn endpoints() -> Endpoints {
    Endpoints {
        source: "10.0.0.1:40000".parse().unwrap(),
        destination: "10.0.0.2:80".parse().unwrap(),
    }
}

/// An end, the bytes that it sends and those that it received.
struct End {
    socket: Socket,
    outgoing: Vec<u8>,
    written: usize,
    incoming: Vec<u8>,
}

impl End {
    fn new(socket: Socket, outgoing: Vec<u8>) -> End {
        End {
            socket,
            outgoing,
            written: 0,
            incoming: Vec::new(),
        }
    }

    /// The application: writes what fits, closes after the last byte, reads what is there.
    fn run(&mut self, now_ns: u64) {
        if self.written < self.outgoing.len() {
            self.written += self.socket.write(&self.outgoing[self.written..]);
            if self.written == self.outgoing.len() {
                self.socket.close();
            }
        }
        let mut bytes = [0; 5000];
        loop {
            match self.socket.read(now_ns, &mut bytes) {
                0 => break,
                count => self.incoming.extend(&bytes[..count]),
            }
        }
    }
}

/// The two ends. The client comes first; the server is created by the SYN.
struct Pair {
    now_ns: u64,
    ends: Vec<End>,
    server: Option<(Config, Vec<u8>)>,
    fates: std::vec::IntoIter<Fate>,
    /// Packets in flight, by arrival time and order of sending: the receiving end, and the packet.
    in_flight: BTreeMap<(u64, u64), (usize, Vec<u8>)>,
    sent: u64,
}

impl Pair {
    fn new(configs: [Config; 2], streams: [Vec<u8>; 2], fates: Vec<Fate>) -> Pair {
        let [client, server] = configs;
        let [up, down] = streams;
        let ends = vec![End::new(Socket::connect(client, 0, endpoints()), up)];
        let server = Some((server, down));
        Pair {
            now_ns: 0,
            ends,
            server,
            fates: fates.into_iter(),
            in_flight: BTreeMap::new(),
            sent: 0,
        }
    }

    fn send(&mut self, to: usize, mut packet: Vec<u8>) {
        let fate = self.fates.next().unwrap_or(Fate::Arrive);
        let arrivals = match fate {
            Fate::Drop => [None, None],
            Fate::Arrive | Fate::Damage => [Some(DELAY_NS), None],
            Fate::Repeat => [Some(DELAY_NS), Some(2 * DELAY_NS)],
            Fate::Late => [Some(4 * DELAY_NS), None],
        };
        if matches!(fate, Fate::Damage) {
            let offset = 1 + self.sent as usize % (packet.len() - 1);
            packet[offset] ^= 0x10;
        }
        for after in arrivals.into_iter().flatten() {
            self.in_flight
                .insert((self.now_ns + after, self.sent), (to, packet.clone()));
            self.sent += 1;
        }
    }

    fn deliver(&mut self, to: usize, packet: &[u8]) {
        if to == self.ends.len() {
            let Ok(syn) = wire::parse(packet) else { return };
            let (config, stream) = self.server.take().expect("there is one server");
            self.ends
                .push(End::new(Socket::accept(config, self.now_ns, &syn), stream));
        } else if let Ok(is_ours) = self.ends[to].socket.on_packet(self.now_ns, packet) {
            assert!(is_ours);
        }
    }

    /// Has an end given up? All its packets, or all answers, were lost for too long.
    fn gave_up(&self) -> bool {
        self.ends
            .iter()
            .any(|end| end.socket.connection().failure() == Some(Failure::TimedOut))
    }

    /// Runs until both applications have read to the end, or an end gave up.
    fn run(&mut self) {
        let mut packet = Vec::new();
        loop {
            for index in 0..self.ends.len() {
                self.ends[index].run(self.now_ns);
                while self.ends[index]
                    .socket
                    .poll_packet(self.now_ns, &mut packet)
                    .is_some()
                {
                    self.send(1 - index, packet.clone());
                }
            }
            if self.gave_up()
                || self.ends.len() == 2 && self.ends.iter().all(|end| end.socket.is_at_end())
            {
                return;
            }
            let arrival = self.in_flight.keys().next().map(|key| key.0);
            let timer = self
                .ends
                .iter()
                .filter_map(|end| end.socket.next_timer_ns())
                .min();
            let next_ns = arrival
                .into_iter()
                .chain(timer)
                .min()
                .expect("something is to come");
            assert!(next_ns < MAX_NS, "the transfer takes too long");
            self.now_ns = self.now_ns.max(next_ns);
            while let Some(entry) = self
                .in_flight
                .first_entry()
                .filter(|entry| entry.key().0 <= self.now_ns)
            {
                let (to, packet) = entry.remove();
                self.deliver(to, &packet);
            }
            for end in &mut self.ends {
                end.socket.on_timer(self.now_ns);
            }
        }
    }
}

/// A byte stream in which every displaced byte shows.
fn stream(length: usize, seed: u64) -> Vec<u8> {
    let word = |offset: u64| (offset + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56;
    (0..length as u64)
        .map(|offset| word(offset) as u8)
        .collect()
}

fn config(stack: Stack, isn: u32) -> Config {
    Config {
        isn,
        ..Config::of(stack, 1500)
    }
}

#[test]
fn both_streams_arrive_as_they_were_written() {
    for stack in [Stack::Linux, Stack::Lite] {
        // The sequence numbers wrap during the transfer.
        let configs = [config(stack, u32::MAX - 50_000), config(stack, 7)];
        let mut pair = Pair::new(
            configs,
            [stream(1_000_000, 1), stream(300_000, 2)],
            Vec::new(),
        );
        pair.run();
        assert!(pair.ends[1].incoming == stream(1_000_000, 1));
        assert!(pair.ends[0].incoming == stream(300_000, 2));
    }
}

#[test]
fn packets_of_other_sockets_are_ignored() {
    let mut client = Socket::connect(config(Stack::Linux, 1), 0, endpoints());
    let mut packet = Vec::new();
    assert!(client.poll_packet(0, &mut packet).is_some());
    let syn = wire::parse(&packet).unwrap();
    let server = Socket::accept(config(Stack::Linux, 2), 0, &syn);
    assert_eq!(*server.endpoints(), endpoints().reversed());
    // The ports of its own SYN are those of the other direction.
    assert_eq!(client.on_packet(0, &packet), Ok(false));
    assert_eq!(client.connection().stats().segments_received, 0);
}

#[test]
fn payload_before_the_handshake_does_not_reach_the_stream() {
    let mut client = Socket::connect(config(Stack::Linux, 1), 0, endpoints());
    let stray = Segment {
        seq: 3,
        ack: 99,
        payload_bytes: 4,
        flags: Flags::ACK,
        window: 1000,
        ..Segment::default()
    };
    let mut packet = Vec::new();
    wire::write(
        &stray,
        &endpoints().reversed(),
        1,
        |payload| payload.fill(b'x'),
        &mut packet,
    )
    .unwrap();
    assert_eq!(client.on_packet(0, &packet), Ok(true));
    assert_eq!(
        (client.connection().state(), client.receive.readable_bytes()),
        (State::SynSent, 0)
    );
}

#[test]
fn payload_that_the_connection_rejected_does_not_reach_the_stream() {
    let mut packet = Vec::new();
    let mut client = Socket::connect(config(Stack::Linux, 1), 0, endpoints());
    client.poll_packet(0, &mut packet).unwrap();
    let mut server = Socket::accept(config(Stack::Linux, 2), 0, &wire::parse(&packet).unwrap());
    server.poll_packet(0, &mut packet).unwrap();
    client.on_packet(0, &packet).unwrap();
    let ack = client.poll_packet(0, &mut packet).unwrap().segment;
    server.on_packet(0, &packet).unwrap();
    // RFC 9293, section 3.10.7.4: a segment that acknowledges unsent data is dropped.
    let forged = Segment {
        ack: ack.ack + 100_000,
        payload_bytes: 4,
        ..ack
    };
    packet.clear();
    wire::write(
        &forged,
        &endpoints(),
        1,
        |payload| payload.fill(b'x'),
        &mut packet,
    )
    .unwrap();
    assert_eq!(server.on_packet(0, &packet), Ok(true));
    assert_eq!(client.write(b"true"), 4);
    client.poll_packet(0, &mut packet).unwrap();
    server.on_packet(0, &packet).unwrap();
    let mut bytes = [0; 9];
    assert_eq!((server.read(0, &mut bytes), &bytes[..4]), (4, &b"true"[..]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn both_streams_survive_a_bad_path(
        stack in prop::sample::select(Stack::ALL.to_vec()), isn in any::<u32>(), fates in fates(),
        lengths in (1usize..60_000, 1usize..60_000), buffer in prop::option::of(3000u64..40_000),
    ) {
        let receive_buffer = buffer.map_or(ReceiveBuffer::LinuxDefault, ReceiveBuffer::Bytes);
        let configs = [config(stack, isn), config(stack, !isn)];
        let configs = configs.map(|config| Config { receive_buffer, ..config });
        let mut pair = Pair::new(configs, [stream(lengths.0, 1), stream(lengths.1, 2)], fates);
        pair.run();
        prop_assume!(!pair.gave_up());
        prop_assert!(pair.ends[1].incoming == stream(lengths.0, 1));
        prop_assert!(pair.ends[0].incoming == stream(lengths.1, 2));
    }
}
