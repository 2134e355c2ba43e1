//! The two hosts of a lab. Each is a new network namespace with a TUN device as its only interface.
//!
//! Devices and namespaces exist as long as file descriptors of this process. When those close, by
//! return, panic or SIGKILL, the kernel removes them. Nothing has a name outside.

mod configure;

use configure::Settings;

use crate::addresses::{address, fresh_numbers};
use crate::error::Error;
use crate::layout::Layout;
use onramp_host::{Namespace, Tun};
use onramp_scenario::{header_bytes, Buffer, Case, InitialWindow, IpVersion};
use std::net::IpAddr;

/// One of the two ends of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathEnd {
    /// The end that sends the data of the scenario.
    Sender,
    /// The end that receives it.
    Receiver,
}

impl PathEnd {
    /// The end on the other side.
    pub fn other(self) -> PathEnd {
        match self {
            PathEnd::Sender => PathEnd::Receiver,
            PathEnd::Receiver => PathEnd::Sender,
        }
    }
}

/// One of the two hosts.
pub struct Host {
    /// The network namespace of its sockets.
    pub namespace: Namespace,
    /// The device through which its kernel sends and receives packets.
    pub tun: Tun,
}

impl Host {
    fn new(settings: &Settings) -> Result<Host, Error> {
        let namespace = Namespace::new()?;
        let tun = namespace.run(|| {
            let tun = Tun::create(configure::DEVICE)?;
            configure::apply(settings)?;
            Ok::<_, Error>(tun)
        })??;
        Ok(Host { namespace, tun })
    }

    /// The host of the calling thread, with a device of its own. Nothing else is changed.
    fn here(settings: &Settings) -> Result<Host, Error> {
        let namespace = Namespace::here()?;
        // The device is named after this process, so that several may have one.
        let name = format!("onramp{}", std::process::id());
        let tun = Tun::create(&name)?;
        configure::apply_to_device(settings, &name)?;
        Ok(Host { namespace, tun })
    }

    /// Whether this kernel has IPv6.
    pub fn has_ipv6() -> bool {
        configure::has_ipv6()
    }
}

/// Maximum receive buffer of auto-tuning since Linux 6.16 (6 MiB before). The lab always sets it,
/// so that a run does not depend on the kernel or the settings of the host.
const RMEM_MAX_BYTES: u64 = 33_554_432;
/// Maximum send buffer of auto-tuning in every Linux since 2.6.
pub const WMEM_MAX_BYTES: u64 = 4_194_304;

/// The sending and the receiving host of a case.
pub fn hosts_of(case: &Case, layout: &Layout) -> Result<(Host, Host), Error> {
    let (sender, receiver) = settings_of(case, layout);
    Ok((Host::new(&sender)?, Host::new(&receiver)?))
}

/// The same hosts for any programs, which keep this kernel's congestion control. `here` names the
/// end that is the host of the calling thread, if one is.
pub fn open_hosts(
    case: &Case,
    layout: &Layout,
    here: Option<PathEnd>,
) -> Result<(Host, Host), Error> {
    let (sender, receiver) = settings_of(case, layout);
    let open = |settings: Settings, end| {
        let is_here = here == Some(end);
        let settings = Settings {
            congestion_control: None,
            has_default_route: !is_here,
            max_gso_segments: None,
            ..settings
        };
        match is_here {
            true => Host::here(&settings),
            false => Host::new(&settings),
        }
    };
    Ok((
        open(sender, PathEnd::Sender)?,
        open(receiver, PathEnd::Receiver)?,
    ))
}

fn settings_of(case: &Case, layout: &Layout) -> (Settings, Settings) {
    let initial_window = match case.transfer.initial_window {
        InitialWindow::Segments(segments) => Some(segments),
        InitialWindow::Host | InitialWindow::Paper => None,
    };
    let wmem_max_bytes = match case.sender.buffer {
        Buffer::LinuxDefault => WMEM_MAX_BYTES,
        Buffer::Bytes(bytes) => bytes.max(16_384),
    };
    let (senders, receivers) = (layout.sender_addresses(), layout.receiver_addresses());
    let to_receiver = |&(address, is_for_competing): &(IpAddr, bool)| {
        (address, initial_window.filter(|_| !is_for_competing))
    };
    let sender = Settings {
        mtu_bytes: case.path.mtu_bytes,
        addresses: senders.clone(),
        routes: receivers.iter().map(to_receiver).collect(),
        has_default_route: false,
        // The few bytes that the receiver sends must not depend on the default of the host. Every
        // kernel has Reno.
        congestion_control: Some("reno"),
        rmem_max_bytes: RMEM_MAX_BYTES,
        wmem_max_bytes,
        window_scaling: case.transfer.window_scaling,
        ecn: case.transfer.ecn,
        max_gso_segments: max_gso_segments(case),
    };
    let receiver = Settings {
        addresses: receivers.iter().map(|(address, _)| *address).collect(),
        routes: senders.iter().map(|address| (*address, None)).collect(),
        wmem_max_bytes: WMEM_MAX_BYTES,
        window_scaling: case.receiver.window_scaling,
        max_gso_segments: None,
        ..sender.clone()
    };
    (sender, receiver)
}

/// The initial window of Linux, in segments.
pub const INITIAL_SEGMENTS: u64 = 10;

/// The maximum number of segments in a GSO packet if a flow reserves its rate; otherwise `None`. It
/// is the depth of the token bucket or two milliseconds at the reserved rate, and at least ten.
/// Linux asks the start-up for this number. The kernels of some machines were seen not to ask at
/// times, and to send half of a window in one packet (docs/lab.md).
fn max_gso_segments(case: &Case) -> Option<u32> {
    let traffic = case
        .traffic
        .iter()
        .filter_map(|traffic| Some(&traffic.transfers()?.given));
    let mss_bytes = u64::from(case.path.mtu_bytes)
        .saturating_sub(header_bytes(case.transfer.ip, true))
        .max(1);
    let reserved = std::iter::once(&case.transfer.given)
        .chain(traffic)
        .filter_map(|given| {
            let reservation = given.reservation()?;
            let burst_bytes = u64::from(reservation.burst_bytes.unwrap_or(0));
            Some(
                burst_bytes
                    .max(reservation.bytes_per_s / 500)
                    .div_ceil(mss_bytes),
            )
        });
    reserved
        .max()
        .map(|segments| segments.clamp(INITIAL_SEGMENTS, u16::MAX.into()) as u32)
}

/// Checks whether this process can make a host, by making one.
///
/// # Errors
/// The reason why it cannot; the message says what to do.
pub fn preflight() -> Result<(), Error> {
    let first = fresh_numbers(2);
    let of_node = |number| address(IpVersion::V4, number);
    let settings = Settings {
        mtu_bytes: 1500,
        addresses: vec![of_node(first)],
        routes: vec![(of_node(first + 1), Some(10))],
        has_default_route: false,
        congestion_control: None,
        rmem_max_bytes: RMEM_MAX_BYTES,
        wmem_max_bytes: WMEM_MAX_BYTES,
        window_scaling: true,
        ecn: false,
        max_gso_segments: None,
    };
    Host::new(&settings).map(drop)
}
