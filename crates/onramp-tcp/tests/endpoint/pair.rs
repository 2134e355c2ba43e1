//! Two ends and a path between them, which a test controls: the smallest possible driver.

use onramp_tcp::{Config, Connection, EcnField, Segment, State, Transmit, Window};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// An end of the pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// The end that connects.
    Client,
    /// The end that accepts.
    Server,
}

/// A segment on the path.
#[derive(Clone, Copy, Debug)]
pub struct Crossing {
    /// When it was sent.
    pub now_ns: u64,
    /// Who sent it.
    pub from: End,
    /// Number of segments that this end had sent before.
    pub number: u64,
    /// The segment.
    pub transmit: Transmit,
    /// cwnd and ssthresh of the sender at that time.
    pub window: Window,
}

/// Behaviour of the path: the delay of each copy that arrives.
pub type Path<'a> = dyn FnMut(&Crossing) -> Vec<u64> + 'a;

/// All segments that were sent, in order.
pub type Log = Vec<Crossing>;

/// Two ends, the segments in flight, and the time.
pub struct Pair {
    pub now_ns: u64,
    pub client: Connection,
    pub server: Option<Connection>,
    server_config: Config,
    in_flight: BinaryHeap<Reverse<(u64, u64, End)>>,
    segments: BTreeMap<u64, Segment>,
    sent: [u64; 2],
    next_id: u64,
    pub log: Log,
    /// Does the path mark this segment, if it may be marked (ECN)?
    pub marks: fn(&Crossing) -> bool,
}

/// One-way delay, unless a test chooses another one.
pub const DELAY_NS: u64 = 50_000_000;

/// A path that only delays.
pub fn clean(_: &Crossing) -> Vec<u64> {
    vec![DELAY_NS]
}

impl Pair {
    /// A client that is about to connect.
    pub fn new(client: Config, server: Config) -> Pair {
        Pair {
            now_ns: 0,
            client: Connection::connect(client, 0),
            server: None,
            server_config: server,
            in_flight: BinaryHeap::new(),
            segments: BTreeMap::new(),
            sent: [0; 2],
            next_id: 0,
            log: Log::new(),
            marks: |_| false,
        }
    }

    /// One of the ends. The server exists after a SYN has arrived.
    pub fn end(&mut self, end: End) -> &mut Connection {
        match end {
            End::Client => &mut self.client,
            End::Server => self.server.as_mut().expect("a SYN has arrived"),
        }
    }

    /// Lets both ends send all that they can.
    pub fn flush(&mut self, path: &mut Path) {
        for from in [End::Client, End::Server] {
            if from == End::Server && self.server.is_none() {
                continue;
            }
            let now_ns = self.now_ns;
            while let Some(transmit) = self.end(from).poll_transmit(now_ns) {
                let number = self.sent[from as usize];
                self.sent[from as usize] += 1;
                let window = self.end(from).window();
                let crossing = Crossing {
                    now_ns,
                    from,
                    number,
                    transmit,
                    window,
                };
                self.log.push(crossing);
                assert!(self.log.len() < 2_000_000, "segments without end");
                let mut segment = transmit.segment;
                if segment.ecn.is_capable() && (self.marks)(&crossing) {
                    segment.ecn = EcnField::Ce;
                }
                for delay_ns in path(&crossing) {
                    self.segments.insert(self.next_id, segment);
                    self.in_flight
                        .push(Reverse((now_ns + delay_ns, self.next_id, from)));
                    self.next_id += 1;
                }
            }
        }
    }

    /// Advances to the next event. Returns `false` if there is none.
    pub fn step(&mut self, path: &mut Path) -> bool {
        self.flush(path);
        let arrival = self.in_flight.peek().map(|Reverse((at, ..))| *at);
        let timers = [Some(&self.client), self.server.as_ref()]
            .into_iter()
            .flatten();
        let timer = timers.filter_map(Connection::next_timer_ns).min();
        let Some(at) = arrival.into_iter().chain(timer).min() else {
            return false;
        };
        assert!(
            at >= self.now_ns || timer == Some(at),
            "a segment from the past"
        );
        self.now_ns = self.now_ns.max(at);
        if arrival == Some(at) {
            let Reverse((_, id, from)) = self.in_flight.pop().expect("it was just there");
            let segment = self
                .segments
                .remove(&id)
                .expect("each segment arrives once");
            let now_ns = self.now_ns;
            match from {
                End::Server => self.client.on_segment(now_ns, &segment),
                End::Client => match &mut self.server {
                    Some(server) => server.on_segment(now_ns, &segment),
                    None => {
                        self.server = Some(Connection::accept(
                            self.server_config.clone(),
                            now_ns,
                            &segment,
                        ))
                    }
                },
            }
        } else {
            let now_ns = self.now_ns;
            self.client.on_timer(now_ns);
            if let Some(server) = &mut self.server {
                server.on_timer(now_ns);
            }
        }
        true
    }

    /// Runs until a condition holds. Panics if it does not hold within `max_ns`.
    pub fn until(&mut self, max_ns: u64, path: &mut Path, mut done: impl FnMut(&mut Pair) -> bool) {
        while !done(self) {
            assert!(
                self.step(path),
                "no further events at {} ns: {:?} {:?}",
                self.now_ns,
                self.client,
                self.server
            );
            assert!(
                self.now_ns <= max_ns,
                "not done after {} ns: {:?} {:?}",
                self.now_ns,
                self.client,
                self.server
            );
        }
    }

    /// Connects, sends `bytes` from the server to the client, which reads immediately, and closes
    /// both.
    pub fn download(&mut self, bytes: u64, max_ns: u64, path: &mut Path) -> u64 {
        let (mut to_write, mut got, mut completed_ns) = (bytes, 0, 0);
        self.until(max_ns, path, |pair| {
            let now_ns = pair.now_ns;
            if let Some(server) = &mut pair.server {
                if to_write > 0 {
                    to_write -= server.write(to_write);
                    if to_write == 0 {
                        server.close();
                    }
                }
            }
            got += pair.client.read(now_ns, u64::MAX);
            if got == bytes && completed_ns == 0 {
                completed_ns = now_ns;
            }
            if pair.client.peer_has_closed() && pair.client.state() == State::CloseWait {
                pair.client.close();
            }
            let is_over = |connection: &Connection| {
                matches!(connection.state(), State::Closed | State::TimeWait)
            };
            is_over(&pair.client) && pair.server.as_ref().is_some_and(is_over)
        });
        assert_eq!(got, bytes);
        completed_ns
    }

    /// Segments of an end that satisfy a condition.
    pub fn sent_by(&self, from: End, is: impl Fn(&Transmit) -> bool) -> Vec<Crossing> {
        self.log
            .iter()
            .filter(|crossing| crossing.from == from && is(&crossing.transmit))
            .copied()
            .collect()
    }
}
