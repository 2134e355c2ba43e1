//! The applications at both ends of a flow.

use super::super::net::Net;
use super::super::payload::Payload;
use super::super::sender_app::{SenderApp, REQUEST_BYTES};
use super::{Flow, Side};
use crate::observe::Observer;
use onramp_tcp::State;

impl Flow {
    /// Runs the sender's application and transmits its segments.
    pub fn drive_sender<O: Observer>(&mut self, net: &mut Net<O>) {
        if !self.quic.is_none() {
            self.drive_quic(Side::Sender, net);
            return;
        }
        let had_started = self.sender_app.has_started();
        if !had_started {
            // The ACK of the request, or of the SYN-ACK, leaves before the application learns of
            // it.
            self.transmit(Side::Sender, net);
        }
        let Some(connection) = &mut self.ends[Side::Sender as usize].connection else {
            return;
        };
        self.sender_app.act(connection, net.now_ns);
        if had_started || self.sender_app.has_started() {
            self.transmit(Side::Sender, net);
        }
        self.reschedule(Side::Sender, self.sender_app.next_ns(), net);
        self.start_orphan_timer(Side::Sender, net);
    }

    /// Runs the sender's application with a payload that it shares with other connections.
    pub fn drive_sender_shared<O: Observer>(&mut self, payload: &mut Payload, net: &mut Net<O>) {
        if !self.sender_app.has_started() {
            self.transmit(Side::Sender, net);
        }
        loop {
            let Some(connection) = &mut self.ends[Side::Sender as usize].connection else {
                return;
            };
            let wrote_data = self.sender_app.act_shared(payload, connection, net.now_ns);
            self.transmit(Side::Sender, net);
            if !wrote_data {
                break;
            }
        }
        let waits = self.sender_app.has_started() && !self.sender_app.is_closed();
        self.reschedule(
            Side::Sender,
            if waits { payload.next_ns() } else { u64::MAX },
            net,
        );
        self.start_orphan_timer(Side::Sender, net);
    }

    /// The sender's application.
    pub fn sender_app(&self) -> &SenderApp {
        &self.sender_app
    }

    /// The sender's application, mutable.
    pub fn sender_app_mut(&mut self) -> &mut SenderApp {
        &mut self.sender_app
    }

    /// Runs the receiver's application and transmits its segments. Returns the payload bytes that
    /// it read.
    pub fn drive_receiver<O: Observer>(&mut self, net: &mut Net<O>) -> u64 {
        if !self.quic.is_none() {
            return self.drive_quic(Side::Receiver, net);
        }
        let mut got_bytes = 0;
        if let Some(connection) = &mut self.ends[Side::Receiver as usize].connection {
            if connection.readable_bytes() > 0 {
                got_bytes = connection.read(net.now_ns, u64::MAX);
                self.received_bytes += got_bytes;
                if self.received_bytes == self.size_bytes {
                    connection.close();
                }
            }
        }
        self.transmit(Side::Receiver, net);
        if self.request_is_pending {
            self.send_request(net);
        }
        self.reschedule(Side::Receiver, u64::MAX, net);
        self.start_orphan_timer(Side::Receiver, net);
        got_bytes
    }

    /// Sends the request, once the connection is established and the ACK that completes the
    /// handshake has left.
    fn send_request<O: Observer>(&mut self, net: &mut Net<O>) {
        let Some(connection) = &mut self.ends[Side::Receiver as usize].connection else {
            return;
        };
        if connection.state() == State::Established {
            self.request_is_pending = connection.write(REQUEST_BYTES) < REQUEST_BYTES;
            self.transmit(Side::Receiver, net);
        }
    }
}
