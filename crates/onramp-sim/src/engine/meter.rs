//! What traffic without records delivers, noted at the moments that a plan names.

/// The meter.
#[derive(Debug)]
pub(super) struct Meter {
    /// Payload so far.
    pub bytes: u64,
    /// Moments to come, the last one first.
    pending_ns: Vec<u64>,
    readings: Vec<(u64, u64)>,
}

impl Meter {
    /// For these moments, ascending.
    pub fn new(mut times_ns: Vec<u64>) -> Meter {
        times_ns.reverse();
        Meter {
            bytes: 0,
            pending_ns: times_ns,
            readings: Vec::new(),
        }
    }

    /// Everything has been noted.
    pub fn is_done(&self) -> bool {
        self.pending_ns.is_empty()
    }

    /// A moment before this one is still to be noted.
    pub fn is_due(&self, before_ns: u64) -> bool {
        self.pending_ns
            .last()
            .is_some_and(|time_ns| *time_ns < before_ns)
    }

    /// Notes what has been delivered up to and including each moment before this one.
    pub fn read(&mut self, before_ns: u64) {
        while let Some(time_ns) = self.pending_ns.pop_if(|time_ns| *time_ns < before_ns) {
            self.readings.push((time_ns, self.bytes));
        }
    }

    /// Notes the rest when the run has ended, up to and including `end_ns`: where moments remain
    /// beyond it, that one stands for them.
    pub fn finish(mut self, end_ns: u64) -> Vec<(u64, u64)> {
        self.read(end_ns.saturating_add(1));
        if !self.is_done()
            && self
                .readings
                .last()
                .is_none_or(|(time_ns, _)| *time_ns < end_ns)
        {
            self.readings.push((end_ns, self.bytes));
        }
        self.readings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_includes_what_happens_at_it() {
        let mut meter = Meter::new(vec![10, 20]);
        assert!(meter.is_due(11) && !meter.is_due(10));
        meter.bytes = 7;
        meter.read(11);
        meter.bytes = 9;
        assert_eq!(meter.finish(30), [(10, 7), (20, 9)]);
    }

    #[test]
    fn the_end_stands_for_moments_that_did_not_come() {
        let mut meter = Meter::new(vec![10, 20, 30]);
        meter.bytes = 7;
        assert_eq!(meter.finish(15), [(10, 7), (15, 7)]);
    }
}
