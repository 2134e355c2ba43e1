//! A program at one end of the path. It has the network namespace of that end, its own /etc/hosts,
//! and its own process ids: when it ends, or this process, the kernel ends all that it has started.
//!
//! ```text
//!   onramp ---fork--> process 1 of the new process ids ---fork, exec--> the program
//!                     waits, forwards signals of processes
//! ```
//!
//! The program itself is not process 1, because process 1 ignores signals without a handler.

use nix::libc;
use nix::mount::{mount, umount2, MntFlags, MsFlags};
use nix::sched::{setns, unshare, CloneFlags};
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::{kill, sigaction, SaFlags, SigAction, SigHandler, SigSet, Signal};
use nix::sys::wait::{wait, WaitStatus};
use nix::unistd::{fork, setsid, ForkResult, Pid};
use onramp_cli::failure::Failure;
use onramp_cli::signals::{exit_code, exited, not_started, system, FORWARDED};
use onramp_host::Namespace;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

/// What a program has around it.
pub struct Surroundings<'a> {
    /// The end of the path where it runs.
    pub namespace: &'a Namespace,
    /// The content of its /etc/hosts.
    pub hosts: &'a str,
    /// Variables that are added to its environment.
    pub environment: &'a [(&'static str, String)],
    /// The file by which a process joins the cgroup of a start-up, if there is one.
    pub cgroup: Option<&'a File>,
    /// It has no terminal and no standard input: signals of the terminal do not reach it.
    pub in_background: bool,
}

/// A running program. Dropping it ends it, with all that it has started.
pub struct Program {
    child: Child,
}

impl Program {
    /// Starts a program.
    ///
    /// # Errors
    /// The program cannot be found or run, or the kernel refuses a namespace.
    pub fn start(
        command: &[OsString],
        surroundings: &Surroundings<'_>,
    ) -> Result<Program, Failure> {
        let copied = |error| system("copy a descriptor", error);
        let namespace = surroundings.namespace.as_fd();
        let namespace = namespace.try_clone_to_owned().map_err(copied)?;
        let cgroup = surroundings.cgroup.map(File::try_clone);
        let cgroup = cgroup.transpose().map_err(copied)?;
        let hosts = surroundings.hosts.to_owned();
        let in_background = surroundings.in_background;
        let mut program = Command::new(&command[0]);
        program.args(&command[1..]).envs(
            surroundings
                .environment
                .iter()
                .map(|(name, value)| (name, value)),
        );
        if in_background {
            // Standard output is that of the command alone.
            program.stdin(Stdio::null()).stdout(io::stderr());
        }
        let enter = move || {
            // This process shall not outlive the one that reports and cleans up.
            set_pdeathsig(Signal::SIGKILL)?;
            if in_background {
                setsid()?;
            }
            if let Some(cgroup) = &cgroup {
                io::Write::write_all(&mut &*cgroup, b"0")?;
            }
            setns(&namespace, CloneFlags::CLONE_NEWNET)?;
            unshare(CloneFlags::CLONE_NEWNS)?;
            set_up_mounts(&hosts)?;
            // SAFETY: the calling thread is the only one of this process, which was just forked.
            match unsafe { fork() }? {
                ForkResult::Parent { child } => be_process_1(child),
                ForkResult::Child => {
                    // The program must not inherit the blocked signals of this process.
                    Ok(SigSet::empty().thread_set_mask()?)
                }
            }
        };
        // SAFETY: the closure makes system calls, and allocates nothing.
        unsafe { program.pre_exec(enter) };
        let child = with_own_process_ids(|| program.spawn())?;
        child
            .map(|child| Program { child })
            .map_err(|error| not_started(&command[0], &error))
    }

    /// The exit code of the program if it has ended.
    pub fn exit_code(&mut self) -> Result<Option<u8>, Failure> {
        Ok(exited(&mut self.child)?.map(exit_code))
    }

    /// Sends a signal to the program and to all that it has started.
    pub fn signal(&self, signal: Signal) {
        let _ = kill(Pid::from_raw(self.child.id() as i32), signal); // it may have ended
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Calls a closure that starts one process, which is process 1 of new process ids.
fn with_own_process_ids<T>(start: impl FnOnce() -> T) -> Result<T, Failure> {
    let failed = |error: nix::Error| system("make a namespace of process ids", error);
    let own = File::open("/proc/self/ns/pid")
        .map_err(|error| system("open the namespace of process ids", error))?;
    unshare(CloneFlags::CLONE_NEWPID).map_err(failed)?;
    let result = start();
    // Threads can be started again from here on.
    setns(own, CloneFlags::CLONE_NEWPID).map_err(failed)?;
    Ok(result)
}

/// Gives this process its own /etc/hosts, and the /proc of its process ids. Nobody else sees them.
fn set_up_mounts(hosts: &str) -> io::Result<()> {
    const NOTHING: Option<&str> = None;
    mount(
        NOTHING,
        "/",
        NOTHING,
        MsFlags::MS_REC | MsFlags::MS_PRIVATE,
        NOTHING,
    )?;
    // The file is in memory, on a file system that is taken away again. Its second mount stays.
    mount(
        Some("onramp"),
        "/proc",
        Some("tmpfs"),
        MsFlags::empty(),
        NOTHING,
    )?;
    let written = write_hosts(hosts);
    umount2("/proc", MntFlags::MNT_DETACH)?;
    written?;
    // A container may not allow this. Its old /proc works too, with other process ids.
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    let _ = mount(Some("proc"), "/proc", Some("proc"), flags, NOTHING);
    Ok(())
}

fn write_hosts(hosts: &str) -> io::Result<()> {
    const FILE: &str = "/proc/hosts";
    const NOTHING: Option<&str> = None;
    {
        let mut file = File::create(FILE)?;
        io::Write::write_all(&mut file, hosts.as_bytes())?;
    }
    match mount(Some(FILE), "/etc/hosts", NOTHING, MsFlags::MS_BIND, NOTHING) {
        // A machine without this file has no names of hosts, here neither.
        Ok(()) | Err(nix::Error::ENOENT) => Ok(()),
        Err(errno) => Err(errno.into()),
    }
}

/// Waits for the program, and ends with its exit code. The kernel then ends all that is left.
fn be_process_1(program: Pid) -> ! {
    // SAFETY: closing descriptors that this process does not use any more.
    unsafe { libc::close_range(3, libc::c_uint::MAX, 0) };
    let action = SigAction::new(
        SigHandler::SigAction(forward),
        SaFlags::SA_RESTART,
        SigSet::empty(),
    );
    for signal in FORWARDED {
        // SAFETY: the handler makes one system call.
        let _ = unsafe { sigaction(signal, &action) };
    }
    let _ = SigSet::empty().thread_set_mask();
    loop {
        let code = match wait() {
            Ok(WaitStatus::Exited(child, code)) if child == program => code,
            Ok(WaitStatus::Signaled(child, signal, _)) if child == program => 128 + signal as i32,
            Ok(_) | Err(nix::Error::EINTR) => continue,
            Err(_) => 1,
        };
        // SAFETY: ends this process at once.
        unsafe { libc::_exit(code) };
    }
}

/// Forwards a signal that a process sent to all processes of the namespace. The terminal has sent
/// its signals to all of them itself.
extern "C" fn forward(signal: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the kernel passes a siginfo, and kill has no memory to violate.
    unsafe {
        if (*info).si_code <= 0 {
            libc::kill(-1, signal);
        }
    }
}
