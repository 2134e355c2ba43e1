//! Builds the TCP configuration of each end from the keys of a scenario.

use crate::error::{refuse, Unsupported};
use onramp_core::memory::LIFETIME_NS;
use onramp_core::OPTION_PAPER_INITIAL_WINDOW;
use onramp_scenario::{
    Avoidance, Buffer, ByteCounting, Clocks, Given, InitialWindow, IpVersion, Memory, PairForm,
    Parameters, Receiver, Recovery, Sender, Split, Stack, Timers, Train, Transfer, Transfers,
    NO_STARTUP,
};
use onramp_tcp::{Config, Ecn, PacketPair, PathMemory, ReceiveBuffer, Ticks};
use std::sync::Arc;

/// Linux's limit of send-buffer auto-tuning (`net.ipv4.tcp_wmem`) on hosts with enough memory.
const LINUX_SEND_BUFFER_BYTES: u64 = 4 << 20;
/// The MTU of a configuration if the scenario chooses none. The MSS of each flow's own route then
/// limits the segments.
const ANY_MTU_BYTES: u32 = u32::MAX;

/// The keys of a `[[transfer]]` or a `[[traffic]]` table that configure a sender's TCP.
pub(crate) struct SenderKeys<'a> {
    /// Name of the table: `transfer` or `traffic`.
    pub table: &'static str,
    /// The IP version.
    pub ip: IpVersion,
    /// Largest IP packet in bytes. `None`: the path's MTU.
    pub segment_bytes: Option<u32>,
    /// Start-up algorithm, or [`NO_STARTUP`].
    pub startup: &'a str,
    /// Congestion avoidance.
    pub avoidance: Avoidance,
    /// The TCP stack that is modelled.
    pub stack: Stack,
    /// Whether window scaling is offered.
    pub window_scaling: bool,
    /// Whether both ends use explicit congestion notification.
    pub ecn: bool,
    /// Loss recovery.
    pub recovery: Recovery,
    /// Retransmission timer.
    pub timers: Timers,
    /// Resolutions of the host's clocks.
    pub clocks: Clocks,
    /// Limit of the window's growth per ACK in slow start.
    pub byte_counting: ByteCounting,
    /// How the start-up algorithm measures ACK trains.
    pub train: Train,
    /// Values that are given to the start-up algorithm instead of measured.
    pub given: Given,
    /// What the sender remembers about paths.
    pub memory: Memory,
    /// Initial window.
    pub initial_window: InitialWindow,
    /// Initial ssthresh.
    pub initial_ssthresh_bytes: Option<u64>,
    /// Encoding of packet pairs.
    pub pair_form: PairForm,
}

