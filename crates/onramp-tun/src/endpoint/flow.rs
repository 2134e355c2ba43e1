//! One connection and its application.

use super::Ended;
use crate::Application;
use onramp_tcp::stream::Socket;
use onramp_tcp::wire::Parsed;
use onramp_tcp::{Flags, State};

/// How long a connection lives on without its application (Linux's tcp_fin_timeout).
const ORPHAN_NS: u64 = 60_000_000_000;

pub struct Flow<A: Application> {
    pub socket: Socket,
    /// None once it is done.
    application: Option<A>,
    started_ns: u64,
    /// Its place among the endpoint's timers.
    pub timer_ns: Option<u64>,
    /// It is among those that may have something to send.
    pub is_ready: bool,
    /// When it ends, its application having left.
    orphan_until_ns: Option<u64>,
    error: Option<A::Error>,
}

impl<A: Application> Flow<A> {
    pub fn new(now_ns: u64, socket: Socket, application: A) -> Flow<A> {
        Flow {
            socket,
            application: Some(application),
            started_ns: now_ns,
            timer_ns: None,
            is_ready: false,
            orphan_until_ns: None,
            error: None,
        }
    }

    /// Lets the application do what it can; whether it gave anything. Without one, what arrives is
    /// thrown away.
    pub fn attend(&mut self, now_ns: u64) -> bool {
        let Some(application) = &mut self.application else {
            let mut waste = [0; 4096];
            while self.socket.read(now_ns, &mut waste) > 0 {}
            return false;
        };
        if self.error.is_some() {
            return false;
        }
        let progress = application.progress(now_ns, &mut self.socket);
        progress.unwrap_or_else(|error| {
            self.error = Some(error);
            self.socket.abort();
            true
        })
    }

    /// What there is to say when the application is done, or the connection over; once.
    pub fn end(&mut self, now_ns: u64) -> Option<Ended<A>> {
        let connection = self.socket.connection();
        let is_over = connection.state() == State::Closed;
        if !is_over
            && self
                .application
                .as_ref()
                .is_some_and(|application| !application.is_done(&self.socket))
        {
            return None;
        }
        let application = self.application.take()?;
        self.orphan_until_ns = Some(now_ns + ORPHAN_NS);
        Some(Ended {
            ends: *self.socket.endpoints(),
            application,
            started_ns: self.started_ns,
            stats: connection.stats(),
            pairs: connection.pair_counts(),
            srtt_ns: connection.srtt_ns(),
            failure: connection.failure(),
            error: self.error.take(),
        })
    }

    /// Nothing more can come of it.
    pub fn is_over(&self, now_ns: u64) -> bool {
        self.socket.connection().state() == State::Closed
            || self.orphan_until_ns.is_some_and(|until| until <= now_ns)
    }

    /// When it wants to be looked at.
    pub fn next_timer_ns(&self) -> Option<u64> {
        [self.socket.next_timer_ns(), self.orphan_until_ns]
            .into_iter()
            .flatten()
            .min()
    }

    /// In TIME-WAIT, a SYN beyond what was received begins another connection (RFC 9293, section
    /// 3.10.7.4).
    pub fn gives_way_to(&self, parsed: &Parsed<'_>) -> bool {
        let connection = self.socket.connection();
        let is_new = parsed.segment.flags.has(Flags::SYN) && !parsed.segment.flags.has(Flags::ACK);
        let place = connection.stream_position(&parsed.segment) as i64;
        connection.state() == State::TimeWait
            && is_new
            && place > connection.received_bytes() as i64
    }
}
