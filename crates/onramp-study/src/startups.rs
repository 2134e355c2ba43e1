//! The supplier of congestion controls for the lab: start-ups in the kernel.

use onramp_kernel::{
    own_cgroup, Changes, Event, Options, PairOption, QosOption, Registration, Reservation,
};
use onramp_lab::{BuiltIn, ConnectionEvent, Startups, Wanted};
use onramp_scenario::{Avoidance, InitialRate, InitialWindow, Memory, Parameters, NO_STARTUP};
use std::any::Any;
use std::collections::HashMap;
use std::error::Error;
use std::os::fd::BorrowedFd;

/// The start-up with its parameters, the avoidance, whether the initial window is that of RFC 3390,
/// the initial rate, the memory, and whether packet pairs are sent.
type Combination = (
    String,
    Parameters,
    Avoidance,
    bool,
    InitialRate,
    Memory,
    bool,
);

/// An event that is recorded, with its algorithm and the parameters of that.
pub type Recorded = (String, Parameters, Event);

/// Registers each combination when a transfer needs it for the first time. All are removed when
/// this value is dropped.
pub struct KernelStartups {
    registrations: HashMap<Combination, (Registration, Changes)>,
    /// All events; `None` if they are not recorded.
    recorded: Option<Vec<Recorded>>,
}

impl KernelStartups {
    /// With `record`, the start-ups report all inputs and decisions, which are kept.
    pub fn new(record: bool) -> KernelStartups {
        KernelStartups {
            registrations: HashMap::new(),
            recorded: record.then(Vec::new),
        }
    }

    /// The events for which a ring had no room: they are missing in reports and recordings.
    pub fn events_lost(&self) -> onramp_kernel::Result<u64> {
        let registrations = self.registrations.values();
        registrations
            .map(|(registration, _)| Ok(registration.totals()?.events_lost))
            .sum()
    }

    /// The events since the last call.
    pub fn take_recorded(&mut self) -> Vec<Recorded> {
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
            parameters,
            avoidance,
            initial_window,
            initial_rate,
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
            parameters,
            avoidance,
            paper_initial_window,
            initial_rate,
            memory,
            packet_pairs,
        );
        if let Some((registration, _)) = self.registrations.get(&key) {
            return Ok(registration.name().to_owned());
        }
        let record = self.recorded.is_some();
        let options = Options {
            parameters,
            avoidance: in_kernel(avoidance)?,
            paper_initial_window,
            initial_rate,
            memory,
            packet_pairs,
            record,
            // No transfer may depend on those before it.
            governor_bound_ppm: 0,
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
            .map(|registration| registration.pairs())
            .transpose()?
        else {
            return Ok(None);
        };
        // The option is attached to the cgroup of this process, and limited to its two namespaces.
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
            .map(|registration| registration.reservations())
            .transpose()?
            .flatten();
        let Some(reservations) = reservations else {
            return Err("this start-up reserves nothing; use start-up qos".into());
        };
        // The socket option is attached only for this call. The socket keeps its reservation.
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
        for ((startup, parameters, ..), (registration, changes)) in &mut self.registrations {
            for event in registration.take_events() {
                if let Some(recorded) = &mut self.recorded {
                    recorded.push((startup.clone(), *parameters, event));
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

#[cfg(test)]
mod tests {
    use super::*;
    use onramp_cli::startup::AVOIDANCES;

    #[test]
    fn onramp_list_has_the_avoidances_of_scenarios_and_of_the_simulator() {
        assert_eq!(Avoidance::ALL.map(Avoidance::name), AVOIDANCES);
        assert!(Avoidance::ALL
            .iter()
            .all(|avoidance| avoidance.in_simulator().is_some()));
    }
}