impl<'a> SenderKeys<'a> {
    /// The keys of the measured transfer.
    pub fn from_transfer(transfer: &'a Transfer, receiver: &Receiver) -> SenderKeys<'a> {
        SenderKeys {
            table: "transfer",
            ip: transfer.ip,
            segment_bytes: transfer.segment_bytes,
            startup: &transfer.startup,
            avoidance: transfer.avoidance,
            stack: transfer.stack,
            window_scaling: transfer.window_scaling,
            ecn: transfer.ecn,
            recovery: transfer.recovery,
            timers: transfer.timers,
            clocks: transfer.clocks,
            byte_counting: transfer.byte_counting,
            train: transfer.train,
            given: transfer.given,
            memory: transfer.memory,
            initial_window: transfer.initial_window,
            initial_ssthresh_bytes: transfer.initial_ssthresh_bytes,
            pair_form: receiver.pair_form,
        }
    }

    /// The keys of traffic, which never inherit the transfer's keys.
    pub fn from_traffic(transfers: &'a Transfers) -> SenderKeys<'a> {
        let stack = Config::of(transfers.stack, ANY_MTU_BYTES);
        SenderKeys {
            table: "traffic",
            ip: transfers.ip,
            segment_bytes: None,
            startup: &transfers.startup,
            avoidance: transfers.avoidance,
            stack: transfers.stack,
            window_scaling: stack.window_scaling,
            ecn: transfers.ecn,
            recovery: transfers.recovery,
            timers: transfers.timers,
            clocks: transfers.clocks,
            byte_counting: stack.byte_counting,
            train: Train::default(),
            given: transfers.given,
            memory: Memory::Off,
            initial_window: InitialWindow::Host,
            initial_ssthresh_bytes: transfers.initial_ssthresh_bytes,
            pair_form: transfers.receiver.pair_form,
        }
    }
}

/// Configuration of the end that sends the data.
pub(crate) fn sender(keys: &SenderKeys<'_>, host: &Sender) -> Result<Config, Unsupported> {
    let key = |name: &str| format!("{}.{name}", keys.table);
    let Some(avoidance) = keys.avoidance.in_simulator() else {
        return refuse(key("avoidance"), keys.avoidance.name());
    };
    let startup = match keys.startup {
        NO_STARTUP => None,
        name => match onramp_core::startup_names()
            .iter()
            .find(|known| **known == name)
        {
            Some(known) => Some(*known),
            None => return refuse(key("startup"), name),
        },
    };
    let mtu_bytes = keys.segment_bytes.unwrap_or(ANY_MTU_BYTES);
    let stack = Config::over(keys.ip, keys.stack, mtu_bytes);
    let (initial_window, startup_options) = match keys.initial_window {
        InitialWindow::Host => (stack.initial_window, 0),
        InitialWindow::Paper => (
            onramp_tcp::InitialWindow::Rfc3390,
            OPTION_PAPER_INITIAL_WINDOW,
        ),
        InitialWindow::Segments(segments) => (onramp_tcp::InitialWindow::Segments(segments), 0),
    };
    let parameters = keys.given.parameters;
    let changed = (parameters != Parameters::default()).then(|| Arc::new(parameters));
    Ok(Config {
        window_scaling: keys.window_scaling,
        ecn: ecn_of(keys.ecn),
        // A recovery that needs SACK enables it. The receiver may still not support it.
        sack: stack.sack || keys.recovery.needs_sack(),
        startup,
        startup_options: startup_options | keys.memory.options(),
        startup_variant: keys.given.variant(keys.startup, keys.train),
        startup_parameters: changed,
        memory: (keys.memory != Memory::Off).then(|| PathMemory::new(LIFETIME_NS)),
        pace_bits_per_s: keys.given.pace_bits_per_s,
        gamma_ppm: keys.given.gamma_ppm,
        initial_rate: keys.given.initial_rate,
        reservation: keys.given.reservation(),
        avoidance,
        hystart: !keys.given.hystart_is_off,
        recovery: keys.recovery,
        timers: keys.timers,
        initial_window,
        byte_counting: keys.byte_counting,
        initial_ssthresh_bytes: keys.initial_ssthresh_bytes,
        send_buffer_bytes: match host.buffer {
            Buffer::LinuxDefault => LINUX_SEND_BUFFER_BYTES,
            Buffer::Bytes(bytes) => bytes,
        },
        packet_pair: PacketPair::of_startup(keys.startup, host.packet_pairs),
        pair_form: keys.pair_form,
        nagle: host.nagle,
        window_validation: host.window_validation,
        // Hosts with an older recovery had no segmentation offload.
        paces_in_bursts: stack.paces_in_bursts && keys.recovery == Recovery::Rack,
        ticks: Ticks {
            measure_ns: keys.clocks.clock_ns,
            event_ns: keys.clocks.tick_ns,
            ..stack.ticks
        },
        ..stack
    })
}

/// Whichever end connects asks, and the other one accepts.
fn ecn_of(is_on: bool) -> Ecn {
    match is_on {
        true => Ecn::Request,
        false => Ecn::Off,
    }
}

/// Configuration of the end that receives the data: the sender's stack, with the scenario's keys
/// for the receiver. It has the sender's congestion avoidance if that needs ECN, and so its
/// feedback.
pub(crate) fn receiver(sender: &Config, ecn: bool, host: &Receiver) -> Config {
    let (ip, stack) = (sender.ip, sender.stack);
    let own = Config::over(ip, stack, ANY_MTU_BYTES);
    Config {
        packet_pair: host.packet_pair,
        pair_form: host.pair_form,
        ticks: Ticks {
            measure_ns: host.pair_clock_ns,
            ..own.ticks
        },
        acks: host.acks,
        lie: host.lie,
        timestamps: host.timestamps,
        sack: host.sack,
        window_scaling: host.window_scaling,
        ecn: ecn_of(ecn),
        avoidance: match sender.avoidance.ect() {
            Some(_) => sender.avoidance,
            None => own.avoidance,
        },
        receive_buffer: match host.buffer {
            Buffer::LinuxDefault => ReceiveBuffer::LinuxDefault,
            Buffer::Bytes(bytes) => ReceiveBuffer::Bytes(bytes),
        },
        ..own
    }
}

/// Configuration of a relay's sending end: that of the transfer's sender, with the relay's own
/// buffer. At a fixed rate, it has a clock that is fine enough for this rate, and TCP uses neither
/// start-up nor congestion control.
pub(crate) fn relay_sender(sender: &Config, split: &Split) -> Config {
    let plain = Config {
        send_buffer_bytes: split.buffer_bytes,
        ..sender.clone()
    };
    match split.rate_bits_per_s {
        None => plain,
        fixed_rate_bits_per_s => Config {
            fixed_rate_bits_per_s,
            ticks: Ticks {
                event_ns: Ticks::FINE.event_ns,
                ..plain.ticks
            },
            ..plain
        },
    }
}

/// Configuration of a relay's receiving end: that of the transfer's receiver, with a receive window
/// of exactly the relay's buffer.
pub(crate) fn relay_receiver(receiver: &Config, split: &Split) -> Config {
    Config {
        receive_buffer: ReceiveBuffer::Exactly(split.buffer_bytes),
        ..receiver.clone()
    }
}
