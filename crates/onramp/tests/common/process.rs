//! Processes in the background, and the kernel objects that they hold.

use super::{command, wait_until, Ran};
use libbpf_rs::query::{LinkInfoIter, MapInfoIter, ProgInfoIter};
use nix::sched::{setns, CloneFlags};
use nix::sys::signal::{kill, Signal};
use nix::unistd::Pid;
use onramp_testing::HANG;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};
use std::time::{Duration, Instant};
use tempfile::NamedTempFile;

/// How long a child process may take to end before it is killed. Those that a test ends by a signal
/// have ended before.
const GRACE: Duration = Duration::from_secs(60);

/// A child process. It is ended when this value is dropped. It writes into files, because
/// descendants that outlive it would hold a pipe open.
pub struct Background {
    child: Child,
    stdout: NamedTempFile,
    stderr: NamedTempFile,
    start: Instant,
}

impl Background {
    pub fn spawn(mut command: Command) -> Background {
        let [stdout, stderr] = [(); 2].map(|()| NamedTempFile::new().unwrap());
        command
            .stdout(stdout.reopen().unwrap())
            .stderr(stderr.reopen().unwrap());
        Background {
            child: command.spawn().unwrap(),
            stdout,
            stderr,
            start: Instant::now(),
        }
    }

    pub fn onramp<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Background {
        Background::spawn(command(arguments))
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits until the process handles a signal itself.
    #[track_caller]
    pub fn wait_until_it_handles(&self, signal: Signal) {
        wait_until(&format!("process {} handles {signal}", self.pid()), || {
            let status = fs::read_to_string(format!("/proc/{}/status", self.pid())).unwrap();
            let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
            let mask = u64::from_str_radix(mask.expect("every kernel has it").trim(), 16).unwrap();
            mask >> (signal as u32 - 1) & 1 == 1
        });
    }

    pub fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.pid() as i32), signal).unwrap();
    }

    pub fn stdout(&self) -> String {
        fs::read_to_string(self.stdout.path()).unwrap()
    }

    pub fn stderr(&self) -> String {
        fs::read_to_string(self.stderr.path()).unwrap()
    }

    /// The first line of its standard output.
    #[track_caller]
    pub fn first_line(&self) -> String {
        wait_until("the first line", || self.stdout().contains('\n'));
        self.stdout().lines().next().unwrap().to_owned()
    }

    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Waits until it ends by itself.
    #[track_caller]
    pub fn wait(mut self) -> Ran {
        wait_until(&format!("process {} ends", self.pid()), || {
            !self.is_running()
        });
        let read = |file: &NamedTempFile| fs::read(file.path()).unwrap();
        let output = Output {
            status: self.child.wait().unwrap(),
            stdout: read(&self.stdout),
            stderr: read(&self.stderr),
        };
        Ran::of(output, self.start.elapsed())
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        // `exec` forwards SIGTERM to its program, which would survive if `exec` were killed at
        // once.
        let deadline = Instant::now() + GRACE;
        while self.is_running() && Instant::now() < deadline {
            self.signal(Signal::SIGTERM);
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.child.kill(); // it may have ended
        let _ = self.child.wait();
    }
}

/// A descendant that may outlive its parents. It is killed when this value is dropped.
pub struct Descendant {
    pub pid: i32,
    started: Option<String>,
}

impl Descendant {
    pub fn new(pid: i32) -> Descendant {
        Descendant {
            pid,
            started: Self::start_ticks(pid),
        }
    }

    /// The start time of a process, which identifies it together with its PID. A zombie has ended.
    fn start_ticks(pid: i32) -> Option<String> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
        let is_zombie = fields.next()? == "Z";
        (!is_zombie).then(|| fields.nth(18).map(str::to_owned))?
    }

    pub fn is_running(&self) -> bool {
        self.started.is_some() && Self::start_ticks(self.pid) == self.started
    }

    /// Its cgroup v2 directory.
    pub fn cgroup(&self) -> PathBuf {
        let text = fs::read_to_string(format!("/proc/{}/cgroup", self.pid)).unwrap();
        let own = text
            .lines()
            .find_map(|line| line.strip_prefix("0::/"))
            .expect("a cgroup v2 hierarchy");
        onramp_kernel::cgroup2_mount().unwrap().join(own)
    }

    pub fn kill(&self) {
        if self.is_running() {
            kill(Pid::from_raw(self.pid), Signal::SIGKILL).unwrap();
            wait_until("the killed process is gone", || !self.is_running());
        }
    }
}

impl Drop for Descendant {
    fn drop(&mut self) {
        if self.is_running() {
            let _ = kill(Pid::from_raw(self.pid), Signal::SIGKILL);
        }
    }
}

/// A Python program that prints its PID and its port. It answers every line with the
/// `TCP_CONGESTION` of the connection.
pub const ANSWERING: &str = r#"
import os, socket, threading
server = socket.create_server(("127.0.0.1", 0))
print(os.getpid(), server.getsockname()[1], flush=True)
def serve(connection):
    for line in connection.makefile():
        name = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16)
        connection.sendall(name.rstrip(b"\0") + b"\n")
while True:
    threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()
"#;

/// A connection to [`ANSWERING`].
pub struct Asking(BufReader<TcpStream>);

