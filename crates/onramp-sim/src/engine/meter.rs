//! Reads the payload that traffic without records has delivered, at the times of a plan.

/// Reads the delivered bytes at given times.
#[derive(Clone, Debug)]
pub(super) struct Meter {
    /// Payload bytes delivered so far.
    pub bytes: u64,
    /// Remaining times, in reverse order.
    pending_ns: Vec<u64>,
    readings: Vec<(u64, u64)>,
}

impl Meter {
    /// Creates a meter for these times, ascending.
    pub fn new(mut times_ns: Vec<u64>) -> Meter {
        times_ns.reverse();
        Meter {
            bytes: 0,
            pending_ns: times_ns,
            readings: Vec::new(),
        }
    }

    /// Whether all times have been read.
    pub fn is_done(&self) -> bool {
        self.pending_ns.is_empty()
    }

    /// Whether a time before `before_ns` is still to be read.
    pub fn is_due(&self, before_ns: u64) -> bool {
        self.pending_ns
            .last()
            .is_some_and(|time_ns| *time_ns < before_ns)
    }

    /// Reads the delivered bytes for each time before `before_ns`. A reading includes events at its
    /// time. Returns the time of the latest reading.
    pub fn read(&mut self, before_ns: u64) -> Option<u64> {
        while let Some(time_ns) = self.pending_ns.pop_if(|time_ns| *time_ns < before_ns) {
            self.readings.push((time_ns, self.bytes));
        }
        self.readings.last().map(|(time_ns, _)| *time_ns)
    }

    /// Reads the remaining times up to and including `end_ns`, the end of the run. If later times
    /// remain, a reading at `end_ns` replaces them. Returns all readings: time and bytes.
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
    fn a_reading_includes_events_at_its_time() {
        let mut meter = Meter::new(vec![10, 20]);
        assert!(meter.is_due(11) && !meter.is_due(10));
        meter.bytes = 7;
        meter.read(11);
        meter.bytes = 9;
        assert_eq!(meter.finish(30), [(10, 7), (20, 9)]);
    }

    #[test]
    fn a_reading_at_the_end_replaces_later_times() {
        let mut meter = Meter::new(vec![10, 20, 30]);
        meter.bytes = 7;
        assert_eq!(meter.finish(15), [(10, 7), (15, 7)]);
    }
}
