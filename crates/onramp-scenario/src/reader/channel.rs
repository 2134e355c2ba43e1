//! The keys of a channel: the same for `[path]`, `[[link]]` and their reverse directions.

use super::values::{boolean, word};
use crate::document::{integer, quantity, Reader, Section};
use crate::keys::{ChannelKeys, Key};
use crate::topology::{DisciplineDraft, Elements};
use crate::units::{
    format_rate, format_size, parse_packets, parse_percent, parse_rate, parse_size, parse_time,
};
use crate::{Aggregation, Bursts, CoDel, FqCoDel, Jitter, Mistake, QueueLimit, TokenBucket};
use std::num::NonZeroU32;

/// Names of the queue disciplines, in the order in which help texts list them.
pub(crate) const DISCIPLINES: &[&str] = &["drop-tail", "red", "codel", "fq-codel"];

/// The queue of a table that gives none.
const USUAL_QUEUE: QueueLimit = QueueLimit::BdpPpm(1_000_000);
/// The same with `fq-codel`: RFC 8290, section 5.2.3.
const FQ_CODEL_QUEUE: QueueLimit = QueueLimit::Packets(10_240);

/// A channel as a table has it; `None` where it follows another.
pub(super) struct ChannelDraft {
    pub rates: Option<Vec<u64>>,
    pub queues: Option<Vec<QueueLimit>>,
    pub losses: Vec<u32>,
    pub elements: Elements,
}

/// Reads the channel of a table. `followed` are the queues it has if it gives none.
pub(super) fn read_channel(
    reader: &mut Reader,
    section: &Section,
    keys: &'static ChannelKeys,
    mtu_bytes: u32,
    followed: Option<&[QueueLimit]>,
) -> Option<ChannelDraft> {
    let rates = reader.list(section, &keys.rate, &quantity(parse_rate));
    let discipline = reader.one(section, &keys.discipline, &word(DISCIPLINES));
    let ack_filter = read_ack_filter(reader, section, keys, discipline);
    let queues = read_queues(reader, section, keys, discipline, followed.is_some());
    let losses = reader.list(section, &keys.loss, &quantity(parse_percent));
    let used = queues.as_deref().or(followed).unwrap_or(&[]);
    let discipline = read_discipline(reader, section, keys, mtu_bytes, discipline, used);
    let bursts = read_bursts(reader, section, keys);
    let loss_every = read_loss_every(reader, section, keys);
    let duplicate = reader.one(section, &keys.duplicate, &quantity(parse_percent));
    let jitter = read_jitter(reader, section, keys);
    let aggregation = read_aggregation(reader, section, keys);
    let shaper = read_bucket(
        reader,
        section,
        [&keys.shaper_rate, &keys.shaper_burst],
        mtu_bytes,
    );
    let policer = read_bucket(
        reader,
        section,
        [&keys.policer_rate, &keys.policer_burst],
        mtu_bytes,
    );
    let expedited = read_bucket(reader, section, [&keys.ef_rate, &keys.ef_burst], mtu_bytes);
    let elements = Elements {
        discipline: discipline?,
        ack_filter: ack_filter?,
        loss_every,
        bursts,
        duplicate_ppm: duplicate?,
        jitter,
        aggregation,
        shaper,
        policer,
        expedited,
    };
    Some(ChannelDraft {
        rates,
        queues,
        losses: losses?,
        elements,
    })
}

/// The queues of a table, and those of its discipline where it gives none; `None` also where they
/// follow another's.
fn read_queues(
    reader: &mut Reader,
    section: &Section,
    keys: &'static ChannelKeys,
    discipline: Option<&str>,
    follows: bool,
) -> Option<Vec<QueueLimit>> {
    match discipline {
        _ if section.has(keys.queue.name) => {
            reader.list(section, &keys.queue, &quantity(str::parse))
        }
        Some("fq-codel") => Some(vec![FQ_CODEL_QUEUE]),
        _ if follows => None,
        _ => Some(vec![USUAL_QUEUE]),
    }
}

