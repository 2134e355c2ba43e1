//! The governor of a registered start-up (`bpf/startup/governor.h`): it lets new connections begin
//! with slow start where start-ups retransmit too much.

use crate::object::value;
use crate::process::now_ns;
use crate::records::Plain;
use crate::{Error, Result};
use libbpf_rs::{MapCore, MapHandle};
use nix::time::ClockId;
use onramp_bpf::bindings::{self, maps, DestinationAverage};
use onramp_core::governor::{Average, DESTINATION_STARTUPS, HOST_STARTUPS, LIFETIME_NS, PPM};
use serde::Serialize;
use std::net::Ipv6Addr;

/// The state of a governor.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Governor {
    /// The bound of the share of segments that start-ups retransmit, from 0 to 1.
    pub bound: f64,
    /// The average of all connections of the registration.
    #[serde(flatten)]
    pub host: Governed,
    /// The destinations with retransmissions in the last ten minutes, the worst first.
    pub destinations: Vec<Destination>,
}

/// An average, and whether it holds new connections back.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Governed {
    /// The average share of segments that start-ups retransmitted, from 0 to 1; `None`: no start-up
    /// has ended in the last ten minutes.
    pub average: Option<f64>,
    /// The start-ups in the average.
    pub startups: u32,
    /// The bound is exceeded: of the new connections, one of 16 uses its start-up.
    pub holds: bool,
}

/// A destination that the governor knows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Destination {
    /// Its address, or the first 64 bits of its IPv6 address as a prefix (`2001:db8::/64`).
    pub address: String,
    /// Inode number of the network namespace of the connections.
    pub network_namespace: u32,
    /// The average of the connections to it.
    #[serde(flatten)]
    pub governed: Governed,
}

impl Governor {
    /// The destinations whose new connections are held back.
    pub fn held_destinations(&self) -> usize {
        let held = |destination: &&Destination| destination.governed.holds;
        self.destinations.iter().filter(held).count()
    }

    /// Reads the two maps. `of` names the registration in an error.
    pub(crate) fn read(
        bound_ppm: u32,
        host: &MapHandle,
        destinations: &MapHandle,
        of: &str,
    ) -> Result<Governor> {
        let now_ns = now_ns(ClockId::CLOCK_MONOTONIC)?;
        let host: Option<Average> = value(host, &0u32.to_ne_bytes())
            .map_err(|error| Error::unreadable(maps::GOVERNOR, of, &error))?;
        let mut all = Vec::new();
        for key in destinations.keys() {
            let value: Option<DestinationAverage> = value(destinations, &key)
                .map_err(|error| Error::unreadable(maps::DESTS, of, &error))?;
            let key = bindings::Destination::from_bytes(&key);
            if let (Some(key), Some(value)) = (key, value) {
                all.push(Destination {
                    address: address(key.address),
                    network_namespace: value.network_namespace,
                    governed: governed(&value.average, bound_ppm, DESTINATION_STARTUPS, now_ns),
                });
            }
        }
        all.retain(|destination| destination.governed.average.is_some());
        all.sort_by(|a, b| {
            let by_average = b.governed.average.partial_cmp(&a.governed.average);
            by_average
                .expect("averages are numbers")
                .then_with(|| a.address.cmp(&b.address))
        });
        let host = host.unwrap_or_default();
        Ok(Governor {
            bound: fraction(bound_ppm),
            host: governed(&host, bound_ppm, HOST_STARTUPS, now_ns),
            destinations: all,
        })
    }
}

fn fraction(ppm: u32) -> f64 {
    f64::from(ppm) / f64::from(PPM)
}

fn governed(average: &Average, bound_ppm: u32, n: u32, now_ns: u64) -> Governed {
    let is_forgotten = now_ns.saturating_sub(average.updated_ns) > LIFETIME_NS;
    let is_known = average.startups > 0 && !is_forgotten;
    Governed {
        average: is_known.then(|| fraction(average.share_ppm)),
        startups: if is_known { average.startups } else { 0 },
        holds: average.exceeds(bound_ppm, n, now_ns),
    }
}

/// The governor keeps the first 64 bits of an IPv6 address only.
fn address(bytes: [u8; 16]) -> String {
    let address = Ipv6Addr::from(bytes);
    let is_prefix = bytes[..8] != [0; 8];
    match is_prefix {
        true => format!("{address}/64"),
        false => address.to_canonical().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    #[test]
    fn an_ipv6_destination_is_a_prefix() {
        let mut bytes = [0; 16];
        bytes[..4].copy_from_slice(&[0x20, 0x01, 0x0d, 0xb8]);
        assert_eq!(address(bytes), "2001:db8::/64");
        assert_eq!(address(Ipv6Addr::LOCALHOST.octets()), "::1");
        let ipv4 = Ipv4Addr::new(192, 0, 2, 1).to_ipv6_mapped();
        assert_eq!(address(ipv4.octets()), "192.0.2.1");
    }

    #[test]
    fn an_average_without_start_ups_for_its_lifetime_is_not_shown() {
        let mut average = Average::default();
        for _ in 0..DESTINATION_STARTUPS {
            average.add(PPM / 2, DESTINATION_STARTUPS, 1);
        }
        let at = |now_ns| governed(&average, PPM / 4, DESTINATION_STARTUPS, now_ns);
        let shown = Governed {
            average: Some(0.5),
            startups: DESTINATION_STARTUPS,
            holds: true,
        };
        assert_eq!(at(1 + LIFETIME_NS), shown);
        let forgotten = Governed {
            average: None,
            startups: 0,
            holds: false,
        };
        assert_eq!(at(2 + LIFETIME_NS), forgotten);
    }
}
