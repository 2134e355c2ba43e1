//! `discipline`: how the queue is kept, with the tables `red`, `codel` and `dualpi2`.

use super::limits::{PROBABILITIES, QUEUES};
use super::parameter::{ChannelSource, LinkContext, Parameter};
use super::queue_limit::{Queue, QueueLimit};
use crate::mistake::{refuse, Mistake};
use onramp_config::document::Section;
use onramp_config::key::{
    choice_kinds, keys, AnyKey, Boolean, Fallback, Integer, Percent, Size, Table, Time,
};
use onramp_config::units::{format_percent, format_size, format_time};
use onramp_net::{
    CoDelConfig, Config, DualPi2Config, FqCoDelConfig, Limit, QueueConfig, RedConfig,
};

const DROP_TAIL: &str = "drop-tail";
const RED: &str = "red";
const CODEL: &str = "codel";
pub(super) const FQ_CODEL: &str = "fq-codel";
const DUALPI2: &str = "dualpi2";

/// The names of the disciplines, in the order of the reference.
const NAMES: [&str; 5] = [DROP_TAIL, RED, CODEL, FQ_CODEL, DUALPI2];

choice_kinds! {
    /// The name of a queue discipline.
    DisciplineName: &'static str, "discipline",
        "the name of a queue discipline in quotes, for example \"codel\"", NAMES, |name| name;
}

keys! { KEYS:
    DISCIPLINE: DisciplineName = "discipline", Fallback::Text(DROP_TAIL),
        "How the queue is kept: {names}.";
    ECN: Boolean = "ecn", Fallback::Text("false"),
        "For `red`, `codel` and `fq-codel`: packets of connections with `ecn` are marked where \
         others are dropped early (RFC 3168). `dualpi2` always marks.";
}

static RED_TABLE: Table = Table {
    keys: RED_KEYS,
    ..Table::one("red", "thresholds of the queue discipline `red`")
};

static CODEL_TABLE: Table = Table {
    keys: CODEL_KEYS,
    ..Table::one(
        "codel",
        "delays of the queue disciplines `codel` and `fq-codel`",
    )
};

static DUALPI2_TABLE: Table = Table {
    keys: DUALPI2_KEYS,
    ..Table::one("dualpi2", "delays of the queue discipline `dualpi2`")
};

keys! { RED_KEYS:
    MIN: Queue = "min", Fallback::Other("`red.max / 3`"), ranges &QUEUES,
        "Average queue below which nothing is dropped early, in the unit of `queue`.";
    MAX: Queue = "max", Fallback::Other("`queue / 4`"), ranges &QUEUES,
        "Average queue at which packets are dropped with `probability`, in the unit of `queue`. \
         If `min` is the same, all packets above are dropped, or marked with `ecn`: the step of \
         DCTCP, with a `weight` of 100 %.";
    PROBABILITY: Percent = "probability", Fallback::Text("10 %"), ranges &[PROBABILITIES],
        "Probability of a drop where the average queue is `max`.";
    WEIGHT: Percent = "weight", Fallback::Text("0.2 %"), ranges &[("0.0001 %", "100 %")],
        "Weight of a new sample in the average, rounded to the nearest power of two.";
    GENTLE: Boolean = "gentle", Fallback::Text("true"),
        "Between `max` and twice `max` the probability rises to one. Otherwise it jumps to one at \
         `max`.";
}

keys! { CODEL_KEYS:
    TARGET: Time = "target", Fallback::Text("5 ms"), ranges &[("1 us", "4 s")],
        "Delay that a standing queue may have, for `codel` and `fq-codel`.";
    INTERVAL: Time = "interval", Fallback::Text("100 ms"), ranges &[("1 us", "4 s")],
        "Time for which the delay of a queue may exceed `target`.";
    QUANTUM: Size = "quantum", Fallback::Text("1514 B"), ranges &[("1 B", "1 GB")],
        "Bytes that each flow may send in its turn, for `fq-codel`.";
}

