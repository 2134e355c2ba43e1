//! The refusal of scenarios that only the simulator runs.

use super::*;

#[test]
fn the_connecting_side_and_the_clocks_are_refused_with_their_key() {
    let refused = |keys: &str, traffic: &str| {
        let path = "name = \"x\"\n[path]\nrate = \"1 Mbit/s\"\nrtt = \"40 ms\"\n";
        let text = format!("{path}[[transfer]]\nsize = \"1 B\"\n{keys}[[traffic]]\n{traffic}");
        supports(&onramp_scenario::parse("x.toml", &text).unwrap().cases[0])
            .map_err(|refusal| refusal.key)
    };
    for (keys, key) in [
        ("connect = \"sender\"\n", "connect"),
        ("clock = \"1 ms\"\n", "clock"),
        ("tick = \"2 ns\"\n", "tick"),
    ] {
        assert_eq!(refused(keys, "").unwrap_err(), format!("transfer.{key}"));
        assert_eq!(refused("", keys).unwrap_err(), format!("traffic.{key}"));
    }
    assert_eq!(
        refused(
            "connect = \"receiver\"\nclock = \"1 ns\"\n",
            "tick = \"1 ns\"\n"
        ),
        Ok(())
    );
}

#[test]
fn a_start_up_without_one_of_its_ideas_is_refused() {
    let refused = |keys: &str| {
        let path = "name = \"x\"\n[path]\nrate = \"1 Mbit/s\"\nrtt = \"40 ms\"\n";
        let text = format!("{path}[[transfer]]\nsize = \"1 B\"\nstartup = \"onramp\"\n{keys}");
        supports(&onramp_scenario::parse("x.toml", &text).unwrap().cases[0])
            .map_err(|refusal| refusal.to_string())
    };
    assert_eq!(refused("without = \"nothing\"\n"), Ok(()));
    let words = "`transfer.without` asks for `spacing`: the lab supports start-ups with all their \
        ideas; run it in the simulator: onramp sim";
    assert_eq!(refused("without = \"spacing\"\n"), Err(words.to_owned()));
}

#[test]
fn keys_that_noq_does_not_have_are_refused_over_quic() {
    let refused = |keys: &str| {
        let path = "name = \"x\"\n[path]\nrate = \"1 Mbit/s\"\nrtt = \"40 ms\"\n";
        let quic = "[[transfer]]\nsize = \"1 B\"\ntransport = \"quic\"\n";
        let text = format!("{path}{quic}{keys}");
        supports(&onramp_scenario::parse("x.toml", &text).unwrap().cases[0])
            .map_err(|refusal| refusal.to_string())
    };
    for keys in [
        "",
        "avoidance = \"reno\"\n",
        "startup = \"onramp\"\n",
        "count = 50\n",
    ] {
        assert_eq!(refused(keys), Ok(()), "{keys}");
    }
    let words = "`transfer.avoidance` asks for `vegas` over QUIC: the lab supports noq's `cubic`, \
        `bbr` and `reno`; run it in the simulator: onramp sim";
    assert_eq!(refused("avoidance = \"vegas\"\n"), Err(words.to_owned()));
    for (keys, key) in [
        ("count = 51\n", "`transfer.count`"),
        ("segment = \"1000 B\"\n", "`path.mtu`"),
    ] {
        let refusal = refused(keys).unwrap_err();
        assert!(refusal.starts_with(key), "{refusal}");
    }
}

#[test]
fn the_versions_of_search_are_for_the_simulator() {
    let refused = |keys: &str| {
        let path = "name = \"x\"\n[path]\nrate = \"1 Mbit/s\"\nrtt = \"40 ms\"\n";
        let text = format!("{path}[[transfer]]\nsize = \"1 B\"\nstartup = \"search\"\n{keys}");
        supports(&onramp_scenario::parse("x.toml", &text).unwrap().cases[0])
            .map_err(|refusal| refusal.key)
    };
    assert_eq!(refused("search = \"draft\"\n"), Ok(()));
    assert_eq!(refused("search = \"linux\"\n"), Err("transfer.search"));
}

#[test]
fn slow_start_without_hystart_is_for_the_simulator() {
    let refused = |keys: &str| {
        let path = "name = \"x\"\n[path]\nrate = \"1 Mbit/s\"\nrtt = \"40 ms\"\n";
        let text = format!("{path}[[transfer]]\nsize = \"1 B\"\n{keys}");
        supports(&onramp_scenario::parse("x.toml", &text).unwrap().cases[0])
            .map_err(|refusal| refusal.key)
    };
    assert_eq!(refused("hystart = true\n"), Ok(()));
    assert_eq!(refused("hystart = false\n"), Err("transfer.hystart"));
}

