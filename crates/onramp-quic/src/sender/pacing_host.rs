//! A host that takes no rate of a start-up: it paces 2 cwnd / RTT with two packets at once, as neqo
//! does, from the initial window on. Its avoidance is Reno's with the factor of CUBIC.
//!
//! Such a host may take its own pacing for an application limit (neqo, issue 3640), or the limit of
//! an application for its own pacing (neqo, issue 3753).

use super::tests::{BEGIN_NS, MTU};
use super::*;
use crate::Startup;
use std::collections::VecDeque;

const MS: u64 = 1_000_000;
const GAIN: u64 = 2;
const BURST_PACKETS: u64 = 2;
/// Packets behind a lost one that are acknowledged before it is found (RFC 9002, section 6.1.1).
const PACKET_THRESHOLD: u64 = 3;
const MAX_ACK_DELAY_NS: u64 = 25 * MS;

/// A link with a drop-tail queue, to a receiver that acknowledges every second packet.
#[derive(Clone, Copy, Debug)]
struct Path {
    bytes_per_s: u64,
    rtt_ns: u64,
    queue_bytes: u64,
}

/// A packet that has left and is not yet acknowledged or lost.
struct Packet {
    number: u64,
    sent_ns: u64,
    /// cwnd had room for another packet when it left.
    had_room: bool,
    /// It repeats data, to learn what has arrived.
    is_probe: bool,
}

/// How the host knows what limits it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Limits {
    /// cwnd or the pacer: the application always has data.
    Known,
    /// The application, where cwnd had room for another packet when a packet left. RFC 9002
    /// (section 7.8) advises against it.
    Guessed,
}

struct Host {
    sender: Sender,
    path: Path,
    limits: Limits,
    /// ACK frames that the host has guessed to be app-limited
    app_limited_acks: u32,
    now_ns: u64,
    packets: VecDeque<Packet>,
    next_number: u64,
    inflight_bytes: u64,
    srtt_ns: u64,
    /// The bucket of the pacer is full then.
    full_ns: u64,
    link_free_ns: u64,
    /// ACK frames on their way, with the largest packet number that each acknowledges.
    acks: VecDeque<(u64, Vec<u64>)>,
    /// The receiver waits for the second packet until then.
    waiting: Option<(u64, u64)>,
    last_received: Option<u64>,
    dropped: u64,
}

impl Host {
    fn new(startup: Startup, path: Path, limits: Limits) -> Host {
        let mut sender = Sender::new(Settings::new(startup), MTU);
        sender.start(BEGIN_NS, Some(path.rtt_ns));
        Host {
            sender,
            path,
            limits,
            app_limited_acks: 0,
            now_ns: BEGIN_NS,
            packets: VecDeque::new(),
            next_number: 0,
            inflight_bytes: 0,
            srtt_ns: path.rtt_ns,
            full_ns: BEGIN_NS,
            link_free_ns: BEGIN_NS,
            acks: VecDeque::new(),
            waiting: None,
            last_received: None,
            dropped: 0,
        }
    }

    /// The time of a transfer, and the number of packets that the queue dropped.
    fn transfer(&mut self, bytes: u64) -> (u64, u64) {
        let (mut unsent_bytes, mut missing_bytes) = (bytes, bytes);
        while missing_bytes > 0 {
            let gap_ns = MTU * self.srtt_ns / (GAIN * self.sender.cwnd_bytes());
            let earliest_ns = self.full_ns.saturating_sub((BURST_PACKETS - 1) * gap_ns);
            let send_ns = self.now_ns.max(earliest_ns);
            let has_room = self.inflight_bytes + MTU <= self.sender.cwnd_bytes();
            let ack_ns = self.next_ack_ns();
            if unsent_bytes > 0 && has_room && send_ns <= ack_ns {
                self.now_ns = send_ns;
                self.full_ns = self.full_ns.max(send_ns) + gap_ns;
                unsent_bytes = unsent_bytes.saturating_sub(MTU);
                self.send(false);
            } else if ack_ns == u64::MAX {
                // A probe timeout.
                self.now_ns += self.srtt_ns * 3 / 2 + MAX_ACK_DELAY_NS;
                self.send(true);
            } else {
                self.now_ns = ack_ns;
                let (acked_bytes, lost_bytes) = self.receive_ack();
                missing_bytes = missing_bytes.saturating_sub(acked_bytes);
                unsent_bytes += lost_bytes;
            }
        }
        (self.now_ns - BEGIN_NS, self.dropped)
    }

