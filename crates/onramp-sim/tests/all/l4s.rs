//! Queues that mark in short intervals, and the congestion controls for them: DCTCP at a step (RFC
//! 8257), Prague at DualPI2 (RFC 9332), over whole paths.

use onramp_scenario::Case;
use onramp_sim::observe::{Direction, DropReason, Observer, PacketEvent};
use onramp_sim::{run_observed, Options, Outcome};
use onramp_tcp::{Connection, EcnField};
use std::collections::HashMap;
use std::path::Path;

const SECOND_NS: u64 = 1_000_000_000;

/// What the packets of a flow's data meet at the first link.
#[derive(Clone, Debug, Default)]
struct Measured {
    /// Time in the queue of each packet.
    delays_ns: Vec<u64>,
    /// Packets that a packet found waiting.
    queues: Vec<usize>,
    arrived: u64,
    arrived_bytes: u64,
    marked: u64,
    dropped: u64,
    /// cwnd in segments at each event of the sender.
    cwnds: Vec<f64>,
    /// The flow was watched for this time.
    watched_ns: u64,
}

/// Watches all flows after the transients of the beginning.
#[derive(Default)]
struct Watch {
    begin_ns: u64,
    flows: HashMap<u32, Measured>,
    waiting: HashMap<u32, u64>,
    /// The length of the queue after each change, in packets.
    lengths: Vec<(u64, usize)>,
}

impl Watch {
    fn of(&mut self, packet: &PacketEvent<'_>) -> Option<&mut Measured> {
        let counts = packet.time_ns >= self.begin_ns && packet.direction == Direction::Data;
        counts.then(|| self.flows.entry(packet.flow).or_default())
    }
}

impl Observer for Watch {
    const WATCHES_SERVICE: bool = true;

    fn entered(&mut self, link: u32, packet: &PacketEvent<'_>) {
        if link == 0 {
            let waiting = self.waiting.len();
            if let Some(flow) = self.of(packet) {
                flow.queues.push(waiting);
            }
            self.waiting.insert(packet.slot, packet.time_ns);
            self.lengths.push((packet.time_ns, self.waiting.len()));
        }
    }

    fn served(&mut self, link: u32, packet: &PacketEvent<'_>) {
        if link == 0 {
            let entered_ns = self.waiting.remove(&packet.slot).expect("it has entered");
            self.lengths.push((packet.time_ns, self.waiting.len()));
            if let Some(flow) = self.of(packet) {
                flow.delays_ns.push(packet.time_ns - entered_ns);
            }
        }
    }

    fn dropped(&mut self, link: u32, _why: DropReason, packet: &PacketEvent<'_>) {
        if link == 0 {
            self.waiting.remove(&packet.slot);
            if let Some(flow) = self.of(packet) {
                flow.dropped += 1;
            }
        }
    }

    fn arrived(&mut self, packet: &PacketEvent<'_>) {
        let begin_ns = self.begin_ns;
        if let Some(flow) = self.of(packet) {
            flow.arrived += 1;
            flow.arrived_bytes += u64::from(packet.segment.payload_bytes);
            flow.marked += u64::from(packet.segment.ecn == EcnField::Ce);
            flow.watched_ns = packet.time_ns - begin_ns;
        }
    }

    fn sender_acted(&mut self, time_ns: u64, flow: u32, sender: &Connection) {
        if time_ns >= self.begin_ns {
            let window = sender.window();
            let segments = window.cwnd_bytes as f64 / f64::from(window.mss_bytes);
            self.flows.entry(flow).or_default().cwnds.push(segments);
        }
    }
}

impl Measured {
    fn mean_delay_ms(&self) -> f64 {
        mean(self.delays_ns.iter().map(|&ns| ns as f64)) / 1e6
    }

    fn delay_ms_of(&self, share: f64) -> f64 {
        let mut delays_ns = self.delays_ns.clone();
        delays_ns.sort_unstable();
        delays_ns[(share * (delays_ns.len() - 1) as f64) as usize] as f64 / 1e6
    }

    fn marked_share(&self) -> f64 {
        self.marked as f64 / self.arrived as f64
    }

    fn mbit_per_s(&self) -> f64 {
        self.arrived_bytes as f64 * 8e3 / self.watched_ns as f64
    }

    fn line(&self) -> String {
        format!(
            "{:.2} Mbit/s, queue {:.2} ms (99 %: {:.2} ms), cwnd {:.1}, marked {:.4}, dropped {}",
            self.mbit_per_s(),
            self.mean_delay_ms(),
            self.delay_ms_of(0.99),
            mean(self.cwnds.iter().copied()),
            self.marked_share(),
            self.dropped
        )
    }
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

/// Runs a case, and watches it after some seconds.
fn observed(case: &Case, after_s: u64) -> (Outcome, Watch) {
    let watch = Watch {
        begin_ns: after_s * SECOND_NS,
        ..Watch::default()
    };
    run_observed(case, &Options::default(), watch).expect("it can be simulated")
}

/// The same. The flows are in the order of their starts.
fn watch(case: &Case, after_s: u64) -> (Outcome, Vec<Measured>) {
    let (outcome, watch) = observed(case, after_s);
    let mut flows: Vec<_> = watch.flows.into_iter().collect();
    flows.sort_unstable_by_key(|(flow, _)| *flow);
    let flows: Vec<Measured> = flows.into_iter().map(|(_, measured)| measured).collect();
    for flow in &flows {
        println!("{}: {}", outcome.records[0].algorithms(), flow.line());
    }
    (outcome, flows)
}

fn shipped(name: &str) -> Vec<Case> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../scenarios")
        .join(name);
    onramp_scenario::read(&file).expect("it is right").cases
}

