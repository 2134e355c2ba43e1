//! Error messages about wrong files, one snapshot per topic. A change of a sentence shows in all of
//! them at once.

use crate::common;

use common::refused;
use onramp_scenario::{parse, read, Error, Unreadable, MAX_FILE_BYTES};
use std::path::{Path, PathBuf};

/// A good file.
const GOOD: &str = r#"name = "geo"
[path]
rate = "50 Mbit/s"
rtt = "600 ms"
[path.reverse]
delay = "300 ms"
[receiver]
buffer = "64 MiB"
[[transfer]]
size = "1 MB"
startup = "paced"
[[traffic]]
lead = "5 s"
"#;

/// The good file with one piece of it replaced.
fn with(old: &str, new: &str) -> String {
    common::replaced(GOOD, old, new)
}

fn refusals(changes: &[(&str, &str)]) -> String {
    common::refusals(GOOD, changes)
}

#[test]
fn the_good_file_is_good() {
    assert_eq!(parse("good.toml", GOOD).unwrap().cases.len(), 1);
}

#[test]
fn unknown_keys_and_tables() {
    assert_snapshot!(refusals(&[
        ("rate =", "raet ="),
        ("name =", "Name ="),
        ("startup =", "start-up ="),
        ("[receiver]", "[reciever]"),
        ("lead =", "rtt ="),
        ("delay =", "mtu ="),
        ("[[traffic]]\nlead = \"5 s\"", "[[node]]\nname = \"a\""),
        ("[[traffic]]\nlead = \"5 s\"", "[expect]\nexcess_rtts = 1"),
        ("[[transfer]]", "[sender]\nclock = \"1 ms\"\n[[transfer]]"),
        ("lead =", "\"\\u001b[31mred\" ="),
    ]));
}

#[test]
fn keys_of_one_start_up() {
    assert_snapshot!(refusals(&[
        (
            "startup = \"paced\"",
            "startup = [\"gamma\", \"paced\"]\ngamma = \"34 %\""
        ),
        ("startup = \"paced\"", "pace = \"1.8 Mbit/s\""),
        (
            "startup = \"paced\"",
            "startup = \"gamma\"\ngamma = \"60 %\""
        ),
        (
            "startup = \"paced\"",
            "startup = \"gamma\"\ngamma = \"0.34\""
        ),
        (
            "startup = \"paced\"",
            "startup = \"spaced\"\npace = \"440 packets\""
        ),
        (
            "startup = \"paced\"",
            "startup = [\"none\", \"onramp\"]\nwithout = \"spacing\""
        ),
        ("startup = \"paced\"", "without = \"nothing\""),
        (
            "startup = \"paced\"",
            "startup = \"onramp\"\nwithout = [\"spacing\", \"pacing\"]"
        ),
        (
            "startup = \"paced\"",
            "startup = \"onramp\"\nwithout = [\"spacing\", \"delay\", \"spacing\"]"
        ),
        (
            "startup = \"paced\"",
            "startup = \"onramp\"\nwithout = true"
        ),
        ("startup = \"paced\"", "search = \"linux\""),
        (
            "startup = \"paced\"",
            "startup = \"search\"\nsearch = \"windows\""
        ),
        (
            "startup = \"paced\"",
            "startup = \"paced\"\nhystart = false"
        ),
        ("startup = \"paced\"", "hystart = \"off\""),
        (
            "startup = \"paced\"",
            "hystart = false\navoidance = [\"cubic\", \"reno\"]"
        ),
        ("startup = \"paced\"", "hystart = false\nstack = \"lite\""),
    ]));
}

#[test]
fn parameters() {
    let of = |startup: &str, table: &str| {
        let keys = format!("startup = {startup}\n[transfer.parameters]\n{table}");
        refused(&with("startup = \"paced\"", &keys))
    };
    assert_snapshot!([
        of("\"search\"", "thresh = 30"),
        of("\"search\"", "thresh = [\"30 %\", \"100 %\"]"),
        of("\"search\"", "window = \"100 %\""),
        of("\"hystart\"", "min_rtt_thresh = \"2 s\""),
        of("\"hystart\"", "css_rounds = 0"),
        of("\"hystart\"", "css_rounds = \"5\""),
        of("[\"search\", \"paced\"]", "thresh = \"30 %\""),
        refused(&with(
            "lead = \"5 s\"",
            "[traffic.parameters]\nthresh = \"30 %\""
        )),
    ]
    .concat());
    let misspelt = of("\"search\"", "tresh = \"30 %\"");
    assert!(misspelt.contains("did you mean `thresh`?"), "{misspelt}");
}

