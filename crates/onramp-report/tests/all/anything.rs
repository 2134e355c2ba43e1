//! Any records and traces give tables and plots that parse, without a panic.

use onramp_report::{page, table, to_csv, to_json, Meta, Run, TableOptions};
use onramp_results::{ReceiverSample, Record, SegmentSample, SenderSample, StartupEvent, Trace};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

const NAMES: [&str; 8] = [
    "none", "cubic", "host", "0.5 bdp", "paced", "exit", "phase", "estimate",
];

/// A few names, so that records form groups and rows, and sometimes any text.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => prop::sample::select(NAMES.to_vec()).prop_map(str::to_owned),
        1 => any::<String>(),
    ]
}

/// Ordinary times, and every bit pattern that a float can have.
fn float() -> impl Strategy<Value = f64> {
    prop_oneof![0.0..10.0, prop::num::f64::ANY, Just(0.0)]
}

fn int() -> impl Strategy<Value = u64> {
    prop_oneof![0..10_000_000_u64, any::<u64>(), Just(0), Just(u64::MAX)]
}

prop_compose! {
    fn a_record()(
        texts in prop::array::uniform20(name()),
        floats in prop::array::uniform9(float()),
        ints in prop::array::uniform6(int()),
        options in (
            option::of(int()),
            option::of(float()),
            option::of(int()),
            option::of(float()),
            option::of(float()),
        ),
        results in (option::of(float()), option::of(float()), any::<bool>()),
        run: u32,
        suspect: bool,
    ) -> Record {
        let [
            scenario, host, queue, loss, receiver_buffer, sender_buffer, startup, avoidance,
            initial_window, exit_reason, role, stack, recovery, timers, sender_tcp, connections,
            label, beside, path, application,
        ] = texts;
        Record {
            transport: stack.clone(),
            scenario, host, queue, loss, receiver_buffer, sender_buffer, startup, avoidance,
            initial_window, exit_reason, role, stack, recovery, timers, sender_tcp, connections,
            label, beside, path, application,
            case: run ^ 2,
            beside_bytes: options.0,
            capacity_bits_per_s: ints[0] / 2,
            capacity_bytes_per_s: ints[3],
            flow: run ^ 1,
            rate_bits_per_s: ints[0],
            rtt_ms: floats[0],
            size_bytes: ints[1],
            sizes: String::new(),
            run,
            seed: ints[2],
            start_s: floats[7],
            finished: suspect ^ results.2,
            completion_s: results.0,
            bound_s: floats[2],
            excess_rtts: results.1,
            delivered_bytes: ints[1] / 2,
            timeouts: options.2,
            retransmitted_segments: ints[3],
            dropped_packets: ints[4],
            marked_packets: ints[3],
            policed_packets: ints[4] / 3,
            lost_packets: ints[5],
            peak_queue_bdp: floats[4],
            exit_cwnd_bytes: options.0,
            exit_time_s: options.1,
            estimate_bytes_per_s: options.2,
            remembered_bytes: options.0,
            first_answer_s: results.0,
            later_answer_s: results.1,
            stalls: options.0.map(|bytes| bytes as u32),
            stalled_s: options.1,
            traffic_before_bytes_per_s: options.3,
            traffic_during_bytes_per_s: options.4,
            lateness_p99_us: floats[5],
            lateness_max_us: floats[6],
            suspect,
        }
    }
}

prop_compose! {
    fn a_sender_sample()(
        floats in prop::array::uniform2(float()),
        ints in prop::array::uniform4(int()),
        ssthresh_bytes in option::of(int()),
        pacing_bytes_per_s in option::of(int()),
    ) -> SenderSample {
        SenderSample {
            time_s: floats[0],
            acked_bytes: ints[0],
            cwnd_bytes: ints[1],
            ssthresh_bytes,
            inflight_bytes: ints[2],
            pacing_bytes_per_s,
            delivery_bytes_per_s: ints[3],
            srtt_s: floats[1],
        }
    }
}

prop_compose! {
    fn a_segment_sample()(
        time_s in float(),
        start_byte in int(),
        length_bytes: u32,
        retransmission: bool,
        dropped: bool,
    ) -> SegmentSample {
        SegmentSample { time_s, start_byte, length_bytes, retransmission, dropped }
    }
}

prop_compose! {
    fn a_receiver_sample()(time_s in float(), received_bytes in int()) -> ReceiverSample {
        ReceiverSample { time_s, received_bytes }
    }
}

prop_compose! {
    fn an_event()(
        time_s in float(),
        kind in name(),
        what in name(),
        ints in prop::array::uniform4(int()),
    ) -> StartupEvent {
        StartupEvent {
            time_s,
            kind,
            what,
            estimate_bytes_per_s: ints[0],
            cwnd_bytes: ints[1],
            ssthresh_bytes: ints[2],
            pacing_bytes_per_s: ints[3],
            remembered_bytes: ints[3],
        }
    }
}

prop_compose! {
    fn a_trace()(
        sender in vec(a_sender_sample(), 0..20),
        segments in vec(a_segment_sample(), 0..20),
        receiver in vec(a_receiver_sample(), 0..20),
        events in vec(an_event(), 0..8),
    ) -> Trace {
        Trace { sender, segments, receiver, events, ..Trace::default() }
    }
}

prop_compose! {
    fn a_run()(record in a_record(), trace in option::of(a_trace())) -> Run {
        Run { record, trace }
    }
}

proptest! {
    #[test]
    fn tables_and_exports_accept_any_records(
        records in vec(a_record(), 0..12),
        width in 0..300_usize,
        colour: bool,
    ) {
        table(&records, &TableOptions { width, colour });
        to_csv(&records);
        let json: serde_json::Value = serde_json::from_str(&to_json(&records)).unwrap();
        prop_assert_eq!(json.as_array().unwrap().len(), records.len());
    }

    #[test]
    fn pages_accept_any_runs(runs in vec(a_run(), 0..6)) {
        let html = page(&Meta::default(), &runs);
        for figure in html.split("<figure>\n").skip(1) {
            let svg = figure.split("<figcaption>").next().unwrap();
            prop_assert!(roxmltree::Document::parse(svg.trim()).is_ok(), "{}", svg);
            prop_assert!(!svg.contains("NaN") && !svg.contains("\"inf"), "{}", svg);
        }
    }
}
