//! Registering a start-up algorithm with the kernel as a congestion control.

use crate::event::Event;
use crate::inspect::{owner_of, registered_names, sweep};
use crate::memory::PathsMap;
use crate::pair::PairsMap;
use crate::probe::{self, ControlForm};
use crate::process;
use crate::qos::Reservations;
use crate::shared::{
    name_bytes, Config, Plain, CONFIG_MAP, CONFIG_VERSION, EVENTS_MAP, LIMITS_MAP, MEMORY_MAP,
    NAME_BYTES, PAIRS_MAP, RESERVED_MAP, USAGE_MAP,
};
use crate::{Avoidance, Error, Result};
use libbpf_rs::{
    Link, MapCore, MapFlags, MapHandle, Object, ObjectBuilder, OpenObject, PrintLevel, RingBuffer,
    RingBufferBuilder,
};
use onramp_core::memory::Memory;
use onramp_core::Clock;
use std::sync::{Arc, Mutex, MutexGuard};

/// What Linux promises: a nanosecond clock, and a pacing timer (hrtimer) that is good to about 50
/// microseconds on a busy host.
pub const KERNEL_CLOCK: Clock = Clock {
    measure_ns: 1,
    event_ns: 50_000,
};

/// How long a registration lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    /// Until [`crate::unload`], across processes, under its own name only.
    UntilUnloaded,
    /// As long as the [`Registration`]; the kernel ends it even if the process is killed (Linux 6.4
    /// and later; before, the next Onramp process does). If the name is taken, a numbered one is
    /// used.
    Process,
}

/// What to register.
#[derive(Clone, Debug)]
pub struct Options {
    /// An algorithm's name.
    pub startup: String,
    /// What follows it.
    pub avoidance: Avoidance,
    /// Start with the initial window of the paper (RFC 3390) instead of the host's.
    pub paper_initial_window: bool,
    /// Send packet pairs, where the algorithm does without them too.
    pub packet_pairs: bool,
    /// What its connections make of what earlier ones found of their path.
    pub memory: Memory,
    /// How long that counts, more than 0.
    pub memory_lifetime_ns: u64,
    /// How long it lasts.
    pub lifetime: Lifetime,
    /// Report every input and decision instead of the changes only.
    pub record: bool,
    /// What to promise the algorithm.
    pub clock: Clock,
    /// Register as kernels before 6.4 do, without a BPF link.
    pub without_link: bool,
}

impl Options {
    /// A start-up followed by CUBIC, for the life of this process.
    pub fn new(startup: impl Into<String>) -> Options {
        Options {
            startup: startup.into(),
            avoidance: Avoidance::Cubic,
            paper_initial_window: false,
            packet_pairs: false,
            memory: Memory::Off,
            memory_lifetime_ns: onramp_core::memory::LIFETIME_NS,
            lifetime: Lifetime::Process,
            record: false,
            clock: KERNEL_CLOCK,
            without_link: false,
        }
    }
}

impl Options {
    /// Does it send packet pairs, because the user wants that or because the algorithm is of no use
    /// without?
    pub fn sends_pairs(&self) -> bool {
        self.packet_pairs || onramp_core::needs_pairs(&self.startup)
    }

    /// As the algorithm is told.
    fn bits(&self) -> u32 {
        let chosen = [
            (
                self.paper_initial_window,
                onramp_core::OPTION_PAPER_INITIAL_WINDOW,
            ),
            (self.packet_pairs, onramp_core::OPTION_PAIRS),
        ];
        chosen
            .iter()
            .filter(|(is_chosen, _)| *is_chosen)
            .fold(self.memory.options(), |bits, (_, bit)| bits | bit)
    }
}

/// A congestion control in the kernel.
pub struct Registration {
    name: String,
    /// 0: nothing is remembered.
    memory_lifetime_ns: u64,
    events: Arc<Mutex<Vec<Event>>>,
    // Dropped in this order: the registration, the reader of its events, then its maps.
    _link: Link,
    ring: RingBuffer<'static>,
    object: Object,
}