#[test]
fn memories() {
    assert_snapshot!(refusals(&[
        (
            "startup = \"paced\"",
            "startup = \"paced\"\nmemory = \"careful\""
        ),
        (
            "startup = \"paced\"",
            "startup = [\"onramp\", \"none\"]\nmemory = \"off\""
        ),
        ("startup = \"paced\"", "memory = \"careful\""),
        (
            "startup = \"paced\"",
            "startup = \"onramp\"\nmemory = \"carefull\""
        ),
        ("startup = \"paced\"", "startup = \"onramp\"\nmemory = true"),
        (
            "startup = \"paced\"",
            "startup = \"onramp\"\nmemory = [\"careful\", \"careful\"]"
        ),
        ("lead = \"5 s\"", "memory = \"careful\""),
    ]));
}

#[test]
fn reservations() {
    assert_snapshot!(refusals(&[
        ("startup = \"paced\"", "startup = \"qos\""),
        ("startup = \"paced\"", "startup = [\"none\", \"qos\"]"),
        (
            "startup = \"paced\"",
            "startup = [\"qos\", \"none\"]\nqos_rate = \"1 Mbit/s\""
        ),
        (
            "startup = \"paced\"",
            "startup = \"paced\"\nqos_rate = \"1 Mbit/s\""
        ),
        ("startup = \"paced\"", "qos_burst = \"10 kB\""),
        (
            "startup = \"paced\"",
            "startup = \"qos\"\nqos_burst = \"10 kB\""
        ),
        (
            "startup = \"paced\"",
            "startup = \"qos\"\nqos_rate = [\"1 Mbit/s\", \"1000 bit/s\", \"999 bit/s\"]"
        ),
        (
            "startup = \"paced\"",
            "startup = \"qos\"\nqos_rate = \"1 Mbit/s\"\nqos_burst = [\"1 B\", \"5 GB\"]"
        ),
        (
            "startup = \"paced\"",
            "startup = \"qos\"\nqos_rate = \"1 MB\""
        ),
        ("lead = \"5 s\"", "startup = \"qos\""),
        ("lead = \"5 s\"", "qos_rate = \"1 Mbit/s\""),
        (
            "lead = \"5 s\"",
            "startup = \"qos\"\nqos_rate = [\"1 Mbit/s\"]"
        ),
        (
            "lead = \"5 s\"",
            "kind = \"constant\"\nrate = \"1 Mbit/s\"\nqos_rate = \"1 Mbit/s\""
        ),
    ]));
}

#[test]
fn labels() {
    assert_snapshot!(refusals(&[
        ("startup = \"paced\"", "label = \"\""),
        ("startup = \"paced\"", "label = \"bound\""),
        ("startup = \"paced\"", "label = \"a\\nb\""),
        (
            "startup = \"paced\"",
            "label = \"both\"\nstartup = [\"none\", \"paced\"]"
        ),
        (
            "[[traffic]]",
            "label = \"a\"\n[[transfer]]\nsize = \"2 MB\"\nlabel = \"a\"\n[[traffic]]"
        ),
    ]));
}

#[test]
fn missing_keys_and_tables() {
    let without_path = GOOD
        .replace("[path]\nrate = \"50 Mbit/s\"\nrtt = \"600 ms\"\n", "")
        .replace("[path.reverse]\ndelay = \"300 ms\"\n", "");
    let without_transfer = GOOD.replace("[[transfer]]\nsize = \"1 MB\"\nstartup = \"paced\"\n", "");
    assert_snapshot!([
        refusals(&[
            ("name = \"geo\"\n", ""),
            ("rate = \"50 Mbit/s\"\n", ""),
            ("size = \"1 MB\"\n", "")
        ]),
        refused(&without_path),
        refused(&without_transfer),
        refused("name = \"geo\"\n"),
        refused("name = \"geo\"\n[path]\n[path.reverse]\n[receiver]\n[[transfer]]\n"),
        refused(""),
        refused("# only a comment\n\n"),
    ]
    .concat());
}

#[test]
fn quantities() {
    assert_snapshot!(refusals(&[
        ("50 Mbit/s", "-50 Mbit/s"),
        ("50 Mbit/s", "50 Mbps"),
        ("50 Mbit/s", "50"),
        ("50 Mbit/s", "0 Mbit/s"),
        ("50 Mbit/s", "nan Mbit/s"),
        ("50 Mbit/s", "0.5 bit/s"),
        ("50 Mbit/s", "100000000000 Gbit/s"),
        ("50 Mbit/s", "1 bit/s"),
        ("50 Mbit/s", ""),
        ("600 ms", "600 MB"),
        ("600 ms", "0 ms"),
        ("600 ms", "2 s\"\nloss = \"60 %"),
        ("600 ms", "2 s\"\nloss = \"101 %"),
        ("600 ms", "2 s\"\nqueue = \"0 packets"),
        ("600 ms", "2 s\"\nqueue = \"0.5 bpd"),
        ("600 ms", "2 s\"\nqueue = \"1.5 packets"),
        ("600 ms", "2 s\"\nqueue = \"5000 bdp"),
        ("600 ms", "2 s\"\nmtu = \"100 B"),
        ("600 ms", "200 ms"),
        ("64 MiB", "linux-defualt"),
        ("64 MiB", "1 B"),
        ("startup = \"paced\"", "initial_window = \"papre\""),
        ("startup = \"paced\"", "initial_window = \"10\""),
        ("startup = \"paced\"", "initial_window = \"10000 segments\""),
    ]));
}

