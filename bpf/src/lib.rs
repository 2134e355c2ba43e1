//! The BPF programs that run Onramp's start-up algorithms in the Linux kernel, compiled.
//!
//! The sources are beside this crate's manifest; `build.rs` compiles them with clang. The crate
//! `onramp-kernel` loads them.

/// One compiled start-up.
#[derive(Clone, Copy, Debug)]
pub struct StartupObject {
    /// The algorithm's name in `core/registry.h`.
    pub name: &'static str,
    /// Whether it sends packet pairs.
    pub with_pairs: bool,
    /// The ELF object.
    pub object: &'static [u8],
}

/// Every start-up of `core/registry.h`. An algorithm that may send packet pairs is there twice.
pub const STARTUPS: &[StartupObject] = include!(concat!(env!("OUT_DIR"), "/startups.rs"));

/// Lists the connections of one congestion control: a BPF iterator.
pub const CONNECTIONS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/connections.o"));

/// Puts the connections of a cgroup on one congestion control.
pub const ADOPT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/adopt.o"));

/// Writes and reads the packet-pair option on the connections of a cgroup.
pub const PAIR: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/pair.o"));

/// The socket option TCP_QOS.
pub const QOS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/qos.o"));
