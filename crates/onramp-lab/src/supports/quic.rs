//! The transfers over QUIC that the lab supports: noq on UDP sockets of this kernel.

use super::Unsupported;
use onramp_scenario::units::format_size;
use onramp_scenario::{
    Avoidance, Case, Connect, Connections, Dscp, Memory, PacketPair, Parameters, Recovery, Stack,
    Timers, UDP_HEADER_BYTES,
};

const NOQ: &str = "only noq's QUIC";
const CONTROLLERS: &str = "noq's `cubic`, `bbr` and `reno`";
const PAYLOAD: &str = "packets with at least 1,200 bytes of UDP payload (RFC 9000, section 14)";

/// Maximum number of copies of a transfer over QUIC. Each has two runtimes.
const MAX_COPIES: u32 = 50;
/// The smallest UDP payload of a full packet (RFC 9000, section 14).
const MIN_UDP_PAYLOAD_BYTES: u64 = 1200;

/// noq's controller of this name; its BBR is version 3.
pub fn avoidance(avoidance: Avoidance) -> Option<onramp_hq::Avoidance> {
    match avoidance {
        Avoidance::Cubic => Some(onramp_hq::Avoidance::Cubic),
        Avoidance::Bbr | Avoidance::Bbr3 => Some(onramp_hq::Avoidance::Bbr),
        Avoidance::Reno => Some(onramp_hq::Avoidance::Reno),
        _ => None,
    }
}

/// UDP payload of a full packet of the transfer.
pub fn udp_payload_bytes(case: &Case) -> u64 {
    let transfer = &case.transfer;
    let headers_bytes = u64::from(transfer.ip.header_bytes() + UDP_HEADER_BYTES);
    u64::from(transfer.packet_bytes(case.path.mtu_bytes)).saturating_sub(headers_bytes)
}

/// Checks the keys of a transfer over QUIC.
pub(super) fn transfer(case: &Case) -> Result<(), Unsupported> {
    let transfer = &case.transfer;
    let named = |name: &str| format!("`{name}` over QUIC");
    let is_split = transfer.connections != Connections::ONE || transfer.split.is_some();
    let pairs = case.receiver.packet_pair;
    let writes = transfer.application.as_ref();
    refuse! {
        writes.is_some_and(|writes| writes.write_bytes.len() + writes.every_ns.len() > 2),
            "transfer.write", "different writes over QUIC" => "equal writes over QUIC";
        transfer.requests.is_some(),
            "transfer.requests", "several requests over QUIC" => "one request over QUIC";
        avoidance(transfer.avoidance).is_none(),
            "transfer.avoidance", named(transfer.avoidance.name()) => CONTROLLERS;
        transfer.stack != Stack::Linux, "transfer.stack", named(transfer.stack.name()) => NOQ;
        transfer.recovery != Recovery::Rack,
            "transfer.recovery", named(transfer.recovery.name()) => NOQ;
        transfer.timers != Timers::Linux, "transfer.timers", named(transfer.timers.name()) => NOQ;
        transfer.connect != Connect::Receiver,
            "transfer.connect", named(transfer.connect.name()) => NOQ;
        transfer.memory != Memory::Off, "transfer.memory", named(transfer.memory.name()) => NOQ;
        transfer.given.parameters != Parameters::default(),
            "transfer.parameters", "parameters over QUIC" => NOQ;
        pairs != PacketPair::None, "receiver.packet_pair", named(pairs.name()) => NOQ;
        transfer.dscp != Dscp::BestEffort,
            "transfer.dscp", "marked packets over QUIC" => NOQ;
        is_split, "transfer.connections", "several connections over QUIC" => NOQ;
        transfer.count > MAX_COPIES,
            "transfer.count", format!("{} copies over QUIC", transfer.count)
            => "at most 50 copies over QUIC";
    }
    let payload_bytes = udp_payload_bytes(case);
    refuse! {
        payload_bytes < MIN_UDP_PAYLOAD_BYTES,
            "path.mtu", format!("packets with {} of UDP payload", format_size(payload_bytes))
            => PAYLOAD;
    }
    Ok(())
}
