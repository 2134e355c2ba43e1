//! A packet capture (pcap), taken at one end of its connections: what that end sent is observed.
//! Headers are enough. A capture does not tell the congestion control.

use super::{ImportError, UNKNOWN_CONTROL};
use onramp_kernel::{prefix, Observation, Observations, Observed, ObservedTransfer};
use onramp_tcp::wire::{parse_unverified, Parsed};
use onramp_tcp::{Flags, Segment};
use pcap_file::pcap::PcapReader;
use pcap_file::{DataLink, TsResolution};
use std::collections::{HashMap, VecDeque};
use std::io::Read;
use std::net::SocketAddr;

/// Connections that are followed at a time. Those of later SYNs are left out, and counted as lost.
const MAX_CONNECTIONS: usize = 100_000;
/// Transfers of a connection that are kept, as the kernel's observer does.
const MAX_TRANSFERS: usize = 8;
/// Destination, source and type of an Ethernet frame.
const ETHERNET_BYTES: usize = 14;
/// What the option of timestamps takes from a segment.
const TIMESTAMP_BYTES: u32 = 12;

/// What one end has sent.
#[derive(Default)]
struct Half {
    isn: Option<u32>,
    /// The window scale that this end announced; `None`: it offers no scaling.
    scale: Option<u8>,
    mss_bytes: u32,
    sent_bytes: u64,
    acked_bytes: u64,
    /// The first copy of each segment in flight: its end, when it left, whether it left again.
    in_flight: VecDeque<(u64, f64, bool)>,
    /// When how much was acknowledged, for as long as an RTT takes.
    progress: VecDeque<(f64, u64)>,
    /// Segments, bytes and window of the other end before the first ACK.
    first_flight_segments: u32,
    is_acked: bool,
    begin: Option<(f64, u64)>,
    seen: Observation,
    window_bytes: u64,
    /// Since when the other end's window has no room for a segment, and how long it had none.
    held_up_since_s: Option<f64>,
    held_up_s: f64,
    busy_s: f64,
    loss_rtt_s: f64,
    /// When the latest round trip with a retransmission began.
    loss_round_s: Option<f64>,
}

impl Half {
    /// The position of a sequence number in the payload.
    fn position(&self, seq: u32) -> Option<u64> {
        let first = self.isn?.wrapping_add(1);
        let near = self.sent_bytes;
        let ahead = seq.wrapping_sub(first.wrapping_add(near as u32)) as i32;
        near.checked_add_signed(ahead.into())
    }

    fn send(&mut self, time_s: f64, segment: &Segment) {
        let Some(begin) = self.position(segment.seq) else {
            return;
        };
        let end = begin + u64::from(segment.payload_bytes);
        let segments = segment.payload_bytes.div_ceil(self.mss_bytes.max(1));
        self.seen.sent_segments += segments;
        if end <= self.sent_bytes {
            self.seen.retransmitted_segments += segments;
            let rtt_s = self.seen.min_rtt_s.unwrap_or(0.0);
            if self
                .loss_round_s
                .is_none_or(|begin_s| time_s - begin_s > rtt_s)
            {
                self.loss_round_s = Some(time_s);
                self.seen.loss_rounds += 1;
            }
            if self.seen.first_loss_bytes.is_none() {
                self.seen.first_loss_bytes = Some(self.acked_bytes.max(1));
                self.loss_rtt_s = self.seen.max_rtt_s.unwrap_or(0.0);
            }
            let again = self
                .in_flight
                .iter_mut()
                .filter(|(to, ..)| begin < *to && *to <= end);
            again.for_each(|(_, _, is_again)| *is_again = true);
            return;
        }
        self.sent_bytes = end;
        self.in_flight.push_back((end, time_s, false));
        if !self.is_acked {
            self.first_flight_segments += segments;
        }
        self.begin.get_or_insert((time_s, begin));
        self.look_at_window(time_s);
    }

