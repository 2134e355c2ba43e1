//! One TCP connection: the receiver connects and asks, the sender sends.

use super::content::Content;
use super::sockets::{self, failed, OpenSockets};
use crate::clock::now_ns;
use crate::host::Host;
use crate::link::pin_away_from;
use crate::Error;
use nix::libc;
use nix::sys::socket::{connect, getsockopt, send, sockopt, MsgFlags, SockaddrIn};
use onramp_scenario::{Application, Dscp};
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, SocketAddrV4, TcpListener, TcpStream};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

/// What a flow is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A copy of the measured transfer.
    Transfer {
        /// Payload.
        size_bytes: u64,
        /// Payload of the sender's initial window. The receiver sleeps until so much has come: a reader that
        /// runs while the first train of segments arrives holds the socket's lock at moments of its own, and
        /// ACKs due then go out some tens of microseconds late, just when start-ups measure their spacing.
        initial_bytes: u64,
        /// What limits the sending application.
        application: Option<Application>,
    },
    /// Competing traffic without end, whose progress is noted about this often, and at its stop.
    Rival {
        /// Least time between two notes.
        note_ns: u64,
        /// When its sender stops and resets the connection, since the beginning of the run.
        stop_ns: Option<u64>,
    },
}

/// What everybody may know of a flow while it runs.
#[derive(Default)]
pub struct FlowState {
    received_bytes: AtomicU64,
    connect_ns: AtomicU64,
    completed_ns: AtomicU64,
    sender: OnceLock<Arc<TcpStream>>,
    progress: Mutex<Vec<(u64, u64)>>,
}

impl FlowState {
    /// Payload that the receiver has read.
    pub fn received_bytes(&self) -> u64 {
        self.received_bytes.load(Ordering::Relaxed)
    }

    /// Just before the receiver's connect; 0 until then.
    pub fn connect_ns(&self) -> u64 {
        self.connect_ns.load(Ordering::Acquire)
    }

    /// When the last byte had been read; 0 until then.
    pub fn completed_ns(&self) -> u64 {
        self.completed_ns.load(Ordering::Acquire)
    }

    /// The sender's socket, once the connection stands.
    pub fn sender(&self) -> Option<Arc<TcpStream>> {
        self.sender.get().cloned()
    }

    /// The connection as the sender names it: its own address, then the receiver's.
    pub fn addresses(&self) -> Option<(SocketAddr, SocketAddr)> {
        let sender = self.sender.get()?;
        Some((sender.local_addr().ok()?, sender.peer_addr().ok()?))
    }

    fn note(&self, now_ns: u64, received_bytes: u64) {
        self.progress.lock().expect("nobody panics with the lock").push((now_ns, received_bytes));
    }

    /// Bytes that a rival received between two moments, from its notes.
    pub fn received_between(&self, from_ns: u64, to_ns: u64) -> f64 {
        let progress = self.progress.lock().expect("nobody panics with the lock");
        interpolate(&progress, to_ns) - interpolate(&progress, from_ns)
    }
}

/// The total at a moment, from notes (time, total) in order.
fn interpolate(notes: &[(u64, u64)], at_ns: u64) -> f64 {
    let after = notes.partition_point(|(time_ns, _)| *time_ns <= at_ns);
    let Some(&(t0, b0)) = after.checked_sub(1).and_then(|before| notes.get(before)) else { return 0.0 };
    let Some(&(t1, b1)) = notes.get(after) else { return b0 as f64 };
    b0 as f64 + (b1 - b0) as f64 * (at_ns - t0) as f64 / (t1 - t0) as f64
}

/// A flow and its two threads.
pub struct Flow {
    /// What is known of it.
    pub state: Arc<FlowState>,
    threads: Vec<JoinHandle<Result<(), Error>>>,
}