#[test]
fn types() {
    assert_snapshot!(refusals(&[
        ("\"50 Mbit/s\"", "50"),
        ("\"50 Mbit/s\"", "50.5"),
        ("\"50 Mbit/s\"", "true"),
        ("\"50 Mbit/s\"", "{ bits = 5 }"),
        ("\"600 ms\"", "00:00:01"),
        ("\"geo\"", "7"),
        ("startup = \"paced\"", "repeat = \"3\""),
        ("startup = \"paced\"", "repeat = 1.5"),
        ("buffer = \"64 MiB\"", "sack = \"false\""),
        ("buffer = \"64 MiB\"", "sack = 1"),
        ("[receiver]", "[[receiver]]"),
        ("[[transfer]]", "[transfer]"),
        (
            "[receiver]\nbuffer = \"64 MiB\"",
            "[receiver.buffer]\nsize = 1"
        ),
        ("name = \"geo\"", "name = \"geo\"\nsender = 1"),
    ]));
    assert_snapshot!(
        "series_of_tables",
        [
            refused("name = \"geo\"\ntransfer = []\n[path]\nrate = \"1 Mbit/s\"\nrtt = \"1 s\"\n"),
            refused("name = \"geo\"\ntransfer = [1]\n[path]\nrate = \"1 Mbit/s\"\nrtt = \"1 s\"\n"),
            refused(&format!("{GOOD}{}", "[[traffic]]\n".repeat(64))),
        ]
        .concat()
    );
}

#[test]
fn lists() {
    let many: Vec<_> = (1..=1001).map(|n| format!("\"{n} kB\"")).collect();
    let long = format!("size = [\n{}\n]", many.join(",\n"));
    assert_snapshot!(
        refusals(&[
            ("\"300 ms\"", "[\"300 ms\", \"200 ms\"]"),
            ("\"geo\"", "[\"geo\"]"),
            ("\"50 Mbit/s\"", "[]"),
            ("\"1 MB\"", "[\"1 MB\", \"1000 kB\"]"),
            ("\"1 MB\"", "[\"1 MB\", 5, \"5 Mb\", \"2 MB\"]"),
            ("\"1 MB\"", "[[\"1 MB\"]]"),
        ]) + &refused(&with("size = \"1 MB\"", &long))
    );
}

#[test]
fn names_and_numbers() {
    assert_snapshot!(refusals(&[
        ("\"paced\"", "\"pacde\""),
        ("\"paced\"", "\"cubic\""),
        ("\"paced\"", "\"Paced\""),
        ("startup = \"paced\"", "avoidance = \"bbr2\""),
        ("startup = \"paced\"", "avoidance = \"vages\""),
        ("startup = \"paced\"", "stack = \"bsd\""),
        (
            "startup = \"paced\"",
            "recovery = [\"newreno\", \"new-reno\"]"
        ),
        ("startup = \"paced\"", "timers = \"linx\""),
        ("startup = \"paced\"", "repeat = 0"),
        ("startup = \"paced\"", "repeat = -3"),
        ("startup = \"paced\"", "repeat = 99999999999999999999"),
        ("name = \"geo\"", "name = \"geo\"\nseed = -1"),
        ("\"geo\"", "\"Geo Download\""),
        ("\"geo\"", "\"\""),
        ("\"geo\"", "\"-geo\""),
    ]));
}

#[test]
fn remedies_of_a_transfer() {
    assert_snapshot!(refusals(&[
        ("startup = \"paced\"", "segment = \"1501 B\""),
        ("startup = \"paced\"", "segment = [\"512 B\", \"200 B\"]"),
        ("startup = \"paced\"", "window_scaling = \"no\""),
        ("startup = \"paced\"", "byte_counting = 2"),
        ("startup = \"paced\"", "byte_counting = \"0 segments\""),
        (
            "startup = \"paced\"",
            "byte_counting = [\"2 segments\", \"none\"]"
        ),
        (
            "[[traffic]]",
            "[[transfer]]\nsize = \"1 MB\"\nstartup = \"paced\"\nsegment = \"1500 B\"\n\
                         window_scaling = true\nbyte_counting = \"unlimited\"\n[[traffic]]"
        ),
    ]));
}