fn read_discipline(
    reader: &mut Reader,
    section: &Section,
    keys: &'static ChannelKeys,
    mtu_bytes: u32,
    name: Option<&'static str>,
    queues: &[QueueLimit],
) -> Option<DisciplineDraft> {
    let red = reader.table(section, &keys.tables.red);
    let min = reader.one(&red, &keys.red_min, &quantity(str::parse));
    let max = reader.one(&red, &keys.red_max, &quantity(str::parse));
    let probability = reader.one(&red, &keys.red_probability, &quantity(parse_percent));
    let weight = reader.one(&red, &keys.red_weight, &quantity(parse_percent));
    let gentle = reader.one(&red, &keys.red_gentle, &boolean);
    let codel = reader.table(section, &keys.tables.codel);
    let target = reader.one(&codel, &keys.codel_target, &quantity(parse_time));
    let interval = reader.one(&codel, &keys.codel_interval, &quantity(parse_time));
    let quantum = reader.one(&codel, &keys.codel_quantum, &quantity(parse_size));

    let name = name?;
    let not_for = |key: String, only| Mistake::NotFor {
        key,
        only,
        chosen: name.to_owned(),
    };
    if section.has("red") && name != "red" {
        reader.fault(
            not_for(keys.tables.red.name.to_owned(), "discipline `red`"),
            red.header.clone(),
        );
    }
    if section.has("codel") && !matches!(name, "codel" | "fq-codel") {
        let only = "the disciplines `codel` and `fq-codel`";
        reader.fault(
            not_for(keys.tables.codel.name.to_owned(), only),
            codel.header.clone(),
        );
    } else if codel.has("quantum") && name == "codel" {
        reader.fault(
            not_for(keys.codel_quantum.path(), "discipline `fq-codel`"),
            codel.span("quantum"),
        );
    }
    let law = CoDel {
        target_ns: target?,
        interval_ns: interval?,
        mtu_bytes,
    };
    match name {
        "red" => {
            check_red(reader, &red, keys, min, max, queues);
            let (probability_ppm, weight_ppm) = (probability?, weight?);
            Some(DisciplineDraft::Red {
                min,
                max,
                probability_ppm,
                weight_ppm,
                gentle: gentle?,
            })
        }
        "codel" => Some(DisciplineDraft::CoDel(law)),
        "fq-codel" => {
            if let Some(queue) = queues
                .iter()
                .find(|queue| !matches!(queue, QueueLimit::Packets(_)))
            {
                let mistake = Mistake::NotInPackets {
                    key: keys.queue.path(),
                    found: queue.to_string(),
                };
                reader.fault(mistake, section.span("queue"));
            }
            Some(DisciplineDraft::FqCoDel(FqCoDel {
                codel: law,
                quantum_bytes: u32::try_from(quantum?).ok()?,
            }))
        }
        _ => Some(DisciplineDraft::DropTail),
    }
}

fn read_ack_filter(
    reader: &mut Reader,
    section: &Section,
    keys: &'static ChannelKeys,
    discipline: Option<&str>,
) -> Option<bool> {
    let ack_filter = reader.one(section, &keys.ack_filter, &boolean)?;
    if let Some(chosen) = discipline.filter(|name| ack_filter && *name != "drop-tail") {
        let (key, only) = (keys.ack_filter.path(), "discipline `drop-tail`");
        let mistake = Mistake::NotFor {
            key,
            only,
            chosen: chosen.to_owned(),
        };
        reader.fault(mistake, section.span(keys.ack_filter.name));
    }
    Some(ack_filter)
}

fn check_red(
    reader: &mut Reader,
    red: &Section,
    keys: &'static ChannelKeys,
    min: Option<QueueLimit>,
    max: Option<QueueLimit>,
    queues: &[QueueLimit],
) {
    for (key, threshold) in [(&keys.red_min, min), (&keys.red_max, max)] {
        let differs =
            |threshold: QueueLimit| queues.iter().any(|queue| !in_one_unit(threshold, *queue));
        if threshold.is_some_and(differs) {
            let mistake = Mistake::OtherUnit {
                key: key.path(),
                queue: keys.queue.path(),
            };
            return reader.fault(mistake, red.span(key.name));
        }
    }
    let (Some(min), smallest) = (
        min,
        queues.iter().copied().min_by_key(|queue| amount(*queue)),
    ) else {
        return;
    };
    let upper = max.map(|max| (keys.red_max.path(), amount(max), max.to_string()));
    let quarter = || {
        smallest.map(|queue| {
            (
                format!("{} / 4", keys.queue.path()),
                amount(queue) / 4,
                format!("{queue} / 4"),
            )
        })
    };
    let Some((other, most, shown)) = upper.or_else(quarter) else {
        return;
    };
    if amount(min) >= most {
        let mistake = Mistake::NotBelow {
            key: keys.red_min.path(),
            found: min.to_string(),
            other,
            most: shown,
        };
        reader.fault(mistake, red.span("min"));
    }
}

fn in_one_unit(a: QueueLimit, b: QueueLimit) -> bool {
    std::mem::discriminant(&a) == std::mem::discriminant(&b)
}

/// In its own unit.
fn amount(queue: QueueLimit) -> u64 {
    match queue {
        QueueLimit::Packets(packets) => u64::from(packets),
        QueueLimit::Bytes(amount) | QueueLimit::BdpPpm(amount) => amount,
    }
}

