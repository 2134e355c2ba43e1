//! One TCP connection over loopback, with its sender on one CPU and its receiver on another.

use nix::libc;
use nix::sched::{sched_setaffinity, CpuSet};
use nix::sys::socket::{
    setsockopt, socket, sockopt::TcpCongestion, AddressFamily, SockFlag, SockType, SockaddrIn,
};
use nix::unistd::Pid;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsFd, AsRawFd};
use std::thread;
use std::time::{Duration, Instant};

/// The maximum size of a write or a read.
const CHUNK_BYTES: usize = 256 << 10;

/// A bulk transfer, as its receiver measured it.
#[derive(Clone, Copy, Debug)]
pub struct Bulk {
    pub bytes: u64,
    pub elapsed: Duration,
    /// From the start of the connection to its last byte: includes the start-up.
    pub bytes_per_s: f64,
    /// The same without the first fifth of the time.
    pub steady_bytes_per_s: f64,
    /// CPU time of both ends, with interrupts.
    pub cpu_ns: u64,
    /// How long both threads waited for a CPU that was busy with something else.
    pub waited_ns: u64,
    /// Packets that the sender received. All of them are ACKs.
    pub acks: u64,
}

impl Bulk {
    /// The time that both threads waited for a CPU, as a share of the transfer's time.
    pub fn waiting_share(&self) -> f64 {
        self.waited_ns as f64 / self.elapsed.as_nanos() as f64
    }
}

/// Sends as much as possible in this time.
pub fn bulk(
    congestion_control: &str,
    length: Duration,
    [sending_cpu, receiving_cpu]: [usize; 2],
) -> io::Result<Bulk> {
    let listener = listen(congestion_control)?;
    let receiver = TcpStream::connect(listener.local_addr()?)?;
    let (mut sender, _) = listener.accept()?;
    let deferred = deferred_interrupts();
    let (sent, received) = thread::scope(|scope| {
        let receiving = scope.spawn(move || {
            pin(receiving_cpu)?;
            receive(receiver, length / 5)
        });
        let sending = scope.spawn(move || -> io::Result<_> {
            pin(sending_cpu)?;
            let data = vec![0x5a; CHUNK_BYTES];
            let end = Instant::now() + length;
            while Instant::now() < end {
                sender.write_all(&data)?;
            }
            sender.shutdown(std::net::Shutdown::Write)?;
            // Wait for the receiver, which closes when it has read everything.
            let _ = sender.read(&mut [0])?;
            Ok((segments_received(&sender)?, cpu_and_waiting_ns()?))
        });
        (joined(sending), joined(receiving))
    });
    let ((acks, (cpu_ns, waited_ns)), mut bulk) = (sent?, received?);
    bulk.cpu_ns += cpu_ns + deferred_interrupts().saturating_sub(deferred);
    bulk.waited_ns += waited_ns;
    bulk.acks = acks;
    Ok(bulk)
}

fn receive(mut stream: TcpStream, start: Duration) -> io::Result<Bulk> {
    let mut buffer = vec![0; CHUNK_BYTES];
    let begin = Instant::now();
    let (mut bytes, mut early) = (0, None);
    let end = loop {
        let read = stream.read(&mut buffer)?;
        let now = Instant::now();
        if read == 0 {
            break now;
        }
        bytes += read as u64;
        if early.is_none() && now - begin >= start {
            early = Some((bytes, now));
        }
    };
    let (cpu_ns, waited_ns) = cpu_and_waiting_ns()?;
    let (early_bytes, early_end) = early.unwrap_or((0, begin));
    Ok(Bulk {
        bytes,
        elapsed: end - begin,
        bytes_per_s: bytes as f64 / (end - begin).as_secs_f64(),
        steady_bytes_per_s: (bytes - early_bytes) as f64 / (end - early_end).as_secs_f64(),
        cpu_ns,
        waited_ns,
        acks: 0,
    })
}

/// A connection that carries bursts and an answer to each. Its application, not cwnd, limits it.
pub struct Bursts {
    pub sender: TcpStream,
    receiver: TcpStream,
}

impl Bursts {
    /// Connects, and first sends this many bytes at once.
    pub fn new(
        congestion_control: &str,
        bulk_bytes: usize,
        cpus: [usize; 2],
    ) -> io::Result<Bursts> {
        let listener = listen(congestion_control)?;
        let receiver = TcpStream::connect(listener.local_addr()?)?;
        receiver.set_nodelay(true)?;
        let (sender, _) = listener.accept()?;
        sender.set_nodelay(true)?;
        let mut bursts = Bursts { sender, receiver };
        bursts.send(bulk_bytes, cpus, 1)?;
        Ok(bursts)
    }

