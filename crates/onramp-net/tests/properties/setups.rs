//! Random links, and the result of offering random packets to them.

use onramp_net::{
    Aggregation, Change, CoDelConfig, Config, Count, Departure, DualPi2Config, FqCoDelConfig,
    Framing, Jitter, LateTimer, Limit, Link, LossConfig, Opportunities, Outages, Packet,
    QueueConfig, RateSteps, Recorded, RecordedTable, RedConfig, Service, TokenBucket, Verdict,
};
use proptest::option::of;
use proptest::prelude::*;
use std::num::{NonZeroU32, NonZeroU64};
use std::sync::Arc;

#[derive(Clone, Copy, Debug)]
pub struct Numbered {
    pub number: usize,
    pub bytes: u32,
    pub flow: u32,
    pub expedited: bool,
    pub marked: bool,
}

/// A packet stays the same packet when it is marked.
impl PartialEq for Numbered {
    fn eq(&self, other: &Numbered) -> bool {
        let identity = |packet: &Numbered| {
            let Numbered {
                number,
                bytes,
                flow,
                expedited,
                ..
            } = *packet;
            (number, bytes, flow, expedited)
        };
        identity(self) == identity(other)
    }
}

impl Numbered {
    /// A packet of one of four flows in turn, two of which are expedited, and two have ECN.
    pub fn new(number: usize, bytes: u32) -> Numbered {
        let flow = number as u32 % 4;
        Numbered {
            number,
            bytes,
            flow,
            expedited: flow > 1,
            marked: false,
        }
    }
}

impl Packet for Numbered {
    fn wire_bytes(&self) -> u32 {
        self.bytes
    }

    fn flow_hash(&self) -> u32 {
        self.flow
    }

    fn is_expedited(&self) -> bool {
        self.expedited
    }

    fn is_ecn_capable(&self) -> bool {
        self.flow.is_multiple_of(2)
    }

    /// One of the two flows with ECN.
    fn is_l4s(&self) -> bool {
        self.flow == 2 || self.marked
    }

    fn mark_ce(&mut self) {
        self.marked = true;
    }
}

#[derive(Clone, Debug)]
pub struct Setup {
    pub config: Config,
    /// For each packet: the pause before it, its size, and whether the driver polls before it
    /// offers the packet.
    pub arrivals: Vec<(u64, u32, bool)>,
}

fn limits() -> impl Strategy<Value = Limit> {
    prop_oneof![
        (0u32..20).prop_map(Limit::Packets),
        (0u64..30_000).prop_map(Limit::Bytes)
    ]
}

fn rates() -> impl Strategy<Value = NonZeroU64> {
    (1_000u64..2_000_000_000).prop_map(|rate| NonZeroU64::new(rate).unwrap())
}

fn arrivals() -> impl Strategy<Value = Vec<(u64, u32, bool)>> {
    proptest::collection::vec((0u64..3_000_000, 1u32..9000, any::<bool>()), 1..200)
}

/// Links with a drop-tail queue, a rate, a delay and possibly independent losses.
pub fn plain_setups() -> impl Strategy<Value = Setup> {
    let loss = prop_oneof![
        Just(LossConfig::None),
        (0u32..=1_000_000).prop_map(|ppm| LossConfig::Bernoulli { ppm })
    ];
    (
        rates(),
        0u64..50_000_000,
        limits(),
        loss,
        any::<u64>(),
        arrivals(),
    )
        .prop_map(|(rate, delay_ns, limit, loss, seed, arrivals)| Setup {
            config: Config {
                loss,
                seed,
                ..Config::plain(rate, delay_ns, limit)
            },
            arrivals,
        })
}

fn dual_pi2() -> impl Strategy<Value = QueueConfig> {
    (
        limits(),
        (0u64..20_000_000, 1u64..20_000_000, 0u64..2_000_000),
        (0u32..1 << 20, 0u32..1 << 20, 1u32..5),
        0u32..=100,
    )
        .prop_map(
            |(limit, (target_ns, update_ns, step_ns), (alpha, beta, coupling), percent)| {
                QueueConfig::DualPi2(DualPi2Config {
                    limit,
                    target_ns,
                    update_ns,
                    alpha,
                    beta,
                    coupling,
                    step_ns,
                    classic_percent: percent,
                    mtu_bytes: 1500,
                })
            },
        )
}

