//! Error messages about wrong networks, channels and traffic, one snapshot per topic.

use crate::common;

use common::{refusals, refused, replaced};
use onramp_scenario::parse;

const PATH: &str = r#"name = "elements"
[path]
rate = "20 Mbit/s"
rtt = "60 ms"
queue = "60 packets"
discipline = "red"
jitter = "4 ms"
reorder = true
aggregate = "2 ms"
aggregate_most = 16
shaper_rate = "15 Mbit/s"
shaper_burst = "30 kB"
[path.red]
min = "5 packets"
max = "15 packets"
[path.bursts]
enter = "0.1 %"
leave = "30 %"
[path.reverse]
delay = "20 ms"
discipline = "fq-codel"
[path.reverse.codel]
quantum = "1500 B"
[[path.change]]
at = "2 s"
rate = "10 Mbit/s"
[[path.change]]
at = "3 s"
rtt = "80 ms"
[[transfer]]
size = "2 MB"
write = "10 kB"
write_every = "10 ms"
[[traffic]]
kind = "on-off"
rate = "1 Mbit/s"
on = "1 s"
off = "2 s"
start = "2 s"
stop = "9 s"
"#;

const NETWORK: &str = r#"name = "network"
[[node]]
name = "a"
[[node]]
name = "b"
[[node]]
name = "c"
[[link]]
from = "a"
to = "b"
rate = "20 Mbit/s"
delay = "10 ms"
[[link]]
from = "b"
to = "c"
rate = "10 Mbit/s"
delay = "20 ms"
[[transfer]]
size = "2 MB"
from = ["a", "b"]
to = "c"
count = 2
[[traffic]]
from = "c"
to = "a"
measured = true
count = 9
arrivals = "5 /s"
size = ["10 kB", "20 kB"]
"#;

#[test]
fn the_good_files_are_good() {
    assert_eq!(parse("good.toml", PATH).unwrap().cases.len(), 1);
    assert_eq!(parse("good.toml", NETWORK).unwrap().cases.len(), 1);
}

#[test]
fn disciplines() {
    assert_snapshot!(refusals(
        PATH,
        &[
            ("discipline = \"red\"", "discipline = \"rde\""),
            (
                "discipline = \"red\"",
                "discipline = \"drop-tail\"\necn = true"
            ),
            ("discipline = \"red\"", "discipline = \"red\"\necn = 1"),
            ("discipline = \"red\"", ""),
            ("discipline = \"red\"", "discipline = \"codel\""),
            ("discipline = \"fq-codel\"", "discipline = \"codel\""),
            ("discipline = \"fq-codel\"", ""),
            (
                "discipline = \"red\"",
                "discipline = \"red\"\nack_filter = true"
            ),
            (
                "discipline = \"fq-codel\"",
                "discipline = \"fq-codel\"\nack_filter = \"yes\""
            ),
            (
                "queue = \"60 packets\"",
                "queue = [\"60 packets\", \"1 bdp\"]"
            ),
            ("min = \"5 packets\"", "min = \"5 kB\""),
            ("min = \"5 packets\"", "min = \"16 packets\""),
            (
                "min = \"5 packets\"\nmax = \"15 packets\"",
                "min = \"15 packets\""
            ),
        ]
    ));
}

#[test]
fn ip_versions() {
    let small = PATH.replace("rtt = \"60 ms\"", "mtu = \"1000 B\"\nrtt = \"60 ms\"");
    let with_traffic =
        PATH.replace("rtt = \"60 ms\"", "mtu = \"1000 B\"\nrtt = \"60 ms\"") + "# more\n";
    assert_snapshot!([
        refusals(
            PATH,
            &[
                ("size = \"2 MB\"", "size = \"2 MB\"\nip = \"ipv6\""),
                ("size = \"2 MB\"", "size = \"2 MB\"\nip = 6"),
                ("kind = \"on-off\"", "kind = \"on-off\"\nip = \"v6\""),
            ]
        ),
        refusals(
            &small,
            &[("size = \"2 MB\"", "size = \"2 MB\"\nip = [\"v4\", \"v6\"]")]
        ),
        refusals(&with_traffic, &[("# more", "[[traffic]]\nip = \"v6\"")]),
    ]
    .concat());
}

