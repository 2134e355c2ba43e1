//! The congestion avoidances to which a start-up can hand a connection over.

use crate::{Error, Result};
use strum::{EnumString, FromRepr, IntoStaticStr, VariantArray};

/// A congestion avoidance of the kernel that `bpf/startup/avoidance.h` can call.
///
/// The numbers are those of `enum onramp_avoidance`.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, EnumString, FromRepr, IntoStaticStr, VariantArray,
)]
#[strum(serialize_all = "lowercase")]
#[repr(u32)]
pub enum Avoidance {
    /// CUBIC (RFC 9438).
    Cubic = 0,
    /// BBR.
    Bbr = 1,
    /// Reno (RFC 5681).
    Reno = 2,
}

impl Avoidance {
    /// All of them.
    pub const ALL: &[Avoidance] = Avoidance::VARIANTS;

    /// The avoidance with this name.
    ///
    /// # Errors
    /// [`Error::UnknownAvoidance`] if no start-up can hand over to it in any kernel.
    pub fn named(name: &str) -> Result<Avoidance> {
        name.parse().map_err(|_| Error::UnknownAvoidance {
            avoidance: name.to_owned(),
        })
    }

    /// The name of the kernel's congestion control.
    pub fn name(self) -> &'static str {
        self.into()
    }

    pub(crate) fn number(self) -> u32 {
        self as u32
    }
}