fn queues() -> impl Strategy<Value = QueueConfig> {
    let red = (
        limits(),
        0u64..5,
        0u64..10,
        0u32..=1_000_000,
        0u32..10,
        any::<(bool, bool)>(),
    )
        .prop_map(
            |(limit, min_threshold, more, max_p_ppm, weight_shift, (gentle, ecn))| {
                QueueConfig::Red(RedConfig {
                    limit,
                    min_threshold,
                    max_threshold: (min_threshold + more).max(1),
                    max_p_ppm,
                    weight_shift,
                    gentle,
                    mean_packet_bytes: 4500,
                    ecn,
                })
            },
        );
    let codel = (limits(), 0u64..10_000_000, 1u64..50_000_000, any::<bool>()).prop_map(
        |(limit, target_ns, interval_ns, ecn)| {
            QueueConfig::CoDel(CoDelConfig {
                target_ns,
                interval_ns,
                mtu_bytes: 1500,
                limit,
                ecn,
            })
        },
    );
    let fq = (
        0u64..10_000_000,
        1u64..50_000_000,
        1u32..5,
        1u32..5000,
        1u32..20,
        (1u32..10, any::<bool>()),
    )
        .prop_map(
            |(target_ns, interval_ns, flows, quantum_bytes, limit_packets, (batch, ecn))| {
                let mtu_bytes = 1500;
                QueueConfig::FqCoDel(FqCoDelConfig {
                    target_ns,
                    interval_ns,
                    mtu_bytes,
                    flows,
                    quantum_bytes,
                    limit_packets,
                    drop_batch_packets: batch,
                    ecn,
                })
            },
        );
    prop_oneof![
        limits().prop_map(QueueConfig::DropTail),
        limits().prop_map(QueueConfig::AckFilter),
        red,
        codel,
        fq,
        dual_pi2()
    ]
}

pub fn losses() -> impl Strategy<Value = LossConfig> {
    prop_oneof![
        Just(LossConfig::None),
        (0u32..200_000).prop_map(|ppm| LossConfig::Bernoulli { ppm }),
        (
            0u32..200_000,
            0u32..500_000,
            0u32..100_000,
            0u32..=1_000_000
        )
            .prop_map(|(p_ppm, r_ppm, loss_good_ppm, loss_bad_ppm)| {
                LossConfig::GilbertElliott {
                    p_ppm,
                    r_ppm,
                    loss_good_ppm,
                    loss_bad_ppm,
                }
            }),
    ]
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let change = (
        0u64..300_000_000,
        of(rates()),
        of(0u64..50_000_000),
        of(0u32..=1_000_000),
    )
        .prop_map(|(at_ns, rate_bits_per_s, delay_ns, loss_ppm)| Change {
            at_ns,
            rate_bits_per_s,
            delay_ns,
            loss_ppm,
        });
    proptest::collection::vec(change, 0..6).prop_map(|mut changes| {
        changes.sort_by_key(|change| change.at_ns);
        changes
    })
}

fn buckets() -> impl Strategy<Value = TokenBucket> {
    (rates(), 1u32..50_000).prop_map(|(rate_bits_per_s, burst_bytes)| TokenBucket {
        rate_bits_per_s,
        burst_bytes,
    })
}

