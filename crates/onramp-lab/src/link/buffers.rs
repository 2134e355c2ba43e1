//! Packet buffers that are used again, so that the link thread does not allocate while packets are under way.

use onramp_net::Packet;
use std::cell::RefCell;
use std::rc::Rc;

/// A stock of buffers of one size.
#[derive(Clone)]
pub struct Pool {
    free: Rc<RefCell<Vec<Box<[u8]>>>>,
    buffer_bytes: usize,
}

impl Pool {
    /// A stock of so many buffers, their memory touched; more are made as they are asked for.
    pub fn new(buffer_bytes: usize, buffers: usize) -> Pool {
        // Ones, not zeroes: zeroed memory is only promised, and given at the first write, when time matters.
        let free = (0..buffers).map(|_| vec![1; buffer_bytes].into_boxed_slice()).collect();
        Pool { free: Rc::new(RefCell::new(free)), buffer_bytes }
    }

    /// A buffer of full length with old bytes in it.
    pub fn take(&self) -> Buffer {
        let spare = self.free.borrow_mut().pop();
        let bytes = spare.unwrap_or_else(|| vec![1; self.buffer_bytes].into_boxed_slice());
        Buffer { length: bytes.len() as u32, bytes, pool: self.clone() }
    }
}

/// A packet's bytes; they return to the pool when it is dropped, wherever that happens.
pub struct Buffer {
    bytes: Box<[u8]>,
    length: u32,
    pool: Pool,
}

impl Buffer {
    /// Room for a packet.
    pub fn room(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// Sets the packet's length.
    pub fn truncate(&mut self, length: usize) {
        debug_assert!(length <= self.bytes.len());
        self.length = length as u32;
    }

    /// The packet.
    pub fn packet(&self) -> &[u8] {
        &self.bytes[..self.length as usize]
    }
}

impl Packet for Buffer {
    fn wire_bytes(&self) -> u32 {
        self.length
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        self.pool.free.borrow_mut().push(std::mem::take(&mut self.bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dropped_packet_returns_its_buffer() {
        let pool = Pool::new(1500, 1);
        let mut buffer = pool.take();
        buffer.truncate(40);
        assert_eq!((buffer.packet().len(), pool.free.borrow().len()), (40, 0));
        drop(buffer);
        assert_eq!(pool.free.borrow().len(), 1);
        assert_eq!(pool.take().packet().len(), 1500);
    }
}
