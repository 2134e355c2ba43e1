//! Errors of reading a packet and of writing a segment.

use std::fmt;
use std::net::SocketAddr;

/// One of a packet's headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Header {
    /// IPv4.
    Ipv4,
    /// IPv6.
    Ipv6,
    /// TCP.
    Tcp,
}

impl fmt::Display for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Header::Ipv4 => "IPv4",
            Header::Ipv6 => "IPv6",
            Header::Tcp => "TCP",
        })
    }
}

/// The packet is not a complete and valid TCP segment in IPv4 or IPv6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The packet has fewer bytes than the header needs.
    #[error(
        "the {header} header is truncated: expected at least {expected_bytes} bytes, found \
     {found_bytes}"
    )]
    Truncated {
        /// Which header.
        header: Header,
        /// Length of the header, or its minimum.
        expected_bytes: usize,
        /// Bytes from the start of the header on.
        found_bytes: usize,
    },
    /// The version is neither 4 nor 6.
    #[error("the IP version is {found}, expected 4 or 6")]
    Version {
        /// The version.
        found: u8,
    },
    /// The length field of a header is less than its fixed part.
    #[error("the {header} header length is {found_bytes} bytes, expected at least 20")]
    HeaderLength {
        /// Which header.
        header: Header,
        /// Length by the header's own field.
        found_bytes: usize,
    },
    /// The total length is less than that of the IPv4 header.
    #[error(
        "the IPv4 total length is {found_bytes} bytes, expected at least the {expected_bytes} of \
     its header"
    )]
    TotalLength {
        /// Length of the header.
        expected_bytes: usize,
        /// Value of the field.
        found_bytes: usize,
    },
    /// The length of the packet exceeds the bytes that are there.
    #[error(
        "the packet is truncated: by its {header} header it has {expected_bytes} bytes, found \
     {found_bytes}"
    )]
    BeyondBuffer {
        /// The header with the length.
        header: Header,
        /// Length of the packet with this header.
        expected_bytes: usize,
        /// Bytes that are there.
        found_bytes: usize,
    },
    /// A checksum is wrong.
    #[error("the {header} checksum is {found:#06x}, expected {expected:#06x}")]
    Checksum {
        /// Whose checksum.
        header: Header,
        /// The correct value.
        expected: u16,
        /// The value in the packet.
        found: u16,
    },
    /// The packet is a fragment.
    #[error(
        "the packet is a fragment (offset {offset_bytes} bytes{}), expected a whole one",
        if *.more { ", more follow" } else { "" }
    )]
    Fragment {
        /// Offset of the fragment in the payload of the packet.
        offset_bytes: u32,
        /// More fragments follow.
        more: bool,
    },
    /// The packet does not contain TCP, or an IPv6 extension header is before it.
    #[error("the IP protocol is {found}, expected 6 (TCP)")]
    Protocol {
        /// The protocol number.
        found: u8,
    },
    /// An option of the TCP header is malformed.
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

/// A TCP option that is malformed or truncated. `at` counts bytes from the start of the options,
/// which is 20 bytes into the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// The options end after the kind.
    #[error("TCP option {kind} at byte {at} has no length: the options end there")]
    NoLength {
        /// Which option.
        kind: OptionKind,
        /// Where it starts, in bytes.
        at: usize,
    },
    /// The length is not one that this option can have.
    #[error(
        "TCP option {kind} at byte {at} has a length of {found_bytes} bytes, expected {expected}"
    )]
    Length {
        /// Which option.
        kind: OptionKind,
        /// Where it starts, in bytes.
        at: usize,
        /// The lengths that this option can have, in words.
        expected: &'static str,
        /// Length by the option's own field.
        found_bytes: u8,
    },
    /// The length exceeds the end of the options.
    #[error(
        "TCP option {kind} at byte {at} is truncated: expected {expected_bytes} bytes, found \
     {found_bytes}"
    )]
    Truncated {
        /// Which option.
        kind: OptionKind,
        /// Where it starts, in bytes.
        at: usize,
        /// Length by the option's own field.
        expected_bytes: u8,
        /// Bytes from its start to the end of the options.
        found_bytes: usize,
    },
}

/// The segment does not fit into any packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// The options do not fit into a TCP header.
    #[error("the TCP options take {found_bytes} bytes, expected at most 40")]
    OptionsTooLong {
        /// Length of the options, with padding.
        found_bytes: u32,
    },
    /// The packet's length does not fit into its field.
    #[error("the packet would have {found_bytes} bytes, expected at most 65535")]
    PacketTooLong {
        /// Length of the packet.
        found_bytes: u64,
    },
    /// Source and destination are of different IP versions.
    #[error("the packet would go from {from} to {to}, which is another IP version")]
    MixedVersions {
        /// Address and port of the sender.
        from: SocketAddr,
        /// Address and port of the receiver.
        to: SocketAddr,
    },
}
