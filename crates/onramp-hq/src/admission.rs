//! Which connections a server begins: limits in total, for each prefix of addresses, and for
//! addresses that may be forged.

use noq::Incoming;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

/// The limits, and the connections that count.
pub struct Admission {
    connections: usize,
    connections_per_prefix: usize,
    unvalidated: usize,
    counts: Arc<Mutex<Counts>>,
}

#[derive(Default)]
struct Counts {
    connections: usize,
    unvalidated: usize,
    of_prefixes: HashMap<IpAddr, usize>,
}

pub enum Decision {
    Accept(Place),
    /// The client proves its address first.
    Retry,
    Refuse,
}

/// A connection that counts until this is dropped.
pub struct Place {
    counts: Arc<Mutex<Counts>>,
    prefix: IpAddr,
    is_unvalidated: bool,
}

impl Admission {
    pub fn new(connections: usize, connections_per_prefix: usize, unvalidated: usize) -> Admission {
        Admission {
            connections,
            connections_per_prefix,
            unvalidated,
            counts: Arc::default(),
        }
    }

    pub fn decide(&self, incoming: &Incoming) -> Decision {
        let is_validated = incoming.remote_address_validated();
        self.of(incoming.remote_address().ip(), is_validated)
    }

    fn of(&self, address: IpAddr, is_validated: bool) -> Decision {
        let prefix = prefix(address);
        let mut counts = self.counts.lock();
        let of_prefix = counts.of_prefixes.get(&prefix).copied().unwrap_or(0);
        if counts.connections >= self.connections || of_prefix >= self.connections_per_prefix {
            return Decision::Refuse;
        }
        if !is_validated && counts.unvalidated >= self.unvalidated {
            return Decision::Retry;
        }
        counts.connections += 1;
        counts.unvalidated += usize::from(!is_validated);
        *counts.of_prefixes.entry(prefix).or_default() += 1;
        Decision::Accept(Place {
            counts: self.counts.clone(),
            prefix,
            is_unvalidated: !is_validated,
        })
    }
}

impl Place {
    /// The handshake is complete, which proves the address.
    pub fn validate(&mut self) {
        if std::mem::take(&mut self.is_unvalidated) {
            self.counts.lock().unvalidated -= 1;
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.validate();
        let mut counts = self.counts.lock();
        counts.connections -= 1;
        if let Some(of_prefix) = counts.of_prefixes.get_mut(&self.prefix) {
            *of_prefix -= 1;
            if *of_prefix == 0 {
                counts.of_prefixes.remove(&self.prefix);
            }
        }
    }
}

/// The first address of the /24 or /48. Whoever has one address usually has the prefix.
fn prefix(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4((address.to_bits() & (!0 << 8)).into()),
        IpAddr::V6(address) => IpAddr::V6((address.to_bits() & (!0 << 80)).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepted(decision: Decision) -> Place {
        match decision {
            Decision::Accept(place) => place,
            Decision::Retry => panic!("a retry"),
            Decision::Refuse => panic!("refused"),
        }
    }

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_prefix_has_a_limit_of_its_own() {
        let admission = Admission::new(3, 2, 9);
        let first = accepted(admission.of(address("192.0.2.1"), true));
        let _second = accepted(admission.of(address("::ffff:192.0.2.200"), true));
        let third = admission.of(address("192.0.2.77"), true);
        assert!(matches!(third, Decision::Refuse));
        let _other = accepted(admission.of(address("2001:db8:1:2::1"), true));
        let total = admission.of(address("198.51.100.1"), true);
        assert!(matches!(total, Decision::Refuse));
        drop(first);
        let _again = accepted(admission.of(address("192.0.2.77"), true));
    }

    #[test]
    fn addresses_that_may_be_forged_are_few_at_a_time() {
        let admission = Admission::new(9, 9, 1);
        let mut forged = accepted(admission.of(address("192.0.2.1"), false));
        let second = admission.of(address("198.51.100.1"), false);
        assert!(matches!(second, Decision::Retry));
        let _validated = accepted(admission.of(address("198.51.100.1"), true));
        forged.validate();
        let next = accepted(admission.of(address("198.51.100.2"), false));
        drop((forged, next));
        let counts = admission.counts.lock();
        assert_eq!((counts.connections, counts.unvalidated), (1, 0));
        assert_eq!(counts.of_prefixes.len(), 1);
    }

    #[test]
    fn a_prefix_is_24_or_48_bits() {
        assert_eq!(prefix(address("192.0.2.255")), address("192.0.2.0"));
        assert_eq!(
            prefix(address("2001:db8:1:2:3::4")),
            address("2001:db8:1::")
        );
    }
}
