//! Lines on standard error that never block the command.
//!
//! A pipe that nobody reads becomes full, and a write to it then waits for ever. So a thread of its
//! own writes the lines, and lines that it cannot write in time are dropped and counted. The
//! program that `onramp exec` runs shares the pipe, so half of the pipe is left to it.

use nix::libc;
use std::io::Write;
use std::sync::mpsc::{sync_channel, Receiver, RecvTimeoutError, SyncSender, TrySendError};
use std::thread;
use std::time::Duration;

/// Lines that wait to be written. Further ones are dropped.
const MAX_WAITING: usize = 4096;
/// How often the thread looks again whether a full pipe has room.
const RETRY: Duration = Duration::from_millis(20);
/// How long the end of the command waits for lines that are not written yet.
const LAST_CHANCE: Duration = Duration::from_secs(1);

/// Lines for standard error. Its methods return at once, whoever reads.
pub struct StderrLines {
    lines: SyncSender<String>,
    /// Disconnected when the thread has written every line or has given up.
    written: Receiver<()>,
    dropped: usize,
    /// The note about dropped lines is a JSON object.
    notes_json: bool,
}

impl StderrLines {
    /// The thread must not inherit a signal mask that lets SIGPIPE end the process: block it first.
    /// With `json`, every line is a JSON object.
    pub fn new(json: bool) -> StderrLines {
        StderrLines {
            notes_json: json,
            ..StderrLines::to(std::io::stderr(), stderr_has_room)
        }
    }

    /// Writes to `out` while `has_room` says so.
    fn to(mut out: impl Write + Send + 'static, has_room: fn() -> bool) -> StderrLines {
        let (lines, waiting) = sync_channel::<String>(MAX_WAITING);
        let (is_writing, written) = sync_channel(0);
        thread::spawn(move || {
            let _is_writing: SyncSender<()> = is_writing;
            for line in waiting {
                while !has_room() {
                    thread::sleep(RETRY);
                }
                // Nobody reads any more: the lines that follow are dropped.
                if writeln!(out, "{line}").is_err() {
                    break;
                }
            }
        });
        StderrLines {
            lines,
            written,
            dropped: 0,
            notes_json: false,
        }
    }

    /// Prints a line, or drops it if too many others wait.
    pub fn print(&mut self, line: String) {
        if self.dropped > 0 {
            let note = match self.notes_json {
                true => serde_json::json!({ "lines_dropped": self.dropped }).to_string(),
                false => format!(
                    "onramp: {} not printed: nobody read standard error",
                    crate::text::count(self.dropped, "line")
                ),
            };
            if self.lines.try_send(note).is_ok() {
                self.dropped = 0;
            }
        }
        match self.lines.try_send(line) {
            Ok(()) | Err(TrySendError::Disconnected(_)) => {}
            Err(TrySendError::Full(_)) => self.dropped += 1,
        }
    }

    /// Waits until the lines are written, for a second at most.
    pub fn finish(self) {
        self.finish_within(LAST_CHANCE);
    }

    /// Returns whether every line that was not dropped has been written or could not be.
    fn finish_within(self, patience: Duration) -> bool {
        drop(self.lines);
        self.written.recv_timeout(patience) != Err(RecvTimeoutError::Timeout)
    }
}

/// True unless standard error is a pipe that is half full.
fn stderr_has_room() -> bool {
    // SAFETY: both calls read the state of a descriptor, and the second one writes an integer.
    let (capacity, unread) = unsafe {
        let mut unread: libc::c_int = 0;
        let capacity = libc::fcntl(libc::STDERR_FILENO, libc::F_GETPIPE_SZ);
        let result = libc::ioctl(libc::STDERR_FILENO, libc::FIONREAD, &mut unread);
        (capacity, if result == 0 { unread } else { 0 })
    };
    // Not a pipe: the capacity is -1.
    capacity <= 0 || unread < capacity / 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;
    use std::sync::{Arc, Mutex};

    /// Never returns, as a write to a full pipe that nobody reads.
    struct Stuck;

    impl Write for Stuck {
        fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
            loop {
                thread::park();
            }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_reader_that_does_not_read_stops_neither_printing_nor_the_end() {
        for (has_room, out) in [(true, "a blocked write"), (false, "a full pipe")] {
            let has_room: fn() -> bool = if has_room { || true } else { || false };
            let mut lines = StderrLines::to(Stuck, has_room);
            for number in 0..3 * MAX_WAITING {
                lines.print(number.to_string());
            }
            // A thread that starts late makes room for one line: a note of those dropped before.
            assert!(lines.dropped > 0, "{out}");
            assert!(!lines.finish_within(Duration::from_millis(10)), "{out}");
        }
    }

    #[test]
    fn a_reader_that_has_gone_ends_the_printing() {
        struct Gone;
        impl Write for Gone {
            fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut lines = StderrLines::to(Gone, || true);
        lines.print("lost".to_owned());
        assert!(lines.finish_within(Duration::from_secs(60)));
    }

    #[test]
    fn lines_are_written_in_their_order() {
        let out = Shared::default();
        let mut lines = StderrLines::to(out.clone(), || true);
        for line in ["one", "two", "three"] {
            lines.print(line.to_owned());
        }
        assert!(lines.finish_within(Duration::from_secs(60)));
        assert_eq!(*out.0.lock().unwrap(), b"one\ntwo\nthree\n");
    }
}
