//! Configuration of a host with iproute2 and /proc/sys, from a thread inside its namespace.

use crate::error::Error;
use onramp_host::{ip, sysctl, tc};
use std::fmt::{self, Write as _};
use std::net::IpAddr;

/// Name of the TUN device inside each namespace.
pub const DEVICE: &str = "onramp0";
/// Transmit queue of the device in packets. It is so long that only the emulated queue drops
/// packets, and the longest that recent kernels accept.
const DEVICE_QUEUE_PACKETS: u32 = 32_767;

/// Values of `net.ipv4.tcp_ecn`.
const ECN_REQUEST: &str = "1";
const ECN_ACCEPT: &str = "2";

/// Value of `addr_gen_mode` with which a device gets no link-local address.
const NO_LINK_LOCAL: &str = "1";

/// The configuration of a host.
#[derive(Clone, Debug)]
pub struct Settings {
    /// MTU of the device.
    pub mtu_bytes: u32,
    /// Addresses of the host. Without any of IPv6, IPv6 is off.
    pub addresses: Vec<IpAddr>,
    /// Addresses that it reaches, and the initial window towards each in segments (`None`: the
    /// kernel's).
    pub routes: Vec<(IpAddr, Option<u32>)>,
    /// All other destinations too are reached through the device.
    pub has_default_route: bool,
    /// The default congestion control; `None`: that of the machine.
    pub congestion_control: Option<&'static str>,
    /// Limit of receive-buffer auto-tuning, in bytes.
    pub rmem_max_bytes: u64,
    /// Limit of send-buffer auto-tuning, in bytes.
    pub wmem_max_bytes: u64,
    /// Whether its connections negotiate window scaling.
    pub window_scaling: bool,
    /// Whether its connections ask for ECN. They accept it if the peer asks, as by default.
    pub ecn: bool,
    /// Maximum number of segments in a GSO packet; `None`: the device's maximum.
    pub max_gso_segments: Option<u32>,
}

impl Settings {
    fn has_ipv6_addresses(&self) -> bool {
        self.addresses.iter().any(IpAddr::is_ipv6)
    }
}

/// Configures the namespace of the calling thread, and its device.
pub fn apply(settings: &Settings) -> Result<(), Error> {
    sysctl("net/ipv4/tcp_no_metrics_save", "1".into())?;
    if let Some(name) = settings.congestion_control {
        sysctl("net/ipv4/tcp_congestion_control", name.to_owned())?;
    }
    sysctl(
        "net/ipv4/tcp_rmem",
        format!("4096 131072 {}", settings.rmem_max_bytes),
    )?;
    sysctl(
        "net/ipv4/tcp_wmem",
        format!("4096 16384 {}", settings.wmem_max_bytes),
    )?;
    sysctl(
        "net/ipv4/tcp_window_scaling",
        u8::from(settings.window_scaling).to_string(),
    )?;
    let tcp_ecn = if settings.ecn {
        ECN_REQUEST
    } else {
        ECN_ACCEPT
    };
    sysctl("net/ipv4/tcp_ecn", tcp_ecn.to_owned())?;
    apply_ipv6(settings.has_ipv6_addresses())?;
    ip("link set dev lo up\n")?;
    apply_to_device(settings, DEVICE)
}

/// Configures a device of the namespace of the calling thread, its addresses and routes.
pub fn apply_to_device(settings: &Settings, device: &str) -> Result<(), Error> {
    if settings.has_ipv6_addresses() {
        // The device copied the defaults when it was made. It is as quiet as with IPv4: the kernel
        // asks for no routers, and the device has no address but those that it is given.
        for (name, value) in [
            ("disable_ipv6", "0"),
            ("accept_ra", "0"),
            ("router_solicitations", "0"),
            ("addr_gen_mode", NO_LINK_LOCAL),
        ] {
            sysctl(&format!("net/ipv6/conf/{device}/{name}"), value.to_owned())?;
        }
    }
    let mut batch = format!(
        "link set dev {device} mtu {} txqueuelen {DEVICE_QUEUE_PACKETS}\n",
        settings.mtu_bytes
    );
    if let Some(segments) = settings.max_gso_segments {
        let _ = writeln!(batch, "link set dev {device} gso_max_segs {segments}");
    }
    for address in &settings.addresses {
        let address = Prefix::of(*address);
        let _ = writeln!(
            batch,
            "address add {address} dev {device}{}",
            address.no_detection
        );
    }
    let _ = writeln!(batch, "link set dev {device} up");
    for (peer, initial_window) in &settings.routes {
        let own = settings
            .addresses
            .iter()
            .find(|own| own.is_ipv6() == peer.is_ipv6());
        let own = own.expect("both hosts have addresses of the same IP versions");
        let peer = Prefix::of(*peer);
        let _ = write!(batch, "route add {peer} dev {device} src {own}");
        let _ = match initial_window {
            Some(segments) => writeln!(batch, " initcwnd {segments}"),
            None => writeln!(batch),
        };
    }
    if settings.has_default_route {
        for own in &settings.addresses {
            let everything = if own.is_ipv6() { "::/0" } else { "0.0.0.0/0" };
            let _ = writeln!(batch, "route add {everything} dev {device} src {own}");
        }
    }
    ip(&batch)?;
    // Without a queue discipline a packet goes straight into the ring of the device. The default of
    // the host could be another one.
    Ok(tc(&format!("qdisc replace dev {device} root noqueue\n"))?)
}

/// Switches IPv6 of the namespace on or off.
fn apply_ipv6(is_used: bool) -> Result<(), Error> {
    if !has_ipv6() {
        return match is_used {
            true => Err(Error::NoIpv6),
            false => Ok(()),
        };
    }
    let is_off = u8::from(!is_used).to_string();
    sysctl("net/ipv6/conf/all/disable_ipv6", is_off.clone())?;
    Ok(sysctl("net/ipv6/conf/default/disable_ipv6", is_off)?)
}

/// Whether this kernel has IPv6.
pub fn has_ipv6() -> bool {
    std::path::Path::new("/proc/sys/net/ipv6").exists()
}

/// An address as the prefix that contains it alone, as iproute2 writes it.
struct Prefix {
    address: IpAddr,
    bits: u8,
    /// Nobody else can have the address: duplicate address detection is left out.
    no_detection: &'static str,
}

impl Prefix {
    fn of(address: IpAddr) -> Prefix {
        let (bits, no_detection) = match address {
            IpAddr::V4(_) => (32, ""),
            IpAddr::V6(_) => (128, " nodad"),
        };
        Prefix {
            address,
            bits,
            no_detection,
        }
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.bits)
    }
}
