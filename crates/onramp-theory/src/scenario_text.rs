//! The text of the scenario files. Users can write them out and run them with `onramp sim`.

/// One flow over a path of 100 Gbit/s whose only impairment is packet loss.
pub struct Single {
    /// The sender's TCP, and when the receiver acknowledges.
    pub tcp: Tcp,
    /// Round-trip time without queueing.
    pub rtt_ms: u32,
    /// The line of the scenario file that sets the loss.
    pub loss: String,
    /// Initial ssthresh. It is near the steady state, so that slow start is short.
    pub ssthresh_packets: u32,
    /// Length of a run.
    pub duration_s: f64,
    /// Number of runs, each with another seed.
    pub repeat: u32,
}

/// The sender's TCP, and when the receiver acknowledges. The strings are values of scenario keys.
#[derive(Clone, Copy, Debug)]
pub struct Tcp {
    pub stack: &'static str,
    pub recovery: &'static str,
    pub timers: &'static str,
    pub acks: &'static str,
    pub avoidance: &'static str,
    pub sack: bool,
}

impl Single {
    /// Payload of a segment without TCP options.
    pub const MSS_BYTES: u32 = 1460;
    /// Counts ACKs. The receiver acknowledges each segment.
    pub const LITE: Tcp = Tcp {
        stack: "lite",
        recovery: "reno",
        timers: "bsd",
        acks: "every",
        avoidance: "reno",
        sack: false,
    };
    /// Counts ACKs. The receiver acknowledges every second segment.
    pub const LITE_DELAYED: Tcp = Tcp {
        acks: "delayed",
        ..Single::LITE
    };
    /// Counts acknowledged segments, with Reno.
    pub const LINUX: Tcp = Tcp {
        stack: "linux",
        recovery: "rack",
        timers: "linux",
        acks: "linux",
        avoidance: "reno",
        sack: true,
    };
    /// As [`Single::LINUX`], with CUBIC.
    pub const LINUX_CUBIC: Tcp = Tcp {
        avoidance: "cubic",
        ..Single::LINUX
    };

    /// The scenario file.
    pub fn scenario(&self, name: &str) -> String {
        let Single {
            rtt_ms,
            loss,
            ssthresh_packets,
            duration_s,
            repeat,
            ..
        } = self;
        let ssthresh_bytes = Single::MSS_BYTES * ssthresh_packets.max(&2);
        let duration_ms = (duration_s * 1000.0).ceil();
        format!(
            "name = \"theory-{name}\"\n\
             \n[run]\nduration = \"{duration_ms} ms\"\n\
             \n[path]\nrate = \"100 Gbit/s\"\nrtt = \"{rtt_ms} ms\"\n{loss}\n\
             {}\
             initial_ssthresh = \"{ssthresh_bytes} B\"\nrepeat = {repeat}\n",
            self.tcp.tables()
        )
    }
}

impl Tcp {
    /// The tables `[receiver]` and `[[transfer]]`. The caller may append keys of the transfer.
    pub fn tables(&self) -> String {
        let Tcp {
            stack,
            recovery,
            timers,
            acks,
            avoidance,
            sack,
        } = self;
        // The minimum RTO of RFC 6298 is exact only with a clock and ticks that are finer.
        let clocks = if *timers == "rfc6298" {
            "clock = \"1 ns\"\ntick = \"1 ns\"\n"
        } else {
            ""
        };
        format!(
            "\n[receiver]\nbuffer = \"64 MiB\"\nacks = \"{acks}\"\nsack = {sack}\n\
             \n[[transfer]]\nsize = \"1000 GB\"\nstack = \"{stack}\"\nstartup = \"none\"\n\
             recovery = \"{recovery}\"\ntimers = \"{timers}\"\navoidance = \
                 \"{avoidance}\"\n{clocks}"
        )
    }
}
