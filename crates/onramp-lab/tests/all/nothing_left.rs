//! A lab leaves nothing on the host, however it ends.

use crate::common;

use common::{case, lab_runs_here};
use nix::sched::{setns, CloneFlags};
use onramp_lab::{run, BuiltIn, Path, PathEnd, RunOptions};
use onramp_testing::{wait_for, wait_until};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

/// The objects that a lab could leave behind.
#[derive(Debug, PartialEq)]
struct Host {
    interfaces: BTreeSet<String>,
    named_namespaces: BTreeSet<String>,
    settings: BTreeSet<String>,
}

impl Host {
    fn now() -> Host {
        let setting = |name: String| {
            let value = fs::read_to_string(format!("/proc/sys/{name}")).unwrap_or_default();
            format!("{name} = {value}")
        };
        // Other tests register congestion controls.
        let settings = names("/proc/sys/net/ipv4").into_iter();
        let settings = settings
            .filter(|name| !name.ends_with("congestion_control"))
            .map(|name| format!("net/ipv4/{name}"))
            .chain(["kernel/sched_rt_runtime_us".into()]);
        Host {
            interfaces: names("/sys/class/net"),
            named_namespaces: names("/run/netns"),
            settings: settings.map(setting).collect(),
        }
    }

    fn assert_unchanged(&self) {
        let now = Host::now();
        let changed: Vec<_> = now.settings.difference(&self.settings).collect();
        assert!(changed.is_empty(), "{changed:?}");
        assert_eq!(now, *self);
    }
}

fn names(folder: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect()
}

/// The network namespaces, except the host's, of which a process has a descriptor. Each is opened
/// here once.
fn namespaces_of(process: &str) -> Vec<File> {
    let folder = format!("/proc/{process}/fd");
    let is_namespace = |path: &String| {
        fs::read_link(path).is_ok_and(|to| to.to_string_lossy().starts_with("net:["))
    };
    let paths = names(&folder)
        .into_iter()
        .map(|name| format!("{folder}/{name}"));
    let open = paths
        .filter(is_namespace)
        .filter_map(|path| File::open(path).ok());
    // While a lab is being made, it may have several descriptors of a namespace, and one of the
    // host's.
    let mut seen = BTreeSet::from([fs::metadata("/proc/self/ns/net").unwrap().ino()]);
    open.filter(|file| seen.insert(file.metadata().unwrap().ino()))
        .collect()
}

/// Whether only this test's descriptor keeps the namespace: there is no device, socket, process,
/// thread or other descriptor.
fn assert_only_we_hold(namespace: &File) {
    let inside = |file: &str| {
        thread::scope(|scope| {
            let read = scope.spawn(|| {
                setns(namespace, CloneFlags::CLONE_NEWNET).unwrap();
                fs::read_to_string(format!("/proc/thread-self/net/{file}")).unwrap()
            });
            read.join().unwrap()
        })
    };
    wait_until("no device is left", || !inside("dev").contains("onramp"));
    wait_until("no socket is left", || inside("tcp").lines().count() == 1);
    let link = format!("net:[{}]", namespace.metadata().unwrap().ino());
    let leads_there =
        |path: String| fs::read_link(path).is_ok_and(|to| to.to_string_lossy() == link);
    let mut holds = 0;
    for process in names("/proc")
        .into_iter()
        .filter(|name| name.parse::<u32>().is_ok())
    {
        let descriptors = names(&format!("/proc/{process}/fd"));
        let threads = names(&format!("/proc/{process}/task"));
        holds += descriptors
            .into_iter()
            .filter(|fd| leads_there(format!("/proc/{process}/fd/{fd}")))
            .count();
        holds += threads
            .into_iter()
            .filter(|id| leads_there(format!("/proc/{process}/task/{id}/ns/net")))
            .count();
    }
    assert_eq!(holds, 1, "somebody else holds {link}");
}

/// A path may end on this host, which keeps its settings.
#[test]
fn nothing_is_left_after_a_path_that_ends_on_this_host() {
    if !lab_runs_here() {
        return;
    }
    let host = Host::now();
    let case = case("10 Mbit/s", "50 ms", "1 kB");
    let path = Path::open(&case, Some(PathEnd::Sender)).unwrap();
    assert_ne!(Host::now(), host, "a device");
    drop(path);
    host.assert_unchanged();
}

/// The variable is set for the copy of this test that only runs a lab and is killed.
const TO_BE_KILLED: &str = "ONRAMP_TEST_TO_BE_KILLED";

#[test]
fn nothing_is_left_after_a_run_or_a_kill() {
    if !lab_runs_here() {
        return;
    }
    if std::env::var_os(TO_BE_KILLED).is_some() {
        let _ = run(
            &case("1 Mbit/s", "100 ms", "1 GB"),
            &mut BuiltIn,
            &RunOptions::default(),
        );
        return;
    }
    let host = Host::now();
    let running = thread::spawn(|| {
        run(
            &case("10 Mbit/s", "50 ms", "5 MB"),
            &mut BuiltIn,
            &RunOptions::default(),
        )
        .unwrap()
    });
    let namespaces = wait_for("a lab in this process", || {
        assert!(!running.is_finished(), "it was not seen");
        Some(namespaces_of("self")).filter(|held| held.len() == 2)
    });
    running.join().unwrap();
    namespaces.iter().for_each(assert_only_we_hold);
    drop(namespaces);
    host.assert_unchanged();

    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "nothing_left::nothing_is_left_after_a_run_or_a_kill",
        ])
        .env(TO_BE_KILLED, "1")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let id = child.id().to_string();
    let namespaces = wait_for("a lab in the child", || {
        Some(namespaces_of(&id)).filter(|held| held.len() == 2)
    });
    thread::sleep(Duration::from_millis(500));
    assert!(
        child.try_wait().unwrap().is_none(),
        "the child ended before it was killed"
    );
    child.kill().unwrap();
    child.wait().unwrap();
    namespaces.iter().for_each(assert_only_we_hold);
    host.assert_unchanged();
}