#[test]
fn elements_that_need_or_exclude_one_another() {
    assert_snapshot!(refusals(
        PATH,
        &[
            ("jitter = \"4 ms\"\n", ""),
            ("aggregate = \"2 ms\"\n", ""),
            ("aggregate_most = 16", "aggregate_most = 0"),
            ("shaper_rate = \"15 Mbit/s\"\n", ""),
            ("shaper_burst = \"30 kB\"\n", ""),
            ("shaper_burst = \"30 kB\"", "shaper_burst = \"1 kB\""),
            (
                "shaper_burst = \"30 kB\"",
                "shaper_burst = \"30 kB\"\npolicer_rate = \"1 Mbit/s\""
            ),
            ("jitter = \"4 ms\"", "jitter = \"4 ms\"\nloss = \"1 %\""),
            (
                "jitter = \"4 ms\"",
                "jitter = \"4 ms\"\nloss_every = \"100 packets\""
            ),
            (
                "jitter = \"4 ms\"",
                "jitter = \"4 ms\"\nloss_every = \"0.5 packets\""
            ),
            ("leave = \"30 %\"", ""),
            ("reorder = true", "reorder = \"yes\""),
            ("write = \"10 kB\"\n", ""),
            ("write_every = \"10 ms\"\n", ""),
        ]
    ));
}

#[test]
fn guarantees_and_marked_packets() {
    let guaranteed = "aggregate_most = 16\nef_rate = \"1 Mbit/s\"\nef_burst = \"50 kB\"";
    let with = |from: &'static str, to: &'static str| {
        ("aggregate_most = 16", guaranteed.replace(from, to))
    };
    let back = "delay = \"20 ms\"\nef_rate = \"21 Mbit/s\"\nef_burst = \"50 kB\"";
    let slow_back = format!("{}\nrate = \"5 Mbit/s\"", back.replace("21 M", "6 M"));
    let traffic = |dscp: &str| format!("stop = \"9 s\"\ndscp = {dscp}");
    let changes = [
        with("ef_burst = \"50 kB\"", ""),
        with("ef_rate = \"1 Mbit/s\"", ""),
        with("50 kB", "1 kB"),
        with("1 Mbit/s", "21 Mbit/s"),
        ("delay = \"20 ms\"", back.to_owned()),
        ("delay = \"20 ms\"", slow_back),
        (
            "write = \"10 kB\"",
            "write = \"10 kB\"\ndscp = \"af41\"".to_owned(),
        ),
        (
            "write = \"10 kB\"",
            "write = \"10 kB\"\ndscp = 46".to_owned(),
        ),
        ("stop = \"9 s\"", traffic("\"EF\"")),
        ("stop = \"9 s\"", traffic("[\"ef\", \"best-effort\"]")),
    ];
    let changes: Vec<(&str, &str)> = changes
        .iter()
        .map(|(from, to)| (*from, to.as_str()))
        .collect();
    assert_snapshot!(refusals(PATH, &changes));
}

#[test]
fn changes() {
    assert_snapshot!(refusals(
        PATH,
        &[
            ("at = \"3 s\"", "at = \"2 s\""),
            ("at = \"3 s\"", ""),
            ("rtt = \"80 ms\"", ""),
            ("rtt = \"80 ms\"", "delay = \"80 ms\""),
            ("rtt = \"80 ms\"", "rtt = \"10 ms\""),
            ("rtt = \"80 ms\"", "loss = \"101 %\""),
            ("rtt = \"80 ms\"", "loss = 1"),
        ]
    ));
}

#[test]
fn traffic() {
    assert_snapshot!(refusals(
        PATH,
        &[
            ("kind = \"on-off\"", "kind = \"onoff\""),
            ("kind = \"on-off\"", "kind = \"constant\""),
            ("kind = \"on-off\"", ""),
            ("on = \"1 s\"\n", ""),
            ("rate = \"1 Mbit/s\"\n", ""),
            (
                "rate = \"1 Mbit/s\"",
                "rate = \"1 Mbit/s\"\nmeasured = true\nstartup = \"none\""
            ),
            ("on = \"1 s\"\n", "on = \"1 s\"\npacket = \"1501 B\"\n"),
            ("on = \"1 s\"\n", "on = \"1 s\"\npacket = \"27 B\"\n"),
            ("stop = \"9 s\"", "stop = \"2 s\""),
            ("stop = \"9 s\"", "lead = \"1 s\""),
            ("stop = \"9 s\"", "from = \"server\""),
            ("stop = \"9 s\"", "from = \"receiver\""),
        ]
    ));
    assert_snapshot!(
        "frequencies",
        refusals(
            NETWORK,
            &[
                ("\"5 /s\"", "\"5\""),
                ("\"5 /s\"", "\"5 Hz\""),
                ("\"5 /s\"", "\"0 /s\""),
                ("\"5 /s\"", "5"),
                ("\"5 /s\"", "\"2000000 /s\""),
                ("count = 9\n", ""),
                (
                    "[[traffic]]\n",
                    "[[traffic]]\nkind = \"constant\"\nrate = \"1 Mbit/s\"\npacket = \"9 kB\"\n\
                     from = \"a\"\nto = \"c\"\n[[traffic]]\n",
                ),
            ]
        )
    );
}

