//! What half-open connections cost in memory, counted by the allocator of this test.

use onramp_tcp::stream::Socket;
use onramp_tcp::wire::{self, Endpoints};
use onramp_tcp::{Config, Flags, Options, Segment, Stack};
use onramp_tun::{Application, Endpoint};
use std::alloc::{GlobalAlloc, Layout, System};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts the bytes that are allocated now.
struct Counting;

static ALLOCATED_BYTES: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATED_BYTES.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise holds for the system's allocator too.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        ALLOCATED_BYTES.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise holds for the system's allocator too.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// As large as the applications of `onramp tcp serve`.
struct Large {
    _buffer: Box<[u8]>,
}

impl Application for Large {
    type Error = ();

    fn progress(&mut self, _now_ns: u64, _socket: &mut Socket) -> Result<bool, ()> {
        Ok(false)
    }

    fn is_done(&self, _socket: &Socket) -> bool {
        false
    }
}

const SYNS: u16 = 10_000;
/// A table of 1024 connections of less than 11 KiB. With buffers and application it was 320 MB.
const MAX_BYTES: usize = 1024 * 11 * 1024;

#[test]
fn ten_thousand_syns_take_no_more_memory_than_the_table_of_half_open_connections() {
    let config = Config::of(Stack::Linux, 1500);
    let mut server = Endpoint::new(Ipv4Addr::new(10, 0, 0, 2).into(), config);
    server.listen(80, |_| {
        Some(Large {
            _buffer: vec![0; 64 << 10].into(),
        })
    });
    let before = ALLOCATED_BYTES.load(Ordering::Relaxed);
    let mut packet = Vec::new();
    for port in 1..=SYNS {
        let ends = Endpoints {
            source: SocketAddr::new(Ipv4Addr::new(10, 0, 0, 9).into(), port),
            destination: SocketAddr::new(Ipv4Addr::new(10, 0, 0, 2).into(), 80),
        };
        let syn = Segment {
            flags: Flags::SYN,
            window: 65_535,
            options: Options {
                mss: Some(1460),
                window_scale: Some(7),
                sack_permitted: true,
                timestamps: Some((1, 0)),
                ..Options::default()
            },
            ..Segment::default()
        };
        packet.clear();
        wire::write(&syn, &ends, 0, |_| (), &mut packet).unwrap();
        server.on_packet(1_000_000, &packet);
        assert!(server.poll_packet(1_000_000, &mut packet), "a SYN-ACK");
    }
    let held_bytes = ALLOCATED_BYTES.load(Ordering::Relaxed) - before;
    println!("{SYNS} SYNs hold {held_bytes} bytes");
    assert!(held_bytes < MAX_BYTES, "{held_bytes} bytes");
}
