//! Properties of the parser and the writer that hold for any bytes. The unit tests and the fuzz
//! targets in `fuzz/` check them.

use super::{options, parse, parse_unverified, write, Error, OptionError, Parsed, WriteError};

/// Checks the properties of any bytes as a packet.
///
/// # Panics A property does not hold.
pub fn packet(bytes: &[u8]) {
    let verified = parse(bytes);
    let unverified = parse_unverified(bytes);
    match verified {
        // With a wrong checksum, the rest may or may not be valid.
        Err(Error::Checksum { .. }) => {}
        _ => assert_eq!(verified, unverified),
    }
    if let Ok(parsed) = unverified {
        assert_eq!(parsed.payload.len(), parsed.segment.payload_bytes as usize);
        rewritten(&parsed);
    }
}

/// A parsed packet can be written, and is parsed again to the same value.
fn rewritten(parsed: &Parsed) {
    let mut packet = Vec::new();
    let wire_bytes = parsed.segment.wire_bytes(parsed.endpoints.ip());
    let fill = |payload: &mut [u8]| payload.copy_from_slice(parsed.payload);
    match write(
        &parsed.segment,
        &parsed.endpoints,
        parsed.identification,
        fill,
        &mut packet,
    ) {
        Ok(()) => {}
        // Another layout than Linux's can hold more options.
        Err(WriteError::OptionsTooLong { found_bytes }) => {
            assert_eq!(found_bytes, parsed.segment.options.wire_bytes());
            assert!(found_bytes > options::MAX_BYTES as u32);
            return;
        }
        Err(error @ WriteError::MixedVersions { .. }) => panic!("{error}"),
        Err(WriteError::PacketTooLong { found_bytes }) => {
            assert_eq!(found_bytes, u64::from(wire_bytes));
            assert!(found_bytes > 65_535);
            return;
        }
    }
    assert_eq!(packet.len(), wire_bytes as usize);
    let again = parse(&packet).expect("a written packet can be parsed");
    let mut segment = parsed.segment;
    segment.options.pairs = segment.options.pairs.readable();
    assert_eq!(
        again,
        Parsed {
            segment,
            time_to_live: super::TIME_TO_LIVE,
            unknown_options: 0,
            ..*parsed
        }
    );
    let some_bit = packet.iter().fold(0usize, |hash, byte| {
        hash.wrapping_mul(31).wrapping_add(usize::from(*byte))
    });
    flipped(packet, some_bit);
}

/// Checks that one flipped bit is detected (RFC 1071: any change of one word changes the sum).
///
/// # Panics The packet is still valid.
pub fn flipped(mut packet: Vec<u8>, bit: usize) {
    // The first byte determines which bytes the first checksum covers, so skip it. No checksum
    // covers the first eight bytes of an IPv6 header.
    let skipped_bits = if packet[0] >> 4 == 6 { 64 } else { 8 };
    let bit = skipped_bits + bit % (packet.len() * 8 - skipped_bits);
    packet[bit / 8] ^= 1 << (bit % 8);
    assert!(parse(&packet).is_err(), "bit {bit} of {packet:02x?}");
}

/// Checks the properties of any bytes as the options of a TCP header.
///
/// # Panics A property does not hold.
pub fn tcp_options(bytes: &[u8]) {
    match options::parse(bytes) {
        Ok((mut read, _)) => {
            let mut written = Vec::new();
            options::write(&read, &mut written);
            assert_eq!(written.len(), read.wire_bytes() as usize);
            assert_eq!(written.len() % 4, 0);
            read.pairs = read.pairs.readable();
            assert_eq!(options::parse(&written), Ok((read, 0)));
        }
        Err(error) => {
            let (kind, at) = match error {
                OptionError::NoLength { kind, at }
                | OptionError::Length { kind, at, .. }
                | OptionError::Truncated { kind, at, .. } => (kind, at),
            };
            assert_eq!(bytes[at], kind.0);
            assert!(!error.to_string().is_empty());
        }
    }
}