impl Asking {
    pub fn connect(port: u16) -> Asking {
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(HANG)).unwrap();
        Asking(BufReader::new(stream))
    }

    /// The congestion control of the other end.
    #[track_caller]
    pub fn congestion_control(&mut self) -> String {
        self.0.get_mut().write_all(b"?\n").unwrap();
        let mut answer = String::new();
        assert_ne!(
            self.0.read_line(&mut answer).unwrap(),
            0,
            "the connection was closed"
        );
        answer.trim().to_owned()
    }
}

/// The ids of all BPF objects of this kernel.
pub struct Bpf {
    programs: Vec<u32>,
    maps: Vec<u32>,
    links: Vec<u32>,
}

impl Bpf {
    pub fn now() -> Bpf {
        Bpf {
            programs: ProgInfoIter::default().map(|program| program.id).collect(),
            maps: MapInfoIter::default().map(|map| map.id).collect(),
            links: LinkInfoIter::default().map(|link| link.id).collect(),
        }
    }
}

/// The kernel objects that a process holds with its descriptors.
pub struct Held {
    /// Namespaces. They are opened here too, so that they can be entered and their numbers are not
    /// reused.
    pub namespaces: Vec<File>,
    names: Vec<PathBuf>,
    pub programs: Vec<u32>,
    pub maps: Vec<u32>,
    pub links: Vec<u32>,
}

impl Held {
    pub fn by(pid: u32) -> Held {
        let mut held = Held {
            namespaces: Vec::new(),
            names: Vec::new(),
            programs: Vec::new(),
            maps: Vec::new(),
            links: Vec::new(),
        };
        for entry in fs::read_dir(format!("/proc/{pid}/fd")).unwrap().flatten() {
            let Ok(target) = fs::read_link(entry.path()) else {
                continue;
            };
            if is_network_namespace(&target) {
                held.namespaces.push(File::open(entry.path()).unwrap());
                held.names.push(target);
            }
            let info = format!("/proc/{pid}/fdinfo/{}", entry.file_name().to_string_lossy());
            for line in fs::read_to_string(info).unwrap_or_default().lines() {
                let Some((key, number)) = line.split_once(":\t") else {
                    continue;
                };
                let list = match key {
                    "prog_id" => &mut held.programs,
                    "map_id" => &mut held.maps,
                    "link_id" => &mut held.links,
                    _ => continue,
                };
                list.push(number.trim().parse().unwrap());
            }
        }
        held
    }

    /// Without BPF objects of `others`, which existed before. The process may read them for a
    /// moment, and connections keep them for as long as the kernel repeats their last segments.
    pub fn without(mut self, others: &Bpf) -> Held {
        self.programs.retain(|id| !others.programs.contains(id));
        self.maps.retain(|id| !others.maps.contains(id));
        self.links.retain(|id| !others.links.contains(id));
        self
    }

    /// The number of its BPF programs, maps and links that still exist. The kernel never reuses an
    /// id.
    pub fn bpf_left(&self) -> usize {
        let all = Bpf::now();
        let count = |own: &[u32], all: &[u32]| own.iter().filter(|id| all.contains(id)).count();
        count(&self.programs, &all.programs)
            + count(&self.maps, &all.maps)
            + count(&self.links, &all.links)
    }

    /// Devices and sockets that still exist in the namespaces, except loopback and TIME-WAIT. A
    /// namespace exists as long as a socket in it.
    pub fn inside_left(&self) -> Vec<String> {
        self.namespaces
            .iter()
            .flat_map(|namespace| {
                std::thread::scope(|scope| scope.spawn(|| inside(namespace)).join().unwrap())
            })
            .collect()
    }

    /// Whether a process other than this one still refers to a namespace.
    pub fn is_referred_to(&self) -> bool {
        let processes = fs::read_dir("/proc")
            .unwrap()
            .flatten()
            .map(|entry| entry.path());
        let others = processes.filter(|path| {
            let name = path.file_name().unwrap().to_string_lossy();
            name.bytes().all(|byte| byte.is_ascii_digit()) && name != std::process::id().to_string()
        });
        let mut others = others.map(|process| {
            (
                fs::read_link(process.join("ns/net")),
                fs::read_dir(process.join("fd")),
            )
        });
        others.any(|(own, descriptors)| {
            let mut all = descriptors
                .into_iter()
                .flatten()
                .flatten()
                .filter_map(|entry| fs::read_link(entry.path()).ok());
            own.is_ok_and(|own| self.names.contains(&own))
                || all.any(|target| self.names.contains(&target))
        })
    }
}

fn is_network_namespace(target: &Path) -> bool {
    target.to_string_lossy().starts_with("net:[")
}

fn inside(namespace: &File) -> Vec<String> {
    const TIME_WAIT: &str = "06";
    setns(namespace, CloneFlags::CLONE_NEWNET).unwrap();
    let read = |file: &str| fs::read_to_string(format!("/proc/thread-self/net/{file}")).unwrap();
    let devices = read("dev")
        .lines()
        .skip(2)
        .map(|line| line.split(':').next().unwrap().trim().to_owned())
        .collect::<Vec<_>>();
    let sockets = read("tcp")
        .lines()
        .skip(1)
        .map(str::to_owned)
        .collect::<Vec<_>>();
    let sockets = sockets
        .into_iter()
        .filter(|line| line.split_whitespace().nth(3) != Some(TIME_WAIT));
    devices
        .into_iter()
        .filter(|device| device != "lo")
        .chain(sockets)
        .collect()
}
