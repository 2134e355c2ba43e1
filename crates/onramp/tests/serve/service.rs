//! A service with its own BPF file system and configuration, and load for it.

use crate::common::process::Background;
use crate::common::sandbox::with_own_mounts;
use crate::common::{run, wait_until, Ran};
use nix::mount::{mount, umount, MsFlags};
use nix::sys::signal::Signal;
use serde_json::Value;
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A place for services of one test.
pub struct Site {
    pub folder: TempDir,
    pub program: PathBuf,
    /// A port that nobody uses.
    pub port: u16,
}

/// Runs a test with a place for services. At its end nothing of them is left.
pub fn with_site(work: impl FnOnce(&Site) + Send) {
    with_own_mounts(|| {
        let folder = tempfile::tempdir().unwrap();
        let bpffs = folder.path().join("bpf");
        fs::create_dir(&bpffs).unwrap();
        let nothing: Option<&str> = None;
        mount(Some("bpf"), &bpffs, Some("bpf"), MsFlags::empty(), nothing).unwrap();
        let site = Site {
            folder,
            program: env!("CARGO_BIN_EXE_onramp").into(),
            port: TcpListener::bind("127.0.0.1:0")
                .unwrap()
                .local_addr()
                .unwrap()
                .port(),
        };
        let undone = Undone(&site);
        work(&site);
        drop(undone);
        umount(&bpffs).unwrap();
    });
}

/// Undoes what services of a test that failed have left.
struct Undone<'a>(&'a Site);

impl Drop for Undone<'_> {
    fn drop(&mut self) {
        if self.0.pins().exists() {
            let _ = self.0.command(&["--undo"]).output();
        }
    }
}

impl Site {
    pub fn pins(&self) -> PathBuf {
        self.folder.path().join("bpf/onramp")
    }

    pub fn config(&self) -> PathBuf {
        self.folder.path().join("config.toml")
    }

    pub fn socket(&self) -> PathBuf {
        self.folder.path().join("socket")
    }

    /// Writes a configuration with these tables of policies. `PORT` stands for the port.
    pub fn write(&self, policies: &str) {
        let policies = policies.replace("PORT", &self.port.to_string());
        let service = "[service]\nmetrics = \"off\"\ninterval = \"100 ms\"\n";
        fs::write(self.config(), format!("{service}{policies}")).unwrap();
    }

    /// `onramp serve` with these arguments.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(["serve", "--config"]).arg(self.config());
        command
            .arg("--pins")
            .arg(self.pins())
            .arg("--socket")
            .arg(self.socket());
        command.args(arguments).stdin(std::process::Stdio::null());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        run(self.command(arguments))
    }

    /// Starts a service, and waits until its policies are in force.
    #[track_caller]
    pub fn start(&self) -> Background {
        let service = Background::spawn(self.command(&[]));
        wait_until_it_says(&service, "in force: ", 1);
        service
    }

    /// The congestion control of a new connection to the port.
    pub fn next_control(&self) -> String {
        let listener = TcpListener::bind(("127.0.0.1", self.port)).unwrap();
        let _client = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let (accepted, _) = listener.accept().unwrap();
        let name =
            nix::sys::socket::getsockopt(&accepted, nix::sys::socket::sockopt::TcpCongestion);
        name.unwrap()
            .to_string_lossy()
            .trim_end_matches('\0')
            .to_owned()
    }

    /// What the service counted, as JSON.
    pub fn counts(&self) -> Value {
        serde_json::to_value(onramp_service::host::read_counts(&self.pins()).unwrap()).unwrap()
    }

    /// Starts load, and waits until a connection of it was served.
    pub fn load(&self, dropped: u32) -> Load {
        let mut python = Command::new("python3");
        python.args(["-c", LOAD, &self.port.to_string(), &dropped.to_string()]);
        let load = Load(Background::spawn(python));
        load.0.first_line();
        load
    }
}

/// Waits until a service has printed a text so many times.
#[track_caller]
pub fn wait_until_it_says(service: &Background, text: &str, times: usize) {
    wait_until(&format!("the service says {text:?}"), || {
        let said = service.stderr();
        assert!(
            Path::new(&format!("/proc/{}/exe", service.pid())).exists(),
            "it ended:\n{said}"
        );
        said.matches(text).count() >= times
    });
}

/// Connections one after the other, until SIGTERM: the number of those that failed, and of those
/// without a start-up. The server sends 100 kB on each. The client drops a share of what arrives,
/// in 256ths.
const LOAD: &str = r#"
import ctypes, json, signal, socket, struct, sys, threading
port, dropped = int(sys.argv[1]), int(sys.argv[2])
counts = {"connections": 0, "failed": 0, "without": 0}
server = socket.create_server(("127.0.0.1", port))
def serve():
    while True:
        accepted, _ = server.accept()
        name = accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16)
        counts["without"] += not name.startswith(b"onramp")
        accepted.sendall(bytes(100_100))
        accepted.close()
threading.Thread(target=serve, daemon=True).start()
stops = False
def stop(*_):
    global stops
    stops = True
signal.signal(signal.SIGTERM, stop)
# Loads a random number, and drops the packet if it is below the share.
code = [(0x20, 0, 0, 0xfffff038), (0x35, 0, 1, dropped << 24), (6, 0, 0, 0xffffffff), (6, 0, 0, 0)]
code = b"".join(struct.pack("HBBI", *instruction) for instruction in code)
buffer = ctypes.create_string_buffer(code)
while not stops:
    try:
        client = socket.create_connection(("127.0.0.1", port))
        if dropped:
            program = struct.pack("HL", 4, ctypes.addressof(buffer))
            client.setsockopt(socket.SOL_SOCKET, 26, program)
        received = 0
        while part := client.recv(1 << 20):
            received += len(part)
        counts["failed"] += received != 100_100
        client.close()
    except OSError:
        counts["failed"] += 1
    counts["connections"] += 1
    if counts["connections"] == 1:
        print("running", flush=True)
print(json.dumps(counts))
"#;

/// Load that runs.
pub struct Load(Background);

impl Load {
    /// Ends it, and asserts that no connection failed. Returns the number of connections, and of
    /// those without a start-up.
    #[track_caller]
    pub fn end(self) -> (u64, u64) {
        self.0.signal(Signal::SIGTERM);
        let output = self.0.wait().code(0).stdout;
        let counts: Value = serde_json::from_str(output.lines().last().unwrap()).unwrap();
        assert_eq!(counts["failed"], 0, "{counts}");
        let number = |key: &str| counts[key].as_u64().unwrap();
        (number("connections"), number("without"))
    }
}
