//! The records of `bpf/intf.h` as bytes in BPF maps.
//!
//! The types are generated (`onramp_bpf::bindings`).

use onramp_bpf::bindings::{
    Adopt, CgroupName, Config, Destination, DestinationAverage, Endpoint, Event, GroupCounts,
    Limit, Match, Move, Observation, Observed, Path, PathEntry, PolicyTotals, Prefix, QosConfig,
    Receiver, ReceiverCounts, Rule, Socket, Table, Totals, Usage, NAME_BYTES,
};
use onramp_core::governor::Average;
use onramp_core::FirstRound;
use std::ffi::c_char;
use std::mem::MaybeUninit;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// A name of a congestion control or a start-up, as the records hold it.
pub(crate) type Name = [c_char; NAME_BYTES as usize];

/// A record of integers.
///
/// # Safety
/// Only for `repr(C)` types that are made of integers and have no padding: any bytes are a value,
/// and all bytes of a value are initialised.
pub(crate) unsafe trait Plain: Copy {
    /// The record at the beginning of these bytes; `None` if there are too few.
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        if bytes.len() < size_of::<Self>() {
            return None;
        }
        let mut record = MaybeUninit::<Self>::uninit();
        // SAFETY: the source is long enough, and any bytes are a value of a plain type.
        unsafe {
            std::ptr::copy_nonoverlapping(
                bytes.as_ptr(),
                record.as_mut_ptr().cast(),
                size_of::<Self>(),
            );
            Some(record.assume_init())
        }
    }

    fn as_bytes(&self) -> &[u8] {
        // SAFETY: every byte of a plain type is initialised.
        unsafe { std::slice::from_raw_parts((self as *const Self).cast(), size_of::<Self>()) }
    }
}

macro_rules! plain {
    ($($record:ty),* $(,)?) => {
        // SAFETY: integers, or repr(C) with integers only, as are all members of the union of an
        // event, and no padding.
        $(unsafe impl Plain for $record {})*
    };
}

plain! {
    u32, u64, [u64; 2], Name, Adopt, Average, CgroupName, Config, Destination, DestinationAverage,
    Event, FirstRound, GroupCounts, Limit, Match, Move, Observation, Observed, Path, PathEntry,
    PolicyTotals, Prefix, QosConfig, Receiver, ReceiverCounts, Rule, Socket, Table, Totals, Usage,
}

/// A name as the records hold it: at most 15 bytes, then zeros.
pub(crate) fn name_chars(name: &str) -> Name {
    let mut chars = Name::default();
    let last = chars.len() - 1;
    for (to, from) in chars[..last].iter_mut().zip(name.bytes()) {
        *to = from as c_char;
    }
    chars
}

/// The bytes of a name, for a map's value.
pub(crate) fn name_bytes(name: &str) -> [u8; NAME_BYTES as usize] {
    name_chars(name).map(|char| char as u8)
}

/// The name up to its first zero.
pub(crate) fn name_text(chars: &Name) -> String {
    let bytes: Vec<u8> = chars
        .iter()
        .map(|&char| char as u8)
        .take_while(|&byte| byte != 0)
        .collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The address and port of an endpoint. An IPv4 address mapped into IPv6 becomes an IPv4 address.
pub(crate) fn socket_address(endpoint: &Endpoint) -> SocketAddr {
    let [a, b, c, d, ..] = endpoint.address;
    let ip = match i32::from(endpoint.family) {
        nix::libc::AF_INET => IpAddr::from(Ipv4Addr::new(a, b, c, d)),
        _ => IpAddr::from(Ipv6Addr::from(endpoint.address)).to_canonical(),
    };
    SocketAddr::new(ip, endpoint.port)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_to_what_the_kernel_keeps() {
        assert_eq!(name_text(&name_chars("onramp_paced")), "onramp_paced");
        assert_eq!(
            name_text(&name_chars("onramp_standard.1")),
            "onramp_standard"
        );
        assert_eq!(name_bytes("hoe")[..4], *b"hoe\0");
    }
}