keys! { DUALPI2_KEYS:
    CLASSIC_TARGET: Time = "target", Fallback::Text("15 ms"), ranges &[("1 us", "4 s")],
        "Delay at which the queue of classic packets is held by drops, or by marks of ECT(0).";
    STEP: Time = "step", Fallback::Text("1 ms"), ranges &[("0 s", "4 s")],
        "Delay above which every packet of the low-latency queue is marked.";
    COUPLING: Integer<u32> = "coupling", Fallback::Text("2"), ranges &[("1", "255")],
        "Coupling factor: a low-latency packet is marked with this factor times the square root of \
         the probability with which a classic packet is dropped.";
}

/// How a queue is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Discipline {
    /// A packet that finds no room is dropped.
    DropTail,
    /// Random early detection.
    Red(Red),
    /// Controlled delay (RFC 8289).
    CoDel(CoDel),
    /// Fair queueing of flows, each with controlled delay (RFC 8290).
    FqCoDel(FqCoDel),
    /// A queue for low latency (L4S) and a classic one, coupled (RFC 9332).
    DualPi2(DualPi2),
}

/// Random early detection (Floyd and Jacobson 1993). Both thresholds count packets or bytes, as the
/// queue's limit does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Red {
    /// Average queue below which nothing is dropped early; `None`: a third of `max`.
    pub min: Option<QueueLimit>,
    /// Average queue at which the probability of a drop is `probability_ppm`; `None`: a quarter of
    /// the queue.
    pub max: Option<QueueLimit>,
    /// Probability of a drop at the upper threshold, in millionths.
    pub probability_ppm: u32,
    /// Weight of a new sample in the average, in millionths.
    pub weight_ppm: u32,
    /// The probability rises from the upper threshold to one at twice that threshold, instead of
    /// at once.
    pub gentle: bool,
    /// Packets of connections with ECN are marked instead of dropped early.
    pub ecn: bool,
}

impl Red {
    /// The lower and the upper threshold of a queue with this limit.
    pub fn thresholds(&self, queue: QueueLimit) -> (QueueLimit, QueueLimit) {
        let max = self.max.unwrap_or_else(|| queue.divided(4, 1));
        (self.min.unwrap_or_else(|| max.divided(3, 0)), max)
    }
}

/// Controlled delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoDel {
    /// Delay that a standing queue may have.
    pub target_ns: u64,
    /// Time for which the delay of a queue may exceed the target.
    pub interval_ns: u64,
    /// Bytes that may always wait: one packet.
    pub mtu_bytes: u32,
    /// Packets of connections with ECN are marked instead of dropped.
    pub ecn: bool,
}

/// Fair queueing with controlled delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FqCoDel {
    /// Controlled delay of each flow's queue.
    pub codel: CoDel,
    /// Bytes that a flow may send before it is the next flow's turn.
    pub quantum_bytes: u32,
}

/// The dual queue of L4S.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DualPi2 {
    /// Delay at which the classic queue is held.
    pub target_ns: u64,
    /// Delay above which every packet of the low-latency queue is marked.
    pub step_ns: u64,
    /// Coupling factor of the two queues.
    pub coupling: u32,
    /// Size of the largest packet.
    pub mtu_bytes: u32,
}

pub(crate) struct QueueDiscipline;

