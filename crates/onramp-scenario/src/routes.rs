//! Where packets go: routes found before the run, as rows of link numbers in one arena.

/// What is at a place of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place<E> {
    /// A directed link.
    Link(u32),
    /// The route's end: the host that such packets are for.
    Host(E),
}

/// All routes of a run, each to an end that the driver names. A packet carries its place: one look
/// says where it goes next.
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
    /// Adds a route over these directed links; its first place.
    ///
    /// # Panics
    /// Beyond 2^32 places.
    pub fn add(&mut self, links: &[u32], end: E) -> u32 {
        let first = u32::try_from(self.places.len()).expect("routes have fewer than 2^32 places");
        self.places
            .extend(links.iter().map(|link| Place::Link(*link)));
        self.places.push(Place::Host(end));
        first
    }

    /// What is at a place.
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
        let there = routes.add(&[4, 0, 6], "data");
        let back = routes.add(&[7], "acks");
        let along = |first: u32, places: u32| {
            (first..first + places)
                .map(|place| routes.at(place))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            along(there, 4),
            [
                Place::Link(4),
                Place::Link(0),
                Place::Link(6),
                Place::Host("data")
            ]
        );
        assert_eq!(along(back, 2), [Place::Link(7), Place::Host("acks")]);
    }
}
