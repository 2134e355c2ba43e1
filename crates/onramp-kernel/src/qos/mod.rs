//! TCP_QOS: reserved rates.

mod option;
mod reservations;
mod socket;

pub(crate) use option::detach;
pub use option::QosOption;
pub use reservations::{LimitInForce, Reservations};
pub use socket::{reservation, reserve, Reservation};