impl Parameter for QueueDiscipline {
    type Value = Discipline;
    const KEYS: &'static [&'static dyn AnyKey] = KEYS;
    const TABLES: &'static [&'static Table] = &[&RED_TABLE, &CODEL_TABLE, &DUALPI2_TABLE];

    fn read(source: &mut ChannelSource<'_, '_>) -> Vec<Discipline> {
        source.discipline = source.one(&DISCIPLINE);
        let red_table = source.table(&RED_TABLE);
        let codel_table = source.table(&CODEL_TABLE);
        let dualpi2_table = source.table(&DUALPI2_TABLE);
        let ecn = source.one(&ECN);
        let dualpi2 = read_dualpi2(source, &dualpi2_table);
        let red = read_red(source, &red_table, ecn);
        let codel = read_codel(source, &codel_table, ecn);
        let quantum_bytes = source.reader.one(&codel_table, &QUANTUM);
        let Some(name) = source.discipline else {
            return Vec::new();
        };
        refuse_tables_of_others(source, [&red_table, &codel_table, &dualpi2_table], name);
        refuse_ecn_without_marks(source, name, ecn);
        let discipline = match name {
            RED => {
                check_thresholds(source, &red_table, red);
                red.map(Discipline::Red)
            }
            CODEL => codel.map(Discipline::CoDel),
            FQ_CODEL => {
                check_unit_of_fq_codel(source);
                let quantum_bytes = quantum_bytes.and_then(|bytes| u32::try_from(bytes).ok());
                codel.zip(quantum_bytes).map(|(codel, quantum_bytes)| {
                    Discipline::FqCoDel(FqCoDel {
                        codel,
                        quantum_bytes,
                    })
                })
            }
            DUALPI2 => dualpi2.map(Discipline::DualPi2),
            _ => Some(Discipline::DropTail),
        };
        discipline.into_iter().collect()
    }

    fn describe(discipline: &Discipline, queue: QueueLimit) -> Option<String> {
        match *discipline {
            Discipline::DropTail => None,
            Discipline::Red(red) => {
                let (min, max) = red.thresholds(queue);
                let [probability, weight] =
                    [red.probability_ppm, red.weight_ppm].map(format_percent);
                let gentle = if red.gentle { "" } else { " not gentle" };
                let ecn = ecn_word(red.ecn);
                if min == max {
                    return Some(format!("red at {max} weight {weight}{ecn}"));
                }
                Some(format!(
                    "red {min}–{max} {probability} weight {weight}{gentle}{ecn}"
                ))
            }
            Discipline::CoDel(codel) => {
                let ecn = ecn_word(codel.ecn);
                Some(format!("codel{}{ecn}", delays(codel)))
            }
            Discipline::FqCoDel(fq) => {
                let (delays, ecn) = (delays(fq.codel), ecn_word(fq.codel.ecn));
                Some(match fq.quantum_bytes {
                    USUAL_QUANTUM_BYTES => format!("fq-codel{delays}{ecn}"),
                    bytes => {
                        let quantum = format_size(bytes.into());
                        format!("fq-codel{delays} quantum {quantum}{ecn}")
                    }
                })
            }
            Discipline::DualPi2(dual) => Some(dual_words(dual)),
        }
    }

    fn configure(discipline: &Discipline, context: &LinkContext, config: &mut Config) {
        let limit = context.limit(context.queue);
        config.queue = match discipline {
            Discipline::DropTail => QueueConfig::DropTail(limit),
            Discipline::Red(red) => QueueConfig::Red(red_config(red, limit, context)),
            Discipline::CoDel(codel) => QueueConfig::CoDel(CoDelConfig {
                target_ns: codel.target_ns,
                interval_ns: codel.interval_ns,
                mtu_bytes: codel.mtu_bytes,
                limit,
                ecn: codel.ecn,
            }),
            Discipline::FqCoDel(fq) => QueueConfig::FqCoDel(FqCoDelConfig {
                target_ns: fq.codel.target_ns,
                interval_ns: fq.codel.interval_ns,
                mtu_bytes: fq.codel.mtu_bytes,
                quantum_bytes: fq.quantum_bytes,
                limit_packets: packets(limit, fq.codel.mtu_bytes).max(1),
                ecn: fq.codel.ecn,
                ..FqCoDelConfig::default()
            }),
            Discipline::DualPi2(dual) => QueueConfig::DualPi2(DualPi2Config {
                limit,
                target_ns: dual.target_ns,
                step_ns: dual.step_ns,
                coupling: dual.coupling,
                mtu_bytes: dual.mtu_bytes,
                ..DualPi2Config::default()
            }),
        };
    }
}

/// The default of `codel.quantum`.
const USUAL_QUANTUM_BYTES: u32 = 1514;
/// The default of `codel.target`.
const USUAL_TARGET_NS: u64 = 5_000_000;
/// The default of `codel.interval`.
const USUAL_INTERVAL_NS: u64 = 100_000_000;

/// The word of a queue that marks.
fn ecn_word(ecn: bool) -> &'static str {
    match ecn {
        true => " ECN",
        false => "",
    }
}

