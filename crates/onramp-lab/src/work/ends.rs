//! The two ends of a flow: the receiver connects and sends a request, the sender sends the data.

use super::cpu_wait::CpuWait;
use super::job::{Job, NEVER_NS};
use super::sockets::{self, failed, OpenSockets};
use super::state::FlowState;
use super::tcp_info::TcpInfo;
use crate::error::Error;
use nix::libc;
use nix::sys::socket::{connect, getsockopt, send, sockopt, MsgFlags, SockaddrStorage};
use onramp_host::now_ns;
use onramp_hq::Content;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::time::Duration;

const REQUEST_BYTES: usize = onramp_scenario::REQUEST_BYTES as usize;

/// The sender: accepts one connection, reads the requests, sends what each asks for, and waits for
/// the receiver's FIN after the last answer. It resets the connection at `job.stop_ns`, which is by
/// CLOCK_MONOTONIC here, as in [`download`].
///
/// # Errors
/// A socket call failed, or the socket has another congestion control than `control`.
pub fn serve(
    listener: &TcpListener,
    control: &str,
    open: &OpenSockets,
    job: &Job,
    state: &FlowState,
) -> Result<(), Error> {
    let stream = accept(listener, control, open)?;
    state.set_sender(stream.clone());
    let mut wait = CpuWait::of_this_thread();
    let (mut sent_bytes, mut is_complete) = (0, true);
    while is_complete && sent_bytes < job.size_bytes {
        let asked_bytes = read_requests(&stream).map_err(failed("reading a request"))?;
        let content = sent_bytes..sent_bytes.saturating_add(asked_bytes);
        sent_bytes = content.end;
        let sent = send_content(&stream, content, job, open, &mut wait);
        state.set_sender_wait(wait.longest_ns());
        is_complete = sent.map_err(failed("sending the data"))?;
    }
    if is_complete {
        stream
            .shutdown(Shutdown::Write)
            .map_err(failed("closing after the data"))?;
        is_complete =
            wait_for_fin(&stream, job.stop_ns).map_err(failed("waiting for the receiver's FIN"))?;
    }
    if is_complete {
        return Ok(());
    }
    if let Ok(info) = TcpInfo::of(&*stream) {
        state.set_info_at_stop(info);
    }
    sockets::reset(&*stream)
}

/// Accepts the connection of the end that receives.
///
/// # Errors
/// A socket call failed, or the socket has another congestion control than `control`.
pub fn accept(
    listener: &TcpListener,
    control: &str,
    open: &OpenSockets,
) -> Result<Arc<TcpStream>, Error> {
    let (stream, _) = listener
        .accept()
        .map_err(failed("accepting the connection"))?;
    let stream = Arc::new(stream);
    open.add(&stream);
    let found = getsockopt(&*stream, sockopt::TcpCongestion)
        .map_err(failed("reading the congestion control of a socket"))?;
    let found = found.to_string_lossy().trim_end_matches('\0').to_string();
    match found == control {
        true => Ok(stream),
        false => Err(Error::OtherCongestionControl {
            wanted: control.into(),
            found,
        }),
    }
}

/// Reads the requests that have arrived, at least one. Returns the payload that they ask for.
fn read_requests(mut stream: &TcpStream) -> io::Result<u64> {
    let mut requests = [0; 1024 * REQUEST_BYTES];
    let mut read_bytes = 0;
    while read_bytes == 0 || read_bytes % REQUEST_BYTES != 0 {
        read_bytes += match stream.read(&mut requests[read_bytes..]) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::Interrupted => 0,
            Err(error) => return Err(error),
        };
    }
    let (requests, _) = requests[..read_bytes].as_chunks();
    let sizes = requests.iter().copied().map(u64::from_be_bytes);
    Ok(sizes.fold(0, u64::saturating_add))
}

