//! Packet pairs in the kernel: `onramp exec --startup pair` on both ends, on one end, and with a
//! peer that sends malformed options.

mod exchange;
mod hostile;
mod peer;

/// The option on the wire, from its kind to its id (core/parts/pair_option.h).
const PERMITTED: [u8; 6] = [253, 6, 0x4f, 0x52, 0, 0];

fn mark(kind: u8, id: u8) -> Vec<u8> {
    vec![253, 6, 0x4f, 0x52, kind, id]
}

fn first(id: u8) -> Vec<u8> {
    mark(1, id)
}

fn second(id: u8) -> Vec<u8> {
    mark(2, id)
}

fn reply(id: u8, interval_ns: u32) -> Vec<u8> {
    [
        &[253, 10, 0x4f, 0x52, 3, id][..],
        &interval_ns.to_be_bytes(),
    ]
    .concat()
}

/// Whether a header has the option. (Timestamps may contain any byte.)
fn has_option(options: &[u8]) -> bool {
    options
        .windows(4)
        .any(|bytes| bytes[0] == 253 && bytes[2..] == [0x4f, 0x52])
}

/// The id of an option of this type in the options of a header.
fn of_type(options: &[u8], kind: u8) -> Option<u8> {
    let at = options
        .windows(5)
        .position(|bytes| bytes[0] == 253 && bytes[2..] == [0x4f, 0x52, kind])?;
    options.get(at + 5).copied()
}
