//! One connection with its application.

use super::ended::Ended;
use crate::application::Application;
use onramp_tcp::stream::Socket;
use onramp_tcp::wire::Parsed;
use onramp_tcp::{Flags, State};

/// How long a connection stays after its application has finished (Linux: tcp_fin_timeout).
const ORPHAN_NS: u64 = 60_000_000_000;

pub struct Flow<A: Application> {
    pub socket: Socket,
    /// `None` after it has finished.
    application: Option<A>,
    started_ns: u64,
    /// The time under which the endpoint has it in its set of timers.
    pub timer_ns: Option<u64>,
    /// It is in the endpoint's queue of connections that may have something to send.
    pub is_ready: bool,
    /// When it is removed; set when the application has finished.
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

    /// Lets the application make progress. Returns whether it wrote or closed. Without an
    /// application, data that arrives is discarded.
    pub fn run_application(&mut self, now_ns: u64) -> bool {
        let Some(application) = &mut self.application else {
            let mut discarded = [0; 4096];
            while self.socket.read(now_ns, &mut discarded) > 0 {}
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

    /// The result, when the application is done or the connection has closed. It is returned once.
    pub fn take_result(&mut self, now_ns: u64) -> Option<Ended<A>> {
        let connection = self.socket.connection();
        let is_closed = connection.state() == State::Closed;
        if !is_closed
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
            has_ecn: connection.has_ecn(),
            pairs: connection.pair_counts(),
            srtt_ns: connection.srtt_ns(),
            failure: connection.failure(),
            error: self.error.take(),
        })
    }

    /// Whether the connection can be removed.
    pub fn is_removable(&self, now_ns: u64) -> bool {
        self.socket.connection().state() == State::Closed
            || self.orphan_until_ns.is_some_and(|until| until <= now_ns)
    }

    /// When the connection needs attention next.
    pub fn next_timer_ns(&self) -> Option<u64> {
        [self.socket.next_timer_ns(), self.orphan_until_ns]
            .into_iter()
            .flatten()
            .min()
    }

    /// In TIME-WAIT, a SYN beyond the received data starts a new connection (RFC 9293, section
    /// 3.10.7.4).
    pub fn gives_way_to(&self, parsed: &Parsed<'_>) -> bool {
        let connection = self.socket.connection();
        let is_syn = parsed.segment.flags.has(Flags::SYN) && !parsed.segment.flags.has(Flags::ACK);
        let position = connection.stream_offset(&parsed.segment) as i64;
        connection.state() == State::TimeWait
            && is_syn
            && position > connection.received_bytes() as i64
    }
}
