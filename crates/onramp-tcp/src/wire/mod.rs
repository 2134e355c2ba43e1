//! Segments as IPv4 or IPv6 packets: [`parse`] reads one, [`write()`] makes one.
//!
//! Options are written in Linux's layout, so a packet of the kernel that is read and written again
//! has the same bytes. The crate `etherparse` could read and write the two fixed headers. But
//! converting its headers, flags and errors into [`Segment`](crate::Segment) and [`Error`] takes
//! more lines than the headers take here. IPv6 extension headers are not read. The fuzz targets in
//! `fuzz/` compare the two parsers.
//!
//! ```
//! use onramp_tcp::{wire, Flags, Segment};
//!
//! let endpoints = wire::Endpoints {
//!     source: "10.0.0.1:40000".parse().unwrap(),
//!     destination: "10.0.0.2:80".parse().unwrap(),
//! };
//! let segment =
//!     Segment { seq: 7, ack: 9, payload_bytes: 2, flags: Flags::ACK, ..Segment::default() };
//! let mut packet = Vec::new();
//! let fill = |payload: &mut [u8]| payload.copy_from_slice(b"hi");
//! wire::write(&segment, &endpoints, 1, fill, &mut packet).unwrap();
//!
//! let parsed = wire::parse(&packet).unwrap();
//! assert_eq!((parsed.segment, parsed.endpoints), (segment, endpoints));
//! assert_eq!(parsed.payload, b"hi");
//! ```

mod checksum;
mod ecn;
mod error;
pub mod options;
mod read;
mod write;

#[cfg(test)]
mod captured;
#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
pub mod properties;
#[cfg(test)]
mod tests;

pub use ecn::{ecn_of, mark_ce};
pub use error::{Error, Header, OptionError, OptionKind, WriteError};
pub use options::MAX_BYTES as MAX_OPTION_BYTES;
pub use read::{parse, parse_unverified, Parsed};
pub use write::{write, TIME_TO_LIVE};

use crate::IpVersion;
use std::net::SocketAddr;

/// Source and destination of a packet. Both are of the same IP version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Endpoints {
    /// Address and port of the sender.
    pub source: SocketAddr,
    /// Address and port of the receiver.
    pub destination: SocketAddr,
}

impl Endpoints {
    /// The IP version of the packet, which is that of its source.
    pub fn ip(&self) -> IpVersion {
        IpVersion::of(&self.source.ip())
    }

    /// The endpoints of packets in the other direction.
    pub fn reversed(&self) -> Endpoints {
        Endpoints {
            source: self.destination,
            destination: self.source,
        }
    }
}

/// The protocol number of TCP: of IPv4's protocol field, and of IPv6's next header.
const PROTOCOL_TCP: u8 = 6;
/// IPv4's "don't fragment" bit, in the field of the fragment offset.
const DONT_FRAGMENT: u16 = 0x4000;
