//! Two endpoints exchange packets without a device and without a real clock.

use super::*;
use onramp_tcp::{Failure, Segment, Stack, State};
use std::net::Ipv4Addr;

const PORT: u16 = 80;

/// Sends one message and receives another.
#[derive(Debug, Default)]
struct Peer {
    sends: Vec<u8>,
    sent_bytes: usize,
    received_data: Vec<u8>,
    fails_after_bytes: Option<usize>,
    /// It sends when it has received something.
    answers: bool,
}

impl Peer {
    fn sending(sends: &[u8]) -> Peer {
        Peer {
            sends: sends.to_vec(),
            ..Peer::default()
        }
    }
}

impl Application for Peer {
    type Error = &'static str;

    fn progress(&mut self, now_ns: u64, socket: &mut Socket) -> Result<bool, &'static str> {
        let mut bytes = [0; 100];
        while let length @ 1.. = socket.read(now_ns, &mut bytes) {
            self.received_data.extend_from_slice(&bytes[..length]);
        }
        if self
            .fails_after_bytes
            .is_some_and(|limit| self.received_data.len() > limit)
        {
            return Err("enough");
        }
        if self.answers && self.received_data.is_empty() {
            return Ok(false);
        }
        let sent_bytes = socket.write(&self.sends[self.sent_bytes..]);
        self.sent_bytes += sent_bytes;
        if sent_bytes > 0 && self.sent_bytes == self.sends.len() {
            socket.close();
        }
        Ok(sent_bytes > 0)
    }

    fn is_done(&self, socket: &Socket) -> bool {
        socket.connection().state() == State::TimeWait
    }
}

struct Net {
    now_ns: u64,
    client: Endpoint<Peer>,
    server: Endpoint<Peer>,
}

impl Net {
    fn new(answer: &'static [u8]) -> Net {
        Net::with(answer, Config::of(Stack::Linux, 1500))
    }

    fn with(answer: &'static [u8], config: Config) -> Net {
        let client = Endpoint::new(Ipv4Addr::new(10, 0, 0, 1).into(), config.clone());
        let mut server = Endpoint::new(Ipv4Addr::new(10, 0, 0, 2).into(), config);
        server.listen(PORT, move |_| Some(Peer::sending(answer)));
        Net {
            now_ns: 1_000_000_000,
            client,
            server,
        }
    }

    fn connect(&mut self, port: u16, peer_application: Peer) {
        let peer = SocketAddr::new(self.server.address, port);
        self.client.connect(self.now_ns, peer, peer_application);
    }

    /// Runs for 100 ms with a one-way delay of 1 ms. Returns the number of packets.
    fn run(&mut self) -> usize {
        let (mut packets, mut packet) = (0, Vec::new());
        for _ in 0..100 {
            self.now_ns += 1_000_000;
            let now_ns = self.now_ns;
            let mut in_flight = [Vec::new(), Vec::new()];
            for (end, sent) in [&mut self.client, &mut self.server]
                .into_iter()
                .zip(&mut in_flight)
            {
                end.on_timers(now_ns);
                while end.poll_packet(now_ns, &mut packet) {
                    sent.push(packet.clone());
                }
            }
            packets += in_flight[0].len() + in_flight[1].len();
            in_flight[0]
                .iter()
                .for_each(|packet| self.server.on_packet(now_ns, packet));
            in_flight[1]
                .iter()
                .for_each(|packet| self.client.on_packet(now_ns, packet));
        }
        packets
    }
}

#[test]
fn concurrent_connections_do_not_mix() {
    let mut net = Net::new(b"answer");
    for question in [&b"one"[..], b"two", b"three"] {
        net.connect(PORT, Peer::sending(question));
    }
    net.run();
    let received_data = |end: &mut Endpoint<Peer>| {
        let ended = std::iter::from_fn(|| end.take_ended());
        let mut received_data: Vec<_> = ended
            .map(|ended| String::from_utf8(ended.application.received_data).unwrap())
            .collect();
        received_data.sort();
        received_data
    };
    assert_eq!(received_data(&mut net.client), ["answer"; 3]);
    assert_eq!(received_data(&mut net.server), ["one", "three", "two"]);
}

/// While they start up, connections to one peer share the path (core/parts/ensemble.h).
#[test]
fn connections_to_one_peer_count_each_other() {
    let config = Config {
        startup: Some("onramp"),
        ..Config::of(Stack::Linux, 1500)
    };
    let mut net = Net::with(b"", config);
    let members = |net: &Net| {
        let of = |end: &Endpoint<Peer>, peer| end.ensembles_with(peer).members(net.now_ns);
        let (client, server) = (net.client.address, net.server.address);
        [
            of(&net.client, server),
            of(&net.server, client),
            of(&net.client, Ipv4Addr::new(10, 0, 0, 9).into()),
        ]
    };
    for _ in 0..3 {
        // Few enough that the start-up does not leave this short path to the host.
        net.connect(PORT, Peer::sending(&[0; 5_000]));
    }
    net.run();
    assert_eq!(members(&net), [3, 3, 0]);
    while net.client.take_ended().is_some() {}
    while net.server.take_ended().is_some() {}
    for _ in 0..3000 {
        net.run();
    }
    assert_eq!(members(&net), [0, 0, 0]);
}

