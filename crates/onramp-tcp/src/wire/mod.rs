//! Segments as IPv4 packets: [`parse`] reads one, [`write()`] makes one.
//!
//! Options are written as Linux lays them out, so that a packet of its kernel, read and written
//! again, has the same bytes. The crate `etherparse` could read and make the two fixed headers, but
//! turning its headers, flags and errors into [`Segment`](crate::Segment) and [`Error`] takes more
//! lines than they do here; `fuzz/` compares the two.
//!
//! ```
//! use onramp_tcp::{wire, Flags, Segment};
//!
//! let endpoints = wire::Endpoints {
//!     source: "10.0.0.1:40000".parse().unwrap(),
//!     destination: "10.0.0.2:80".parse().unwrap(),
//! };
//! let segment = Segment { seq: 7, ack: 9, payload_bytes: 2, flags: Flags::ACK, ..Segment::default() };
//! let mut packet = Vec::new();
//! wire::write(&segment, &endpoints, 1, |payload| payload.copy_from_slice(b"hi"), &mut packet).unwrap();
//!
//! let parsed = wire::parse(&packet).unwrap();
//! assert_eq!((parsed.segment, parsed.endpoints, parsed.payload), (segment, endpoints, &b"hi"[..]));
//! ```

mod checksum;
mod error;
pub mod options;
mod read;
mod write;

#[cfg(test)]
mod captured;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

pub use error::{Error, Header, OptionError, OptionKind, WriteError};
pub use options::MOST_BYTES as MOST_OPTION_BYTES;
pub use read::{parse, parse_unverified, Parsed};
pub use write::{write, TIME_TO_LIVE};

use std::net::SocketAddrV4;

/// Where a packet comes from and where it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Endpoints {
    /// Address and port of the sender.
    pub source: SocketAddrV4,
    /// Address and port of the receiver.
    pub destination: SocketAddrV4,
}

impl Endpoints {
    /// Those of the answer.
    pub fn reversed(&self) -> Endpoints {
        Endpoints {
            source: self.destination,
            destination: self.source,
        }
    }
}

/// The number of TCP among the protocols of IPv4.
const PROTOCOL_TCP: u8 = 6;
/// IPv4's "don't fragment", beside the offset of a fragment.
const DONT_FRAGMENT: u16 = 0x4000;
