//! What a transfer over QUIC supports: noq sends, and keys that describe a TCP have no meaning.

use crate::model::{
    Avoidance, Case, Clocks, Connect, Connections, InitialWindow, Transfer, NO_STARTUP,
    UDP_HEADER_BYTES,
};
use onramp_config::units::{format_size, format_time};
use onramp_core::pairs::Form;
use onramp_tcp::{ByteCounting, Config, Lie, PacketPair, Stack, TCP_HEADER_BYTES};

/// Every path must take UDP datagrams of this size (RFC 9000, section 14).
const MIN_DATAGRAM_BYTES: u32 = 1200;

const CLOCKS: &str = "clocks of a nanosecond";
const ONE_CONNECTION: &str = "one connection from end to end";

/// A case with a transfer over QUIC asks for something that QUIC does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotInQuic {
    /// The key of the scenario file.
    pub key: &'static str,
    /// The value that it asks for.
    pub asked: String,
    /// The values that transfers over QUIC support.
    pub supported: &'static str,
}

/// Payload of the UDP datagram in an IP packet of TCP with a segment of this size, without options.
pub fn udp_payload_bytes(mss_bytes: u16) -> u16 {
    mss_bytes + (TCP_HEADER_BYTES - UDP_HEADER_BYTES) as u16
}

/// Returns the first line whose condition holds: `CONDITION, KEY, ASKED => SUPPORTED;`
macro_rules! refuse {
    ($($condition:expr, $key:expr, $asked:expr => $supported:expr;)*) => {$(
        if $condition {
            return Err(NotInQuic { key: $key, asked: String::from($asked), supported: $supported });
        }
    )*};
}

/// Checks the keys of a case whose transfer is over QUIC.
///
/// # Errors
/// [`NotInQuic`] names the first key that QUIC does not support.
pub fn quic_supports(case: &Case) -> Result<(), NotInQuic> {
    tcp(&case.transfer)?;
    congestion_control(&case.transfer)?;
    connections(&case.transfer)?;
    hosts(case)?;
    let packet_bytes = case.transfer.packet_bytes(case.path.mtu_bytes);
    let header_bytes = case.transfer.ip.header_bytes() + UDP_HEADER_BYTES;
    refuse! {
        packet_bytes < MIN_DATAGRAM_BYTES + header_bytes,
            "path.mtu", format_size(packet_bytes.into())
            => "packets of 1228 B or more over IPv4, 1248 B or more over IPv6";
    }
    Ok(())
}

/// The keys of a sender's TCP.
fn tcp(transfer: &Transfer) -> Result<(), NotInQuic> {
    let usual = Config::of(Stack::Linux, 1500);
    let usual_clocks = Clocks::of(Stack::Linux);
    let Clocks { clock_ns, tick_ns } = transfer.clocks;
    refuse! {
        transfer.stack != Stack::Linux,
            "transfer.stack", transfer.stack.name() => "the stack of noq alone";
        transfer.window_scaling != usual.window_scaling,
            "transfer.window_scaling", "false" => "windows that need no scaling";
        transfer.recovery != usual.recovery,
            "transfer.recovery", transfer.recovery.name() => "noq's own recovery";
        transfer.timers != usual.timers,
            "transfer.timers", transfer.timers.name() => "noq's own timers";
        clock_ns != usual_clocks.clock_ns,
            "transfer.clock", format_time(clock_ns) => CLOCKS;
        tick_ns != usual_clocks.tick_ns,
            "transfer.tick", format_time(tick_ns) => CLOCKS;
        transfer.byte_counting != ByteCounting::Unlimited,
            "transfer.byte_counting", "a limit" => "`unlimited`";
        transfer.connect != Connect::Receiver,
            "transfer.connect", transfer.connect.name() => "`receiver`";
    }
    Ok(())
}

/// The start-up, the avoidance and their first window.
fn congestion_control(transfer: &Transfer) -> Result<(), NotInQuic> {
    let avoidance = transfer.avoidance;
    refuse! {
        ![Avoidance::Cubic, Avoidance::Reno, Avoidance::Bbr3].contains(&avoidance),
            "transfer.avoidance", avoidance.name() => "noq's `cubic`, `reno` and `bbr3`";
        transfer.startup != NO_STARTUP && avoidance != Avoidance::Cubic,
            "transfer.avoidance", format!("{} after {}", avoidance.name(), transfer.startup)
            => "`cubic` after a start-up";
        transfer.given.gamma_ppm.is_some(),
            "transfer.gamma", "a share" => "the share that the start-up measures";
        transfer.given.qos_rate_bits_per_s.is_some(),
            "transfer.qos_rate", "a reserved rate" => "start-ups without a reservation";
        transfer.given.hystart_is_off,
            "transfer.hystart", "false" => "noq's own CUBIC";
        transfer.initial_window == InitialWindow::Paper,
            "transfer.initial_window", "paper" => "`host` or a number of segments";
        transfer.initial_ssthresh_bytes.is_some(),
            "transfer.initial_ssthresh", "an initial ssthresh" => "an unlimited one";
    }
    Ok(())
}

/// Several connections of a transfer.
fn connections(transfer: &Transfer) -> Result<(), NotInQuic> {
    refuse! {
        transfer.split.is_some(),
            "transfer.split", "relays" => ONE_CONNECTION;
        transfer.connections != Connections::ONE,
            "transfer.connections", "several connections" => ONE_CONNECTION;
        transfer.requests.is_some(),
            "transfer.requests", "several requests" => "one request";
    }
    Ok(())
}

/// The keys of both hosts.
fn hosts(case: &Case) -> Result<(), NotInQuic> {
    let (sender, receiver) = (&case.sender, &case.receiver);
    let usual = Config::of(Stack::Linux, 1500);
    for (key, is_on, usually) in [
        ("sender.nagle", sender.nagle, true),
        ("sender.window_validation", sender.window_validation, true),
        ("receiver.timestamps", receiver.timestamps, usual.timestamps),
        ("receiver.sack", receiver.sack, usual.sack),
        (
            "receiver.window_scaling",
            receiver.window_scaling,
            usual.window_scaling,
        ),
    ] {
        refuse! { is_on != usually, key, is_on.to_string() => "what has no option of TCP"; }
    }
    refuse! {
        receiver.lie != Lie::None,
            "receiver.lie", receiver.lie.name() => "receivers that say what is true";
        receiver.acks != usual.acks,
            "receiver.acks", receiver.acks.name() => "noq's own ACKs";
        receiver.packet_pair != PacketPair::None || receiver.pair_form != Form::Experiment,
            "receiver.packet_pair", receiver.packet_pair.name()
            => "receivers without packet pairs";
    }
    Ok(())
}