fn cases(text: &str) -> Vec<Case> {
    onramp_scenario::parse("test.toml", text)
        .expect("the scenario is right")
        .cases
}

/// Alizadeh et al. 2010, section 3.3: with one flow the queue oscillates by some sqrt(W / 2)
/// packets around the step, and alpha is about sqrt(2 / W). alpha is the mean of the marked share.
#[test]
fn dctcp_keeps_the_queue_around_the_step_and_marks_as_the_theory_says() {
    for case in shipped("dctcp.toml") {
        if case.transfer.avoidance.name() != "dctcp" {
            continue;
        }
        let (outcome, flows) = watch(&case, 2);
        let flow = &flows[0];
        assert_eq!(outcome.records[0].dropped_packets, 0);
        let cwnd = mean(flow.cwnds.iter().copied());
        assert!((90.0..110.0).contains(&cwnd), "{cwnd}");
        let (alpha, theory) = (flow.marked_share(), (2.0 / cwnd).sqrt());
        println!("alpha {alpha:.3}, theory {theory:.3}");
        // With an ACK for two segments, two arrive together, and only the second finds the step
        // when cwnd reaches it. So about half of a window is marked.
        assert!((0.45..0.75).contains(&(alpha / theory)), "{alpha} {theory}");
        let mut queues = flow.queues.clone();
        queues.sort_unstable();
        let [low, high] = [0.05, 0.95].map(|share| queues[(share * queues.len() as f64) as usize]);
        println!("queue of {low} to {high} packets");
        assert!(low >= 6 && high <= 28, "{low} to {high}");
        assert!(flow.mbit_per_s() > 94.0, "{}", flow.line());
    }
}

/// What `scripts/kernels/dctcp.py` measures of the kernel's DCTCP: the mean queue in packets, the
/// marked share of the packets, and the mean cwnd of a flow in segments.
#[derive(Debug)]
struct AtStep {
    queue: f64,
    marked: f64,
    cwnd: f64,
}

/// Flows over the path of `scripts/kernels/dctcp.sh`, between 2 s and the end of the first flow.
/// The average of RED has the weight 1/2, the largest of tc.
fn at_step(packets: u32, flows: u32) -> AtStep {
    let size = 75 / flows;
    let text = format!(
        "name = \"test\"\n[path]\nrate = \"100 Mbit/s\"\nrtt = \"10 ms\"\n\
         queue = \"400 packets\"\ndiscipline = \"red\"\necn = true\n\
         red = {{ min = \"{packets} packets\", max = \"{packets} packets\", weight = \"50 %\" }}\n\
         [receiver]\nbuffer = \"16 MiB\"\n\
         [[transfer]]\nsize = \"{size} MB\"\nstartup = \"none\"\navoidance = \"dctcp\"\n\
         count = {flows}\nspacing = \"1 ms\"\n"
    );
    let (_, watch) = observed(&cases(&text)[0], 2);
    let least_ns = watch.flows.values().map(|flow| flow.watched_ns).min();
    let end_ns = watch.begin_ns + least_ns.expect("a flow");
    // As in flows.c: a sample every two milliseconds.
    let mut samples: Vec<usize> = (watch.begin_ns..end_ns)
        .step_by(2_000_000)
        .map(|at_ns| {
            let later = watch
                .lengths
                .partition_point(|&(time_ns, _)| time_ns <= at_ns);
            watch.lengths[later - 1].1
        })
        .collect();
    samples.sort_unstable();
    let of = |share: f64| samples[(share * (samples.len() - 1) as f64).round() as usize];
    let each = || watch.flows.values();
    let found = AtStep {
        queue: mean(samples.iter().map(|&length| length as f64)),
        marked: each().map(|flow| flow.marked).sum::<u64>() as f64
            / each().map(|flow| flow.arrived).sum::<u64>() as f64,
        cwnd: mean(each().map(|flow| mean(flow.cwnds.iter().copied()))),
    };
    println!(
        "{packets} {flows}: {found:.3?}, {:.1} Mbit/s, queue {} to {}, {} to {}",
        each().map(Measured::mbit_per_s).sum::<f64>(),
        of(0.05),
        of(0.95),
        of(0.0),
        of(1.0)
    );
    found
}

