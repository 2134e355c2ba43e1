//! What everybody may know of a flow while it runs, and afterwards.

use super::tcp_info::TcpInfo;
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

/// What everybody may know of a flow while it runs, and afterwards.
#[derive(Default)]
pub struct FlowState {
    received_bytes: AtomicU64,
    connect_ns: AtomicU64,
    completed_ns: AtomicU64,
    sender: Mutex<Option<Arc<TcpStream>>>,
    addresses: OnceLock<(SocketAddr, SocketAddr)>,
    broken_off: OnceLock<TcpInfo>,
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

    /// The sender's socket, from when the connection stands until it is over.
    pub fn sender(&self) -> Option<Arc<TcpStream>> {
        self.sender
            .lock()
            .expect("nobody panics with the lock")
            .clone()
    }

    /// The connection as the sender names it: its own address, then the receiver's.
    pub fn addresses(&self) -> Option<(SocketAddr, SocketAddr)> {
        self.addresses.get().copied()
    }

    /// The sender's account when it stopped in the middle, if it did: a reset clears the kernel's.
    pub fn broken_off(&self) -> Option<TcpInfo> {
        self.broken_off.get().copied()
    }

    /// The receiver is about to connect.
    pub(super) fn connects(&self, now_ns: u64) {
        self.connect_ns.store(now_ns, Ordering::Release);
    }

    /// The sender has a connection, which is held here: closing it would reset it.
    pub(super) fn accepted(&self, sender: Arc<TcpStream>) {
        if let (Ok(own), Ok(peer)) = (sender.local_addr(), sender.peer_addr()) {
            let _ = self.addresses.set((own, peer));
        }
        *self.sender.lock().expect("nobody panics with the lock") = Some(sender);
    }

    /// The receiver has read so much in all.
    pub(super) fn received(&self, bytes: u64) {
        self.received_bytes.store(bytes, Ordering::Relaxed);
    }

    /// That was the last byte.
    pub(super) fn completed(&self, now_ns: u64) {
        self.completed_ns.store(now_ns, Ordering::Release);
    }

    /// The sender is about to reset the connection.
    pub(super) fn breaks_off(&self, account: TcpInfo) {
        let _ = self.broken_off.set(account);
    }

    /// The connection is over, and nobody will ask its sender any more.
    pub(super) fn close(&self) {
        *self.sender.lock().expect("nobody panics with the lock") = None;
    }

    pub(super) fn note(&self, now_ns: u64, received_bytes: u64) {
        self.progress
            .lock()
            .expect("nobody panics with the lock")
            .push((now_ns, received_bytes));
    }

    /// Bytes that the receiver read between two moments, from its notes.
    pub fn received_between(&self, from_ns: u64, to_ns: u64) -> f64 {
        let progress = self.progress.lock().expect("nobody panics with the lock");
        interpolate(&progress, to_ns) - interpolate(&progress, from_ns)
    }
}

/// The total at a moment, from notes (time, total) in order.
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
    fn totals_between_notes_are_interpolated() {
        let notes = [(100, 1000), (200, 3000), (400, 3000)];
        let at = |ns| interpolate(&notes, ns);
        assert_eq!(
            [at(50), at(100), at(150), at(300), at(900)],
            [0.0, 1000.0, 2000.0, 3000.0, 3000.0]
        );
    }
}
