//! Links whose rate, delay and loss are recorded in a file of comma-separated values.

use onramp_results::Record;
use onramp_scenario::Case;
use onramp_sim::observe::{Direction, Observer, PacketEvent};
use onramp_sim::{run, run_observed, Options};
use std::path::Path;

/// When data arrived, in milliseconds.
#[derive(Default)]
struct Arrivals(Vec<u64>);

impl Observer for Arrivals {
    fn arrived(&mut self, packet: &PacketEvent<'_>) {
        if packet.direction == Direction::Data && packet.segment.payload_bytes > 1000 {
            self.0.push(packet.time_ns / 1_000_000);
        }
    }
}

fn cases(path: &str) -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../onramp-scenario/tests/traces");
    let text = format!(
        "name = \"x\"\n[path]\nqueue = \"200 packets\"\n{path}\n\
         [receiver]\nbuffer = \"16 MiB\"\n\
         [[transfer]]\nsize = [\"30 kB\", \"2 MB\"]\nstartup = [\"none\", \"onramp\"]\nrepeat = 3\n"
    );
    onramp_scenario::parse_in(Some(&folder), "x.toml", &text)
        .unwrap_or_else(|error| panic!("{}", error.report(false)))
        .cases
}

/// The record without the words for its path.
fn record(case: &Case) -> Record {
    let outcome = run(case, &Options::default()).unwrap();
    let record = outcome.records[0].clone();
    Record {
        path: String::new(),
        loss: String::new(),
        ..record
    }
}

/// 25 ms one way and 1 % in each row, from any time of the recording on.
#[test]
fn a_constant_recording_is_what_a_path_has_without_one() {
    let recorded = "rate = \"20 Mbit/s\"\ntrace = \"constant.csv\"\ntrace_offset = \"random\"";
    let configured = "rate = \"20 Mbit/s\"\nrtt = \"50 ms\"\nloss = \"1 %\"";
    for (one, other) in cases(recorded).iter().zip(&cases(configured)) {
        assert_eq!(record(one), record(other));
    }
}

/// No transfer is faster than the fluid bound, which knows the delays of the run.
#[test]
fn the_bound_knows_the_recorded_delays() {
    let path = "rate = \"20 Mbit/s\"\ndelay_trace = \"orbit.csv\"\ntrace_offset = \"random\"";
    for case in cases(path).iter().chain(&cases("trace = \"orbit.csv\"")) {
        let record = record(case);
        let took_s = record.completion_s.unwrap();
        assert!(took_s >= record.bound_s, "{record:?}");
    }
    // The handshake, the request and the first segments take two round trips of 20 ms at the
    // beginning of the recording.
    let first = record(&cases("rate = \"1 Gbit/s\"\ndelay_trace = \"orbit.csv\"")[0]);
    assert!((first.bound_s - 0.040).abs() < 0.001, "{first:?}");
}

/// The delay falls from 30 to 20 ms after a second, and to 10 ms after one and a half.
#[test]
fn segments_keep_their_order_when_the_delay_falls() {
    let order = |reorder: &str| {
        let path = format!("trace = \"orbit.csv\"\n{reorder}");
        let cases = cases(&path);
        let case = cases
            .iter()
            .find(|case| case.transfer.size_bytes == 2_000_000);
        let case = case.unwrap();
        let (outcome, Starts(starts)) =
            run_observed(case, &Options::default(), Starts::default()).unwrap();
        assert!(outcome.records[0].completion_s.is_some());
        starts.is_sorted()
    };
    assert!(order(""));
    assert!(!order("reorder = true"));
}

/// The offsets in the stream of data that arrived, but for retransmissions.
#[derive(Default)]
struct Starts(Vec<u64>);

impl Observer for Starts {
    fn arrived(&mut self, packet: &PacketEvent<'_>) {
        if packet.direction == Direction::Data && !packet.retransmission {
            self.0.push(packet.stream_start);
        }
    }
}

/// 12 Mbit/s for half a second, nothing for half a second, 24 Mbit/s for half a second, again and
/// again.
#[test]
fn data_arrives_at_the_recorded_rate_and_waits_in_its_pauses() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../onramp-scenario/tests/traces");
    let text = "name = \"x\"\n[path]\ntrace = \"lte.csv\"\nrtt = \"20 ms\"\n\
                queue = \"2000 packets\"\n[receiver]\nbuffer = \"16 MiB\"\n\
                [[transfer]]\nsize = \"9 MB\"\nstartup = \"none\"\n";
    let scenario = onramp_scenario::parse_in(Some(&folder), "x.toml", text).unwrap();
    let case = &scenario.cases[0];
    let (outcome, Arrivals(arrivals)) =
        run_observed(case, &Options::default(), Arrivals::default()).unwrap();
    // Packets arrive 10 ms after they have left the link.
    let within = |begin_ms: u64, end_ms: u64| {
        let range = begin_ms + 10..end_ms + 10;
        arrivals.iter().filter(|ms| range.contains(*ms)).count()
    };
    assert_eq!(
        within(510, 1000),
        0,
        "the link carries nothing in the first pause"
    );
    assert_eq!(within(2010, 2500), 0, "nor in the second one");
    // The queue is never empty in the third half of a second. 24 Mbit/s are two packets a ms.
    let busy = within(1010, 1490);
    assert!((955..=961).contains(&busy), "{busy}");
    let record = &outcome.records[0];
    let took_s = record.completion_s.unwrap();
    assert!(
        took_s >= record.bound_s && took_s < 1.1 * record.bound_s,
        "{record:?}"
    );
}
