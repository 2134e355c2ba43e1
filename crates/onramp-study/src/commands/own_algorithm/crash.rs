//! A crash in the user's code ends with a sentence that names its likely cause.

use nix::libc;
use nix::sys::signal::{sigaction, SaFlags, SigAction, SigHandler, SigSet, Signal};

const SIGNALS: [Signal; 4] = [
    Signal::SIGFPE,
    Signal::SIGILL,
    Signal::SIGSEGV,
    Signal::SIGBUS,
];

extern "C" fn crashed(signal: libc::c_int) {
    let message: &[u8] = match signal {
        libc::SIGFPE => {
            b"onramp: your algorithm divided by zero (SIGFPE), where the kernel gives 0: check \
              the divisor\n"
        }
        libc::SIGILL => {
            b"onramp: your algorithm has undefined behaviour (SIGILL), for example a shift by 64 \
              or more, or an index outside of an array\n"
        }
        _ => {
            b"onramp: your algorithm used memory that is not its own (SIGSEGV or SIGBUS). It may \
              use its state and the records alone\n"
        }
    };
    // SAFETY: both calls are allowed in a handler of signals.
    unsafe {
        libc::write(libc::STDERR_FILENO, message.as_ptr().cast(), message.len());
        libc::_exit(i32::from(onramp_cli::failure::MISSED));
    }
}

/// From now on a crash is explained.
pub fn explain() {
    let action = SigAction::new(
        SigHandler::Handler(crashed),
        SaFlags::SA_ONSTACK,
        SigSet::empty(),
    );
    for signal in SIGNALS {
        // SAFETY: the handler makes system calls alone.
        let _ = unsafe { sigaction(signal, &action) };
    }
}
