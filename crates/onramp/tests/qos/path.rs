//! An emulated path with a server program at one end, and a client at the other.

use crate::common::process::Background;
use crate::common::wait_until;
use onramp_lab::Path;
use std::io::Read;
use std::net::{SocketAddr, TcpStream};
use std::process::Command;
use std::time::{Duration, Instant};

pub const PORT: u16 = 8000;

/// A path with these keys in `[path]`.
pub fn path(keys: &str) -> Path {
    let text =
        format!("name = \"x\"\n[path]\n{keys}\n[[transfer]]\nsize = \"1 B\"\nstartup = \"none\"\n");
    Path::of(&onramp_scenario::parse("path", &text).unwrap().cases[0]).unwrap()
}

/// Starts a server at the path's sending end, and waits until it listens.
pub fn serve(path: &Path, command: Command) -> Background {
    let program = path.sender.run(|| Background::spawn(command)).unwrap();
    let listens = || {
        let sockets = path.sender.run(|| {
            let read = |file| {
                std::fs::read_to_string(format!("/proc/thread-self/net/{file}")).unwrap_or_default()
            };
            read("tcp") + &read("tcp6")
        });
        sockets
            .unwrap()
            .lines()
            .any(|line| line.contains(&format!(":{PORT:04X} ")) && line.contains(" 0A "))
    };
    wait_until("the server listens", listens);
    program
}

/// Connects from the receiving end and reads to the end. Returns the number of bytes, and the time
/// since the connect.
pub fn download(path: &Path) -> (usize, Duration) {
    let address = SocketAddr::from((path.sender_address, PORT));
    let work = || {
        let start = Instant::now();
        let mut received = Vec::new();
        TcpStream::connect(address)?.read_to_end(&mut received)?;
        Ok::<_, std::io::Error>((received.len(), start.elapsed()))
    };
    path.receiver.run(work).unwrap().unwrap()
}

/// Segments that the sending end has retransmitted.
pub fn resent(path: &Path) -> u64 {
    let snmp = path
        .sender
        .run(|| std::fs::read_to_string("/proc/thread-self/net/snmp").unwrap())
        .unwrap();
    let mut lines = snmp
        .lines()
        .filter_map(|line| line.strip_prefix("Tcp: "))
        .map(str::split_whitespace);
    let (names, values) = (lines.next().unwrap(), lines.next().unwrap());
    names
        .zip(values)
        .find(|(name, _)| *name == "RetransSegs")
        .unwrap()
        .1
        .parse()
        .unwrap()
}
