//! The minimum time of a transfer, with which every completion is compared.
//!
//! The bound treats the data as a fluid. It begins as soon as the handshake is over, and the
//! request if there is one, and fills every channel of the forward path. It waits for serialisers
//! and tokens only. Other flows, indivisible packets, jitter and losses of a real path make a
//! transfer later, never earlier.

use onramp_net::Recorded;
use onramp_scenario::{Channel, Connect, TokenBucket};

/// The forward path and the return path of a flow.
pub(super) struct Route<'a> {
    /// The connections, one behind the other where the flow is split.
    pub connections: Vec<Connection<'a>>,
    /// The number of parallel expedited flows that carry the data; 0: the data is best effort.
    pub expedited_flows: u32,
    pub mtu_bytes: u32,
    /// The seed of the run, from which random rates follow.
    pub run_seed: u64,
}

/// The channels of a connection's forward path and of its return path, in order. Those of the
/// forward path have the numbers of their links.
pub(super) struct Connection<'a> {
    pub forward: Vec<(u32, &'a Channel)>,
    pub reverse: Vec<&'a Channel>,
}

impl<'a> Route<'a> {
    /// The channels of the forward path.
    pub fn forward(&self) -> impl Iterator<Item = &'a Channel> + '_ {
        let connections = self.connections.iter();
        connections.flat_map(|connection| connection.channels())
    }
}

impl<'a> Connection<'a> {
    /// The channels of the forward path.
    fn channels(&self) -> impl Iterator<Item = &'a Channel> + '_ {
        self.forward.iter().map(|(_, channel)| *channel)
    }
}

/// The minimum time from the connect at `start_ns` to the receiver's last byte.
pub(super) fn bound_ns(route: &Route<'_>, connect: Connect, start_ns: u64, wire_bytes: u64) -> u64 {
    let cross = |channel: &Channel, from_ns: u64| arrival(channel, route.run_seed, from_ns);
    let forth = |connection: &Connection<'_>, from_ns| {
        connection
            .channels()
            .fold(from_ns, |t, channel| cross(channel, t))
    };
    let back = |connection: &Connection<'_>, from_ns| {
        let channels = connection.reverse.iter();
        channels.fold(from_ns, |t, channel| cross(channel, t))
    };
    // Where the receiver connects, SYN, SYN-ACK and the request cross one connection after the
    // other. Then the data follows. Its last byte leaves each channel when the channel has carried
    // all of the data. Where the sender connects, the handshake of a relay takes place while the
    // connection before it carries data.
    let handshake = |connection: &Connection<'_>, from_ns| match connect {
        Connect::Receiver => forth(connection, back(connection, from_ns)),
        Connect::Sender => back(connection, forth(connection, from_ns)),
    };
    let request =
        |from_ns, connection: &Connection<'_>| back(connection, handshake(connection, from_ns));
    let sends_ns = match connect {
        Connect::Receiver => route.connections.iter().rev().fold(start_ns, request),
        Connect::Sender => start_ns,
    };
    let mut first_ns = sends_ns;
    let mut last_ns = sends_ns;
    for connection in &route.connections {
        if connect == Connect::Sender {
            first_ns = handshake(connection, first_ns);
        }
        for (number, channel) in &connection.forward {
            let served_ns = served(route, (*number, channel), first_ns, wire_bytes);
            last_ns = cross(channel, last_ns.max(served_ns));
            first_ns = cross(channel, first_ns);
        }
    }
    last_ns - start_ns
}

/// The earliest arrival of a byte that can leave the serialiser at `leaves_ns`. A byte that leaves
/// later may arrive earlier, because the delay may become shorter.
fn arrival(channel: &Channel, run_seed: u64, leaves_ns: u64) -> u64 {
    if let Some(recorded) = channel.recorded_delay_in(run_seed) {
        return recorded_arrival(&recorded, leaves_ns);
    }
    let mut earliest = leaves_ns + channel.delay_ns;
    for change in channel.changes.iter() {
        let Some(delay_ns) = change.delay_ns else {
            continue;
        };
        let arrives_ns = change.at_ns.max(leaves_ns) + delay_ns;
        // A change before the byte leaves replaces the earlier delays.
        earliest = if change.at_ns <= leaves_ns {
            arrives_ns
        } else {
            earliest.min(arrives_ns)
        };
    }
    earliest
}

/// The same where the delay is recorded.
fn recorded_arrival(recorded: &Recorded, leaves_ns: u64) -> u64 {
    let mut earliest_ns = u64::MAX;
    for (at_ns, delay_ns) in recorded.from(leaves_ns) {
        if at_ns >= earliest_ns {
            break;
        }
        earliest_ns = earliest_ns.min(at_ns.saturating_add(delay_ns));
    }
    earliest_ns
}

/// The time at which a channel has carried this many bytes that arrive from `from_ns` on.
fn served(
    route: &Route<'_>,
    (number, channel): (u32, &Channel),
    from_ns: u64,
    wire_bytes: u64,
) -> u64 {
    let bucket = |bucket: TokenBucket| {
        let beyond_burst = wire_bytes.saturating_sub(bucket.burst_bytes);
        from_ns + time_ns(bits_ns(beyond_burst), bucket.rate_bits_per_s)
    };
    let buckets = channel.buckets(route.expedited_flows).map(bucket);
    let link = (route.run_seed, number);
    let carried_ns = channel
        .carried_ns(link, from_ns, wire_bytes, route.mtu_bytes)
        .unwrap_or_else(|| serialised(channel, from_ns, wire_bytes, route.mtu_bytes));
    buckets.fold(carried_ns, u64::max)
}

