//! What a transfer over QUIC supports: noq sends, and keys that describe a TCP have no meaning.

use crate::model::{
    Avoidance, Case, Clocks, Connect, Connections, Given, InitialWindow, Transfer, NO_STARTUP,
};
use onramp_config::units::{format_size, format_time};
use onramp_core::pairs::Form;
use onramp_tcp::{ByteCounting, Config, PacketPair, Stack, TCP_HEADER_BYTES};

/// The UDP header.
pub const UDP_HEADER_BYTES: u32 = 8;
/// Every path must take UDP datagrams of this size (RFC 9000, section 14).
const MIN_DATAGRAM_BYTES: u32 = 1200;

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
    check(
        packet_bytes >= MIN_DATAGRAM_BYTES + header_bytes,
        "path.mtu",
        || format_size(packet_bytes.into()),
        "packets of 1228 B or more over IPv4, 1248 B or more over IPv6",
    )
}

/// The keys of a sender's TCP.
fn tcp(transfer: &Transfer) -> Result<(), NotInQuic> {
    let usual = Config::of(Stack::Linux, 1500);
    let name = |name: &str| name.to_owned();
    check(
        transfer.stack == Stack::Linux,
        "transfer.stack",
        || name(transfer.stack.name()),
        "the stack of noq alone",
    )?;
    check(
        transfer.window_scaling == usual.window_scaling,
        "transfer.window_scaling",
        || name("false"),
        "windows that need no scaling",
    )?;
    check(
        transfer.recovery == usual.recovery,
        "transfer.recovery",
        || name(transfer.recovery.name()),
        "noq's own recovery",
    )?;
    check(
        transfer.timers == usual.timers,
        "transfer.timers",
        || name(transfer.timers.name()),
        "noq's own timers",
    )?;
    let Clocks { clock_ns, tick_ns } = Clocks::of(Stack::Linux);
    let clocks = transfer.clocks;
    for (key, ns, usual_ns) in [
        ("transfer.clock", clocks.clock_ns, clock_ns),
        ("transfer.tick", clocks.tick_ns, tick_ns),
    ] {
        let asked = || format_time(ns);
        check(ns == usual_ns, key, asked, "clocks of a nanosecond")?;
    }
    check(
        transfer.byte_counting == ByteCounting::Unlimited,
        "transfer.byte_counting",
        || name("a limit"),
        "`unlimited`",
    )?;
    check(
        transfer.connect == Connect::Receiver,
        "transfer.connect",
        || name(transfer.connect.name()),
        "`receiver`",
    )
}

/// The start-up, the avoidance and their first window.
fn congestion_control(transfer: &Transfer) -> Result<(), NotInQuic> {
    let avoidances = [Avoidance::Cubic, Avoidance::Reno, Avoidance::Bbr3];
    check(
        avoidances.contains(&transfer.avoidance),
        "transfer.avoidance",
        || transfer.avoidance.name().to_owned(),
        "noq's `cubic`, `reno` and `bbr3`",
    )?;
    check(
        transfer.startup == NO_STARTUP || transfer.avoidance == Avoidance::Cubic,
        "transfer.avoidance",
        || format!("{} after {}", transfer.avoidance.name(), transfer.startup),
        "`cubic` after a start-up",
    )?;
    let Given {
        gamma_ppm,
        qos_rate_bits_per_s,
        ..
    } = transfer.given;
    check(
        gamma_ppm.is_none(),
        "transfer.gamma",
        || "a share".to_owned(),
        "the share that the start-up measures",
    )?;
    check(
        qos_rate_bits_per_s.is_none(),
        "transfer.qos_rate",
        || "a reserved rate".to_owned(),
        "start-ups without a reservation",
    )?;
    check(
        transfer.initial_window != InitialWindow::Paper,
        "transfer.initial_window",
        || "paper".to_owned(),
        "`host` or a number of segments",
    )?;
    check(
        transfer.initial_ssthresh_bytes.is_none(),
        "transfer.initial_ssthresh",
        || "an initial ssthresh".to_owned(),
        "an unlimited one",
    )
}

/// Several connections of a transfer.
fn connections(transfer: &Transfer) -> Result<(), NotInQuic> {
    let one = "one connection from end to end";
    check(
        transfer.split.is_none(),
        "transfer.split",
        || "relays".to_owned(),
        one,
    )?;
    check(
        transfer.connections == Connections::ONE,
        "transfer.connections",
        || "several connections".to_owned(),
        one,
    )
}

/// The keys of both hosts.
fn hosts(case: &Case) -> Result<(), NotInQuic> {
    let (sender, receiver) = (&case.sender, &case.receiver);
    let usual = Config::of(Stack::Linux, 1500);
    let switches = [
        ("sender.nagle", sender.nagle, true),
        ("sender.window_validation", sender.window_validation, true),
        ("receiver.timestamps", receiver.timestamps, usual.timestamps),
        ("receiver.sack", receiver.sack, usual.sack),
        (
            "receiver.window_scaling",
            receiver.window_scaling,
            usual.window_scaling,
        ),
    ];
    for (key, is_on, usually) in switches {
        let asked = || is_on.to_string();
        check(is_on == usually, key, asked, "what has no option of TCP")?;
    }
    check(
        receiver.acks == usual.acks,
        "receiver.acks",
        || receiver.acks.name().to_owned(),
        "noq's own ACKs",
    )?;
    check(
        receiver.packet_pair == PacketPair::None && receiver.pair_form == Form::Experiment,
        "receiver.packet_pair",
        || receiver.packet_pair.name().to_owned(),
        "receivers without packet pairs",
    )
}

fn check(
    is_supported: bool,
    key: &'static str,
    asked: impl FnOnce() -> String,
    supported: &'static str,
) -> Result<(), NotInQuic> {
    match is_supported {
        true => Ok(()),
        false => Err(NotInQuic {
            key,
            asked: asked(),
            supported,
        }),
    }
}
