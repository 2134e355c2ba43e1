//! The choices in which TCP implementations differ, with the names that scenario files and the
//! command line use.

use crate::header::{IPV4_HEADER_BYTES, IPV6_HEADER_BYTES, TCP_HEADER_BYTES};
use serde::{Deserialize, Serialize};
use std::net::IpAddr;
use strum::{Display, EnumMessage, EnumString, IntoStaticStr, VariantArray};

/// Declares choices. `strum` derives names from the variants, and summaries from their
/// documentation, which is therefore one line each.
macro_rules! choices {
    ($($(#[$meta:meta])* pub enum $choice:ident { $($variants:tt)* })*) => { $(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[derive(Serialize, Deserialize)]
        #[derive(Display, EnumMessage, EnumString, IntoStaticStr, VariantArray)]
        #[serde(rename_all = "kebab-case")]
        #[strum(serialize_all = "kebab-case")]
        pub enum $choice { $($variants)* }

        impl $choice {
            /// All variants, in the order of the help texts.
            pub const ALL: &'static [$choice] = $choice::VARIANTS;

            /// The name that scenario files and the command line use.
            pub fn name(self) -> &'static str {
                self.into()
            }

            /// A description of one line.
            pub fn summary(self) -> &'static str {
                self.get_documentation().expect("every variant is documented")
            }
        }
    )* };
}

choices! {
    /// A TCP implementation: choices that belong together.
    pub enum Stack {
        /// Linux of today: CUBIC, RACK-TLP, quick and delayed ACKs, SACK, timestamps, 10 segments
        Linux,
        /// 4.4BSD-Lite.4: Reno, 500 ms and 200 ms timers, timestamps, no SACK, 1 segment
        Lite,
    }

    /// How lost segments are detected and retransmitted.
    pub enum Recovery {
        /// fast retransmit, then slow start (Jacobson 1988)
        Tahoe,
        /// fast retransmit and fast recovery (RFC 5681)
        Reno,
        /// reno, but no fast retransmit of data that was sent before a timeout (RFC 2582)
        CarefulReno,
        /// careful-reno, and one fast retransmit a window: Reno of the simulator ns (`bugFix_`)
        NsReno,
        /// fast recovery that continues at partial ACKs (RFC 6582)
        #[serde(rename = "newreno")]
        #[strum(serialize = "newreno")]
        NewReno,
        /// newreno, but every partial ACK restarts the retransmission timer (RFC 2582)
        #[serde(rename = "steady-newreno")]
        #[strum(serialize = "steady-newreno")]
        SteadyNewReno,
        /// selective ACKs and a conservative pipe (RFC 6675)
        Sack,
        /// sack with Proportional Rate Reduction (RFC 6937)
        Prr,
        /// time-based detection, tail loss probes (RFC 8985), PRR; undone if spurious, as in Linux
        Rack,
    }

    /// How cwnd grows after the start-up, and how a loss reduces it.
    pub enum Avoidance {
        /// one segment per round trip, half at a loss (RFC 5681)
        Reno,
        /// CUBIC with HyStart, as in Linux (RFC 9438)
        Cubic,
        /// BBR version 1, as in Linux: paces at the delivery rate (Cardwell et al. 2016)
        Bbr,
        /// BBR version 3 of the draft: bounds by losses, with headroom (draft-ietf-ccwg-bbr)
        Bbr3,
        /// keeps two to four segments in the queue (Brakmo & Peterson 1995)
        Vegas,
        /// Reno, but a loss sets ssthresh to measured rate * min RTT (Westwood+)
        Westwood,
        /// Reno that grows by a fraction of the BDP per round trip (Aron & Druschel, appendix B)
        Pipe,
        /// DCTCP: reduces cwnd by half the fraction of marked bytes, with its own ECN (RFC 8257)
        Dctcp,
        /// Prague: DCTCP for the Internet, with ECT(1) for the low-latency queue of L4S (RFC 9331)
        Prague,
    }

    /// How RTTs are measured, and when the retransmission timer expires.
    pub enum Timers {
        /// RFC 6298, with a minimum of 1 s
        Rfc6298,
        /// as in Linux: the deviation term is at least 200 ms
        Linux,
        /// 4.4BSD-Lite.4: ticks of 500 ms, one measurement per round trip
        Bsd,
        /// 4.4BSD with the finer scaling and the floor of Brakmo & Peterson (1995)
        Brakmo,
        /// brakmo without the floor of two ticks more than the last round trip
        BrakmoScaling,
        /// separate measurement and event clocks (Aron & Druschel 1998)
        Decoupled,
        /// the simulator ns of 1996: at least two ticks, doubled by fast retransmits too
        Ns,
    }

    /// What an end does about packet pairs (Nishida et al.).
    pub enum PacketPair {
        /// does not support the option
        None,
        /// measures the peer's pairs and reports their intervals at arrival
        Answer,
        /// answer, and acknowledges the first segment of a pair immediately too
        AnswerAtOnce,
        /// answer-at-once, and sends ACKs as pairs, and fewer of them on a slow return path
        Probe,
    }

    /// What an end does about explicit congestion notification (ECN, RFC 3168).
    pub enum Ecn {
        /// no ECN
        Off,
        /// ECN if the peer asks for it, as Linux does by default (net.ipv4.tcp_ecn = 2)
        Accept,
        /// asks for ECN, and accepts it (net.ipv4.tcp_ecn = 1)
        Request,
    }

    /// The IP version of a connection, which determines the size of its IP headers.
    #[derive(Default)]
    pub enum IpVersion {
        /// IPv4: headers of 20 bytes (RFC 791)
        #[default]
        V4,
        /// IPv6: headers of 40 bytes, without extension headers (RFC 8200)
        V6,
    }

    /// When a receiver sends acknowledgements.
    pub enum Acks {
        /// as in Linux: quick ACKs first, then every second segment or after 40 ms
        Linux,
        /// every second full segment or after 200 ms (RFC 5681)
        Delayed,
        /// every second segment (third with timestamps), or at the next 200 ms tick (4.4BSD)
        Bsd,
        /// every segment
        Every,
        /// every fourth segment or after 5 ms, as a host that joins segments (GRO)
        #[serde(rename = "every-4")]
        #[strum(serialize = "every-4")]
        Every4,
        /// every 16th segment or after 5 ms, as a host that joins segments (GRO)
        #[serde(rename = "every-16")]
        #[strum(serialize = "every-16")]
        Every16,
    }

    /// How a receiver deceives the sender, to get more than its share.
    #[derive(Default)]
    pub enum Lie {
        /// says what is true
        #[default]
        None,
        /// stops the clock of its timestamps after 64 KiB, so that no queue is seen
        Clock,
        /// acknowledges lost segments as soon as a later one arrives
        Losses,
        /// clock and losses
        ClockAndLosses,
        /// losses, and acknowledges segments half a round trip before they arrive
        Early,
        /// acknowledges each segment in eight parts
        Split,
        /// reports each segment as a duplicate (D-SACK)
        Duplicates,
    }
}