/// What both ends of a flow are given.
pub struct Plan<'a> {
    /// The sending host.
    pub sender: (&'a Host, Ipv4Addr),
    /// The receiving host.
    pub receiver: (&'a Host, Ipv4Addr),
    /// Congestion control of the sender.
    pub control: String,
    /// That of the receiver, where it matters.
    pub receiver_control: Option<String>,
    /// The sender's largest IP packet; `None`: as the device takes.
    pub packet_bytes: Option<u32>,
    /// How the sender marks its packets.
    pub dscp: Dscp,
    /// Receive buffer, or auto-tuning.
    pub receive_buffer: Option<u64>,
    /// What it is for.
    pub role: Role,
}

impl Flow {
    /// Makes the sockets; nothing is sent yet.
    pub fn prepare(plan: Plan<'_>, open: &OpenSockets, link_cpu: Option<usize>) -> Result<PreparedFlow, Error> {
        let (host, address) = plan.sender;
        let address = SocketAddrV4::new(address, 0);
        let listener = sockets::listener(&host.namespace, address, &plan.control, plan.packet_bytes, plan.dscp)?;
        let sender = match listener.local_addr().map_err(failed("asking a socket its address"))? {
            SocketAddr::V4(address) => address,
            SocketAddr::V6(_) => unreachable!("the socket is of IPv4"),
        };
        let (host, address) = plan.receiver;
        let client = sockets::client(&host.namespace, SocketAddrV4::new(address, 0), plan.receive_buffer)?;
        if let Some(control) = &plan.receiver_control {
            sockets::set_control(&client, control)?;
        }
        let (listener, client) = (Arc::new(listener), Arc::new(client));
        open.add(listener.clone());
        open.add(client.clone());
        let (control, role, open) = (plan.control, plan.role, open.clone());
        Ok(PreparedFlow { listener, client, sender, control, role, open, link_cpu })
    }

    /// The error of a thread that has ended with one.
    pub fn take_error(&mut self) -> Option<Error> {
        let ended = self.threads.iter().position(|thread| thread.is_finished())?;
        let thread = self.threads.swap_remove(ended);
        join(thread).err().or_else(|| self.take_error())
    }

    /// Waits for its threads, which the caller has told to end.
    pub fn finish(self) {
        self.threads.into_iter().for_each(|thread| drop(join(thread)));
    }
}

fn join(thread: JoinHandle<Result<(), Error>>) -> Result<(), Error> {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// A flow before its start.
pub struct PreparedFlow {
    listener: Arc<TcpListener>,
    client: Arc<TcpStream>,
    /// The sender's address and port.
    pub sender: SocketAddrV4,
    control: String,
    role: Role,
    open: OpenSockets,
    link_cpu: Option<usize>,
}

impl PreparedFlow {
    /// The sender's socket, which accepts the connection.
    pub fn listener(&self) -> BorrowedFd<'_> {
        self.listener.as_fd()
    }

    /// Lets the receiver connect so long after the beginning of the run, if that is not after the flow's stop.
    pub fn start(self, begin_ns: u64, start_ns: u64) -> Flow {
        let at_ns = begin_ns.saturating_add(start_ns);
        let (stop_ns, application) = match self.role {
            Role::Rival { stop_ns, .. } => (stop_ns.map_or(NEVER_NS, |stop_ns| begin_ns.saturating_add(stop_ns)), None),
            Role::Transfer { application, .. } => (NEVER_NS, application),
        };
        let state = Arc::new(FlowState::default());
        let (serving, asking) = (state.clone(), state.clone());
        let cpu = self.link_cpu;
        let (listener, control, open) = (self.listener, self.control, self.open);
        let opened = open.clone();
        let send = move || {
            pin_away_from(cpu);
            serve(&listener, &control, &open, &serving, application, stop_ns)
        };
        let receive = move || {
            pin_away_from(cpu);
            match at_ns < stop_ns && opened.sleep_until(at_ns) {
                true => download(&self.client, self.sender, self.role, stop_ns, &asking),
                false => Ok(()),
            }
        };
        let spawn = |name: &str, work: Box<dyn FnOnce() -> Result<(), Error> + Send>| {
            std::thread::Builder::new().name(name.into()).spawn(work).expect("threads can be made")
        };
        let threads = vec![spawn("onramp-sender", Box::new(send)), spawn("onramp-receiver", Box::new(receive))];
        Flow { state, threads }
    }
}

/// The stop of a flow that does not stop.
const NEVER_NS: u64 = u64::MAX;

/// The sender: takes one connection, reads how much is wanted and sends it, and resets the connection where it is to
/// stop before.
fn serve(
    listener: &TcpListener,
    control: &str,
    open: &OpenSockets,
    state: &FlowState,
    application: Option<Application>,
    stop_ns: u64,
) -> Result<(), Error> {
    let (stream, _) = listener.accept().map_err(failed("accepting the connection"))?;
    let stream = Arc::new(stream);
    open.add(stream.clone());
    let found = getsockopt(&*stream, sockopt::TcpCongestion).map_err(failed("asking a socket its control"))?;
    let found = found.to_string_lossy().trim_end_matches('\0').to_string();
    if found != control {
        return Err(Error::OtherCongestionControl { wanted: control.into(), found });
    }
    // Held here until the run ends: closing resets the connection.
    let _ = state.sender.set(stream.clone());
    let mut request = [0; 8];
    (&*stream).read_exact(&mut request).map_err(failed("reading the request"))?;
    let size_bytes = u64::from_be_bytes(request);
    if !send_content(&stream, size_bytes, application, stop_ns, open).map_err(failed("sending the data"))? {
        return sockets::reset(&*stream);
    }
    stream.shutdown(Shutdown::Write).map_err(failed("ending the data"))
}

/// What every flow sends.
static CONTENT: LazyLock<Content> = LazyLock::new(Content::new);

/// Whether all of it could be sent before that time, and before the end of the run.
fn send_content(
    stream: &TcpStream,
    size_bytes: u64,
    application: Option<Application>,
    stop_ns: u64,
    open: &OpenSockets,
) -> io::Result<bool> {
    let content = &*CONTENT;
    let begun_ns = now_ns();
    let mut sent = 0;
    while sent < size_bytes {
        let since_ns = now_ns() - begun_ns;
        let left_ns = stop_ns.saturating_sub(begun_ns + since_ns);
        if left_ns == 0 {
            return Ok(false);
        }
        if stop_ns != NEVER_NS {
            // A send that waits for room ends then: to the kernel's tick, some milliseconds at most.
            stream.set_write_timeout(Some(Duration::from_nanos(left_ns)))?;
        }
        let written = application.map_or(size_bytes, |application| application.written_bytes(since_ns).min(size_bytes));
        if let Some(application) = application.filter(|_| sent == written) {
            let next_ns = begun_ns.saturating_add(application.next_write_ns(since_ns));
            if !open.sleep_until(next_ns.min(stop_ns)) {
                return Ok(false);
            }
            continue;
        }
        let piece = content.from(sent, written - sent);
        // More follows, says the flag: a piece's last segment waits until it is full.
        let more = if sent + (piece.len() as u64) < written { libc::MSG_MORE } else { 0 };
        let flags = MsgFlags::from_bits_retain(libc::MSG_NOSIGNAL | more);
        match send(stream.as_raw_fd(), piece, flags) {
            Ok(bytes) => sent += bytes as u64,
            Err(nix::Error::EINTR | nix::Error::EAGAIN) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    Ok(true)
}

/// What a receiver reads at once at most.
pub const BUFFER_BYTES: usize = 256 << 10;

/// The receiver: connects, asks, reads and checks. A sender that stops resets the connection.
fn download(
    mut stream: &TcpStream,
    from: SocketAddrV4,
    role: Role,
    stop_ns: u64,
    state: &FlowState,
) -> Result<(), Error> {
    let (size_bytes, initial_bytes, note_ns) = match role {
        Role::Transfer { size_bytes, initial_bytes, application } => {
            let at_first = application.map_or(size_bytes, |application| application.write_bytes.min(size_bytes));
            (size_bytes, initial_bytes.min(at_first), None)
        }
        Role::Rival { note_ns, .. } => (u64::MAX, 1, Some(note_ns)),
    };
    let content = &*CONTENT;
    let mut buffer = vec![1; BUFFER_BYTES];
    state.connect_ns.store(now_ns(), Ordering::Release);
    connect(stream.as_raw_fd(), &SockaddrIn::from(from)).map_err(failed("connecting through the path"))?;
    stream.write_all(&size_bytes.to_be_bytes()).map_err(failed("sending the request"))?;
    sockets::wake_reader_at(stream, initial_bytes)?;
    let mut received_bytes = 0;
    let mut noted_ns = 0;
    while received_bytes < size_bytes {
        let wanted = (size_bytes - received_bytes).min(buffer.len() as u64) as usize;
        let bytes = match stream.read(&mut buffer[..wanted]) {
            Ok(0) => return Err(Error::Truncated { received_bytes, size_bytes }),
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset && now_ns() >= stop_ns => {
                state.note(now_ns(), received_bytes);
                return Ok(());
            }
            Err(error) => return Err(failed("receiving the data")(error)),
        };
        let now = now_ns();
        if received_bytes == 0 {
            sockets::wake_reader_at(stream, 1)?;
        }
        content.check(received_bytes, &buffer[..bytes])?;
        received_bytes += bytes as u64;
        state.received_bytes.store(received_bytes, Ordering::Relaxed);
        if received_bytes == size_bytes {
            state.completed_ns.store(now, Ordering::Release);
        }
        if note_ns.is_some_and(|note_ns| now >= noted_ns + note_ns) {
            noted_ns = now;
            state.note(now, received_bytes);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::interpolate;

    #[test]
    fn totals_between_notes_are_interpolated() {
        let notes = [(100, 1000), (200, 3000), (400, 3000)];
        let at = |ns| interpolate(&notes, ns);
        assert_eq!([at(50), at(100), at(150), at(300), at(900)], [0.0, 1000.0, 2000.0, 3000.0, 3000.0]);
    }
}
