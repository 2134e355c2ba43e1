//! Requests, players and sizes that are drawn: which keys need or exclude each other.

use crate::common::refused;

fn with_transfer(keys: &str) -> String {
    format!("name = \"x\"\n[path]\nrate = \"8 Mbit/s\"\nrtt = \"40 ms\"\n[[transfer]]\n{keys}\n")
}

/// The message about a transfer with these keys, in one line.
fn of_transfer(keys: &str) -> String {
    let message = refused(&with_transfer(keys)).replace('\u{2502}', " ");
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn keys_that_need_or_exclude_requests() {
    let size = "size = \"100 kB\"\n";
    for (keys, said) in [
        (
            "think = \"1 s\"",
            "`transfer.think` is for transfers with several `requests`",
        ),
        (
            "play = \"1 s\"",
            "`transfer.play` is for transfers with several `requests`",
        ),
        (
            "player_buffer = \"9 s\"",
            "`transfer.player_buffer` has no effect without `transfer.play`",
        ),
        (
            "connections = \"multiplexed\"",
            "`transfer.connections` has no effect without `transfer.requests`",
        ),
        (
            "requests = 2\nwrite = \"1 kB\"\nwrite_every = \"1 s\"",
            "`transfer.requests` and `transfer.write` exclude each other",
        ),
        (
            "requests = 2\nthink = \"1 s\"\nplay = \"1 s\"",
            "`transfer.play` and `transfer.think` exclude each other",
        ),
        (
            "requests = 2\nconnect = \"sender\"",
            "`transfer.requests` is for transfers whose receiver connects",
        ),
        (
            "requests = 2\nconnections = \"adaptive\"",
            "`transfer.requests` is for a number of connections",
        ),
        (
            "requests = 2\nconnections = [1, 6]\nthink = \"1 s\"",
            "`transfer.think` is for one connection",
        ),
        (
            "requests = 2\nplay = \"4 s\"\nplayer_buffer = \"7 s\"",
            "`transfer.player_buffer` is for segments of at most half of its duration",
        ),
    ] {
        let found = of_transfer(&format!("{size}{keys}"));
        assert!(found.contains(said), "{keys}: {found}");
    }
    let found = of_transfer("size = \"5 B\"\nrequests = 6");
    assert!(
        found.contains("sizes of a byte or more for each request"),
        "{found}"
    );
    let found = of_transfer("size = [\"1 MB\", \"web-search\"]\nrequests = 6");
    assert!(
        found.contains("`transfer.requests` is for sizes that are not drawn"),
        "{found}"
    );
}

#[test]
fn a_distribution_of_traffic_stands_alone() {
    let traffic =
        |size: &str| format!("size = \"1 MB\"\n[[traffic]]\nsize = {size}\narrivals = \"1 /s\"");
    onramp_scenario::parse("x.toml", &with_transfer(&traffic("\"data-mining\""))).unwrap();
    assert!(of_transfer(&traffic("[\"1 kB\", \"data-mining\"]")).contains("data-mining in a list"));
}
