//! What a congestion control keeps in a socket, for a test of the hand-over (`cubic.bpf.c`).

use crate::compile::compile;
use libbpf_rs::{Iter, IterOpts, ObjectBuilder};
use std::io::Read;
use std::net::TcpStream;
use std::sync::LazyLock;

/// What a socket has. The C program has the same record.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Row {
    port: u32,
    cwnd_segments: u32,
    ssthresh_segments: u32,
    reserved: u32,
    name: [u8; 16],
    /// `icsk_ca_priv`
    state: [u64; 13],
}

/// The members of CUBIC's `struct bictcp`, in its order.
const MEMBERS: [&str; 10] = [
    "cnt",
    "last_max_cwnd",
    "last_cwnd",
    "last_time",
    "bic_origin_point",
    "bic_K",
    "delay_min",
    "epoch_start",
    "ack_cnt",
    "tcp_cwnd",
];

impl Row {
    /// What a socket has now.
    ///
    /// # Panics
    /// If clang cannot compile the program, or if the kernel refuses it.
    pub fn of(socket: &TcpStream) -> Row {
        let port = u32::from(socket.local_addr().unwrap().port());
        static COMPILED: LazyLock<Vec<u8>> = LazyLock::new(|| {
            compile(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/tests/cubic/cubic.bpf.c"
            ))
        });
        let object = ObjectBuilder::default()
            .open_memory(&COMPILED)
            .unwrap()
            .load()
            .unwrap();
        let program = object.progs_mut().next().expect("cubic.bpf.c has one");
        let link = program.attach_iter_with_opts(IterOpts::None).unwrap();
        let mut bytes = Vec::new();
        Iter::new(&link).unwrap().read_to_end(&mut bytes).unwrap();
        let rows = bytes.chunks_exact(size_of::<Row>());
        // SAFETY: the bytes are those of a record of integers.
        rows.map(|bytes| unsafe { bytes.as_ptr().cast::<Row>().read_unaligned() })
            .find(|row| row.port == port)
            .expect("the iterator visits the socket")
    }

    /// The congestion control that the socket has.
    pub fn congestion_control(&self) -> String {
        let name = self.name.iter().take_while(|byte| **byte != 0);
        name.map(|&byte| char::from(byte)).collect()
    }

    /// cwnd and ssthresh, in segments.
    pub fn windows(&self) -> [u32; 2] {
        [self.cwnd_segments, self.ssthresh_segments]
    }

    /// A member of CUBIC's state.
    pub fn member(&self, name: &str) -> u32 {
        let found = self.cubic().into_iter().find(|(member, _)| *member == name);
        found.expect("CUBIC has it").1
    }

    /// CUBIC's state, by the names of its members.
    pub fn cubic(&self) -> Vec<(&'static str, u32)> {
        let words = self
            .state
            .iter()
            .flat_map(|word| [*word as u32, (word >> 32) as u32]);
        MEMBERS.into_iter().zip(words).collect()
    }
}
