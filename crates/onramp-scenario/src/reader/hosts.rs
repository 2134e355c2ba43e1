//! `[receiver]` and `[sender]`.

use crate::cases::{ReceiverDraft, SenderDraft};
use crate::keys::hosts::{
    RECEIVER, RECEIVER_ACKS, RECEIVER_BUFFER, RECEIVER_LIE, RECEIVER_PACKET_PAIR,
    RECEIVER_PAIR_CLOCK, RECEIVER_PAIR_OPTION, RECEIVER_SACK, RECEIVER_TIMESTAMPS,
    RECEIVER_WINDOW_SCALING, SENDER, SENDER_BUFFER, SENDER_NAGLE, SENDER_PACKET_PAIRS,
    SENDER_WINDOW_VALIDATION,
};
use onramp_config::document::{Reader, Section};

pub(super) fn read_receiver(reader: &mut Reader, top: &Section) -> Option<ReceiverDraft> {
    let section = reader.table(top, &RECEIVER);
    let buffers = reader.list(&section, &RECEIVER_BUFFER);
    let acks = reader.one(&section, &RECEIVER_ACKS);
    let lie = reader.one(&section, &RECEIVER_LIE);
    let timestamps = reader.one(&section, &RECEIVER_TIMESTAMPS);
    let sack = reader.one(&section, &RECEIVER_SACK);
    let window_scaling = reader.one(&section, &RECEIVER_WINDOW_SCALING);
    let packet_pair = reader.one(&section, &RECEIVER_PACKET_PAIR);
    let pair_form = reader.one(&section, &RECEIVER_PAIR_OPTION);
    let pair_clock_ns = reader.one(&section, &RECEIVER_PAIR_CLOCK);
    Some(ReceiverDraft {
        buffers: buffers?,
        acks,
        lie: lie?,
        timestamps,
        sack,
        window_scaling,
        packet_pair,
        pair_form: pair_form?,
        pair_clock_ns,
    })
}

pub(super) fn read_sender(reader: &mut Reader, top: &Section) -> Option<SenderDraft> {
    let section = reader.table(top, &SENDER);
    let buffers = reader.list(&section, &SENDER_BUFFER);
    let nagle = reader.one(&section, &SENDER_NAGLE);
    let window_validation = reader.one(&section, &SENDER_WINDOW_VALIDATION);
    let packet_pairs = reader.one(&section, &SENDER_PACKET_PAIRS);
    Some(SenderDraft {
        buffers: buffers?,
        nagle: nagle?,
        window_validation: window_validation?,
        packet_pairs: packet_pairs?,
    })
}
