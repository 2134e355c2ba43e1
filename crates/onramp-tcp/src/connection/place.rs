//! TCP's 32-bit sequence numbers and 64-bit places in a stream.
//!
//! Place 0 is the first byte of data; the SYN has the number before it, and a FIN the place behind
//! the last byte.

/// The numbering of one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Numbering {
    /// Sequence number of place 0: the initial sequence number and one.
    origin: u32,
}

impl Numbering {
    /// That of a SYN with this number.
    pub fn of_syn(isn: u32) -> Numbering {
        Numbering {
            origin: isn.wrapping_add(1),
        }
    }

    /// The sequence number of a place.
    pub fn number(self, place: u64) -> u32 {
        self.origin.wrapping_add(place as u32)
    }

    /// The place nearest to `near` with this number; negative before the stream, as the SYN's is.
    pub fn place(self, number: u32, near: u64) -> i64 {
        near as i64 + i64::from(number.wrapping_sub(self.number(near)) as i32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_wrap_and_places_do_not() {
        // RFC 9293, section 3.4: arithmetic modulo 2^32.
        let numbering = Numbering::of_syn(u32::MAX - 10);
        assert_eq!(numbering.number(0), u32::MAX - 9);
        assert_eq!(numbering.number(10), 0);
        for place in [
            0,
            9,
            10,
            11,
            1 << 31,
            (1 << 32) - 1,
            1 << 32,
            (5 << 32) + 77,
        ] {
            let number = numbering.number(place);
            for near in [
                place,
                place + 1000,
                place.saturating_sub(1000),
                place + (1 << 30),
            ] {
                assert_eq!(numbering.place(number, near), place as i64);
            }
        }
        assert_eq!(numbering.place(u32::MAX - 10, 0), -1, "the SYN");
    }
}
