//! `onramp top` on a pseudo-terminal, beside an endpoint with made-up counts.

use crate::common::{command, wait_until};
use nix::fcntl::{fcntl, FcntlArg, FdFlag};
use nix::libc;
use nix::pty::{openpty, Winsize};
use nix::sys::signal::{kill, Signal};
use nix::unistd::{setsid, Pid};
use onramp_service::metrics::{Endpoint, Latest};
use onramp_testing::samples::counts;
use std::fs::File;
use std::io::{Read, Write};
use std::num::NonZero;
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::{Arc, Mutex};

/// A service without a kernel.
struct Service {
    folder: tempfile::TempDir,
    latest: Arc<Latest>,
    endpoint: Option<Endpoint>,
}

impl Service {
    fn start() -> Service {
        let folder = tempfile::tempdir().unwrap();
        let latest = Arc::new(Latest::new(counts(20)));
        let mut service = Service {
            folder,
            latest,
            endpoint: None,
        };
        service.listen();
        service
    }

    fn socket(&self) -> PathBuf {
        self.folder.path().join("onramp.sock")
    }

    fn listen(&mut self) {
        let latest = Arc::clone(&self.latest);
        self.endpoint = Some(Endpoint::start(&[], Some(&self.socket()), latest).unwrap());
    }

    fn stop(&mut self) {
        self.endpoint = None;
    }
}

const fn size(columns: u16, rows: u16) -> Winsize {
    Winsize {
        ws_row: rows,
        ws_col: columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    }
}

nix::ioctl_write_ptr_bad!(set_size, libc::TIOCSWINSZ, Winsize);
nix::ioctl_write_int_bad!(set_controlling_terminal, libc::TIOCSCTTY);

fn cells(number: u16) -> NonZero<u16> {
    NonZero::new(number).expect("a terminal has cells")
}

/// A terminal in which the command runs.
struct Terminal {
    screen: Arc<Mutex<vt100::Parser>>,
    /// Our side of the terminal: the keys go in, the output comes out.
    pty: File,
    child: Child,
}

/// Starts the command in a new terminal, which is its controlling terminal.
fn spawn(socket: &Path) -> (File, Child) {
    let pty = openpty(&size(80, 24), None).unwrap();
    for end in [&pty.master, &pty.slave] {
        // The command must not hold both ends of its terminal.
        fcntl(end, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC)).unwrap();
    }
    let terminal = File::from(pty.slave);
    let mut command = command(["top", "--every", "100ms", "--socket"]);
    command
        .arg(socket)
        .env("TERM", "xterm")
        .stdin(terminal.try_clone().unwrap())
        .stdout(terminal.try_clone().unwrap())
        .stderr(terminal);
    // SAFETY: both are system calls, which the child of a process with threads may make.
    unsafe {
        command.pre_exec(|| {
            setsid()?;
            set_controlling_terminal(libc::STDIN_FILENO, 0)?;
            Ok(())
        });
    }
    (File::from(pty.master), command.spawn().unwrap())
}

impl Terminal {
    fn run(socket: &Path) -> Terminal {
        let (pty, child) = spawn(socket);
        let screen = Arc::new(Mutex::new(vt100::Parser::new(cells(24), cells(80), 0)));
        let mut output = pty.try_clone().unwrap();
        let written = Arc::clone(&screen);
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            // An error: the command has ended and closed the terminal.
            while let Ok(read @ 1..) = output.read(&mut bytes) {
                written.lock().unwrap().process(&bytes[..read]);
            }
        });
        Terminal { screen, pty, child }
    }

    fn press(&mut self, keys: &str) {
        self.pty.write_all(keys.as_bytes()).unwrap();
    }

    fn text(&self) -> String {
        self.screen.lock().unwrap().screen().contents()
    }

    #[track_caller]
    fn wait_for(&self, words: &str) {
        wait_until(&format!("the screen shows {words:?}"), || {
            self.text().contains(words)
        });
    }

    #[track_caller]
    fn wait_without(&self, words: &str) {
        wait_until(&format!("the screen does not show {words:?}"), || {
            !self.text().contains(words)
        });
    }

    fn resize(&self, columns: u16, rows: u16) {
        let mut screen = self.screen.lock().unwrap();
        screen.screen_mut().set_size(cells(rows), cells(columns));
        // SAFETY: the kernel reads a complete size that outlives the call.
        unsafe { set_size(self.pty.as_raw_fd(), &size(columns, rows)) }.unwrap();
    }

    /// The command ends by itself, and the terminal is as it was.
    #[track_caller]
    fn assert_ends_and_restores(&mut self) {
        let mut status = None;
        wait_until("top ends", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        assert_eq!(status.unwrap().code(), Some(0));
        wait_until("the terminal is restored", || {
            let parser = self.screen.lock().unwrap();
            !parser.screen().alternate_screen() && !parser.screen().hide_cursor()
        });
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill(); // it has ended unless the test failed
        let _ = self.child.wait();
    }
}