    fn acked(&mut self, time_s: f64, ack: u32, window_bytes: u64) {
        self.window_bytes = window_bytes;
        self.seen.max_window_bytes = self.seen.max_window_bytes.max(window_bytes as u32);
        let position = self.position(ack).map(|at| at.min(self.sent_bytes));
        let Some(position) = position.filter(|at| *at > self.acked_bytes) else {
            return self.look_at_window(time_s);
        };
        self.acked_bytes = position;
        self.is_acked = true;
        let mut latest = None;
        while let Some((_, sent_s, is_again)) =
            self.in_flight.front().filter(|one| one.0 <= position)
        {
            latest = (!is_again).then_some(*sent_s);
            self.in_flight.pop_front();
        }
        if let Some(sent_s) = latest {
            let rtt_s = time_s - sent_s;
            let seen = &mut self.seen;
            seen.min_rtt_s = Some(seen.min_rtt_s.map_or(rtt_s, |min_s| min_s.min(rtt_s)));
            seen.max_rtt_s = Some(seen.max_rtt_s.map_or(rtt_s, |max_s| max_s.max(rtt_s)));
        }
        self.note_rate(time_s);
        self.look_at_window(time_s);
        if let Some((begin_s, from)) = self.begin.filter(|_| position == self.sent_bytes) {
            self.busy_s += time_s - begin_s;
            self.seen.transfer_count += 1;
            if self.seen.transfers.len() < MAX_TRANSFERS {
                self.seen.transfers.push(ObservedTransfer {
                    start_s: begin_s,
                    time_s: time_s - begin_s,
                    bytes: position - from,
                });
            }
            self.begin = None;
            self.progress.clear();
        }
    }

    /// The delivery rate over the latest round trip.
    fn note_rate(&mut self, time_s: f64) {
        let Some(rtt_s) = self.seen.min_rtt_s else {
            return;
        };
        self.progress.push_back((time_s, self.acked_bytes));
        while self
            .progress
            .get(1)
            .is_some_and(|(at_s, _)| time_s - at_s >= rtt_s)
        {
            self.progress.pop_front();
        }
        let (from_s, from) = self.progress[0];
        if time_s - from_s >= rtt_s && time_s > from_s {
            let rate = ((self.acked_bytes - from) as f64 / (time_s - from_s)) as u64;
            let fastest = self.seen.rate_bytes_per_s.unwrap_or(0).max(rate);
            self.seen.rate_bytes_per_s = Some(fastest);
        }
    }

    /// Whether the other end's window has room for a segment.
    fn look_at_window(&mut self, time_s: f64) {
        let in_flight = self.sent_bytes - self.acked_bytes;
        let is_held_up = in_flight > 0 && in_flight + u64::from(self.mss_bytes) > self.window_bytes;
        match (is_held_up, self.held_up_since_s) {
            (true, None) => self.held_up_since_s = Some(time_s),
            (false, Some(since_s)) => {
                self.held_up_s += time_s - since_s;
                self.held_up_since_s = None;
            }
            _ => {}
        }
    }
}

/// A connection whose SYN was captured.
struct Connection {
    opener: SocketAddr,
    acceptor: SocketAddr,
    syn_s: f64,
    syn_ack_s: Option<f64>,
    established_s: Option<f64>,
    last_s: f64,
    /// What the opener and the acceptor sent.
    halves: [Half; 2],
}

impl Connection {
    fn packet(&mut self, time_s: f64, packet: &Parsed<'_>) {
        let segment = &packet.segment;
        let from = usize::from(packet.endpoints.source != self.opener);
        self.last_s = time_s;
        if segment.flags.has(Flags::SYN) {
            let half = &mut self.halves[from];
            half.isn = Some(segment.seq);
            half.scale = segment.options.window_scale;
            half.mss_bytes = u32::from(segment.options.mss.unwrap_or(536));
            if segment.options.timestamps.is_some() {
                half.mss_bytes = half.mss_bytes.saturating_sub(TIMESTAMP_BYTES);
            }
            if from == 1 {
                self.syn_ack_s = Some(time_s);
            }
            return;
        }
        if from == 0 && self.established_s.is_none() && self.syn_ack_s.is_some() {
            self.establish(time_s);
        }
        let scales = self.halves.each_ref().map(|half| half.scale);
        let scale = scales[from]
            .filter(|_| scales[1 - from].is_some())
            .unwrap_or(0);
        let window_bytes = u64::from(segment.window) << scale.min(14);
        let other = &mut self.halves[1 - from];
        if other.seen.first_window_bytes == 0 {
            other.seen.first_window_bytes = window_bytes as u32;
        }
        if segment.flags.has(Flags::ACK) {
            other.acked(time_s, segment.ack, window_bytes);
        }
        if segment.payload_bytes > 0 {
            self.halves[from].send(time_s, segment);
        }
    }

    /// The handshake is complete. Each end sends what the other takes.
    fn establish(&mut self, time_s: f64) {
        self.established_s = Some(time_s);
        let mss_bytes = self.halves[0].mss_bytes.min(self.halves[1].mss_bytes);
        self.halves
            .iter_mut()
            .for_each(|half| half.mss_bytes = mss_bytes);
    }

