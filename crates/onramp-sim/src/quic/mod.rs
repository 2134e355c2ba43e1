//! QUIC flows: the state machines of noq-proto, which do no input and no output, over simulated
//! links in simulated time. Their packets have the bytes of real QUIC, TLS included.
//!
//! The client is the flow's receiver. It connects, requests the data on a stream and reads them.
//! The server is the flow's sender. It writes the data and finishes the stream.
//!
//! A run has no randomness of its own. The seed of the case is that of noq's random numbers:
//! skipped packet numbers, the order of transport parameters and the length of a reserved one. The
//! keys of TLS and connection IDs are random, but all of them have one size, and nothing else about
//! them reaches the links or the clocks.

mod application;
mod clock;
mod decisions;
mod end;
mod plan;
mod tls;

pub(crate) use plan::{ConnectionParams, QuicPlan};

use application::{Client, Server};
use decisions::Decisions;
use end::{address, End};
use noq_proto::{ConnectionError, Endpoint, PathId};
use onramp_core::Decision;
use onramp_scenario::Application;
use onramp_tcp::{EcnField, Failure, Stats};
use std::sync::Arc;

/// A QUIC connection, both ends of it with their applications.
pub(crate) struct Quic {
    server: (End, Server),
    client: (End, Client),
    decisions: Decisions,
    /// Whether packets leave with ECN.
    ecn: bool,
    failure: Option<Failure>,
}

/// What one end has done after an event.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Progress {
    /// Payload bytes that the client has read.
    pub read_bytes: u64,
    /// Time of the next event of this end; `u64::MAX`: never.
    pub next_ns: u64,
}

impl Quic {
    /// The client connects now. The server sends `size_bytes`, or
    /// [`ENDLESS`](onramp_scenario::ENDLESS), as `application` writes them.
    pub fn connect(
        plan: &QuicPlan,
        params: &ConnectionParams,
        random_bits: u64,
        now_ns: u64,
        size_bytes: u64,
        application: Option<Application>,
    ) -> Quic {
        let [server, client] = [random_bits, !random_bits]
            .map(|seed| Arc::new(plan::endpoint(params.datagram_bytes, seed)));
        let decisions = Decisions::default();
        let server_config = Arc::new(plan.server(params, &decisions));
        let server = Endpoint::new(server, Some(server_config), false);
        let mut client = Endpoint::new(client, None, false);
        let (server_address, client_address) = (address(1), address(2));
        let config = plan.client(params);
        let connection = client
            .connect(clock::at(now_ns), config, server_address, "onramp.test")
            .expect("the configuration is valid");
        Quic {
            server: (
                End::new(server, None, client_address),
                Server::new(size_bytes, application),
            ),
            client: (End::new(client, Some(connection), server_address), Client),
            decisions,
            ecn: plan.ecn,
            failure: None,
        }
    }

    fn end(&mut self, is_server: bool) -> &mut End {
        match is_server {
            true => &mut self.server.0,
            false => &mut self.client.0,
        }
    }

    /// Processes a datagram that arrives at an end.
    pub fn receive(&mut self, is_server: bool, now_ns: u64, bytes: &[u8], ecn: EcnField) {
        self.end(is_server).receive(now_ns, bytes, ecn);
    }

    /// Processes the timers of an end that are due.
    pub fn on_timer(&mut self, is_server: bool, now_ns: u64) {
        if self.end(is_server).next_timer_ns() <= now_ns {
            self.end(is_server).on_timer(now_ns);
        }
    }

    /// Runs the application of an end and passes its datagrams to `send`.
    pub fn drive(
        &mut self,
        is_server: bool,
        now_ns: u64,
        mut send: impl FnMut(&[u8], EcnField),
    ) -> Progress {
        let mut read_bytes = 0;
        let mut application_ns = u64::MAX;
        if is_server {
            let (end, server) = &mut self.server;
            if let Some(connection) = end.connection() {
                note(&mut self.failure, server.act(connection, now_ns));
                application_ns = server.next_ns();
            }
        } else {
            let (end, client) = &mut self.client;
            if let Some(connection) = end.connection() {
                let (bytes, lost) = client.act(connection);
                read_bytes = bytes;
                note(&mut self.failure, lost);
            }
        }
        let has_ecn = self.ecn;
        let end = self.end(is_server);
        end.transmit(now_ns, |datagram| {
            let ecn = match has_ecn {
                true => datagram.ecn,
                false => EcnField::NotEct,
            };
            send(datagram.bytes, ecn);
        });
        Progress {
            read_bytes,
            next_ns: end.next_timer_ns().min(application_ns),
        }
    }

    /// The client has read everything and closes the connection. [`drive`](Quic::drive) it then.
    pub fn close(&mut self, now_ns: u64) {
        if let Some(connection) = self.client.0.connection() {
            connection.close(clock::at(now_ns), 0u32.into(), Default::default());
        }
    }

    /// Whether both ends have ended.
    pub fn is_over(&self) -> bool {
        self.server.0.is_over() && self.client.0.is_over()
    }

    /// Why the connection ended before its time.
    pub fn failure(&self) -> Option<Failure> {
        self.failure
    }

    /// Takes the decisions of the server's start-up, with their times, and the BDP that it
    /// remembered.
    pub fn take_decisions(&mut self) -> (Vec<(u64, Decision)>, u64) {
        let decisions = self.decisions.take();
        if decisions.is_empty() {
            return (decisions, 0);
        }
        let connection = self.server.0.connection();
        let controller = connection.and_then(|one| one.congestion_state(PathId::ZERO));
        let status = controller.and_then(onramp_quic::noq::status);
        (
            decisions,
            status
                .and_then(|status| status.remembered_bytes)
                .unwrap_or(0),
        )
    }

    /// The server's counters, as those of TCP: a packet is retransmitted when it is declared lost.
    pub fn stats(&mut self) -> Stats {
        let Some(connection) = self.server.0.connection() else {
            return Stats::default();
        };
        let total = connection.stats();
        let path = connection.path_stats(PathId::ZERO).unwrap_or_default();
        Stats {
            data_segments_sent: total.sent_packets,
            retransmitted_segments: total.lost_packets,
            recoveries: path.congestion_events,
            undone: path.spurious_congestion_events,
            ..Stats::default()
        }
    }
}

/// Notes the reason for which an end has lost the connection, if it is the first.
fn note(failure: &mut Option<Failure>, lost: Option<ConnectionError>) {
    let reason = lost.map(|lost| match lost {
        ConnectionError::TimedOut => Failure::TimedOut,
        ConnectionError::LocallyClosed => Failure::Aborted,
        _ => Failure::Reset,
    });
    *failure = failure.or(reason);
}

#[cfg(test)]
mod tests;
