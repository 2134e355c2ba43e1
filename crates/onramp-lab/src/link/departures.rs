//! The link that a packet leaves next: the minimum of the departure times, in a tournament tree.

const NEVER: u64 = u64::MAX;

/// The next departure of each link.
pub struct Departures {
    leaves: usize,
    /// Node n is the minimum of nodes 2 n and 2 n + 1. The links are the leaves, from node `leaves`
    /// on.
    due_ns: Vec<u64>,
}

impl Departures {
    /// A tree for this number of links, without departures.
    pub fn new(links: usize) -> Departures {
        let leaves = links.next_power_of_two();
        Departures {
            leaves,
            due_ns: vec![NEVER; 2 * leaves],
        }
    }

    /// Sets the next departure of a link; `None`: it has no packets.
    #[inline]
    pub fn set(&mut self, link: usize, due_ns: Option<u64>) {
        let mut node = self.leaves + link;
        self.due_ns[node] = due_ns.unwrap_or(NEVER);
        while node > 1 {
            node /= 2;
            self.due_ns[node] = self.due_ns[2 * node].min(self.due_ns[2 * node + 1]);
        }
    }

    /// The next departure of a link; `None` if it has no packets.
    #[inline]
    pub fn of(&self, link: usize) -> Option<u64> {
        Some(self.due_ns[self.leaves + link]).filter(|due_ns| *due_ns != NEVER)
    }

    /// The earliest departure and its link. Of several links it is the first.
    #[inline]
    pub fn earliest(&self) -> Option<(u64, usize)> {
        let due_ns = self.due_ns[1];
        let mut node = 1;
        while node < self.leaves {
            node = 2 * node + usize::from(self.due_ns[2 * node] != due_ns);
        }
        (due_ns != NEVER).then(|| (due_ns, node - self.leaves))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_departure_is_found_for_any_number_of_links() {
        for links in 1..20 {
            let mut departures = Departures::new(links);
            assert_eq!(departures.earliest(), None);
            let due_ns = |link: usize| (link as u64 * 7 + 3) % 11;
            (0..links).for_each(|link| departures.set(link, Some(due_ns(link))));
            for _ in 0..links {
                let (earliest_ns, link) = departures.earliest().unwrap();
                let of = |other| departures.of(other).map(|due_ns| (due_ns, other));
                assert_eq!(Some((earliest_ns, link)), (0..links).filter_map(of).min());
                departures.set(link, None);
            }
            assert_eq!(departures.earliest(), None);
        }
    }
}
