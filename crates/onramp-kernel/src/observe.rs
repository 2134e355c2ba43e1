//! Observing the connections of the host, for `onramp advise` (`bpf/observe.bpf.c`). Nothing is
//! registered or pinned: the programs end with the process, however it ends.

use crate::cgroup::{cgroup2_mount, link, load};
use crate::object::{counters, lock};
use crate::records::{name_text, socket_address, Plain};
use crate::{Error, Result};
use libbpf_rs::{Link, MapCore, Object, RingBuffer, RingBufferBuilder};
use onramp_bpf::bindings::{self, maps};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::Path;
use std::sync::{Arc, Mutex};

/// The length of a destination's prefix: whom the network belongs to, and no single host.
const IPV4_PREFIX_BITS: u32 = 24;
const IPV6_PREFIX_BITS: u32 = 48;

/// A connection that sent payload, from its establishment to its end. Times are exact to a
/// microsecond. The serialised names are an interface (`onramp advise --save`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// The network of the other end, as `203.0.113.0/24`; no longer prefix is kept.
    pub destination: String,
    /// The port of the service: this host's of a connection that it accepted, else the other end's.
    pub port: u16,
    /// This host accepted the connection.
    pub accepted: bool,
    /// The congestion control in the first round trip, by the kernel's name.
    pub congestion_control: String,
    /// The first eight transfers. A transfer is what was sent between two times at which nothing
    /// was in flight.
    pub transfers: Vec<ObservedTransfer>,
    /// All transfers.
    pub transfer_count: u32,
    /// Everything that the application wrote was acknowledged.
    pub complete: bool,
    /// Time from the establishment to the end of the connection.
    pub duration_s: f64,
    /// RTT of the handshake. A proxy may have answered it.
    pub handshake_rtt_s: Option<f64>,
    /// Minimum RTT of payload.
    pub min_rtt_s: Option<f64>,
    /// Maximum RTT of payload, smoothed or of the first ACK of a round trip.
    pub max_rtt_s: Option<f64>,
    /// Round trips with payload.
    pub rounds: u32,
    /// Maximum delivery rate that the application did not limit: a lower bound of the bottleneck's.
    pub rate_bytes_per_s: Option<u64>,
    /// Payload of a full segment.
    pub mss_bytes: u32,
    /// Data segments, with retransmissions.
    pub sent_segments: u32,
    /// Retransmitted segments.
    pub retransmitted_segments: u32,
    /// Segments that were acknowledged with a mark of congestion (ECN).
    pub marked_segments: u32,
    /// Payload acknowledged when the first retransmission was seen.
    pub first_loss_bytes: Option<u64>,
    /// Maximum RTT until then.
    pub loss_rtt_s: Option<f64>,
    /// Round trips in which something was retransmitted.
    pub loss_rounds: u32,
    /// cwnd at the establishment.
    pub initial_cwnd_segments: u32,
    /// Maximum cwnd at the beginning of a round trip.
    pub max_cwnd_segments: u32,
    /// The receiver's window at the establishment.
    pub first_window_bytes: u32,
    /// The maximum window that the receiver has offered.
    pub max_window_bytes: u32,
    /// Share of the time with payload to send in which the receiver's window held it up.
    pub receiver_limited: f64,
    /// The same for the send buffer.
    pub buffer_limited: f64,
}

/// Payload that was sent without a time at which nothing was in flight.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ObservedTransfer {
    /// When its first segment left, since the establishment.
    pub start_s: f64,
    /// Time until its last byte was acknowledged.
    pub time_s: f64,
    /// Payload.
    pub bytes: u64,
}

impl Observation {
    fn of(raw: &bindings::Observation) -> Observation {
        let seconds = |us: u64| us as f64 / 1e6;
        let measured = |us: u32| (us != 0).then(|| seconds(us.into()));
        let share = |ticks: u32| f64::from(ticks) / f64::from(raw.busy_ticks.max(1));
        let (local, remote) = (socket_address(&raw.local), socket_address(&raw.remote));
        let accepted = raw.is_accepted != 0;
        let transfer = |transfer: &bindings::Transfer| ObservedTransfer {
            start_s: seconds(transfer.start_us.saturating_sub(raw.established_us)),
            time_s: seconds(transfer.end_us - transfer.start_us),
            bytes: transfer.bytes,
        };
        // The last one has no end if the connection ended before it was acknowledged.
        let transfers = raw.transfers.iter().take(raw.transfer_count as usize);
        let over = transfers.filter(|transfer| transfer.end_us > transfer.start_us);
        Observation {
            destination: prefix(remote.ip()),
            port: if accepted {
                local.port()
            } else {
                remote.port()
            },
            accepted,
            congestion_control: name_text(&raw.congestion_control),
            transfers: over.map(transfer).collect(),
            transfer_count: raw.transfer_count,
            complete: raw.is_complete != 0,
            duration_s: seconds(raw.ended_us.saturating_sub(raw.established_us)),
            handshake_rtt_s: measured(raw.handshake_rtt_us),
            min_rtt_s: measured(raw.min_rtt_us),
            max_rtt_s: measured(raw.max_rtt_us),
            rounds: raw.rounds,
            rate_bytes_per_s: (raw.rate_bytes_per_s != 0).then_some(raw.rate_bytes_per_s),
            mss_bytes: raw.mss_bytes,
            sent_segments: raw.sent_segments,
            retransmitted_segments: raw.retransmitted_segments,
            marked_segments: raw.marked_segments,
            first_loss_bytes: (raw.first_loss_bytes != 0).then_some(raw.first_loss_bytes),
            loss_rtt_s: measured(raw.loss_rtt_us),
            loss_rounds: raw.loss_rounds,
            initial_cwnd_segments: raw.initial_cwnd_segments,
            max_cwnd_segments: raw.max_cwnd_segments,
            first_window_bytes: raw.first_window_bytes,
            max_window_bytes: raw.max_window_bytes,
            receiver_limited: share(raw.receiver_limited_ticks),
            buffer_limited: share(raw.buffer_limited_ticks),
        }
    }
}

