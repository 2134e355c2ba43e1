//! `onramp lab shell`: programs of this machine whose packets cross an emulated path.

use crate::common::process::{Background, Descendant};
use crate::common::*;
use nix::sys::signal::Signal;
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::net::TcpListener;
use std::path::PathBuf;

/// Payload and wire bytes of a full segment over IPv4 with timestamps.
const PAYLOAD_SHARE: f64 = 1448.0 / 1500.0;
const SIZE: usize = 8_000_000;

/// A folder with a scenario of two cases, 20 and 50 Mbit/s with 20 ms, and a file to download.
struct Folder {
    dir: tempfile::TempDir,
    scenario: String,
}

impl Folder {
    fn new() -> Folder {
        let dir = tempfile::tempdir().unwrap();
        let scenario = dir.path().join("path.toml");
        let text = "name = \"path\"\n[path]\nrate = [\"20 Mbit/s\", \"50 Mbit/s\"]\n\
                    rtt = \"20 ms\"\nqueue = \"100 packets\"\n[[transfer]]\nsize = \"1 MB\"\n";
        fs::write(&scenario, text).unwrap();
        fs::write(dir.path().join("file"), vec![b'x'; SIZE]).unwrap();
        let scenario = scenario.to_str().unwrap().to_owned();
        Folder { dir, scenario }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// The command of a web server for the folder, over both IP versions.
    fn website(&self) -> String {
        let folder = self.dir.path().display();
        format!("exec python3 -m http.server --bind :: 8000 --directory {folder}")
    }

    /// Runs `onramp lab shell` with JSON. Returns what it printed, and its summary.
    fn shell(&self, options: &[&str], command: &[&str]) -> (Ran, Value) {
        let fixed = ["--json", "lab", "shell", &self.scenario];
        let ran = onramp([&fixed[..], options, &["--"], command].concat());
        let last = ran.stderr.lines().last().unwrap_or_default();
        let summary = serde_json::from_str(last).unwrap_or(Value::Null);
        (ran, summary)
    }
}

/// Whether the lab can run, and this test has the machine for itself.
fn lab_machine() -> Option<Machine> {
    machine().filter(|_| onramp_lab::preflight().is_ok())
}

#[test]
#[ignore = "takes long: make test-kernel"]
fn a_download_from_a_server_has_the_rate_of_the_path_over_both_ip_versions() {
    let Some(_machine) = lab_machine() else {
        return;
    };
    let folder = Folder::new();
    let got = folder.path("got");
    for version in ["-4", "-6"] {
        let run = || {
            // Both ends run before ordinary programs: where these delay them, the rate is not that
            // of the path.
            let command = [
                "chrt",
                "--rr",
                "1",
                "curl",
                "-sS",
                version,
                "--fail",
                "-o",
                got.to_str().unwrap(),
                "-w",
                "%{speed_download}",
                "http://server:8000/file",
            ];
            // Reno is the only control that is allowed in a namespace on every host.
            let server = format!("chrt --rr --pid 1 $$ && {}", folder.website());
            let options = ["--server", &server, "--avoidance", "reno"];
            let (ran, summary) = folder.shell(&options, &command);
            let speed: f64 = ran.code(0).stdout.parse().unwrap();
            (speed / (20e6 / 8.0 * PAYLOAD_SHARE), summary)
        };
        // Slow start takes a part of the time, and headers of IPv6 one more percent.
        let is_near = |(share, _): &(f64, Value)| (0.93..1.0).contains(share);
        let (share, summary) = undisturbed(run, is_near);
        assert!(is_near(&(share, Value::Null)), "{share} {summary}");
        assert_eq!(fs::metadata(&got).unwrap().len(), SIZE as u64);
        let bytes = summary["to_client"]["bytes"].as_f64().unwrap();
        assert!(
            (SIZE as f64..1.15 * SIZE as f64).contains(&bytes),
            "{summary}"
        );
        assert!(
            summary["to_server"]["packets"].as_u64() > Some(1000),
            "{summary}"
        );
    }
}

#[test]
fn a_program_reaches_this_host_through_the_path_and_finds_it_in_its_environment() {
    let Some(_machine) = lab_machine() else {
        return;
    };
    let folder = Folder::new();
    for variable in ["ONRAMP_SERVER", "ONRAMP_SERVER_IPV6"] {
        let listener = TcpListener::bind("[::]:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let serve = std::thread::spawn(move || {
            let (mut stream, peer) = listener.accept().unwrap();
            stream.write_all(&[b'x'; 300_000]).unwrap();
            peer
        });
        let script = format!("cat < /dev/tcp/${variable}/{port} | wc -c; hostname -I || true");
        let (ran, summary) = folder.shell(&[], &["bash", "-c", &script]);
        let ran = ran.code(0);
        assert!(ran.stdout.trim_start().starts_with("300000"), "{ran:#?}");
        let peer = serve.join().unwrap().ip().to_canonical();
        assert!(
            peer.to_string().starts_with("198.18.") || peer.to_string().starts_with("2001:2:0:"),
            "{peer}"
        );
        assert!(
            summary["to_client"]["bytes"].as_u64() > Some(300_000),
            "{summary}"
        );
    }
}

