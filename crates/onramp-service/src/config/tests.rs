use super::*;
use onramp_kernel::policy::{Cgroup, Family};
use onramp_kernel::Memory;

fn lines(text: &str) -> Vec<String> {
    parse("config.toml", text).unwrap_err().lines()
}

#[test]
fn every_key_is_read() {
    let config = parse(
        "config.toml",
        r#"
        [service]
        metrics = ["127.0.0.1:9000", "[::1]:9000"]
        text_file = "/var/lib/node/onramp.prom"
        interval = "1 s"
        error_rate = "0.5 %"
        tolerated_slowdown = "10 %"
        tolerated_retransmissions = "1 %"
        min_connections = 50

        [[policy]]
        name = "local"
        destination = ["127.0.0.0/8", "::1"]
        startup = "none"

        [[policy]]
        name = "web"
        local_port = [80, "8000-8100"]
        cgroup = "/system.slice/"
        unit = ["nginx.service"]
        user = ["root", 33]
        family = "ipv6"
        startup = "onramp"
        percent = 2.5
        avoidance = "reno"
        initial_window = "paper"
        memory = "careful"
        memory_lifetime = "60 s"
        memory_jump = "64 KiB"
        governor = "10 %"
        retransmission_budget = "5 %"
        "#,
    )
    .unwrap();
    assert_eq!(config.service.metrics.len(), 2);
    assert_eq!(config.service.canary.error_rate, 0.005);
    let [local, web] = config.policies.as_slice() else {
        panic!("{config:?}")
    };
    assert!(local.rule.start.is_none());
    assert_eq!(local.rule.matches.destinations.len(), 2);
    let matches = &web.rule.matches;
    assert_eq!(matches.local_ports, [80..=80, 8000..=8100]);
    let path = Cgroup::Path("/system.slice".to_owned());
    assert_eq!(
        matches.cgroups,
        [path, Cgroup::Unit("nginx.service".to_owned())]
    );
    assert_eq!(
        (matches.users.as_slice(), matches.family),
        ([0, 33].as_slice(), Some(Family::Ipv6))
    );
    let start = web.rule.start.as_ref().unwrap();
    assert_eq!(start.share, 0.025);
    let options = &start.options;
    assert_eq!(
        (options.startup.as_str(), options.avoidance.name()),
        ("onramp", "reno")
    );
    assert!(options.paper_initial_window && options.memory == Memory::Careful);
    assert_eq!(
        (options.memory_lifetime_ns, options.memory_jump_bytes),
        (60_000_000_000, 65536)
    );
    assert_eq!(options.governor_bound_ppm, 100_000);
    assert_eq!(web.canary.retransmission_budget, Some(0.05));
    assert_eq!(web.canary.error_rate, 0.005);
}

#[test]
fn an_empty_file_has_no_policy() {
    let config = parse("config.toml", "").unwrap();
    assert!(config.policies.is_empty());
    assert_eq!(config.service, Service::default());
}

#[test]
fn all_mistakes_are_reported_with_their_lines_and_what_to_do() {
    let found = lines(
        r#"[service]
metric = "off"
interval = "5"
[[policy]]
name = "web"
local_port = 70000
startup = "onramps"
[[policy]]
name = "web"
startup = "none"
percent = 5
[[policy]]
name = "two words"
destination = "192.0.2.1/24"
user = "nobody-has-this-name"
cgroup = "system.slice"
[[policy]]
name = "reserving"
startup = "qos"
unit = "nginx"
memory_jump = "1 MB"
"#,
    );
    let expected = [
        "config.toml:2: unknown key `metric` in [service]; did you mean `metrics`?; [service] has",
        "config.toml:3: `interval` is \"5\"; expected a time from 100 ms to 1 h, such as \"5 s\"",
        "config.toml:6: `local_port` is 70000; expected a port such as 443, a range",
        "config.toml:7: start-up `onramps` cannot be chosen by a policy: there is none of this",
        "config.toml:9: two policies have the name `web`; give each policy a name of its own",
        "config.toml:11: `percent` has no effect on a policy with startup = \"none\"; remove it",
        "config.toml:12: `startup` is missing in this policy; add `startup = ...`: the name of a",
        "config.toml:13: `name` is \"two words\"; expected letters, digits, - and _, at most 63",
        "config.toml:14: `destination` is \"192.0.2.1/24\"; expected an address or a prefix",
        "config.toml:15: this host has no user `nobody-has-this-name`; create the user, correct",
        "config.toml:16: `cgroup` is \"system.slice\"; expected the path of a cgroup below the",
        "config.toml:19: start-up `qos` cannot be chosen by a policy: each program asks for",
        "config.toml:20: `unit` is \"nginx\"; expected the name of a systemd unit such as",
        "config.toml:21: `memory_jump` has no effect without `memory`; remove it",
    ];
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.starts_with(expected), "{found}\nexpected\n{expected}");
    }
    assert_eq!(found.len(), expected.len(), "{found:#?}");
}

#[test]
fn what_is_no_toml_has_its_line() {
    let found = lines("[service]\ninterval = \n");
    assert!(
        found[0].starts_with("config.toml:2: this is not TOML: "),
        "{found:?}"
    );
    let found = lines("policy = 1\nservice = []\n");
    assert_eq!(
        found,
        [
            "config.toml:1: `policy` is a value, not tables that begin with [[policy]]",
            "config.toml:2: `service` is a list, not a table",
        ]
    );
}

#[test]
fn a_report_shows_the_line() {
    let error = parse("config.toml", "[service]\ninterval = 5\n").unwrap_err();
    let report = error.report(false);
    assert!(
        report.contains("interval = 5") && report.contains("config.toml:2"),
        "{report}"
    );
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let missing = read(Path::new("/nowhere/config.toml")).unwrap_err();
    let expected = "cannot read the configuration /nowhere/config.toml: No such file";
    assert!(missing.to_string().starts_with(expected), "{missing}");
    let device = read(Path::new("/dev/null")).unwrap_err();
    assert!(
        device.to_string().ends_with("/dev/null: it is not a file"),
        "{device}"
    );
}

#[test]
fn the_default_configuration_changes_nothing() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../packaging/config.toml");
    let text = &std::fs::read_to_string(file).unwrap();
    let config = parse("config.toml", text).unwrap();
    let starts = config
        .policies
        .iter()
        .filter_map(|policy| policy.rule.start.as_ref());
    let shares: Vec<f64> = starts.map(|start| start.share).collect();
    assert_eq!(shares, [0.0], "one line is to be set");
}
