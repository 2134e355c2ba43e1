//! The state of a flow, which all threads of a run may read.

use super::sending_end::SendingEnd;
use super::tcp_info::TcpInfo;
use onramp_hq::noq::Connection;
use onramp_results::StartupEvent;
use onramp_scenario::{Answers, Requester};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// The state of a flow while it runs, and afterwards.
#[derive(Default)]
pub struct FlowState {
    received_bytes: AtomicU64,
    requests: Mutex<Requester>,
    connect_ns: AtomicU64,
    completed_ns: AtomicU64,
    /// The sending end of each hop, from the sender on, while it has a connection.
    hops: Mutex<BTreeMap<usize, SendingEnd>>,
    traced_hop: usize,
    addresses: OnceLock<(SocketAddr, SocketAddr)>,
    info_at_stop: OnceLock<TcpInfo>,
    sender_wait_ns: AtomicU64,
    receiver_wait_ns: AtomicU64,
    progress: Mutex<Vec<(u64, u64)>>,
    /// The events of a start-up in user space, by CLOCK_MONOTONIC.
    events: Mutex<Vec<(u64, StartupEvent)>>,
}

impl FlowState {
    /// The state of a flow that has not started, with its requests. This hop is traced.
    pub fn of(traced_hop: usize, requests: Requester) -> FlowState {
        FlowState {
            traced_hop,
            requests: Mutex::new(requests),
            ..FlowState::default()
        }
    }

    /// Payload that the receiver has read.
    pub fn received_bytes(&self) -> u64 {
        self.received_bytes.load(Ordering::Relaxed)
    }

    /// When the receiver sends its next request; `u64::MAX`: not before more has arrived.
    pub fn next_request_ns(&self) -> u64 {
        self.requests.lock().next_ns()
    }

    /// The answers that have arrived.
    pub fn answers(&self) -> Answers {
        self.requests.lock().answers.clone()
    }

    /// The time just before the receiver's connect; 0 until then.
    pub fn connect_ns(&self) -> u64 {
        self.connect_ns.load(Ordering::Acquire)
    }

    /// The time when the last byte had been read; 0 until then.
    pub fn completed_ns(&self) -> u64 {
        self.completed_ns.load(Ordering::Acquire)
    }

    /// The sender's end, while it has a connection.
    pub fn sender(&self) -> Option<SendingEnd> {
        self.hop(0)
    }

    /// The sending end of the hop that is traced, while it has a connection.
    pub fn traced_sender(&self) -> Option<SendingEnd> {
        self.hop(self.traced_hop)
    }

    /// The sending ends of the relays that have a connection.
    pub fn relays(&self) -> Vec<SendingEnd> {
        let hops = self.hops.lock();
        hops.range(1..).map(|(_, socket)| socket.clone()).collect()
    }

    fn hop(&self, hop: usize) -> Option<SendingEnd> {
        self.hops.lock().get(&hop).cloned()
    }

    /// The sender's address, then the receiver's; `None` before the connection.
    pub fn addresses(&self) -> Option<(SocketAddr, SocketAddr)> {
        self.addresses.get().copied()
    }

    /// The sender's tcp_info when it stopped before the end; `None` if it did not. It is taken
    /// before the reset, which clears the kernel's.
    pub fn info_at_stop(&self) -> Option<TcpInfo> {
        self.info_at_stop.get().copied()
    }

    /// The longest time for which the sender's thread and the receiver's waited for a CPU during
    /// the transfer; the sender's until the last byte was in its socket's buffer.
    pub fn cpu_waits_ns(&self) -> [u64; 2] {
        [&self.sender_wait_ns, &self.receiver_wait_ns]
            .map(|wait_ns| wait_ns.load(Ordering::Acquire))
    }

    /// Records the longest wait of the sender's thread for a CPU.
    pub(super) fn set_sender_wait(&self, wait_ns: u64) {
        self.sender_wait_ns.store(wait_ns, Ordering::Release);
    }

    /// Records the longest wait of the receiver's thread for a CPU.
    pub(super) fn set_receiver_wait(&self, wait_ns: u64) {
        self.receiver_wait_ns.store(wait_ns, Ordering::Release);
    }

    /// Records that the receiver is about to connect.
    pub(super) fn set_connect_time(&self, now_ns: u64) {
        self.connect_ns.store(now_ns, Ordering::Release);
    }

