//! Runs that share their beginning have the outcomes of whole runs.

use onramp_scenario::Scenario;
use onramp_sim::observe::{DropReason, FlowStart, Observer, PacketEvent};
use onramp_sim::{beginning_key, run_observed, Beginning, Options};
use onramp_tcp::Connection;

fn parse(text: &str) -> Scenario {
    onramp_scenario::parse("test.toml", &format!("name = \"test\"\n{text}"))
        .unwrap_or_else(|error| panic!("{error:?}"))
}

/// Every call of an observer.
#[derive(Clone, Debug, Default, PartialEq)]
struct Calls(Vec<String>);

impl Observer for Calls {
    fn flow_started(&mut self, flow: &FlowStart) {
        self.0.push(format!("{flow:?}"));
    }

    fn sent(&mut self, packet: &PacketEvent<'_>) {
        self.0.push(format!("sent {packet:?}"));
    }

    fn arrived(&mut self, packet: &PacketEvent<'_>) {
        self.0.push(format!("arrived {packet:?}"));
    }

    fn entered(&mut self, link: u32, packet: &PacketEvent<'_>) {
        self.0.push(format!("entered {link} {packet:?}"));
    }

    fn departed(&mut self, link: u32, packet: &PacketEvent<'_>) {
        self.0.push(format!("departed {link} {packet:?}"));
    }

    fn dropped(&mut self, link: u32, why: DropReason, packet: &PacketEvent<'_>) {
        self.0.push(format!("dropped {link} {why:?} {packet:?}"));
    }

    fn delivered(&mut self, time_ns: u64, flow: u32, bytes: u64) {
        self.0.push(format!("delivered {time_ns} {flow} {bytes}"));
    }

    fn sender_acted(&mut self, time_ns: u64, flow: u32, sender: &Connection) {
        let (window, stats) = (sender.window(), sender.stats());
        let state = (sender.state(), sender.next_timer_ns(), sender.srtt_ns());
        self.0.push(format!(
            "acted {time_ns} {flow} {window:?} {stats:?} {state:?}"
        ));
    }

    fn flow_ended(&mut self, time_ns: u64, flow: u32) {
        self.0.push(format!("ended {time_ns} {flow}"));
    }
}

/// Links with all elements that have a state, and traffic of all kinds. Some of the transfers have
/// ended before the measured one starts, and one of them has a record.
const LED: &str = r#"
[run]
duration = "4 s"
[path]
rate = "4 Mbit/s"
rtt = "40 ms"
jitter = "2 ms"
loss = "0.5 %"
queue = "20 packets"
discipline = "red"
duplicate = "0.1 %"
[[traffic]]
kind = "transfer"
count = 3
arrivals = "4 /s"
lead = "1.5 s"
[[traffic]]
kind = "transfer"
size = "20 kB"
count = 2
measured = true
lead = "1.2 s"
[[traffic]]
kind = "poisson"
rate = "300 kbit/s"
lead = "0.5 s"
[[traffic]]
kind = "on-off"
rate = "300 kbit/s"
on = "100 ms"
off = "80 ms"
start = "0 s"
[[transfer]]
size = "300 kB"
recovery = ["rack", "reno", "newreno"]
startup = ["none", "onramp", "astart"]
avoidance = ["cubic", "bbr"]
count = 2
spacing = "0.3 s"
[[transfer]]
size = "300 kB"
startup = "onramp"
memory = "careful"
count = 2
spacing = "0.3 s"
[[transfer]]
size = "300 kB"
connections = 3
count = 2
spacing = "0.3 s"
"#;

#[test]
fn runs_that_share_their_beginning_have_the_outcomes_of_whole_runs() {
    let cases = parse(LED).cases;
    let options = Options::default();
    let shared = Beginning::new(&cases[0], &options, Calls::default()).unwrap();
    for case in &cases {
        let whole = run_observed(case, &options, Calls::default()).unwrap();
        let (outcome, calls) = shared.run(case, &options).unwrap();
        assert_eq!(outcome, whole.0, "{:?}", case.transfer);
        let difference = calls
            .0
            .iter()
            .zip(&whole.1 .0)
            .find(|(one, other)| one != other);
        assert_eq!((calls.0.len(), difference), (whole.1 .0.len(), None));
    }
}

#[test]
fn a_case_that_differs_in_more_than_its_transfer_has_another_key() {
    let key = beginning_key(&parse(LED).cases[0]);
    assert!(key.is_some());
    for (from, to) in [
        ("rate = \"4 Mbit/s\"", "rate = \"5 Mbit/s\""),
        ("on = \"100 ms\"", "on = \"101 ms\""),
        ("[run]", "seed = 7\n[run]"),
        ("count = 2\nspacing", "count = 3\nspacing"),
        ("spacing = \"0.3 s\"", "spacing = \"0.4 s\""),
        ("lead = \"1.5 s\"", "lead = \"1.6 s\""),
        ("duration = \"4 s\"", "duration = \"5 s\""),
        ("[path]", "[sender]\nbuffer = \"1 MB\"\n[path]"),
    ] {
        let text = LED.replace(from, to);
        assert_ne!(text, LED, "{from}");
        assert_ne!(beginning_key(&parse(&text).cases[0]), key, "{to}");
    }
}

#[test]
fn a_case_without_traffic_before_its_transfer_has_no_key() {
    const ALONE: &str = "[path]\nrate = \"1 Mbit/s\"\nrtt = \"9 ms\"\n\
                         [[transfer]]\nsize = \"9 kB\"\nstart = \"1 s\"\n";
    let key = |text: &str| beginning_key(&parse(&format!("{ALONE}{text}")).cases[0]);
    assert_eq!(key(""), None);
    assert_eq!(key("[[traffic]]\nlead = \"0 s\"\n"), None);
    assert!(key("[[traffic]]\nlead = \"1 s\"\n").is_some());
    let starting = "[[traffic]]\nlead = \"1 s\"\nstartup = \"onramp\"\n";
    assert_eq!(key(starting), None);
}
