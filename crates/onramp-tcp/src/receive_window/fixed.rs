//! A buffer of one size from the start, as after `SO_RCVBUF`: what is free in it is offered.
//!
//! The SYN's window field is not scaled (RFC 7323, section 2.2), so the first offer is 65535 bytes at most; the first
//! ACK after it offers all of the buffer. Bytes beyond a gap take no room away: they lie within what was offered.

use super::ReceiveWindow;

/// A buffer of one size.
#[derive(Clone, Copy, Debug)]
pub struct Fixed {
    buffer_bytes: u64,
}

impl Fixed {
    /// With so much room for payload.
    pub fn new(buffer_bytes: u64) -> Fixed {
        Fixed { buffer_bytes }
    }
}

impl ReceiveWindow for Fixed {
    fn window_bytes(&self, waiting_bytes: u64) -> u64 {
        self.buffer_bytes.saturating_sub(waiting_bytes)
    }

    fn most_bytes(&self) -> u64 {
        self.buffer_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_free_is_offered() {
        let window = Fixed::new(524_288);
        assert_eq!((window.window_bytes(0), window.most_bytes()), (524_288, 524_288));
        assert_eq!(window.window_bytes(24_288), 500_000);
        assert_eq!(window.window_bytes(600_000), 0);
    }
}
