//! A page: objects that a browser requests over several connections, one at a time on each. The
//! first object names the others, so further connections open when it has arrived.

use onramp_scenario::{Answers, Requests, RequestsPlan};

/// The progress of a page.
#[derive(Clone, Debug)]
pub(super) struct Page {
    pub requests: Requests,
    /// Number of requests that have a connection.
    assigned: u32,
    pub answers: Answers,
}

impl Page {
    pub fn new(plan: RequestsPlan) -> Page {
        Page {
            requests: plan.requests,
            assigned: 0,
            answers: Answers::default(),
        }
    }

    /// Whether every object has been requested.
    pub fn has_all(&self) -> bool {
        self.assigned == self.requests.count
    }

    /// Payload of the next object that can be requested; `None`: it has to be named first, or there
    /// is none.
    pub fn next_bytes(&mut self, size_bytes: u64) -> Option<u64> {
        let is_named = self.assigned == 0 || !self.answers.times.is_empty();
        if !is_named || self.has_all() {
            return None;
        }
        let end = |answers| self.requests.payload_bytes(size_bytes, answers);
        let bytes = end(self.assigned + 1) - end(self.assigned);
        self.assigned += 1;
        Some(bytes)
    }
}
