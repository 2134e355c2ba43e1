//! Lifting the receive buffers of new connections (`bpf/receiver.bpf.c`): `onramp receiver`.

use crate::cgroup::{cgroup2_mount, link, load, WATCHING};
use crate::object::{map_named, only_value};
use crate::policy::{pins, Prefix};
use crate::receive_window::check_window;
use crate::records::Plain;
use crate::{probe, Result};
use libbpf_rs::{Link, MapCore, MapFlags, MapHandle, Object};
use onramp_bpf::bindings::{self, maps};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The directory with the pins of `onramp receiver load`.
pub const RECEIVER_PINS: &str = "/sys/fs/bpf/onramp-receiver";

/// Bits of the keys of [`maps::FROM`] before the address.
const KEY_BITS: u32 = 32;

/// Which connections are lifted, and how far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceiverOptions {
    /// The window that a connection offers at first.
    pub window_bytes: u64,
    /// Bound of what all live connections have gained together.
    pub limit_bytes: u64,
    /// Only connections with these peers; empty: with all.
    pub peers: Vec<Prefix>,
    /// Only connections with one of these ports at either end; empty: with all.
    pub ports: Vec<u16>,
    /// Only connections of the processes in this cgroup; `None`: of all.
    pub cgroup: Option<PathBuf>,
}

/// Lifts the connections of a cgroup while it lives, or until it is unloaded if it is pinned.
pub struct Receiver {
    object: Object,
    links: Vec<Link>,
}

impl Receiver {
    /// Begins to lift new connections.
    ///
    /// # Errors
    /// [`NotPermitted`](crate::Error::NotPermitted),
    /// [`WindowTooLarge`](crate::Error::WindowTooLarge), or the kernel's refusal.
    pub fn new(options: &ReceiverOptions) -> Result<Receiver> {
        probe::check_permission()?;
        let window_bytes = check_window(options.window_bytes)?;
        let root = cgroup2_mount()?;
        let record = bindings::Receiver {
            limit_bytes: options.limit_bytes,
            window_bytes,
            any_peer: options.peers.is_empty().into(),
            any_port: options.ports.is_empty().into(),
            reserved: 0,
        };
        let (object, links) = load(
            onramp_bpf::RECEIVER,
            options.cgroup.as_deref().unwrap_or(&root),
            WATCHING,
            |_| true,
            |map| match map.name() == maps::RODATA_RECEIVER {
                true => map.set_initial_value(record.as_bytes()),
                false => Ok(()),
            },
            |object, cgroup| {
                choose(object, options)?;
                link(object, cgroup)
            },
        )?;
        Ok(Receiver { object, links })
    }

    /// Lets it live until [`unload_receiver`]. It takes the place of one that was pinned before.
    ///
    /// # Errors
    /// [`NoBpffs`](crate::Error::NoBpffs), [`ForeignPins`](crate::Error::ForeignPins), or the
    /// kernel's refusal.
    pub fn pin(mut self, directory: &Path) -> Result<()> {
        unload_receiver(directory)?;
        pins::prepare(directory)?;
        for name in [maps::LIFTS, maps::RODATA_RECEIVER] {
            let map = map_named(&self.object, name, "the receiver")?;
            let mut map = map.expect("receiver.bpf.c has it");
            pins::pin(&directory.join(pin_name(name)), |path| map.pin(path))?;
        }
        for link in &mut self.links {
            pins::pin(&directory.join("link"), |path| link.pin(path))?;
        }
        Ok(())
    }
}

/// Fills the maps by which it chooses connections.
fn choose(object: &Object, options: &ReceiverOptions) -> libbpf_rs::Result<()> {
    let one = 1u64.to_ne_bytes();
    for map in object.maps() {
        if map.name() == maps::FROM {
            for prefix in &options.peers {
                let key = bindings::Prefix {
                    length_bits: KEY_BITS + u32::from(prefix.length()),
                    generation: 0,
                    address: prefix.octets(),
                };
                map.update(key.as_bytes(), &one, MapFlags::ANY)?;
            }
        } else if map.name() == maps::PORTS {
            for port in &options.ports {
                map.update(&u32::from(*port).to_ne_bytes(), &one, MapFlags::ANY)?;
            }
        }
    }
    Ok(())
}

/// What a pinned receiver is to do, and did.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ReceiverStatus {
    /// The window that a connection offers at first.
    pub window_bytes: u32,
    /// Bound of what all live connections have gained together.
    pub limit_bytes: u64,
    /// It lifts connections with some peers or ports only.
    pub is_restricted: bool,
    /// Connections that were lifted so far.
    pub lifted: u64,
    /// Those of them that live.
    pub live: u64,
    /// What the buffers of these have gained.
    pub live_bytes: u64,
    /// Connections that were not lifted, because of the limit.
    pub beyond_limit: u64,
}

/// The receiver that is pinned here; `None`: there is none.
///
/// # Errors
/// [`ForeignPins`](crate::Error::ForeignPins), or the kernel's refusal.
pub fn receiver_status(directory: &Path) -> Result<Option<ReceiverStatus>> {
    if pins::open_directory(directory)?.is_none() {
        return Ok(None);
    }
    let map = |name: &str| MapHandle::from_pinned_path(directory.join(pin_name(name))).ok();
    let config = map(maps::RODATA_RECEIVER).and_then(|map| only_value::<bindings::Receiver>(&map));
    let counts = map(maps::LIFTS).and_then(|map| only_value::<bindings::ReceiverCounts>(&map));
    // Without one of them it is just being loaded or unloaded.
    Ok(config.zip(counts).map(|(config, counts)| ReceiverStatus {
        window_bytes: config.window_bytes,
        limit_bytes: config.limit_bytes,
        is_restricted: config.any_peer == 0 || config.any_port == 0,
        lifted: counts.lifted,
        live: counts.live,
        live_bytes: counts.live_bytes,
        beyond_limit: counts.beyond_limit,
    }))
}

/// Ends a receiver that is pinned. New connections are as without it; those that were lifted keep
/// their buffers until they end. Returns whether there was one.
///
/// # Errors
/// [`ForeignPins`](crate::Error::ForeignPins), or the pins cannot be removed.
pub fn unload_receiver(directory: &Path) -> Result<bool> {
    let was_loaded = pins::open_directory(directory)?.is_some();
    pins::remove_directory(directory).map(|()| was_loaded)
}

/// Pins have no dots in their names.
fn pin_name(map: &str) -> &'static str {
    match map == maps::LIFTS {
        true => "counts",
        false => "config",
    }
}
