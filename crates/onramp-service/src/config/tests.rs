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
        memory = "at-once"
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
    assert!(options.paper_initial_window && options.memory == Memory::AtOnce);
    assert_eq!(
        (options.memory_lifetime_ns, options.memory_jump_bytes),
        (60_000_000_000, 65536)
    );
    assert_eq!(options.governor_bound_ppm, 100_000);
    assert_eq!(web.canary.retransmission_budget, Some(0.05));
    assert_eq!(web.canary.error_rate, 0.005);
}

#[test]
fn a_policy_has_timers_if_it_names_them() {
    let policy = "[[policy]]\nname = \"web\"\nstartup = \"onramp\"\n";
    let timers = |keys: &str| {
        let config = parse("config.toml", &format!("{policy}{keys}")).unwrap();
        let timers = config.policies[0]
            .rule
            .start
            .as_ref()
            .unwrap()
            .options
            .timers;
        [timers.rto_min, timers.delack_max].map(|timer| Some(timer?.time().as_millis()))
    };
    let both = "rto_min = \"20 ms\"\ndelack_max = \"40 ms\"\n";
    assert_eq!(timers(both), [Some(20), Some(40)]);
    assert_eq!(timers(""), [None, None]);
}

#[test]
fn a_file_without_a_policy_is_a_mistake_unless_it_says_so() {
    let expected = "config.toml has no policy: no connection would be changed or measured; add a \
                    table [[policy]], or write policy = [] in the first line";
    for text in ["", "# cut off", "[service]\ninterval = \"1 s\"\n"] {
        assert_eq!(lines(text), [expected]);
    }
    let report = parse("config.toml", "").unwrap_err().report(false);
    assert!(report.contains("config.toml has no policy"), "{report}");
    // Another mistake can be why the file has no policy: only that mistake is reported.
    let found = lines("[[polcy]]\n");
    assert!(found.len() == 1 && found[0].contains("did you mean `policy`?"));

    let config = parse("config.toml", "policy = []\n[service]\n").unwrap();
    assert!(config.policies.is_empty() && config.warnings.is_empty());
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
rto_min = "300 ms"
delack_max = "20"
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
        "config.toml:14: `destination` is \"192.0.2.1/24\"; it has bits behind the first 24",
        "config.toml:15: this host has no user `nobody-has-this-name`; create the user, correct",
        "config.toml:16: `cgroup` is \"system.slice\"; a path begins with a slash",
        "config.toml:19: start-up `qos` cannot be chosen by a policy: each program asks for",
        "config.toml:20: `unit` is \"nginx\"; did you mean \"nginx.service\"?",
        "config.toml:21: `memory_jump` has no effect without memory = \"at-once\"; remove it",
        "config.toml:22: `rto_min` is \"300 ms\"; expected a time from two ticks of the kernel",
        "config.toml:23: `delack_max` is \"20\"; expected a time from two ticks of the kernel",
    ];
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.starts_with(expected), "{found}\nexpected\n{expected}");
    }
    assert_eq!(found.len(), expected.len(), "{found:#?}");
}

/// The warnings of policies, each given by its keys behind `name`, `startup` and `percent`.
fn warnings(policies: &[(&str, &str)]) -> Vec<String> {
    let table = |(name, keys): &(&str, &str)| {
        format!("[[policy]]\nname=\"{name}\"\nstartup=\"onramp\"\npercent=5\n{keys}\n")
    };
    let text: String = policies.iter().map(table).collect();
    let config = parse("x.toml", &text).unwrap();
    config.warnings.iter().map(ToString::to_string).collect()
}

