//! What uses a connection.

use onramp_tcp::stream::Socket;

/// The program at our end of a connection.
pub trait Application {
    /// Why it cannot go on.
    type Error;

    /// Reads what there is to read, and writes what there is room for; asked whenever something may
    /// have changed. `true` if it wrote something or closed.
    ///
    /// # Errors
    /// It cannot go on: the connection is reset.
    fn progress(&mut self, now_ns: u64, socket: &mut Socket) -> Result<bool, Self::Error>;

    /// It wants nothing more of this connection.
    fn is_done(&self, socket: &Socket) -> bool;
}
