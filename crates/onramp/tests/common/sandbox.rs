//! Mounts and network namespaces for one test.

use nix::mount::{mount, MsFlags};
use nix::sched::{unshare, CloneFlags};
use std::path::Path;
use std::process::Command;

const NOTHING: Option<&str> = None;

/// Runs a closure on a thread with its own mounts. Processes that it starts inherit them. They are
/// removed at the end.
pub fn with_own_mounts<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let inside = || {
        unshare(CloneFlags::CLONE_NEWNS).unwrap();
        mount(
            NOTHING,
            "/",
            NOTHING,
            MsFlags::MS_REC | MsFlags::MS_PRIVATE,
            NOTHING,
        )
        .unwrap();
        work()
    };
    match std::thread::scope(|scope| scope.spawn(inside).join()) {
        Ok(value) => value,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// Mounts an empty file system, within [`with_own_mounts`].
pub fn mount_tmpfs(on: impl AsRef<Path>, options: &str) {
    mount(
        Some("tmpfs"),
        on.as_ref(),
        Some("tmpfs"),
        MsFlags::empty(),
        Some(options),
    )
    .unwrap();
}

/// Mounts a file over another, within [`with_own_mounts`].
pub fn mount_file(file: &Path, on: &str) {
    mount(Some(file), on, NOTHING, MsFlags::MS_BIND, NOTHING).unwrap();
}

/// Two hosts, each a named network namespace, connected by a veth pair.
pub struct Hosts {
    pub server: String,
    pub client: String,
}

impl Hosts {
    pub const SERVER: &str = "192.0.2.1";
    pub const CLIENT: &str = "192.0.2.2";

    pub fn new() -> Hosts {
        let name = |end| format!("onramp-test-{}-{end}", std::process::id());
        let hosts = Hosts {
            server: name("server"),
            client: name("client"),
        };
        ip(&["netns", "add", &hosts.server]);
        ip(&["netns", "add", &hosts.client]);
        let peer = ["peer", "name", "cable", "netns", &hosts.client];
        ip(&[
            &[
                "link",
                "add",
                "cable",
                "netns",
                &hosts.server,
                "type",
                "veth",
            ][..],
            &peer,
        ]
        .concat());
        for (host, address) in [
            (&hosts.server, Hosts::SERVER),
            (&hosts.client, Hosts::CLIENT),
        ] {
            ip(&[
                "-n",
                host,
                "address",
                "add",
                &format!("{address}/24"),
                "dev",
                "cable",
            ]);
            ip(&["-n", host, "link", "set", "cable", "up"]);
            // With small buffers a slow reader limits the sender, so that the connection lasts long
            // enough to be inspected.
            let buffers = [
                "net.ipv4.tcp_rmem=4096 65536 65536",
                "net.ipv4.tcp_wmem=4096 65536 65536",
            ];
            ip(&[&["netns", "exec", host, "sysctl", "-qw"][..], &buffers].concat());
        }
        hosts
    }
}

impl Drop for Hosts {
    fn drop(&mut self) {
        for host in [&self.server, &self.client] {
            let _ = Command::new("ip").args(["netns", "delete", host]).status();
        }
    }
}

fn ip(arguments: &[&str]) {
    assert!(
        Command::new("ip")
            .args(arguments)
            .status()
            .unwrap()
            .success(),
        "ip {arguments:?}"
    );
}

/// The established TCP connections of a named network namespace, as the kernel reports them to
/// iproute2.
pub fn established(namespace: &str) -> String {
    let ss = [
        "netns",
        "exec",
        namespace,
        "ss",
        "-Htin",
        "state",
        "established",
    ];
    String::from_utf8(Command::new("ip").args(ss).output().unwrap().stdout).unwrap()
}
