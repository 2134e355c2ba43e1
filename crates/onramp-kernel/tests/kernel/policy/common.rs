//! A BPF file system for one test, and policies in it.

use crate::common::{connection_of, control_of};
use nix::mount::{mount, umount, MsFlags};
use nix::sched::{unshare, CloneFlags};
use onramp_kernel::policy::{GroupCounts, Match, Rule, Snapshot, Start};
use onramp_kernel::{Options, Policies};
use std::net::TcpListener;
use std::path::{Path, PathBuf};

/// Runs a test on a thread with its own mounts, one of them a BPF file system. Returns when nothing
/// of the policies is left.
pub fn with_pins(work: impl FnOnce(&Path) + Send) {
    const NOTHING: Option<&str> = None;
    let inside = || {
        unshare(CloneFlags::CLONE_NEWNS).unwrap();
        let private = MsFlags::MS_REC | MsFlags::MS_PRIVATE;
        mount(NOTHING, "/", NOTHING, private, NOTHING).unwrap();
        let directory = std::env::temp_dir().join(format!("onramp-bpffs-{}", std::process::id()));
        let _ = std::fs::create_dir(&directory);
        mount(
            Some("bpf"),
            &directory,
            Some("bpf"),
            MsFlags::empty(),
            NOTHING,
        )
        .unwrap();
        let _unmounted = Unmounted(directory.clone());
        work(&directory.join("onramp"));
    };
    if let Err(panic) = std::thread::scope(|scope| scope.spawn(inside).join()) {
        std::panic::resume_unwind(panic);
    }
}

struct Unmounted(PathBuf);

impl Drop for Unmounted {
    fn drop(&mut self) {
        let _ = umount(&self.0);
        let _ = std::fs::remove_dir(&self.0);
    }
}

/// Policies that are undone when this value is dropped.
pub struct InForce(pub Option<Policies>);

impl InForce {
    pub fn new(pins: &Path, rules: &[Rule]) -> InForce {
        let mut policies = InForce(Some(Policies::open(pins, None).unwrap()));
        policies.get().apply(rules).unwrap();
        policies
    }

    pub fn get(&mut self) -> &mut Policies {
        self.0.as_mut().unwrap()
    }

    /// Ends the process's hold on them, as a crash does.
    pub fn crash(mut self) {
        drop(self.0.take());
    }

    pub fn stop(mut self) {
        self.0.take().unwrap().stop().unwrap();
    }

    pub fn snapshot(&mut self) -> Snapshot {
        self.get().snapshot().unwrap()
    }

    /// The connections of the two groups of the first policy.
    pub fn connections(&mut self) -> (u64, u64) {
        let [startup, control] = self.groups();
        (startup.connections, control.connections)
    }

    /// The two groups of the first policy.
    pub fn groups(&mut self) -> [GroupCounts; 2] {
        self.snapshot().groups[0].unwrap()
    }
}

impl Drop for InForce {
    fn drop(&mut self) {
        if let Some(policies) = self.0.take() {
            policies.stop().unwrap();
        }
    }
}

/// A policy for the start-up `paced`.
pub fn policy(name: &str, matches: Match, share: f64) -> Rule {
    Rule {
        name: name.to_owned(),
        matches,
        start: Some(Start {
            options: Options {
                // Other tests must not hold connections to loopback back.
                governor_bound_ppm: 0,
                ..Options::new("paced")
            },
            share,
        }),
        receive_window_bytes: None,
    }
}

/// Only the port of this listener.
pub fn port_of(listener: &TcpListener) -> Match {
    let port = listener.local_addr().unwrap().port();
    Match {
        local_ports: vec![port..=port],
        ..Match::default()
    }
}

/// The congestion control of the next connection that a listener accepts.
pub fn next_control(listener: &TcpListener) -> String {
    let (accepted, _client) = connection_of(listener);
    control_of(&accepted)
}

/// Does the next connection that a listener accepts have the start-up?
pub fn gets_it(listener: &TcpListener) -> bool {
    next_control(listener).starts_with("onramp_paced.")
}
