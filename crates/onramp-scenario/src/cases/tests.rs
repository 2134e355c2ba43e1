use crate::channel::{Channel, QueueLimit};
use crate::model::{Buffer, Case, Hosts, TrafficKind};
use crate::reader::parse;
use crate::seed::case_seed;
use proptest::prelude::*;

const PATH: &str = "name = \"x\"\n[path]\nrate = \"50 Mbit/s\"\n";

fn cases(text: &str) -> Vec<Case> {
    parse("x.toml", &format!("{PATH}{text}"))
        .unwrap_or_else(|e| panic!("{}", e.report(false)))
        .cases
}

#[test]
fn compared_runs_are_adjacent_also_across_tables() {
    let text = "rtt = [\"10 ms\", \"20 ms\"]\n\
                [[transfer]]\nsize = [\"2 kB\", \"1 kB\"]\nstartup = \"none\"\n\
                avoidance = [\"cubic\", \"bbr\"]\nrepeat = 2\n\
                [[transfer]]\nsize = [\"1 kB\", \"3 kB\"]\nstartup = \"paced\"\n";
    let short = |case: &Case| {
        let (rtt_ms, transfer) = (case.path.rtt_ns / 1_000_000, &case.transfer);
        let avoidance = transfer.avoidance.name();
        format!(
            "{rtt_ms} ms {} B run {} {} {avoidance}",
            transfer.size_bytes, case.run, transfer.startup
        )
    };
    let order: Vec<_> = cases(text).iter().map(short).collect();
    let of_each_rtt = [
        "2000 B run 1 none cubic",
        "2000 B run 1 none bbr",
        "2000 B run 2 none cubic",
        "2000 B run 2 none bbr",
        "1000 B run 1 none cubic",
        "1000 B run 1 none bbr",
        "1000 B run 1 paced cubic",
        "1000 B run 2 none cubic",
        "1000 B run 2 none bbr",
        "3000 B run 1 paced cubic",
    ];
    let wanted: Vec<_> = ["10 ms", "20 ms"]
        .iter()
        .flat_map(|rtt| of_each_rtt.iter().map(move |case| format!("{rtt} {case}")))
        .collect();
    assert_eq!(order, wanted);
}

#[test]
fn the_path_s_rate_is_outermost_and_the_sender_s_buffer_innermost_of_the_conditions() {
    let text = "name = \"x\"\n[path]\nrate = [\"1 Mbit/s\", \"2 Mbit/s\"]\n\
                rtt = [\"1 s\", \"2 s\"]\n\
                queue = [\"1 bdp\", \"2 bdp\"]\nloss = [\"0 %\", \"1 %\"]\n[receiver]\n\
                buffer = [\"linux-default\", \"1 MB\"]\n\
                [sender]\nbuffer = [\"1 MB\", \"2 MB\"]\n[[transfer]]\nsize = \"1 B\"\n";
    let cases = parse("x.toml", text).unwrap().cases;
    let last_of_each = |case: &Case| {
        [
            case.path.forward.rate_bits_per_s == 2_000_000,
            case.path.rtt_ns == 2_000_000_000,
            case.path.forward.queue == QueueLimit::BdpPpm(2_000_000),
            case.path.forward.loss_ppm == 10_000,
            case.receiver.buffer == Buffer::Bytes(1_000_000),
            case.sender.buffer == Buffer::Bytes(2_000_000),
        ]
    };
    let counted: Vec<usize> = cases
        .iter()
        .map(|case| {
            last_of_each(case)
                .iter()
                .fold(0, |number, bit| number * 2 + usize::from(*bit))
        })
        .collect();
    assert_eq!(counted, (0..64).collect::<Vec<_>>());
}

#[test]
fn the_return_path_follows_the_forward_path_except_in_loss() {
    let text =
        "rtt = \"10001 ns\"\nqueue = \"9 packets\"\nloss = \"1 %\"\n[[transfer]]\nsize = \"1 B\"\n";
    let path = cases(text).remove(0).path;
    let wanted = Channel {
        loss_ppm: 0,
        delay_ns: 5000,
        ..path.forward.clone()
    };
    assert_eq!(path.reverse, wanted);
    assert_eq!(
        (path.forward.loss_ppm, path.forward.delay_ns),
        (10_000, 5001)
    );
}