impl IpVersion {
    /// Bytes of an IP header without options or extension headers.
    pub const fn header_bytes(self) -> u32 {
        match self {
            IpVersion::V4 => IPV4_HEADER_BYTES,
            IpVersion::V6 => IPV6_HEADER_BYTES,
        }
    }

    /// The MSS of packets of at most `mtu_bytes`, without regard to options.
    pub fn mss_bytes(self, mtu_bytes: u32) -> u16 {
        mtu_bytes
            .saturating_sub(self.header_bytes() + TCP_HEADER_BYTES)
            .clamp(1, u16::MAX.into()) as u16
    }

    /// The version of an address.
    pub const fn of(address: &IpAddr) -> IpVersion {
        match address {
            IpAddr::V4(_) => IpVersion::V4,
            IpAddr::V6(_) => IpVersion::V6,
        }
    }
}

impl Recovery {
    /// Does it need SACK? Without SACK it falls back to [`Recovery::NewReno`].
    pub fn needs_sack(self) -> bool {
        matches!(self, Recovery::Sack | Recovery::Prr | Recovery::Rack)
    }
}

impl PacketPair {
    /// The default of an end with this start-up algorithm. `wants_pairs`: the user has asked for
    /// pairs. The end answers if the algorithm needs pairs, or if it can send pairs and the user
    /// has asked for them.
    pub fn of_startup(startup: &str, wants_pairs: bool) -> PacketPair {
        match onramp_core::needs_pairs(startup) || wants_pairs && onramp_core::sends_pairs(startup)
        {
            true => PacketPair::Answer,
            false => PacketPair::None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::de::value::{Error, StrDeserializer};
    use serde::de::IntoDeserializer;
    use std::fmt::{Debug, Display};
    use std::str::FromStr;

    fn check<T>(all: &[T], name: fn(T) -> &'static str, summary: fn(T) -> &'static str)
    where
        T: Copy + Debug + PartialEq + Display + FromStr + for<'a> Deserialize<'a>,
    {
        for &choice in all {
            let name = name(choice);
            assert_eq!(choice.to_string(), name);
            assert_eq!(name.parse().ok(), Some(choice));
            let text: StrDeserializer<'_, Error> = name.into_deserializer();
            assert_eq!(T::deserialize(text), Ok(choice));
            assert!(!summary(choice).contains('\n'), "{name}");
        }
    }

    #[test]
    fn every_choice_is_read_by_the_name_that_it_is_written_with() {
        check(Stack::ALL, Stack::name, Stack::summary);
        check(Recovery::ALL, Recovery::name, Recovery::summary);
        check(Avoidance::ALL, Avoidance::name, Avoidance::summary);
        check(Timers::ALL, Timers::name, Timers::summary);
        check(PacketPair::ALL, PacketPair::name, PacketPair::summary);
        check(Ecn::ALL, Ecn::name, Ecn::summary);
        check(Acks::ALL, Acks::name, Acks::summary);
        check(Lie::ALL, Lie::name, Lie::summary);
        check(IpVersion::ALL, IpVersion::name, IpVersion::summary);
    }

    #[test]
    fn names_follow_the_literature() {
        assert_eq!(Recovery::SteadyNewReno.name(), "steady-newreno");
        assert_eq!(Timers::Rfc6298.name(), "rfc6298");
        assert_eq!(
            IpVersion::ALL
                .iter()
                .map(|ip| ip.name())
                .collect::<Vec<_>>(),
            ["v4", "v6"]
        );
    }

    /// RFC 6691, section 2: the MSS is the MTU minus the fixed headers of IP and TCP.
    #[test]
    fn ethernet_has_an_mss_of_1460_over_ipv4_and_1440_over_ipv6() {
        assert_eq!(IpVersion::V4.mss_bytes(1500), 1460);
        assert_eq!(IpVersion::V6.mss_bytes(1500), 1440);
        assert_eq!(
            (
                IpVersion::V6.mss_bytes(9),
                IpVersion::V4.mss_bytes(u32::MAX)
            ),
            (1, u16::MAX)
        );
    }
}
