//! `onramp exec`: which connections it switches to a start-up, for how long, and the exit code of
//! the program.

use crate::common::process::Background;
use crate::common::sandbox::{established, Hosts};
use crate::common::*;
use nix::sys::signal::Signal;
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::net::TcpListener;
use std::os::unix::fs::MetadataExt;
use std::process::{Command, Stdio};
use std::time::{Duration, UNIX_EPOCH};

const PORT: &str = "8000";
const SIZE: usize = 30_000_000;
const PHASES: [&str; 5] = ["slow-start", "probe", "pacing", "approach", "done"];

/// A web server that sends the first bytes of a file, and the others once a line has been written
/// into `gate`. Until then its connection lives, and too few segments are acknowledged to end a
/// start-up, at any speed of the machine.
const GATED: &str = r#"
import http.server, os, sys
class Gated(http.server.SimpleHTTPRequestHandler):
    def copyfile(self, source, output):
        output.write(source.read(1000))
        open("gate").readline()
        super().copyfile(source, output)
os.chdir(sys.argv[1])
http.server.ThreadingHTTPServer((sys.argv[2], int(sys.argv[3])), Gated).serve_forever()
"#;

/// A file to download, and the command that serves it in a host.
struct Website {
    dir: tempfile::TempDir,
    command: String,
    gate: fs::File,
}

impl Website {
    fn new(hosts: &Hosts) -> Website {
        let dir = tempfile::tempdir().unwrap();
        let content: Vec<_> = (0..SIZE).map(|i| (i % 251) as u8).collect();
        fs::write(dir.path().join("file"), content).unwrap();
        fs::write(dir.path().join("gated.py"), GATED).unwrap();
        let gate = dir.path().join("gate");
        nix::unistd::mkfifo(&gate, nix::sys::stat::Mode::S_IRWXU).unwrap();
        // Open for both, a FIFO waits for no other end.
        let gate = fs::File::options().read(true).write(true).open(gate);
        let folder = dir.path().display();
        let command = format!(
            "ip netns exec {} python3 {folder}/gated.py {folder} {} {PORT}; exit",
            hosts.server,
            Hosts::SERVER,
        );
        Website {
            dir,
            command,
            gate: gate.unwrap(),
        }
    }

    /// Lets the server send the whole file.
    fn open_gate(&self) {
        (&self.gate).write_all(b"\n").unwrap();
    }

    fn download(&self, hosts: &Hosts) -> Vec<String> {
        let url = format!("http://{}:{PORT}/file", Hosts::SERVER);
        let target = self.dir.path().join("got").display().to_string();
        let curl = ["curl", "-sS", "--fail", "-o", &target, &url];
        ["ip", "netns", "exec", &hosts.client]
            .iter()
            .chain(&curl)
            .map(|part| (*part).to_owned())
            .collect()
    }

    #[track_caller]
    fn assert_downloaded(&self) {
        let read = |name| fs::read(self.dir.path().join(name)).unwrap();
        assert!(
            read("got") == read("file"),
            "the download differs from the file"
        );
    }
}

fn spawn(arguments: &[String]) -> Background {
    let mut command = Command::new(&arguments[0]);
    command.args(&arguments[1..]);
    Background::spawn(command)
}

fn wait_for_server(hosts: &Hosts) {
    let listening = || {
        let ss = ["netns", "exec", &hosts.server, "ss", "-Htln"];
        String::from_utf8(Command::new("ip").args(ss).output().unwrap().stdout)
            .unwrap()
            .contains(PORT)
    };
    wait_until("the server listens", listening);
}

/// Asserts that no registration, connection or cgroup of an exec is left.
#[track_caller]
fn assert_nothing_left_of(pid: u32) {
    wait_until("nothing is registered", || nothing_left_of(pid));
    let cgroups = listing(&onramp_kernel::own_cgroup().unwrap());
    assert!(
        !cgroups
            .iter()
            .any(|name| name.starts_with(&format!("onramp-exec-{pid}-"))),
        "{cgroups:?}"
    );
}