/// The MTU of the route is no choice where all copies have the same MTU.
#[test]
fn a_segment_fits_all_routes_of_a_transfer() {
    let text = |segment: &str, mtu: &str| {
        format!(
            "name = \"x\"\n[[node]]\nname = \"a\"\n[[node]]\nname = \"b\"\n[[node]]\nname = \"c\"\n\
             [[link]]\nfrom = \"a\"\nto = \"c\"\nrate = \"1 Mbit/s\"\ndelay = \"10 ms\"\n\
             [[link]]\nfrom = \"b\"\nto = \"c\"\nrate = \"1 Mbit/s\"\ndelay = \"10 ms\"\n\
             mtu = \"{mtu}\"\n\
             [[transfer]]\nsize = \"1 kB\"\nfrom = [\"a\", \"b\"]\nto = \"c\"\ncount = 2\n\
             segment = \"{segment}\"\n"
        )
    };
    let segment = |segment, mtu| {
        parse("x.toml", &text(segment, mtu)).unwrap().cases[0]
            .transfer
            .segment_bytes
    };
    assert_eq!(
        [
            segment("1500 B", "1500 B"),
            segment("1500 B", "9000 B"),
            segment("576 B", "576 B")
        ],
        [None, Some(1500), Some(576)]
    );
    let error = parse("x.toml", &text("1500 B", "1400 B")).unwrap_err();
    let error = error.invalid().unwrap().faults()[0].to_string();
    assert!(
        error.contains(
            "`transfer.segment` is 1500 B, but the route takes packets of at most 1400 B"
        ),
        "{error}"
    );
}

#[test]
fn a_stack_is_a_set_of_defaults() {
    let text = "rtt = \"1 s\"\n[receiver]\nsack = true\n[[transfer]]\nsize = \"1 B\"\n\
                stack = [\"linux\", \"lite\"]\n\
                [[transfer]]\nsize = \"1 B\"\nstack = \"lite\"\nrecovery = \"newreno\"\n\
                avoidance = \"vegas\"\n";
    let shown: Vec<_> = cases(text)
        .iter()
        .map(|case| {
            let (transfer, receiver) = (&case.transfer, &case.receiver);
            let names = [
                transfer.recovery.name(),
                transfer.timers.name(),
                transfer.avoidance.name(),
            ];
            let switches = (receiver.timestamps, receiver.sack, receiver.window_scaling);
            format!(
                "{} {} {} {switches:?}",
                names.join(" "),
                transfer.startup,
                receiver.acks.name()
            )
        })
        .collect();
    let wanted = [
        "rack linux cubic standard linux (true, true, true)",
        "reno bsd reno none bsd (true, true, true)",
        "newreno bsd vegas none bsd (true, true, true)",
    ];
    assert_eq!(shown, wanted);
}

#[test]
fn transports_are_compared_in_one_table() {
    let lists = "rtt = \"1 ms\"\n[[transfer]]\nsize = \"1 B\"\ntransport = [\"tcp\", \"quic\"]\n\
                 startup = [\"none\", \"onramp\"]\n";
    let transports: Vec<_> = cases(lists)
        .iter()
        .map(|case| {
            (
                case.transfer.transport.name(),
                case.transfer.startup.clone(),
            )
        })
        .collect();
    let one = |transport, startup: &str| (transport, startup.to_owned());
    let [tcp, quic] = ["tcp", "quic"].map(|name| [one(name, "none"), one(name, "onramp")]);
    assert_eq!(transports, [tcp, quic].concat());
}

#[test]
fn the_tcps_of_one_size_and_repeat_are_adjacent() {
    let text =
        "rtt = \"1 s\"\n[[transfer]]\nsize = [\"1 B\", \"2 B\"]\nrecovery = [\"sack\", \"rack\"]\n\
         timers = [\"linux\", \"bsd\"]\nrepeat = 2\n";
    let order: Vec<_> = cases(text)
        .iter()
        .map(|case| {
            let transfer = &case.transfer;
            format!(
                "{} {} {} {}",
                transfer.size_bytes,
                case.run,
                transfer.recovery.name(),
                transfer.timers.name()
            )
        })
        .take(5)
        .collect();
    assert_eq!(
        order,
        [
            "1 1 sack linux",
            "1 1 sack bsd",
            "1 1 rack linux",
            "1 1 rack bsd",
            "1 2 sack linux"
        ]
    );
}

