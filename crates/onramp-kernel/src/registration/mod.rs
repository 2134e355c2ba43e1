//! Registering a start-up algorithm with the kernel as a congestion control.

mod load;
mod options;
mod ring;
mod service;

use crate::event::Event;
use crate::inspect::{found, owner_of, registered_names, Loaded};
use crate::probe;
use crate::programs::{own_programs, ProgramCost};
use crate::unload::sweep;
use crate::{Error, Memory, Result};
use libbpf_rs::{Link, Object};
pub(crate) use load::{map_of, Shared};
use load::{How, Registered};
use onramp_bpf::bindings::NAME_BYTES;
use onramp_core::InitialRate;
pub use options::{Lifetime, Options, KERNEL_CLOCK};
use ring::EventRing;
pub(crate) use service::{config_for_service, options_hash, register_for_service};
use std::collections::BTreeMap;
use std::ops::Deref;

/// The largest number that is appended to a name that is taken.
const MAX_NUMBER: u32 = 99;

/// A congestion control in the kernel that this process has registered. What it has in its maps is
/// read as that of any other ([`Loaded`]).
pub struct Registration {
    loaded: Loaded,
    // Dropped in this order: the registration, the reader of its events, then its maps.
    _link: Link,
    ring: EventRing,
    _object: Object,
}

impl Registration {
    /// Registers it. When the registration ends, connections that use it keep it.
    ///
    /// # Errors
    /// The request is impossible, the host lacks something, the name is taken, or the kernel's
    /// refusal with the end of its log.
    pub fn new(options: &Options) -> Result<Registration> {
        let (name, registered) = register(options, None)?;
        let object = registered.object;
        let is_it = |loaded: &Loaded| loaded.registered && loaded.name == name;
        Ok(Registration {
            loaded: found()?
                .into_iter()
                .find(is_it)
                .expect("it was just registered"),
            _link: registered.link,
            ring: EventRing::new(&object, &name)?,
            _object: object,
        })
    }

    /// The name for `setsockopt(TCP_CONGESTION)`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The events since the last call.
    pub fn take_events(&self) -> Vec<Event> {
        self.ring.take()
    }
}

impl Deref for Registration {
    type Target = Loaded;

    fn deref(&self) -> &Loaded {
        &self.loaded
    }
}

/// Registers a start-up under the first name that is free, and returns this name.
fn register(options: &Options, shared: Option<&Shared>) -> Result<(String, Registered)> {
    let object = object_for(options)?;
    let (how, options) = on_this_kernel(options, shared)?;
    sweep()?;
    let names = names(&options);
    for name in &names {
        if registered_names()?.contains(name) {
            continue;
        }
        match load::register(object, &options, how, name) {
            // Another process has registered it in the meantime.
            Err(Error::NameTaken { .. }) => continue,
            registered => return Ok((name.clone(), registered?)),
        }
    }
    match names.as_slice() {
        [name] => Err(Error::NameTaken {
            name: name.clone(),
            owner: owner_of(name),
        }),
        [first, .., last] => Err(Error::NoNameLeft {
            first: first.clone(),
            last: last.clone(),
        }),
        [] => unreachable!("a start-up has at least its own name"),
    }
}

/// How this kernel registers a start-up, and the options with which it can.
fn on_this_kernel<'a>(options: &Options, shared: Option<&'a Shared>) -> Result<(How<'a>, Options)> {
    probe::check_permission()?;
    let btf = probe::kernel_btf()?;
    probe::check_avoidance(&btf, options.avoidance)?;
    let how = How {
        form: probe::control_form(&btf)?,
        linked: options.lifetime != Lifetime::UntilUnloaded
            && !options.without_link
            && probe::has_struct_ops_links(&btf),
        shared,
    };
    let options = Options {
        // Without the member, a start-up can only be registered as a restricted one.
        restricted: options.restricted || !probe::has_flags(&btf),
        ..options.clone()
    };
    Ok((how, options))
}

/// Loads the object of a start-up program, which this build need not have, and lets the verifier
/// walk it. Returns the programs of this process with their costs. Nothing stays loaded, and
/// nothing is registered.
///
/// # Errors
/// This process may not load programs, this kernel lacks something, or the verifier refuses the
/// program.
pub fn verify(object: &[u8], options: &Options) -> Result<BTreeMap<String, ProgramCost>> {
    let (how, options) = on_this_kernel(options, None)?;
    let name = onramp_core::congestion_control(&options.startup);
    let _loaded = load::verify(object, &options, how, &name)?;
    own_programs().map_err(|cause| Error::refused("reading the costs of its programs", cause))
}

/// The names that a registration may have, the best first. `load` alone uses a start-up's own name
/// only, and the service never does, so one does not stand in the way of the other.
fn names(options: &Options) -> Vec<String> {
    let own = onramp_core::congestion_control(&options.startup);
    let numbers = |first| (first..=MAX_NUMBER).map(|number| numbered(&own, number));
    match options.lifetime {
        Lifetime::UntilUnloaded => vec![own],
        Lifetime::Process => std::iter::once(own.clone()).chain(numbers(2)).collect(),
        Lifetime::Service => numbers(1).collect(),
    }
}

/// The compiled start-up program for these options.
fn object_for(options: &Options) -> Result<&'static [u8]> {
    let startup = || options.startup.clone();
    let mut programs = onramp_bpf::STARTUPS
        .iter()
        .filter(|program| program.name == options.startup)
        .peekable();
    if programs.peek().is_none() {
        return Err(Error::UnknownStartup { name: startup() });
    }
    let program = programs
        .find(|program| program.with_pairs == options.sends_pairs())
        .ok_or_else(|| Error::NoPairs { startup: startup() })?;
    if options.memory != Memory::Off && !onramp_core::resumes(&options.startup) {
        return Err(Error::NoMemory { startup: startup() });
    }
    if options.initial_rate != InitialRate::Auto && !onramp_core::sends_early(&options.startup) {
        return Err(Error::NoInitialRate { startup: startup() });
    }
    Ok(program.object)
}

/// `onramp_paced`, 2 -> `onramp_paced.2`, within the kernel's 15 characters.
fn numbered(name: &str, number: u32) -> String {
    let suffix = format!(".{number}");
    let max_bytes = NAME_BYTES as usize - 1 - suffix.len();
    format!("{}{suffix}", &name[..name.len().min(max_bytes)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbered_names_fit_the_kernel() {
        assert_eq!(numbered("onramp_paced", 2), "onramp_paced.2");
        assert_eq!(numbered("onramp_standard", 17), "onramp_stand.17");
    }
}
