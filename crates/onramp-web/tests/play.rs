//! What the page gets of a scenario.

use onramp_web::{
    check, completion_times, export, play, program_facts, ExportFormat, PlayedCase, Table,
};

const PATH: &str = "name = \"test\"\n[path]\nrate = \"20 Mbit/s\"\nrtt = \"100 ms\"\n";

fn played(text: &str) -> Vec<PlayedCase> {
    play(text, &mut |_| true)
        .expect("a scenario that runs")
        .cases
}

/// A scenario whose path has these keys, with a transfer of 2 MB.
fn scenario(path: &str) -> String {
    format!("{PATH}{path}\n[[transfer]]\nsize = \"2 MB\"\n")
}

/// The times of a packet on its way, those that it has.
fn times(packets: &Table, row: usize) -> Vec<f64> {
    let columns = ["sentS", "enteredS", "servedS", "departedS", "arrivedS"];
    let times = columns.map(|name| packets.f64(name)[row]);
    times
        .into_iter()
        .filter(|time_s| !time_s.is_nan())
        .collect()
}

#[test]
fn packets_pass_the_path_in_order_of_time() {
    for path in [
        "queue = \"1 bdp\"",
        "queue = \"20 packets\"\nloss = \"1 %\"",
        "jitter = \"5 ms\"\nreorder = true",
        "discipline = \"codel\"",
        "policer_rate = \"10 Mbit/s\"\npolicer_burst = \"50 kB\"",
        "aggregate = \"5 ms\"",
    ] {
        for case in played(&scenario(path)) {
            let packets = &case.packets;
            assert!(packets.rows() > 2000, "{path}: {}", packets.rows());
            assert!(packets.f64("sentS").is_sorted(), "{path}");
            for row in 0..packets.rows() {
                assert!(times(packets, row).is_sorted(), "{path}: packet {row}");
                let is_dropped = !packets.f64("droppedS")[row].is_nan();
                assert_eq!(is_dropped, packets.u8("dropReason")[row] != 0, "{path}");
                assert_eq!(is_dropped, packets.u8("dropLink")[row] != u8::MAX, "{path}");
                assert!(
                    !is_dropped || packets.f64("arrivedS")[row].is_nan(),
                    "{path}"
                );
            }
        }
    }
}

#[test]
fn a_packet_in_transmission_takes_its_time_at_the_rate() {
    let [case] = &played(&scenario("queue = \"1 bdp\""))[..] else {
        panic!("one case")
    };
    let packets = &case.packets;
    let (mut data, mut waited) = (0, 0);
    for row in 0..packets.rows() {
        let [served_s, departed_s] = ["servedS", "departedS"].map(|name| packets.f64(name)[row]);
        if packets.u8("kind")[row] != 0 || departed_s.is_nan() {
            continue;
        }
        let transmission_s = f64::from(packets.u32("bytes")[row]) * 8.0 / 20e6;
        let wanted_s = served_s + transmission_s + 0.05;
        assert!(
            (departed_s - wanted_s).abs() < 2e-9,
            "{departed_s} {wanted_s}"
        );
        data += 1;
        waited += usize::from(served_s > packets.f64("enteredS")[row]);
    }
    assert!(data > 1000 && waited > 500, "{data} {waited}");
}

#[test]
fn the_queue_and_the_drops_are_those_of_the_record() {
    for queue in ["1 bdp", "20 packets", "3 bdp"] {
        let text = scenario(&format!("queue = \"{queue}\""));
        let run = play(&text, &mut |_| true).unwrap();
        let case = &run.cases[0];
        let fields = &case.transfers[0].facts.fields;
        let bdp_bytes = 20e6 / 8.0 * 0.1;
        let peak = case.queue.f64("bytes").iter().copied().fold(0.0, f64::max) / bdp_bytes;
        let wanted = fields["peak_queue_bdp"].as_f64().unwrap();
        assert!((peak - wanted).abs() < 1e-9, "{queue}: {peak} {wanted}");
        let reasons = case.packets.u8("dropReason");
        let dropped = reasons.iter().filter(|reason| **reason == 1).count() as u64;
        assert_eq!(Some(dropped), fields["dropped_packets"].as_u64(), "{queue}");
        let is_again = |kind: &&u8| **kind == 1;
        let again = case.packets.u8("kind").iter().filter(is_again).count() as u64;
        assert_eq!(
            Some(again),
            fields["retransmitted_segments"].as_u64(),
            "{queue}"
        );
        assert_eq!(
            case.queue.f64("bytes").last(),
            Some(&0.0),
            "all packets have left"
        );
    }
}