#[test]
fn the_return_path_changes_with_the_forward_path_except_in_its_own_values() {
    let changes =
        "[[path.change]]\nat = \"1 s\"\nrate = \"1 Mbit/s\"\n[[path.change]]\nat = \"2 s\"\n\
         rtt = \"50 ms\"\n\
         [[path.change]]\nat = \"3 s\"\nloss = \"100 %\"\n";
    let transfer = "[[transfer]]\nsize = \"1 B\"\n";
    let of = |reverse: &str| {
        let path = cases(&format!(
            "rtt = \"20 ms\"\n[path.reverse]\n{reverse}{changes}{transfer}"
        ))
        .remove(0)
        .path;
        let shown = |channel: &Channel| -> Vec<_> {
            channel
                .changes
                .iter()
                .map(|change| (change.rate_bits_per_s, change.delay_ns, change.loss_ppm))
                .collect()
        };
        (shown(&path.forward), shown(&path.reverse))
    };
    let (rate, delay) = (
        (Some(1_000_000), None, None),
        (None, Some(25_000_000), None),
    );
    // A fade affects both directions, even with losses of their own.
    let loss = (None, None, Some(1_000_000));
    assert_eq!(of(""), (vec![rate, delay, loss], vec![rate, delay, loss]));
    assert_eq!(
        of("loss = \"1 %\"\n"),
        (vec![rate, delay, loss], vec![rate, delay, loss])
    );
    assert_eq!(
        of("rate = \"2 Mbit/s\"\n"),
        (vec![rate, delay, loss], vec![delay, loss])
    );
    let forward_delay = (None, Some(40_000_000), None);
    assert_eq!(
        of("delay = \"10 ms\"\n"),
        (vec![rate, forward_delay, loss], vec![rate, loss])
    );
}

#[test]
fn copies_take_the_nodes_in_turn() {
    let nodes: String = ["a", "b", "c"]
        .map(|name| format!("[[node]]\nname = \"{name}\"\n"))
        .concat();
    let link = |from, to| {
        format!(
            "[[link]]\nfrom = \"{from}\"\nto = \"{to}\"\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n"
        )
    };
    let text = format!(
        "name = \"x\"\n{nodes}{}{}[[transfer]]\nsize = \"1 B\"\nfrom = [\"a\", \"b\"]\nto = \"c\"\n\
         count = 3\n\
         [[traffic]]\nfrom = \"c\"\nto = \"a\"\nlead = \"2 s\"\n[[traffic]]\nfrom = \"c\"\n\
         to = \"a\"\nstart = \"9 s\"\n",
        link("a", "b"),
        link("b", "c"),
    );
    let case = parse("x.toml", &text).unwrap().cases.remove(0);
    assert_eq!(
        [0, 1, 2].map(|copy| case.transfer.ends(copy)),
        [(0, 2), (1, 2), (0, 2)]
    );
    assert_eq!(
        (case.path.rtt_ns, case.transfer_start_ns()),
        (4_000_000, 2_000_000_000)
    );
    let starts: Vec<_> = case
        .traffic
        .iter()
        .map(|traffic| case.traffic_start_ns(traffic))
        .collect();
    assert_eq!(starts, [0, 9_000_000_000]);
}

#[test]
fn receivers_of_traffic_have_the_buffer_of_the_case() {
    let text = "rtt = \"1 s\"\n[receiver]\nbuffer = [\"linux-default\", \"1 MB\"]\n[[transfer]]\n\
                size = \"1 B\"\n[[traffic]]\n";
    for case in cases(text) {
        let TrafficKind::Transfers(transfers) = &case.traffic[0].kind else {
            panic!("{:?}", case.traffic)
        };
        assert_eq!(transfers.receiver, case.receiver);
    }
}

#[test]
fn seeds_do_not_change_between_versions() {
    // The outputs of SplitMix64 as Vigna publishes it, from the state 1234567.
    let published = [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
    ];
    assert_eq!(
        [0, 1, 2, 3].map(|index| case_seed(1_234_567, index)),
        published
    );
    let cases = cases("rtt = \"1 s\"\n[[transfer]]\nsize = \"1 B\"\nrepeat = 3\n");
    let seeds: Vec<_> = cases.iter().map(|case| case.seed).collect();
    assert_eq!(seeds, [0, 1, 2].map(|index| case_seed(1, index)));
}

proptest! {
    #[test]
    fn both_delays_add_up_to_the_round_trip(rtt_us in 1u64..3_600_000_000, share in 0u64..=1000) {
        let reverse_ns = rtt_us * share;
        let text = format!("rtt = \"{rtt_us} us\"\n[path.reverse]\ndelay = \"{reverse_ns} ns\"\n\
                            [[transfer]]\nsize = \"1 B\"");
        let path = cases(&text).remove(0).path;
        prop_assert_eq!(path.reverse.delay_ns, reverse_ns);
        prop_assert_eq!(path.forward.delay_ns + path.reverse.delay_ns, path.rtt_ns);
    }
}

