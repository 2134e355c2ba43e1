//! Loading a start-up program, and registering its congestion control.

use super::options::{Lifetime, Options};
use crate::defaults::PreviousDefaults;
use crate::inspect::owner_of;
use crate::object::{hash, with_log};
use crate::probe::ControlForm;
use crate::process;
use crate::records::{name_chars, Plain};
use crate::{Error, Memory, Result};
use libbpf_rs::{Link, MapCore, MapHandle, MapType, Object, ObjectBuilder, OpenObject};
use onramp_bpf::bindings::{maps, Config, CONFIG_VERSION, NAME_BYTES};
use std::ops::Range;
use std::os::fd::AsFd;

/// The size of the event ring while every ACK is recorded.
const RECORDING_RING_BYTES: u32 = 64 << 20;

/// Where the member `flags` is in struct tcp_congestion_ops of bpf/kernel.h.
const FLAGS: Range<usize> = NAME_BYTES as usize..NAME_BYTES as usize + size_of::<u32>();

/// The maps of the policy program of a service, by their names. Its start-ups share two of them.
pub(crate) type Shared = [(&'static str, MapHandle)];

/// The map of this name.
pub(crate) fn map_of<'a>(maps: &'a Shared, name: &str) -> Option<&'a MapHandle> {
    let map = maps.iter().find(|(known, _)| *known == name);
    map.map(|(_, map)| map)
}

/// A start-up program that is registered.
pub(super) struct Registered {
    pub object: Object,
    pub link: Link,
    /// What was the default of network namespaces before; `None` for [`Lifetime::Process`].
    pub defaults: Option<PreviousDefaults>,
}

/// How to register.
#[derive(Clone, Copy)]
pub(super) struct How<'a> {
    pub form: ControlForm,
    /// The registration is a BPF link.
    pub linked: bool,
    /// The maps of `onramp serve`, for [`Lifetime::Service`].
    pub shared: Option<&'a Shared>,
}

/// Loads a start-up program and registers it under a name.
pub(super) fn register(
    object: &[u8],
    options: &Options,
    how: How<'_>,
    name: &str,
) -> Result<Registered> {
    let result = with_log(|| {
        let mut object = load(object, options, how, name)?;
        let defaults = match options.lifetime {
            Lifetime::Process => None,
            Lifetime::UntilUnloaded | Lifetime::Service => Some(PreviousDefaults::record(&object)?),
        };
        let link = attach(&mut object)?;
        Ok(Registered {
            object,
            link,
            defaults,
        })
    });
    let mut registered = result.map_err(|failed| {
        if failed.error.kind() == libbpf_rs::ErrorKind::AlreadyExists {
            return Error::NameTaken {
                name: name.to_owned(),
                owner: owner_of(name),
            };
        }
        failed.refused(format!("the congestion control {name}"))
    })?;
    if !how.linked && options.lifetime != Lifetime::Process {
        registered.link.disconnect();
    }
    Ok(registered)
}

/// Lets the verifier walk a start-up program, without registering it.
pub(super) fn verify(object: &[u8], options: &Options, how: How<'_>, name: &str) -> Result<Object> {
    let result = with_log(|| load(object, options, how, name));
    result.map_err(|failed| failed.refused(format!("the congestion control {name}")))
}

fn load(object: &[u8], options: &Options, how: How<'_>, name: &str) -> libbpf_rs::Result<Object> {
    let mut open = ObjectBuilder::default().open_memory(object)?;
    configure(&mut open, &config(options, name, object), options, how)?;
    open.load()
}

/// The user's choices, for the program's read-only data.
pub(super) fn config(options: &Options, name: &str, object: &[u8]) -> Config {
    let owner_pid = match options.lifetime {
        Lifetime::Process => std::process::id(),
        Lifetime::UntilUnloaded | Lifetime::Service => 0,
    };
    Config {
        clock: options.clock,
        memory_lifetime_ns: options.path_lifetime_ns(),
        memory_jump_bytes: options.memory_jump_bytes,
        initial_bytes_per_s: options.initial_in_force().bytes_per_s(),
        owner_start_ticks: process::start_ticks(owner_pid).unwrap_or(0),
        build: hash(object),
        owner_pid,
        version: CONFIG_VERSION,
        avoidance: options.avoidance.number(),
        options: options.bits(),
        record: u32::from(options.record),
        governor_bound_ppm: options.governor_in_force_ppm(),
        restricted: u32::from(options.restricted),
        events: u32::from(reads_events(options)),
        service: u32::from(options.lifetime == Lifetime::Service),
        reserved: 0,
        timers: options.timers.record(),
        startup: name_chars(&options.startup),
        congestion_control: name_chars(name),
    }
}

/// Sets up the maps: the configuration, and the one struct_ops map that is used.
fn configure(
    open: &mut OpenObject,
    config: &Config,
    options: &Options,
    how: How<'_>,
) -> libbpf_rs::Result<()> {
    let operations = how.form.struct_ops_map(options.avoidance);
    for mut map in open.maps_mut() {
        let map_name = map.name().to_string_lossy().into_owned();
        if map_name == maps::RODATA_ONRAMP {
            map.set_initial_value(config.as_bytes())?;
        } else if map_name == maps::RODATA_PARAMS {
            let values = options.parameters.values(&options.startup);
            let bytes: Vec<u8> = values.flat_map(u64::to_ne_bytes).collect();
            map.set_initial_value(&bytes)?;
        } else if map_name == operations {
            // The name and the flags are the first members of struct tcp_congestion_ops in
            // bpf/kernel.h.
            if let Some(value) = map.initial_value_mut() {
                let name = config.congestion_control.map(|char| char as u8);
                value[..name.len()].copy_from_slice(&name);
                if options.restricted {
                    value[FLAGS].fill(0);
                }
            }
            if !how.linked {
                map.set_map_flags(0)?;
            }
        } else if map.map_type() == MapType::StructOps {
            map.set_autocreate(false)?;
        } else if let Some(shared) = how.shared.and_then(|maps| map_of(maps, &map_name)) {
            map.reuse_fd(shared.as_fd())?;
        } else if is_unused(&map_name, options) {
            // The verifier removes the code that uses the map.
            map.set_autocreate(false)?;
        } else if map_name == maps::EVENTS && options.record {
            map.set_max_entries(RECORDING_RING_BYTES)?;
        } else if map_name == maps::EVENTS && !reads_events(options) {
            map.set_max_entries(1)?; // libbpf makes this a page.
        }
    }
    Ok(())
}

/// Does somebody read the events? The process that owns the registration does.
fn reads_events(options: &Options) -> bool {
    options.lifetime == Lifetime::Process
}

/// Do these options switch off what the map is for?
fn is_unused(map: &str, options: &Options) -> bool {
    match map {
        maps::MEMORY => options.memory == Memory::Off,
        maps::GOVERNOR | maps::DESTS => options.governor_in_force_ppm() == 0,
        maps::TAGS | maps::GROUPS => options.lifetime != Lifetime::Service,
        _ => false,
    }
}

fn attach(object: &mut Object) -> libbpf_rs::Result<Link> {
    let mut operations = object
        .maps_mut()
        .find(|map| map.map_type() == MapType::StructOps && map.autocreate())
        .expect("configure() left one struct_ops map");
    operations.attach_struct_ops()
}