#[test]
fn recording_does_not_change_the_records() {
    let text = format!(
        "{PATH}loss = \"0.5 %\"\n[[transfer]]\nsize = \"1 MB\"\nstartup = [\"none\", \"onramp\"]\n\
         count = 2\nspacing = \"50 ms\"\n\
         [[traffic]]\nkind = \"poisson\"\nrate = \"2 Mbit/s\"\n"
    );
    let run = play(&text, &mut |_| true).unwrap();
    let scenario = onramp_scenario::parse("test.toml", &text).unwrap();
    let records: Vec<_> = scenario
        .cases
        .iter()
        .flat_map(|case| onramp_sim::run(case, &Default::default()).unwrap().records)
        .collect();
    assert_eq!(run.facts.records_json, onramp_report::to_json(&records));
    for case in &run.cases {
        assert_eq!(case.transfers.len(), 2);
        assert!(
            case.packets.u8("kind").contains(&3),
            "datagrams are on the path"
        );
        let of_transfers: Vec<_> = case.facts.flows.iter().map(|flow| flow.transfer).collect();
        assert_eq!(of_transfers, [-1, 0, 1], "{:?}", case.facts.flows);
    }
}

#[test]
fn watching_a_link_does_not_change_what_it_does() {
    for path in [
        "discipline = \"codel\"",
        "discipline = \"fq-codel\"\nloss = \"0.1 %\"",
        "queue = \"10 packets\"\njitter = \"3 ms\"",
        "policer_rate = \"10 Mbit/s\"\npolicer_burst = \"50 kB\"",
        "shaper_rate = \"10 Mbit/s\"\nshaper_burst = \"50 kB\"",
        "aggregate = \"5 ms\"\nduplicate = \"0.1 %\"",
        "steps = { every = \"100 ms\", min = \"5 Mbit/s\" }",
    ] {
        let text = format!("{}startup = \"onramp\"\n", scenario(path));
        let Ok(scenario) = onramp_scenario::parse("test.toml", &text) else {
            panic!("{path}: {:?}", check(&text).faults)
        };
        let usual = onramp_sim::run(&scenario.cases[0], &Default::default()).unwrap();
        let run = play(&text, &mut |_| true).unwrap();
        assert_eq!(
            run.facts.records_json,
            onramp_report::to_json(&usual.records),
            "{path}"
        );
    }
}

#[test]
fn phases_and_events_are_on_the_clock_of_the_run() {
    let text = format!(
        "{PATH}queue = \"1 bdp\"\n[[transfer]]\nsize = \"2 MB\"\nstartup = \"onramp\"\n\
         start = \"2 s\"\n"
    );
    let [case] = &played(&text)[..] else {
        panic!("one case")
    };
    let transfer = &case.transfers[0];
    assert_eq!(transfer.facts.start_s, 2.0);
    for (table, column) in [
        (&transfer.sender, "timeS"),
        (&transfer.segments, "timeS"),
        (&transfer.receiver, "timeS"),
        (&transfer.rtt, "timeS"),
        (&case.packets, "sentS"),
    ] {
        let times = table.f64(column);
        assert!(times.len() > 100 && times.is_sorted());
        assert!(times[0] >= 2.0 && times[times.len() - 1] < case.facts.end_s + 1e-9);
    }
    let json = serde_json::to_value(&transfer.facts).unwrap();
    let phases = json["phases"].as_array().unwrap();
    assert_eq!(phases[0]["name"], "slow-start");
    assert!(phases
        .windows(2)
        .all(|pair| pair[0]["endS"] == pair[1]["beginS"]));
    assert_eq!(phases.last().unwrap()["endS"], json["completedS"]);
    let events = json["events"].as_array().unwrap();
    let estimate = events
        .iter()
        .find(|event| event["kind"] == "estimate")
        .unwrap();
    assert!(estimate["timeS"].as_f64().unwrap() > 2.0);
    let words = estimate["words"].as_str().unwrap();
    assert!(
        words.starts_with("Estimate ") && words.contains("min RTT of 101 ms"),
        "{words}"
    );
}

#[test]
fn mistakes_have_their_places() {
    let text = "name = \"x\"\n[path]\nrate = \"20 Mbit\"\nrtt = \"5 ms\"\n[[transfer]]\n\
                size = \"1 MB\"\n";
    let checked = check(text);
    let [fault] = &checked.faults[..] else {
        panic!("{checked:?}")
    };
    assert_eq!((fault.line, fault.column), (Some(3), Some(8)), "{fault:?}");
    assert!(fault.help.as_ref().unwrap().contains("Mbit/s"), "{fault:?}");
    assert_eq!(check(PATH).cases, 0);
    assert_eq!(check(&scenario("")).cases, 1);
}

