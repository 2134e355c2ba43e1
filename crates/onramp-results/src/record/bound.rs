//! The least time that a transfer can take: what every completion is measured against.
//!
//! A fluid that begins as soon as the handshake is over, and the request if there is one, fills
//! every channel of the way; nothing waits but for serialisers and tokens. What a real path adds
//! (other flows, packets that cannot be divided, jitter, losses) makes a transfer later, never
//! earlier.

use onramp_scenario::{Channel, Connect, TokenBucket};

/// A way and its way back: one connection after the other.
pub(super) struct Way<'a> {
    pub hops: Vec<WayHop<'a>>,
    /// How many expedited flows carry the data beside each other; 0: they are best effort.
    pub expedited_flows: u32,
    pub mtu_bytes: u32,
}

/// The channels of a connection's way and its way back, in order.
pub(super) struct WayHop<'a> {
    pub there: Vec<&'a Channel>,
    pub back: Vec<&'a Channel>,
}

impl<'a> Way<'a> {
    /// That of a connection from end to end.
    pub fn whole(there: Vec<&'a Channel>, back: Vec<&'a Channel>, mtu_bytes: u32) -> Way<'a> {
        Way {
            hops: vec![WayHop { there, back }],
            expedited_flows: 0,
            mtu_bytes,
        }
    }

    /// The channels of the data.
    pub fn there(&self) -> impl Iterator<Item = &'a Channel> + '_ {
        self.hops.iter().flat_map(|hop| hop.there.iter().copied())
    }
}

/// From the connect at this time to the receiver's last byte.
pub(super) fn bound_ns(way: &Way<'_>, connect: Connect, start_ns: u64, wire_bytes: u64) -> u64 {
    let cross = |channels: &[&Channel], from_ns: u64| {
        channels
            .iter()
            .fold(from_ns, |t, channel| arrival(channel, t))
    };
    // SYN, SYN-ACK, and the request of a receiver that connects, from hop to hop; then the data,
    // whose last byte leaves each channel when that has carried all of it. Where the sender
    // connects, a relay's handshake goes on beside the data of the hop before.
    let handshake = |hop: &WayHop<'_>, from_ns| match connect {
        Connect::Receiver => cross(&hop.there, cross(&hop.back, from_ns)),
        Connect::Sender => cross(&hop.back, cross(&hop.there, from_ns)),
    };
    let sends_ns = match connect {
        Connect::Receiver => way
            .hops
            .iter()
            .rev()
            .fold(start_ns, |t, hop| cross(&hop.back, handshake(hop, t))),
        Connect::Sender => start_ns,
    };
    let mut first_ns = sends_ns;
    let mut last_ns = sends_ns;
    for hop in &way.hops {
        if connect == Connect::Sender {
            first_ns = handshake(hop, first_ns);
        }
        for channel in &hop.there {
            last_ns = arrival(
                channel,
                last_ns.max(served(way, channel, first_ns, wire_bytes)),
            );
            first_ns = arrival(channel, first_ns);
        }
    }
    last_ns - start_ns
}

/// When something that leaves the serialiser at this time or later arrives at the earliest: it may
/// be worth waiting for a shorter delay.
fn arrival(channel: &Channel, leaves_ns: u64) -> u64 {
    let mut earliest = leaves_ns + channel.delay_ns;
    for change in channel.changes.iter() {
        let Some(delay_ns) = change.delay_ns else {
            continue;
        };
        let arrives_ns = change.at_ns.max(leaves_ns) + delay_ns;
        // What was so before counts no longer.
        earliest = if change.at_ns <= leaves_ns {
            arrives_ns
        } else {
            earliest.min(arrives_ns)
        };
    }
    earliest
}

/// When a channel has carried so many bytes that came to it from this time on.
fn served(way: &Way<'_>, channel: &Channel, from_ns: u64, wire_bytes: u64) -> u64 {
    let bucket = |bucket: TokenBucket| {
        let beyond_burst = wire_bytes.saturating_sub(bucket.burst_bytes);
        from_ns + time_ns(bits_ns(beyond_burst), bucket.rate_bits_per_s)
    };
    let buckets = channel.buckets(way.expedited_flows).map(bucket);
    buckets.fold(
        serialised(channel, from_ns, wire_bytes, way.mtu_bytes),
        u64::max,
    )
}

/// The serialiser's part of it: the rate is summed up over its changes.
fn serialised(channel: &Channel, from_ns: u64, wire_bytes: u64, mtu_bytes: u32) -> u64 {
    let mut rate = channel.rate_bits_per_s;
    let mut now_ns = from_ns;
    let mut left = bits_ns(wire_bytes);
    for change in channel.changes.iter() {
        let Some(next_rate) = change.rate_bits_per_s else {
            continue;
        };
        if change.at_ns > now_ns {
            let carried = u128::from(rate) * u128::from(change.at_ns - now_ns);
            if carried >= left {
                break;
            }
            left -= carried;
            now_ns = change.at_ns;
            // The packet that is being serialised keeps its rate.
            if next_rate < rate {
                left = left.saturating_sub(bits_ns(mtu_bytes.into()));
            }
        }
        rate = next_rate;
    }
    now_ns + time_ns(left, rate)
}

