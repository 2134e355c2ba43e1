//! Who may choose a start-up: other users, other user namespaces, and what is left afterwards.

use crate::common::{connection_of, listener, machine};
use nix::libc;
use nix::sys::socket::{setsockopt, sockopt::TcpCongestion};
use onramp_kernel::{allowed_names, loaded, unload, Connections, Lifetime, Options, Registration};
use onramp_testing::wait_until;
use std::ffi::OsString;
use std::net::TcpListener;
use std::os::fd::AsFd;
use std::process::Command;

/// A start-up that is registered until it is unloaded, which happens when this value is dropped.
struct Registered(&'static str);

impl Registered {
    fn new(restricted: bool) -> Registered {
        const STARTUP: &str = "standard";
        let _ = unload(STARTUP, &Connections::Keep); // An earlier run may have failed.
        let options = Options {
            lifetime: Lifetime::UntilUnloaded,
            restricted,
            ..Options::new(STARTUP)
        };
        Registration::new(&options).unwrap();
        Registered("onramp_standard")
    }

    fn references(&self) -> u64 {
        let all = loaded().unwrap().into_iter();
        all.filter(|loaded| loaded.name == self.0)
            .map(|loaded| loaded.references)
            .sum()
    }

    fn is_known(&self) -> bool {
        loaded().unwrap().iter().any(|loaded| loaded.name == self.0)
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        let _ = unload(self.0, &Connections::Keep); // the test may have unloaded it
    }
}

/// Does some work as another user, on a thread of its own. It has no capabilities there.
fn as_nobody<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    const NOBODY: libc::uid_t = 65534;
    std::thread::scope(|scope| {
        let inside = || {
            // SAFETY: the call has no pointers, and changes only this thread. (The function of
            // libc would change the whole process.)
            let result = unsafe { libc::syscall(libc::SYS_setresuid, NOBODY, NOBODY, NOBODY) };
            assert_eq!(result, 0);
            work()
        };
        scope.spawn(inside).join().unwrap()
    })
}

fn choose_as_nobody(name: &str) -> nix::Result<TcpListener> {
    as_nobody(|| {
        let socket = listener();
        setsockopt(&socket.as_fd(), TcpCongestion, &OsString::from(name)).map(|()| socket)
    })
}

/// Runs a shell command as root of a user namespace, in a network namespace of its own. `None` if
/// this host makes no user namespaces.
fn in_user_namespace(command: &str) -> Option<String> {
    let unshare = |command| {
        let arguments = ["-Urn", "sh", "-c", command];
        Command::new("unshare").args(arguments).output().unwrap()
    };
    if !unshare("true").status.success() {
        eprintln!("left out: this host makes no user namespaces");
        return None;
    }
    Some(String::from_utf8(unshare(command).stdout).unwrap())
}

#[test]
fn every_user_may_choose_a_start_up() {
    let Some(_machine) = machine() else { return };
    let registered = Registered::new(false);
    assert!(allowed_names().unwrap().contains(&registered.0.to_owned()));
    let socket = choose_as_nobody(registered.0).unwrap();
    assert_eq!(registered.references(), 1);
    let ends = connection_of(&socket);
    assert_eq!(registered.references(), 2, "the accepted end inherits it");
    drop((ends, socket));

    let sysctl = "/proc/sys/net/ipv4/tcp_congestion_control";
    let write = format!("echo {} > {sysctl} && cat {sysctl}", registered.0);
    if let Some(default) = in_user_namespace(&write) {
        assert_eq!(default.trim(), registered.0);
    }
    unload("standard", &Connections::Keep).unwrap();
    wait_until(
        "nothing is left: neither of the socket nor of the namespace",
        || !registered.is_known(),
    );
}

#[test]
fn a_restricted_start_up_needs_a_capability() {
    let Some(_machine) = machine() else { return };
    let registered = Registered::new(true);
    let all = loaded().unwrap();
    let own = all.iter().find(|loaded| loaded.name == registered.0);
    assert!(own.unwrap().restricted);
    assert!(!allowed_names().unwrap().contains(&registered.0.to_owned()));
    let refused = choose_as_nobody(registered.0);
    assert_eq!(refused.err(), Some(nix::Error::EPERM));
    // The sysctl of another network namespace is not written here: the kernel refuses it, and
    // keeps the registration for ever.
    let socket = listener();
    setsockopt(&socket, TcpCongestion, &OsString::from(registered.0)).unwrap();
    assert_eq!(registered.references(), 1, "with CAP_NET_ADMIN it works");
    drop(socket);
    unload("standard", &Connections::Keep).unwrap();
    wait_until("nothing is left of the refused choice", || {
        !registered.is_known()
    });
}