/// A service of each kind; steps of the rate only where it is steady.
fn services() -> impl Strategy<Value = (Service, Option<RateSteps>)> {
    let outages = (0u64..50_000_000, 0u32..=1_000_000).prop_map(|(length_ns, begin_ppm)| Outages {
        length_ns,
        begin_ppm,
    });
    let steps = (1_000_000u64..100_000_000, 0u32..=1_000_000, of(outages)).prop_map(
        |(every_ns, move_ppm, outages)| RateSteps {
            every_ns,
            min_bits_per_s: NonZeroU64::new(500).unwrap(),
            move_ppm,
            outages,
        },
    );
    let trace = (
        proptest::collection::vec(0u64..30, 0..20),
        1u64..40,
        0u64..200_000_000,
    )
        .prop_map(|(mut times_ms, more_ms, offset_ns)| {
            times_ms.sort_unstable();
            times_ms.push(times_ms.last().unwrap_or(&0) + more_ms);
            let text: String = times_ms.iter().map(|ms| format!("{ms}\n")).collect();
            let opportunities = Arc::new(Opportunities::parse(&text).unwrap());
            let service = Service::Trace {
                opportunities,
                offset_ns,
            };
            (service, None)
        });
    let rows = proptest::collection::vec((1u64..40, 0u64..1_000_000), 2..20);
    let rates = (rows, 0u64..200_000_000).prop_map(|(rows, offset_ns)| {
        let mut text = "time_ms,rate_bits_per_s\n0,1000\n".to_owned();
        let mut at_ms = 0;
        for (after_ms, rate) in rows {
            at_ms += after_ms;
            text += &format!("{at_ms},{rate}\n");
        }
        let rates = RecordedTable::parse(&text).unwrap().rates.unwrap();
        (Service::Rates { rates, offset_ns }, None)
    });
    prop_oneof![
        4 => Just((Service::Steady, None)),
        1 => rates,
        1 => steps.prop_map(|steps| (Service::Steady, Some(steps))),
        1 => Just((Service::Poisson, None)),
        2 => trace,
    ]
}

/// A recorded delay and a recorded loss, from the same time of the recording on.
pub fn recordings() -> impl Strategy<Value = (Recorded, Recorded)> {
    let rows = proptest::collection::vec((1u64..40, 0u64..50_000, 0u32..=1_000_000), 2..20);
    (rows, 0u64..200_000_000).prop_map(|(rows, offset_ns)| {
        let mut text = "time_ms,delay_us,loss\n".to_owned();
        let mut at_ms = 0;
        for (after_ms, delay_us, loss_ppm) in rows {
            at_ms += after_ms;
            text += &format!("{at_ms},{delay_us},{}\n", f64::from(loss_ppm) / 1e6);
        }
        let table = RecordedTable::parse(&text).unwrap();
        let recorded = |values: Option<_>| Recorded {
            values: values.unwrap(),
            offset_ns,
        };
        (recorded(table.delays), recorded(table.losses))
    })
}

pub fn framings() -> impl Strategy<Value = Framing> {
    prop_oneof![
        2 => Just(Framing::Packets),
        1 => Just(Framing::Aal5),
        1 => Just(Framing::Aal5Snap),
    ]
}

fn exits() -> impl Strategy<Value = (u32, Option<Jitter>, Option<Aggregation>, Option<LateTimer>)> {
    let jitter =
        (0u64..20_000_000, any::<bool>()).prop_map(|(max_ns, reorder)| Jitter { max_ns, reorder });
    let aggregation = (1u64..20_000_000, any::<bool>(), 0u64..100_000, 1u32..10).prop_map(
        |(interval_ns, in_slots, gap_ns, packets)| Aggregation {
            interval_ns,
            in_slots,
            gap_ns,
            max_packets: NonZeroU32::new(packets).unwrap(),
        },
    );
    let late = (0u64..5_000_000, 0u64..5_000_000)
        .prop_map(|(max_ns, idle_ns)| LateTimer { max_ns, idle_ns });
    (
        prop_oneof![Just(0u32), 0u32..=1_000_000],
        of(jitter),
        of(aggregation),
        of(late),
    )
}

