//! An archive of M-Lab's tcp-info: `inet_diag` of a server's connections, looked at each 10 ms. A
//! line is a record of one connection whose counters have changed. A file may have many
//! connections: those of several files of M-Lab, one behind the other.
//!
//! The format is that of `netlink.ArchivalRecord` of github.com/m-lab/tcp-info: a time, and the
//! kernel's structures in base64.

use super::snapshots::{observation, seconds, Snapshot, TcpInfo};
use super::ImportError;
use base64::prelude::{Engine, BASE64_STANDARD};
use onramp_kernel::{prefix, Observation, Observations, Observed, ObservedTransfer};
use serde::Deserialize;
use std::collections::HashMap;
use std::io::Read;
use std::net::{IpAddr, Ipv6Addr};
use std::time::SystemTime;

/// Connections that are kept. Later ones are left out, and counted as lost.
const MAX_CONNECTIONS: usize = 100_000;
/// Transfers of a connection that are kept, as the kernel's observer does.
const MAX_TRANSFERS: usize = 8;
/// A connection that was busy for longer before its first record is older than the archive.
const MAX_UNSEEN_US: u64 = 100_000;

/// `INET_DIAG_INFO` and `INET_DIAG_CONG` of uapi/linux/inet_diag.h.
const TCP_INFO: usize = 2;
const CONGESTION_CONTROL: usize = 4;
/// `AF_INET`, `AF_INET6` and `TCP_LISTEN`.
const IPV4: u8 = 2;
const IPV6: u8 = 10;
const LISTEN: u8 = 10;
/// `struct tcp_info` up to `tcpi_sndbuf_limited`, which Linux 4.10 and later have.
const MIN_INFO_BYTES: usize = 192;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Record {
    timestamp: String,
    #[serde(rename = "RawIDM")]
    message: Option<String>,
    #[serde(default)]
    attributes: Vec<Option<String>>,
}

fn wrong(line: usize, what: String) -> ImportError {
    ImportError::TcpInfo { line, what }
}

/// What a record tells of a connection.
struct State {
    id: Id,
    at_s: f64,
    /// `struct tcp_info`
    info: Vec<u8>,
    /// The congestion control.
    name: Option<String>,
}

impl Record {
    /// `None`: it is the first record of a file, which tells the file's name alone, or it is of a
    /// socket that listens.
    fn state(&self, line: usize) -> Result<Option<State>, ImportError> {
        let bytes = |name: &str, text: &str| {
            let decoded = BASE64_STANDARD.decode(text);
            decoded.map_err(|error| wrong(line, format!("{name} is no base64: {error}")))
        };
        let Some(message) = &self.message else {
            return Ok(None);
        };
        let message = bytes("RawIDM", message)?;
        let id = message.first_chunk().copied().map(Id);
        let id =
            id.ok_or_else(|| wrong(line, "RawIDM is shorter than inet_diag_msg".to_owned()))?;
        let attribute = |number: usize| self.attributes.get(number)?.as_deref();
        let Some(info) = attribute(TCP_INFO).filter(|_| !id.is_listening()) else {
            return Ok(None);
        };
        let time = seconds_of(&self.timestamp);
        let name = attribute(CONGESTION_CONTROL);
        let name = name.map(|name| bytes("Attributes[4]", name)).transpose()?;
        Ok(Some(State {
            id,
            at_s: time
                .map_err(|error| wrong(line, format!("Timestamp {:?}: {error}", self.timestamp)))?,
            info: bytes("Attributes[2]", info)?,
            name: name.map(|name| {
                String::from_utf8_lossy(&name)
                    .trim_end_matches('\0')
                    .to_owned()
            }),
        }))
    }
}

/// The start of `struct inet_diag_msg`: the ends, and the kernel's number of the socket.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Id([u8; 52]);

impl Id {
    const FAMILY: usize = 0;
    const STATE: usize = 1;
    const LOCAL_PORT: usize = 4;
    const REMOTE_PORT: usize = 6;
    const REMOTE: usize = 24;

