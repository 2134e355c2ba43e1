//! Figure 6: what four estimators make of the same round trips.

use crate::{Bench, Error, Measured};

pub fn measure(_bench: &Bench<'_>) -> Result<Measured, Error> {
    Ok(Measured::default())
}