/// Target and interval, unless they are the defaults.
fn delays(codel: CoDel) -> String {
    match (codel.target_ns, codel.interval_ns) {
        (USUAL_TARGET_NS, USUAL_INTERVAL_NS) => String::new(),
        (target_ns, interval_ns) => {
            let [target, interval] = [target_ns, interval_ns].map(format_time);
            format!(" {target} in {interval}")
        }
    }
}

/// The name, and what differs from the defaults.
fn dual_words(dual: DualPi2) -> String {
    let usual = DualPi2Config::default();
    let mut words = DUALPI2.to_owned();
    if (dual.target_ns, dual.step_ns) != (usual.target_ns, usual.step_ns) {
        let [target, step] = [dual.target_ns, dual.step_ns].map(format_time);
        words += &format!(" {target} step {step}");
    }
    if dual.coupling != usual.coupling {
        words += &format!(" coupling {}", dual.coupling);
    }
    words
}

fn read_dualpi2(source: &mut ChannelSource<'_, '_>, table: &Section) -> Option<DualPi2> {
    let target_ns = source.reader.one(table, &CLASSIC_TARGET);
    let step_ns = source.reader.one(table, &STEP);
    let coupling = source.reader.one(table, &COUPLING);
    Some(DualPi2 {
        target_ns: target_ns?,
        step_ns: step_ns?,
        coupling: coupling?,
        mtu_bytes: source.mtu_bytes,
    })
}

fn read_red(source: &mut ChannelSource<'_, '_>, table: &Section, ecn: Option<bool>) -> Option<Red> {
    let min = source.reader.one(table, &MIN);
    let max = source.reader.one(table, &MAX);
    let probability_ppm = source.reader.one(table, &PROBABILITY);
    let weight_ppm = source.reader.one(table, &WEIGHT);
    let gentle = source.reader.one(table, &GENTLE);
    Some(Red {
        min,
        max,
        probability_ppm: probability_ppm?,
        weight_ppm: weight_ppm?,
        gentle: gentle?,
        ecn: ecn?,
    })
}

fn read_codel(
    source: &mut ChannelSource<'_, '_>,
    table: &Section,
    ecn: Option<bool>,
) -> Option<CoDel> {
    let target_ns = source.reader.one(table, &TARGET);
    let interval_ns = source.reader.one(table, &INTERVAL);
    Some(CoDel {
        target_ns: target_ns?,
        interval_ns: interval_ns?,
        mtu_bytes: source.mtu_bytes,
        ecn: ecn?,
    })
}

/// Refuses `ecn` with `drop-tail`, which only drops, and with `dualpi2`, which marks in any case.
fn refuse_ecn_without_marks(source: &mut ChannelSource<'_, '_>, chosen: &str, ecn: Option<bool>) {
    if matches!(chosen, DROP_TAIL | DUALPI2) && ecn == Some(true) {
        let only = "the disciplines `red`, `codel` and `fq-codel`";
        source.refuse(ECN.name(), only, chosen);
    }
}

/// Refuses the tables of disciplines, and `codel.quantum`, with other disciplines than theirs.
fn refuse_tables_of_others(
    source: &mut ChannelSource<'_, '_>,
    [red, codel, dualpi2]: [&Section; 3],
    chosen: &str,
) {
    if red.is_given() && chosen != RED {
        source.refuse(RED_TABLE.name, "discipline `red`", chosen);
    }
    if dualpi2.is_given() && chosen != DUALPI2 {
        source.refuse(DUALPI2_TABLE.name, "discipline `dualpi2`", chosen);
    }
    if codel.is_given() && !matches!(chosen, CODEL | FQ_CODEL) {
        let only = "the disciplines `codel` and `fq-codel`";
        source.refuse(CODEL_TABLE.name, only, chosen);
    } else if chosen == CODEL {
        let only = "discipline `fq-codel`";
        refuse(source.reader, codel, QUANTUM.name(), only, chosen);
    }
}

/// The queue of `fq-codel` counts packets.
fn check_unit_of_fq_codel(source: &mut ChannelSource<'_, '_>) {
    let is_in_packets = |queue: &&QueueLimit| matches!(queue, QueueLimit::Packets(_));
    if let Some(queue) = source.queues.iter().find(|queue| !is_in_packets(queue)) {
        let mistake = Mistake::NotInPackets {
            key: source.section.path_of_name("queue"),
            found: queue.to_string(),
        };
        source.fault("queue", mistake);
    }
}

