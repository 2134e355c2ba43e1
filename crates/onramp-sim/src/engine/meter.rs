//! What traffic without records delivers, noted at the moments that a plan names.

/// The meter.
#[derive(Debug)]
pub(super) struct Meter {
    /// Payload so far.
    pub bytes: u64,
    /// Moments to come, the last one first.
    coming_ns: Vec<u64>,
    noted: Vec<(u64, u64)>,
}

impl Meter {
    /// For these moments, ascending.
    pub fn new(mut moments_ns: Vec<u64>) -> Meter {
        moments_ns.reverse();
        Meter {
            bytes: 0,
            coming_ns: moments_ns,
            noted: Vec::new(),
        }
    }

    /// Everything has been noted.
    pub fn is_done(&self) -> bool {
        self.coming_ns.is_empty()
    }

    /// A moment before this one is still to be noted.
    pub fn is_due(&self, before_ns: u64) -> bool {
        self.coming_ns
            .last()
            .is_some_and(|moment_ns| *moment_ns < before_ns)
    }

    /// Notes what has been delivered up to and including each moment before this one.
    pub fn read(&mut self, before_ns: u64) {
        while let Some(moment_ns) = self.coming_ns.pop_if(|moment_ns| *moment_ns < before_ns) {
            self.noted.push((moment_ns, self.bytes));
        }
    }

    /// Notes the rest when the run has ended, up to and including `end_ns`: where moments remain
    /// beyond it, that one stands for them.
    pub fn finish(mut self, end_ns: u64) -> Vec<(u64, u64)> {
        self.read(end_ns.saturating_add(1));
        if !self.is_done()
            && self
                .noted
                .last()
                .is_none_or(|(moment_ns, _)| *moment_ns < end_ns)
        {
            self.noted.push((end_ns, self.bytes));
        }
        self.noted
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
