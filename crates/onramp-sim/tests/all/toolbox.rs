//! The options of a transfer for long paths: segment size, window scaling, byte counting, initial
//! window and SACK.

use onramp_results::{Record, Trace};
use onramp_scenario::Case;
use onramp_sim::{run, Options};

fn cases(text: &str) -> Vec<Case> {
    onramp_scenario::parse("test.toml", &format!("name = \"test\"\n{text}"))
        .expect("the scenario is right")
        .cases
}

/// The record and the trace of each case, in order.
fn traced(text: &str) -> Vec<(Record, Trace)> {
    let options = Options {
        trace: true,
        ..Options::default()
    };
    let one = |case: &Case| {
        let mut outcome = run(case, &options).expect("the case can be simulated");
        (outcome.records.remove(0), outcome.traces.remove(0))
    };
    cases(text).iter().map(one).collect()
}

fn completions_s(text: &str) -> Vec<f64> {
    traced(text)
        .iter()
        .map(|(record, _)| record.completion_s.expect("it is finished"))
        .collect()
}

/// Number of segments that leave before the first ACK.
fn first_flight(trace: &Trace) -> usize {
    let first_s = trace.segments[0].time_s;
    trace
        .segments
        .iter()
        .filter(|segment| segment.time_s < first_s + 0.3)
        .count()
}

const LONG: &str = "[path]\nrate = \"10 Mbit/s\"\nrtt = \"560 ms\"\nqueue = \"2 bdp\"\n";

#[test]
fn segments_have_the_size_of_the_transfer_s_key() {
    let runs = traced(&format!(
        "{LONG}[[transfer]]\nsize = \"100 kB\"\nsegment = [\"512 B\", \"1500 B\"]\n"
    ));
    for ((record, trace), (packet, tcp)) in runs.iter().zip([(512u32, "segment 512 B"), (1500, "")])
    {
        let payload = packet - 52;
        let max = trace
            .segments
            .iter()
            .map(|segment| segment.length_bytes)
            .max()
            .unwrap();
        assert_eq!((max, record.sender_tcp.as_str()), (payload, tcp));
        let packets = 100_000u64.div_ceil(payload.into());
        assert_eq!(trace.segments.len() as u64, packets);
        // Two round trips, and the serialisation of all bytes and headers at the bottleneck.
        let wire_bits = (100_000 + 52 * packets) * 8;
        assert!(
            (record.bound_s - 1.12 - wire_bits as f64 / 10e6).abs() < 1e-9,
            "{record:?}"
        );
        assert_eq!(
            record.capacity_bytes_per_s,
            1_250_000 * u64::from(payload) / u64::from(packet)
        );
    }
}

/// The initial window counts segments, so small segments take longer.
#[test]
fn larger_segments_open_the_window_faster() {
    let text = format!(
        "{LONG}[[transfer]]\nsize = \"500 kB\"\nstack = \"lite\"\n\
        segment = [\"512 B\", \"1500 B\"]\n"
    );
    let found = completions_s(&text);
    assert!(found[0] > found[1] + 0.56, "{found:?}");
}

#[test]
fn without_window_scaling_no_window_exceeds_64_kib() {
    let both = "[[transfer]]\nsize = \"2 MB\"\nwindow_scaling = [true, false]\n";
    let max_inflight = |text: &str| -> Vec<u64> {
        let inflight = |(_, trace): &(Record, Trace)| {
            trace.sender.iter().map(|state| state.inflight_bytes).max()
        };
        traced(text)
            .iter()
            .map(|run| inflight(run).unwrap())
            .collect()
    };
    let scaled = max_inflight(&format!("{LONG}[receiver]\nbuffer = \"4 MiB\"\n{both}"));
    assert!(
        scaled[0] > 500_000 && scaled[1] <= 65_535 && scaled[1] > 60_000,
        "{scaled:?}"
    );
    let neither = max_inflight(&format!(
        "{LONG}[receiver]\nbuffer = \"4 MiB\"\nwindow_scaling = false\n{both}"
    ));
    assert!(
        neither.iter().all(|bytes| *bytes <= 65_535),
        "window scaling needs both ends: {neither:?}"
    );
}

/// Each delayed ACK acknowledges two segments. A limit of two segments counts all of them, and a
/// limit of one counts half.
#[test]
fn byte_counting_compensates_for_delayed_acks() {
    for startup in ["none", "standard"] {
        let text = format!(
            "{LONG}[receiver]\nbuffer = \"4 MiB\"\nacks = \"delayed\"\n[[transfer]]\n\
             size = \"500 kB\"\navoidance = \"reno\"\nstartup = \"{startup}\"\n\
             byte_counting = [\"1 segment\", \"2 segments\", \"unlimited\"]\n"
        );
        let found = completions_s(&text);
        assert!(
            found[0] > found[1] + 0.56 && found[1] == found[2],
            "{startup}: {found:?}"
        );
    }
}

#[test]
fn the_lite_stack_counts_acks_by_default() {
    let transfer = "[[transfer]]\nsize = \"500 kB\"\nstack = \"lite\"\n";
    let head = format!("{LONG}[receiver]\nbuffer = \"4 MiB\"\nacks = \"delayed\"\n{transfer}");
    let found = completions_s(&format!(
        "{head}byte_counting = [\"1 segment\", \"unlimited\"]\n"
    ));
    assert_eq!(completions_s(&head), found[..1]);
    assert!(found[1] < found[0] - 0.56, "{found:?}");
}

/// Chaher et al. 1998, equation 2 (RFC 3390): min(4 MSS, max(2 MSS, 4380 bytes)).
#[test]
fn the_paper_s_initial_window_is_four_small_segments_or_three_of_ethernet() {
    for stack in ["lite", "linux"] {
        let text = format!(
            "{LONG}[[transfer]]\nsize = \"50 kB\"\nstack = \"{stack}\"\n\
                startup = [\"none\", \"standard\"]\ninitial_window = \"paper\"\n\
             segment = [\"512 B\", \"1500 B\"]\n"
        );
        let flights: Vec<usize> = traced(&text)
            .iter()
            .map(|(_, trace)| first_flight(trace))
            .collect();
        assert_eq!(flights, [4, 4, 3, 3], "{stack}");
    }
}

/// Several losses in one window, of which NewReno repairs one per round trip.
#[test]
fn the_lite_stack_uses_sack_if_its_recovery_and_the_receiver_support_it() {
    let runs = |sack: bool| {
        completions_s(&format!(
            "[path]\nrate = \"10 Mbit/s\"\nrtt = \"200 ms\"\nqueue = \"0.2 bdp\"\n\
             [receiver]\nbuffer = \"4 MiB\"\nacks = \"every\"\nsack = {sack}\n\
             [[transfer]]\nsize = \"1 MB\"\nstack = \"lite\"\nrecovery = [\"newreno\", \"sack\"]\n\
             clock = \"1 ms\"\ntick = \"1 ms\"\n\
             timers = \"rfc6298\"\n"
        ))
    };
    let (without, with) = (runs(false), runs(true));
    assert_eq!(
        without[0], without[1],
        "without SACK at the receiver it is NewReno"
    );
    assert_eq!(with[0], without[0], "NewReno does not use SACK");
    assert!(with[1] < with[0] - 1.0, "{with:?}");
}
