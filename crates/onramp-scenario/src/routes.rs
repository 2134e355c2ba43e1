//! The routes of packets, found before the run, as rows of link numbers in one arena.

/// One place of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place<E> {
    /// A directed link.
    Link(u32),
    /// The end of the route: the host that receives its packets.
    Host(E),
}

/// All routes of a run, each with an end that the driver names. A packet carries its place on its
/// route, so that one access finds its next link.
#[derive(Clone, Debug)]
pub struct Routes<E> {
    places: Vec<Place<E>>,
}

impl<E> Default for Routes<E> {
    fn default() -> Self {
        Routes { places: Vec::new() }
    }
}

impl<E: Copy> Routes<E> {
    /// Adds a route over these directed links. Returns its first place.
    ///
    /// # Panics
    /// If all routes together have more than 2^32 places.
    pub fn add(&mut self, links: &[u32], end: E) -> u32 {
        let first = u32::try_from(self.places.len()).expect("routes have fewer than 2^32 places");
        self.places
            .extend(links.iter().map(|link| Place::Link(*link)));
        self.places.push(Place::Host(end));
        first
    }

    /// The places of all routes, one route after the other.
    pub fn places(&self) -> &[Place<E>] {
        &self.places
    }

    /// The link or host at a place.
    #[inline]
    pub fn at(&self, place: u32) -> Place<E> {
        self.places[place as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_route_leads_over_its_links_to_its_host() {
        let mut routes = Routes::default();
        let forward = routes.add(&[4, 0, 6], "data");
        let reverse = routes.add(&[7], "acks");
        let along = |first: u32, places: u32| {
            (first..first + places)
                .map(|place| routes.at(place))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            along(forward, 4),
            [
                Place::Link(4),
                Place::Link(0),
                Place::Link(6),
                Place::Host("data")
            ]
        );
        assert_eq!(along(reverse, 2), [Place::Link(7), Place::Host("acks")]);
    }
}
