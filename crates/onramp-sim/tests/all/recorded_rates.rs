//! Links whose rate is recorded in a file of comma-separated values.

use onramp_sim::observe::{Direction, Observer, PacketEvent};
use onramp_sim::{run_observed, Options};
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
