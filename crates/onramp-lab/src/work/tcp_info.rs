//! The kernel's statistics of a connection: `struct tcp_info` of linux/tcp.h.

use nix::libc;
use onramp_hq::noq::ConnectionStats;
use std::io;
use std::os::fd::{AsFd, AsRawFd};

/// The leading part of `struct tcp_info` of Linux 6.7. Older kernels fill less of it. The names are
/// those of the kernel without `tcpi_`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct TcpInfo {
    states: [u8; 8],
    rto_us: u32,
    ato_us: u32,
    /// Payload of a full segment, in bytes.
    pub snd_mss: u32,
    rcv_mss: u32,
    unacked_segments: u32,
    sacked: u32,
    lost: u32,
    retrans: u32,
    fackets: u32,
    times: [u32; 4],
    pmtu: u32,
    rcv_ssthresh: u32,
    /// Smoothed round-trip time.
    pub rtt_us: u32,
    rttvar_us: u32,
    /// ssthresh in segments; 0x7fffffff if there is none.
    pub snd_ssthresh: u32,
    /// cwnd in segments.
    pub snd_cwnd: u32,
    advmss: u32,
    reordering: u32,
    rcv_rtt_us: u32,
    rcv_space: u32,
    /// Retransmitted segments.
    pub total_retrans: u32,
    /// Pacing rate in bytes per second; all ones if the connection is not paced.
    pub pacing_rate: u64,
    max_pacing_rate: u64,
    /// Acknowledged payload in bytes, plus 1 for a FIN.
    pub bytes_acked: u64,
    bytes_received: u64,
    segs: [u32; 2],
    notsent_bytes: u32,
    min_rtt_us: u32,
    data_segs: [u32; 2],
    /// Delivery rate in bytes per second.
    pub delivery_rate: u64,
    busy_time_us: u64,
    /// Time during which the receiver's window limited the sender.
    pub rwnd_limited_us: u64,
    /// Time during which the send buffer limited the sender.
    pub sndbuf_limited_us: u64,
    delivered: [u32; 2],
    /// Sent payload in bytes, with retransmissions.
    pub bytes_sent: u64,
    /// Retransmitted payload in bytes.
    pub bytes_retrans: u64,
    dsack_dups: u32,
    reord_seen: u32,
    rcv_ooopack: u32,
    snd_wnd: u32,
    rcv_wnd: u32,
    rehash: u32,
    total_rto: u16,
    total_rto_recoveries: u16,
    total_rto_time_ms: u32,
}

/// The value of `total_rto` if the kernel does not count timeouts.
const NOT_COUNTED: u16 = u16::MAX;

impl TcpInfo {
    /// The tcp_info of a connected socket.
    ///
    /// # Errors
    /// The socket call failed.
    pub fn of(socket: impl AsFd) -> io::Result<TcpInfo> {
        let mut info = TcpInfo {
            total_rto: NOT_COUNTED,
            ..TcpInfo::default()
        };
        let mut length = size_of::<TcpInfo>() as libc::socklen_t;
        // SAFETY: the kernel writes at most `length` bytes into a struct of that size, all of whose
        // bit patterns are valid; both outlive the call.
        let result = unsafe {
            libc::getsockopt(
                socket.as_fd().as_raw_fd(),
                libc::IPPROTO_TCP,
                libc::TCP_INFO,
                (&raw mut info).cast(),
                &raw mut length,
            )
        };
        if result == 0 {
            Ok(info)
        } else {
            Err(io::Error::last_os_error())
        }
    }

    /// What is known of a QUIC connection in the same terms. Packets that noq declared lost count
    /// as retransmitted; noq does not count timeouts.
    pub fn of_quic(stats: &ConnectionStats) -> TcpInfo {
        TcpInfo {
            total_retrans: u32::try_from(stats.lost_packets).unwrap_or(u32::MAX),
            pacing_rate: u64::MAX,
            bytes_sent: stats.sent_bytes,
            bytes_retrans: stats.lost_bytes,
            total_rto: NOT_COUNTED,
            ..TcpInfo::default()
        }
    }

    /// Adds the retransmissions and timeouts of another connection.
    pub fn add_repairs(&mut self, other: &TcpInfo) {
        self.total_retrans = self.total_retrans.saturating_add(other.total_retrans);
        self.total_rto = self.total_rto.saturating_add(other.total_rto);
    }

    /// Retransmission timeouts; `None` before Linux 6.7.
    pub fn timeouts(&self) -> Option<u64> {
        (self.total_rto != NOT_COUNTED).then_some(u64::from(self.total_rto))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::offset_of;

    #[test]
    fn the_offsets_of_the_fields_are_those_of_the_kernel() {
        let offsets = [
            offset_of!(TcpInfo, snd_mss),
            offset_of!(TcpInfo, rtt_us),
            offset_of!(TcpInfo, snd_ssthresh),
            offset_of!(TcpInfo, total_retrans),
            offset_of!(TcpInfo, pacing_rate),
            offset_of!(TcpInfo, delivery_rate),
            offset_of!(TcpInfo, bytes_sent),
            offset_of!(TcpInfo, total_rto),
            size_of::<TcpInfo>(),
        ];
        assert_eq!(offsets, [16, 68, 76, 100, 104, 160, 200, 240, 248]);
    }
}