impl Registration {
    /// Register it. Live connections that use it keep it when it ends, and go on.
    ///
    /// # Errors
    /// What the host lacks, a name that is taken, or the kernel's refusal with its log.
    pub fn new(options: &Options) -> Result<Registration> {
        let mut of_startup = onramp_bpf::STARTUPS
            .iter()
            .filter(|program| program.name == options.startup)
            .peekable();
        if of_startup.peek().is_none() {
            return Err(Error::UnknownStartup {
                name: options.startup.clone(),
            });
        }
        let object = of_startup
            .find(|program| program.with_pairs == options.sends_pairs())
            .ok_or_else(|| Error::NoPairs {
                startup: options.startup.clone(),
            })?
            .object;
        if options.memory != Memory::Off && !onramp_core::resumes(&options.startup) {
            return Err(Error::NoMemory {
                startup: options.startup.clone(),
            });
        }
        probe::check_permission()?;
        let btf = probe::kernel_btf()?;
        let form = probe::control_form(&btf)?;
        probe::check_avoidance(&btf, options.avoidance)?;
        let linked = options.lifetime == Lifetime::Process
            && !options.without_link
            && probe::has_struct_ops_links(&btf);
        sweep()?;

        let own = onramp_core::congestion_control(&options.startup);
        let names: Vec<String> = match options.lifetime {
            Lifetime::UntilUnloaded => vec![own],
            Lifetime::Process => std::iter::once(own.clone())
                .chain((2..100).map(|n| numbered(&own, n)))
                .collect(),
        };
        for name in &names {
            if registered_names()?
                .iter()
                .any(|registered| registered == name)
            {
                continue;
            }
            match register(object, options, form, linked, name) {
                Err(Error::NameTaken { .. }) => continue, // by another process, just now
                result => return result,
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

    /// The name for `setsockopt(TCP_CONGESTION)`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where its packet pairs are, if it sends any.
    ///
    /// # Errors
    /// The kernel's refusal.
    pub fn pairs(&self) -> Result<Option<PairsMap>> {
        Ok(self.map(PAIRS_MAP)?.map(PairsMap))
    }

    /// Where its reservations are, if it has any.
    ///
    /// # Errors
    /// The kernel's refusal.
    pub fn reservations(&self) -> Result<Option<Reservations>> {
        let [reserved, limits, usage] =
            [RESERVED_MAP, LIMITS_MAP, USAGE_MAP].map(|name| self.map(name));
        Ok(Reservations::of(&self.name, [reserved?, limits?, usage?]))
    }

    /// What it remembers of paths, if that was asked for.
    ///
    /// # Errors
    /// The kernel's refusal.
    pub fn memory(&self) -> Result<Option<PathsMap>> {
        let map = if self.memory_lifetime_ns == 0 {
            None
        } else {
            self.map(MEMORY_MAP)?
        };
        Ok(map.map(|map| PathsMap::of(&self.name, map, self.memory_lifetime_ns)))
    }

    fn map(&self, name: &str) -> Result<Option<MapHandle>> {
        let map = self.object.maps().find(|map| map.name() == name);
        let handle = map.map(|map| MapHandle::try_from(&map)).transpose();
        handle.map_err(|error| Error::unreadable(name, &self.name, &error))
    }

    /// What was reported since the last call.
    pub fn take_events(&self) -> Vec<Event> {
        // An error here means that the ring's callback failed; ours cannot.
        let _ = self.ring.consume();
        std::mem::take(&mut lock(&self.events))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// `onramp_paced`, 2 -> `onramp_paced.2`, within the kernel's 15 characters.
fn numbered(name: &str, number: u32) -> String {
    let suffix = format!(".{number}");
    format!(
        "{}{suffix}",
        &name[..name.len().min(NAME_BYTES - 1 - suffix.len())]
    )
}

fn register(
    object: &[u8],
    options: &Options,
    form: ControlForm,
    linked: bool,
    name: &str,
) -> Result<Registration> {
    let what = format!("the congestion control {name}");
    let (result, log) = with_log(|| {
        let mut open = ObjectBuilder::default().open_memory(object)?;
        configure(&mut open, options, form, linked, name)?;
        let mut object = open.load()?;
        let link = attach(&mut object)?;
        Ok((object, link))
    });
    let (object, mut link) = match result {
        Ok(registered) => registered,
        Err(error) if error.kind() == libbpf_rs::ErrorKind::AlreadyExists => {
            return Err(Error::NameTaken {
                name: name.to_owned(),
                owner: owner_of(name),
            })
        }
        Err(error) => {
            return Err(Error::Refused {
                what,
                cause: error.to_string(),
                log,
            })
        }
    };
    if options.lifetime == Lifetime::UntilUnloaded {
        link.disconnect();
    }

    let events = Arc::new(Mutex::new(Vec::new()));
    let ring = ring_of(&object, &events).map_err(|error| Error::Refused {
        what: format!("reading the events of {name}"),
        cause: error.to_string(),
        log: String::new(),
    })?;
    let memory_lifetime_ns = lifetime_of_memory(options);
    Ok(Registration {
        name: name.to_owned(),
        memory_lifetime_ns,
        events,
        _link: link,
        ring,
        object,
    })
}

/// 0: nothing is remembered.
fn lifetime_of_memory(options: &Options) -> u64 {
    match options.memory {
        Memory::Off => 0,
        Memory::Careful | Memory::AtOnce => options.memory_lifetime_ns.max(1),
    }
}

fn configure(
    open: &mut OpenObject,
    options: &Options,
    form: ControlForm,
    linked: bool,
    name: &str,
) -> libbpf_rs::Result<()> {
    let owner_pid = if options.lifetime == Lifetime::Process {
        std::process::id()
    } else {
        0
    };
    let config = Config {
        clock: options.clock,
        memory_lifetime_ns: lifetime_of_memory(options),
        owner_start_ticks: process::start_ticks(owner_pid).unwrap_or(0),
        owner_pid,
        version: CONFIG_VERSION,
        avoidance: options.avoidance.number(),
        options: options.bits(),
        record: u32::from(options.record),
        reserved: 0,
        startup: name_bytes(&options.startup),
        congestion_control: name_bytes(name),
    };
    let operations = format!(
        "onramp_{}{}",
        options.avoidance.name(),
        match form {
            ControlForm::V1 => "_v1",
            ControlForm::V2 => "",
        }
    );
    for mut map in open.maps_mut() {
        let map_name = map.name().to_string_lossy().into_owned();
        if map_name == CONFIG_MAP {
            map.set_initial_value(config.as_bytes())?;
        } else if map_name == operations {
            if let Some(value) = map.initial_value_mut() {
                value[..NAME_BYTES].copy_from_slice(&name_bytes(name));
            }
            if !linked {
                map.set_map_flags(0)?;
            }
        } else if map.map_type() == libbpf_rs::MapType::StructOps {
            map.set_autocreate(false)?;
        } else if map_name == MEMORY_MAP && options.memory == Memory::Off {
            // What uses it is removed too.
            map.set_autocreate(false)?;
        } else if map_name == EVENTS_MAP && options.record {
            map.set_max_entries(64 << 20)?;
        }
    }
    Ok(())
}

fn attach(object: &mut Object) -> libbpf_rs::Result<Link> {
    let mut operations = object
        .maps_mut()
        .find(|map| map.map_type() == libbpf_rs::MapType::StructOps && map.autocreate())
        .expect("one of the two forms of tcp_congestion_ops was chosen");
    operations.attach_struct_ops()
}

fn ring_of(
    object: &Object,
    events: &Arc<Mutex<Vec<Event>>>,
) -> libbpf_rs::Result<RingBuffer<'static>> {
    let map = object
        .maps()
        .find(|map| map.name() == EVENTS_MAP)
        .expect("every program has its ring");
    let events = Arc::clone(events);
    let mut builder = RingBufferBuilder::new();
    builder.add(&map, move |bytes| {
        if let Some(event) = Event::from_bytes(bytes) {
            lock(&events).push(event);
        }
        0
    })?;
    builder.build()
}

/// Run with libbpf's messages collected: on failure the verifier's last lines say why.
pub(crate) fn with_log<T>(
    work: impl FnOnce() -> libbpf_rs::Result<T>,
) -> (libbpf_rs::Result<T>, String) {
    static MESSAGES: Mutex<String> = Mutex::new(String::new());
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    fn collect(_: PrintLevel, message: String) {
        lock(&MESSAGES).push_str(&message);
    }

    let _guard = lock(&ONE_AT_A_TIME);
    lock(&MESSAGES).clear();
    let before = libbpf_rs::set_print(Some((PrintLevel::Warn, collect)));
    let result = work();
    libbpf_rs::set_print(before);
    let messages = std::mem::take(&mut *lock(&MESSAGES));
    let lines: Vec<&str> = messages.lines().collect();
    (result, lines[lines.len().saturating_sub(12)..].join("\n"))
}

/// An element of a map with one element.
pub(crate) fn only_value(map: &impl MapCore) -> Option<Vec<u8>> {
    map.lookup(&0u32.to_ne_bytes(), MapFlags::ANY)
        .ok()
        .flatten()
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
