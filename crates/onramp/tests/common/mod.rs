//! What the tests of the command line share: running `onramp`, the machine to oneself, and guards
//! that clear up.

#![allow(dead_code)] // each test binary uses its own part

pub mod process;
pub mod sandbox;

use nix::fcntl::{Flock, FlockArg};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// No command of these tests takes longer, unless something hangs.
const PATIENCE: Duration = Duration::from_secs(120);

/// Congestion controls, cgroups and processors are the machine's: one test at a time has them.
pub struct Machine {
    _across_processes: Flock<File>,
    _across_threads: MutexGuard<'static, ()>,
}

/// The machine, for a test that needs root and BPF on it; `None`, with a note, where the process
/// has neither.
pub fn machine() -> Option<Machine> {
    static MACHINE: Mutex<()> = Mutex::new(());
    let able = onramp_kernel::probe::check_permission().is_ok() && nix::unistd::geteuid().is_root();
    assert!(able || std::env::var_os("CI").is_none(), "CI runs as root");
    if !able {
        eprintln!("skipped: it needs root and BPF");
        return None;
    }
    let across_threads = MACHINE
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    let file = File::create(std::env::temp_dir().join("onramp-tests.lock")).unwrap();
    let across_processes = Flock::lock(file, FlockArg::LockExclusive)
        .map_err(|(_, errno)| errno)
        .unwrap();
    Some(Machine {
        _across_processes: across_processes,
        _across_threads: across_threads,
    })
}

/// What a command said.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    pub took: Duration,
}

impl Ran {
    pub fn of(output: Output, took: Duration) -> Ran {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("onramp writes UTF-8");
        Ran {
            code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
            took,
        }
    }

    /// The command must have ended with this code.
    #[track_caller]
    pub fn code(self, code: i32) -> Ran {
        assert_eq!(self.code, Some(code), "{self:#?}");
        self
    }

    /// Each of these must be in what it wrote on standard output.
    #[track_caller]
    pub fn says(self, parts: &[&str]) -> Ran {
        assert_has(&self.stdout, parts);
        self
    }

    /// Each of these must be in what it wrote on standard error.
    #[track_caller]
    pub fn warns(self, parts: &[&str]) -> Ran {
        assert_has(&self.stderr, parts);
        self
    }

    /// Standard output, which must be one JSON value.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }

    /// Standard error, which must be one JSON object and nothing else.
    #[track_caller]
    pub fn json_error(&self) -> Value {
        let value: Value =
            serde_json::from_str(&self.stderr).unwrap_or_else(|error| panic!("{error}: {self:#?}"));
        assert!(value.is_object(), "{self:#?}");
        value
    }
}

#[track_caller]
pub fn assert_has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "expected {part:?} in:\n{text}");
    }
}

/// `onramp` with these arguments, to be run.
pub fn command<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_onramp"));
    command
        .args(arguments)
        .stdin(Stdio::null())
        .env_remove("NO_COLOR");
    command
}

/// Run a command to its end.
#[track_caller]
pub fn run(command: Command) -> Ran {
    let start = Instant::now();
    let output = assert_cmd::Command::from_std(command)
        .timeout(PATIENCE)
        .output()
        .unwrap();
    Ran::of(output, start.elapsed())
}

/// Run `onramp` with these arguments.
#[track_caller]
pub fn onramp<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Ran {
    run(command(arguments))
}

/// Wait for something that takes the kernel or a process a moment.
#[track_caller]
pub fn wait_until(what: &str, is_so: impl FnMut() -> bool) {
    wait(Duration::from_secs(10), what, is_so);
}

/// The same where another user of this machine may be in the way, such as a lab: they take turns.
#[track_caller]
pub fn wait_for_turn(what: &str, is_so: impl FnMut() -> bool) {
    wait(PATIENCE, what, is_so);
}

#[track_caller]
fn wait(patience: Duration, what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + patience;
    while !is_so() {
        assert!(Instant::now() < deadline, "waited for {patience:?}: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// What `onramp status --json` says.
#[track_caller]
pub fn status() -> Vec<Value> {
    onramp(["status", "--json"])
        .code(0)
        .json()
        .as_array()
        .unwrap()
        .clone()
}

/// What `onramp ss --json` says.
#[track_caller]
pub fn connections() -> Vec<Value> {
    onramp(["ss", "--json"])
        .code(0)
        .json()
        .as_array()
        .unwrap()
        .clone()
}

/// What a process has registered.
pub fn registered_by(pid: u32) -> Vec<String> {
    let all = status()
        .into_iter()
        .filter(|loaded| loaded["owner_pid"] == pid && loaded["registered"] == true);
    all.map(|loaded| loaded["name"].as_str().unwrap().to_owned())
        .collect()
}

/// Nothing of a process is registered, and no connection uses what was.
pub fn nothing_left_of(pid: u32) -> bool {
    status().iter().all(|loaded| loaded["owner_pid"] != pid)
}

/// Another user of this machine may hold the name for a while.
#[track_caller]
pub fn wait_until_free(name: &str) {
    let is_free = || {
        !onramp_kernel::registered_names()
            .unwrap()
            .iter()
            .any(|registered| registered == name)
    };
    wait_for_turn(&format!("{name} is free"), is_free);
}

/// `onramp load` that is undone at the end.
pub struct Loaded(pub &'static str);

impl Loaded {
    #[track_caller]
    pub fn new(startup: &'static str, arguments: &[&str]) -> Loaded {
        wait_until_free(&onramp_core::congestion_control(startup));
        onramp(["load", startup].iter().chain(arguments)).code(0);
        Loaded(startup)
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        let _ = command(["unload", self.0]).output(); // the test may have done it
    }
}

/// A scenario of one path, 20 Mbit/s and 20 ms, with these transfers.
pub fn scenario(dir: &Path, name: &str, path: &str, transfers: &str) -> PathBuf {
    let file = dir.join(format!("{name}.toml"));
    let text = format!(
        "name = \"{name}\"\n[path]\nrate = \"20 Mbit/s\"\nrtt = \"20 ms\"\n{path}\n{transfers}"
    );
    fs::write(&file, text).unwrap();
    file
}

/// The names in a directory.
pub fn listing(dir: &Path) -> BTreeSet<String> {
    fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

/// The names of an object's members.
pub fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value
        .as_object()
        .expect("an object")
        .keys()
        .map(String::as_str)
        .collect();
    keys.sort_unstable();
    keys
}