    fn next_ack_ns(&self) -> u64 {
        let waiting_ns = self.waiting.map_or(u64::MAX, |(at_ns, _)| at_ns);
        let front_ns = self.acks.front().map_or(u64::MAX, |(at_ns, _)| *at_ns);
        waiting_ns.min(front_ns)
    }

    fn send(&mut self, is_probe: bool) {
        let number = self.next_number;
        self.next_number += 1;
        self.sender.on_sent(self.now_ns, MTU);
        self.inflight_bytes += MTU;
        self.packets.push_back(Packet {
            number,
            had_room: self.inflight_bytes + MTU <= self.sender.cwnd_bytes(),
            sent_ns: self.now_ns,
            is_probe,
        });
        let backlog_ns = self.link_free_ns.saturating_sub(self.now_ns);
        if backlog_ns * self.path.bytes_per_s / 1_000_000_000 + MTU > self.path.queue_bytes {
            self.dropped += 1;
            return;
        }
        let packet_ns = MTU * 1_000_000_000 / self.path.bytes_per_s;
        self.link_free_ns = self.link_free_ns.max(self.now_ns) + packet_ns;
        self.arrive(self.link_free_ns + self.path.rtt_ns, number);
    }

    /// The receiver's ACK of a packet would be here at `at_ns`, if it did not wait.
    fn arrive(&mut self, at_ns: u64, number: u64) {
        let is_gap = self.last_received.is_some_and(|last| last + 1 != number);
        self.last_received = Some(number);
        match self.waiting.take() {
            Some((until_ns, first)) if until_ns >= at_ns => {
                self.acks.push_back((at_ns, vec![first, number]));
            }
            waiting => {
                self.acks
                    .extend(waiting.map(|(until_ns, first)| (until_ns, vec![first])));
                match is_gap {
                    true => self.acks.push_back((at_ns, vec![number])),
                    false => self.waiting = Some((at_ns + MAX_ACK_DELAY_NS, number)),
                }
            }
        }
    }

    /// Reports the next ACK frame and its losses. Returns the bytes of data of both.
    fn receive_ack(&mut self) -> (u64, u64) {
        let numbers = match self.acks.front() {
            Some((at_ns, _)) if *at_ns == self.now_ns => {
                self.acks.pop_front().expect("it is there").1
            }
            _ => vec![self.waiting.take().expect("its time has come").1],
        };
        let largest = *numbers.last().expect("an ACK acknowledges packets");
        let (acked, others) = std::mem::take(&mut self.packets)
            .into_iter()
            .partition::<VecDeque<_>, _>(|packet| numbers.contains(&packet.number));
        let (lost, left) = others
            .into_iter()
            .partition::<VecDeque<_>, _>(|packet| packet.number + PACKET_THRESHOLD <= largest);
        self.packets = left;
        if let Some(newest) = acked.back() {
            self.inflight_bytes -= acked.len() as u64 * MTU;
            let is_app_limited = self.limits == Limits::Guessed && newest.had_room;
            self.app_limited_acks += u32::from(is_app_limited);
            self.report(newest, acked.len() as u64 * MTU, is_app_limited);
        }
        if let Some(newest) = lost.back() {
            let lost_bytes = lost.len() as u64 * MTU;
            self.inflight_bytes -= lost_bytes;
            self.sender.count_lost(lost_bytes);
            self.sender.on_congestion(&Congestion {
                now_ns: self.now_ns,
                newest_sent_ns: newest.sent_ns,
                lost_bytes,
                acked_behind_bytes: acked.len() as u64 * MTU,
                avoidance_ssthresh_bytes: self.sender.cwnd_bytes() * 7 / 10,
                cause: Cause::Loss,
            });
        }
        let data = |packets: &VecDeque<Packet>| {
            packets.iter().filter(|packet| !packet.is_probe).count() as u64 * MTU
        };
        (data(&acked), data(&lost))
    }

    fn report(&mut self, newest: &Packet, bytes: u64, is_app_limited: bool) {
        let guesses = self.limits == Limits::Guessed;
        let has_no_room = self.inflight_bytes + bytes + MTU >= self.sender.cwnd_bytes();
        let rtt_ns = self.now_ns - newest.sent_ns;
        self.srtt_ns = (7 * self.srtt_ns + rtt_ns) / 8;
        if self.sender.owner() == Owner::Avoidance {
            let (cwnd_bytes, limit_bytes) = (
                self.sender.cwnd_bytes(),
                self.sender.recorded_ssthresh_bytes(),
            );
            let growth_bytes = match self.sender.is_of_recovery(newest.sent_ns) {
                true => 0,
                false if cwnd_bytes < limit_bytes => bytes,
                false => MTU * bytes / cwnd_bytes,
            };
            self.sender.follow_avoidance(cwnd_bytes + growth_bytes);
        }
        self.sender.on_ack(&Acked {
            now_ns: self.now_ns,
            newest_sent_ns: newest.sent_ns,
            bytes,
            inflight_bytes: self.inflight_bytes,
            srtt_ns: self.srtt_ns,
            rtt_ns: Some(rtt_ns),
            receiver_us: None,
            is_app_limited,
            is_cwnd_limited: !guesses || has_no_room,
        });
    }
}

