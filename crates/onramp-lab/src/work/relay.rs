//! A relay of a split connection: it ends the connection of one hop, and begins that of the next.

use super::ends::{accept, wait_for_fin, BUFFER_BYTES};
use super::job::NEVER_NS;
use super::sockets::{failed, set_send_buffer, OpenSockets};
use super::state::FlowState;
use crate::error::Error;
use nix::sys::socket::{connect, SockaddrStorage};
use onramp_scenario::REQUEST_BYTES;
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsRawFd;

/// The sockets of a relay and what they do.
pub struct Relay<'a> {
    /// The hop that begins here: 1 for the first relay.
    pub hop: usize,
    /// Accepts the connection of the next relay, or of the receiver.
    pub listener: &'a TcpListener,
    /// Connects to the relay before this one, or to the sender.
    pub client: &'a TcpStream,
    /// Their address.
    pub from: SocketAddr,
    /// The congestion control of the hop that begins here.
    pub control: &'a str,
    /// The size of the send buffer.
    pub buffer_bytes: u64,
}

impl Relay<'_> {
    /// Passes the request on, then the data, and at last the receiver's FIN.
    ///
    /// # Errors
    /// A socket call failed, or the socket has another congestion control.
    pub fn run(&self, open: &OpenSockets, state: &FlowState) -> Result<(), Error> {
        let next = accept(self.listener, self.control, open)?;
        set_send_buffer(&*next, self.buffer_bytes)?;
        state.set_hop(self.hop, next.clone());
        connect(self.client.as_raw_fd(), &SockaddrStorage::from(self.from))
            .map_err(failed("connecting a relay"))?;
        let mut request = [0; REQUEST_BYTES as usize];
        (&*next)
            .read_exact(&mut request)
            .map_err(failed("reading the request in a relay"))?;
        (&*self.client)
            .write_all(&request)
            .map_err(failed("passing the request on"))?;
        forward(self.client, &next)?;
        wait_for_fin(&next, NEVER_NS).map_err(failed("waiting for the receiver's FIN"))?;
        self.client
            .shutdown(Shutdown::Write)
            .map_err(failed("closing the connection"))
    }
}

/// Forwards the data as they come, and their end.
fn forward(mut from: &TcpStream, mut to: &TcpStream) -> Result<(), Error> {
    let mut buffer = vec![0; BUFFER_BYTES];
    loop {
        let bytes = match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(failed("receiving the data in a relay")(error)),
        };
        to.write_all(&buffer[..bytes])
            .map_err(failed("forwarding the data"))?;
    }
    to.shutdown(Shutdown::Write)
        .map_err(failed("closing after the data"))
}
