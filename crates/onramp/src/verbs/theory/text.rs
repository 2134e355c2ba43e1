//! The scenarios' text, such as a user would write.

/// One flow over a path that only loses packets.
pub struct Single {
    pub tcp: Tcp,
    pub rtt_ms: u32,
    /// The key of the losses, with its value.
    pub loss: String,
    /// Near the steady state, so that slow start does not last.
    pub ssthresh_packets: u32,
    pub duration_s: f64,
    pub repeat: u32,
}

/// The sender's TCP, and when the receiver acknowledges.
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
    /// Payload of a segment without options.
    pub const MSS_BYTES: u32 = 1460;
    /// Counts ACKs, of each segment.
    pub const LITE: Tcp = Tcp {
        stack: "lite",
        recovery: "reno",
        timers: "bsd",
        acks: "every",
        avoidance: "reno",
        sack: false,
    };
    /// Counts ACKs, of every second segment.
    pub const LITE_DELAYED: Tcp = Tcp {
        acks: "delayed",
        ..Single::LITE
    };
    /// Counts segments.
    pub const LINUX: Tcp = Tcp {
        stack: "linux",
        recovery: "rack",
        timers: "linux",
        acks: "linux",
        avoidance: "reno",
        sack: true,
    };
    pub const LINUX_CUBIC: Tcp = Tcp {
        avoidance: "cubic",
        ..Single::LINUX
    };

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
    /// The tables of receiver and transfer, the last one open for more keys.
    pub fn tables(&self) -> String {
        let Tcp {
            stack,
            recovery,
            timers,
            acks,
            avoidance,
            sack,
        } = self;
        // RFC 6298's least timeout is what it says only where clock and ticks are finer.
        let clocks = if *timers == "rfc6298" {
            "clock = \"1 ns\"\ntick = \"1 ns\"\n"
        } else {
            ""
        };
        format!(
            "\n[receiver]\nbuffer = \"64 MiB\"\nacks = \"{acks}\"\nsack = {sack}\n\
             \n[[transfer]]\nsize = \"1000 GB\"\nstack = \"{stack}\"\nstartup = \"none\"\nrecovery = \"{recovery}\"\n\
             timers = \"{timers}\"\navoidance = \"{avoidance}\"\n{clocks}"
        )
    }
}