#[test]
fn connections() {
    let with = |value: &str| format!("connections = {value}\nwrite = \"10 kB\"");
    let values = [
        "0",
        "65",
        "-1",
        "\"4\"",
        "\"adaptiv\"",
        "[1, 2, 1]",
        "[\"adaptive\", \"adaptive\"]",
        "2.5",
        "[]",
    ];
    let changed = values.map(with);
    let changes: Vec<_> = changed
        .iter()
        .map(|new| ("write = \"10 kB\"", new.as_str()))
        .collect();
    let twice = "[[transfer]]\nsize = \"2 MB\"\nconnections = [2, 4]\n[[transfer]]\n\
                 size = \"2 MB\"\nconnections = 4\n";
    let path = "name = \"x\"\n[path]\nrate = \"1 Mbit/s\"\nrtt = \"1 s\"\n";
    assert_snapshot!([refusals(PATH, &changes), refused(&format!("{path}{twice}"))].concat());
}

/// The route from a to c passes b. Node d is connected to a only.
#[test]
fn splits() {
    let aside = "[[node]]\nname = \"d\"\n[[link]]\nfrom = \"a\"\nto = \"d\"\nrate = \"1 Mbit/s\"\n\
                 delay = \"1 ms\"\n";
    let line = format!(
        "{}{aside}",
        NETWORK.replace(
            "from = [\"a\", \"b\"]\nto = \"c\"\ncount = 2\n",
            "from = \"a\"\nto = \"c\"\n# here\n"
        )
    );
    let longer = line.replace(
        "from = \"a\"\nto = \"c\"\n# here",
        "from = \"d\"\nto = \"c\"\n# here",
    );
    assert_eq!(
        parse("good.toml", &line.replace("# here", "split = [\"b\"]"))
            .unwrap()
            .cases
            .len(),
        1
    );
    assert_eq!(
        parse(
            "good.toml",
            &longer.replace("# here", "split = [\"a\", \"b\"]")
        )
        .unwrap()
        .cases
        .len(),
        1
    );
    assert_snapshot!([
        refusals(
            &line,
            &[
                ("# here", "split = \"e\""),
                ("# here", "split = [\"a\", \"b\"]"),
                ("# here", "split = [\"b\", \"c\"]"),
                ("# here", "split = \"d\""),
                ("# here", "split = [\"b\", \"b\"]"),
                ("# here", "split = []"),
                ("# here", "split = \"b\"\nsplit_buffer = \"1 KiB\""),
                ("# here", "split_buffer = \"1 MiB\""),
                ("# here", "split_rate = \"1 Mbit/s\""),
                ("to = \"c\"\n# here", "to = \"b\"\nsplit = \"c\""),
            ]
        ),
        refusals(&longer, &[("# here", "split = [\"b\", \"a\"]")]),
        refusals(
            &NETWORK.replace("count = 2", "count = 2\n# here"),
            &[("# here", "split = \"b\"")],
        ),
        refusals(
            PATH,
            &[("write = \"10 kB\"", "split = \"sender\"\nwrite = \"10 kB\"")]
        ),
    ]
    .concat());
}

#[test]
fn networks() {
    assert_snapshot!([
        refusals(
            NETWORK,
            &[
                ("name = \"c\"", "name = \"b\""),
                ("name = \"c\"", "name = \"C\""),
                ("name = \"c\"", ""),
                ("from = \"b\"\nto = \"c\"", "from = \"b\"\nto = \"d\""),
                ("from = \"b\"\nto = \"c\"", "from = \"b\"\nto = \"b\""),
                ("from = \"b\"\nto = \"c\"", "from = \"b\"\nto = \"a\""),
                ("from = [\"a\", \"b\"]\n", ""),
                ("from = [\"a\", \"b\"]", "from = [\"a\", \"c\"]"),
                ("from = [\"a\", \"b\"]", "from = \"left\""),
                ("delay = \"20 ms\"", "rtt = \"20 ms\""),
                ("count = 2", "count = 100001"),
                (
                    "[[transfer]]",
                    "[path]\nrate = \"1 Mbit/s\"\nrtt = \"1 s\"\n[[transfer]]"
                ),
            ]
        ),
        refused(
            &NETWORK
                .replace("delay = \"10 ms\"", "delay = \"0 s\"")
                .replace("delay = \"20 ms\"", "delay = \"0 s\"")
        ),
        refused("name = \"x\"\n[[node]]\nname = \"a\"\n[[transfer]]\nsize = \"1 B\"\n"),
        refused("name = \"x\"\n[[link]]\nfrom = \"a\"\n[[transfer]]\nsize = \"1 B\"\n"),
    ]
    .concat());
}

#[test]
fn at_most_twenty_names_are_suggested() {
    let nodes: String = (0..100)
        .map(|n| format!("[[node]]\nname = \"node-{n}\"\n"))
        .collect();
    let text = replaced(NETWORK, "[[node]]\nname = \"a\"\n", &nodes);
    assert!(
        refused(&text).contains("and 82 others"),
        "{}",
        refused(&text)
    );
}
