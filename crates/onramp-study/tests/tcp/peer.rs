//! The peer: sockets of this machine's kernel, in the namespace that has the device of our TCP.

use crate::common::process::Background;
use crate::common::{wait_until, Ran};
use onramp_host::Namespace;
use onramp_hq::Content;
use onramp_testing::HANG;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};

/// The address of our TCP.
pub const OURS: &str = "10.9.0.2";
/// The address of the kernel.
pub const KERNEL: &str = "10.9.0.1";
/// The options that create the device.
pub const DEVICE: [&str; 6] = ["--tun", "tun0", "--address", OURS, "--host", KERNEL];
/// The port of our TCP, or of the kernel.
pub const PORT: u16 = 8080;
/// A network namespace. It is removed at the end of the test, however the test ends.
pub struct Host(Namespace);

impl Host {
    /// Makes a namespace. `None`, with the reason, if this process may not; with `CI` set this
    /// fails.
    pub fn new() -> Option<Host> {
        match onramp_lab::preflight() {
            Ok(()) => {
                let host = Host(Namespace::new().unwrap());
                // BBR, the default of some hosts, does not react to losses. Every kernel has Reno.
                host.run(|| fs::write("/proc/sys/net/ipv4/tcp_congestion_control", "reno"))
                    .unwrap();
                Some(host)
            }
            Err(error) if std::env::var_os("CI").is_some() => {
                panic!("CI can make TUN devices: {error}")
            }
            Err(error) => {
                eprintln!("skipped: {error}");
                None
            }
        }
    }

    /// Runs a closure inside.
    pub fn run<T: Send>(&self, inside: impl FnOnce() -> T + Send) -> T {
        self.0.run(inside).unwrap()
    }

    /// Starts `onramp tcp serve` inside, and waits until it listens.
    #[track_caller]
    pub fn serve(&self, arguments: &[&str]) -> Background {
        let port = PORT.to_string();
        let fixed = ["--json", "tcp", "serve", "--port", &port];
        let serve = self.run(|| Background::onramp([&fixed, &DEVICE[..], arguments].concat()));
        wait_until("it listens", || serve.stderr().contains("listening"));
        serve
    }

    /// Runs `onramp tcp get` inside.
    pub fn get(&self, arguments: &[&str]) -> Background {
        let from = format!("{KERNEL}:{PORT}");
        let fixed = ["--json", "tcp", "get", "--from", &from];
        self.run(|| Background::onramp([&fixed, &DEVICE[..], arguments].concat()))
    }

    /// The kernel connects to our TCP.
    #[track_caller]
    pub fn connect(&self) -> TcpStream {
        patient(self.run(|| TcpStream::connect((OURS, PORT))).unwrap())
    }

    /// The kernel listens, even if it does not have the address yet.
    pub fn listen(&self) -> TcpListener {
        self.run(|| TcpListener::bind(("0.0.0.0", PORT))).unwrap()
    }
}

fn patient(stream: TcpStream) -> TcpStream {
    stream.set_read_timeout(Some(HANG)).unwrap();
    stream.set_write_timeout(Some(HANG)).unwrap();
    stream
}

/// Accepts the kernel's next connection.
pub fn accept(listener: &TcpListener) -> TcpStream {
    patient(listener.accept().unwrap().0)
}

/// SHA-256, formatted as in `--json`.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// The data that `--size` sends.
pub fn generated(bytes: u64) -> Vec<u8> {
    let content = Content::new();
    let mut all = Vec::new();
    while (all.len() as u64) < bytes {
        all.extend_from_slice(content.from(all.len() as u64, bytes - all.len() as u64));
    }
    all
}

/// Reads a stream to its end.
#[track_caller]
pub fn read_all(mut stream: &TcpStream) -> Vec<u8> {
    let mut all = Vec::new();
    stream.read_to_end(&mut all).unwrap();
    all
}

/// Writes all bytes, then closes this side.
#[track_caller]
pub fn write_all(mut stream: &TcpStream, bytes: &[u8]) {
    stream.write_all(bytes).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
}

/// The reports, one per line.
pub fn reports(ran: &Ran) -> Vec<Value> {
    ran.stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The only report of a command that succeeded.
#[track_caller]
pub fn report(command: Background) -> Value {
    let ran = command.wait().code(0);
    let reports = reports(&ran);
    assert_eq!(reports.len(), 1, "{ran:#?}");
    assert_eq!(reports[0]["failure"], Value::Null, "{ran:#?}");
    reports[0].clone()
}
