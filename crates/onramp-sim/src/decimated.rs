//! A list with a maximum length. When it is full, every other entry is removed, and from then on
//! only every other entry is kept.

/// A list of entries in order, with a maximum length.
#[derive(Debug)]
pub struct Decimated<T> {
    entries: Vec<T>,
    max_entries: usize,
    /// One of this many entries is kept; a power of two.
    interval: u64,
    received: u64,
}

impl<T> Decimated<T> {
    /// Creates an empty list that keeps at most `max_entries`, an even number.
    pub fn new(max_entries: usize) -> Decimated<T> {
        debug_assert!(
            max_entries >= 2 && max_entries.is_multiple_of(2),
            "with an odd maximum the spacing would not stay even"
        );
        Decimated {
            entries: Vec::new(),
            max_entries,
            interval: 1,
            received: 0,
        }
    }

    /// Adds an entry. Returns whether the list was decimated to make room.
    pub fn push(&mut self, entry: T) -> bool {
        let is_kept = self.received.is_multiple_of(self.interval);
        self.received += 1;
        if !is_kept {
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

    /// The kept entries.
    pub fn entries(&self) -> &[T] {
        &self.entries
    }

    /// The newest kept entry.
    pub fn last_mut(&mut self) -> Option<&mut T> {
        self.entries.last_mut()
    }

    /// The kept entries, by value.
    pub fn into_entries(self) -> Vec<T> {
        self.entries
    }

    /// One of this many entries is kept.
    pub fn interval(&self) -> u64 {
        self.interval
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_entries_are_evenly_spaced_and_within_the_maximum() {
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
