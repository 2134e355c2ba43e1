//! What TCPs differ in, by the names that scenario files and the command line use.

use serde::{Deserialize, Serialize};

/// Declares an enum whose members have names and summaries.
macro_rules! choices {
    ($(#[$doc:meta])* $name:ident { $($(#[$member_doc:meta])* $member:ident = $text:literal: $summary:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum $name {
            $(#[doc = $summary] #[serde(rename = $text)] $member,)*
        }

        impl $name {
            /// All of them, in the order in which help texts list them.
            pub const ALL: &'static [$name] = &[$($name::$member),*];

            /// The name that scenario files and the command line use.
            pub fn name(self) -> &'static str {
                match self { $($name::$member => $text,)* }
            }

            /// What it is, in a line.
            pub fn summary(self) -> &'static str {
                match self { $($name::$member => $summary,)* }
            }

            /// The member with this name.
            pub fn from_name(name: &str) -> Option<$name> {
                $name::ALL.iter().copied().find(|member| member.name() == name)
            }
        }
    };
}

choices! {
    /// A whole TCP: the choices that belong together.
    Stack {
        Linux = "linux": "Linux of today: RACK-TLP, its timers, quick and delayed ACKs, SACK, timestamps, window scaling, 10 segments",
        Lite = "lite": "4.4BSD-Lite.4: Reno, 500 ms and 200 ms timers, timestamps, window scaling, no SACK, 1 segment",
    }
}

choices! {
    /// How lost segments are found and sent again.
    Recovery {
        Tahoe = "tahoe": "fast retransmit, then slow start (Jacobson 1988)",
        Reno = "reno": "fast retransmit and fast recovery (RFC 5681)",
        CarefulReno = "careful-reno": "reno, but after a timeout no fast retransmit of what was sent before it (RFC 2582)",
        NewReno = "newreno": "fast recovery that goes on at partial ACKs (RFC 6582)",
        SteadyNewReno = "steady-newreno": "newreno, but partial ACKs hold off the timeout, however many losses there are (RFC 2582)",
        Sack = "sack": "selective ACKs and a conservative pipe (RFC 6675)",
        Prr = "prr": "the same losses, sent by Proportional Rate Reduction (RFC 6937)",
        Rack = "rack": "losses found by time, with tail loss probes (RFC 8985), sent by Proportional Rate Reduction",
    }
}

impl Recovery {
    /// It stands on selective acknowledgements, and is [`Recovery::NewReno`] without them.
    pub fn needs_sack(self) -> bool {
        matches!(self, Recovery::Sack | Recovery::Prr | Recovery::Rack)
    }
}

choices! {
    /// How the window grows after the start-up and shrinks at a loss.
    Avoidance {
        Reno = "reno": "one segment a round trip, half at a loss (RFC 5681)",
        Cubic = "cubic": "CUBIC with HyStart, as Linux has it (RFC 9438)",
        Vegas = "vegas": "keeps two to four segments in the queue (Brakmo & Peterson 1995)",
        Westwood = "westwood": "Reno whose threshold after a loss is the measured rate times the least RTT (Westwood+)",
        Pipe = "pipe": "Reno that grows by a fraction of the pipe in a round trip (Aron & Druschel 1998, appendix B)",
    }
}

choices! {
    /// How round trips are measured and when the retransmission timer ends.
    Timers {
        Rfc6298 = "rfc6298": "RFC 6298, at least 1 s",
        Linux = "linux": "as Linux: the deviation's part is at least 200 ms",
        Bsd = "bsd": "4.4BSD-Lite.4: ticks of 500 ms, one measurement a round trip",
        Brakmo = "brakmo": "4.4BSD with the finer scaling of Brakmo & Peterson (1995)",
        Decoupled = "decoupled": "measurement and event clocks apart (Aron & Druschel 1998)",
        Ns = "ns": "the simulator ns of 1996: RTTs in ticks of the clock, at least two, doubled by fast retransmits too",
    }
}

choices! {
    /// What an end does about packet pairs (Nishida et al.).
    PacketPair {
        None = "none": "does not know the option",
        Answer = "answer": "measures the peer's pairs and reports how far apart they arrived",
        AnswerAtOnce = "answer-at-once": "answers, and acknowledges the first segment of a pair at once too",
        Probe = "probe": "answers at once, marks its acknowledgements as pairs too, and sends fewer of them where their way is slower",
    }
}

impl PacketPair {
    /// Of an end, where nothing else is chosen: a start-up that is of no use without pairs wants
    /// them answered, and answers; so does any that sends pairs, where the user wants that.
    pub fn of_startup(startup: &str, wants_pairs: bool) -> PacketPair {
        match onramp_core::needs_pairs(startup) || wants_pairs && onramp_core::sends_pairs(startup)
        {
            true => PacketPair::Answer,
            false => PacketPair::None,
        }
    }
}

choices! {
    /// When a receiver acknowledges.
    Acks {
        Linux = "linux": "as Linux: quick ACKs first, then every second segment or after 40 ms",
        Delayed = "delayed": "every second full segment or after 200 ms (RFC 5681)",
        Bsd = "bsd": "every second segment, with timestamps every third, or at the next tick of 200 ms (4.4BSD)",
        Every = "every": "every segment",
    }
}