#[test]
fn a_port_without_listener_refuses_connections() {
    let mut net = Net::new(b"");
    net.connect(PORT + 1, Peer::default());
    assert_eq!(net.run(), 2);
    assert_eq!(
        net.client.take_ended().unwrap().failure,
        Some(Failure::Refused)
    );
    assert_eq!(
        (net.server.counts().refused, net.client.is_busy()),
        (1, false)
    );
}

#[test]
fn an_application_error_resets_the_connection() {
    let mut net = Net::new(&[b'x'; 200_000]);
    net.connect(
        PORT,
        Peer {
            fails_after_bytes: Some(3),
            ..Peer::sending(b"?")
        },
    );
    net.run();
    let ended = net.client.take_ended().unwrap();
    assert_eq!(
        (ended.error, ended.failure),
        (Some("enough"), Some(Failure::Aborted))
    );
    assert_eq!(
        net.server.take_ended().unwrap().failure,
        Some(Failure::Reset)
    );
    assert!(!net.client.is_busy() && !net.server.is_busy());
}

#[test]
fn foreign_and_damaged_packets_are_ignored_and_counted() {
    let mut net = Net::new(b"");
    let ends = |last| Endpoints {
        source: SocketAddr::new(Ipv4Addr::new(10, 0, 0, 9).into(), 9),
        destination: SocketAddr::new(Ipv4Addr::new(10, 0, 0, last).into(), PORT),
    };
    let syn = Segment {
        flags: Flags::SYN,
        ..Segment::default()
    };
    let packet = |last| {
        let mut packet = Vec::new();
        wire::write(&syn, &ends(last), 0, |_| (), &mut packet).unwrap();
        packet
    };
    let mut damaged = packet(2);
    damaged[25] ^= 1;
    // The kernel looks for routers: ICMPv6, 8 bytes.
    let mut solicitation = [0; 48];
    (solicitation[0], solicitation[5], solicitation[6]) = (0x60, 8, 58);
    for packet in [&solicitation[..], &packet(3), &damaged, &damaged[..30]] {
        net.server.on_packet(net.now_ns, packet);
    }
    assert_eq!(
        net.server.counts(),
        Counts {
            received: 4,
            foreign: 2,
            damaged: 2,
            refused: 0
        }
    );
    assert!(!net.server.is_busy());
    net.server.on_packet(net.now_ns, &packet(2));
    assert!(net.server.is_busy());
}

#[test]
fn a_connection_without_application_is_removed_after_a_minute() {
    let mut net = Net::new(b"answer");
    net.connect(PORT, Peer::sending(b"question"));
    net.run();
    let in_time_wait = |end: &Endpoint<Peer>| end.flows.len();
    // The client closed first.
    assert_eq!(
        (in_time_wait(&net.client), in_time_wait(&net.server)),
        (1, 0)
    );
    net.now_ns += 60_000_000_000;
    net.run();
    assert_eq!(
        (
            net.client.flows.len(),
            net.client.timers.len(),
            net.client.orphans.len()
        ),
        (0, 0, 0)
    );
}

#[test]
fn in_time_wait_a_later_syn_starts_a_new_connection() {
    let mut net = Net::new(b"answer");
    // The server closes first.
    let client = Peer {
        answers: true,
        ..Peer::sending(b"question")
    };
    net.connect(PORT, client);
    let client_isn = net
        .client
        .flows
        .values()
        .next()
        .unwrap()
        .socket
        .connection()
        .config()
        .isn;
    net.run();
    let (&(peer, _), flow) = net.server.flows.iter().next().unwrap();
    let received = flow.socket.connection().received_bytes() as u32;
    assert_eq!(
        (flow.socket.connection().state(), received),
        (State::TimeWait, 8)
    );
    let isn = flow.socket.connection().config().isn;
    let ends = Endpoints {
        source: peer,
        destination: SocketAddr::new(net.server.address, PORT),
    };
    let mut syn = |seq| {
        let mut packet = Vec::new();
        let segment = Segment {
            seq,
            flags: Flags::SYN,
            window: 1000,
            ..Segment::default()
        };
        wire::write(&segment, &ends, 0, |_| (), &mut packet).unwrap();
        net.server.on_packet(net.now_ns, &packet);
        net.server.poll_packet(net.now_ns, &mut packet);
        wire::parse(&packet).unwrap().segment
    };
    // An old SYN gets a challenge ACK. A SYN beyond all received data starts a connection.
    assert_eq!(syn(client_isn).flags, Flags::ACK);
    let answer = syn(client_isn.wrapping_add(received + 1000));
    assert_eq!(
        (answer.flags, answer.ack),
        (
            Flags::SYN.with(Flags::ACK),
            client_isn.wrapping_add(received + 1001)
        )
    );
    assert_ne!(answer.seq, isn);
}

