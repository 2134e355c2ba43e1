//! A list that does not grow without end: when it is full every other entry goes, and from then on
//! every other is taken.

/// Entries in order, at most so many.
#[derive(Debug)]
pub(super) struct Decimated<T> {
    entries: Vec<T>,
    max_entries: usize,
    /// Of so many that come, one is kept: a power of two.
    interval: u64,
    received: u64,
}

impl<T> Decimated<T> {
    /// Keeps so many at most; an even number.
    pub fn new(max_entries: usize) -> Decimated<T> {
        debug_assert!(
            max_entries >= 2 && max_entries.is_multiple_of(2),
            "an odd list would keep its last entry twice in a row"
        );
        Decimated {
            entries: Vec::new(),
            max_entries,
            interval: 1,
            received: 0,
        }
    }

    /// An entry comes; whether the list was thinned for it.
    pub fn push(&mut self, entry: T) -> bool {
        let is_wanted = self.received.is_multiple_of(self.interval);
        self.received += 1;
        if !is_wanted {
            return false;
        }
        let is_full = self.entries.len() == self.max_entries;
        if is_full {
            let mut keep = false;
            self.entries.retain(|_| {
                keep = !keep;
                keep
            });
            self.interval *= 2;
        }
        self.entries.push(entry);
        is_full
    }

    /// What is kept.
    pub fn entries(&self) -> &[T] {
        &self.entries
    }

    /// The same, for good.
    pub fn into_entries(self) -> Vec<T> {
        self.entries
    }

    /// Of so many entries one was kept.
    pub fn interval(&self) -> u64 {
        self.interval
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_evenly_spaced_and_never_too_much() {
        let mut decimated = Decimated::new(8);
        let thinnings = (0..1000).filter(|&number| decimated.push(number)).count();
        assert_eq!((thinnings, decimated.interval()), (7, 128));
        assert_eq!(
            decimated.into_entries(),
            [0, 128, 256, 384, 512, 640, 768, 896]
        );
    }

    #[test]
    fn a_short_list_is_complete() {
        let mut decimated = Decimated::new(8);
        (0..8).for_each(|number| assert!(!decimated.push(number)));
        assert_eq!(
            (decimated.interval(), decimated.entries()),
            (1, &[0, 1, 2, 3, 4, 5, 6, 7][..])
        );
    }
}