#[test]
fn a_policy_behind_one_that_has_all_its_connections_is_a_warning() {
    let hidden = [
        ("", "local_port = 443"),
        (
            "destination = \"10.0.0.0/8\"",
            "destination = [\"10.1.0.0/16\", \"10.2.3.4\"]",
        ),
        ("destination = \"::/0\"", "family = \"ipv4\""),
        ("family = \"ipv4\"", "destination = \"10.0.0.0/8\""),
        (
            "family = \"ipv6\"",
            "destination = \"fd00::/8\"\nfamily = \"ipv6\"",
        ),
        (
            "local_port = \"80-90\"",
            "local_port = [80, \"85-90\"]\nuser = 0",
        ),
        (
            "cgroup = \"/a\"",
            "cgroup = [\"/a/b\", \"/a\"]\nlocal_port = 80",
        ),
        (
            "unit = \"a.service\"",
            "unit = \"a.service\"\nfamily = \"ipv4\"",
        ),
        ("user = [1, 2]", "user = 2"),
    ];
    for (first, second) in hidden {
        let expected = format!(
            "x.toml:{}: policy `b` never matches: `web` (line 1) has all its connections; put `b` \
             before `web`",
            6 + first.matches('\n').count(),
        );
        let found = warnings(&[("web", first), ("b", second)]);
        assert_eq!(found, [expected], "{first} | {second}");
        let in_order = warnings(&[("b", second), ("web", first)]);
        assert!(in_order.is_empty(), "{in_order:?}");
    }
    let same = warnings(&[("web", "local_port = 80"), ("b", "local_port = [80]")]);
    assert!(
        same[0].ends_with("connections; remove one of the two"),
        "{same:?}"
    );
}

#[test]
fn a_policy_that_may_match_is_no_warning() {
    let possible = [
        (
            "destination = \"10.0.0.0/8\"",
            "destination = [\"10.1.0.0/16\", \"11.0.0.0/8\"]",
        ),
        ("destination = \"10.0.0.0/8\"", "local_port = 80"),
        (
            "destination = \"10.0.0.0/8\"\nlocal_port = 80",
            "destination = \"10.1.0.0/16\"",
        ),
        ("destination = \"0.0.0.0/0\"", "destination = \"::/0\""),
        ("family = \"ipv6\"", "destination = \"::/0\""),
        ("local_port = \"80-90\"", "local_port = [80, 91]"),
        ("cgroup = \"/a\"", "cgroup = \"/ab\""),
        ("cgroup = \"/a.slice\"", "unit = \"a.slice\""),
        ("user = 1", ""),
    ];
    for (first, second) in possible {
        let found = warnings(&[("web", first), ("b", second)]);
        assert!(found.is_empty(), "{first} | {second}: {found:?}");
    }
}

#[test]
fn destinations_of_the_other_family_are_a_warning() {
    let found = warnings(&[("v6", "family = \"ipv6\"\ndestination = [\"10.0.0.0/8\"]")]);
    let expected = "x.toml:1: policy `v6` never matches: `destination` has no address of its \
                    `family`; correct one";
    assert_eq!(found, [expected]);
    let mixed = warnings(&[(
        "v6",
        "family = \"ipv6\"\ndestination = [\"10.0.0.0/8\", \"::1\"]",
    )]);
    assert!(mixed.is_empty(), "{mixed:?}");
    let found = warnings(&[("v4", "family = \"ipv4\"\ndestination = \"2001:db8::/32\"")]);
    assert_eq!(found.len(), 1);
}

#[test]
fn a_policy_without_a_control_group_is_a_warning() {
    let of = |keys: &str| {
        let text = format!("\n[[policy]]\nname = \"web\"\nstartup = \"onramp\"\n{keys}");
        let config = parse("x.toml", &text).unwrap();
        config
            .warnings
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    };
    let expected = "x.toml:2: policy `web` has no control group: no comparison; only a \
                    `retransmission_budget` would switch its start-up off";
    assert_eq!(of(""), [expected]);
    assert_eq!(of("percent = 100"), [expected]);
    assert!(of("percent = 99.9").is_empty());
    assert!(of("retransmission_budget = \"5 %\"").is_empty());
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