/// A SYN, or another segment, from a port of a host that does not exist.
fn from_nowhere(port: u16, segment: Segment) -> Vec<u8> {
    let ends = Endpoints {
        source: SocketAddr::new(Ipv4Addr::new(10, 0, 0, 9).into(), port),
        destination: SocketAddr::new(Ipv4Addr::new(10, 0, 0, 2).into(), PORT),
    };
    let mut packet = Vec::new();
    wire::write(&segment, &ends, 0, |_| (), &mut packet).unwrap();
    packet
}

fn syn() -> Segment {
    Segment {
        seq: 7,
        flags: Flags::SYN,
        window: 1000,
        ..Segment::default()
    }
}

/// The packets that the endpoint sends now.
fn sent_by(end: &mut Endpoint<Peer>, now_ns: u64) -> Vec<Segment> {
    let mut packet = Vec::new();
    std::iter::from_fn(|| {
        let has_packet = end.poll_packet(now_ns, &mut packet);
        has_packet.then(|| wire::parse(&packet).unwrap().segment)
    })
    .collect()
}

#[test]
fn a_connection_gets_its_application_when_the_handshake_is_complete() {
    let mut net = Net::new(b"answer");
    net.server.on_packet(net.now_ns, &from_nowhere(1, syn()));
    let [answer] = sent_by(&mut net.server, net.now_ns)[..] else {
        panic!("one SYN-ACK")
    };
    assert_eq!(answer.flags, Flags::SYN.with(Flags::ACK));
    assert!(!net.server.has_applications());
    let ack = |ack| Segment {
        seq: 8,
        ack,
        flags: Flags::ACK,
        window: 1000,
        ..Segment::default()
    };
    // Who does not know our initial sequence number completes nothing, and is reset.
    let guess = from_nowhere(1, ack(answer.seq.wrapping_add(2)));
    net.server.on_packet(net.now_ns, &guess);
    assert!(!net.server.has_applications());
    net.now_ns += 1_000_000;
    let right = from_nowhere(1, ack(answer.seq.wrapping_add(1)));
    net.server.on_packet(net.now_ns, &right);
    assert!(net.server.has_applications());
    assert_eq!(net.server.half_open.len(), 0);
    let flow = net.server.flows.values().next().unwrap();
    assert_eq!(flow.socket.connection().srtt_ns(), 1_000_000);
}

#[test]
fn a_handshake_that_nobody_completes_is_given_up() {
    let mut net = Net::new(b"answer");
    net.server.on_packet(net.now_ns, &from_nowhere(1, syn()));
    let mut answers = sent_by(&mut net.server, net.now_ns).len();
    while let Some(at_ns) = net.server.next_timer_ns() {
        net.server.on_timers(at_ns);
        answers += sent_by(&mut net.server, at_ns).len();
    }
    assert_eq!(answers, 6, "as many as Linux sends");
    assert!(!net.server.is_busy() && net.server.take_ended().is_none());
}

#[test]
fn a_reset_and_the_end_of_listening_remove_half_open_connections() {
    let mut net = Net::new(b"answer");
    for port in [1, 2] {
        net.server.on_packet(net.now_ns, &from_nowhere(port, syn()));
    }
    sent_by(&mut net.server, net.now_ns);
    let reset = Segment {
        seq: 8,
        flags: Flags::RST,
        ..Segment::default()
    };
    net.server.on_packet(net.now_ns, &from_nowhere(1, reset));
    sent_by(&mut net.server, net.now_ns);
    assert_eq!(net.server.half_open.len(), 1);
    net.server.stop_listening();
    assert!(!net.server.is_busy() && net.server.timers.is_empty());
}

#[test]
fn the_oldest_half_open_connection_gives_way_and_others_still_connect() {
    let mut net = Net::new(b"answer");
    for port in 1..=10_000 {
        net.server.on_packet(net.now_ns, &from_nowhere(port, syn()));
        assert_eq!(sent_by(&mut net.server, net.now_ns).len(), 1);
    }
    let peer = |port| SocketAddr::new(Ipv4Addr::new(10, 0, 0, 9).into(), port);
    let has = |net: &Net, port| net.server.half_open.get(&(peer(port), PORT)).is_some();
    assert_eq!(net.server.half_open.len(), MAX_HALF_OPEN);
    assert_eq!(net.server.timers.len(), MAX_HALF_OPEN);
    let oldest = 10_000 - MAX_HALF_OPEN as u16 + 1;
    assert!(has(&net, oldest) && !has(&net, oldest - 1) && has(&net, 10_000));
    assert!(!net.server.has_applications());
    net.connect(PORT, Peer::sending(b"question"));
    net.run();
    let ended = net.client.take_ended().unwrap();
    assert_eq!(ended.application.received_data, b"answer");
}