/// The network of an address.
pub fn prefix(address: IpAddr) -> String {
    match address {
        IpAddr::V4(ip) => {
            let network = u32::from(ip) & (u32::MAX << (32 - IPV4_PREFIX_BITS));
            format!("{}/{IPV4_PREFIX_BITS}", Ipv4Addr::from(network))
        }
        IpAddr::V6(ip) => {
            let network = u128::from(ip) & (u128::MAX << (128 - IPV6_PREFIX_BITS));
            format!("{}/{IPV6_PREFIX_BITS}", Ipv6Addr::from(network))
        }
    }
}

/// How many connections an [`Observer`] has seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observed {
    /// Connections that were established since it began. Earlier ones are not seen.
    pub opened: u64,
    /// Those that have ended.
    pub ended: u64,
    /// Those that have ended and sent no payload from this host.
    pub idle: u64,
    /// Those that are missing, because they ended faster than they were read, or for lack of
    /// memory.
    pub lost: u64,
}

/// Connections by the hash of their record. It keeps those with the lowest hashes, which is a
/// random sample of all.
#[derive(Default)]
struct Sample {
    kept: BTreeMap<u64, bindings::Observation>,
    most: usize,
}

impl Sample {
    fn add(&mut self, record: bindings::Observation) {
        let hash = onramp_core::fnv1a(record.as_bytes().iter().copied());
        self.kept.insert(hash, record);
        if self.kept.len() > self.most {
            self.kept.pop_last();
        }
    }
}

/// While it lives, the connections that are established on this host are observed.
pub struct Observer {
    _links: Vec<Link>,
    object: Object,
    ring: RingBuffer<'static>,
    sample: Arc<Mutex<Sample>>,
}

impl Observer {
    /// Begins to observe. At most this many connections are kept: a random sample of all.
    ///
    /// # Errors
    /// [`Error::NotPermitted`], [`Error::NoBtf`], or the kernel's refusal.
    pub fn new(most: usize) -> Result<Observer> {
        Observer::of_cgroup(&cgroup2_mount()?, most)
    }

    /// The same for the connections of a cgroup's processes.
    ///
    /// # Errors
    /// Those of [`Observer::new`], or the path is no cgroup.
    pub fn of_cgroup(cgroup: &Path, most: usize) -> Result<Observer> {
        crate::probe::check_permission()?;
        crate::probe::check_btf()?;
        let task = "observing the connections of";
        let (object, links) = load(
            onramp_bpf::OBSERVE,
            cgroup,
            task,
            |_| true,
            |_| Ok(()),
            link,
        )?;
        let sample = Arc::new(Mutex::new(Sample {
            most,
            ..Sample::default()
        }));
        let ring = ring_of(&object, &sample)
            .map_err(|error| Error::unreadable("the ring", "the observing program", &error))?;
        Ok(Observer {
            _links: links,
            object,
            ring,
            sample,
        })
    }

    /// Takes the connections that have ended out of the kernel's ring, which has room for some
    /// thousand.
    pub fn look(&self) {
        // An error means that the ring's callback failed; ours cannot.
        let _ = self.ring.consume();
    }

    /// The connections that have ended since the last call, in the order of their ends.
    pub fn take(&self) -> Vec<Observation> {
        self.look();
        let kept = std::mem::take(&mut lock(&self.sample).kept);
        let mut kept: Vec<_> = kept.into_values().collect();
        kept.sort_by_key(|record| record.ended_us);
        kept.iter().map(Observation::of).collect()
    }

    /// How many connections there were.
    pub fn observed(&self) -> Observed {
        let counts: Option<bindings::Observed> = counters(&self.object);
        let counts = counts.expect("observe.bpf.c has counts");
        Observed {
            opened: counts.opened,
            ended: counts.ended,
            idle: counts.idle,
            lost: counts.lost,
        }
    }
}

fn ring_of(object: &Object, sample: &Arc<Mutex<Sample>>) -> libbpf_rs::Result<RingBuffer<'static>> {
    let map = object
        .maps()
        .find(|map| map.name() == maps::ENDED)
        .expect("observe.bpf.c has the ring");
    let sample = Arc::clone(sample);
    let mut builder = RingBufferBuilder::new();
    builder.add(&map, move |bytes| {
        if let Some(record) = bindings::Observation::from_bytes(bytes) {
            lock(&sample).add(record);
        }
        0
    })?;
    builder.build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_destination_is_a_network() {
        let of = |text: &str| prefix(text.parse().unwrap());
        assert_eq!(of("203.0.113.77"), "203.0.113.0/24");
        assert_eq!(of("2001:db8:12:3400::1"), "2001:db8:12::/48");
    }

    #[test]
    fn a_sample_keeps_no_more_than_it_may() {
        let mut sample = Sample {
            most: 3,
            ..Sample::default()
        };
        for ended_us in 0..10 {
            sample.add(bindings::Observation {
                ended_us,
                ..bindings::Observation::default()
            });
        }
        assert_eq!(sample.kept.len(), 3);
    }
}
