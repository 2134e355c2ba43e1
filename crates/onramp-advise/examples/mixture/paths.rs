//! Downloads over an emulated path, watched.

use nix::sys::socket::sockopt::{RcvBufForce, TcpCongestion};
use nix::sys::socket::{connect, setsockopt, socket};
use nix::sys::socket::{AddressFamily, SockFlag, SockType, SockaddrStorage};
use onramp_kernel::{Observation, Observer};
use onramp_lab::{Path, BUFFER_BYTES};
use onramp_scenario::{Buffer, Case};
use onramp_testing::wait_for;
use std::error::Error;
use std::ffi::OsString;
use std::io::{self, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::thread;
use std::time::Duration;

/// A packet that leaves later than this disturbs a run.
const LATE_US: f64 = 2_000.0;

/// Disturbed runs are repeated, at most so often.
const RUNS: usize = 5;

/// A download of a connection: its payload, and the pause of the client before it asks.
pub type Request = (u64, Duration);

/// Downloads over one connection with this congestion control: what the server's host sees of them,
/// and whether the machine has disturbed each of several runs.
pub fn download(
    case: &Case,
    requests: &[Request],
    control: &str,
    observer: &Observer,
) -> Result<(Observation, bool), Box<dyn Error>> {
    let mut run = 1;
    loop {
        let (seen, late_us) = download_once(case, requests, control, observer)?;
        let is_disturbed = late_us >= LATE_US;
        if !is_disturbed || run == RUNS {
            return Ok((seen, is_disturbed));
        }
        run += 1;
    }
}

fn download_once(
    case: &Case,
    requests: &[Request],
    control: &str,
    observer: &Observer,
) -> Result<(Observation, f64), Box<dyn Error>> {
    let path = Path::of(case)?;
    let address = SocketAddr::new(path.sender_address, 0);
    let listener = path.sender.run(|| TcpListener::bind(address))??;
    setsockopt(&listener, TcpCongestion, &OsString::from(control))?;
    let server = listener.local_addr()?;
    let receive_buffer = match case.receiver.buffer {
        Buffer::Bytes(bytes) => Some(bytes as usize),
        Buffer::LinuxDefault => None,
    };
    let client = path.receiver.run(|| client(receive_buffer))??;
    thread::scope(|scope| -> io::Result<()> {
        let serving = scope.spawn(|| -> io::Result<()> {
            let _kept_off = path.keep_off_the_link_cpu();
            let (mut stream, _) = listener.accept()?;
            // As web servers do. With Nagle's algorithm, the last segment of an answer waits for
            // the ACK of a small one that the receiver's window has cut off (docs/advise.md).
            stream.set_nodelay(true)?;
            for (bytes, _) in requests {
                stream.read_exact(&mut [0; 8])?;
                stream.write_all(&vec![0; *bytes as usize])?;
            }
            Ok(())
        });
        let _kept_off = path.keep_off_the_link_cpu();
        connect(client.as_raw_fd(), &SockaddrStorage::from(server))?;
        let mut client = &client;
        for (bytes, pause) in requests {
            thread::sleep(*pause);
            client.write_all(&[0; 8])?;
            let mut answer = BufReader::with_capacity(BUFFER_BYTES, client.take(*bytes));
            io::copy(&mut answer, &mut io::sink())?;
        }
        client.read_to_end(&mut Vec::new())?;
        serving.join().expect("the server does not panic")
    })?;
    drop(client);
    let seen = wait_for("the server's connection ends", || {
        let of_server = |seen: &Observation| seen.accepted && seen.port == server.port();
        observer.take().into_iter().find(of_server)
    });
    Ok((seen, path.finish()?.lateness_p99_us))
}

fn client(receive_buffer: Option<usize>) -> nix::Result<TcpStream> {
    let socket = socket(
        AddressFamily::Inet,
        SockType::Stream,
        SockFlag::SOCK_CLOEXEC,
        None,
    )?;
    if let Some(bytes) = receive_buffer {
        setsockopt(&socket, RcvBufForce, &bytes)?;
    }
    Ok(TcpStream::from(socket))
}
