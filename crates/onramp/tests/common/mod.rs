//! Helpers of the tests of the command line: running `onramp`, exclusive use of the machine, and
//! guards that clean up.

#![allow(dead_code)] // each test binary uses a part of it

pub mod process;
pub mod sandbox;

use nix::fcntl::{Flock, FlockArg};
use onramp_cli::tasks::{ONRAMP, ONRAMP_STUDY};
#[allow(unused_imports)] // each test binary uses a part of them
pub use onramp_testing::{is_true_soon, undisturbed, wait_for, wait_until};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

/// Exclusive use of the machine. Congestion controls, cgroups and processors belong to the whole
/// machine, so that only one test at a time may use them.
pub struct Machine {
    _across_processes: Flock<File>,
    _across_threads: MutexGuard<'static, ()>,
}

/// The machine, for a test that needs root and BPF. `None`, with a note, if the process may not use
/// them.
pub fn machine() -> Option<Machine> {
    static MACHINE: Mutex<()> = Mutex::new(());
    let is_permitted =
        onramp_kernel::probe::check_permission().is_ok() && nix::unistd::geteuid().is_root();
    assert!(
        is_permitted || std::env::var_os("CI").is_none(),
        "CI runs as root"
    );
    if !is_permitted {
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

/// The result of a command.
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

    /// Asserts that the command ended with this exit code.
    #[track_caller]
    pub fn code(self, code: i32) -> Ran {
        assert_eq!(self.code, Some(code), "{self:#?}");
        self
    }

    /// Asserts that standard output contains each of these texts.
    #[track_caller]
    pub fn says(self, parts: &[&str]) -> Ran {
        assert_has(&self.stdout, parts);
        self
    }

    /// Asserts that standard error contains each of these texts.
    #[track_caller]
    pub fn warns(self, parts: &[&str]) -> Ran {
        assert_has(&self.stderr, parts);
        self
    }

    /// Standard output as one JSON value.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }

    /// Standard error as one JSON object.
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

/// A program of ours, in the folder in which cargo builds. It is built if it is not there: cargo
/// builds only the program whose tests it runs.
pub fn program(name: &str) -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let folder = tests.parent().and_then(Path::parent).unwrap(); // the tests are in `deps`
    let program = folder.join(name);
    if !program.exists() {
        let is_release = folder.ends_with("release");
        let built = Command::new(env!("CARGO"))
            .args(["build", "--quiet", "--locked", "--package", name])
            .args(is_release.then_some("--release"))
            .status()
            .unwrap();
        assert!(built.success(), "cargo builds no {name}");
    }
    program
}

/// The command `onramp` with these arguments. It runs `onramp-study` for its commands.
pub fn command<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    program(ONRAMP_STUDY);
    let mut command = Command::new(program(ONRAMP));
    command
        .args(arguments)
        .stdin(Stdio::null())
        .env_remove("NO_COLOR");
    command
}

/// A directory that everyone may read, with copies of both programs.
pub fn public_dir() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
    for name in [ONRAMP, ONRAMP_STUDY] {
        fs::copy(program(name), dir.path().join(name)).unwrap();
    }
    dir
}

/// Runs a command to its end.
#[track_caller]
pub fn run(command: Command) -> Ran {
    process::Background::spawn(command).wait()
}

/// Runs `onramp` with these arguments.
#[track_caller]
pub fn onramp<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Ran {
    run(command(arguments))
}

/// The output of `onramp status --json`.
#[track_caller]
pub fn status() -> Vec<Value> {
    onramp(["status", "--json"])
        .code(0)
        .json()
        .as_array()
        .unwrap()
        .clone()
}

/// The output of `onramp ss --json`.
#[track_caller]
pub fn connections() -> Vec<Value> {
    onramp(["ss", "--json"])
        .code(0)
        .json()
        .as_array()
        .unwrap()
        .clone()
}

/// The names that a process has registered.
pub fn registered_by(pid: u32) -> Vec<String> {
    let all = status()
        .into_iter()
        .filter(|loaded| loaded["owner_pid"] == pid && loaded["registered"] == true);
    all.map(|loaded| loaded["name"].as_str().unwrap().to_owned())
        .collect()
}

/// Whether nothing of a process is registered or used by a connection.
pub fn nothing_left_of(pid: u32) -> bool {
    status().iter().all(|loaded| loaded["owner_pid"] != pid)
}

/// Waits until a name is not registered. Another user of this machine may use it for a while.
#[track_caller]
pub fn wait_until_free(name: &str) {
    let is_free = || {
        !onramp_kernel::registered_names()
            .unwrap()
            .iter()
            .any(|registered| registered == name)
    };
    wait_until(&format!("{name} is free"), is_free);
}

/// A start-up that `onramp load` registered. It is unloaded when this value is dropped.
pub struct Loaded(pub &'static str);

impl Loaded {
    #[track_caller]
    pub fn new(startup: &'static str, arguments: &[&str]) -> Loaded {
        wait_until_free(&onramp_core::congestion_control(startup));
        // Without this the host's default congestion control would follow.
        let followed: &[&str] = match arguments.contains(&"--avoidance") {
            true => &[],
            false => &["--avoidance", "cubic"],
        };
        onramp(["load", startup].iter().chain(arguments).chain(followed)).code(0);
        Loaded(startup)
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        let _ = command(["unload", self.0]).output(); // the test may have unloaded it
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

/// The sorted keys of an object.
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