#[test]
fn the_product_of_the_lists() {
    let sizes: Vec<_> = (1..=101).map(|n| format!("\"{n} kB\"")).collect();
    let many = format!("size = [{}]\nrepeat = 1000", sizes.join(", "));
    assert_snapshot!([
        refused(&with("size = \"1 MB\"", &many).replace("\"1 kB\", ", "\"1 kB\",\n")),
        refused(&with(
            "[[traffic]]",
            "[[transfer]]\nsize = [\"5 MB\", \"1000 kB\"]\nstartup = [\"none\", \"paced\"]\n\
             [[traffic]]"
        )),
    ]
    .concat());
}

#[test]
fn not_toml() {
    assert_snapshot!([
        refusals(&[
            ("\"50 Mbit/s\"", "50 Mbit/s"),
            ("\"600 ms\"", "\"600 ms"),
            ("rtt = \"600 ms\"", "rate = \"600 ms\""),
            ("[receiver]", "[path]"),
            ("[receiver]", "[receiver"),
            ("lead = \"5 s\"", "lead ="),
        ]),
        refused("this is prose, not TOML\n"),
    ]
    .concat());
}

#[test]
fn several_mistakes_are_listed() {
    let text = GOOD
        .replace("rate =", "raet =")
        .replace("1 MB", "1 Mb")
        .replace("paced", "pased");
    assert_snapshot!(refused(&text));
}

#[test]
fn at_most_twenty_mistakes_are_listed() {
    let text: String = (0..1000).map(|n| format!("k{n} = 1\n")).collect();
    let error = parse("bad.toml", &text).unwrap_err();
    assert_eq!(error.invalid().unwrap().faults().len(), 20);
}

#[test]
fn a_place_is_given_in_lines_and_characters() {
    let error = parse(
        "bad.toml",
        "description = \"ééé\"\nname = \"x\" \ndescription2 = 1\n",
    )
    .unwrap_err();
    let invalid = error.invalid().unwrap();
    let places: Vec<_> = invalid
        .faults()
        .iter()
        .map(|fault| invalid.line_column(fault))
        .collect();
    assert_eq!(places, [None, None, Some((3, 1))]);
}

/// An empty directory for one test.
fn scratch(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

#[test]
fn files_that_cannot_be_read() {
    let directory = scratch("files_that_cannot_be_read");
    std::fs::File::create(directory.join("huge.toml"))
        .unwrap()
        .set_len(100 << 20)
        .unwrap();
    std::fs::write(directory.join("latin1.toml"), b"name = \"caf\xe9\"\n").unwrap();
    std::fs::write(directory.join("nothing.toml"), b"").unwrap();
    let names = [
        "huge.toml",
        "latin1.toml",
        "nothing.toml",
        "missing.toml",
        "nothing.toml/x",
        ".",
        "",
    ];
    let mut text: String = names
        .iter()
        .map(|name| format!("{}\n", read(&directory.join(name)).unwrap_err()))
        .map(|text| text.replace(directory.to_str().unwrap(), "DIR"))
        .collect();
    for name in ["/dev/zero", "/dev/null"] {
        text += &format!("{}\n", read(Path::new(name)).unwrap_err());
    }
    assert_snapshot!(text);
    assert!(matches!(
        read(Path::new("a name with a \0")),
        Err(Error::Unreadable { .. })
    ));
}

#[test]
fn a_text_over_the_limit_is_refused() {
    let text = "#".repeat(MAX_FILE_BYTES as usize + 1);
    assert!(matches!(
        parse("big.toml", &text),
        Err(Error::Unreadable {
            cause: Unreadable::TooLarge(_),
            ..
        })
    ));
}

#[test]
fn a_line_too_long_to_show_has_its_number() {
    let on_one_line: String = (0..MAX_FILE_BYTES / 8)
        .map(|n| format!("\"{:3}\",", n % 1000))
        .collect();
    let texts = [
        "x".repeat(MAX_FILE_BYTES as usize),
        format!(
            "name = \"x\"\nseed = [{}]",
            &on_one_line[..on_one_line.len() / 2]
        ),
        "[".repeat(MAX_FILE_BYTES as usize),
        format!("a = {}", "[".repeat(500_000)),
        "a.".repeat(500_000),
    ];
    assert_snapshot!(texts.map(|text| refused(&text)).concat());
}

#[test]
fn a_mistake_of_many_lines_is_shown_by_its_first() {
    assert_snapshot!(refused(&with(
        "\"300 ms\"",
        "[\n  \"300 ms\",\n  \"200 ms\",\n]"
    )));
}
