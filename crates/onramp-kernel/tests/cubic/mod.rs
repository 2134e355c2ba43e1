//! What the kernel's CUBIC keeps in a socket at each ACK, for a test of the hand-over
//! (`cubic.bpf.c`).

use libbpf_rs::{Link, MapCore, MapFlags, Object, ObjectBuilder};
use std::process::{Command, Stdio};

/// The map with the rows.
const TRACE: &str = ".data.trace";

/// CUBIC's own state (`icsk_ca_priv`): pairs of 32-bit members of `struct bictcp`.
pub type State = [u64; 13];

/// An ACK for which CUBIC was called, by a hook of ours or by the kernel. The C program has the
/// same record.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Row {
    name: [u8; 16],
    pub before: State,
    pub after: State,
    /// cwnd and ssthresh in segments
    pub windows_before: [u32; 2],
    pub windows_after: [u32; 2],
}

impl Row {
    /// The congestion control that the socket had.
    pub fn congestion_control(&self) -> String {
        let name = self.name.iter().take_while(|byte| **byte != 0);
        name.map(|&byte| char::from(byte)).collect()
    }
}

/// Watches one socket until it is dropped.
pub struct Trace {
    object: Object,
    _links: Vec<Link>,
}

impl Trace {
    /// Watches the socket with this port.
    ///
    /// # Panics
    /// If clang cannot compile the program, or if the kernel refuses it.
    pub fn of(port: u16) -> Trace {
        let object = compile();
        let mut open = ObjectBuilder::default().open_memory(&object).unwrap();
        let mut map = open
            .maps_mut()
            .find(|map| map.name() == TRACE)
            .expect("cubic.bpf.c has it");
        map.initial_value_mut().unwrap()[..4].copy_from_slice(&u32::from(port).to_ne_bytes());
        let object = open.load().unwrap();
        let links = object.progs_mut().map(|program| program.attach().unwrap());
        Trace {
            _links: links.collect(),
            object,
        }
    }

    /// The ACKs so far.
    pub fn rows(&self) -> Vec<Row> {
        const HEAD_BYTES: usize = 8;
        let map = self.object.maps().find(|map| map.name() == TRACE);
        let map = map.expect("cubic.bpf.c has it");
        let value = map
            .lookup(&0u32.to_ne_bytes(), MapFlags::ANY)
            .unwrap()
            .unwrap();
        let count = u32::from_ne_bytes(value[4..HEAD_BYTES].try_into().unwrap());
        let rows = value[HEAD_BYTES..].chunks_exact(size_of::<Row>());
        rows.take(count as usize)
            // SAFETY: the bytes are those of a record of integers.
            .map(|bytes| unsafe { bytes.as_ptr().cast::<Row>().read_unaligned() })
            .collect()
    }
}

fn compile() -> Vec<u8> {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cubic/cubic.bpf.c");
    let clang = Command::new("clang")
        .args(["-O2", "-g", "-target", "bpf", "-mcpu=v3", "-c"])
        .args([source, "-o", "-"])
        .stderr(Stdio::inherit())
        .output()
        .expect("clang is installed: it compiles Onramp's own programs");
    assert!(clang.status.success(), "clang cannot compile {source}");
    clang.stdout
}
