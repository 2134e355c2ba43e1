//! The device through which the packets of an endpoint come and go.

use crate::capture::Capture;
use crate::error::Error;
use crate::path::{Path, PathSettings};
use nix::libc;
use nix::poll::{ppoll, PollFd, PollFlags};
use nix::sys::time::TimeSpec;
use onramp_host::{now_ns, Tun};
use std::io;
use std::os::fd::AsFd;
use std::path::{Path as FilePath, PathBuf};
use std::time::Duration;

/// Maximum number of packets that are read from the host before other work has its turn.
const BURST: usize = 64;

/// A TUN device, optionally with an emulated path in front of it and with a capture file.
pub struct Device {
    name: String,
    tun: Tun,
    mtu_bytes: u32,
    path: Option<Path>,
    /// The host may have more packets than were read.
    has_more: bool,
    capture: Option<(Capture, PathBuf)>,
}

impl Device {
    /// Wraps an open TUN device. It also sets the timer slack of the calling thread to 1 ns.
    pub fn new(name: &str, tun: Tun, mtu_bytes: u32) -> Device {
        // The default slack of a timer is 50 us.
        // SAFETY: a system call without pointers, for the calling thread.
        unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1) };
        Device {
            name: name.to_owned(),
            tun,
            mtu_bytes,
            path: None,
            has_more: false,
            capture: None,
        }
    }

    /// Emulates a path between the endpoint and the host.
    pub fn emulate(&mut self, settings: &PathSettings) {
        self.path = Some(Path::new(settings, self.mtu_bytes));
    }

    /// Writes the packets of the endpoint into a pcap file.
    ///
    /// # Errors
    /// The file cannot be created.
    pub fn capture(&mut self, path: &FilePath) -> Result<(), Error> {
        let capture = Capture::create(path, now_ns());
        let capture = capture.map_err(|source| Error::Capture {
            path: path.to_owned(),
            source,
        })?;
        self.capture = Some((capture, path.to_owned()));
        Ok(())
    }

    /// The MTU in bytes.
    pub fn mtu_bytes(&self) -> u32 {
        self.mtu_bytes
    }

    /// Replaces `into` by the next packet for the endpoint. Returns `false` if there is none now.
    pub(crate) fn receive(&mut self, now_ns: u64, into: &mut Vec<u8>) -> Result<bool, Error> {
        let mtu_bytes = self.mtu_bytes as usize;
        match &mut self.path {
            None => {
                into.resize(mtu_bytes, 0);
                let length = self
                    .tun
                    .read(into)
                    .map_err(|source| failed("reading from", &self.name, source))?;
                self.has_more = length.is_some();
                into.truncate(length.unwrap_or(0));
            }
            Some(path) => {
                into.clear();
                if let Some(packet) = path.receive(now_ns) {
                    into.extend_from_slice(packet.packet());
                }
            }
        }
        if !into.is_empty() {
            self.record(now_ns, into)?;
        }
        Ok(!into.is_empty())
    }

    /// Sends a packet of the endpoint.
    pub(crate) fn send(&mut self, now_ns: u64, packet: &[u8]) -> Result<(), Error> {
        self.record(now_ns, packet)?;
        match &mut self.path {
            None => write(&self.tun, &self.name, packet),
            Some(path) => {
                path.send(now_ns, packet);
                Ok(())
            }
        }
    }

    /// Moves the packets on the emulated path: packets from the host enter it, and packets that
    /// have crossed it are delivered to the host.
    pub(crate) fn carry(&mut self, now_ns: u64) -> Result<(), Error> {
        let Some(path) = &mut self.path else {
            return Ok(());
        };
        while let Some(packet) = path.deliver(now_ns) {
            write(&self.tun, &self.name, packet.packet())?;
        }
        let gathered = path.gather(now_ns, &self.tun, BURST);
        self.has_more = gathered.map_err(|source| failed("reading from", &self.name, source))?;
        Ok(())
    }

    /// Sleeps until the host sends, a packet has crossed the path, or `until_ns`.
    pub(crate) fn wait(&mut self, until_ns: u64) -> Result<(), Error> {
        if self.has_more {
            return Ok(());
        }
        let next_ns = self
            .path
            .as_ref()
            .and_then(Path::next_ns)
            .map_or(until_ns, |next| next.min(until_ns));
        let sleep_ns = next_ns.saturating_sub(now_ns());
        let mut ready = [PollFd::new(self.tun.as_fd(), PollFlags::POLLIN)];
        match ppoll(
            &mut ready,
            Some(TimeSpec::from_duration(Duration::from_nanos(sleep_ns))),
            None,
        ) {
            Ok(_) | Err(nix::Error::EINTR) => {}
            Err(errno) => return Err(failed("waiting for", &self.name, errno.into())),
        }
        // A device that was deleted reports an error and nothing to read.
        match ready[0].revents() {
            Some(events)
                if events.contains(PollFlags::POLLERR) && !events.contains(PollFlags::POLLIN) =>
            {
                Err(failed(
                    "waiting for",
                    &self.name,
                    io::Error::from_raw_os_error(libc::ENODEV),
                ))
            }
            _ => Ok(()),
        }
    }

    /// Whether packets are in flight on the emulated path.
    pub(crate) fn is_busy(&self) -> bool {
        self.path
            .as_ref()
            .is_some_and(|path| path.next_ns().is_some())
    }

    /// Appends a packet to the capture file, if there is one.
    fn record(&mut self, now_ns: u64, packet: &[u8]) -> Result<(), Error> {
        let Some((capture, path)) = &mut self.capture else {
            return Ok(());
        };
        capture
            .add(now_ns, packet)
            .map_err(|source| Error::Capture {
                path: path.clone(),
                source,
            })
    }

    /// Completes the capture file, if there is one.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(mut self) -> Result<(), Error> {
        let Some((mut capture, path)) = self.capture.take() else {
            return Ok(());
        };
        capture
            .flush()
            .map_err(|source| Error::Capture { path, source })
    }
}

fn write(tun: &Tun, name: &str, packet: &[u8]) -> Result<(), Error> {
    match tun.write(packet) {
        Ok(()) => Ok(()),
        // The host is short of memory. The packet is lost, as in a network.
        Err(error)
            if matches!(
                error.raw_os_error(),
                Some(libc::ENOMEM | libc::ENOBUFS | libc::EAGAIN)
            ) =>
        {
            Ok(())
        }
        Err(error) if error.raw_os_error() == Some(libc::EIO) => Err(Error::Down {
            device: name.to_owned(),
        }),
        Err(source) => Err(failed("writing to", name, source)),
    }
}

fn failed(what: &'static str, device: &str, source: io::Error) -> Error {
    Error::Device {
        what,
        device: device.to_owned(),
        source,
    }
}