    fn is_listening(&self) -> bool {
        self.0[Id::STATE] == LISTEN
    }

    /// The same in each record of a connection: without state, timer and number of timeouts.
    fn key(mut self) -> Id {
        self.0[Id::STATE..Id::LOCAL_PORT].fill(0);
        self
    }

    fn port(&self, at: usize) -> u16 {
        u16::from_be_bytes([self.0[at], self.0[at + 1]])
    }

    fn remote(&self) -> Option<IpAddr> {
        let bytes: [u8; 16] = self.0[Id::REMOTE..Id::REMOTE + 16].try_into().ok()?;
        match self.0[Id::FAMILY] {
            IPV4 => Some(IpAddr::from([bytes[0], bytes[1], bytes[2], bytes[3]])),
            // A socket for both versions has IPv4 in IPv6.
            IPV6 => Some(Ipv6Addr::from(bytes).to_canonical()),
            _ => None,
        }
    }
}

/// The fields of `struct tcp_info` (uapi/linux/tcp.h). Servers of M-Lab are little-endian.
fn tcp_info(bytes: &[u8]) -> TcpInfo {
    let u32_at = |at: usize| {
        let field = bytes
            .get(at..at + 4)
            .and_then(|field| field.try_into().ok());
        u32::from_le_bytes(field.unwrap_or_default())
    };
    let u64_at = |at: usize| u64::from(u32_at(at)) | u64::from(u32_at(at + 4)) << 32;
    TcpInfo {
        // The other bits are of Fast Open.
        app_limited: bytes.get(7).copied().unwrap_or(0) & 1,
        snd_mss: u32_at(16),
        unacked: u32_at(24),
        last_ack_recv: u32_at(56),
        rtt: u32_at(68),
        snd_cwnd: u32_at(80),
        total_retrans: u32_at(100),
        bytes_acked: u64_at(120),
        notsent_bytes: u32_at(144),
        min_rtt: u32_at(148),
        data_segs_out: u32_at(156),
        delivery_rate: u64_at(160),
        busy_time: u64_at(168),
        rwnd_limited: u64_at(176),
        snd_buf_limited: u64_at(184),
        delivered_ce: u32_at(196),
        snd_wnd: u32_at(228),
    }
}

/// A connection, record by record.
struct Connection {
    id: Id,
    congestion_control: String,
    snapshots: Vec<Snapshot>,
}

impl Connection {
    /// What a sender would have observed. `None`: it is older than the archive, or its records are
    /// those of Linux before 4.10.
    fn observation(self) -> Option<Observation> {
        let first = self.snapshots.first()?;
        if first.tcp.busy_time > MAX_UNSEEN_US {
            return None;
        }
        // Before the first ACK of payload; the SYN counts as a byte.
        let is_new = first.tcp.bytes_acked <= 1;
        let handshake_s = seconds(first.tcp.rtt.into());
        let transfers = transfers(&self.snapshots);
        let (local, remote) = (self.id.port(Id::LOCAL_PORT), self.id.port(Id::REMOTE_PORT));
        // A record does not tell who opened the connection. Services have the lower ports.
        let accepted = local < remote;
        Some(Observation {
            destination: prefix(self.id.remote()?),
            port: local.min(remote),
            accepted,
            congestion_control: self.congestion_control,
            transfer_count: transfers.len() as u32,
            transfers: transfers.into_iter().take(MAX_TRANSFERS).collect(),
            complete: is_complete(&self.snapshots),
            handshake_rtt_s: (is_new && handshake_s > 0.0).then_some(handshake_s),
            initial_cwnd_segments: if is_new { first.tcp.snd_cwnd } else { 0 },
            ..observation(&self.snapshots)?
        })
    }
}

