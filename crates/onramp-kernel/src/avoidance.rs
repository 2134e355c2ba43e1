//! The congestion avoidances to which a start-up can hand a connection over.

use onramp_bpf::bindings::{AVOIDANCE_BBR, AVOIDANCE_CUBIC, AVOIDANCE_RENO};
use strum::{EnumString, FromRepr, IntoStaticStr, VariantArray};

/// A congestion avoidance of the kernel that the BPF programs can call.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, EnumString, FromRepr, IntoStaticStr, VariantArray,
)]
#[strum(serialize_all = "lowercase")]
#[repr(u32)]
pub enum Avoidance {
    /// CUBIC (RFC 9438).
    Cubic = AVOIDANCE_CUBIC,
    /// BBR.
    Bbr = AVOIDANCE_BBR,
    /// Reno (RFC 5681).
    Reno = AVOIDANCE_RENO,
}

impl Avoidance {
    /// All of them.
    pub const ALL: &[Avoidance] = Avoidance::VARIANTS;

    /// The avoidance with this name; `None` if no start-up can hand over to it in any kernel.
    pub fn named(name: &str) -> Option<Avoidance> {
        name.parse().ok()
    }

    /// The name of the kernel's congestion control.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Its number in `enum onramp_avoidance`.
    pub(crate) fn number(self) -> u32 {
        self as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_kernels_controls() {
        for &avoidance in Avoidance::ALL {
            assert_eq!(Avoidance::named(avoidance.name()), Some(avoidance));
        }
        assert_eq!(Avoidance::Bbr.name(), "bbr");
        assert_eq!(Avoidance::named("vegas"), None);
    }
}
