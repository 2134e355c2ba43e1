//! Several requests of a receiver: connections that are kept alive, pages and video.

use onramp_results::Record;
use onramp_scenario::Case;
use onramp_sim::{run, Options, Outcome};

fn case(text: &str) -> Case {
    let scenario = onramp_scenario::parse("requests.toml", text);
    let scenario = scenario.unwrap_or_else(|error| panic!("{error:?}"));
    scenario.cases.into_iter().next().unwrap()
}

fn simulate(case: &Case) -> Outcome {
    run(case, &Options::default()).expect("the case can be simulated")
}

const PATH: &str = "name = \"requests\"\n[path]\nrate = \"80 Mbit/s\"\nrtt = \"100 ms\"\n\
                    [receiver]\nbuffer = \"64 MiB\"\n";

fn record(path: &str, transfer: &str) -> Record {
    let text = format!("{path}[[transfer]]\nstartup = \"none\"\n{transfer}");
    simulate(&case(&text)).records.remove(0)
}

/// Whether a time is this one, or up to 8 ms more, which serialisation takes.
fn is_about(time_s: Option<f64>, wanted_s: f64) -> bool {
    time_s.is_some_and(|time_s| (wanted_s..wanted_s + 0.008).contains(&time_s))
}

#[test]
fn each_request_waits_for_the_answer_before_and_think_times_are_left_out() {
    let answers = |think: &str| record(PATH, &format!("size = \"20 kB\"\nrequests = 5\n{think}"));
    let at_once = answers("");
    // The handshake and five round trips.
    assert!(is_about(at_once.completion_s, 0.6), "{at_once:?}");
    assert!(is_about(at_once.first_answer_s, 0.2) && is_about(at_once.later_answer_s, 0.1));
    assert!((at_once.completion_s.unwrap() - at_once.bound_s).abs() < 0.003);
    let fixed = answers("think = \"150 ms\"\n");
    assert_eq!(fixed.application, "5 requests, think 150 ms");
    assert!(is_about(fixed.completion_s, 0.6), "{fixed:?}");
    let drawn = answers("think = \"exponential 150 ms\"\n");
    assert!(is_about(drawn.completion_s, 0.6), "{drawn:?}");
    assert_eq!((at_once.stalls, at_once.stalled_s), (None, None));
}

/// The last message of 4,000 bytes ends with a small segment: Nagle's algorithm of Linux does not
/// delay it while only full segments are in flight. Measured on a kernel: 0.10 s.
#[test]
fn an_answer_that_ends_with_a_small_segment_takes_one_round_trip() {
    let answers = record(PATH, "size = \"16 kB\"\nrequests = 4\n");
    assert!(is_about(answers.later_answer_s, 0.1), "{answers:?}");
}

#[test]
fn a_page_opens_its_other_connections_after_the_first_object() {
    let page = |number: &str| {
        let keys = format!("size = \"50 kB\"\nrequests = 25\nconnections = {number}\n");
        record(PATH, &keys)
    };
    let (one, six, multiplexed) = (page("1"), page("6"), page("\"multiplexed\""));
    assert!(is_about(one.completion_s, 2.6), "{one:?}");
    // The first object after two round trips. Then the first connection asks in each round trip,
    // and five others in each but the first, which is their handshake: 1, 6, 6, 6 and 5 objects.
    assert!(is_about(six.completion_s, 0.7), "{six:?}");
    assert!(is_about(multiplexed.first_answer_s, 0.2), "{multiplexed:?}");
    // 48 kB are 34 segments: windows of 10, 20 and 40 segments.
    assert!(is_about(multiplexed.completion_s, 0.5), "{multiplexed:?}");
    for record in [&one, &six, &multiplexed] {
        assert!(
            record.finished && record.delivered_bytes == 50_000,
            "{record:?}"
        );
        assert!(record.completion_s.unwrap() >= record.bound_s, "{record:?}");
    }
    assert_eq!(six.connections, "6 connections");
    assert_eq!(multiplexed.connections, "multiplexed");
}

#[test]
fn a_page_of_fewer_objects_than_connections_is_complete() {
    let page = record(PATH, "size = \"3 kB\"\nrequests = 3\nconnections = 6\n");
    assert!(is_about(page.completion_s, 0.4), "{page:?}");
}

#[test]
fn a_video_stalls_where_the_path_is_slower_than_its_segments() {
    let video = |rate: &str| {
        let path = PATH.replace("80 Mbit/s", rate);
        // 10 segments of 1 MB and 2 s: 4 Mbit/s.
        let keys = "size = \"10 MB\"\nrequests = 10\nplay = \"2 s\"\nplayer_buffer = \"6 s\"\n";
        record(&path, keys)
    };
    let fast = video("80 Mbit/s");
    assert_eq!(
        (fast.stalls, fast.stalled_s),
        (Some(0), Some(0.0)),
        "{fast:?}"
    );
    assert_eq!(fast.application, "10 requests, play 2 s, buffer 6 s");
    // The waits for room in the buffer are left out: the other segments take 0.6 s each.
    assert!(fast.completion_s.unwrap() < 7.0, "{fast:?}");
    let slow = video("2 Mbit/s");
    assert_eq!(slow.stalls, Some(9), "{slow:?}");
    // A segment takes 4.1 s, of which 2 s are played, and a round trip.
    let stalled_s = slow.stalled_s.unwrap() / 9.0;
    assert!((2.1..2.4).contains(&stalled_s), "{slow:?}");
}

#[test]
fn all_start_ups_have_the_same_think_times() {
    let text = format!(
        "{PATH}[[transfer]]\nsize = \"20 kB\"\nrequests = 5\nthink = \"exponential 300 ms\"\n\
         startup = [\"none\", \"onramp\"]\ncount = 2\nspacing = \"1 s\"\n"
    );
    let scenario = onramp_scenario::parse("think.toml", &text).unwrap();
    let ends = scenario
        .cases
        .iter()
        .map(|case| simulate(case).counters.end_ns);
    let ends: Vec<u64> = ends.collect();
    assert!(ends[0].abs_diff(ends[1]) < 50_000_000, "{ends:?}");
}

/// Segments are lost, and requests too: every answer still arrives.
#[test]
fn losses_delay_answers_and_lose_none() {
    let path = PATH.replace(
        "[receiver]",
        "loss = \"5 %\"\n[path.reverse]\nloss = \"5 %\"\n[receiver]",
    );
    for connections in ["1", "6", "\"multiplexed\""] {
        let keys = format!("size = \"300 kB\"\nrequests = 30\nconnections = {connections}\n");
        let record = record(&path, &keys);
        assert!(
            record.finished && record.retransmitted_segments > 0,
            "{record:?}"
        );
    }
}