/// docs/simulator.md has the figures of the kernel 6.12, and the causes of the difference.
#[test]
fn dctcp_at_a_step_is_that_of_the_kernel() {
    let measured = [
        (20, 1, 16.6, 0.117, 99.7),
        (20, 2, 16.4, 0.168, 50.0),
        (40, 1, 36.2, 0.110, 119.2),
        (40, 2, 36.2, 0.157, 59.9),
    ];
    for (packets, flows, queue, marked, cwnd) in measured {
        let ours = at_step(packets, flows);
        assert!((ours.queue - queue).abs() < 1.0, "{ours:?} {queue}");
        assert!(
            (0.75..1.05).contains(&(ours.marked / marked)),
            "{ours:?} {marked}"
        );
        assert!((ours.cwnd / cwnd - 1.0).abs() < 0.05, "{ours:?} {cwnd}");
    }
}

/// The same with an ACK for each segment, as in the theory.
#[test]
fn alpha_is_nearer_to_the_theory_where_segments_arrive_one_by_one() {
    let text = "name = \"test\"\n[path]\nrate = \"100 Mbit/s\"\nrtt = \"10 ms\"\n\
                queue = \"400 packets\"\ndiscipline = \"red\"\necn = true\n\
                red = { min = \"20 packets\", max = \"20 packets\", weight = \"100 %\" }\n\
                [receiver]\nbuffer = \"16 MiB\"\nacks = \"every\"\n\
                [[transfer]]\nsize = \"50 MB\"\nstartup = \"none\"\navoidance = \"dctcp\"\n";
    let (_, flows) = watch(&cases(text)[0], 2);
    let cwnd = mean(flows[0].cwnds.iter().copied());
    let (alpha, theory) = (flows[0].marked_share(), (2.0 / cwnd).sqrt());
    println!("alpha {alpha:.3}, theory {theory:.3}");
    // cwnd does not grow in the round trip of a response, as in Linux. The theory lets it grow.
    assert!((0.6..0.9).contains(&(alpha / theory)), "{alpha} {theory}");
}

/// Prague beside CUBIC at DualPI2, with more lines for `[path]`.
fn beside_cubic(rtt: &str) -> Case {
    let text = format!(
        "name = \"test\"\n[path]\nrate = \"40 Mbit/s\"\nrtt = \"{rtt}\"\n\
         queue = \"1000 packets\"\ndiscipline = \"dualpi2\"\n\
         [receiver]\nbuffer = \"16 MiB\"\n\
         [[traffic]]\nstartup = \"none\"\navoidance = \"cubic\"\nlead = \"10 s\"\n\
         [[transfer]]\nsize = \"80 MB\"\nstartup = \"none\"\navoidance = \"prague\"\n"
    );
    cases(&text).remove(0)
}

//= RFC 9332 section 2.1: the coupling gives both kinds of flows about the same rate
#[test]
fn prague_and_cubic_share_a_dual_queue_and_only_cubic_waits() {
    for case in shipped("l4s.toml") {
        let (_, flows) = watch(&case, 15);
        let [cubic, prague] = &flows[..] else {
            panic!("{} flows", flows.len());
        };
        let ratio = prague.mbit_per_s() / cubic.mbit_per_s();
        assert!((0.6..1.7).contains(&ratio), "{ratio}");
        assert!(prague.mbit_per_s() + cubic.mbit_per_s() > 35.0);
        let delays_ms = [prague, cubic].map(Measured::mean_delay_ms);
        assert!(delays_ms[0] < 1.0, "{delays_ms:?}");
        assert!((10.0..20.0).contains(&delays_ms[1]), "{delays_ms:?}");
        assert_eq!(prague.dropped, 0);
        assert!(prague.marked > 0 && cubic.marked == 0 && cubic.dropped > 0);
    }
}

#[test]
fn the_shares_differ_little_with_the_rtt() {
    for rtt in ["5 ms", "40 ms"] {
        let (_, flows) = watch(&beside_cubic(rtt), 15);
        let ratio = flows[1].mbit_per_s() / flows[0].mbit_per_s();
        println!("{rtt}: {ratio:.2}");
        assert!((0.5..2.0).contains(&ratio), "{ratio} at {rtt}");
    }
}

/// Alone, Prague is held by the step of the low-latency queue.
#[test]
fn prague_alone_fills_the_link_with_a_queue_of_a_millisecond() {
    let text = "name = \"test\"\n[path]\nrate = \"40 Mbit/s\"\nrtt = \"20 ms\"\n\
                queue = \"1000 packets\"\ndiscipline = \"dualpi2\"\n\
                [receiver]\nbuffer = \"16 MiB\"\n\
                [[transfer]]\nsize = \"50 MB\"\nstartup = \"none\"\navoidance = \"prague\"\n";
    let (_, flows) = watch(&cases(text)[0], 2);
    let prague = &flows[0];
    assert!(prague.mbit_per_s() > 35.0, "{}", prague.line());
    assert!(prague.delay_ms_of(0.99) < 2.0, "{}", prague.line());
    assert_eq!(prague.dropped, 0);
}
