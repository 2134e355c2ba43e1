//! What the applications of a flow do.

use super::super::net::Net;
use super::super::payload::Payload;
use super::super::serve::Server;
use super::{Flow, Side, REQUEST_BYTES};
use crate::observe::Observer;
use onramp_tcp::State;

impl Flow {
    /// The application of the sender acts, and its segments leave.
    pub fn serve<O: Observer>(&mut self, net: &mut Net<O>) {
        let had_begun = self.server.has_begun();
        if !had_begun {
            // The acknowledgement of a request, or of the SYN's answer, leaves before the
            // application has heard of it.
            self.transmit(Side::Sender, net);
        }
        let Some(connection) = &mut self.ends[Side::Sender as usize].connection else {
            return;
        };
        self.server.act(connection, net.now_ns);
        if had_begun || self.server.has_begun() {
            self.transmit(Side::Sender, net);
        }
        self.reschedule(Side::Sender, self.server.next_ns(), net);
        self.leave_behind(Side::Sender, net);
    }

    /// The same of an application that has this payload for several connections.
    pub fn serve_share<O: Observer>(&mut self, payload: &mut Payload, net: &mut Net<O>) {
        if !self.server.has_begun() {
            self.transmit(Side::Sender, net);
        }
        loop {
            let Some(connection) = &mut self.ends[Side::Sender as usize].connection else {
                return;
            };
            let got_some = self.server.act_on_share(payload, connection, net.now_ns);
            self.transmit(Side::Sender, net);
            if !got_some {
                break;
            }
        }
        let waits = self.server.has_begun() && !self.server.is_closed();
        self.reschedule(
            Side::Sender,
            if waits { payload.next_ns() } else { u64::MAX },
            net,
        );
        self.leave_behind(Side::Sender, net);
    }

    /// The sender's application, whose connection this is.
    pub fn server(&self) -> &Server {
        &self.server
    }

    /// The same.
    pub fn server_mut(&mut self) -> &mut Server {
        &mut self.server
    }

    /// The application of the receiver acts, and its segments leave. The payload that it got.
    pub fn download<O: Observer>(&mut self, net: &mut Net<O>) -> u64 {
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
        if self.will_ask {
            self.ask(net);
        }
        self.reschedule(Side::Receiver, u64::MAX, net);
        self.leave_behind(Side::Receiver, net);
        got_bytes
    }

    /// Once the connection stands, and the acknowledgement that makes it stand has left.
    fn ask<O: Observer>(&mut self, net: &mut Net<O>) {
        let Some(connection) = &mut self.ends[Side::Receiver as usize].connection else {
            return;
        };
        if connection.state() == State::Established {
            self.will_ask = connection.write(REQUEST_BYTES) < REQUEST_BYTES;
            self.transmit(Side::Receiver, net);
        }
    }
}
