//! The loop that moves packets between an endpoint and its device.

use crate::application::Application;
use crate::device::Device;
use crate::endpoint::Endpoint;
use crate::error::Error;
use onramp_host::now_ns;

/// Maximum number of packets in each direction in a turn.
const BURST: usize = 64;
/// Maximum sleep in a turn. The caller checks its own conditions between turns.
const MAX_SLEEP_NS: u64 = 50_000_000;
/// How long [`Driver::close`] waits for packets in flight, and for peers that ask for our last ACK
/// again.
const LINGER_NS: u64 = 1_000_000_000;

/// An endpoint on its device.
pub struct Driver<A: Application> {
    /// The connections.
    pub endpoint: Endpoint<A>,
    device: Device,
    packet: Vec<u8>,
}

impl<A: Application> Driver<A> {
    /// Puts an endpoint on a device.
    pub fn new(endpoint: Endpoint<A>, device: Device) -> Driver<A> {
        Driver {
            endpoint,
            device,
            packet: Vec::new(),
        }
    }

    /// One turn: takes in the packets that have arrived, runs the timers that are due, and sends.
    /// It sleeps if there was nothing to send, until a packet arrives or a timer is due, but for at
    /// most 50 ms.
    ///
    /// # Errors
    /// The device failed.
    pub fn turn(&mut self) -> Result<(), Error> {
        self.device.carry(now_ns())?;
        for _ in 0..BURST {
            let now = now_ns();
            if !self.device.receive(now, &mut self.packet)? {
                break;
            }
            self.endpoint.on_packet(now, &self.packet);
        }
        self.endpoint.on_timers(now_ns());
        let mut sent = 0;
        while sent < BURST {
            let now = now_ns();
            if !self.endpoint.poll_packet(now, &mut self.packet) {
                break;
            }
            self.device.send(now, &self.packet)?;
            sent += 1;
        }
        if sent == BURST {
            return Ok(());
        }
        let sleep_until_ns = now_ns() + MAX_SLEEP_NS;
        self.device.wait(
            self.endpoint
                .next_timer_ns()
                .map_or(sleep_until_ns, |timer_ns| timer_ns.min(sleep_until_ns)),
        )
    }

    /// Takes turns until every connection has ended and every packet has arrived, but for at most
    /// `max_ns`. A peer that has not received our last ACK retransmits in this time.
    ///
    /// # Errors
    /// The device failed.
    pub fn linger(&mut self, max_ns: u64) -> Result<(), Error> {
        let until_ns = now_ns() + max_ns;
        while now_ns() < until_ns && (self.endpoint.is_busy() || self.device.is_busy()) {
            self.turn()?;
        }
        Ok(())
    }

    /// Lets packets in flight arrive for up to a second, and completes the capture file.
    ///
    /// # Errors
    /// The capture file cannot be written.
    pub fn close(mut self) -> Result<(), Error> {
        // The results of the transfers are known already. An error of the device changes nothing.
        let _ = self.linger(LINGER_NS);
        self.device.finish()
    }
}
