//! Two sockets, the packets in flight between them, the applications, and the time.

use crate::draw::{Application, Case};
use crate::invariants;
use crate::rng::Rng;
use onramp_tcp::stream::Socket;
use onramp_tcp::wire::{self, Endpoints};
use onramp_tcp::{Connection, State};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

const SECOND_NS: u64 = 1_000_000_000;
/// After this time without progress nothing is lost any more, so that connections do not give up.
const PATIENCE_NS: u64 = 40 * SECOND_NS;
/// Maximum number of lost segments during the handshake, which gives up earlier.
const HANDSHAKE_SEGMENTS: u64 = 6;
/// Limits of a case: virtual time and steps.
const MAX_NS: u64 = 40_000 * SECOND_NS;
const MAX_STEPS: u64 = 3_000_000;
/// Maximum duration of an application's sleep.
const MAX_SLEEP_NS: u64 = 20 * SECOND_NS;

struct End {
    socket: Option<Socket>,
    application: Application,
    written: u64,
    read: u64,
    at_end: bool,
    /// The application's next turn.
    turn_ns: u64,
}

/// A packet: arrival time, number, sender, and bytes.
type Arrival = (u64, u64, usize, Vec<u8>);

pub struct World {
    case: Case,
    rng: Rng,
    pub now_ns: u64,
    ends: [End; 2],
    in_flight: BinaryHeap<Reverse<Arrival>>,
    sent: u64,
    arriving: u64,
    progress: (u64, u64),
}

/// The byte at this offset of an end's stream.
fn byte(end: usize, offset: u64) -> u8 {
    Rng::new(offset ^ (end as u64) << 60).next() as u8
}

/// Is the end closed, with nothing left to do?
fn is_over(end: &End) -> bool {
    end.socket
        .as_ref()
        .is_some_and(|socket| socket.connection().state() == State::Closed)
        && !is_busy(end)
}

impl World {
    pub fn new(case: Case, seed: u64) -> World {
        let endpoints = Endpoints {
            source: "192.0.2.1:1000".parse().expect("an address"),
            destination: "192.0.2.2:80".parse().expect("an address"),
        };
        let client = Socket::connect(case.configs[0].clone(), 0, endpoints);
        let end = |socket, application| End {
            socket,
            application,
            written: 0,
            read: 0,
            at_end: false,
            turn_ns: 0,
        };
        World {
            ends: [
                end(Some(client), case.applications[0]),
                end(None, case.applications[1]),
            ],
            case,
            rng: Rng::new(!seed),
            now_ns: 0,
            in_flight: BinaryHeap::new(),
            sent: 0,
            arriving: 0,
            progress: (0, 0),
        }
    }

    /// Runs until both ends are closed and everything has arrived.
    pub fn run(&mut self) {
        for _ in 0..MAX_STEPS {
            if self.ends.iter().all(is_over) {
                return self.check_outcome();
            }
            self.step();
            assert!(
                self.now_ns < MAX_NS,
                "not over after {} s: {:#?}",
                self.now_ns / SECOND_NS,
                self.connections()
            );
        }
        panic!(
            "not over after {MAX_STEPS} steps, at {} ns: {:#?}",
            self.now_ns,
            self.connections()
        );
    }

    fn connections(&self) -> Vec<&Connection> {
        self.ends
            .iter()
            .filter_map(|end| end.socket.as_ref())
            .map(Socket::connection)
            .collect()
    }

    fn check_outcome(&self) {
        for (end, other) in [(0, 1), (1, 0)] {
            let (this, that) = (&self.ends[end], &self.ends[other]);
            assert_eq!(
                that.read, this.application.bytes,
                "the data of end {end} has not arrived"
            );
            assert!(that.at_end, "end {other} has not read to the end");
        }
        for connection in self.connections() {
            // The acknowledgement of the last FIN may be lost until the other end no longer exists.
            assert!(
                matches!(
                    connection.failure(),
                    None | Some(onramp_tcp::Failure::Reset)
                ),
                "{connection:#?}"
            );
        }
    }

    fn step(&mut self) {
        for end in 0..2 {
            self.flush(end);
        }
        let arrival = self.in_flight.peek().map(|Reverse((at, ..))| *at);
        let sockets = || self.ends.iter().filter_map(|end| end.socket.as_ref());
        let timer = sockets().filter_map(Socket::next_timer_ns).min();
        let turn = self
            .ends
            .iter()
            .filter(|end| is_busy(end))
            .map(|end| end.turn_ns)
            .min();
        let next = [arrival, timer, turn].into_iter().flatten().min();
        self.now_ns = next
            .unwrap_or_else(|| panic!("a deadlock: {:#?}", self.connections()))
            .max(self.now_ns);
        if arrival.is_some_and(|at| at <= self.now_ns) {
            self.arrive();
        } else {
            for end in 0..2 {
                self.tick(end);
            }
        }
        self.note_progress();
    }

    fn note_progress(&mut self) {
        let of = |c: &Connection| {
            c.acked_bytes() + c.received_bytes() + c.state() as u64 + u64::from(c.peer_has_closed())
        };
        let progress = self.connections().into_iter().map(of).sum();
        if progress != self.progress.0 {
            self.progress = (progress, self.now_ns);
        }
    }

