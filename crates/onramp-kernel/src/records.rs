//! The records of `bpf/intf.h` as bytes in BPF maps.
//!
//! The types are generated (`onramp_bpf::bindings`).

use onramp_bpf::bindings::{
    Adopt, CgroupName, Config, Endpoint, Event, Limit, Match, Move, Observation, Observed, Path,
    PathEntry, Prefix, QosConfig, Rule, Socket, Table, Usage, NAME_BYTES,
};
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

// SAFETY: repr(C), integers only, no padding.
unsafe impl Plain for Config {}
// SAFETY: repr(C), integers only, no padding.
unsafe impl Plain for FirstRound {}
// SAFETY: repr(C), integers only, no padding.
unsafe impl Plain for QosConfig {}
// SAFETY: repr(C), integers only, no padding.
unsafe impl Plain for Limit {}
// SAFETY: repr(C), integers only, no padding.
unsafe impl Plain for Move {}
// SAFETY: repr(C), integers only, no padding.
unsafe impl Plain for Adopt {}
// SAFETY: an array of integers.
unsafe impl Plain for Name {}
// SAFETY: repr(C), integers only, no padding.
unsafe impl Plain for Usage {}
// SAFETY: repr(C), integers only, no padding.
unsafe impl Plain for CgroupName {}
// SAFETY: repr(C), integers only, no padding.
unsafe impl Plain for Match {}
// SAFETY: repr(C), integers only, no padding.
unsafe impl Plain for Prefix {}
// SAFETY: repr(C), integers only, no padding.
unsafe impl Plain for Rule {}
// SAFETY: repr(C), integers only, no padding.
unsafe impl Plain for Table {}
// SAFETY: repr(C), integers only, no padding.
unsafe impl Plain for Path {}
// SAFETY: repr(C), integers only, no padding.
unsafe impl Plain for PathEntry {}
// SAFETY: repr(C), integers only, no padding.
unsafe impl Plain for Observation {}
// SAFETY: repr(C), integers only, no padding.
unsafe impl Plain for Observed {}
// SAFETY: repr(C), integers only, no padding.
unsafe impl Plain for Socket {}
// SAFETY: repr(C), integers only, as are all members of its union. Events are only read.
unsafe impl Plain for Event {}
// SAFETY: an integer.
unsafe impl Plain for u32 {}
// SAFETY: an integer.
unsafe impl Plain for u64 {}

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
