//! Conversion between TCP's 32-bit sequence numbers and 64-bit stream offsets.
//!
//! Offset 0 is the first byte of data. The SYN has the sequence number before it, and the FIN has
//! the offset after the last byte.

/// The sequence numbers of one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Numbering {
    /// Sequence number of offset 0: the initial sequence number plus one.
    origin: u32,
}

impl Numbering {
    /// The numbering that starts with this initial sequence number.
    pub fn from_isn(isn: u32) -> Numbering {
        Numbering {
            origin: isn.wrapping_add(1),
        }
    }

    /// The sequence number of a stream offset.
    pub fn number(self, offset: u64) -> u32 {
        self.origin.wrapping_add(offset as u32)
    }

    /// The offset nearest to `near` that has this sequence number. It is negative before the
    /// stream: -1 is the SYN.
    pub fn offset(self, number: u32, near: u64) -> i64 {
        near as i64 + i64::from(number.wrapping_sub(self.number(near)) as i32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_wrap_and_offsets_do_not() {
        // RFC 9293, section 3.4: arithmetic modulo 2^32.
        let numbering = Numbering::from_isn(u32::MAX - 10);
        assert_eq!(numbering.number(0), u32::MAX - 9);
        assert_eq!(numbering.number(10), 0);
        for offset in [
            0,
            9,
            10,
            11,
            1 << 31,
            (1 << 32) - 1,
            1 << 32,
            (5 << 32) + 77,
        ] {
            let number = numbering.number(offset);
            for near in [
                offset,
                offset + 1000,
                offset.saturating_sub(1000),
                offset + (1 << 30),
            ] {
                assert_eq!(numbering.offset(number, near), offset as i64);
            }
        }
        assert_eq!(numbering.offset(u32::MAX - 10, 0), -1, "the SYN");
    }
}