    /// Records the sender's connection. It is held here, because closing the socket would reset it.
    pub(super) fn set_sender(&self, sender: Arc<TcpStream>) {
        if let (Ok(own), Ok(peer)) = (sender.local_addr(), sender.peer_addr()) {
            let _ = self.addresses.set((own, peer));
        }
        self.set_hop(0, sender);
    }

    /// Records the sender's connection over QUIC, and its addresses.
    pub(super) fn set_quic_sender(&self, sender: Connection, own: SocketAddr, peer: SocketAddr) {
        let _ = self.addresses.set((own, peer));
        self.set_end(0, SendingEnd::Quic(sender));
    }

    /// Records the sending socket of a hop. It is held here for the same reason.
    pub(super) fn set_hop(&self, hop: usize, socket: Arc<TcpStream>) {
        self.set_end(hop, SendingEnd::Tcp(socket));
    }

    fn set_end(&self, hop: usize, end: SendingEnd) {
        self.hops.lock().insert(hop, end);
    }

    /// The requests that the receiver sends now.
    pub(super) fn requests(&self, now_ns: u64) -> Vec<u8> {
        let mut requests = self.requests.lock();
        requests.leave(now_ns).flat_map(u64::to_be_bytes).collect()
    }

    /// Records the total number of bytes that the receiver has read, by TCP.
    pub(super) fn receive(&self, now_ns: u64, bytes: u64) {
        let more_bytes = bytes - self.received_bytes();
        self.set_received(bytes);
        self.requests.lock().received(now_ns, more_bytes);
    }

    /// Records the total number of bytes that the receiver has read.
    pub(super) fn set_received(&self, bytes: u64) {
        self.received_bytes.store(bytes, Ordering::Relaxed);
    }

    /// Records that the last byte has been read.
    pub(super) fn set_completed(&self, now_ns: u64) {
        self.completed_ns.store(now_ns, Ordering::Release);
    }

    /// Records the sender's tcp_info before it resets the connection.
    pub(super) fn set_info_at_stop(&self, info: TcpInfo) {
        let _ = self.info_at_stop.set(info);
    }

    /// Closes the sending sockets. The connections have ended.
    pub(super) fn close(&self) {
        self.hops.lock().clear();
    }

    /// Records the receiver's progress.
    pub fn note(&self, now_ns: u64, received_bytes: u64) {
        self.progress.lock().push((now_ns, received_bytes));
    }

    /// Records an event of the sender's start-up, which is in user space.
    pub(super) fn add_event(&self, now_ns: u64, event: StartupEvent) {
        self.events.lock().push((now_ns, event));
    }

    /// The recorded events and their times. Those of a start-up in the kernel are not among them.
    pub fn events(&self) -> Vec<(u64, StartupEvent)> {
        self.events.lock().clone()
    }

    /// The receiver's recorded progress: times, and the total number of bytes that it has read.
    pub fn progress(&self) -> Vec<(u64, u64)> {
        self.progress.lock().clone()
    }

    /// Bytes that the receiver read between two times, from its recorded progress.
    pub fn received_between(&self, from_ns: u64, to_ns: u64) -> f64 {
        let progress = self.progress.lock();
        interpolate(&progress, to_ns) - interpolate(&progress, from_ns)
    }
}

/// The total at a time, interpolated from ordered records (time, total).
fn interpolate(notes: &[(u64, u64)], at_ns: u64) -> f64 {
    let after = notes.partition_point(|(time_ns, _)| *time_ns <= at_ns);
    let Some(&(t0, b0)) = after.checked_sub(1).and_then(|before| notes.get(before)) else {
        return 0.0;
    };
    let Some(&(t1, b1)) = notes.get(after) else {
        return b0 as f64;
    };
    b0 as f64 + (b1 - b0) as f64 * (at_ns - t0) as f64 / (t1 - t0) as f64
}

#[cfg(test)]
mod tests {
    use super::interpolate;

    #[test]
    fn totals_between_records_are_interpolated() {
        let notes = [(100, 1000), (200, 3000), (400, 3000)];
        let at = |ns| interpolate(&notes, ns);
        assert_eq!(
            [at(50), at(100), at(150), at(300), at(900)],
            [0.0, 1000.0, 2000.0, 3000.0, 3000.0]
        );
    }
}
