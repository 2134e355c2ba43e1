//! The ring with the events of a registration.

use crate::event::Event;
use crate::object::lock;
use crate::{Error, Result};
use libbpf_rs::{MapCore, Object, RingBuffer, RingBufferBuilder};
use onramp_bpf::bindings::maps;
use std::sync::{Arc, Mutex};

/// The events of a registration that nobody has taken yet.
pub(super) struct EventRing {
    events: Arc<Mutex<Vec<Event>>>,
    ring: RingBuffer<'static>,
}

impl EventRing {
    /// Reads the ring of a loaded start-up program. `name` is the registration's, for an error.
    pub fn new(object: &Object, name: &str) -> Result<EventRing> {
        let events = Arc::new(Mutex::new(Vec::new()));
        let ring = ring_of(object, &events)
            .map_err(|error| Error::refused(format!("reading the events of {name}"), error))?;
        Ok(EventRing { events, ring })
    }

    /// The events since the last call.
    pub fn take(&self) -> Vec<Event> {
        // An error means that the ring's callback failed; ours cannot.
        let _ = self.ring.consume();
        std::mem::take(&mut lock(&self.events))
    }
}

fn ring_of(
    object: &Object,
    events: &Arc<Mutex<Vec<Event>>>,
) -> libbpf_rs::Result<RingBuffer<'static>> {
    let map = object
        .maps()
        .find(|map| map.name() == maps::EVENTS)
        .expect("every start-up program has the ring");
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
