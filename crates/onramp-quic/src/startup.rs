//! The start-ups that an application chooses in its code.

use core::fmt;

/// Declares the enum from the names of the registry.
macro_rules! startups {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// A start-up that runs over QUIC with no more than its name. `qos`, which needs a rate,
        /// and algorithms that are added to the registry are in
        /// [`Settings::named`](crate::Settings::named).
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Startup {
            $($(#[$doc])* $variant,)*
        }

        impl Startup {
            /// All of them, in the registry's order.
            pub const ALL: &[Startup] = &[$(Startup::$variant),*];

            /// The name in the registry, and in scenario files.
            pub fn name(self) -> &'static str {
                match self {
                    $(Startup::$variant => $name,)*
                }
            }
        }
    };
}

startups! {
    /// Slow start as it is (RFC 5681).
    Standard = "standard",
    /// ssthresh from ACK spacing, then paced (Aron & Druschel 1998).
    Paced = "paced",
    /// A share of the window as threshold (Chaher et al. 1998).
    Gamma = "gamma",
    /// Slow start at the rate of its ACKs (Chaher et al. 1998).
    Spaced = "spaced",
    /// ssthresh raised to the eligible rate, again and again (Wang et al.).
    AdaptiveStart = "astart",
    /// ssthresh from three acknowledgements, once (Hoe 1996).
    Hoe = "hoe",
    /// BBRv3's STARTUP and DRAIN (draft-ietf-ccwg-bbr).
    BbrStartup = "bbrstart",
    /// Rapid Start: cwnd x3 in a round while no queue builds up.
    RapidStart = "rapid",
    /// cwnd lifted to half of the BDP at the peak rate (picoquic).
    Lift = "lift",
    /// This project's: measured in the first round trip, paced, validated, raised.
    #[default]
    Onramp = "onramp",
    /// HyStart++ (RFC 9406).
    HyStart = "hystart",
    /// SEARCH (draft of the CCWG).
    Search = "search",
    /// SUSS (2024).
    Suss = "suss",
    /// Jump Start: the whole receiver's window, paced in the first round trip.
    JumpStart = "jump",
    /// Halfback without ROPR: up to 141 kB, paced in the first round trip.
    Halfback = "halfback",
}

impl fmt::Display for Startup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{startup_names, Settings};

    #[test]
    fn each_runs_over_quic_and_needs_no_rate() {
        for startup in Startup::ALL {
            let name = startup.name();
            assert!(startup_names().any(|known| known == name), "{name}");
            assert!(!onramp_core::reserves(name), "{name}");
            assert_eq!(Settings::new(*startup).startup(), name);
        }
    }
}