/// The paths of `scenarios/start-up.toml`.
fn paths() -> impl Iterator<Item = Path> {
    let rtts = |mbit_per_s| [20, 100, 600].map(|rtt_ms| (mbit_per_s, rtt_ms));
    let paths = [10, 50, 250].into_iter().flat_map(rtts);
    let paths = paths.flat_map(|path| [3, 10].map(|queue_tenths| (path, queue_tenths)));
    paths.map(|((mbit_per_s, rtt_ms), queue_tenths)| Path {
        bytes_per_s: mbit_per_s * 125_000,
        rtt_ns: rtt_ms * MS,
        queue_bytes: mbit_per_s * 125 * rtt_ms * queue_tenths / 10,
    })
}

const SIZES: [u64; 3] = [100_000, 1_000_000, 5_000_000];

/// The 54 downloads of `scenarios/start-up.toml`, for docs/quic.md.
#[test]
fn a_host_that_paces_its_initial_window_gains_a_third() {
    let (mut logarithms, mut dropped) = (Vec::new(), [0, 0]);
    for path in paths() {
        for bytes in SIZES {
            let both = [Startup::Onramp, Startup::Standard]
                .map(|startup| Host::new(startup, path, Limits::Known).transfer(bytes));
            let ratio = both[0].0 as f64 / both[1].0 as f64;
            println!("{ratio:.3} {path:?}, {bytes} bytes: {both:?}");
            // Six packets fill the queue, and the host paces faster than the initial rate.
            let is_small = path.queue_bytes < 7 * MTU;
            assert!(
                ratio <= if is_small { 1.21 } else { 1.03 },
                "{ratio}: {path:?}, {bytes} bytes"
            );
            logarithms.push(ratio.ln());
            for (sum, one) in dropped.iter_mut().zip(both) {
                *sum += one.1;
            }
        }
    }
    let mean = (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp();
    println!("mean {mean:.3}, dropped {dropped:?}");
    assert!(mean <= 0.68, "{mean}");
    assert!(dropped[0] < dropped[1] / 10, "{dropped:?}");
}

/// Most packets of a paced window leave while cwnd has room for more.
#[test]
fn pacing_that_looks_like_an_application_limit_costs_nothing() {
    let mut downloads_with_wrong_guesses = 0;
    for path in paths() {
        for bytes in SIZES {
            let time_ns = |limits| {
                let mut host = Host::new(Startup::Onramp, path, limits);
                (host.transfer(bytes).0, host.app_limited_acks)
            };
            let (known_ns, _) = time_ns(Limits::Known);
            let (guessed_ns, wrong_guesses) = time_ns(Limits::Guessed);
            downloads_with_wrong_guesses += u32::from(wrong_guesses > 0);
            let ratio = guessed_ns as f64 / known_ns as f64;
            println!("{ratio:.3} {path:?}, {bytes} bytes: {wrong_guesses} wrong guesses");
            assert!(ratio <= 1.03, "{ratio}: {path:?}, {bytes} bytes");
        }
    }
    assert!(downloads_with_wrong_guesses > 0);
}

/// An application that writes three packets in each round trip does not use its window. The host
/// holds two of them back for its pacing, and may take that for the limit.
#[test]
fn an_application_limit_that_looks_like_pacing_grows_no_window() {
    let path = Path {
        bytes_per_s: 50 * 125_000,
        rtt_ns: 100 * MS,
        queue_bytes: 625_000,
    };
    for is_app_limited in [false, true] {
        let mut host = Host::new(Startup::Onramp, path, Limits::Guessed);
        let window_bytes = host.sender.cwnd_bytes();
        for _ in 0..20 {
            for _ in 0..3 {
                host.send(false);
                host.now_ns += MS;
            }
            while let Some(packet) = host.packets.pop_front() {
                host.now_ns = packet.sent_ns + path.rtt_ns;
                host.inflight_bytes -= MTU;
                host.report(&packet, MTU, is_app_limited);
            }
        }
        let grown_bytes = host.sender.cwnd_bytes();
        assert!(
            grown_bytes <= window_bytes,
            "{grown_bytes}: {is_app_limited}"
        );
    }
}
