//! A buffer of fixed size, as after `SO_RCVBUF`. It advertises its free space.
//!
//! The window field of the SYN is not scaled (RFC 7323, section 2.2), so the first window is at
//! most 65535 bytes. The first ACK after the SYN advertises the whole buffer. Bytes above a gap do
//! not reduce the window, because they lie inside it.
//!
//! Linux reserves twice the requested bytes. It first assumes that half of this memory holds
//! payload. When it has seen full segments, which waste less memory, it assumes 160/256. The window
//! then grows by two segments for each segment that arrives, up to 1.25 times the requested size
//! (on Linux 6.18, 64 KiB gave 80,480 bytes in flight, 256 KiB gave 326,880).

use super::ReceiveWindow;

/// Payload's share of the memory that segments take, in 256ths: at first.
const FIRST_SHARE_256: u64 = 128;
/// The same share for full segments of 1448 bytes.
const FULL_SHARE_256: u64 = 160;

/// A buffer of fixed size.
#[derive(Clone, Copy, Debug)]
pub struct Fixed {
    window_bytes: u64,
    max_bytes: u64,
    is_exact: bool,
}

impl Fixed {
    /// A buffer with constant room for payload.
    pub fn new(buffer_bytes: u64) -> Fixed {
        Fixed {
            window_bytes: buffer_bytes,
            max_bytes: buffer_bytes,
            is_exact: false,
        }
    }

    /// A constant buffer that never advertises more than its free space, even by rounding.
    pub fn exactly(buffer_bytes: u64) -> Fixed {
        Fixed {
            is_exact: true,
            ..Fixed::new(buffer_bytes)
        }
    }

    /// A buffer of this requested size that grows as in Linux.
    pub fn linux(buffer_bytes: u64) -> Fixed {
        let max_bytes =
            u128::from(buffer_bytes) * u128::from(FULL_SHARE_256) / u128::from(FIRST_SHARE_256);
        Fixed {
            window_bytes: buffer_bytes,
            max_bytes: u64::try_from(max_bytes).unwrap_or(u64::MAX),
            is_exact: false,
        }
    }
}

impl ReceiveWindow for Fixed {
    fn arrived(
        &mut self,
        _now_ns: u64,
        payload_bytes: u32,
        mss_bytes: u32,
        in_order: bool,
    ) -> bool {
        let growth_bytes = (2 * u64::from(mss_bytes)).min(self.max_bytes - self.window_bytes);
        if !in_order || payload_bytes < mss_bytes || growth_bytes == 0 {
            return false;
        }
        self.window_bytes += growth_bytes;
        true
    }

    fn window_bytes(&self, unread_bytes: u64) -> u64 {
        self.window_bytes.saturating_sub(unread_bytes)
    }

    fn is_exact(&self) -> bool {
        self.is_exact
    }

    fn max_bytes(&self) -> u64 {
        self.max_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_space_is_advertised() {
        let window = Fixed::new(524_288);
        assert_eq!(
            (window.window_bytes(0), window.max_bytes()),
            (524_288, 524_288)
        );
        assert_eq!(window.window_bytes(24_288), 500_000);
        assert_eq!(window.window_bytes(600_000), 0);
    }

    #[test]
    fn linux_advertises_a_quarter_more_after_a_few_segments() {
        let mut window = Fixed::linux(65_536);
        assert_eq!(
            (window.window_bytes(0), window.max_bytes()),
            (65_536, 81_920)
        );
        assert!(!window.arrived(0, 1448, 1448, false) && !window.arrived(0, 100, 1448, true));
        let growing = (0..100)
            .take_while(|_| window.arrived(0, 1448, 1448, true))
            .count();
        assert_eq!((growing, window.window_bytes(0)), (6, 81_920));
    }
}
