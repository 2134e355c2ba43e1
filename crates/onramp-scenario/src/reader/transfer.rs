//! `[receiver]`, `[sender]` and `[[transfer]]`.

use super::channel::need;
use super::values::{avoidance, boolean, choice, connections, startup};
use super::ways::Ways;
use crate::cases::{ReceiverDraft, SenderDraft, TransferDraft};
use crate::document::{integer, quantity, Reader, Section};
use crate::keys;
use crate::units::{parse_rate, parse_size, parse_time};
use crate::{Acks, Application, Connect, Recovery, Split, Stack, Timers, Train};

pub(super) fn read_receiver(reader: &mut Reader, top: &Section) -> Option<ReceiverDraft> {
    let section = reader.table(top, &keys::RECEIVER);
    let buffers = reader.list(&section, &keys::RECEIVER_BUFFER, &quantity(str::parse));
    let acks = reader.one(&section, &keys::RECEIVER_ACKS, &choice(Acks::ALL, Acks::name));
    let timestamps = reader.one(&section, &keys::RECEIVER_TIMESTAMPS, &boolean);
    let sack = reader.one(&section, &keys::RECEIVER_SACK, &boolean);
    let window_scaling = reader.one(&section, &keys::RECEIVER_SCALING, &boolean);
    Some(ReceiverDraft { buffers: buffers?, acks, timestamps, sack, window_scaling })
}

pub(super) fn read_sender(reader: &mut Reader, top: &Section) -> Option<SenderDraft> {
    let section = reader.table(top, &keys::SENDER);
    let buffers = reader.list(&section, &keys::SENDER_BUFFER, &quantity(str::parse));
    let nagle = reader.one(&section, &keys::SENDER_NAGLE, &boolean);
    Some(SenderDraft { buffers: buffers?, nagle: nagle? })
}

pub(super) fn read_transfer(
    reader: &mut Reader,
    startups: &[&str],
    ways: &Ways,
    section: &Section,
) -> Option<TransferDraft> {
    let sizes = reader.list(section, &keys::TRANSFER_SIZE, &quantity(parse_size));
    let stacks = reader.list(section, &keys::TRANSFER_STACK, &choice(Stack::ALL, Stack::name));
    let recoveries = reader.list(section, &keys::TRANSFER_RECOVERY, &choice(Recovery::ALL, Recovery::name));
    let timers = reader.list(section, &keys::TRANSFER_TIMERS, &choice(Timers::ALL, Timers::name));
    let clocks_ns = reader.list(section, &keys::TRANSFER_CLOCK, &quantity(parse_time));
    let ticks_ns = reader.list(section, &keys::TRANSFER_TICK, &quantity(parse_time));
    let startups = reader.list(section, &keys::TRANSFER_STARTUP, &startup(startups));
    let avoidances = reader.list(section, &keys::TRANSFER_AVOIDANCE, &avoidance);
    let connect = reader.one(section, &keys::TRANSFER_CONNECT, &choice(&Connect::ALL, Connect::name));
    let train = reader.one(section, &keys::TRANSFER_TRAIN, &choice(&Train::ALL, Train::name));
    let windows = reader.list(section, &keys::TRANSFER_WINDOW, &quantity(str::parse));
    let initial_ssthresh_bytes = reader.one(section, &keys::TRANSFER_SSTHRESH, &quantity(parse_size));
    let connections = reader.list(section, &keys::TRANSFER_CONNECTIONS, &connections);
    let count = reader.one(section, &keys::TRANSFER_COUNT, &integer::<u32>);
    let start_ns = reader.one(section, &keys::TRANSFER_START, &quantity(parse_time));
    let spacing_ns = reader.one(section, &keys::TRANSFER_SPACING, &quantity(parse_time));
    let write_bytes = reader.one(section, &keys::TRANSFER_WRITE, &quantity(parse_size));
    let every_ns = reader.one(section, &keys::TRANSFER_EVERY, &quantity(parse_time));
    need(reader, section, &keys::TRANSFER_WRITE, &keys::TRANSFER_EVERY);
    need(reader, section, &keys::TRANSFER_EVERY, &keys::TRANSFER_WRITE);
    let repeat = reader.one(section, &keys::TRANSFER_REPEAT, &integer::<u32>);
    let ends = ways.read(reader, section, [&keys::TRANSFER_FROM, &keys::TRANSFER_TO], count.unwrap_or(1));
    let (from, to) = ends?;
    let split = read_split(reader, ways, section, (&from, &to), count.unwrap_or(1));
    Some(TransferDraft {
        sizes: sizes?,
        stacks: stacks?,
        recoveries,
        timers,
        clocks_ns,
        ticks_ns,
        startups,
        avoidances,
        connect: connect?,
        train: train?,
        windows: windows?,
        initial_ssthresh_bytes,
        from: from.into(),
        to: to.into(),
        split,
        connections: connections?,
        count: count?,
        start_ns: start_ns?,
        spacing_ns: spacing_ns?,
        application: write_bytes.zip(every_ns).map(|(write_bytes, every_ns)| Application { write_bytes, every_ns }),
        repeat: repeat?,
    })
}

/// `None`: not split, or wrong, which then is a fault.
fn read_split(
    reader: &mut Reader,
    ways: &Ways,
    section: &Section,
    (from, to): (&[usize], &[usize]),
    count: u32,
) -> Option<Split> {
    let buffer_bytes = reader.one(section, &keys::TRANSFER_SPLIT_BUFFER, &quantity(parse_size));
    let rate_bits_per_s = reader.one(section, &keys::TRANSFER_SPLIT_RATE, &quantity(parse_rate));
    need(reader, section, &keys::TRANSFER_SPLIT_BUFFER, &keys::TRANSFER_SPLIT);
    need(reader, section, &keys::TRANSFER_SPLIT_RATE, &keys::TRANSFER_SPLIT);
    let nodes = ways.read_split(reader, section, (from, to), count)?;
    Some(Split { nodes: nodes.into(), buffer_bytes: buffer_bytes?, rate_bits_per_s })
}