#[test]
fn the_exit_code_is_that_of_the_command() {
    let Some(_machine) = lab_machine() else {
        return;
    };
    let folder = Folder::new();
    for (script, code) in [("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 137)] {
        let (ran, summary) = folder.shell(&[], &["sh", "-c", script]);
        ran.code(code);
        assert_eq!(summary["exit_code"], code);
    }
    let (ran, _) = folder.shell(&[], &["/no/such/program"]);
    ran.code(127).warns(&["cannot run /no/such/program"]);
}

#[test]
fn what_is_wrong_is_named() {
    let Some(_machine) = lab_machine() else {
        return;
    };
    let folder = Folder::new();
    let (ran, _) = folder.shell(&["--case", "3"], &["true"]);
    ran.code(2).warns(&["--case 3", "has 2 cases"]);
    let (ran, _) = folder.shell(&["--server", "exit 3"], &["touch", "/tmp/started"]);
    ran.code(3)
        .warns(&["the server ended with exit code 3 before it listened"]);
    let (ran, _) = folder.shell(&["--startup", "qos"], &["true"]);
    ran.code(2)
        .warns(&["--startup qos needs a reservation", "onramp exec"]);
    onramp(["lab", "shell", "/no/such/file.toml", "--", "true"])
        .code(2)
        .warns(&["/no/such/file.toml"]);
    onramp(["lab", "shell"]).code(2).warns(&["<FILE>"]);
}

#[test]
fn the_text_names_the_case_the_path_and_the_server() {
    let Some(_machine) = lab_machine() else {
        return;
    };
    let folder = Folder::new();
    let arguments = [
        "lab",
        "shell",
        &folder.scenario,
        "--case",
        "2",
        "--",
        "true",
    ];
    onramp(arguments).code(0).warns(&[
        "path, case 2 of 2 (--case): 50 Mbit/s, 20 ms, queue 100 packets; `server` is 198.18.",
        ", this host",
        "to the client: 0 packets crossed",
        "ended after",
    ]);
}

#[test]
fn connections_of_both_programs_use_the_start_up() {
    let Some(_machine) = lab_machine() else {
        return;
    };
    let folder = Folder::new();
    let options = [
        "--server",
        &folder.website(),
        "--startup",
        "paced",
        "--avoidance",
        "cubic",
    ];
    let command = ["curl", "-sS", "-o", "/dev/null", "http://server:8000/file"];
    let (ran, summary) = folder.shell(&options, &command);
    ran.code(0);
    assert!(summary["adopted"].as_u64() >= Some(1), "{summary}");
    assert_eq!(summary["refused"], 0);
}

/// Starts a shell with a server, whose command has started others. Returns it with one of those,
/// and with a process of the server.
fn with_descendants(folder: &Folder) -> (Background, [Descendant; 2]) {
    let file = folder.path("started");
    // The processes have other ids inside. Their command lines tell them apart.
    let child = format!("sleep 98{}", std::process::id());
    let of_server = format!("sleep 99{}", std::process::id());
    let server = format!("{of_server} & {}", folder.website());
    let script = format!("{child} & touch {}; wait", file.display());
    let fixed = ["lab", "shell", &folder.scenario, "--server", &server];
    let shell = Background::onramp([&fixed[..], &["--", "sh", "-c", &script]].concat());
    wait_until("the command runs", || file.exists());
    let of = |command: &str| Descendant::new(onramp_testing::wait_for(command, || pid_of(command)));
    (shell, [of(&child), of(&of_server)])
}

/// The process with this command line.
fn pid_of(command: &str) -> Option<i32> {
    let pids = listing(std::path::Path::new("/proc")).into_iter();
    pids.filter_map(|name| name.parse::<i32>().ok())
        .find(|pid| {
            let line = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            line.replace('\0', " ").trim_end() == command
        })
}

#[test]
fn a_signal_ends_the_command_and_all_that_was_started() {
    let Some(_machine) = lab_machine() else {
        return;
    };
    let folder = Folder::new();
    let (shell, descendants) = with_descendants(&folder);
    shell.signal(Signal::SIGTERM);
    shell.wait().code(143);
    assert!(!descendants.iter().any(Descendant::is_running));
}

#[test]
fn nothing_is_left_after_a_kill() {
    let Some(_machine) = lab_machine() else {
        return;
    };
    let folder = Folder::new();
    let (shell, descendants) = with_descendants(&folder);
    shell.signal(Signal::SIGKILL);
    drop(shell);
    wait_until("the kernel has ended the programs", || {
        !descendants.iter().any(Descendant::is_running)
    });
}

/// The devices of this network namespace that a shell made.
fn devices() -> Vec<String> {
    let all = listing(std::path::Path::new("/sys/class/net"));
    let is_ours = |name: &String| name.starts_with("onramp");
    all.into_iter().filter(is_ours).collect()
}

#[test]
fn the_device_on_this_host_is_gone_after_a_kill() {
    let Some(_machine) = lab_machine() else {
        return;
    };
    let folder = Folder::new();
    let arguments = ["lab", "shell", &folder.scenario, "--", "sleep", "1000"];
    let shell = Background::onramp(arguments);
    let name = format!("onramp{}", shell.pid());
    wait_until("the device is there", || devices().contains(&name));
    wait_until("the command runs", || shell.stderr().contains("this host"));
    shell.signal(Signal::SIGKILL);
    drop(shell);
    wait_until("the device is gone", || !devices().contains(&name));
}