/// Links with every combination of elements.
pub fn any_setups() -> impl Strategy<Value = Setup> {
    let entrance = (
        of(buckets()),
        of(buckets()),
        of(buckets()),
        losses(),
        (
            services(),
            framings(),
            prop_oneof![3 => Just(None), 1 => recordings().prop_map(Some)],
        ),
    );
    (
        rates(),
        0u64..50_000_000,
        changes(),
        queues(),
        entrance,
        exits(),
        any::<u64>(),
        arrivals(),
    )
        .prop_map(
            |(
                rate_bits_per_s,
                delay_ns,
                changes,
                queue,
                (shaper, policer, profile, loss, ((service, steps), framing, recorded)),
                exit,
                seed,
                arrivals,
            )| {
                let (duplicate_ppm, jitter, aggregation, late) = exit;
                let (recorded_delay, recorded_loss) = recorded.unzip();
                let config = Config {
                    rate_bits_per_s,
                    framing,
                    delay_ns,
                    service,
                    steps,
                    recorded_delay,
                    recorded_loss,
                    changes,
                    queue,
                    shaper,
                    policer,
                    expedited: profile.map(|profile| TokenBucket {
                        rate_bits_per_s: profile.rate_bits_per_s.min(rate_bits_per_s),
                        ..profile
                    }),
                    loss,
                    duplicate_ppm,
                    jitter,
                    aggregation,
                    late,
                    begin_ns: 0,
                    seed,
                };
                let config = without_contradictions(config);
                Setup { config, arrivals }
            },
        )
}

/// The configuration without changes and frames that its service and its recordings exclude.
fn without_contradictions(mut config: Config) -> Config {
    let has_own_rate = config.service != Service::Steady || config.steps.is_some();
    for change in &mut config.changes {
        change.rate_bits_per_s = change.rate_bits_per_s.filter(|_| !has_own_rate);
        change.delay_ns = change.delay_ns.filter(|_| config.recorded_delay.is_none());
        change.loss_ppm = change.loss_ppm.filter(|_| config.recorded_loss.is_none());
    }
    if config.service.has_moments() {
        config.framing = Framing::Packets;
    }
    config
}

/// Links with a drop-tail queue and a profile whose rate is at most half of the link's, because
/// there are two expedited flows.
pub fn expedited_setups() -> impl Strategy<Value = Setup> {
    (plain_setups(), 1u64..=500_000, 1u32..50_000).prop_map(|(setup, share_ppm, burst_bytes)| {
        let rate =
            u128::from(setup.config.rate_bits_per_s.get()) * u128::from(share_ppm) / 1_000_000;
        let rate_bits_per_s = NonZeroU64::new(rate as u64).unwrap_or(NonZeroU64::MIN);
        let expedited = Some(TokenBucket {
            rate_bits_per_s,
            burst_bytes,
        });
        Setup {
            config: Config {
                expedited,
                ..setup.config
            },
            ..setup
        }
    })
}

/// The result of a setup.
pub struct Run {
    pub link: Link<Numbered>,
    pub verdicts: Vec<(u64, Numbered, Verdict)>,
    pub out: Vec<Departure<Numbered>>,
    pub dropped: Vec<Numbered>,
}

/// Offers all packets and lets all of them leave. It polls before a packet if the setup says so and
/// `may_poll` is set.
pub fn run(setup: &Setup, may_poll: bool) -> Run {
    run_with(setup, may_poll, |packet| packet)
}

/// The same as [`run`], with each packet replaced by `map`.
pub fn run_with(setup: &Setup, may_poll: bool, map: fn(Numbered) -> Numbered) -> Run {
    let mut link = Link::from_config(&setup.config);
    let (mut now_ns, mut verdicts, mut out) = (0, Vec::new(), Vec::new());
    for (number, &(pause_ns, bytes, poll)) in setup.arrivals.iter().enumerate() {
        now_ns += pause_ns;
        if poll && may_poll {
            out.extend(std::iter::from_fn(|| link.poll(now_ns)));
        }
        let packet = map(Numbered::new(number, bytes));
        verdicts.push((now_ns, packet, link.offer(now_ns, packet)));
    }
    // Step by step: the steps of a rate have no end.
    while let Some(next_ns) = link.next_departure_ns() {
        out.extend(std::iter::from_fn(|| link.poll(next_ns.max(now_ns))));
    }
    let dropped = std::iter::from_fn(|| link.take_dropped()).collect();
    Run {
        link,
        verdicts,
        out,
        dropped,
    }
}

pub fn count<'a>(packets: impl IntoIterator<Item = &'a Numbered>) -> Count {
    packets
        .into_iter()
        .fold(Count::default(), |sum, packet| Count {
            packets: sum.packets + 1,
            bytes: sum.bytes + u64::from(packet.bytes),
        })
}
