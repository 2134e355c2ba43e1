//! How a value compares with the minimum and the maximum of its key.

/// A value that may have a range.
pub(crate) trait Measure {
    /// The number of the key's range to which the value belongs, and its amount there; `None` where
    /// no range applies.
    fn measure(&self) -> Option<(u8, u64)> {
        None
    }
}

impl Measure for u64 {
    fn measure(&self) -> Option<(u8, u64)> {
        Some((0, *self))
    }
}

impl Measure for u32 {
    fn measure(&self) -> Option<(u8, u64)> {
        Some((0, u64::from(*self)))
    }
}

impl Measure for String {}

impl Measure for &str {}

impl Measure for bool {}