#[test]
fn packets_of_traffic_fit_the_route_and_cases_are_numbered() {
    let text = "name = \"x\"\n[path]\nrate = \"1 Mbit/s\"\nrtt = \"10 ms\"\nmtu = \"1400 B\"\n\
         [[transfer]]\nsize = \"1 B\"\n\
         repeat = 2\n[[traffic]]\nkind = \"constant\"\nrate = \"1 kbit/s\"\n";
    let cases = parse("x.toml", text).unwrap().cases;
    assert_eq!([cases[0].number, cases[1].number], [1, 2]);
    let TrafficKind::Constant(constant) = &cases[0].traffic[0].kind else {
        panic!()
    };
    assert_eq!(constant.packet_bytes, 1400);
}

/// Whether the hosts of this path, transfer and run are noisy, and whether repeats are alike.
fn hosts_of(path: &str, transfer: &str, run: &str) -> (bool, bool) {
    let text = format!(
        "name = \"x\"\n[path]\nrate = \"1 Mbit/s\"\nrtt = \"10 ms\"\n{path}\n\
         [[transfer]]\nsize = \"1 B\"\n{transfer}\n[run]\n{run}\n"
    );
    let scenario = parse("x.toml", &text).unwrap();
    let is_noisy = |case: &Case| case.hosts == Hosts::Noisy;
    let noisy = is_noisy(&scenario.cases[0]);
    assert!(scenario.cases.iter().all(|case| is_noisy(case) == noisy));
    assert_eq!(scenario.note().is_some(), scenario.repeats_are_alike);
    (noisy, scenario.repeats_are_alike)
}

#[test]
fn hosts_are_noisy_where_repeats_would_be_alike() {
    let (alone, nine) = ("", "repeat = 9");
    assert_eq!(hosts_of("", alone, ""), (false, false));
    assert_eq!(hosts_of("", nine, ""), (true, false));
    assert_eq!(hosts_of("", nine, "hosts = \"exact\""), (false, true));
    assert_eq!(hosts_of("", alone, "hosts = \"noisy\""), (true, false));
    let random = [
        "loss = \"1 %\"",
        "duplicate = \"1 %\"",
        "jitter = \"1 ms\"",
        "late = \"1 ms\"",
        "aggregate = \"1 ms\"\naggregate_slots = true",
        "service = \"poisson\"",
        "discipline = \"red\"",
        "discipline = \"fq-codel\"",
        "[path.bursts]\nenter = \"1 %\"\nleave = \"10 %\"",
        "[path.steps]\nevery = \"1 s\"\nmin = \"1 kbit/s\"",
        "[[path.change]]\nat = \"1 s\"\nloss = \"1 %\"",
        "[path.reverse]\njitter = \"1 ms\"",
    ];
    for path in random {
        assert_eq!(hosts_of(path, nine, ""), (false, false), "{path}");
    }
    let fixed = [
        "loss_every = \"100 packets\"",
        "aggregate = \"1 ms\"",
        "discipline = \"codel\"",
        "[[path.change]]\nat = \"1 s\"\nloss = \"100 %\"",
    ];
    for path in fixed {
        assert_eq!(hosts_of(path, nine, ""), (true, false), "{path}");
    }
    let drawn = "repeat = 9\ncount = 2\nspacing = \"exponential 1 ms\"";
    assert_eq!(hosts_of("", drawn, ""), (false, false));
    assert_eq!(
        hosts_of("", "repeat = 9\nstack = \"lite\"", ""),
        (false, false)
    );
}

#[test]
fn traffic_that_is_drawn_leaves_hosts_exact() {
    let traffic = |keys: &str| format!("{}[[traffic]]\n{keys}", "repeat = 9\n");
    let poisson = traffic("kind = \"poisson\"\nrate = \"1 kbit/s\"");
    assert_eq!(hosts_of("", &poisson, ""), (false, false));
    let constant = traffic("kind = \"constant\"\nrate = \"1 kbit/s\"");
    assert_eq!(hosts_of("", &constant, ""), (true, false));
    let sizes = traffic("size = [\"1 kB\", \"2 kB\"]\ncount = 2");
    assert_eq!(hosts_of("", &sizes, ""), (false, false));
    assert_eq!(hosts_of("", &traffic("size = \"1 kB\""), ""), (true, false));
}
