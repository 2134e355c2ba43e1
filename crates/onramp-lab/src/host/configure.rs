//! What a host is told about itself, by iproute2 and /proc/sys from a thread inside its namespace.

use crate::Error;
use std::fmt::Write as _;
use std::io::{ErrorKind, Write as _};
use std::net::Ipv4Addr;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// Name of the TUN device inside each namespace.
pub const DEVICE: &str = "onramp0";
/// The device's own queue, in packets: so long that only the emulated queue ever drops.
const DEVICE_QUEUE_PACKETS: u32 = 200_000;

/// The first of so many consecutive addresses of 198.18.0.0/15 (RFC 2544: tests of network
/// devices). Labs do not see each other, and could all use the same; different ones keep their
/// connections apart in what the whole machine reports.
pub fn fresh_addresses(count: u32) -> Ipv4Addr {
    const ADDRESSES: u32 = 1 << 17;
    static TAKEN: AtomicU32 = AtomicU32::new(0);
    // Labs of other processes begin elsewhere.
    let begin = std::process::id().wrapping_mul(4 * 1021);
    let taken = TAKEN
        .fetch_add(count, Ordering::Relaxed)
        .wrapping_add(begin);
    let room = ADDRESSES.saturating_sub(count + 1).max(1);
    Ipv4Addr::from_bits(Ipv4Addr::new(198, 18, 0, 1).to_bits() + taken % room)
}

/// A host's configuration.
#[derive(Clone, Debug)]
pub struct Settings {
    /// MTU of its device.
    pub mtu_bytes: u32,
    /// Its own addresses.
    pub addresses: Vec<Ipv4Addr>,
    /// Whom it reaches, and the initial window towards each in segments (`None`: the kernel's).
    pub routes: Vec<(Ipv4Addr, Option<u32>)>,
    /// Limit of receive-buffer auto-tuning.
    pub rmem_max_bytes: u64,
    /// Limit of send-buffer auto-tuning.
    pub wmem_max_bytes: u64,
    /// Its connections take part in window scaling.
    pub window_scaling: bool,
    /// Most segments that its kernel makes one packet of before it cuts that up; `None`: as the
    /// device takes.
    pub most_segments: Option<u32>,
}

/// Configures the namespace of the calling thread.
pub fn apply(settings: &Settings) -> Result<(), Error> {
    sysctl("net/ipv4/tcp_no_metrics_save", "1".into())?;
    // The receiver's own few bytes must not depend on the host's default either; Reno is in every
    // kernel.
    sysctl("net/ipv4/tcp_congestion_control", "reno".to_owned())?;
    sysctl(
        "net/ipv4/tcp_rmem",
        format!("4096 131072 {}", settings.rmem_max_bytes),
    )?;
    sysctl(
        "net/ipv4/tcp_wmem",
        format!("4096 16384 {}", settings.wmem_max_bytes),
    )?;
    sysctl(
        "net/ipv4/tcp_window_scaling",
        u8::from(settings.window_scaling).to_string(),
    )?;
    if std::path::Path::new("/proc/sys/net/ipv6").exists() {
        sysctl("net/ipv6/conf/all/disable_ipv6", "1".into())?;
        sysctl("net/ipv6/conf/default/disable_ipv6", "1".into())?;
    }
    let mut batch = format!(
        "link set dev {DEVICE} mtu {} txqueuelen {DEVICE_QUEUE_PACKETS}\n",
        settings.mtu_bytes
    );
    if let Some(segments) = settings.most_segments {
        let _ = writeln!(batch, "link set dev {DEVICE} gso_max_segs {segments}");
    }
    batch += "link set dev lo up\n";
    for address in &settings.addresses {
        let _ = writeln!(batch, "address add {address}/32 dev {DEVICE}");
    }
    let _ = writeln!(batch, "link set dev {DEVICE} up");
    for (peer, initial_window) in &settings.routes {
        let _ = write!(
            batch,
            "route add {peer}/32 dev {DEVICE} src {}",
            settings.addresses[0]
        );
        let _ = match initial_window {
            Some(segments) => writeln!(batch, " initcwnd {segments}"),
            None => writeln!(batch),
        };
    }
    ip(&batch)?;
    // Without a queue discipline a packet goes straight into the device's ring, whatever the host's
    // default is.
    run("tc", &format!("qdisc replace dev {DEVICE} root noqueue\n"))
}

fn sysctl(name: &'static str, value: String) -> Result<(), Error> {
    std::fs::write(format!("/proc/sys/{name}"), &value).map_err(|source| Error::Sysctl {
        name,
        value,
        source,
    })
}

/// Runs `ip` over a batch of its commands, a line each, in the network namespace of the calling
/// thread.
pub fn ip(batch: &str) -> Result<(), Error> {
    run("ip", batch)
}

/// Runs a program of iproute2 over a batch of its commands.
fn run(program: &'static str, batch: &str) -> Result<(), Error> {
    let started = ["", "/usr/sbin/", "/sbin/"].iter().find_map(|folder| {
        let spawned = Command::new(format!("{folder}{program}"))
            .args(["-batch", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn();
        match spawned {
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            other => Some(other),
        }
    });
    let no_program = |source| Error::NoProgram { program, source };
    let mut child = started
        .unwrap_or_else(|| Err(ErrorKind::NotFound.into()))
        .map_err(no_program)?;
    // A program that gives up early closes its end; what it says on stderr is the better message.
    let _ = child
        .stdin
        .take()
        .expect("stdin is piped")
        .write_all(batch.as_bytes());
    let output = child.wait_with_output().map_err(no_program)?;
    if output.status.success() {
        return Ok(());
    }
    let stderr = String::from_utf8_lossy(&output.stderr)
        .trim()
        .replace('\n', "; ");
    Err(Error::Configure {
        command: format!("{program} -batch: {}", batch.trim().replace('\n', "; ")),
        stderr,
    })
}
