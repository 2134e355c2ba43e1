//! The loop that carries packets between an endpoint and its device.

use crate::{now_ns, Application, Device, Endpoint, Error};

/// Packets that pass each way in a turn.
const BURST: usize = 64;
/// Longest sleep: how long the caller may wait for its turn.
const NAP_NS: u64 = 50_000_000;

/// An endpoint on its device.
pub struct Driver<A: Application> {
    /// The connections.
    pub endpoint: Endpoint<A>,
    device: Device,
    packet: Vec<u8>,
}

impl<A: Application> Driver<A> {
    /// Puts them together.
    pub fn new(endpoint: Endpoint<A>, device: Device) -> Driver<A> {
        Driver {
            endpoint,
            device,
            packet: Vec::new(),
        }
    }

    /// Takes in what has come, does what is due, sends what there is to send, and, where there was
    /// nothing of all that, sleeps until there is; not for longer than 50 ms.
    ///
    /// # Errors
    /// The device fails.
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
        let nap_ends = now_ns() + NAP_NS;
        self.device.wait(
            self.endpoint
                .next_timer_ns()
                .map_or(nap_ends, |timer| timer.min(nap_ends)),
        )
    }

    /// Goes on until every connection is over and every packet has arrived, but not for longer than
    /// this: a peer that has not got our last acknowledgement asks again.
    ///
    /// # Errors
    /// The device fails.
    pub fn linger(&mut self, most_ns: u64) -> Result<(), Error> {
        let until = now_ns() + most_ns;
        while now_ns() < until && (self.endpoint.is_busy() || self.device.is_busy()) {
            self.turn()?;
        }
        Ok(())
    }

    /// Gives the device back.
    pub fn into_device(self) -> Device {
        self.device
    }
}