#[test]
fn only_the_connections_that_a_descendant_accepts_are_adopted() {
    let Some(_machine) = machine() else { return };
    let hosts = Hosts::new();
    let site = Website::new(&hosts);
    let exec = Background::onramp([
        "exec",
        "--startup",
        "gamma",
        "--",
        "sh",
        "-c",
        &site.command,
    ]);
    let pid = exec.pid();
    wait_for_server(&hosts);
    let name = registered_by(pid).pop().expect("exec has registered");

    let mut curl = spawn(&site.download(&hosts));
    wait_until("the transfer has started", || {
        assert!(
            curl.is_running(),
            "curl has ended: {}{}",
            curl.stderr(),
            exec.stderr()
        );
        established(&hosts.server).contains("bytes_acked")
    });
    let (served, downloaded) = (established(&hosts.server), established(&hosts.client));
    assert!(served.contains(&format!(" {name} ")), "{name}: {served}");
    assert!(
        !downloaded.is_empty() && !downloaded.contains("onramp"),
        "{downloaded}"
    );

    let server = format!("{}:{PORT}", Hosts::SERVER);
    let connection = connections()
        .into_iter()
        .find(|connection| connection["local"] == server)
        .expect("ss shows it");
    assert_eq!(connection["congestion_control"], name);
    assert!(connection["remote"]
        .as_str()
        .unwrap()
        .starts_with(Hosts::CLIENT));
    assert!(
        PHASES.contains(&connection["phase"].as_str().unwrap()),
        "{connection}"
    );
    let namespace = fs::metadata(format!("/run/netns/{}", hosts.server))
        .unwrap()
        .ino();
    assert_eq!(connection["network_namespace"], namespace);

    site.open_gate();
    curl.wait().code(0);
    site.assert_downloaded();
    exec.signal(Signal::SIGTERM);
    exec.wait().code(143);
    assert_nothing_left_of(pid);
}

#[test]
fn a_server_sends_its_files_with_the_chosen_start_up() {
    let Some(_machine) = machine() else { return };
    for (startup, phases) in [
        ("astart", ["slow-start", "linear", "avoidance"]),
        ("hoe", ["slow-start", "done", ""]),
    ] {
        let hosts = Hosts::new();
        let site = Website::new(&hosts);
        let exec = Background::onramp([
            "exec",
            "--startup",
            startup,
            "--",
            "sh",
            "-c",
            &site.command,
        ]);
        let pid = exec.pid();
        wait_for_server(&hosts);
        let mut curl = spawn(&site.download(&hosts));
        wait_until("the transfer has started", || {
            assert!(
                curl.is_running(),
                "curl has ended: {}{}",
                curl.stderr(),
                exec.stderr()
            );
            established(&hosts.server).contains("bytes_acked")
        });
        let server = format!("{}:{PORT}", Hosts::SERVER);
        let connection = connections()
            .into_iter()
            .find(|connection| connection["local"] == server)
            .expect("it is there");
        let name = connection["congestion_control"].as_str().unwrap();
        assert!(
            name.starts_with(&onramp_core::congestion_control(startup)),
            "{name}"
        );
        assert!(
            phases.contains(&connection["phase"].as_str().unwrap()),
            "{connection}"
        );
        site.open_gate();
        curl.wait().code(0);
        site.assert_downloaded();
        exec.signal(Signal::SIGTERM);
        exec.wait().code(143);
        assert_nothing_left_of(pid);
    }
}

#[test]
fn the_connections_of_a_program_are_adopted_and_those_of_its_peers_are_not() {
    let Some(_machine) = machine() else { return };
    let hosts = Hosts::new();
    let site = Website::new(&hosts);
    let server = spawn(
        &[
            "sh",
            "-c",
            &site
                .command
                .replace("; exit", "")
                .replacen("ip", "exec ip", 1),
        ]
        .map(str::to_owned),
    );
    wait_for_server(&hosts);
    let exec = Background::onramp(
        ["exec", "--json", "--"]
            .iter()
            .map(|part| (*part).to_owned())
            .chain(site.download(&hosts)),
    );
    let pid = exec.pid();
    wait_until("the transfer has started", || {
        established(&hosts.client).contains("bytes_received")
    });
    let name = registered_by(pid).pop().expect("exec has registered");
    let (served, downloaded) = (established(&hosts.server), established(&hosts.client));
    site.open_gate();
    assert!(
        downloaded.contains(&format!(" {name} ")),
        "{name}: {downloaded}"
    );
    assert!(!served.is_empty() && !served.contains("onramp"), "{served}");

    let summary = exec.wait().code(0).json_error();
    assert_eq!(
        keys(&summary),
        [
            "adopted",
            "congestion_control",
            "events_lost",
            "exit_code",
            "refused"
        ]
    );
    assert_eq!(
        (&summary["adopted"], &summary["refused"]),
        (&1.into(), &0.into())
    );
    assert_eq!(summary["congestion_control"], name);
    site.assert_downloaded();
    assert_nothing_left_of(pid);
    drop(server);
}