#[test]
fn keys_sort_filter_pause_and_quit() {
    let service = Service::start();
    let mut terminal = Terminal::run(&service.socket());
    terminal.wait_for("> web          canary 5 %");
    terminal.wait_for("| sorted by POLICY");
    assert!(terminal.screen.lock().unwrap().screen().alternate_screen());
    terminal.press("s");
    terminal.wait_for("> mobile       SWITCHED OFF");
    terminal.wait_for("Switched off 1 h ago: ");
    terminal.press("/back");
    terminal.wait_for("filter: back_");
    terminal.wait_without("mobile");
    terminal.press("\r");
    terminal.wait_for("/ filter | sorted by STATE, filter: back");
    terminal.press("\x1b");
    terminal.wait_for("mobile");
    terminal.press("p");
    terminal.wait_for("PAUSED");
    terminal.press("p?");
    terminal.wait_for("Keys (any key goes back)");
    terminal.press("x");
    terminal.wait_without("Keys");
    terminal.press("q");
    terminal.assert_ends_and_restores();
}

#[test]
fn new_counts_are_shown_and_a_service_that_goes_and_comes_back() {
    let mut service = Service::start();
    let mut terminal = Terminal::run(&service.socket());
    terminal.wait_for("onramp: 1000 connections");
    let mut later = counts(40);
    later.time_s += 10.0;
    service.latest.set(later);
    terminal.wait_for("onramp: 2000 connections");
    // 20,000 new connections of both groups in 10 s
    terminal.wait_for("canary 5 %   2000");
    service.stop();
    terminal.wait_for("NO NEWS: no service runs here");
    assert!(terminal.text().contains("onramp: 2000 connections"));
    service.listen();
    terminal.wait_for("3 policies, 1 SWITCHED OFF");
    terminal.press("\x03");
    terminal.assert_ends_and_restores();
}

#[test]
fn a_terminal_that_changes_its_size_is_filled_again() {
    let service = Service::start();
    let mut terminal = Terminal::run(&service.socket());
    terminal.wait_for("RATIO 100 kB");
    terminal.resize(34, 8);
    terminal.wait_without("RATIO");
    terminal.wait_for("> web");
    terminal.resize(150, 40);
    terminal.wait_for("START-UP");
    terminal.press("q");
    terminal.assert_ends_and_restores();
}

#[test]
fn a_signal_restores_the_terminal() {
    let service = Service::start();
    for signal in [Signal::SIGTERM, Signal::SIGHUP] {
        let mut terminal = Terminal::run(&service.socket());
        terminal.wait_for("> web");
        let pid = terminal.child.id();
        kill(Pid::from_raw(pid as i32), signal).unwrap();
        terminal.assert_ends_and_restores();
    }
}

#[test]
fn it_ends_when_its_terminal_is_gone() {
    let service = Service::start();
    let (pty, mut child) = spawn(&service.socket());
    let mut output = pty.try_clone().unwrap();
    assert!(output.read(&mut [0; 64]).unwrap() > 0, "it draws");
    drop((output, pty));
    let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        wait_until("top ends", || child.try_wait().unwrap().is_some());
    }));
    let _ = child.kill(); // it has ended unless the test failed
    ended.unwrap();
}

#[test]
fn without_a_service_or_a_terminal_it_says_what_to_do() {
    let mut service = Service::start();
    let socket = service.socket();
    let socket = socket.to_str().unwrap();
    crate::common::onramp(["top", "--socket", socket])
        .code(2)
        .warns(&["`top` needs a terminal"]);
    let json = crate::common::onramp(["--json", "top", "--socket", socket]).code(0);
    assert!(json.stdout.contains("\"switched-off\""), "{json:#?}");
    service.stop();
    let none = ["no service runs here", "systemctl start onramp"];
    crate::common::onramp(["top", "--socket", socket])
        .code(3)
        .warns(&none);
}

#[test]
fn metrics_are_those_of_the_service() {
    let service = Service::start();
    let socket = service.socket();
    let socket = socket.to_str().unwrap();
    let printed = crate::common::onramp(["metrics", "--socket", socket])
        .code(0)
        .stdout;
    assert!(printed.contains("onramp_connections_total{policy=\"web\",group=\"startup\"} 1000\n"));
    assert!(printed.ends_with("# EOF\n"));
    let file = service.folder.path().join("onramp.prom");
    let out = [
        "metrics",
        "--socket",
        socket,
        "--out",
        file.to_str().unwrap(),
    ];
    assert_eq!(crate::common::onramp(out).code(0).stdout, "");
    let written = std::fs::read_to_string(&file).unwrap();
    assert!(written.contains("# TYPE onramp_connections_total counter\n"));
    assert!(!written.contains("# EOF"));
    let missing = [
        "metrics",
        "--socket",
        socket,
        "--out",
        "/nowhere/onramp.prom",
    ];
    crate::common::onramp(missing)
        .code(2)
        .warns(&["write /nowhere/onramp.prom: "]);
}