    /// What the end at which the capture was taken would have observed.
    fn observation(self) -> Option<Observation> {
        let (established_s, syn_ack_s) = (self.established_s?, self.syn_ack_s?);
        let [opened, accepted] = self.halves;
        // The end that answers sooner is the one at which the capture was taken.
        let is_accepted = syn_ack_s - self.syn_s <= established_s - syn_ack_s;
        let half = if is_accepted { accepted } else { opened };
        let since = |transfer: ObservedTransfer| ObservedTransfer {
            start_s: transfer.start_s - established_s,
            ..transfer
        };
        let busy_s = half.busy_s + half.begin.map_or(0.0, |(begin_s, _)| self.last_s - begin_s);
        let other = if is_accepted {
            self.opener
        } else {
            self.acceptor
        };
        Some(Observation {
            destination: prefix(other.ip()),
            port: self.acceptor.port(),
            accepted: is_accepted,
            congestion_control: UNKNOWN_CONTROL.to_owned(),
            transfers: half.seen.transfers.into_iter().map(since).collect(),
            complete: half.begin.is_none(),
            duration_s: self.last_s - established_s,
            handshake_rtt_s: Some(match is_accepted {
                true => established_s - syn_ack_s,
                false => syn_ack_s - self.syn_s,
            }),
            mss_bytes: half.mss_bytes,
            initial_cwnd_segments: half.first_flight_segments,
            loss_rtt_s: half.seen.first_loss_bytes.map(|_| half.loss_rtt_s),
            receiver_limited: (half.held_up_s / busy_s.max(1e-6)).min(1.0),
            ..half.seen
        })
        .filter(|seen| seen.sent_segments > 0)
    }
}

/// Reads a capture.
pub(super) fn read(input: impl Read) -> Result<Observations, ImportError> {
    let mut reader = PcapReader::new(input)?;
    let link = reader.header().datalink;
    let skip = match link {
        DataLink::ETHERNET => ETHERNET_BYTES,
        DataLink::RAW | DataLink::IPV4 | DataLink::IPV6 => 0,
        other => return Err(ImportError::Link(format!("{other:?}"))),
    };
    let ticks_per_s = match reader.header().ts_resolution {
        TsResolution::MicroSecond => 1e6,
        TsResolution::NanoSecond => 1e9,
    };
    let mut connections: HashMap<[SocketAddr; 2], Connection> = HashMap::new();
    let (mut observed, mut whole) = (Observed::default(), Vec::new());
    let (mut first_s, mut last_s) = (f64::INFINITY, 0.0_f64);
    // Not `next_packet`: it refuses a packet that was longer than what is kept of it.
    while let Some(packet) = reader.next_raw_packet() {
        let packet = packet?;
        let time_s = f64::from(packet.ts_sec) + f64::from(packet.ts_frac) / ticks_per_s;
        (first_s, last_s) = (first_s.min(time_s), last_s.max(time_s));
        // A capture of headers has a packet's beginning: zeros stand for the rest.
        whole.clear();
        whole.extend_from_slice(packet.data.get(skip..).unwrap_or_default());
        whole.resize(
            (packet.orig_len as usize)
                .saturating_sub(skip)
                .max(whole.len()),
            0,
        );
        let Ok(parsed) = parse_unverified(&whole) else {
            continue; // no TCP
        };
        let ends = parsed.endpoints;
        let mut key = [ends.source, ends.destination];
        key.sort();
        let flags = parsed.segment.flags;
        if flags.has(Flags::SYN) && !flags.has(Flags::ACK) && !connections.contains_key(&key) {
            observed.opened += 1;
            if connections.len() >= MAX_CONNECTIONS {
                observed.lost += 1;
                continue;
            }
            let connection = Connection {
                opener: ends.source,
                acceptor: ends.destination,
                syn_s: time_s,
                syn_ack_s: None,
                established_s: None,
                last_s: time_s,
                halves: Default::default(),
            };
            connections.insert(key, connection);
        }
        if let Some(connection) = connections.get_mut(&key) {
            connection.packet(time_s, &parsed);
        }
    }
    observed.ended = connections.len() as u64;
    let all = connections.into_values();
    let mut connections: Vec<Observation> = all.filter_map(Connection::observation).collect();
    connections.sort_by(|a, b| b.duration_s.total_cmp(&a.duration_s));
    observed.idle = observed.ended - connections.len() as u64;
    Ok(Observations {
        kernel: String::new(),
        for_s: (last_s - first_s).max(0.0),
        observed,
        connections,
    })
}