/// Bits by the nanoseconds in a second: what a rate of one bit per second carries in so many
/// nanoseconds.
fn bits_ns(bytes: u64) -> u128 {
    u128::from(bytes) * 8_000_000_000
}

fn time_ns(bits_ns: u128, rate_bits_per_s: u64) -> u64 {
    u64::try_from(bits_ns / u128::from(rate_bits_per_s.max(1))).unwrap_or(u64::MAX >> 8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use onramp_scenario::Case;

    fn case(path: &str) -> Case {
        let text = format!(
            "name = \"x\"\n[path]\nrate = \"8 Mbit/s\"\nrtt = \"100 ms\"\n{path}[[transfer]]\nsize = \"1 B\"\n"
        );
        onramp_scenario::parse("x.toml", &text)
            .unwrap()
            .cases
            .remove(0)
    }

    /// In milliseconds: a million bytes take a second at 8 Mbit/s.
    fn bound_ms(path: &str, start_ms: u64, wire_bytes: u64) -> u64 {
        let case = case(path);
        let way = Way::whole(vec![&case.path.forward], vec![&case.path.reverse], 1500);
        bound_ns(
            &way,
            case.transfer.connect,
            start_ms * 1_000_000,
            wire_bytes,
        ) / 1_000_000
    }

    #[test]
    fn two_round_trips_and_the_wire() {
        assert_eq!(bound_ms("", 0, 1_000_000), 1200);
        assert_eq!(
            bound_ms("[path.reverse]\ndelay = \"90 ms\"\n", 7, 1_000_000),
            1200
        );
    }

    /// The handshake's round trip, and half of one for the data.
    #[test]
    fn a_sender_that_connects_needs_no_request() {
        let case = case("");
        let way = Way::whole(vec![&case.path.forward], vec![&case.path.reverse], 1500);
        assert_eq!(bound_ns(&way, Connect::Sender, 0, 1_000_000), 1_150_000_000);
    }

    /// Two hops of 100 ms, the second ten times as fast.
    #[test]
    fn a_relay_s_handshake_goes_on_beside_the_data() {
        let case = case("");
        let fast = Channel {
            rate_bits_per_s: 80_000_000,
            ..case.path.forward.clone()
        };
        let hop = |there| WayHop {
            there: vec![there],
            back: vec![&case.path.reverse],
        };
        let way = Way {
            hops: vec![hop(&case.path.forward), hop(&fast)],
            expedited_flows: 0,
            mtu_bytes: 1500,
        };
        let bound_ms = |connect, bytes| bound_ns(&way, connect, 0, bytes) / 1_000_000;
        // Handshakes and request 150 ms a hop, then the data through both.
        assert_eq!(bound_ms(Connect::Receiver, 1_000_000), 300 + 1000 + 100);
        // The first byte waits for the second handshake, the last one does not.
        assert_eq!(bound_ms(Connect::Sender, 0), 100 + 50 + 100 + 50);
        assert_eq!(bound_ms(Connect::Sender, 1_000_000), 100 + 1000 + 100);
    }

    #[test]
    fn a_bucket_s_burst_passes_at_full_rate() {
        let shaped = "shaper_rate = \"4 Mbit/s\"\nshaper_burst = \"200 kB\"\n";
        assert_eq!(bound_ms(shaped, 0, 200_000), 400);
        assert_eq!(bound_ms(shaped, 0, 1_000_000), 200 + 1600);
        assert_eq!(
            bound_ms(&shaped.replace("shaper", "policer"), 0, 1_000_000),
            200 + 1600
        );
        let wide = "policer_rate = \"80 Mbit/s\"\npolicer_burst = \"10 kB\"\n";
        assert_eq!(bound_ms(wide, 0, 1_000_000), 1200);
    }

    #[test]
    fn a_rate_that_changes_is_summed_up() {
        let faster = "[[path.change]]\nat = \"650 ms\"\nrate = \"80 Mbit/s\"\n";
        assert_eq!(bound_ms(faster, 0, 1_000_000), 50 + 650 + 50);
        assert_eq!(bound_ms(faster, 650, 1_000_000), 200 + 100);
        assert_eq!(bound_ms(faster, 0, 400_000), 600);
        let slower = "[[path.change]]\nat = \"650 ms\"\nrate = \"800 kbit/s\"\n";
        assert_eq!(bound_ms(slower, 0, 501_500), 50 + 650);
        assert_eq!(bound_ms(slower, 0, 601_500), 50 + 650 + 1000);
    }

    #[test]
    fn a_delay_that_changes_is_the_one_in_force_or_a_shorter_one_to_come() {
        let shorter = "[[path.change]]\nat = \"120 ms\"\nrtt = \"20 ms\"\n";
        // SYN 50, SYN-ACK 100, request 130 (it could wait until 120), data 140.
        assert_eq!(bound_ms(shorter, 0, 0), 140);
        assert_eq!(bound_ms(shorter, 120, 0), 40);
        let longer = "[[path.change]]\nat = \"120 ms\"\nrtt = \"200 ms\"\n";
        assert_eq!(bound_ms(longer, 0, 0), 50 + 50 + 50 + 100);
    }
}
