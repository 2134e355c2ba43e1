//! The TCP option of packet pairs on the connections of a cgroup. A start-up that sends pairs needs
//! it at both ends.

use crate::cgroup::{link, load};
use crate::{Error, Result};
use libbpf_rs::{Link, MapHandle, Object};
use nix::sys::socket::sockopt::ReceiveTimestampns;
use nix::sys::socket::{setsockopt, socket, AddressFamily, SockFlag, SockType};
use onramp_bpf::bindings::{maps, PAIR_NAMESPACES};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

/// The map with the packet pairs of a start-up's connections. The program of the option shares it.
pub struct PairsMap(pub(crate) MapHandle);

/// While it lives, the TCP connections that a cgroup's processes open or accept offer their peers
/// the option. Connections whose peers know it exchange pairs when their start-up requests them.
///
/// Attach it before an [`crate::Adoption`] of the same cgroup: a start-up looks for the option when
/// it starts.
pub struct PairOption {
    _links: Vec<Link>,
    _object: Object,
    _timestamps: OwnedFd,
}

/// A socket that asks for receive time stamps. While one is open, the kernel takes the time of
/// every packet when it comes from the device.
fn timestamping_socket() -> nix::Result<OwnedFd> {
    let socket = socket(
        AddressFamily::Inet,
        SockType::Datagram,
        SockFlag::SOCK_CLOEXEC,
        None,
    )?;
    setsockopt(&socket, ReceiveTimestampns, &true)?;
    Ok(socket)
}

impl PairOption {
    /// Attaches to a cgroup's directory. `namespaces` restricts it to two network namespaces
    /// (cookies, as SO_NETNS_COOKIE returns them); `None`: all of them.
    ///
    /// # Errors
    /// The directory cannot be opened, or the kernel's refusal.
    pub fn new(
        cgroup: &Path,
        pairs: &PairsMap,
        namespaces: Option<[u64; PAIR_NAMESPACES as usize]>,
    ) -> Result<PairOption> {
        let timestamps = timestamping_socket()
            .map_err(|errno| Error::io("ask the kernel for receive time stamps", errno.into()))?;
        let config: Vec<u8> = namespaces
            .unwrap_or_default()
            .iter()
            .flat_map(|cookie| cookie.to_ne_bytes())
            .collect();
        let (object, links) = load(
            onramp_bpf::PAIR,
            cgroup,
            "putting packet pairs on the connections of",
            |_| true,
            |map| {
                if map.name() == maps::RODATA_PAIR {
                    map.set_initial_value(&config)?;
                } else if map.name() == maps::PAIRS {
                    map.reuse_fd(pairs.0.as_fd())?;
                }
                Ok(())
            },
            link,
        )?;
        Ok(PairOption {
            _links: links,
            _object: object,
            _timestamps: timestamps,
        })
    }
}
