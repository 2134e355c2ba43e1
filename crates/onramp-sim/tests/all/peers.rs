//! Start-ups from elsewhere, on the paths on which their authors have shown them.

use onramp_results::Record;
use onramp_scenario::Case;
use onramp_sim::observe::{Direction, Observer, PacketEvent};
use onramp_sim::{run, run_observed, Options};
use onramp_tcp::Connection;

fn case(text: &str) -> Case {
    onramp_scenario::parse("test.toml", &format!("name = \"test\"\n{text}"))
        .expect("the scenario is right")
        .cases
        .remove(0)
}

fn record(text: &str) -> Record {
    run(&case(text), &Options::default())
        .expect("the case can be simulated")
        .records
        .remove(0)
}

/// Time in seconds, and bytes acknowledged, of each ACK of data.
#[derive(Default)]
struct Acks(Vec<(f64, u64)>);

impl Observer for Acks {
    fn sender_acted(&mut self, time_ns: u64, _flow: u32, sender: &Connection) {
        let acked = sender.acked_bytes();
        if acked > self.0.last().map_or(0, |last| last.1) {
            self.0.push((time_ns as f64 / 1e9, acked));
        }
    }
}

/// The path of SUSS's published logs: an RTT of 49.9 ms, 48 Mbit/s of payload, and no loss. Their
/// kernel exceeds the receiver's window, so this receiver has a large one.
const SUSS: &str = "[path]\nrate = \"49.5 Mbit/s\"\nrtt = \"49.6 ms\"\nqueue = \"2000 packets\"\n\
    [receiver]\nbuffer = \"64 MB\"\n[sender]\nbuffer = \"64 MB\"\n\
    [[transfer]]\nsize = \"17 MB\"\nconnect = \"sender\"\n";

/// Seconds from the first ACK of data to the ACK of 1, 2, 5, 10 and 16 MB.
fn times_s(startup: &str) -> [f64; 5] {
    let case = case(&format!("{SUSS}startup = \"{startup}\"\n"));
    let (_, Acks(acks)) = run_observed(&case, &Options::default(), Acks::default())
        .expect("the case can be simulated");
    [1, 2, 5, 10, 16].map(|megabytes| {
        let acked = acks.iter().find(|ack| ack.1 >= megabytes * 1_000_000);
        acked.expect("the transfer is larger").0 - acks[0].0
    })
}

fn assert_within_a_tenth(found: [f64; 5], published: [f64; 5]) {
    let are_near = found
        .iter()
        .zip(published)
        .all(|(found, published)| (found / published - 1.0).abs() <= 0.1);
    assert!(
        are_near,
        "{found:.3?} s, and the logs have {published:.3?} s"
    );
}

/// The example of the authors' repository (`usageGuide/example`): the times of the two logs.
#[test]
fn suss_takes_the_times_of_its_published_log() {
    assert_within_a_tenth(times_s("suss"), [0.266, 0.434, 0.936, 1.773, 2.826]);
}

#[test]
fn without_suss_cubic_takes_the_times_of_the_other_log() {
    assert_within_a_tenth(times_s("none"), [0.342, 0.510, 1.012, 1.848, 2.902]);
}

/// When slow start ended, and why, on a satellite link as in the draft's measurements of SEARCH.
/// Its queue is deep: SEARCH sees the full pipe when cwnd is four to six times the BDP.
fn exit(rate: &str, transfer: &str) -> (f64, String) {
    let record = record(&format!(
        "[path]\nrate = \"{rate}\"\nrtt = \"600 ms\"\nqueue = \"8 bdp\"\n\
         [receiver]\nbuffer = \"64 MB\"\n[sender]\nbuffer = \"64 MB\"\n\
         [[transfer]]\n{transfer}"
    ));
    let exit_s = record.exit_time_s.expect("it ends");
    (exit_s, record.exit_reason)
}