    /// Sends everything that an end can send now.
    fn flush(&mut self, from: usize) {
        let now_ns = self.now_ns;
        let mut packet = Vec::new();
        while let Some(socket) = &mut self.ends[from].socket {
            let Some(transmit) = socket.poll_packet(now_ns, &mut packet) else {
                invariants::check(socket.connection(), now_ns);
                break;
            };
            invariants::check_sent(socket.connection(), &transmit);
            self.sent += 1;
            if transmit.segment.ecn.is_capable()
                && self.rng.chance(self.case.paths[from].mark_percent)
            {
                wire::mark_ce(&mut packet);
            }
            for at_ns in self.fates(from) {
                self.in_flight
                    .push(Reverse((at_ns, self.arriving, from, packet.clone())));
                self.arriving += 1;
            }
            assert!(
                self.sent < MAX_STEPS,
                "segments without end: {:#?}",
                self.connections()
            );
        }
    }

    /// Arrival times of the copies of a packet.
    fn fates(&mut self, from: usize) -> Vec<u64> {
        let path = self.case.paths[from];
        let opening = self
            .connections()
            .iter()
            .any(|c| matches!(c.state(), State::SynSent | State::SynReceived));
        let is_patient = self.now_ns - self.progress.1 < PATIENCE_NS
            && !(opening && self.sent > HANDSHAKE_SEGMENTS);
        let lost = self.rng.chance(path.loss_percent) && is_patient;
        let copies = match lost {
            true => 0,
            false => 1 + u64::from(self.rng.chance(path.duplicate_percent)),
        };
        let delay_ns = if self.now_ns >= path.changes_at_ns {
            path.changed_delay_ns
        } else {
            path.delay_ns
        };
        (0..copies)
            .map(|_| self.now_ns + delay_ns + self.rng.below(path.jitter_ns + 1))
            .collect()
    }

    fn arrive(&mut self) {
        let Reverse((_, _, from, packet)) = self.in_flight.pop().expect("the caller checked it");
        let to = 1 - from;
        let now_ns = self.now_ns;
        let parsed = wire::parse(&packet).expect("a written packet can be parsed");
        match &mut self.ends[to].socket {
            Some(socket) => assert!(socket.on_parsed(now_ns, &parsed)),
            None => {
                self.ends[to].socket = Some(Socket::accept(
                    self.case.configs[to].clone(),
                    now_ns,
                    &parsed,
                ))
            }
        }
        if self.ends[to].application.eager {
            self.read(to, u64::MAX);
        }
    }

    fn tick(&mut self, end: usize) {
        let now_ns = self.now_ns;
        if let Some(socket) = &mut self.ends[end].socket {
            let due = socket.next_timer_ns().is_some_and(|at| at <= now_ns);
            if due || self.rng.chance(10) {
                socket.on_timer(now_ns);
                self.flush(end);
                let next = self.ends[end]
                    .socket
                    .as_ref()
                    .and_then(Socket::next_timer_ns);
                assert!(
                    next.is_none_or(|at| at > now_ns),
                    "a timer in the past: {:#?}",
                    self.connections()
                );
            }
        }
        if self.ends[end].turn_ns <= now_ns && is_busy(&self.ends[end]) {
            self.take_turn(end);
        }
    }

    /// Lets the application read, write and close.
    fn take_turn(&mut self, end: usize) {
        let Application {
            pause_ns,
            read_bytes,
            sleep_percent,
            ..
        } = self.ends[end].application;
        let sleeps = self.rng.chance(sleep_percent);
        let max_ns = if sleeps { MAX_SLEEP_NS } else { pause_ns };
        // Turns become rarer during a case, so that a slow path does not need many of them.
        self.ends[end].turn_ns = self.now_ns + 1 + self.rng.below(max_ns) + self.now_ns / 500;
        let max = 1 + self.rng.below(read_bytes);
        self.read(end, max);
        self.write(end);
    }

    fn write(&mut self, end: usize) {
        let this = &mut self.ends[end];
        let Some(socket) = &mut this.socket else {
            return;
        };
        let left = this.application.bytes - this.written;
        let bytes = left
            .min(1 + self.rng.below(this.application.write_bytes))
            .min(socket.connection().writable_bytes());
        let piece: Vec<u8> = (this.written..this.written + bytes)
            .map(|offset| byte(end, offset))
            .collect();
        this.written += socket.write(&piece) as u64;
        if this.written == this.application.bytes {
            socket.close();
        }
    }

    fn read(&mut self, end: usize, max: u64) {
        let this = &mut self.ends[end];
        let Some(socket) = &mut this.socket else {
            return;
        };
        let mut out = vec![0; max.min(socket.connection().readable_bytes()) as usize];
        let count = socket.read(self.now_ns, &mut out);
        assert_eq!(count, out.len(), "readable bytes can be read");
        for &got in &out {
            assert_eq!(
                got,
                byte(1 - end, this.read),
                "at {} of the stream to end {end}",
                this.read
            );
            this.read += 1;
        }
        assert!(this.read <= self.ends[1 - end].written);
        self.ends[end].at_end |= self.ends[end]
            .socket
            .as_ref()
            .is_some_and(Socket::is_at_end);
    }
}

/// Does the application still have something to do?
fn is_busy(end: &End) -> bool {
    end.socket.is_some() && !(end.at_end && end.written == end.application.bytes)
}
