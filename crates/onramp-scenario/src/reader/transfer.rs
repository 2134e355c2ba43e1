//! `[[transfer]]`.

use super::flows::{check_mtu_of_version, Routes};
use super::startup_keys::{
    check_key_of_startup, check_key_of_startups, check_reservation, vary_parameters,
};
use crate::cases::{avoidance_of, startup_of, tcp_of, usual_transfer, TransferDraft};
use crate::keys::transfer::{
    AVOIDANCE, BYTE_COUNTING, CLOCK, CONNECT, CONNECTIONS, COUNT, DSCP, ECN, FROM, GAMMA, HYSTART,
    INITIAL_RATE, INITIAL_SSTHRESH, INITIAL_WINDOW, IP, LABEL, MEMORY, PACE, PLAY, PLAYER_BUFFER,
    QOS_BURST, QOS_RATE, RECOVERY, REPEAT, REQUESTS, SEARCH, SEGMENT, SIZE, SPACING, SPLIT,
    SPLIT_BUFFER, SPLIT_RATE, STACK, START, STARTUP, THINK, TICK, TIMERS, TO, TRAIN, TRANSPORT,
    WINDOW_SCALING, WITHOUT, WRITE, WRITE_EVERY,
};
use crate::mistake::{exclude, refuse, Mistake};
use crate::model::{
    Application, Avoidance, Clocks, Connect, Connections, Pace, PlayerKeys, Requests, Split,
    Transfer, NO_STARTUP,
};
use onramp_config::document::{Reader, Section};
use onramp_config::units::{format_size, format_time};
use onramp_tcp::{IpVersion, Stack};

/// Makes the lists of keys factors of the cross product, each with the field that it sets, and the
/// value that a transfer has otherwise if that depends on its stack.
macro_rules! vary {
    (@ $draft:ident, $values:expr, $($field:ident).+) => {
        $draft.vary($values, |one, value| one.$($field).+ = value.into())
    };
    (@ $draft:ident, $values:expr, $($field:ident).+, $usual:expr) => {
        $draft.vary_or($values, $usual, |one, value| one.$($field).+ = value.into())
    };
    ($draft:ident, $reader:ident, $section:ident:
     $($key:ident => $($field:ident).+ $(, or $usual:expr)?;)*) => {
        $(vary!(@ $draft, $reader.list($section, &$key), $($field).+ $(, $usual)?);)*
    };
}

/// Reads a `[[transfer]]` table. The order of the keys with lists is the order of the cases.
pub(super) fn read_transfer(
    reader: &mut Reader,
    routes: &Routes,
    section: &Section,
) -> Option<TransferDraft> {
    let count = reader.one(section, &COUNT);
    let ends = routes.read_ends(reader, section, [&FROM, &TO], count.unwrap_or(1));
    let (from, to) = ends.unwrap_or_default();
    let mtus_bytes = routes.mtus_bytes(&from, &to, count.unwrap_or(1));
    let common = read_common(reader, routes, section, (&from, &to), count);
    let repeat = reader.one(section, &REPEAT);

    let common = common.unwrap_or_else(usual_transfer);
    let mut draft = TransferDraft::new(common, repeat.unwrap_or(1));
    let sizes = reader.list(section, &SIZE);
    draft.least_bytes = sizes.iter().flatten().map(|size| size.mean_bytes()).min();
    let are_drawn = sizes
        .iter()
        .flatten()
        .any(|size| size.distribution().is_some());
    draft.vary(sizes, |one, size| {
        one.size_bytes = size.mean_bytes();
        one.sizes = size.distribution();
    });
    draft.vary(read_versions(reader, section, mtus_bytes), |one, ip| {
        one.ip = ip
    });
    draft.vary(read_segments(reader, section, mtus_bytes), |one, bytes| {
        one.segment_bytes = bytes
    });
    vary! { draft, reader, section: TRANSPORT => transport; }
    let stacks = vary_stack(reader, section, &mut draft);
    vary_startup(reader, section, &mut draft);
    vary_congestion_control(reader, section, &mut draft, &stacks);
    let connections = reader.list(section, &CONNECTIONS);
    let requests = read_requests(reader, section, &draft, connections.as_deref());
    draft.common.requests = requests;
    if are_drawn && requests.is_some() {
        let only = "sizes that are not drawn";
        refuse(reader, section, REQUESTS.name(), only, "a distribution");
    }
    draft.vary(connections, |one, connections| {
        one.connections = connections
    });
    vary! { draft, reader, section: DSCP => dscp; }
    Some(draft)
}

/// The keys of the sender's TCP and its host. Returns the stacks.
fn vary_stack(reader: &mut Reader, section: &Section, draft: &mut TransferDraft) -> Vec<Stack> {
    let stacks = reader.list(section, &STACK);
    draft.vary(stacks.clone(), |one, stack| one.stack = stack);
    vary! { draft, reader, section:
        WINDOW_SCALING => window_scaling, or |one| tcp_of(one.stack).window_scaling;
        ECN => ecn;
        RECOVERY => recovery, or |one| tcp_of(one.stack).recovery;
        TIMERS => timers, or |one| tcp_of(one.stack).timers;
        CLOCK => clocks.clock_ns, or |one| Clocks::of(one.stack).clock_ns;
        TICK => clocks.tick_ns, or |one| Clocks::of(one.stack).tick_ns;
    }
    stacks.unwrap_or_default()
}