/// Reno has no HyStart, so its slow start ends when the queue overflows. The draft: SEARCH exits
/// "after the congestion point is reached but before inducing packet loss".
fn assert_search_leaves_in_time(rate: &str, size: &str, version: &str) {
    let exit = |transfer: &str| exit(rate, &format!("size = \"{size}\"\n{transfer}"));
    let (hystart_s, why) = exit("startup = \"standard\"\n");
    assert_eq!(why, "ssthresh");
    let (loss_s, why) = exit("startup = \"standard\"\navoidance = \"reno\"\n");
    assert_eq!(why, "loss");
    let (search_s, why) = exit(&format!("startup = \"search\"\nsearch = \"{version}\"\n"));
    assert_eq!(why, "delivery", "{version}");
    assert!(
        hystart_s < search_s && search_s < loss_s,
        "{version}: HyStart {hystart_s} s, SEARCH {search_s} s, loss {loss_s} s"
    );
}

#[test]
fn on_a_satellite_search_leaves_after_hystart_and_before_the_loss() {
    assert_search_leaves_in_time("50 Mbit/s", "120 MB", "draft");
}

#[test]
fn so_do_the_other_versions_of_search() {
    for version in ["linux", "freebsd"] {
        assert_search_leaves_in_time("5 Mbit/s", "12 MB", version);
    }
}

/// A parameter reaches the algorithm. Sums that double end at 50 % when growth ends at once.
#[test]
fn a_higher_threshold_of_search_leaves_later() {
    let [low_s, high_s] = ["10 %", "40 %"].map(|thresh| {
        let (exit_s, why) = exit(
            "5 Mbit/s",
            &format!(
                "size = \"12 MB\"\nstartup = \"search\"\n[transfer.parameters]\n\
                 thresh = \"{thresh}\"\n"
            ),
        );
        assert_eq!(why, "delivery", "{thresh}");
        exit_s
    });
    assert!(low_s < high_s, "{low_s} s, {high_s} s");
}

/// When each segment of data left.
#[derive(Default)]
struct Sent(Vec<(f64, u32)>);

impl Observer for Sent {
    fn sent(&mut self, packet: &PacketEvent<'_>) {
        if packet.direction == Direction::Data && packet.segment.payload_bytes > 0 {
            let time_s = packet.time_ns as f64 / 1e9;
            self.0.push((time_s, packet.segment.payload_bytes));
        }
    }
}

/// The download of a receiver with a window of 1 MB: what left in the first round trip.
fn first_round_trip(startup: &str) -> (u64, f64) {
    let case = case(&format!(
        "[path]\nrate = \"1 Gbit/s\"\nrtt = \"100 ms\"\nqueue = \"1 bdp\"\n\
         [receiver]\nbuffer = \"1 MB\"\n[[transfer]]\nsize = \"5 MB\"\nstartup = \"{startup}\"\n"
    ));
    let (_, Sent(sent)) = run_observed(&case, &Options::default(), Sent::default())
        .expect("the case can be simulated");
    let first_s = sent[0].0;
    let early: Vec<_> = sent.iter().filter(|sent| sent.0 < first_s + 0.1).collect();
    let bytes = early.iter().map(|sent| u64::from(sent.1)).sum();
    (bytes, early.last().unwrap().0 - first_s)
}

#[test]
fn jump_spreads_the_receivers_window_over_the_first_round_trip() {
    let (bytes, s) = first_round_trip("jump");
    assert!((450_000..1_000_000).contains(&bytes), "{bytes} B");
    assert!((0.095..0.1).contains(&s), "{s} s");
}

#[test]
fn halfback_spreads_at_most_141_kb_over_it() {
    let (bytes, s) = first_round_trip("halfback");
    assert!((139_000..=141_000).contains(&bytes), "{bytes} B");
    // The first ten segments leave at once, as in Linux.
    assert!((0.085..0.1).contains(&s), "{s} s");
}