/// Whether all payload was acknowledged. A FIN may be in flight at the end.
fn is_complete(snapshots: &[Snapshot]) -> bool {
    let idle = snapshots.iter().rfind(|one| one.tcp.is_idle());
    let (Some(idle), Some(last)) = (idle, snapshots.last()) else {
        return false;
    };
    last.tcp.notsent_bytes == 0 && last.tcp.data_segs_out == idle.tcp.data_segs_out
}

/// The transfers between the times at which nothing was in flight. Two that follow each other
/// between two records, 10 ms, are one.
fn transfers(snapshots: &[Snapshot]) -> Vec<ObservedTransfer> {
    let (mut all, mut before) = (Vec::new(), &TcpInfo::default());
    let begin_s = snapshots.first().map_or(0.0, |first| first.at_s);
    for Snapshot { at_s, tcp } in snapshots.iter().filter(|one| one.tcp.is_idle()) {
        // The FIN is no payload, and counts in `bytes_acked`.
        if tcp.data_segs_out > before.data_segs_out {
            let time_s = seconds(tcp.busy_time.saturating_sub(before.busy_time));
            let end_s = at_s - begin_s - f64::from(tcp.last_ack_recv) / 1e3;
            all.push(ObservedTransfer {
                start_s: (end_s - time_s).max(0.0),
                time_s,
                bytes: tcp.bytes_acked.saturating_sub(before.bytes_acked),
            });
        }
        before = tcp;
    }
    all
}

/// The time of day in the zone of the host: only differences count.
fn seconds_of(timestamp: &str) -> Result<f64, humantime::TimestampError> {
    const DATE_BYTES: usize = 10;
    let (date, clock) = timestamp.split_at_checked(DATE_BYTES).unwrap_or_default();
    let clock = clock.split(['Z', '+', '-']).next().unwrap_or_default();
    let time = humantime::parse_rfc3339_weak(&format!("{date}{clock}"))?;
    let since = time.duration_since(SystemTime::UNIX_EPOCH);
    Ok(since.unwrap_or_default().as_secs_f64())
}