#[test]
fn receivers_answer_pairs_or_do_not_support_them() {
    let refused = |keys: &str| {
        let path = "name = \"x\"\n[path]\nrate = \"1 Mbit/s\"\nrtt = \"40 ms\"\n";
        let text =
            format!("{path}[receiver]\n{keys}[[transfer]]\nsize = \"1 B\"\nstartup = \"pair\"\n");
        supports(&onramp_scenario::parse("x.toml", &text).unwrap().cases[0])
            .map_err(|refusal| refusal.key)
    };
    for name in ["none", "answer"] {
        assert_eq!(refused(&format!("packet_pair = \"{name}\"\n")), Ok(()));
    }
    for name in ["answer-at-once", "probe"] {
        assert_eq!(
            refused(&format!("packet_pair = \"{name}\"\n")),
            Err("receiver.packet_pair")
        );
    }
    assert_eq!(
        refused("pair_option = \"paper\"\n"),
        Err("receiver.pair_option")
    );
    assert_eq!(
        refused("pair_clock = \"10 ms\"\n"),
        Err("receiver.pair_clock")
    );
}

#[test]
fn connections_in_series_and_side_by_side_are_refused_with_their_keys() {
    let node = |name| format!("[[node]]\nname = \"{name}\"\n");
    let link = |from, to| {
        format!(
            "[[link]]\nfrom = \"{from}\"\nto = \"{to}\"\nrate = \"1 Mbit/s\"\ndelay = \"9 ms\"\n"
        )
    };
    let network = ["a", "m", "b"].map(node).concat() + &link("a", "m") + &link("m", "b");
    let refused = |keys: &str| {
        let text = format!(
            "name = \"x\"\n{network}[[transfer]]\nsize = \"1 B\"\nfrom = \"a\"\nto = \"b\"\n{keys}"
        );
        supports(&onramp_scenario::parse("x.toml", &text).unwrap().cases[0])
            .map_err(|refusal| refusal.key)
    };
    assert_eq!(refused(""), Ok(()));
    assert_eq!(refused("connections = 1\n"), Ok(()));
    assert_eq!(refused("split = \"m\"\n"), Ok(()));
    assert_eq!(
        refused("split = \"m\"\nsplit_rate = \"1 Mbit/s\"\n"),
        Err("transfer.split_rate")
    );
    assert_eq!(refused("connections = 2\n"), Err("transfer.connections"));
    assert_eq!(
        refused("connections = \"adaptive\"\n"),
        Err("transfer.connections")
    );
}

#[test]
fn several_requests_run_over_one_connection_of_tcp() {
    let refused = |keys: &str| {
        let path = "name = \"x\"\n[path]\nrate = \"9 Mbit/s\"\nrtt = \"40 ms\"\n";
        let text = format!("{path}[[transfer]]\nsize = \"1 MB\"\nrequests = 9\n{keys}");
        supports(&onramp_scenario::parse("x.toml", &text).unwrap().cases[0])
            .map_err(|refusal| refusal.to_string())
    };
    for keys in [
        "think = \"exponential 1 s\"\n",
        "play = \"1 s\"\nplayer_buffer = \"9 s\"\n",
        "connections = \"multiplexed\"\n",
    ] {
        assert_eq!(refused(keys), Ok(()), "{keys}");
    }
    let words = "`transfer.connections` asks for 6 connections: the lab supports one connection \
        for each transfer; run it in the simulator: onramp sim";
    assert_eq!(refused("connections = 6\n"), Err(words.to_owned()));
    let refusal = refused("transport = \"quic\"\n").unwrap_err();
    assert!(refusal.starts_with("`transfer.requests` asks for several requests over QUIC"));
}

#[test]
fn sizes_that_are_drawn_are_supported() {
    let text = "name = \"x\"\n[path]\nrate = \"9 Mbit/s\"\nrtt = \"40 ms\"\n[[transfer]]\n\
                size = \"web-search\"\ncount = 9\n";
    let case = &onramp_scenario::parse("x.toml", text).unwrap().cases[0];
    assert_eq!(supports(case), Ok(()));
}
