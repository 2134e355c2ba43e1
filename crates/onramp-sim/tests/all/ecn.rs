//! Explicit congestion notification (RFC 3168): queues mark, and connections respond.

use onramp_results::Record;
use onramp_scenario::Case;
use onramp_sim::observe::{Direction, DropReason, Observer, PacketEvent};
use onramp_sim::{run, run_observed, Options};
use onramp_tcp::{EcnField, Flags};

const PATH: &str = "[path]\nrate = \"20 Mbit/s\"\nrtt = \"60 ms\"\nqueue = \"400 packets\"\n\
                    [receiver]\nbuffer = \"16 MiB\"\n";

fn cases(text: &str) -> Vec<Case> {
    onramp_scenario::parse("test.toml", &format!("name = \"test\"\n{text}"))
        .expect("the scenario is right")
        .cases
}

fn records(text: &str) -> Vec<Record> {
    let one = |case: &Case| run(case, &Options::default()).unwrap().records.remove(0);
    cases(text).iter().map(one).collect()
}

/// The path with a queue that marks.
fn marking(discipline: &str) -> String {
    PATH.replace(
        "[receiver]",
        &format!("discipline = \"{discipline}\"\necn = true\n[receiver]"),
    )
}

/// The first mark of a transfer of CUBIC replaces its first losses.
#[test]
fn a_transfer_with_ecn_loses_nothing_where_another_one_does() {
    for discipline in ["red", "codel", "fq-codel"] {
        let transfers = "[[transfer]]\nsize = \"10 MB\"\nstartup = \"none\"\necn = [true, false]\n";
        let records = records(&format!("{}{transfers}", marking(discipline)));
        let [with, without] = [&records[0], &records[1]];
        assert_eq!(
            (with.sender_tcp.as_str(), without.sender_tcp.as_str()),
            ("ECN", "")
        );
        assert!(
            with.marked_packets > 0 && without.marked_packets == 0,
            "{discipline}"
        );
        assert_eq!(
            (with.dropped_packets, with.retransmitted_segments),
            (0, 0),
            "{discipline}"
        );
        assert!(without.dropped_packets > 0, "{discipline}");
        // The response to a mark is that to a loss, so both have about the same rate. The average
        // of RED sinks slowly, so it marks two more windows, where a recovery lasts longer.
        let [fast, slow] = [with, without].map(|record| record.completion_s.unwrap());
        let most = if discipline == "red" { 1.6 } else { 1.05 };
        assert!(fast < most * slow, "{discipline}: {fast} and {slow}");
    }
}

#[test]
fn a_queue_without_ecn_drops_packets_of_connections_with_it() {
    let text = marking("codel").replace("ecn = true\n", "")
        + "[[transfer]]\nsize = \"10 MB\"\nstartup = \"none\"\necn = true\n";
    let record = &records(&text)[0];
    assert!(record.marked_packets == 0 && record.dropped_packets > 0);
}

/// No start-up ignores a mark: in a queue that signals in time none loses more packets than it does
/// without ECN, and none is slower.
#[test]
fn every_start_up_heeds_marks() {
    for name in onramp_core::startup_names() {
        // A reserved rate is not given up for a mark, and `jump` overflows the queue at once.
        if onramp_core::reserves(name) || *name == "jump" {
            continue;
        }
        let text = format!(
            "{}[[transfer]]\nsize = \"10 MB\"\nstartup = \"{name}\"\necn = [true, false]\n",
            marking("fq-codel")
        );
        let records = records(&text);
        let [with, without] = [&records[0], &records[1]];
        assert!(with.marked_packets > 0, "{name}");
        assert!(with.dropped_packets <= without.dropped_packets, "{name}");
        let [fast, slow] = [with, without].map(|record| record.completion_s.unwrap());
        assert!(fast < 1.1 * slow, "{name}: {fast} and {slow}");
    }
}

/// What the packets of a run say about ECN.
#[derive(Default)]
struct Bits {
    sent_ect: u64,
    sent_ce: u64,
    arrived_ce: u64,
    echoes: u64,
    cwrs: u64,
    acks_with_ect: u64,
}

impl Observer for Bits {
    fn sent(&mut self, packet: &PacketEvent<'_>) {
        let (segment, is_data) = (packet.segment, packet.direction == Direction::Data);
        self.sent_ect += u64::from(segment.ecn == EcnField::Ect0);
        self.sent_ce += u64::from(segment.ecn == EcnField::Ce);
        self.acks_with_ect += u64::from(!is_data && segment.ecn.is_capable());
        if !segment.flags.has(Flags::SYN) {
            self.echoes += u64::from(!is_data && segment.flags.has(Flags::ECE));
            self.cwrs += u64::from(is_data && segment.flags.has(Flags::CWR));
        }
    }

    fn arrived(&mut self, packet: &PacketEvent<'_>) {
        self.arrived_ce += u64::from(packet.segment.ecn == EcnField::Ce);
    }

    fn dropped(&mut self, _link: u32, _why: DropReason, packet: &PacketEvent<'_>) {
        panic!("{:?} was dropped", packet.segment);
    }
}

#[test]
fn observers_see_the_bits() {
    let text =
        marking("codel") + "[[transfer]]\nsize = \"10 MB\"\nstartup = \"none\"\necn = true\n";
    let case = &cases(&text)[0];
    let (outcome, bits) = run_observed(case, &Options::default(), Bits::default()).unwrap();
    let segments = 10_000_000u64.div_ceil(1448);
    // The request, and the data.
    assert_eq!((bits.sent_ect, bits.sent_ce), (segments + 1, 0));
    assert_eq!(bits.arrived_ce, outcome.records[0].marked_packets);
    assert!(bits.echoes >= bits.cwrs && bits.cwrs > 0);
    assert_eq!(bits.acks_with_ect, 1, "the request only");
}
