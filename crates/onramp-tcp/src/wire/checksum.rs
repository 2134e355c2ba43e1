//! The internet checksum (RFC 1071).

use super::PROTOCOL_TCP;
use std::net::IpAddr;

/// The sum of the 16-bit words, not folded. Sums of pieces may be added if all pieces but the last
/// have even length. Exact for less than 2^32 bytes.
pub(super) fn sum(bytes: &[u8]) -> u64 {
    let words = bytes.chunks_exact(4);
    // An odd byte at the end is padded with a zero (RFC 1071, section 1).
    let mut rest = [0; 4];
    rest[..words.remainder().len()].copy_from_slice(words.remainder());
    // Words of 32 bits fold to the same 16 bits as their halves do (RFC 1071, section 2).
    words
        .map(|word| u64::from(u32::from_be_bytes([word[0], word[1], word[2], word[3]])))
        .sum::<u64>()
        + u64::from(u32::from_be_bytes(rest))
}

/// The sum of TCP's pseudo-header, for a segment of less than 2^16 bytes. The pseudo-headers of
/// IPv4 (RFC 9293, section 3.1) and IPv6 (RFC 8200, section 8.1) differ in layout only.
pub(super) fn pseudo_header(source: &IpAddr, destination: &IpAddr, segment_bytes: usize) -> u64 {
    let sum_of = |address: &IpAddr| match address {
        IpAddr::V4(address) => sum(&address.octets()),
        IpAddr::V6(address) => sum(&address.octets()),
    };
    sum_of(source) + sum_of(destination) + u64::from(PROTOCOL_TCP) + segment_bytes as u64
}

/// The checksum for a sum; 0 if the sum includes a correct checksum.
pub(super) fn of(mut sum: u64) -> u16 {
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

/// The correct checksum, computed from a sum that includes the checksum `found`.
pub(super) fn instead(sum: u64, found: u16) -> u16 {
    // Adding its complement removes it from the sum (RFC 1071, section 2).
    of(sum + u64::from(!found))
}

/// The checksum after one 16-bit word of the summed bytes has changed (RFC 1624, section 3,
/// equation 3).
pub(super) fn after_change(checksum: u16, old: u16, new: u16) -> u16 {
    of(u64::from(!checksum) + u64::from(!old) + u64::from(new))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_numerical_example_of_rfc_1071_section_3() {
        let bytes = [0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7];
        assert_eq!(of(sum(&bytes)), !0xddf2);
    }

    #[test]
    fn an_odd_byte_is_followed_by_zero_as_in_rfc_1071_section_1() {
        assert_eq!(
            of(sum(&[0x12, 0x34, 0x56])),
            of(sum(&[0x12, 0x34, 0x56, 0x00]))
        );
        assert_eq!(of(sum(&[0xab])), !0xab00);
        assert_eq!(of(sum(&[])), 0xffff);
    }

    /// Word by word with an immediate carry, as in RFC 1071, section 4.1.
    fn plain(bytes: &[u8]) -> u16 {
        let mut sum = 0u16;
        for pair in bytes.chunks(2) {
            let word = u16::from_be_bytes([pair[0], pair.get(1).copied().unwrap_or(0)]);
            let (added, carry) = sum.overflowing_add(word);
            sum = added + u16::from(carry);
        }
        !sum
    }

    proptest! {
        #[test]
        fn the_sum_equals_that_of_the_plain_loop(
            bytes in prop::collection::vec(any::<u8>(), 0..300),
        ) {
            prop_assert_eq!(of(sum(&bytes)), plain(&bytes));
        }

        #[test]
        fn the_correct_checksum_follows_from_a_sum_with_a_wrong_one(
            mut bytes in prop::collection::vec(any::<u8>(), 4..60),
            found in any::<u16>(),
        ) {
            bytes[2..4].copy_from_slice(&found.to_be_bytes());
            let expected = instead(sum(&bytes), found);
            bytes[2..4].copy_from_slice(&expected.to_be_bytes());
            prop_assert_eq!(of(sum(&bytes)), 0);
        }
    }
}
