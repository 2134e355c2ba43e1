//! The kernel's start-ups, as the lab wants them.

use onramp_core::PHASE_DONE;
use onramp_kernel::{
    own_cgroup, Event, Input, Options, PairOption, QosOption, Registration, Reservation,
};
use onramp_lab::{BuiltIn, ConnectionEvent, Startups, Wanted};
use onramp_results::{StartupEvent, StartupWatch};
use onramp_scenario::{Avoidance, InitialWindow, Memory, NO_STARTUP};
use std::any::Any;
use std::collections::HashMap;
use std::error::Error;
use std::os::fd::BorrowedFd;

/// The start-up, what follows it, RFC 3390's initial window, the memory, packet pairs.
type Combination = (String, Avoidance, bool, Memory, bool);

/// Registers each combination the first time that a transfer asks for it; all end with this value.
pub struct KernelStartups {
    registrations: HashMap<Combination, (Registration, Changes)>,
    /// Every event with its algorithm, where recording was asked for.
    recorded: Option<Vec<(String, Event)>>,
}

impl KernelStartups {
    /// `record`: let the start-ups report all that they are told and decide, and keep it.
    pub fn new(record: bool) -> KernelStartups {
        KernelStartups {
            registrations: HashMap::new(),
            recorded: record.then(Vec::new),
        }
    }

    /// What was recorded since the last call.
    pub fn take_recorded(&mut self) -> Vec<(String, Event)> {
        self.recorded
            .as_mut()
            .map(std::mem::take)
            .unwrap_or_default()
    }
}

/// The same congestion avoidance in the kernel.
fn in_kernel(avoidance: Avoidance) -> onramp_kernel::Result<onramp_kernel::Avoidance> {
    let unknown = || onramp_kernel::Error::UnknownAvoidance {
        avoidance: avoidance.name().into(),
    };
    onramp_kernel::Avoidance::named(avoidance.name()).ok_or_else(unknown)
}

impl Startups for KernelStartups {
    fn congestion_control(
        &mut self,
        wanted: &Wanted,
    ) -> Result<String, Box<dyn Error + Send + Sync>> {
        let Wanted {
            startup,
            avoidance,
            initial_window,
            memory,
            packet_pairs,
        } = *wanted;
        if startup == NO_STARTUP {
            return BuiltIn.congestion_control(wanted);
        }
        let paper_initial_window = initial_window == InitialWindow::Paper;
        let packet_pairs = packet_pairs && onramp_core::sends_pairs(startup);
        let key = (
            startup.to_owned(),
            avoidance,
            paper_initial_window,
            memory,
            packet_pairs,
        );
        if let Some((registration, _)) = self.registrations.get(&key) {
            return Ok(registration.name().to_owned());
        }
        let record = self.recorded.is_some();
        let options = Options {
            avoidance: in_kernel(avoidance)?,
            paper_initial_window,
            memory,
            packet_pairs,
            record,
            ..Options::new(startup)
        };
        let registration = Registration::new(&options)?;
        let name = registration.name().to_owned();
        self.registrations
            .insert(key, (registration, Changes::default()));
        Ok(name)
    }

    fn exchange_pairs(
        &mut self,
        congestion_control: &str,
        namespaces: [u64; 2],
    ) -> Result<Option<Box<dyn Any>>, Box<dyn Error + Send + Sync>> {
        let mut registrations = self
            .registrations
            .values()
            .map(|(registration, _)| registration);
        let Some(pairs) = registrations
            .find(|r| r.name() == congestion_control)
            .map(Registration::pairs)
            .transpose()?
        else {
            return Ok(None);
        };
        // This process stays in the cgroup that it is in; the namespaces are its own.
        let attach = |pairs| PairOption::new(&own_cgroup()?, &pairs, Some(namespaces));
        Ok(pairs
            .map(attach)
            .transpose()?
            .map(|option| Box::new(option) as Box<dyn Any>))
    }

    fn reserve(
        &mut self,
        congestion_control: &str,
        socket: BorrowedFd<'_>,
        rate_bytes_per_s: u64,
        burst_bytes: u32,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        let mut registrations = self
            .registrations
            .values()
            .map(|(registration, _)| registration);
        let registration =
            registrations.find(|registration| registration.name() == congestion_control);
        let reservations = registration
            .map(Registration::reservations)
            .transpose()?
            .flatten();
        let Some(reservations) = reservations else {
            return Err("its start-up reserves nothing".into());
        };
        // As any program would, with the option for as long as that takes: the socket keeps what it
        // has.
        let own = own_cgroup()?;
        reservations.set_limit(&own, u64::MAX)?;
        let _option = QosOption::new(&own, &reservations, None)?;
        Ok(onramp_kernel::reserve(
            socket,
            Some(Reservation {
                rate_bytes_per_s,
                burst_bytes,
            }),
        )?)
    }

    fn take_events(&mut self) -> Vec<ConnectionEvent> {
        let mut all = Vec::new();
        for ((startup, ..), (registration, changes)) in &mut self.registrations {
            for event in registration.take_events() {
                if let Some(recorded) = &mut self.recorded {
                    recorded.push((startup.clone(), event));
                }
                all.extend(
                    changes
                        .of(&event)
                        .into_iter()
                        .map(|change| ConnectionEvent {
                            time_ns: event.time_ns(),
                            local: event.local,
                            remote: event.remote,
                            event: change,
                        }),
                );
            }
        }
        all.sort_by_key(|event| event.time_ns);
        all
    }
}

/// Turns events into what changed with them.
#[derive(Default)]
pub struct Changes {
    /// Of each connection that is under way.
    watches: HashMap<u64, StartupWatch>,
}

impl Changes {
    /// What an event changed, in the words of the report. Times are left 0.
    pub fn of(&mut self, event: &Event) -> Vec<StartupEvent> {
        let watch = self.watches.entry(event.connection).or_default();
        if let Input::Start(start) = &event.input {
            *watch = StartupWatch::default();
            watch.remembers(start.remembered_bytes);
        }
        let changes = watch.look(0.0, &event.decision).collect();
        if event.decision.phase == PHASE_DONE {
            self.watches.remove(&event.connection);
        }
        changes
    }
}