/// Sends a part of the content. Returns `false` if the stop of the flow or the end of the run came
/// first.
fn send_content(
    stream: &TcpStream,
    part: Range<u64>,
    job: &Job,
    open: &OpenSockets,
    wait: &mut CpuWait,
) -> io::Result<bool> {
    let content = Content::new();
    let begin_ns = now_ns();
    let mut sent = part.start;
    while sent < part.end {
        let since_ns = now_ns() - begin_ns;
        // A send that waits for room in the buffer ends at the stop, rounded up to a tick of the
        // kernel (a few milliseconds).
        match time_until(job.stop_ns) {
            Some(Duration::ZERO) => return Ok(false),
            Some(left) => stream.set_write_timeout(Some(left))?,
            None => {}
        }
        let written = job.application.as_ref().map_or(part.end, |writes| {
            writes.written_bytes(since_ns).min(part.end)
        });
        if let Some(writes) = job.application.as_ref().filter(|_| sent == written) {
            let next_ns = begin_ns.saturating_add(writes.next_write_ns(since_ns));
            if !open.sleep_until(next_ns.min(job.stop_ns)) {
                return Ok(false);
            }
            continue;
        }
        let piece = content.from(sent, written - sent);
        // MSG_MORE announces more data: the last segment of a piece waits until it is full.
        let more = if sent + (piece.len() as u64) < written {
            libc::MSG_MORE
        } else {
            0
        };
        let flags = MsgFlags::from_bits_retain(libc::MSG_NOSIGNAL | more);
        let result = send(stream.as_raw_fd(), piece, flags);
        wait.check();
        match result {
            Ok(bytes) => sent += bytes as u64,
            Err(nix::Error::EINTR | nix::Error::EAGAIN) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    Ok(true)
}

/// Waits for the FIN of the other end. Returns `false` if `stop_ns` came first.
pub fn wait_for_fin(mut stream: &TcpStream, stop_ns: u64) -> io::Result<bool> {
    loop {
        match time_until(stop_ns) {
            Some(Duration::ZERO) => return Ok(false),
            Some(left) => stream.set_read_timeout(Some(left))?,
            None => {}
        }
        match stream.read(&mut [0]) {
            Ok(0) => return Ok(true),
            Ok(_) => {}
            Err(error)
                if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) => {}
            Err(error) => return Err(error),
        }
    }
}

/// The time until the stop; `None` if there is none.
fn time_until(stop_ns: u64) -> Option<Duration> {
    (stop_ns != NEVER_NS).then(|| Duration::from_nanos(stop_ns.saturating_sub(now_ns())))
}

/// Maximum size of a receiver's read.
pub const BUFFER_BYTES: usize = 256 << 10;

/// The receiver: connects, sends its requests when they are due, reads and checks the data, and
/// closes when it has all. A sender that stops resets the connection, which is no error.
///
/// # Errors
/// A socket call failed, or the data is wrong or incomplete.
pub fn download(
    stream: &TcpStream,
    from: SocketAddr,
    open: &OpenSockets,
    job: &Job,
    state: &FlowState,
) -> Result<(), Error> {
    state.set_connect_time(now_ns());
    connect(stream.as_raw_fd(), &SockaddrStorage::from(from))
        .map_err(failed("connecting through the path"))?;
    let result = receive(stream, open, job, state);
    match &result {
        Err(Error::Socket { source, .. }) if is_reset(source) && now_ns() >= job.stop_ns => Ok(()),
        _ => result,
    }
}

fn is_reset(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::ConnectionReset | ErrorKind::BrokenPipe | ErrorKind::NotConnected
    )
}

/// Sends the requests that are due, and those of which it is known when they are due. Returns
/// `false` if the run was over first.
fn send_requests(
    mut stream: &TcpStream,
    open: &OpenSockets,
    state: &FlowState,
) -> Result<bool, Error> {
    let due_ns = state.next_request_ns();
    if due_ns == u64::MAX {
        return Ok(true);
    }
    if !open.sleep_until(due_ns) {
        return Ok(false);
    }
    let requests = state.requests(now_ns());
    stream
        .write_all(&requests)
        .map_err(failed("sending a request"))?;
    Ok(true)
}

fn receive(
    mut stream: &TcpStream,
    open: &OpenSockets,
    job: &Job,
    state: &FlowState,
) -> Result<(), Error> {
    let (size_bytes, content) = (job.size_bytes, Content::new());
    send_requests(stream, open, state)?;
    sockets::wake_reader_at(stream, job.initial_bytes)?;
    let mut buffer = vec![1; size_bytes.min(BUFFER_BYTES as u64) as usize];
    let mut received_bytes = 0;
    let mut noted_ns = 0;
    let mut wait = CpuWait::of_this_thread();
    while received_bytes < size_bytes {
        let wanted = (size_bytes - received_bytes).min(buffer.len() as u64) as usize;
        let read = stream.read(&mut buffer[..wanted]);
        let now = now_ns();
        wait.check();
        let bytes = match read {
            Ok(0) => {
                return Err(Error::Truncated {
                    received_bytes,
                    size_bytes,
                })
            }
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => {
                state.note(now, received_bytes);
                return Err(failed("receiving the data")(error));
            }
        };
        if received_bytes == 0 {
            sockets::wake_reader_at(stream, 1)?;
        }
        content.check(received_bytes, &buffer[..bytes])?;
        received_bytes += bytes as u64;
        state.receive(now, received_bytes);
        if received_bytes == size_bytes {
            state.set_receiver_wait(wait.longest_ns());
            state.set_completed(now);
        }
        let is_due = |note_ns| received_bytes == size_bytes || now >= noted_ns + note_ns;
        if job.note_ns.is_some_and(is_due) {
            noted_ns = now;
            state.note(now, received_bytes);
        }
        if !send_requests(stream, open, state)? {
            return Ok(());
        }
    }
    stream
        .shutdown(Shutdown::Write)
        .map_err(failed("closing the connection"))?;
    wait_for_fin(stream, NEVER_NS)
        .map_err(failed("waiting for the sender's FIN"))
        .map(drop)
}