/// The same time for the serialiser alone, with all changes of its rate.
fn serialised(channel: &Channel, from_ns: u64, wire_bytes: u64, mtu_bytes: u32) -> u64 {
    let packet_rate = |rate| channel.framing.payload_bits_per_s(rate);
    let mut rate = channel.packet_bits_per_s();
    let mut now_ns = from_ns;
    let mut left = bits_ns(wire_bytes);
    for change in channel.changes.iter() {
        let Some(next_rate) = change.rate_bits_per_s.map(packet_rate) else {
            continue;
        };
        if change.at_ns > now_ns {
            let carried = u128::from(rate) * u128::from(change.at_ns - now_ns);
            if carried >= left {
                break;
            }
            left -= carried;
            now_ns = change.at_ns;
            // The packet in the serialiser keeps the old rate.
            if next_rate < rate {
                left = left.saturating_sub(bits_ns(mtu_bytes.into()));
            }
        }
        rate = next_rate;
    }
    now_ns + time_ns(left, rate)
}

/// Bits times the nanoseconds of a second: the nanoseconds that one bit per second needs.
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
            "name = \"x\"\n[path]\nrate = \"8 Mbit/s\"\nrtt = \"100 ms\"\n{path}\
             [[transfer]]\nsize = \"1 B\"\n"
        );
        onramp_scenario::parse("x.toml", &text)
            .unwrap()
            .cases
            .remove(0)
    }

    fn end_to_end(case: &Case) -> Route<'_> {
        let connection = Connection {
            forward: vec![(0, &case.path.forward)],
            reverse: vec![&case.path.reverse],
        };
        Route {
            connections: vec![connection],
            expedited_flows: 0,
            mtu_bytes: 1500,
            run_seed: case.seed,
        }
    }

    /// The bound in milliseconds. A million bytes take a second at 8 Mbit/s.
    fn bound_ms(path: &str, start_ms: u64, wire_bytes: u64) -> u64 {
        let case = case(path);
        bound_ns(
            &end_to_end(&case),
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

    /// One round trip for the handshake and half a round trip for the data.
    #[test]
    fn a_sender_that_connects_needs_no_request() {
        let case = case("");
        let bound_ns = bound_ns(&end_to_end(&case), Connect::Sender, 0, 1_000_000);
        assert_eq!(bound_ns, 1_150_000_000);
    }

    /// Two connections of 100 ms, the second ten times as fast.
    #[test]
    fn a_relay_s_handshake_takes_place_beside_the_data() {
        let case = case("");
        let fast = Channel {
            rate_bits_per_s: 80_000_000,
            ..case.path.forward.clone()
        };
        let connection = |forward| Connection {
            forward: vec![(0, forward)],
            reverse: vec![&case.path.reverse],
        };
        let route = Route {
            connections: vec![connection(&case.path.forward), connection(&fast)],
            expedited_flows: 0,
            mtu_bytes: 1500,
            run_seed: case.seed,
        };
        let bound_ms = |connect, bytes| bound_ns(&route, connect, 0, bytes) / 1_000_000;
        // Handshake and request take 150 ms per connection, then the data crosses both.
        assert_eq!(bound_ms(Connect::Receiver, 1_000_000), 300 + 1000 + 100);
        // The first byte waits for the second handshake, the last byte does not.
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
    fn all_changes_of_the_rate_count() {
        let faster = "[[path.change]]\nat = \"650 ms\"\nrate = \"80 Mbit/s\"\n";
        assert_eq!(bound_ms(faster, 0, 1_000_000), 50 + 650 + 50);
        assert_eq!(bound_ms(faster, 650, 1_000_000), 200 + 100);
        assert_eq!(bound_ms(faster, 0, 400_000), 600);
        let slower = "[[path.change]]\nat = \"650 ms\"\nrate = \"800 kbit/s\"\n";
        assert_eq!(bound_ms(slower, 0, 501_500), 50 + 650);
        assert_eq!(bound_ms(slower, 0, 601_500), 50 + 650 + 1000);
    }

    #[test]
    fn a_random_rate_counts_as_it_is_in_this_run() {
        // 12 kbit at a moment of a Poisson process with 667 of them in a second.
        let poisson_ms = bound_ms("service = \"poisson\"\n", 0, 1_000_000);
        assert!(
            (1100..1300).contains(&poisson_ms) && poisson_ms != 1200,
            "{poisson_ms}"
        );
        let steps = "[path.steps]\nevery = \"100 ms\"\nmin = \"4 Mbit/s\"\n";
        let steps_ms = bound_ms(steps, 0, 1_000_000);
        assert!((1250..2000).contains(&steps_ms), "{steps_ms}");
    }

    #[test]
    fn of_changing_delays_the_present_or_a_shorter_later_one_counts() {
        let shorter = "[[path.change]]\nat = \"120 ms\"\nrtt = \"20 ms\"\n";
        // SYN at 50, SYN-ACK at 100, request at 130 (it can wait until 120), data at 140.
        assert_eq!(bound_ms(shorter, 0, 0), 140);
        assert_eq!(bound_ms(shorter, 120, 0), 40);
        let longer = "[[path.change]]\nat = \"120 ms\"\nrtt = \"200 ms\"\n";
        assert_eq!(bound_ms(longer, 0, 0), 50 + 50 + 50 + 100);
    }
}
