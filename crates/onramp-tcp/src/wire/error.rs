//! Why a packet could not be read, or a segment not be written.

use std::fmt;

/// One of a packet's two headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Header {
    /// IPv4.
    Ipv4,
    /// TCP.
    Tcp,
}

impl fmt::Display for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Header::Ipv4 => "IPv4",
            Header::Tcp => "TCP",
        })
    }
}

/// A packet that is not a whole and sound TCP segment in IPv4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// There are fewer bytes than the header needs.
    #[error("the {header} header is cut off: expected at least {expected_bytes} bytes, found {found_bytes}")]
    Truncated {
        /// Which header.
        header: Header,
        /// Its length, or the least it can have.
        expected_bytes: usize,
        /// What there is from its start on.
        found_bytes: usize,
    },
    /// The version is not 4.
    #[error("the IP version is {found}, expected 4")]
    Version {
        /// The version; 6 is IPv6.
        found: u8,
    },
    /// A header says that it is shorter than its fixed part.
    #[error("the {header} header says that it has {found_bytes} bytes, expected at least 20")]
    HeaderLength {
        /// Which header.
        header: Header,
        /// Length by its own field.
        found_bytes: usize,
    },
    /// The total length is less than that of the IPv4 header.
    #[error("the IPv4 total length is {found_bytes} bytes, expected at least the {expected_bytes} of its header")]
    TotalLength {
        /// Length of the header.
        expected_bytes: usize,
        /// The field.
        found_bytes: usize,
    },
    /// The packet goes on beyond the bytes that there are.
    #[error("the packet is cut off: its IPv4 total length is {expected_bytes} bytes, found {found_bytes}")]
    BeyondBuffer {
        /// The field.
        expected_bytes: usize,
        /// What there is.
        found_bytes: usize,
    },
    /// A checksum is wrong.
    #[error("the {header} checksum is {found:#06x}, expected {expected:#06x}")]
    Checksum {
        /// Whose checksum.
        header: Header,
        /// What it should be.
        expected: u16,
        /// What it is.
        found: u16,
    },
    /// A part of a packet.
    #[error(
        "the packet is a fragment (offset {offset_bytes} bytes{}), expected a whole one",
        if *.more { ", more follow" } else { "" }
    )]
    Fragment {
        /// Its place in the packet's payload.
        offset_bytes: u32,
        /// It is not the last.
        more: bool,
    },
    /// Something else than TCP is in it.
    #[error("the IP protocol is {found}, expected 6, which is TCP")]
    Protocol {
        /// The number of the protocol.
        found: u8,
    },
    /// An option of the TCP header is wrong.
    #[error(transparent)]
    Option(#[from] OptionError),
}

/// The kind of a TCP option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionKind(pub u8);

impl fmt::Display for OptionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            OptionKind::MSS => f.write_str("maximum segment size"),
            OptionKind::WINDOW_SCALE => f.write_str("window scale"),
            OptionKind::SACK_PERMITTED => f.write_str("SACK permitted"),
            OptionKind::SACK => f.write_str("SACK"),
            OptionKind::TIMESTAMPS => f.write_str("timestamps"),
            OptionKind(kind) => write!(f, "kind {kind}"),
        }
    }
}

/// A TCP option that is malformed or cut off. Places count from the start of the options, 20 bytes
/// into the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// The options end after the kind.
    #[error("TCP option {kind} at byte {at} has no length: the options end there")]
    NoLength {
        /// Which option.
        kind: OptionKind,
        /// Where it starts.
        at: usize,
    },
    /// Its length is none that this option can have.
    #[error(
        "TCP option {kind} at byte {at} says that it has {found_bytes} bytes, expected {expected}"
    )]
    Length {
        /// Which option.
        kind: OptionKind,
        /// Where it starts.
        at: usize,
        /// The lengths that it can have, in words.
        expected: &'static str,
        /// Length by its own field.
        found_bytes: u8,
    },
    /// Its length goes beyond the end of the options.
    #[error("TCP option {kind} at byte {at} is cut off: expected {expected_bytes} bytes, found {found_bytes}")]
    Truncated {
        /// Which option.
        kind: OptionKind,
        /// Where it starts.
        at: usize,
        /// Length by its own field.
        expected_bytes: u8,
        /// Bytes from its start to the end of the options.
        found_bytes: usize,
    },
}

/// A segment that no packet can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// The options do not fit into a TCP header.
    #[error("the TCP options take {found_bytes} bytes, expected at most 40")]
    OptionsTooLong {
        /// Their length with padding.
        found_bytes: u32,
    },
    /// The packet's length does not fit into its field.
    #[error("the packet would have {found_bytes} bytes, expected at most 65535")]
    PacketTooLong {
        /// Its length.
        found_bytes: u64,
    },
}
