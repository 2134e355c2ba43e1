//! Where packets go: routes found before the run, as rows of link numbers in one arena.

use crate::observe::Direction;

/// What is at a place of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hop {
    /// A directed link.
    Link(u32),
    /// The route's end: the host that such packets are for.
    Host(Direction),
}

/// All routes. A packet carries its place: one look says where it goes next.
#[derive(Debug, Default)]
pub(crate) struct Routes {
    hops: Vec<Hop>,
}

impl Routes {
    /// Adds a route for packets of one direction; its first place.
    pub fn add(&mut self, links: &[u32], direction: Direction) -> u32 {
        let first = u32::try_from(self.hops.len()).expect("routes have fewer than 2^32 places");
        self.hops.extend(links.iter().map(|link| Hop::Link(*link)));
        self.hops.push(Hop::Host(direction));
        first
    }

    /// What is at a place.
    pub fn at(&self, place: u32) -> Hop {
        self.hops[place as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_route_leads_over_its_links_to_its_host() {
        let mut routes = Routes::default();
        let there = routes.add(&[4, 0, 6], Direction::Data);
        let back = routes.add(&[7], Direction::Ack);
        let along = |first: u32, hops: u32| (first..first + hops).map(|place| routes.at(place)).collect::<Vec<_>>();
        assert_eq!(along(there, 4), [Hop::Link(4), Hop::Link(0), Hop::Link(6), Hop::Host(Direction::Data)]);
        assert_eq!(along(back, 2), [Hop::Link(7), Hop::Host(Direction::Ack)]);
    }
}
