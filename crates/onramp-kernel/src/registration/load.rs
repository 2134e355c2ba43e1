//! Loading a start-up program, and registering its congestion control.

use super::options::{Lifetime, Options};
use crate::defaults::PreviousDefaults;
use crate::inspect::owner_of;
use crate::object::with_log;
use crate::probe::ControlForm;
use crate::process;
use crate::records::{name_bytes, name_chars, Plain};
use crate::{Error, Memory, Result};
use libbpf_rs::{Link, MapCore, MapType, Object, ObjectBuilder, OpenObject};
use onramp_bpf::bindings::{maps, Config, CONFIG_VERSION, NAME_BYTES};
use std::ops::Range;

/// The size of the event ring while every ACK is recorded.
const RECORDING_RING_BYTES: u32 = 64 << 20;

/// Where the member `flags` is in struct tcp_congestion_ops of bpf/kernel.h.
const FLAGS: Range<usize> = NAME_BYTES as usize..NAME_BYTES as usize + size_of::<u32>();

/// Loads a start-up program and registers it under a name.
pub(super) fn register(
    object: &[u8],
    options: &Options,
    form: ControlForm,
    linked: bool,
    name: &str,
) -> Result<(Object, Link)> {
    let (result, log) = with_log(|| {
        let mut open = ObjectBuilder::default().open_memory(object)?;
        configure(&mut open, options, form, linked, name)?;
        let mut object = open.load()?;
        if options.lifetime == Lifetime::UntilUnloaded {
            PreviousDefaults::record(&object)?;
        }
        let link = attach(&mut object)?;
        Ok((object, link))
    });
    let (object, mut link) = result.map_err(|error| {
        if error.kind() == libbpf_rs::ErrorKind::AlreadyExists {
            return Error::NameTaken {
                name: name.to_owned(),
                owner: owner_of(name),
            };
        }
        let what = format!("the congestion control {name}");
        Error::Refused {
            what,
            cause: error.to_string(),
            log,
        }
    })?;
    if options.lifetime == Lifetime::UntilUnloaded {
        link.disconnect();
    }
    Ok((object, link))
}

/// The user's choices, for the program's read-only data.
fn config(options: &Options, name: &str) -> Config {
    let owner_pid = match options.lifetime {
        Lifetime::Process => std::process::id(),
        Lifetime::UntilUnloaded => 0,
    };
    Config {
        clock: options.clock,
        memory_lifetime_ns: options.path_lifetime_ns(),
        memory_jump_bytes: options.memory_jump_bytes,
        owner_start_ticks: process::start_ticks(owner_pid).unwrap_or(0),
        owner_pid,
        version: CONFIG_VERSION,
        avoidance: options.avoidance.number(),
        options: options.bits(),
        record: u32::from(options.record),
        governor_bound_ppm: options.governor_in_force_ppm(),
        restricted: u32::from(options.restricted),
        events: u32::from(reads_events(options)),
        startup: name_chars(&options.startup),
        congestion_control: name_chars(name),
    }
}

/// Sets up the maps: the configuration, and the one struct_ops map that is used.
fn configure(
    open: &mut OpenObject,
    options: &Options,
    form: ControlForm,
    linked: bool,
    name: &str,
) -> libbpf_rs::Result<()> {
    let operations = form.struct_ops_map(options.avoidance);
    for mut map in open.maps_mut() {
        let map_name = map.name().to_string_lossy().into_owned();
        if map_name == maps::RODATA_ONRAMP {
            map.set_initial_value(config(options, name).as_bytes())?;
        } else if map_name == operations {
            // The name and the flags are the first members of struct tcp_congestion_ops in
            // bpf/kernel.h.
            if let Some(value) = map.initial_value_mut() {
                let name = name_bytes(name);
                value[..name.len()].copy_from_slice(&name);
                if options.restricted {
                    value[FLAGS].fill(0);
                }
            }
            if !linked {
                map.set_map_flags(0)?;
            }
        } else if map.map_type() == MapType::StructOps {
            map.set_autocreate(false)?;
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
