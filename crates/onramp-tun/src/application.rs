//! The interface of a program that uses a connection.

use onramp_tcp::stream::Socket;

/// The program at our end of a connection.
pub trait Application {
    /// Why the application cannot go on.
    type Error;

    /// Reads the data that has arrived, and writes as much as there is room for. It is called
    /// whenever one of them may have changed. Returns `true` if it wrote something or closed the
    /// connection.
    ///
    /// # Errors
    /// The application cannot go on. The connection is reset.
    fn progress(&mut self, now_ns: u64, socket: &mut Socket) -> Result<bool, Self::Error>;

    /// Whether the application no longer needs the connection.
    fn is_done(&self, socket: &Socket) -> bool;
}