/// The start-up and its parameters.
fn vary_startup(reader: &mut Reader, section: &Section, draft: &mut TransferDraft) {
    let startups = reader.list(section, &STARTUP);
    let names = startups.clone();
    let chosen = startups.as_deref();
    let gamma = ("gamma", "start-up `gamma`");
    check_key_of_startup(reader, section, &GAMMA, gamma, chosen);
    let spaced = ("spaced", "start-up `spaced`");
    check_key_of_startup(reader, section, &PACE, spaced, chosen);
    check_reservation(reader, section, &QOS_RATE, &QOS_BURST, chosen);
    let onramp = ("onramp", "start-up `onramp`");
    check_key_of_startup(reader, section, &WITHOUT, onramp, chosen);
    let search = ("search", "start-up `search`");
    check_key_of_startup(reader, section, &SEARCH, search, chosen);
    let has_hystart = |startup: &str| [NO_STARTUP, "standard"].contains(&startup);
    let only = "start-ups `none` and `standard`";
    check_key_of_startups(reader, section, &HYSTART, only, has_hystart, chosen);
    let sends_early = onramp_core::sends_early;
    check_key_of_startups(
        reader,
        section,
        &INITIAL_RATE,
        onramp.1,
        sends_early,
        chosen,
    );
    let (only, resumes) = ("start-up `onramp`", onramp_core::resumes);
    check_key_of_startups(reader, section, &MEMORY, only, resumes, chosen);

    draft.vary_or(
        startups,
        |one| startup_of(one.stack).to_owned(),
        |one, startup| one.startup = startup,
    );
    vary! { draft, reader, section:
        GAMMA => given.gamma_ppm;
        PACE => given.pace_bits_per_s;
        INITIAL_RATE => given.initial_rate;
        QOS_RATE => given.qos_rate_bits_per_s;
        QOS_BURST => given.qos_burst_bytes;
        WITHOUT => given.without;
        SEARCH => given.search;
    }
    draft.vary(reader.list(section, &HYSTART), |one, is_on| {
        one.given.hystart_is_off = !is_on
    });
    vary! { draft, reader, section: MEMORY => memory; }
    vary_parameters(reader, section, names.as_deref(), draft);
}

/// The growth of the window.
fn vary_congestion_control(
    reader: &mut Reader,
    section: &Section,
    draft: &mut TransferDraft,
    stacks: &[Stack],
) {
    vary! { draft, reader, section:
        BYTE_COUNTING => byte_counting, or |one| tcp_of(one.stack).byte_counting;
    }
    let avoidances = reader.list(section, &AVOIDANCE);
    let usual = || stacks.iter().map(|stack| avoidance_of(*stack)).collect();
    let chosen: Vec<_> = avoidances.clone().unwrap_or_else(usual);
    if let Some(other) = chosen.iter().find(|one| **one != Avoidance::Cubic) {
        let only = "avoidance `cubic`";
        refuse(reader, section, HYSTART.name(), only, other.name());
    }
    draft.vary_or(
        avoidances,
        |one| avoidance_of(one.stack),
        |one, avoidance| one.avoidance = avoidance,
    );
    vary! { draft, reader, section: INITIAL_WINDOW => initial_window; }
}

/// The keys that take no list.
fn read_common(
    reader: &mut Reader,
    routes: &Routes,
    section: &Section,
    (from, to): (&[usize], &[usize]),
    count: Option<u32>,
) -> Option<Transfer> {
    let label = reader.one(section, &LABEL);
    let connect = reader.one(section, &CONNECT);
    let train = reader.one(section, &TRAIN);
    let initial_ssthresh_bytes = reader.one(section, &INITIAL_SSTHRESH);
    let start_ns = reader.one(section, &START);
    let spacing = reader.one(section, &SPACING);
    let application = read_application(reader, section);
    let split = match from.is_empty() {
        // The ends are wrong, and so is every relay between them.
        true => None,
        false => read_split(reader, routes, section, (from, to), count.unwrap_or(1)),
    };
    Some(Transfer {
        label: label.unwrap_or_default().into(),
        connect: connect?,
        train: train?,
        initial_ssthresh_bytes,
        from: from.into(),
        to: to.into(),
        split,
        count: count?,
        start_ns: start_ns?,
        spacing: spacing?,
        application,
        ..usual_transfer()
    })
}

/// The writes of the application. Writes of a list may be alike.
fn read_application(reader: &mut Reader, section: &Section) -> Option<Application> {
    let writes = reader.entries(section, &WRITE);
    let times = reader.entries(section, &WRITE_EVERY);
    reader.need(section, &WRITE, &WRITE_EVERY);
    reader.need(section, &WRITE_EVERY, &WRITE);
    (!writes.is_empty() && !times.is_empty()).then(|| Application {
        write_bytes: writes.into_iter().map(|(bytes, _)| bytes).collect(),
        every_ns: times.into_iter().map(|(time_ns, _)| time_ns).collect(),
    })
}

