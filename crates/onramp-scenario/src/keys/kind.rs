//! The types of values.

/// The type of a key's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Name,
    Text,
    Integer,
    Boolean,
    Rate,
    Time,
    Size,
    Share,
    Packets,
    Queue,
    Buffer,
    Window,
    Counting,
    Frequency,
    Node,
    Startup,
    Avoidance,
    Stack,
    Recovery,
    Timers,
    Connect,
    Connections,
    Train,
    Acks,
    Discipline,
    Traffic,
    Distribution,
}

impl Kind {
    /// The type, as the manual names it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Name => "name",
            Kind::Text => "text",
            Kind::Integer => "integer",
            Kind::Boolean => "true or false",
            Kind::Rate => "rate",
            Kind::Time => "time",
            Kind::Size => "size",
            Kind::Share => "share",
            Kind::Packets => "packets",
            Kind::Queue => "queue",
            Kind::Buffer => "buffer",
            Kind::Window => "initial window",
            Kind::Counting => "byte counting",
            Kind::Frequency => "frequency",
            Kind::Node => "node",
            Kind::Startup => "start-up",
            Kind::Avoidance => "avoidance",
            Kind::Stack => "stack",
            Kind::Recovery => "recovery",
            Kind::Timers => "timers",
            Kind::Connect => "end",
            Kind::Connections => "connections",
            Kind::Train => "reading",
            Kind::Acks => "acks",
            Kind::Discipline => "discipline",
            Kind::Traffic => "kind of traffic",
            Kind::Distribution => "distribution",
        }
    }

    /// What to write, as messages put it.
    pub(crate) fn expected(self) -> &'static str {
        match self {
            Kind::Name => "a name in quotes, for example \"geo-download\"",
            Kind::Text => "a text in quotes",
            Kind::Integer => "a whole number without quotes, for example 3",
            Kind::Boolean => "true or false, without quotes",
            Kind::Rate => "a rate with its unit in quotes, for example \"50 Mbit/s\"",
            Kind::Time => "a time with its unit in quotes, for example \"600 ms\"",
            Kind::Size => "a size with its unit in quotes, for example \"1 MB\"",
            Kind::Share => "a percentage in quotes, for example \"0.5 %\"",
            Kind::Packets => "a number of packets in quotes, for example \"100 packets\"",
            Kind::Queue => "a queue with its unit in quotes, for example \"0.5 bdp\", \"40 packets\" or \"256 KiB\"",
            Kind::Buffer => "a buffer in quotes: \"linux-default\", or a size, for example \"64 MiB\"",
            Kind::Window => "an initial window in quotes: \"host\", \"paper\" or, for example, \"10 segments\"",
            Kind::Counting => "a limit in quotes: \"unlimited\" or, for example, \"2 segments\"",
            Kind::Frequency => "a number a second in quotes, for example \"5 /s\"",
            Kind::Node => "the name of a node in quotes",
            Kind::Startup => "the name of a start-up in quotes, for example \"paced\"",
            Kind::Avoidance => "the name of a congestion avoidance in quotes, for example \"cubic\"",
            Kind::Stack => "the name of a stack in quotes, for example \"linux\"",
            Kind::Recovery => "the name of a loss recovery in quotes, for example \"newreno\"",
            Kind::Timers => "the name of timers in quotes, for example \"bsd\"",
            Kind::Connect => "the end that connects in quotes: \"receiver\" or \"sender\"",
            Kind::Connections => "a number of connections without quotes, for example 4, or \"adaptive\"",
            Kind::Train => "a reading of ACKs in quotes: \"line\", \"ends\" or \"closest\"",
            Kind::Acks => "the name of a way to acknowledge in quotes, for example \"delayed\"",
            Kind::Discipline => "the name of a queue discipline in quotes, for example \"codel\"",
            Kind::Traffic => "a kind of traffic in quotes: \"transfer\", \"constant\" or \"on-off\"",
            Kind::Distribution => "a distribution in quotes: \"exponential\" or \"fixed\"",
        }
    }
}
