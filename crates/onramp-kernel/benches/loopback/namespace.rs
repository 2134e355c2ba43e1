//! Private loopback devices, each in a network namespace without a name. The namespace ends with
//! the thread that made it.

use nix::libc;
use nix::sched::{unshare, CloneFlags};
use std::io;
use std::os::fd::AsRawFd;
use std::os::raw::{c_char, c_ulong};

/// The properties of a loopback device.
pub struct Loopback {
    pub label: &'static str,
    mtu: i32,
    /// Segmentation offload: the device takes packets of up to 64 KB, whatever its MTU.
    offload: bool,
    /// The maximum of a receive buffer; `None`: the host's.
    receive_buffer_bytes: Option<u32>,
}

/// The default; the segment size of a real network; and the worst case for a program that runs for
/// each ACK.
pub const LOOPBACKS: [Loopback; 3] = [
    DEFAULT,
    MTU_1500,
    // Every segment is a packet of its own, and the receive window is so small that every second or
    // third packet is acknowledged. Otherwise loopback batches packets and ACKs to 64 KB and more.
    Loopback {
        label: "many ACKs",
        mtu: 1500,
        offload: false,
        receive_buffer_bytes: Some(8192),
    },
];
pub const DEFAULT: Loopback = Loopback {
    label: "MTU 65536",
    mtu: 65536,
    offload: true,
    receive_buffer_bytes: None,
};
pub const MTU_1500: Loopback = Loopback {
    label: "MTU 1500",
    mtu: 1500,
    offload: true,
    receive_buffer_bytes: None,
};

impl Loopback {
    /// Runs `inside` in a new namespace with such a device. Threads that it starts are in the
    /// namespace too.
    pub fn run<T: Send>(&self, inside: impl FnOnce() -> T + Send) -> io::Result<T> {
        std::thread::scope(|scope| {
            let thread = scope.spawn(|| {
                unshare(CloneFlags::CLONE_NEWNET)?;
                self.bring_up()?;
                Ok(inside())
            });
            thread
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    fn bring_up(&self) -> io::Result<()> {
        // Connections must not use the metrics of earlier ones.
        set("tcp_no_metrics_save", "1")?;
        if let Some(bytes) = self.receive_buffer_bytes {
            set("tcp_rmem", &format!("4096 {bytes} {bytes}"))?;
        }
        const ETHTOOL_STSO: u32 = 0x1f;
        const ETHTOOL_SGSO: u32 = 0x24;
        request(libc::SIOCSIFMTU, |request| {
            request.ifr_ifru.ifru_mtu = self.mtu
        })?;
        if !self.offload {
            for command in [ETHTOOL_STSO, ETHTOOL_SGSO] {
                let mut value = [command, 0]; // struct ethtool_value
                request(libc::SIOCETHTOOL, |request| {
                    request.ifr_ifru.ifru_data = value.as_mut_ptr().cast()
                })?;
            }
        }
        request(libc::SIOCSIFFLAGS, |request| {
            request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as i16
        })
    }
}

/// Sets a sysctl of TCP in this thread's namespace.
fn set(name: &str, value: &str) -> io::Result<()> {
    std::fs::write(format!("/proc/sys/net/ipv4/{name}"), value)
}

/// Makes an ioctl on the device lo.
fn request(number: c_ulong, fill: impl FnOnce(&mut libc::ifreq)) -> io::Result<()> {
    let socket = std::net::UdpSocket::bind("0.0.0.0:0")?;
    // SAFETY: ifreq is plain data; zeroes are valid.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(b"lo") {
        *to = *from as c_char;
    }
    fill(&mut request);
    // SAFETY: the request outlives the call, and so does the value that it points to.
    match unsafe { libc::ioctl(socket.as_raw_fd(), number as _, &mut request) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}
