//! The TCP option of packet pairs, on the connections of a cgroup: what start-ups that send them
//! need at both ends.

use crate::cgroup_program;
use crate::shared::PAIRS_MAP;
use crate::{Error, Result};
use libbpf_rs::{Link, MapHandle, Object};
use nix::sys::socket::sockopt::ReceiveTimestampns;
use nix::sys::socket::{setsockopt, socket, AddressFamily, SockFlag, SockType};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

const PAIR_CONFIG_MAP: &str = ".rodata.pair";

/// Where a start-up that sends packet pairs keeps them: it is shared with the program of the
/// option.
pub struct PairsMap(pub(crate) MapHandle);

/// While it lives, the TCP connections that a cgroup's processes open or accept offer their peers
/// the option, and those whose peers know it exchange pairs where their start-up asks for them.
///
/// To be attached before an [`crate::Adoption`] of the same cgroup: the start-up looks for it when
/// it starts.
pub struct PairOption {
    _links: Vec<Link>,
    _object: Object,
    _clock: OwnedFd,
}

/// While such a socket is open, the kernel takes the time of every packet when it comes from its
/// device.
fn time_stamps() -> nix::Result<OwnedFd> {
    let clock = socket(
        AddressFamily::Inet,
        SockType::Datagram,
        SockFlag::SOCK_CLOEXEC,
        None,
    )?;
    setsockopt(&clock, ReceiveTimestampns, &true)?;
    Ok(clock)
}

impl PairOption {
    /// Attach to a cgroup's directory, in two network namespaces (cookies, as SO_NETNS_COOKIE says
    /// them) or in all.
    ///
    /// # Errors
    /// The kernel's refusal.
    pub fn new(
        cgroup: &Path,
        pairs: &PairsMap,
        namespaces: Option<[u64; 2]>,
    ) -> Result<PairOption> {
        let clock = time_stamps()
            .map_err(|errno| Error::io("ask for the times of packets", errno.into()))?;
        let config: Vec<u8> = namespaces
            .unwrap_or_default()
            .iter()
            .flat_map(|cookie| cookie.to_ne_bytes())
            .collect();
        let (object, links) = cgroup_program::load(
            onramp_bpf::PAIR,
            cgroup,
            "putting packet pairs on the connections of",
            |_| true,
            |map| {
                if map.name() == PAIR_CONFIG_MAP {
                    map.set_initial_value(&config)?;
                } else if map.name() == PAIRS_MAP {
                    map.reuse_fd(pairs.0.as_fd())?;
                }
                Ok(())
            },
            cgroup_program::link,
        )?;
        Ok(PairOption {
            _links: links,
            _object: object,
            _clock: clock,
        })
    }
}
