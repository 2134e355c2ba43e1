//! The applications at both ends of a flow of TCP.

use super::super::net::Net;
use super::hosts::{Hosts, Side};
use super::tcp::Tcp;
use crate::observe::Observer;
use crate::payload::Payload;
use onramp_scenario::REQUEST_BYTES;
use onramp_tcp::State;

impl Tcp {
    /// Runs the sender's application and transmits its segments.
    pub fn drive_sender(&mut self, hosts: &mut Hosts, net: &mut Net<impl Observer>) {
        let had_started = self.sender_app.has_started();
        if !had_started {
            // The ACK of the request, or of the SYN-ACK, leaves before the application learns of
            // it.
            self.transmit(Side::Sender, hosts, net);
        }
        let Some(connection) = &mut self.ends[Side::Sender as usize] else {
            return;
        };
        self.sender_app
            .act(connection, self.requester.as_deref(), net.now_ns);
        if had_started || self.sender_app.has_started() {
            self.transmit(Side::Sender, hosts, net);
        }
        self.reschedule(Side::Sender, self.sender_app.next_ns(), hosts, net);
    }

    /// Runs the sender's application with a payload that it shares with other connections.
    pub fn drive_sender_shared(
        &mut self,
        payload: &mut Payload,
        hosts: &mut Hosts,
        net: &mut Net<impl Observer>,
    ) {
        if !self.sender_app.has_started() {
            self.transmit(Side::Sender, hosts, net);
        }
        loop {
            let Some(connection) = &mut self.ends[Side::Sender as usize] else {
                return;
            };
            let wrote_data = match self.requester.as_deref() {
                Some(requester) => self
                    .sender_app
                    .answer_shared(payload, connection, requester, net.now_ns),
                None => self.sender_app.act_shared(payload, connection, net.now_ns),
            };
            self.transmit(Side::Sender, hosts, net);
            if !wrote_data {
                break;
            }
        }
        let waits = self.sender_app.has_started() && !self.sender_app.is_closed();
        let application_ns = if waits { payload.next_ns() } else { u64::MAX };
        self.reschedule(Side::Sender, application_ns, hosts, net);
    }

    /// Runs the receiver's application, which closes after `left_bytes` more, and transmits its
    /// segments. Returns the payload bytes that it read.
    pub fn drive_receiver(
        &mut self,
        left_bytes: u64,
        hosts: &mut Hosts,
        net: &mut Net<impl Observer>,
    ) -> u64 {
        let mut got_bytes = 0;
        if let Some(connection) = &mut self.ends[Side::Receiver as usize] {
            if connection.readable_bytes() > 0 {
                got_bytes = connection.read(net.now_ns, u64::MAX);
                if let Some(requester) = &mut self.requester {
                    requester.received(net.now_ns, got_bytes);
                }
                if got_bytes == left_bytes {
                    connection.close();
                }
            }
        }
        self.transmit(Side::Receiver, hosts, net);
        if self.request_is_pending {
            self.send_request(hosts, net);
        }
        let next_ns = self.send_requests(hosts, net);
        self.reschedule(Side::Receiver, next_ns, hosts, net);
        got_bytes
    }

    /// Sends the requests that are due, if there are several. Returns the time of the next one.
    fn send_requests(&mut self, hosts: &Hosts, net: &mut Net<impl Observer>) -> u64 {
        let end = self.ends[Side::Receiver as usize].as_mut();
        let (Some(requester), Some(connection)) = (&mut self.requester, end) else {
            return u64::MAX;
        };
        if connection.state() != State::Established {
            return u64::MAX;
        }
        let requests = requester.leave(net.now_ns).len() as u64;
        let next_ns = requester.next_ns();
        if requests > 0 {
            let bytes = requests * REQUEST_BYTES;
            let written_bytes = connection.write(bytes);
            debug_assert_eq!(written_bytes, bytes, "a send buffer has room for requests");
            self.transmit(Side::Receiver, hosts, net);
        }
        next_ns
    }

    /// Sends the request, once the connection is established and the ACK that completes the
    /// handshake has left.
    fn send_request(&mut self, hosts: &Hosts, net: &mut Net<impl Observer>) {
        let Some(connection) = &mut self.ends[Side::Receiver as usize] else {
            return;
        };
        if connection.state() == State::Established {
            self.request_is_pending = connection.write(REQUEST_BYTES) < REQUEST_BYTES;
            self.transmit(Side::Receiver, hosts, net);
        }
    }
}
