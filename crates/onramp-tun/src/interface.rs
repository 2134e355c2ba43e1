//! Creating and opening TUN devices, and asking the host about devices and addresses.

use crate::error::Error;
use nix::ifaddrs::getifaddrs;
use nix::libc;
use nix::net::if_::{if_nametoindex, InterfaceFlags};
use onramp_host::{ip, Tun};
use std::io;
use std::net::{IpAddr, Ipv4Addr, UdpSocket};
use std::os::fd::AsRawFd;

/// Transmit queue of the device in packets. A fast sender sends more than the default of 500 at
/// once.
const QUEUE_PACKETS: u32 = 10_000;

/// Creates a TUN device. The host gets the address `host` on it and reaches the endpoint at `ours`.
/// The device is removed when the [`Tun`] is dropped.
///
/// # Errors
/// It is not permitted, or the name or an address is in use.
pub fn create(name: &str, host: IpAddr, ours: IpAddr, mtu_bytes: u32) -> Result<Tun, Error> {
    for address in [host, ours] {
        if let Some(device) = holder_of(address) {
            return Err(Error::OwnAddress { address, device });
        }
    }
    let tun = Tun::create(name)?;
    // Nobody else on the device can have an IPv6 address: there is no duplicate to detect. The
    // kernel adds no route to the peer of an IPv6 address that it gets while the device is down.
    let addresses = match host {
        IpAddr::V4(_) => format!("address add {host} peer {ours} dev {name}\n"),
        IpAddr::V6(_) => format!("address add {host}/128 dev {name} nodad\n"),
    };
    let route = match host {
        IpAddr::V4(_) => String::new(),
        IpAddr::V6(_) => format!("route add {ours}/128 dev {name} src {host}\n"),
    };
    ip(&format!(
        "link set dev {name} mtu {mtu_bytes} txqueuelen {QUEUE_PACKETS}\n{addresses}\
         link set dev {name} up\n{route}"
    ))?;
    Ok(tun)
}

/// Opens a device that exists and is up, and returns it with its MTU in bytes. The device stays
/// when the [`Tun`] is dropped.
///
/// # Errors
/// It is not permitted, or there is no such device, or it is in use or down, or `ours` is an
/// address of the host.
pub fn open(name: &str, ours: IpAddr) -> Result<(Tun, u32), Error> {
    if let Some(device) = holder_of(ours) {
        return Err(Error::OwnAddress {
            address: ours,
            device,
        });
    }
    if if_nametoindex(name).is_err() {
        return Err(Error::Missing {
            device: name.to_owned(),
        });
    }
    let tun = Tun::attach(name)?;
    let failed = |what| {
        move |source| Error::Device {
            what,
            device: name.to_owned(),
            source,
        }
    };
    if !is_up(name).map_err(failed("asking for the state of"))? {
        return Err(Error::Down {
            device: name.to_owned(),
        });
    }
    let mtu_bytes = mtu_bytes(name).map_err(failed("asking for the MTU of"))?;
    Ok((tun, mtu_bytes))
}

/// The name of the device that has an address; `None` if it is no address of the host.
pub fn holder_of(address: IpAddr) -> Option<String> {
    let has_it = |found: &nix::ifaddrs::InterfaceAddress| {
        found.address.as_ref().is_some_and(|found| match address {
            IpAddr::V4(address) => found
                .as_sockaddr_in()
                .is_some_and(|found| found.ip() == address),
            IpAddr::V6(address) => found
                .as_sockaddr_in6()
                .is_some_and(|found| found.ip() == address),
        })
    };
    Some(getifaddrs().ok()?.find(has_it)?.interface_name)
}

fn is_up(name: &str) -> io::Result<bool> {
    let is_it = |found: &nix::ifaddrs::InterfaceAddress| found.interface_name == name;
    Ok(getifaddrs()?
        .find(is_it)
        .is_some_and(|found| found.flags.contains(InterfaceFlags::IFF_UP)))
}

// SIOCGIFMTU takes a pointer to an ifreq.
nix::ioctl_read_bad!(get_mtu, libc::SIOCGIFMTU, libc::ifreq);

fn mtu_bytes(name: &str) -> io::Result<u32> {
    let any_socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
    // SAFETY: ifreq is plain data for which zeroes are valid.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request
        .ifr_name
        .iter_mut()
        .zip(name.bytes().take(libc::IFNAMSIZ - 1))
    {
        *to = from as libc::c_char;
    }
    // SAFETY: the descriptor is a socket and the request a complete ifreq that outlives the call.
    unsafe { get_mtu(any_socket.as_raw_fd(), &mut request) }?;
    // SAFETY: this request fills in this member.
    Ok(unsafe { request.ifr_ifru.ifru_mtu } as u32)
}
