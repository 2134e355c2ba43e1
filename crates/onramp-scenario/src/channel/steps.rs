//! The table `steps`: a rate that takes another random value again and again.

use super::limits::{PROBABILITIES, RATES};
use super::parameter::{not_zero, ChannelSource, LinkContext, Parameter};
use super::queue_limit::QueueLimit;
use super::trace::TRACE;
use crate::mistake::Mistake;
use onramp_config::key::{keys, Fallback, Percent, Rate, Table, Time};
use onramp_config::units::{format_percent, format_rate, format_time};
use onramp_net::{Config, Outages, RateSteps};

const TIMES: (&str, &str) = ("1 us", "3600 s");

keys! { STEP_KEYS:
    EVERY: Time = "every", Fallback::Required, ranges &[TIMES],
        "Time from one value of the rate to the next.";
    MIN: Rate = "min", Fallback::Required, ranges &[RATES],
        "Minimum of the values. The maximum is the `rate` of this direction.";
    MOVE: Percent = "move", Fallback::Text("100 %"), ranges &[PROBABILITIES],
        "Maximum distance of a value from the one before, as a share of the range. `100 %` draws \
         each value independently.";
    OUTAGE: Time = "outage", Fallback::Other("none"), ranges &[TIMES],
        "Length of an outage: nothing leaves the link, and packets wait.";
    OUTAGE_EVERY: Time = "outage_every", Fallback::Other("none"), ranges &[TIMES],
        "Mean time from one outage to the next, at least `every`. An outage begins at a step.";
}

static STEPS_TABLE: Table = Table {
    keys: STEP_KEYS,
    ..Table::one("steps", "a rate that changes at random, up to `rate`")
};

/// A rate that takes another random value again and again. The channel's rate is the maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    /// Time from one value to the next.
    pub every_ns: u64,
    /// Minimum of the values.
    pub min_bits_per_s: u64,
    /// Maximum distance of a value from the one before, in millionths of the range.
    pub move_ppm: u32,
    /// Length of an outage and mean time from one to the next, if there are any.
    pub outages_ns: Option<(u64, u64)>,
}

pub(crate) struct RandomSteps;

impl Parameter for RandomSteps {
    type Value = Option<Steps>;
    const TABLES: &'static [&'static Table] = &[&STEPS_TABLE];

    fn read(source: &mut ChannelSource<'_, '_>) -> Vec<Self::Value> {
        let table = source.table(&STEPS_TABLE);
        let every_ns = source.reader.one(&table, &EVERY);
        let min_bits_per_s = source.reader.one(&table, &MIN);
        let move_ppm = source.reader.one(&table, &MOVE);
        let outage_ns = source.reader.one(&table, &OUTAGE);
        let outage_every_ns = source.reader.one(&table, &OUTAGE_EVERY);
        source.reader.need(&table, &OUTAGE, &OUTAGE_EVERY);
        source.reader.need(&table, &OUTAGE_EVERY, &OUTAGE);
        if !source.section.has_name(STEPS_TABLE.name) {
            return vec![None];
        }
        let chosen = if source.rate_is_recorded {
            Some(TRACE.name())
        } else {
            source.is_poisson.then_some("poisson")
        };
        if let Some(chosen) = chosen {
            source.refuse(STEPS_TABLE.name, "a steady service", chosen);
        }
        let max = source.rates_bits_per_s.iter().copied().min();
        if let (Some(min), Some(max)) = (min_bits_per_s, max) {
            if min > max {
                let mistake = Mistake::LargeGuarantee {
                    key: table.path_of(&MIN),
                    found: format_rate(min),
                    rate: format_rate(max),
                };
                source.reader.fault(mistake, table.span(MIN.name()));
            }
        }
        let steps = || {
            Some(Steps {
                every_ns: every_ns?,
                min_bits_per_s: min_bits_per_s?,
                move_ppm: move_ppm?,
                outages_ns: outage_ns.zip(outage_every_ns),
            })
        };
        steps().map(Some).into_iter().collect()
    }

    fn describe(steps: &Self::Value, _: QueueLimit) -> Option<String> {
        let steps = (*steps)?;
        let mut words = format!(
            "from {} in steps of {}",
            format_rate(steps.min_bits_per_s),
            format_time(steps.every_ns)
        );
        if steps.move_ppm < 1_000_000 {
            words += &format!(" by {}", format_percent(steps.move_ppm));
        }
        if let Some((length_ns, every_ns)) = steps.outages_ns {
            let [length, every] = [length_ns, every_ns].map(format_time);
            words += &format!(", outages of {length} every {every}");
        }
        Some(words)
    }

    fn configure(steps: &Self::Value, _: &LinkContext, config: &mut Config) {
        let outages = |steps: &Steps| {
            let (length_ns, mean_ns) = steps.outages_ns?;
            let ppm = u128::from(steps.every_ns) * 1_000_000 / u128::from(mean_ns.max(1));
            Some(Outages {
                length_ns,
                begin_ppm: ppm.min(1_000_000) as u32,
            })
        };
        config.steps = steps.map(|steps| RateSteps {
            every_ns: steps.every_ns,
            min_bits_per_s: not_zero(steps.min_bits_per_s),
            move_ppm: steps.move_ppm,
            outages: outages(&steps),
        });
    }
}
