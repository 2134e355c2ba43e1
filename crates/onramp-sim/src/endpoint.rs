//! From a scenario's hosts and choices to the TCP of each end.

use crate::error::{refuse, Unsupported};
use onramp_core::memory::LIFETIME_NS;
use onramp_core::{
    OPTION_ERE_CALM, OPTION_ERE_LATEST, OPTION_PAPER_INITIAL_WINDOW, OPTION_TRAIN_CLOSEST,
    OPTION_TRAIN_ENDS,
};
use onramp_scenario::{
    Avoidance, Buffer, ByteCounting, Clocks, Given, InitialWindow, Memory, PairForm, Receiver,
    Recovery, Sender, Split, Stack, Timers, Train, Transfer, Transfers, NO_STARTUP,
};
use onramp_tcp::{Config, PacketPair, PathMemory, ReceiveBuffer, Ticks};

/// Linux's limit of send-buffer auto-tuning (`net.ipv4.tcp_wmem`) on hosts with memory enough.
const LINUX_SEND_BUFFER_BYTES: u64 = 4 << 20;
/// The MTU that configurations are made for where nothing is chosen: each flow has the MSS of its
/// own route, if that is less.
const ANY_MTU_BYTES: u32 = u32::MAX;

/// What a sender's TCP is chosen from: the keys of a `[[transfer]]` or a `[[traffic]]` table.
pub(crate) struct SenderKeys<'a> {
    /// `transfer` or `traffic`.
    pub table: &'static str,
    /// Largest IP packet; `None`: as the way takes.
    pub segment_bytes: Option<u32>,
    /// Start-up algorithm, or [`NO_STARTUP`].
    pub startup: &'a str,
    /// Congestion avoidance.
    pub avoidance: Avoidance,
    /// Whose TCP.
    pub stack: Stack,
    /// Takes part in window scaling.
    pub window_scaling: bool,
    /// Loss recovery.
    pub recovery: Recovery,
    /// Retransmission timer.
    pub timers: Timers,
    /// The host's clocks.
    pub clocks: Clocks,
    /// How much an ACK makes its window grow in slow start.
    pub byte_counting: ByteCounting,
    /// How its start-up reads ACKs.
    pub train: Train,
    /// What it need not measure.
    pub given: Given,
    /// What it remembers of paths.
    pub memory: Memory,
    /// Initial window.
    pub initial_window: InitialWindow,
    /// Threshold of the first slow start.
    pub initial_ssthresh_bytes: Option<u64>,
    /// How packet pairs are written.
    pub pair_form: PairForm,
}

impl<'a> SenderKeys<'a> {
    /// Of the measured transfer.
    pub fn from_transfer(transfer: &'a Transfer, receiver: &Receiver) -> SenderKeys<'a> {
        SenderKeys {
            table: "transfer",
            segment_bytes: transfer.segment_bytes,
            startup: &transfer.startup,
            avoidance: transfer.avoidance,
            stack: transfer.stack,
            window_scaling: transfer.window_scaling,
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

    /// Of traffic: always its own keys, never the transfer's.
    pub fn from_traffic(transfers: &'a Transfers) -> SenderKeys<'a> {
        let stack = Config::of(transfers.stack, ANY_MTU_BYTES);
        SenderKeys {
            table: "traffic",
            segment_bytes: None,
            startup: &transfers.startup,
            avoidance: transfers.avoidance,
            stack: transfers.stack,
            window_scaling: stack.window_scaling,
            recovery: transfers.recovery,
            timers: transfers.timers,
            clocks: transfers.clocks,
            byte_counting: stack.byte_counting,
            train: Train::Line,
            given: transfers.given,
            memory: Memory::Off,
            initial_window: InitialWindow::Host,
            initial_ssthresh_bytes: transfers.initial_ssthresh_bytes,
            pair_form: transfers.receiver.pair_form,
        }
    }
}

/// The end that sends the data.
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
    let stack = Config::of(keys.stack, keys.segment_bytes.unwrap_or(ANY_MTU_BYTES));
    let (initial_window, startup_options) = match keys.initial_window {
        InitialWindow::Host => (stack.initial_window, 0),
        InitialWindow::Paper => (
            onramp_tcp::InitialWindow::Rfc3390,
            OPTION_PAPER_INITIAL_WINDOW,
        ),
        InitialWindow::Segments(segments) => (onramp_tcp::InitialWindow::Segments(segments), 0),
    };
    let train = match keys.train {
        Train::Line => 0,
        Train::Ends => OPTION_TRAIN_ENDS,
        Train::Closest => OPTION_TRAIN_CLOSEST,
        Train::Latest => OPTION_ERE_LATEST,
        Train::Calm => OPTION_ERE_CALM,
    };
    Ok(Config {
        window_scaling: keys.window_scaling,
        // What is asked for by name gets what it needs; the receiver may still have none.
        sack: stack.sack || keys.recovery.needs_sack(),
        startup,
        startup_options: startup_options
            | train
            | keys.memory.options()
            | keys.given.without.option,
        memory: (keys.memory != Memory::Off).then(|| PathMemory::new(LIFETIME_NS)),
        pace_bits_per_s: keys.given.pace_bits_per_s,
        gamma_ppm: keys.given.gamma_ppm,
        reservation: keys.given.reservation(),
        avoidance,
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
        ticks: Ticks {
            measure_ns: keys.clocks.clock_ns,
            event_ns: keys.clocks.tick_ns,
            ..stack.ticks
        },
        ..stack
    })
}

/// The end that asks and receives: of the sender's stack, with what the scenario says of it.
pub(crate) fn receiver(stack: Stack, host: &Receiver) -> Config {
    let own = Config::of(stack, ANY_MTU_BYTES);
    Config {
        packet_pair: host.packet_pair,
        pair_form: host.pair_form,
        ticks: Ticks {
            measure_ns: host.pair_clock_ns,
            ..own.ticks
        },
        acks: host.acks,
        timestamps: host.timestamps,
        sack: host.sack,
        window_scaling: host.window_scaling,
        receive_buffer: match host.buffer {
            Buffer::LinuxDefault => ReceiveBuffer::LinuxDefault,
            Buffer::Bytes(bytes) => ReceiveBuffer::Bytes(bytes),
        },
        ..own
    }
}

/// A relay's end that sends: as the transfer's sender, from a buffer of its own. At a rate it has a
/// clock that can keep it, and TCP has neither start-up nor congestion control.
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

/// A relay's end that receives: as the transfer's receiver, but it takes no more than its buffer
/// holds.
pub(crate) fn relay_receiver(receiver: &Config, split: &Split) -> Config {
    Config {
        receive_buffer: ReceiveBuffer::Exactly(split.buffer_bytes),
        ..receiver.clone()
    }
}