/// The requests of a table; `None`: one, or a key is wrong, which is noted.
fn read_requests(
    reader: &mut Reader,
    section: &Section,
    draft: &TransferDraft,
    connections: Option<&[Connections]>,
) -> Option<Requests> {
    let count = reader.one(section, &REQUESTS);
    let think = reader.one(section, &THINK);
    let segment_ns = reader.one(section, &PLAY);
    let buffer_ns = reader.one(section, &PLAYER_BUFFER);
    if count == Some(1) {
        for key in [THINK.name(), PLAY.name()] {
            let only = "transfers with several `requests`";
            refuse(reader, section, key, only, "1 request");
        }
    }
    reader.need(section, &PLAYER_BUFFER, &PLAY);
    let connections = connections.unwrap_or_default();
    if count == Some(1) && connections.contains(&Connections::Multiplexed) {
        reader.need(section, &CONNECTIONS, &REQUESTS);
    }
    let count = count.filter(|count| *count > 1)?;
    exclude(reader, section, REQUESTS.name(), WRITE.name());
    exclude(reader, section, REQUESTS.name(), SPLIT.name());
    exclude(reader, section, PLAY.name(), THINK.name());
    let mut refuse = |key, only, chosen: &str| refuse(reader, section, key, only, chosen);
    if draft.common.connect == Connect::Sender {
        let only = "transfers whose receiver connects";
        refuse(REQUESTS.name(), only, Connect::Sender.name());
    }
    if connections.contains(&Connections::Adaptive) {
        refuse(REQUESTS.name(), "a number of connections", "adaptive");
    }
    if connections.iter().any(|number| *number != Connections::ONE) {
        refuse(THINK.name(), "one connection", "connections");
        refuse(PLAY.name(), "one connection", "connections");
    }
    if let Some(bytes) = draft.least_bytes.filter(|bytes| *bytes < u64::from(count)) {
        let only = "sizes of a byte or more for each request";
        refuse(REQUESTS.name(), only, &format_size(bytes));
    }
    let pace = match (segment_ns, buffer_ns?) {
        (None, _) => Pace::Think(think?),
        (Some(segment_ns), buffer_ns) => {
            if buffer_ns < 2 * segment_ns {
                let only = "segments of at most half of its duration";
                refuse(PLAYER_BUFFER.name(), only, &format_time(segment_ns));
            }
            Pace::Play(PlayerKeys {
                segment_ns,
                buffer_ns,
            })
        }
    };
    Some(Requests { count, pace })
}

/// The IP versions of a table.
fn read_versions(
    reader: &mut Reader,
    section: &Section,
    mtus_bytes: Option<(u32, u32)>,
) -> Option<Vec<IpVersion>> {
    let versions = reader.list(section, &IP)?;
    let min_mtu_bytes = mtus_bytes.map(|(min_bytes, _)| min_bytes);
    for ip in &versions {
        check_mtu_of_version(reader, section, &IP, *ip, min_mtu_bytes);
    }
    Some(versions)
}

/// Sizes of packets that all routes take. `None` in the list is the MTU of each route, which has no
/// number where routes differ.
fn read_segments(
    reader: &mut Reader,
    section: &Section,
    mtus_bytes: Option<(u32, u32)>,
) -> Option<Vec<Option<u32>>> {
    let sizes_bytes = reader.list(section, &SEGMENT)?;
    let (min_mtu_bytes, max_mtu_bytes) = mtus_bytes?;
    let mut segments = Vec::new();
    for bytes in sizes_bytes {
        if bytes > u64::from(min_mtu_bytes) {
            let mistake = Mistake::LargePacket {
                key: section.path_of(&SEGMENT),
                found: format_size(bytes),
                mtu: format_size(min_mtu_bytes.into()),
            };
            reader.fault(mistake, section.span(SEGMENT.name()));
        }
        let is_mtu = min_mtu_bytes == max_mtu_bytes && bytes == u64::from(min_mtu_bytes);
        segments.push((!is_mtu).then_some(bytes as u32));
    }
    Some(segments)
}

/// The relays of a table; `None`: the connection is not split, or a key is wrong, which is noted.
fn read_split(
    reader: &mut Reader,
    routes: &Routes,
    section: &Section,
    ends: (&[usize], &[usize]),
    count: u32,
) -> Option<Split> {
    let buffer_bytes = reader.one(section, &SPLIT_BUFFER);
    let rate_bits_per_s = reader.one(section, &SPLIT_RATE);
    reader.need(section, &SPLIT_BUFFER, &SPLIT);
    reader.need(section, &SPLIT_RATE, &SPLIT);
    let nodes = routes.read_split(reader, section, ends, count)?;
    Some(Split {
        nodes: nodes.into(),
        buffer_bytes: buffer_bytes?,
        rate_bits_per_s,
    })
}