/// Reads an archive.
pub(super) fn read(input: impl Read) -> Result<Observations, ImportError> {
    let mut numbers: HashMap<Id, usize> = HashMap::new();
    let mut connections: Vec<Connection> = Vec::new();
    let mut observed = Observed::default();
    let (mut first_s, mut last_s) = (f64::INFINITY, f64::NEG_INFINITY);
    let records = serde_json::Deserializer::from_reader(input).into_iter::<Record>();
    for (line, record) in (1..).zip(records) {
        let record = record.map_err(|error| wrong(line, error.to_string()))?;
        let Some(State {
            id,
            at_s,
            info,
            name,
        }) = record.state(line)?
        else {
            continue;
        };
        (first_s, last_s) = (first_s.min(at_s), last_s.max(at_s));
        let number = match numbers.get(&id.key()) {
            Some(number) => *number,
            None if connections.len() >= MAX_CONNECTIONS || info.len() < MIN_INFO_BYTES => {
                observed.opened += 1;
                observed.lost += 1;
                numbers.insert(id.key(), usize::MAX);
                continue;
            }
            None => {
                numbers.insert(id.key(), connections.len());
                connections.push(Connection {
                    id,
                    congestion_control: String::new(),
                    snapshots: Vec::new(),
                });
                connections.len() - 1
            }
        };
        let Some(connection) = connections.get_mut(number) else {
            continue; // one of those that are lost
        };
        if let Some(name) = name {
            connection.congestion_control = name;
        }
        let tcp = tcp_info(&info);
        connection.snapshots.push(Snapshot { at_s, tcp });
    }
    let seen = connections.len() as u64;
    observed.opened += seen;
    let connections: Vec<Observation> = connections
        .into_iter()
        .filter_map(Connection::observation)
        .collect();
    observed.ended = seen;
    observed.lost += seen - connections.len() as u64;
    let is_idle = |seen: &Observation| seen.sent_segments == 0;
    observed.idle = connections.iter().filter(|seen| is_idle(seen)).count() as u64;
    Ok(Observations {
        kernel: String::new(),
        for_s: (last_s - first_s).max(0.0),
        observed,
        connections: connections
            .into_iter()
            .filter(|seen| !is_idle(seen))
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVER: u16 = 443;
    const CLIENT: u16 = 50_000;

    /// A record of a connection as tcp-info writes it. Fields of `struct tcp_info` by their offset.
    fn record(ms: u64, state: u8, fields: &[(usize, u64)]) -> String {
        let mut message = [0; 72];
        message[Id::FAMILY] = IPV4;
        message[Id::STATE] = state;
        message[Id::LOCAL_PORT..][..2].copy_from_slice(&SERVER.to_be_bytes());
        message[Id::REMOTE_PORT..][..2].copy_from_slice(&CLIENT.to_be_bytes());
        message[Id::REMOTE..][..4].copy_from_slice(&[203, 0, 113, 9]);
        let mut info = [0; 232];
        for (at, value) in fields {
            let bytes = if [120, 160, 168, 176].contains(at) {
                8
            } else {
                4
            };
            info[*at..][..bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
        }
        let [message, info] = [&message[..], &info].map(|bytes| BASE64_STANDARD.encode(bytes));
        let cubic = BASE64_STANDARD.encode("cubic\0");
        format!(
            "{{\"Timestamp\":\"2019-05-16T00:00:{:02}.{:03}Z\",\"RawIDM\":\"{message}\",\
             \"Attributes\":[null,null,\"{info}\",null,\"{cubic}\"]}}\n",
            ms / 1000,
            ms % 1000
        )
    }

    const ESTABLISHED: u8 = 1;
    const MSS: (usize, u64) = (16, 1448);
    const RTT: (usize, u64) = (68, 50_000);
    const MIN_RTT: (usize, u64) = (148, 40_000);

    fn archive() -> String {
        let name = "{\"Timestamp\":\"0001-01-01T00:00:00Z\",\"Metadata\":{\"UUID\":\"ndt\",\
                    \"Sequence\":0,\"StartTime\":\"2019-05-16T00:00:00Z\"}}\n";
        let at = |ms, fields: &[(usize, u64)]| {
            record(ms, ESTABLISHED, &[&[MSS, RTT, MIN_RTT], fields].concat())
        };
        [
            name.to_owned(),
            at(0, &[(80, 10), (148, u64::from(u32::MAX))]),
            // In flight: 5 segments, of which two are retransmitted within one round trip.
            at(
                60,
                &[
                    (24, 5),
                    (100, 1),
                    (120, 5000),
                    (156, 10),
                    (160, 900_000),
                    (168, 60_000),
                ],
            ),
            at(
                80,
                &[(24, 5), (100, 2), (120, 6000), (156, 11), (168, 80_000)],
            ),
            // Idle since 4 ms
            at(
                160,
                &[
                    (56, 4),
                    (100, 2),
                    (120, 14_480),
                    (156, 12),
                    (168, 120_000),
                    (176, 30_000),
                ],
            ),
            // A second transfer, then the FIN
            at(
                400,
                &[(24, 1), (100, 2), (120, 14_480), (156, 13), (168, 130_000)],
            ),
            at(
                460,
                &[
                    (56, 0),
                    (100, 2),
                    (120, 15_480),
                    (156, 13),
                    (168, 180_000),
                    (176, 30_000),
                ],
            ),
            at(
                500,
                &[
                    (24, 1),
                    (100, 2),
                    (120, 15_480),
                    (156, 13),
                    (168, 180_000),
                    (176, 30_000),
                ],
            ),
        ]
        .concat()
    }

    #[test]
    fn records_of_a_connection_are_its_transfers_and_its_path() {
        let all = read(archive().as_bytes()).unwrap();
        let [seen] = all.connections.as_slice() else {
            panic!("one connection: {all:?}");
        };
        let ends = (seen.destination.as_str(), seen.port, seen.accepted);
        assert_eq!(ends, ("203.0.113.0/24", SERVER, true));
        assert_eq!(seen.congestion_control, "cubic");
        let transfers = seen.transfers.iter();
        let ms = |s: f64| (s * 1e3).round() as u32;
        let transfers: Vec<_> = transfers
            .map(|one| (ms(one.start_s), ms(one.time_s), one.bytes))
            .collect();
        assert_eq!(transfers, [(36, 120, 14_480), (400, 60, 1000)]);
        assert!(seen.complete);
        assert_eq!(
            (seen.handshake_rtt_s, seen.min_rtt_s),
            (Some(0.05), Some(0.04))
        );
        assert_eq!((seen.retransmitted_segments, seen.loss_rounds), (2, 1));
        assert_eq!(seen.first_loss_bytes, Some(5000));
        assert_eq!(seen.rate_bytes_per_s, Some(900_000));
        assert_eq!(seen.initial_cwnd_segments, 10);
        assert!((seen.receiver_limited - 1.0 / 6.0).abs() < 1e-9);
        assert_eq!(
            (all.observed.opened, all.observed.lost, all.for_s),
            (1, 0, 0.5)
        );
    }

    #[test]
    fn the_zone_of_a_time_does_not_matter() {
        let utc = seconds_of("2019-08-26T19:55:42.7546Z").unwrap();
        assert_eq!(seconds_of("2019-08-26T19:55:42.7546-04:00"), Ok(utc));
        assert_eq!(seconds_of("2019-08-26T19:55:43.7546+05:30"), Ok(utc + 1.0));
        assert!(seconds_of("2019").is_err());
    }

    #[test]
    fn a_connection_that_ends_with_payload_in_flight_is_cut_off() {
        let sends = record(
            600,
            ESTABLISHED,
            &[MSS, RTT, (24, 2), (120, 15_480), (156, 15)],
        );
        let all = read(format!("{}{sends}", archive()).as_bytes()).unwrap();
        assert!(!all.connections[0].complete);
        assert_eq!(all.connections[0].transfers.len(), 2);
    }

    #[test]
    fn a_connection_that_is_older_than_the_archive_is_lost() {
        let old = record(0, ESTABLISHED, &[MSS, RTT, (156, 900), (168, 5_000_000)]);
        let all = read(old.as_bytes()).unwrap();
        assert!(all.connections.is_empty());
        assert_eq!((all.observed.opened, all.observed.lost), (1, 1));
    }

    #[test]
    fn a_listener_and_a_connection_that_sent_nothing_are_not_judged() {
        let listens = record(0, LISTEN, &[]);
        let sends_nothing = record(0, ESTABLISHED, &[MSS, RTT]);
        let all = read(format!("{listens}{sends_nothing}").as_bytes()).unwrap();
        assert!(all.connections.is_empty());
        assert_eq!((all.observed.opened, all.observed.idle), (1, 1));
    }

    #[test]
    fn a_mistake_is_shown_with_its_record() {
        let refused = |text: String| read(text.as_bytes()).unwrap_err().to_string();
        let good = archive();
        let cut = &good[..good.len() - 20];
        assert!(refused(cut.to_owned()).contains("record 8: EOF while parsing"));
        let no_base64 = good.replacen("\"RawIDM\":\"A", "\"RawIDM\":\"?", 1);
        let no_base64 = no_base64.replacen("\"RawIDM\":\"Ag", "\"RawIDM\":\"?g", 1);
        assert!(refused(no_base64).contains("record 2: RawIDM is no base64"));
        let no_time = good.replacen("2019-05-16T00:00:00.060Z", "yesterday", 1);
        assert!(refused(no_time).contains("record 3: Timestamp \"yesterday\""));
        let short = "{\"Timestamp\":\"\",\"RawIDM\":\"AgE=\"}";
        assert!(refused(short.to_owned()).contains("record 1: RawIDM is shorter"));
    }
}
