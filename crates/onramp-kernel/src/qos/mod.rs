//! TCP_QOS: reserved rates.

mod option;
mod reservations;
mod socket;

pub(crate) use option::detach;
pub use option::QosOption;
pub(crate) use reservations::MAPS;
pub use reservations::{LimitInForce, Reservations, UserInForce};
pub use socket::{reservation, reserve, Reservation};