    /// Sends `count` bursts of this many bytes, each after the answer to the previous one.
    pub fn send(
        &mut self,
        bytes: usize,
        [sending_cpu, receiving_cpu]: [usize; 2],
        count: usize,
    ) -> io::Result<()> {
        let (mut sender, mut receiver) = (&self.sender, &self.receiver);
        thread::scope(|scope| {
            let answers = scope.spawn(move || -> io::Result<()> {
                pin(receiving_cpu)?;
                let mut buffer = vec![0; bytes.min(CHUNK_BYTES)];
                for _ in 0..count {
                    let mut left = bytes;
                    while left > 0 {
                        let max_bytes = left.min(CHUNK_BYTES);
                        match receiver.read(&mut buffer[..max_bytes])? {
                            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                            read => left -= read,
                        }
                    }
                    receiver.write_all(&[0])?;
                }
                Ok(())
            });
            let questions = scope.spawn(move || -> io::Result<()> {
                pin(sending_cpu)?;
                let data = vec![0x5a; bytes];
                for _ in 0..count {
                    sender.write_all(&data)?;
                    sender.read_exact(&mut [0])?;
                }
                Ok(())
            });
            joined(questions).and(joined(answers))
        })
    }
}

/// Both ends of a new connection, with this congestion control.
pub fn connect(congestion_control: &str) -> io::Result<(TcpStream, TcpStream)> {
    let listener = listen(congestion_control)?;
    let port = listener.local_addr()?.port();
    let socket = socket(
        AddressFamily::Inet,
        SockType::Stream,
        SockFlag::SOCK_CLOEXEC,
        None,
    )?;
    choose(&socket, congestion_control)?;
    nix::sys::socket::connect(socket.as_raw_fd(), &SockaddrIn::new(127, 0, 0, 1, port))?;
    Ok((socket.into(), listener.accept()?.0))
}

/// A listener whose connections use this congestion control.
fn listen(congestion_control: &str) -> io::Result<TcpListener> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    choose(&listener, congestion_control)?;
    Ok(listener)
}

fn choose(socket: &impl AsFd, congestion_control: &str) -> io::Result<()> {
    setsockopt(socket, TcpCongestion, &OsString::from(congestion_control)).map_err(|errno| {
        io::Error::new(
            io::Error::from(errno).kind(),
            format!("congestion control {congestion_control}: {errno}"),
        )
    })
}

pub fn joined<T>(thread: thread::ScopedJoinHandle<'_, T>) -> T {
    thread
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

pub fn pin(cpu: usize) -> io::Result<()> {
    let mut set = CpuSet::new();
    set.set(cpu)?;
    Ok(sched_setaffinity(Pid::from_raw(0), &set)?)
}

/// The CPU time of this thread, and the time that it has waited for a CPU.
fn cpu_and_waiting_ns() -> io::Result<(u64, u64)> {
    let text = fs::read_to_string("/proc/thread-self/schedstat")?;
    let mut fields = text
        .split_whitespace()
        .map_while(|field| field.parse().ok());
    fields
        .next()
        .zip(fields.next())
        .ok_or_else(|| io::Error::other("/proc/thread-self/schedstat has no numbers"))
}

/// CPU time of the threads to which the kernel defers interrupt handling (ksoftirqd), in
/// nanoseconds. 0 if this process cannot see them.
fn deferred_interrupts() -> u64 {
    let Ok(processes) = fs::read_dir("/proc") else {
        return 0;
    };
    processes
        .flatten()
        .map(|process| process.path())
        .filter(|path| {
            fs::read_to_string(path.join("comm")).is_ok_and(|name| name.starts_with("ksoftirqd/"))
        })
        .filter_map(|path| fs::read_to_string(path.join("schedstat")).ok())
        .filter_map(|text| text.split_whitespace().next()?.parse::<u64>().ok())
        .sum()
}

/// tcp_info.tcpi_segs_in of linux/tcp.h. The tcp_info of libc is shorter and does not have it.
pub fn segments_received(stream: &TcpStream) -> io::Result<u64> {
    const SEGS_IN_OFFSET: usize = 140;
    let mut info = [0u8; SEGS_IN_OFFSET + 4];
    let mut length = info.len() as libc::socklen_t;
    // SAFETY: the kernel writes at most `length` bytes to info.
    let result = unsafe {
        libc::getsockopt(
            stream.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            info.as_mut_ptr().cast(),
            &mut length,
        )
    };
    if result == -1 {
        return Err(io::Error::last_os_error());
    }
    Ok(u64::from(u32::from_ne_bytes(
        info[SEGS_IN_OFFSET..].try_into().expect("4 bytes"),
    )))
}
