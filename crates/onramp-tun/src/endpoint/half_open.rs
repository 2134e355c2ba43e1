//! Connections whose handshake is not complete: a SYN has arrived, and our SYN-ACK is not
//! acknowledged.
//!
//! Anyone can send SYNs, from any address. So a half-open connection is a small record without
//! buffers and without an application, and there is a limited number of them. If a SYN finds the
//! table full, the oldest record is removed (RFC 4987, section 3.4). Its peer may try again: a SYN
//! flood makes connections late, it does not use up memory.

use super::Key;
use onramp_tcp::wire::{self, Endpoints};
use onramp_tcp::{Config, Connection, Flags, Segment, State};
use std::collections::{BTreeMap, HashMap};

/// A connection in SYN-RECEIVED.
pub struct HalfOpen {
    pub connection: Connection,
    /// Addresses and ports of the packets that we send.
    pub ends: Endpoints,
    /// When the SYN arrived.
    pub arrived_ns: u64,
    /// The time under which the endpoint has it in its set of timers.
    pub timer_ns: Option<u64>,
    /// Its place in the order of arrival.
    number: u64,
}

impl HalfOpen {
    /// Does the segment acknowledge our SYN, and nothing else? Only who has received the SYN-ACK
    /// knows our initial sequence number.
    pub fn is_completed_by(&self, segment: &Segment) -> bool {
        let flags = segment.flags;
        flags.has(Flags::ACK)
            && !flags.has(Flags::SYN)
            && !flags.has(Flags::RST)
            && segment.ack == self.connection.config().isn.wrapping_add(1)
    }

    /// Replaces `out` by the next packet to send now: the SYN-ACK, or a reset. Returns `false` if
    /// there is none.
    pub fn poll_packet(&mut self, now_ns: u64, out: &mut Vec<u8>) -> bool {
        let Some(transmit) = self.connection.poll_transmit(now_ns) else {
            return false;
        };
        out.clear();
        wire::write(&transmit.segment, &self.ends, 0, |_| (), out)
            .expect("a segment without payload fits");
        true
    }

    pub fn is_closed(&self) -> bool {
        self.connection.state() == State::Closed
    }
}

/// The half-open connections of an endpoint.
pub struct HalfOpens {
    records: HashMap<Key, HalfOpen>,
    by_age: BTreeMap<u64, Key>,
    arrivals: u64,
    max: usize,
}

impl HalfOpens {
    /// No connections, and at most `max` of them.
    pub fn new(max: usize) -> HalfOpens {
        HalfOpens {
            records: HashMap::new(),
            by_age: BTreeMap::new(),
            arrivals: 0,
            max,
        }
    }

    /// Adds a connection for a SYN that arrived. Returns the oldest one if it had to be removed for
    /// it.
    pub fn add(
        &mut self,
        now_ns: u64,
        key: Key,
        config: Config,
        ends: Endpoints,
        syn: &Segment,
    ) -> Option<(Key, HalfOpen)> {
        let is_full = self.records.len() >= self.max;
        let oldest = is_full
            .then(|| self.by_age.first_key_value().map(|(_, key)| *key))
            .flatten();
        let removed = oldest.and_then(|oldest| Some((oldest, self.remove(&oldest)?)));
        self.arrivals += 1;
        self.by_age.insert(self.arrivals, key);
        let record = HalfOpen {
            connection: Connection::accept(config, now_ns, syn),
            ends,
            arrived_ns: now_ns,
            timer_ns: None,
            number: self.arrivals,
        };
        self.records.insert(key, record);
        removed
    }

    pub fn get(&self, key: &Key) -> Option<&HalfOpen> {
        self.records.get(key)
    }

    pub fn get_mut(&mut self, key: &Key) -> Option<&mut HalfOpen> {
        self.records.get_mut(key)
    }

    pub fn remove(&mut self, key: &Key) -> Option<HalfOpen> {
        let record = self.records.remove(key)?;
        self.by_age.remove(&record.number);
        Some(record)
    }

    pub fn keys(&self) -> Vec<Key> {
        self.records.keys().copied().collect()
    }

    pub fn len(&self) -> usize {
        self.records.len()
    }
}
