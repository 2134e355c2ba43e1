//! `server PORT SIZE RATE`: sends SIZE bytes to each client that connects, at a reserved rate of
//! RATE bytes per second.
//!
//! ```sh
//! cargo run --example tcp-qos -- 8000 100000 125000
//! ```

use nix::libc::{setsockopt, IPPROTO_TCP};
use std::io::{Error, Result, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsRawFd;

/// The socket option and its value, from bpf/include/onramp/tcp_qos.h.
const TCP_QOS: i32 = 0x4f51;

#[repr(C)]
struct TcpQos {
    rate_bytes_per_s: u64,
    burst_bytes: u32,
    reserved: u32,
}

fn reserve(connection: &TcpStream, rate_bytes_per_s: u64) -> Result<()> {
    let qos = TcpQos {
        rate_bytes_per_s,
        burst_bytes: 0,
        reserved: 0,
    };
    let length = size_of::<TcpQos>() as u32;
    // SAFETY: the kernel reads `length` bytes of a record that lives until the call returns.
    match unsafe {
        setsockopt(
            connection.as_raw_fd(),
            IPPROTO_TCP,
            TCP_QOS,
            (&raw const qos).cast(),
            length,
        )
    } {
        0 => Ok(()),
        _ => Err(Error::last_os_error()),
    }
}

fn main() -> Result<()> {
    let numbers: Vec<u64> = std::env::args()
        .skip(1)
        .filter_map(|argument| argument.parse().ok())
        .collect();
    let [port, size, rate] = numbers[..] else {
        panic!("usage: server PORT SIZE RATE")
    };
    let server = TcpListener::bind(("0.0.0.0", port as u16))?;
    for connection in server.incoming() {
        let mut connection = connection?;
        if let Err(error) = reserve(&connection, rate) {
            eprintln!("cannot reserve: {error}"); // the connection sends without a reservation
        }
        if let Err(error) = connection.write_all(&vec![0; size as usize]) {
            eprintln!("cannot send: {error}");
        }
    }
    Ok(())
}
