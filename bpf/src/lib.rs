//! The BPF programs that run Onramp's start-up algorithms in the Linux kernel, compiled, and the
//! records that they share with user space.
//!
//! The sources are beside this crate's manifest; `build.rs` compiles them with clang. The crate
//! `onramp-kernel` loads them. The objects are statics: a constant's value would be part of the
//! crates that use it, and these would be compiled again for each change of the C.
//!
//! ```
//! let paced = onramp_bpf::STARTUPS.iter().find(|startup| startup.name == "paced").unwrap();
//! assert!(paced.object.starts_with(b"\x7fELF"));
//! ```

#[allow(missing_docs, clippy::undocumented_unsafe_blocks)] // C's comments; bindgen's code
#[rustfmt::skip]
pub mod bindings;
pub mod compile;

/// A compiled start-up program.
#[derive(Clone, Copy, Debug)]
pub struct StartupObject {
    /// The algorithm's name in `core/registry.h`.
    pub name: &'static str,
    /// Whether the program sends packet pairs.
    pub with_pairs: bool,
    /// The ELF object.
    pub object: &'static [u8],
}

/// The start-up programs of all algorithms in `core/registry.h`. An algorithm for which packet
/// pairs are an option has two: one without them and one with them.
pub static STARTUPS: &[StartupObject] = include!(concat!(env!("OUT_DIR"), "/startups.rs"));

/// The sources of the start-up program, by their places in this crate, with their texts.
pub static SOURCES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/sources.rs"));

/// A BPF iterator that lists the connections of one congestion control.
pub static CONNECTIONS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/connections.o"));

/// Puts the connections of a cgroup on one congestion control.
pub static ADOPT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/adopt.o"));

/// Moves the sockets of a network namespace from one congestion control to another.
pub static MOVE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/move.o"));

/// Observes the connections of the host and changes nothing, for `onramp advise`.
pub static OBSERVE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/observe.o"));

/// Writes and reads the TCP option of packet pairs on the connections of a cgroup.
pub static PAIR: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/pair.o"));

/// Gives each new connection of the host the first policy that matches it, and measures it.
pub static POLICY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/policy.o"));

/// Implements the socket option TCP_QOS for the sockets of a cgroup.
pub static QOS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/qos.o"));

/// Lifts the receive buffers of the connections of a cgroup.
pub static RECEIVER: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/receiver.o"));
