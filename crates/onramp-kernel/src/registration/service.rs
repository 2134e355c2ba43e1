//! Registrations of `onramp serve`: they count into the groups of policies.

use super::load::{config, Shared};
use super::{object_for, register, Lifetime, Options};
use crate::defaults::PreviousDefaults;
use crate::object::{hash, map_named};
use crate::records::Plain;
use crate::{Error, Result};
use libbpf_rs::{Link, MapCore, MapHandle, MapType};
use onramp_bpf::bindings::{maps, Config};

/// A registration of the service, with what is to be pinned.
pub(crate) struct ForService {
    pub name: String,
    /// `None` on kernels before 6.4, where nothing but [`ForService::operations`] ends it.
    pub link: Option<Link>,
    /// The struct_ops map.
    pub operations: MapHandle,
    /// The read-only data: its [`Config`].
    pub config: MapHandle,
    /// What was the default of network namespaces before.
    pub defaults: PreviousDefaults,
}

/// Registers a start-up for the service. Pins have to keep it.
pub(crate) fn register_for_service(options: &Options, shared: &Shared) -> Result<ForService> {
    let (name, registered) = register(&of_service(options), Some(shared))?;
    let object = &registered.object;
    let map = |wanted: &str| {
        let map = map_named(object, wanted, &name)?;
        Ok::<_, Error>(map.expect("every start-up program has the map"))
    };
    let operations = object
        .maps()
        .find(|map| map.map_type() == MapType::StructOps && map.autocreate())
        .expect("one struct_ops map is registered");
    let unreadable = |error| Error::unreadable("the struct_ops map", &name, &error);
    let operations = MapHandle::try_from(&operations).map_err(unreadable)?;
    let flags = operations.info().map_err(unreadable)?.info.map_flags;
    let is_linked = flags & libbpf_rs::libbpf_sys::BPF_F_LINK != 0;
    Ok(ForService {
        operations,
        config: map(maps::RODATA_ONRAMP)?,
        link: is_linked.then_some(registered.link),
        defaults: registered.defaults.expect("it is recorded for a service"),
        name,
    })
}

/// The configuration that a registration of the service has with these options and this name.
pub(crate) fn config_for_service(options: &Options, name: &str) -> Result<Config> {
    let options = of_service(options);
    Ok(config(&options, name, object_for(&options)?))
}

/// A hash of what the configuration says, whichever build and whichever name it is for.
pub(crate) fn options_hash(options: &Options) -> Result<u64> {
    let config = Config {
        build: 0,
        ..config_for_service(options, "")?
    };
    Ok(hash(config.as_bytes()))
}

fn of_service(options: &Options) -> Options {
    Options {
        lifetime: Lifetime::Service,
        ..options.clone()
    }
}