#[test]
fn what_the_page_does_not_run_is_refused_with_advice() {
    let refused = |transfer: &str| {
        let refusal = play(&format!("{PATH}[[transfer]]\n{transfer}"), &mut |_| true);
        let fault = refusal.unwrap_err().0.remove(0);
        format!("{}: {}", fault.message, fault.help.unwrap_or_default())
    };
    let cases = refused("size = \"1 MB\"\nrepeat = 7\n");
    assert!(
        cases.contains("7 cases") && cases.contains("onramp sim FILE"),
        "{cases}"
    );
    let quic = refused("size = \"1 MB\"\ntransport = \"quic\"\nstartup = \"none\"\n");
    assert!(
        quic.contains("quic") && quic.contains("onramp sim FILE"),
        "{quic}"
    );
}

#[test]
fn a_run_that_is_too_long_is_stopped_with_a_reason() {
    let mut reports = Vec::new();
    let text = format!("{PATH}[[transfer]]\nsize = \"100 MB\"\n");
    let refusal = play(&text, &mut |progress| {
        reports.push(progress);
        reports.len() < 3
    });
    let fault = refusal.unwrap_err().0.remove(0);
    assert!(fault.message.contains("takes too long"), "{fault:?}");
    assert!(fault.help.unwrap().contains("onramp sim FILE"));
    assert!(reports.len() >= 3);
    let fractions: Vec<f64> = reports.iter().map(|progress| progress.fraction).collect();
    assert!(
        fractions.is_sorted() && fractions[0] > 0.0 && fractions[2] < 1.0,
        "{fractions:?}"
    );
}

#[test]
fn every_format_is_exported() {
    let text = format!("{PATH}[[transfer]]\nsize = \"200 kB\"\nstartup = [\"none\", \"onramp\"]\n");
    let file = |name: &str, case| {
        let format = ExportFormat::named(name).unwrap();
        export(&text, format, case, &mut |_| true)
    };
    for (name, begin) in [
        ("json", "[\n"),
        ("csv", "scenario,host,"),
        ("acks", "time_ns,flow,"),
        ("qlog", "\u{1e}{\"description\""),
        ("svg", "<svg xmlns"),
    ] {
        let text = String::from_utf8(file(name, 2).unwrap().bytes).unwrap();
        assert!(text.starts_with(begin), "{name}: {}", &text[..60]);
    }
    let capture = file("pcapng", 2).unwrap();
    assert_eq!(capture.name, "test-case-2.pcapng");
    assert_eq!(capture.bytes[..4], 0x0a0d_0d0a_u32.to_le_bytes());
    assert_eq!(file("json", 1).unwrap().name, "test.json");
    let refusal = file("qlog", 3).unwrap_err().0.remove(0);
    assert!(refusal.message.contains("no case 3"), "{refusal:?}");
    assert_eq!(ExportFormat::named("png"), None);
}

#[test]
fn a_repetition_takes_the_times_of_its_records() {
    let text = format!(
        "{PATH}loss = \"1 %\"\n[[transfer]]\nsize = \"200 kB\"\nstartup = [\"none\", \"onramp\"]\n\
         repeat = 9\n"
    );
    let scenario = onramp_scenario::parse("test.toml", &text).unwrap();
    let mut seen = std::collections::BTreeSet::new();
    for run in 1..=9 {
        let of_run = scenario.cases.iter().filter(|case| case.run == run);
        let wanted: Vec<_> = of_run
            .map(|case| onramp_sim::run(case, &Default::default()).unwrap().records[0].completion_s)
            .collect();
        let times = completion_times(&text, run, &mut |_| true).unwrap();
        assert_eq!((times.len(), &times), (2, &wanted), "repetition {run}");
        seen.insert(times[0].unwrap().to_bits());
    }
    assert!(seen.len() > 4, "repetitions differ: {seen:?}");
    let refusal = completion_times(&text, 10, &mut |_| true).unwrap_err();
    assert!(
        refusal.0[0].message.contains("no repetition 10"),
        "{refusal:?}"
    );
}

#[test]
fn the_figures_are_one_well_formed_file() {
    let text = format!("{PATH}[[transfer]]\nsize = \"200 kB\"\nstartup = [\"none\", \"onramp\"]\n");
    let file = export(&text, ExportFormat::Svg, 1, &mut |_| true).unwrap();
    let text = String::from_utf8(file.bytes).unwrap();
    let svg = roxmltree::Document::parse(&text).expect("XML");
    let groups = svg
        .root_element()
        .children()
        .filter(|node| node.has_tag_name("g"));
    assert_eq!(
        groups.count(),
        6,
        "events, sequence, windows, rate, queue, delay"
    );
}

#[test]
fn the_controls_know_the_algorithms() {
    let facts = serde_json::to_value(program_facts()).unwrap();
    let startups = facts["startups"].as_array().unwrap();
    assert_eq!(startups[0]["name"], "none");
    assert!(startups.iter().any(|startup| startup["name"] == "onramp"));
    assert!(startups.iter().all(|startup| startup["summary"] != ""));
    assert!(facts["avoidances"]
        .as_array()
        .unwrap()
        .contains(&"cubic".into()));
}