/// The thresholds of RED have the unit of the queue, and the lower one is at most the upper one.
fn check_thresholds(source: &mut ChannelSource<'_, '_>, table: &Section, red: Option<Red>) {
    let Some(Red { min, max, .. }) = red else {
        return;
    };
    let queue_path = source.section.path_of_name("queue");
    for (key, threshold) in [(&MIN, min), (&MAX, max)] {
        let differs = |threshold: QueueLimit| {
            let mut queues = source.queues.iter();
            queues.any(|queue| !threshold.has_unit_of(*queue))
        };
        if threshold.is_some_and(differs) {
            let mistake = Mistake::OtherUnit {
                key: table.path_of(key),
                queue: queue_path,
            };
            return source.reader.fault(mistake, table.span(key.name()));
        }
    }
    let smallest = source.queues.iter().min_by_key(|queue| queue.amount());
    let quarter = smallest.map(|queue| {
        let (other, shown) = (format!("{queue_path} / 4"), format!("{queue} / 4"));
        (other, queue.amount() / 4, shown)
    });
    let upper = max.map(|max| (table.path_of(&MAX), max.amount(), max.to_string()));
    let (Some(min), Some((other, limit, shown))) = (min, upper.or(quarter)) else {
        return;
    };
    let may_be_equal = max.is_some();
    if min.amount() > limit || min.amount() == limit && !may_be_equal {
        let mistake = Mistake::NotBelow {
            key: table.path_of(&MIN),
            found: min.to_string(),
            other,
            limit: shown,
        };
        source.reader.fault(mistake, table.span(MIN.name()));
    }
}

/// Thresholds of more than 2^32 - 1 bytes, which a link does not have, become that.
fn red_config(red: &Red, limit: Limit, context: &LinkContext) -> RedConfig {
    let threshold = |queue| match context.limit(queue) {
        Limit::Packets(packets) => u64::from(packets),
        Limit::Bytes(bytes) => bytes.min(u64::from(u32::MAX)),
    };
    let (min, max) = red.thresholds(context.queue);
    let max_threshold = threshold(max).max(1);
    RedConfig {
        limit,
        min_threshold: threshold(min).min(max_threshold),
        max_threshold,
        max_p_ppm: red.probability_ppm,
        weight_shift: nearest_shift(red.weight_ppm),
        gentle: red.gentle,
        ecn: red.ecn,
        ..RedConfig::default()
    }
}

/// A limit in packets of the largest size.
fn packets(limit: Limit, mtu_bytes: u32) -> u32 {
    match limit {
        Limit::Packets(packets) => packets,
        Limit::Bytes(bytes) => {
            u32::try_from(bytes / u64::from(mtu_bytes.max(1))).unwrap_or(u32::MAX)
        }
    }
}

/// The n for which 2^-n is nearest to a share.
fn nearest_shift(ppm: u32) -> u32 {
    (0..=24)
        .min_by_key(|shift| ppm.abs_diff(1_000_000 >> shift))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use onramp_config::key::KeyFacts;

    #[test]
    fn the_weight_is_rounded_to_a_power_of_two() {
        assert_eq!(
            [1_000_000, 700_000, 500_000, 2_000, 1].map(nearest_shift),
            [0, 1, 1, 9, 19]
        );
    }

    #[test]
    fn defaults_of_the_keys_have_no_words() {
        let default = |facts: &KeyFacts| facts.default_text().unwrap().to_owned();
        assert_eq!(default(&TARGET.facts), format_time(USUAL_TARGET_NS));
        assert_eq!(default(&INTERVAL.facts), format_time(USUAL_INTERVAL_NS));
        let dual = DualPi2Config::default();
        assert_eq!(default(&CLASSIC_TARGET.facts), format_time(dual.target_ns));
        assert_eq!(default(&STEP.facts), format_time(dual.step_ns));
        assert_eq!(default(&COUPLING.facts), dual.coupling.to_string());
        let quantum = format_size(USUAL_QUANTUM_BYTES.into());
        assert_eq!(default(&QUANTUM.facts), quantum);
    }
}
