//! The requests of a receiving application on one connection, and the times of their answers: the
//! same in simulator and lab.

use crate::model::{Connections, Pace, Player, Requests, Transfer};
use crate::random::{seed_of, Element, Stream};

/// Bytes of a request.
pub const REQUEST_BYTES: u64 = 8;

/// Several requests of a receiver.
#[derive(Clone, Copy, Debug)]
pub struct RequestsPlan {
    /// Their number and pace.
    pub requests: Requests,
    /// Whether all but the first leave at once.
    pub is_multiplexed: bool,
}

impl RequestsPlan {
    /// The requests of a transfer; `None`: one, for the whole payload.
    pub fn of(transfer: &Transfer) -> Option<RequestsPlan> {
        Some(RequestsPlan {
            requests: transfer.requests?,
            is_multiplexed: transfer.connections == Connections::Multiplexed,
        })
    }
}

/// The times of the answers of a transfer with several requests.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// Each answer: when its request left, and when its last byte was read. In the order of the
    /// second.
    pub times: Vec<(u64, u64)>,
    /// How long the receiver waited before requests: think times, and a full player buffer.
    pub waited_ns: u64,
    /// The player of a video.
    pub player: Option<Player>,
}

/// The requests on one connection. The default: one of several connections, without requests so
/// far.
#[derive(Clone, Debug, Default)]
pub struct Requester {
    /// Offsets in the payload of the connection at which the answers end, as far as the requests
    /// are wanted.
    ends_bytes: Vec<u64>,
    /// When each request left.
    asked_ns: Vec<u64>,
    /// Number of answers that have arrived.
    answered: usize,
    received_bytes: u64,
    /// Time of the next request.
    due_ns: u64,
    /// The answers that have arrived.
    pub answers: Answers,
    /// What it asks for by itself. `None`: other connections are involved, and requests are
    /// [assigned](Requester::assign).
    agenda: Option<Agenda>,
}

/// The requests of a transfer over one connection.
#[derive(Clone, Debug)]
struct Agenda {
    plan: RequestsPlan,
    size_bytes: u64,
    think: Stream,
}

impl Requester {
    /// The requests for a payload of `size_bytes` on one connection, of this copy of the transfer.
    pub fn new(plan: &RequestsPlan, size_bytes: u64, seed: u64, copy: u64) -> Requester {
        let seed = seed_of(seed, Element::Think, copy as u32);
        let player = match plan.requests.pace {
            Pace::Think(_) => None,
            Pace::Play(keys) => Some(Player::new(keys)),
        };
        let mut requester = Requester {
            agenda: Some(Agenda {
                plan: *plan,
                size_bytes,
                think: Stream::new(seed),
            }),
            answers: Answers {
                player,
                ..Answers::default()
            },
            ..Requester::default()
        };
        requester.assign(plan.requests.payload_bytes(size_bytes, 1));
        requester
    }

    /// Adds a request for so many bytes, on one of several connections.
    pub fn assign(&mut self, bytes: u64) {
        let before_bytes = self.ends_bytes.last().copied().unwrap_or(0);
        self.ends_bytes.push(before_bytes + bytes);
    }

    /// Whether every request that is wanted has been answered.
    pub fn is_idle(&self) -> bool {
        self.ends_bytes
            .last()
            .is_none_or(|end_bytes| *end_bytes <= self.received_bytes)
    }

    /// Payload of the answers to the first `requests` requests.
    pub fn released_bytes(&self, requests: u64) -> u64 {
        let last = (requests as usize).checked_sub(1);
        last.map_or(0, |last| self.ends_bytes[last])
    }

    /// Bytes of answers have been read.
    pub fn received(&mut self, now_ns: u64, bytes: u64) {
        self.received_bytes += bytes;
        while let Some(asked_ns) = self.asked_ns.get(self.answered) {
            if self.ends_bytes[self.answered] > self.received_bytes {
                break;
            }
            self.answers.times.push((*asked_ns, now_ns));
            self.answered += 1;
            self.plan_next(now_ns);
        }
    }

    /// Decides on the next request after the end of an answer.
    fn plan_next(&mut self, now_ns: u64) {
        let Some(agenda) = &mut self.agenda else {
            return;
        };
        let requests = agenda.plan.requests;
        let due_ns = match (requests.pace, &mut self.answers.player) {
            (Pace::Think(think), _) => now_ns.saturating_add(agenda.think.interval(think)),
            (Pace::Play(_), Some(player)) => player.segment_arrives(now_ns),
            (Pace::Play(_), None) => now_ns,
        };
        let wanted = match agenda.plan.is_multiplexed {
            true => requests.count,
            false => requests.count.min(self.answered as u32 + 1),
        };
        let size_bytes = agenda.size_bytes;
        let first = self.ends_bytes.len() as u32 + 1;
        self.ends_bytes
            .extend((first..=wanted).map(|answer| requests.payload_bytes(size_bytes, answer)));
        if first <= wanted {
            self.due_ns = due_ns;
            self.answers.waited_ns += due_ns - now_ns;
        }
    }

    /// The requests that leave now: the payload that each asks for.
    pub fn leave(&mut self, now_ns: u64) -> impl ExactSizeIterator<Item = u64> + '_ {
        let first = self.asked_ns.len();
        let leaving = match self.due_ns > now_ns {
            true => first..first,
            false => first..self.ends_bytes.len(),
        };
        self.asked_ns
            .extend(std::iter::repeat_n(now_ns, leaving.len()));
        let ends_bytes = &self.ends_bytes;
        leaving.map(move |request| {
            let before_bytes = request
                .checked_sub(1)
                .map_or(0, |before| ends_bytes[before]);
            ends_bytes[request] - before_bytes
        })
    }

    /// Time of the next request; `u64::MAX`: none until an answer has arrived.
    pub fn next_ns(&self) -> u64 {
        match self.ends_bytes.len() > self.asked_ns.len() {
            true => self.due_ns,
            false => u64::MAX,
        }
    }
}