fn read_bursts(
    reader: &mut Reader,
    section: &Section,
    keys: &'static ChannelKeys,
) -> Option<Bursts> {
    let bursts = reader.table(section, &keys.tables.bursts);
    let enter = reader.one(&bursts, &keys.bursts_enter, &quantity(parse_percent));
    let leave = reader.one(&bursts, &keys.bursts_leave, &quantity(parse_percent));
    let good = reader.one(&bursts, &keys.bursts_loss_good, &quantity(parse_percent));
    let bad = reader.one(&bursts, &keys.bursts_loss_bad, &quantity(parse_percent));
    if !section.has("bursts") {
        return None;
    }
    if section.has("loss") {
        let (key, other) = (keys.tables.bursts.name.to_owned(), keys.loss.path());
        let mistake = Mistake::Excludes {
            key,
            other,
            other_at: section.span("loss"),
        };
        reader.fault(mistake, bursts.header.clone());
    }
    Some(Bursts {
        enter_ppm: enter?,
        leave_ppm: leave?,
        loss_good_ppm: good?,
        loss_bad_ppm: bad?,
    })
}

fn read_loss_every(
    reader: &mut Reader,
    section: &Section,
    keys: &'static ChannelKeys,
) -> Option<NonZeroU32> {
    let every = reader.one(section, &keys.loss_every, &quantity(parse_packets));
    let rivals = [
        ("loss", keys.loss.path()),
        ("bursts", keys.tables.bursts.name.to_owned()),
    ];
    for (name, other) in rivals
        .into_iter()
        .filter(|(name, _)| section.has("loss_every") && section.has(name))
    {
        let mistake = Mistake::Excludes {
            key: keys.loss_every.path(),
            other,
            other_at: section.span(name),
        };
        reader.fault(mistake, section.span("loss_every"));
    }
    NonZeroU32::new(u32::try_from(every?).ok()?)
}

fn read_jitter(
    reader: &mut Reader,
    section: &Section,
    keys: &'static ChannelKeys,
) -> Option<Jitter> {
    let most_ns = reader.one(section, &keys.jitter, &quantity(parse_time));
    let reorder = reader.one(section, &keys.reorder, &boolean);
    need(reader, section, &keys.reorder, &keys.jitter);
    Some(Jitter {
        max_ns: most_ns?,
        reorder: reorder?,
    })
}

fn read_aggregation(
    reader: &mut Reader,
    section: &Section,
    keys: &'static ChannelKeys,
) -> Option<Aggregation> {
    let interval_ns = reader.one(section, &keys.aggregate, &quantity(parse_time));
    let most_packets = reader.one(section, &keys.aggregate_most, &integer::<u32>);
    need(reader, section, &keys.aggregate_most, &keys.aggregate);
    Some(Aggregation {
        interval_ns: interval_ns?,
        most_packets: most_packets?,
    })
}

fn read_bucket(
    reader: &mut Reader,
    section: &Section,
    [rate_key, burst_key]: [&'static Key; 2],
    mtu_bytes: u32,
) -> Option<TokenBucket> {
    let rate_bits_per_s = reader.one(section, rate_key, &quantity(parse_rate));
    let burst_bytes = reader.one(section, burst_key, &quantity(parse_size));
    need(reader, section, rate_key, burst_key);
    need(reader, section, burst_key, rate_key);
    let bucket = TokenBucket {
        rate_bits_per_s: rate_bits_per_s?,
        burst_bytes: burst_bytes?,
    };
    if bucket.burst_bytes < u64::from(mtu_bytes) {
        let (found, mtu) = (
            format_size(bucket.burst_bytes),
            format_size(u64::from(mtu_bytes)),
        );
        reader.fault(
            Mistake::SmallBurst {
                key: burst_key.path(),
                found,
                mtu,
            },
            section.span(burst_key.name),
        );
    }
    Some(bucket)
}

/// Refuses to guarantee each flow more than a channel carries that has one of these rates.
pub(super) fn check_guarantee(
    reader: &mut Reader,
    section: &Section,
    keys: &'static ChannelKeys,
    channel: Option<&ChannelDraft>,
    rates: Option<&[u64]>,
) {
    let guaranteed = channel
        .and_then(|channel| channel.elements.expedited)
        .map(|profile| profile.rate_bits_per_s);
    let (Some(guaranteed), Some(least)) =
        (guaranteed, rates.unwrap_or_default().iter().copied().min())
    else {
        return;
    };
    if guaranteed > least {
        let [found, rate] = [guaranteed, least].map(format_rate);
        reader.fault(
            Mistake::LargeGuarantee {
                key: keys.ef_rate.path(),
                found,
                rate,
            },
            section.span(keys.ef_rate.name),
        );
    }
}

/// Refuses a key that is given without another.
pub(super) fn need(reader: &mut Reader, section: &Section, key: &Key, other: &Key) {
    if section.has(key.name) && !section.has(other.name) {
        let mistake = Mistake::NeedsOther {
            key: key.path(),
            other: other.path(),
        };
        reader.fault(mistake, section.span(key.name));
    }
}