#[test]
fn the_exit_code_is_that_of_the_program() {
    let Some(_machine) = machine() else { return };
    for (code, program) in [
        (0, &["true"][..]),
        (7, &["sh", "-c", "exit 7"]),
        (137, &["sh", "-c", "kill -KILL $$"]),
        (127, &["/no/such/program"]),
        (126, &["/etc/passwd"]),
    ] {
        let ran = onramp(["exec", "--"].iter().chain(program)).code(code);
        assert_eq!(
            ran.stderr.contains(program[0]),
            [126, 127].contains(&code),
            "{ran:#?}"
        );
    }
    onramp(["exec"]).code(2).warns(&["<CMD>"]);
    onramp(["exec", "--startup", "pacd", "--", "true"])
        .code(2)
        .warns(&["paced"]);
}

#[test]
fn standard_input_and_output_are_those_of_the_program() {
    let Some(_machine) = machine() else { return };
    let mut cat = command(["exec", "--", "cat"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = cat.stdin.take().unwrap();
    stdin.write_all(b"in and out").unwrap();
    drop(stdin);
    let cat = cat.wait_with_output().unwrap();
    assert_eq!(
        (cat.stdout.as_slice(), cat.stderr.as_slice()),
        (&b"in and out"[..], &b""[..])
    );
}

/// A Python program that connects to a port and prints what `TCP_CONGESTION` says.
fn printing(port: u16) -> String {
    format!(
        "import socket; s = socket.create_connection(('127.0.0.1', {port})); \
         print(s.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(b'\\0').decode())"
    )
}

#[test]
fn the_innermost_of_nested_execs_decides() {
    let Some(_machine) = machine() else { return };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let print = printing(listener.local_addr().unwrap().port());
    let onramp_ = env!("CARGO_BIN_EXE_onramp");
    for (outer, inner) in [("paced", "standard"), ("standard", "paced")] {
        let nested = ["exec", "--startup", inner, "--", "python3", "-c", &print];
        let ran = onramp(
            ["exec", "--startup", outer, "--", onramp_]
                .iter()
                .chain(&nested),
        )
        .code(0);
        assert!(
            ran.stdout.starts_with(&format!("onramp_{}", &inner[..5])),
            "{outer}, {inner}: {ran:#?}"
        );
    }
}

#[test]
fn exec_waits_for_a_daemon_that_the_program_started() {
    let Some(_machine) = machine() else { return };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let print = printing(listener.local_addr().unwrap().port());
    let dir = tempfile::tempdir().unwrap();
    let found = dir.path().join("found");
    // The daemon connects long after the program that started it has ended.
    let script = format!(
        "(sleep 1; python3 -c \"{print}\" >{}) & echo started; exit 5",
        found.display()
    );
    let exec = Background::onramp(["exec", "--", "sh", "-c", &script]);
    let pid = exec.pid();
    assert_eq!(exec.first_line(), "started");
    let name = registered_by(pid).pop().expect("exec has registered");
    let ran = exec
        .wait()
        .code(5)
        .warns(&["onramp: sh has ended; staying for ", "that it started"]);
    assert!(ran.took >= Duration::from_secs(1), "{ran:#?}");
    assert_eq!(fs::read_to_string(found).unwrap().trim(), name);
    assert_nothing_left_of(pid);
}

/// A server under exec with these options sends a file, and is ended.
fn serve_under(options: &[&str]) -> Ran {
    let hosts = Hosts::new();
    let site = Website::new(&hosts);
    let program = ["--", "sh", "-c", &site.command];
    let exec = Background::onramp([options, &program].concat());
    wait_for_server(&hosts);
    site.open_gate();
    spawn(&site.download(&hosts)).wait().code(0);
    exec.signal(Signal::SIGTERM);
    exec.wait().code(143)
}

#[test]
fn events_are_printed_as_they_happen() {
    let Some(_machine) = machine() else { return };
    let ran = serve_under(&["exec", "--events"]);
    let line = |what: &str| {
        let ends = format!("onramp: {}:{PORT} -> {}:", Hosts::SERVER, Hosts::CLIENT);
        ran.stderr
            .lines()
            .any(|line| line.starts_with(&ends) && line.contains(what) && line.contains("cwnd"))
    };
    assert!(line(" phase "), "{ran:#?}");
}

#[test]
fn events_are_json_lines_and_the_summary_is_the_last() {
    let Some(_machine) = machine() else { return };
    let before = UNIX_EPOCH.elapsed().unwrap().as_secs_f64();
    let ran = serve_under(&["--json", "exec", "--events"]);
    let after = UNIX_EPOCH.elapsed().unwrap().as_secs_f64();
    // The program writes on standard error too.
    let lines = ran.stderr.lines().filter(|line| line.starts_with('{'));
    let lines: Vec<Value> = lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let (summary, events) = lines.split_last().expect("there is a summary");
    assert_eq!(summary["exit_code"], 143, "{ran:#?}");
    assert_eq!(summary["events_lost"], 0, "{ran:#?}");
    let local = format!("{}:{PORT}", Hosts::SERVER);
    let sent: Vec<&Value> = events
        .iter()
        .filter(|event| event["local"] == *local)
        .collect();
    assert_eq!(sent.first().unwrap()["kind"], "phase", "{ran:#?}");
    assert_eq!(sent.first().unwrap()["what"], "slow-start", "{ran:#?}");
    for event in sent {
        let time_s = event["time_s"].as_f64().unwrap();
        assert!(before <= time_s && time_s <= after, "{event}");
        assert!(event["cwnd_bytes"].as_u64().unwrap() > 0, "{event}");
    }
}

#[test]
fn events_for_a_journal_that_is_not_there_are_refused() {
    let Some(_machine) = machine() else { return };
    let script = "if [ -d /run/systemd/journal ]; then \
        mount -t tmpfs tmpfs /run/systemd/journal; fi; \
        exec \"$0\" exec --events --journal -- true";
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-c", script, env!("CARGO_BIN_EXE_onramp")]);
    run(command)
        .code(3)
        .warns(&["/run/systemd/journal/socket", "leave out --journal"]);
    onramp(["exec", "--journal", "--", "true"])
        .code(2)
        .warns(&["--events"]);
}

/// Standard error is a pipe that is full before the first event, and that nobody reads.
#[test]
fn a_standard_error_that_nobody_reads_blocks_neither_exec_nor_the_program() {
    let Some(_machine) = machine() else { return };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let script = format!(
        "import socket, sys\nfor i in range(20):\n  c = socket.create_connection(('127.0.0.1', \
         {}))\n  c.sendall(bytes(30000))\nprint('done', flush=True)",
        listener.local_addr().unwrap().port()
    );
    let (unread, full) = std::io::pipe().unwrap();
    let flags = nix::fcntl::OFlag::O_NONBLOCK;
    nix::fcntl::fcntl(&full, nix::fcntl::FcntlArg::F_SETFL(flags)).unwrap();
    while std::io::Write::write(&mut &full, &[b'.'; 4096]).is_ok() {}
    nix::fcntl::fcntl(
        &full,
        nix::fcntl::FcntlArg::F_SETFL(nix::fcntl::OFlag::empty()),
    )
    .unwrap();

    let mut exec = command(["--json", "exec", "--events", "--", "python3", "-c", &script]);
    let mut exec = exec
        .stdout(std::process::Stdio::piped())
        .stderr(full)
        .spawn()
        .unwrap();
    let pid = exec.id();
    let mut status = None;
    wait_until("exec ends", || {
        status = exec.try_wait().unwrap();
        status.is_some()
    });
    assert_eq!(status.and_then(|status| status.code()), Some(0));
    let mut printed = String::new();
    std::io::Read::read_to_string(&mut exec.stdout.unwrap(), &mut printed).unwrap();
    assert_eq!(printed, "done\n");
    assert_nothing_left_of(pid);
    drop(unread);
}

/// As in a container whose `/sys/fs/cgroup` is the host's.
#[test]
fn in_a_cgroup_namespace_of_its_own_exec_uses_the_cgroups_of_that_namespace() {
    let Some(_machine) = machine() else { return };
    let inner = onramp_kernel::own_cgroup()
        .unwrap()
        .join(format!("onramp-test-{}", std::process::id()));
    std::fs::create_dir(&inner).unwrap();
    let script =
        "echo 0 > \"$1/cgroup.procs\" && exec unshare -C \"$0\" exec --json -- python3 -c \
        \"import socket; server = socket.create_server(('127.0.0.1', 0)); \
        client = socket.create_connection(server.getsockname()); \
        print(server.accept()[0].getsockopt(6, 13, 16).decode())\"";
    let mut command = std::process::Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_onramp")]);
    let ran = run({
        command.arg(&inner);
        command
    });
    wait_until("its cgroup is empty", || {
        std::fs::remove_dir(&inner).is_ok()
    });
    ran.code(0).says(&["onramp"]).warns(&["\"refused\":0"]);
}
