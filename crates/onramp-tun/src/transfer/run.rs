//! The loops of a client and of a server.

use super::Transfer;
use crate::driver::Driver;
use crate::endpoint::{Counts, Ended};
use crate::error::Error;
use onramp_host::now_ns;
use std::io::Write;
use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

/// Without any packet from the peer for this long after the start, `on_silence` is called.
const SILENCE_NS: u64 = 3_000_000_000;

/// Connects to a peer and runs a transfer to its end. Calls `on_silence` once if the peer sends
/// nothing in the first 3 seconds. Returns `None` if `stop` was set; the connection is then reset.
///
/// # Errors
/// The device failed.
pub fn get<W: Write>(
    driver: &mut Driver<Transfer<W>>,
    peer: SocketAddr,
    transfer: Transfer<W>,
    stop: &AtomicBool,
    on_silence: impl FnOnce(),
) -> Result<Option<Ended<Transfer<W>>>, Error> {
    driver.endpoint.connect(now_ns(), peer, transfer);
    let mut silence = Some((now_ns() + SILENCE_NS, on_silence));
    while !stop.load(Ordering::Relaxed) {
        driver.turn()?;
        if let Some(ended) = driver.endpoint.take_ended() {
            return Ok(Some(ended));
        }
        let counts = driver.endpoint.counts();
        if counts.received > counts.foreign + counts.damaged {
            silence = None;
        }
        if let Some((_, on_silence)) = silence.take_if(|(until_ns, _)| *until_ns < now_ns()) {
            on_silence();
        }
    }
    driver.endpoint.abort();
    Ok(None)
}

/// How [`serve`] ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServeEnd {
    /// `on_ended` asked for it.
    Finished,
    /// `stop` was set, and there was no connection.
    Stopped,
    /// `stop` was set, and connections were reset.
    Interrupted,
}

/// Accepts connections on a port until `stop` is set or `on_ended` returns `Break`. `accept` makes
/// the transfer for a peer; `None` refuses the peer. `on_ended` is called for each connection that
/// has ended.
///
/// # Errors
/// The device failed, or `on_ended` returned an error.
pub fn serve<W: Write, E: From<Error>>(
    driver: &mut Driver<Transfer<W>>,
    port: u16,
    accept: impl FnMut(SocketAddr) -> Option<Transfer<W>> + 'static,
    stop: &AtomicBool,
    mut on_ended: impl FnMut(Ended<Transfer<W>>, Counts) -> Result<ControlFlow<()>, E>,
) -> Result<ServeEnd, E> {
    driver.endpoint.listen(port, accept);
    let end = 'serving: loop {
        driver.turn()?;
        while let Some(ended) = driver.endpoint.take_ended() {
            if on_ended(ended, driver.endpoint.counts())?.is_break() {
                break 'serving ServeEnd::Finished;
            }
        }
        if stop.load(Ordering::Relaxed) {
            let had_connections = driver.endpoint.has_applications();
            driver.endpoint.abort();
            break match had_connections {
                true => ServeEnd::Interrupted,
                false => ServeEnd::Stopped,
            };
        }
    };
    driver.endpoint.stop_listening();
    Ok(end)
}
