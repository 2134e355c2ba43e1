//! Upgrade in place: the new program continues in this process. What is in the kernel works on
//! meanwhile, and the lock passes to the new program, so no other service can begin.

use nix::sys::memfd::{memfd_create, MFdFlags};
use onramp_cli::failure::{Failure, HOST_LACKS};
use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Seek};
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long a new program may take to check the configuration, well below the watchdog's time. The
/// service does nothing else meanwhile.
const CHECK_WITHIN: Duration = Duration::from_secs(10);

/// The variable that tells a program its lock.
const LOCK: &str = "ONRAMP_SERVE_LOCK";

/// The program that has taken the place of this one in the file system since it started.
pub fn replacement() -> Option<PathBuf> {
    let own = std::fs::read_link("/proc/self/exe").ok()?;
    let path = own.to_str()?.strip_suffix(" (deleted)")?;
    let path = PathBuf::from(path);
    path.is_file().then_some(path)
}

/// Does the program accept the configuration? Otherwise: what it says.
pub fn check(program: &PathBuf) -> Result<(), String> {
    let cannot = |error| format!("cannot run it: {error}");
    // A file has room for all that it says, and nobody has to read it meanwhile.
    let mut said = File::from(
        memfd_create("check", MFdFlags::MFD_CLOEXEC)
            .map_err(|errno| cannot(std::io::Error::from(errno)))?,
    );
    let mut check = Command::new(program)
        .args(std::env::args_os().skip(1))
        .arg("--check")
        .env_remove("NOTIFY_SOCKET")
        .stdout(Stdio::null())
        .stderr(said.try_clone().map_err(cannot)?)
        .spawn()
        .map_err(cannot)?;
    let deadline = Instant::now() + CHECK_WITHIN;
    let status = loop {
        if let Some(status) = check.try_wait().map_err(cannot)? {
            break status;
        }
        if Instant::now() > deadline {
            let _ = check.kill(); // it may just have ended
            let _ = check.wait();
            return Err(format!(
                "its check of the configuration takes longer than {} s",
                CHECK_WITHIN.as_secs()
            ));
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    if status.success() {
        return Ok(());
    }
    let mut text = Vec::new();
    said.rewind()
        .and_then(|()| said.read_to_end(&mut text))
        .map_err(cannot)?;
    Err(String::from_utf8_lossy(&text).trim().to_owned())
}

/// Executes the program that has taken the place of this one. Returns if that fails.
pub fn execute(lock: RawFd) -> Failure {
    let Some(program) = replacement() else {
        return Failure::new(
            HOST_LACKS,
            "the new program has gone; start the service again",
        );
    };
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let error = Command::new(&program)
        .args(arguments)
        .env(LOCK, lock.to_string())
        .exec();
    let message = format!(
        "cannot execute {}: {error}; the policies stay in force until the service starts again",
        program.display()
    );
    Failure::new(HOST_LACKS, message)
}

/// The lock that the program before has left to this one.
pub fn inherited_lock() -> Option<OwnedFd> {
    let number = std::env::var(LOCK)
        .ok()?
        .parse::<RawFd>()
        .ok()
        .filter(|fd| *fd > 2)?;
    std::env::remove_var(LOCK);
    let path = format!("/proc/self/fd/{number}");
    // Anybody can set the variable: a descriptor of something else is not taken.
    std::fs::metadata(path)
        .ok()
        .filter(|found| found.is_dir())?;
    // SAFETY: execute() passed the descriptor to this process, and nothing else owns it.
    Some(unsafe { OwnedFd::from_raw_fd(number) })
}
