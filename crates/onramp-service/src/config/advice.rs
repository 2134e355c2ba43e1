//! What to do about a value that a key cannot have.

use super::cgroup::{is_unit, CGROUP_MOUNT};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// What to write instead of a wrong value of this key.
pub(super) fn of(key: &str, expected: &str, text: &str) -> String {
    let special = match key {
        "destination" => destination(text),
        "cgroup" => cgroup(text),
        "unit" => unit(text),
        "text_file" => text_file(text),
        _ => None,
    };
    special.unwrap_or_else(|| format!("expected {expected}"))
}

/// What to write instead of a value of another type, which the file has in this form.
pub(super) fn of_type(key: &str, expected: &str, written: &str) -> String {
    match key {
        "percent" if written.starts_with('"') => {
            format!("expected {expected}, without quotes and percent sign, such as 5")
        }
        _ => format!("expected {expected}"),
    }
}

/// What to do about an empty list.
pub(super) fn of_empty_list(key: &str) -> &'static str {
    match key {
        "metrics" => "write \"off\" for none, or add an address",
        _ => "remove the key to match everything, or add an entry",
    }
}

fn destination(text: &str) -> Option<String> {
    let (address, length) = text.split_once('/').unwrap_or((text, ""));
    let Ok(address) = address.parse::<IpAddr>() else {
        let is_of_name = |char: char| char.is_alphanumeric() || "-_.".contains(char);
        let is_name = text.chars().any(char::is_alphabetic) && text.chars().all(is_of_name);
        return is_name.then(|| "a name is not looked up; give its addresses".to_owned());
    };
    let length: u32 = length.parse().ok()?;
    let (version, bits) = match address {
        IpAddr::V4(_) => ("IPv4", 32),
        IpAddr::V6(_) => ("IPv6", 128),
    };
    if length > bits {
        return Some(format!("an {version} prefix has at most {bits} bits"));
    }
    let host_bits = bits - length;
    let prefix: IpAddr = match address {
        IpAddr::V4(address) => {
            let mask = u32::MAX.checked_shl(host_bits).unwrap_or(0);
            Ipv4Addr::from(u32::from(address) & mask).into()
        }
        IpAddr::V6(address) => {
            let mask = u128::MAX.checked_shl(host_bits).unwrap_or(0);
            Ipv6Addr::from(u128::from(address) & mask).into()
        }
    };
    Some(format!(
        "it has bits behind the first {length}; write \"{prefix}/{length}\", or \"{address}\" for \
         one address"
    ))
}

fn cgroup(text: &str) -> Option<String> {
    let path = text.strip_prefix(CGROUP_MOUNT).unwrap_or(text);
    if path.trim_matches('/').is_empty() {
        return Some("the root has all connections; remove the key to match everything".to_owned());
    }
    if path.len() < text.len() && path.starts_with('/') {
        return Some(format!("write the path below the mount: \"{path}\""));
    }
    let is_absolute = text.starts_with('/');
    (!is_absolute).then(|| format!("a path begins with a slash: \"/{text}\""))
}

fn unit(text: &str) -> Option<String> {
    // Those that have no processes.
    const OTHER_TYPES: [&str; 7] = [
        "automount",
        "device",
        "mount",
        "path",
        "swap",
        "target",
        "timer",
    ];
    if text.contains('/') {
        return Some("use `cgroup` for a path".to_owned());
    }
    if text.contains(['*', '?', '[']) {
        let advice = "a unit has no wildcard; name the slice that encloses the units";
        return Some(advice.to_owned());
    }
    if let Some((template, kind)) = text.split_once("@.") {
        return Some(format!(
            "it is a template; name an instance such as \"{template}@1.{kind}\", or its slice"
        ));
    }
    let service = format!("{text}.service");
    let is_other = text
        .rsplit_once('.')
        .is_some_and(|(_, kind)| OTHER_TYPES.contains(&kind));
    let is_name = !is_other && is_unit(&service);
    is_name.then(|| format!("did you mean \"{service}\"?"))
}

fn text_file(text: &str) -> Option<String> {
    let is_relative = text.ends_with(".prom") && !text.starts_with('/');
    is_relative.then(|| "give the whole path, which begins with a slash".to_owned())
}

#[cfg(test)]
mod tests {
    use crate::config::{parse, read};

    /// The only message about a policy with this line, behind the place.
    #[track_caller]
    fn message(line: &str) -> String {
        let text = format!("[[policy]]\nname = \"web\"\nstartup = \"onramp\"\n{line}\n");
        only("x.toml:4: ", &text)
    }

    /// The only message about this text, behind its place.
    #[track_caller]
    fn only(place: &str, text: &str) -> String {
        let lines = parse("x.toml", text).unwrap_err().lines();
        let [line] = lines.as_slice() else {
            panic!("{lines:?}")
        };
        line.strip_prefix(place).expect(line).to_owned()
    }

    #[track_caller]
    fn check(key: &str, cases: &[(&str, &str)]) {
        for (value, advice) in cases {
            let found = message(&format!("{key} = \"{value}\""));
            assert_eq!(found, format!("`{key}` is \"{value}\"; {advice}"));
        }
    }

    #[test]
    fn a_wrong_cgroup_or_unit_says_what_is_meant() {
        check(
            "cgroup",
            &[
                (
                    "/sys/fs/cgroup/system.slice",
                    "write the path below the mount: \"/system.slice\"",
                ),
                (
                    "/sys/fs/cgroup/",
                    "the root has all connections; remove the key to match everything",
                ),
                (
                    "/",
                    "the root has all connections; remove the key to match everything",
                ),
                ("a.slice", "a path begins with a slash: \"/a.slice\""),
            ],
        );
        let wildcard = "a unit has no wildcard; name the slice that encloses the units";
        let template = "it is a template; name an instance such as \"php@1.service\", or its slice";
        check(
            "unit",
            &[
                ("php*.service", wildcard),
                ("web-?", wildcard),
                ("php@.service", template),
                ("nginx", "did you mean \"nginx.service\"?"),
                ("php8.2-fpm", "did you mean \"php8.2-fpm.service\"?"),
                ("/system.slice/nginx.service", "use `cgroup` for a path"),
                (
                    "backup.timer",
                    "expected the name of a systemd unit such as \"nginx.service\", or a list of \
                     them",
                ),
            ],
        );
    }

    #[test]
    fn a_wrong_destination_says_what_is_meant() {
        check(
            "destination",
            &[
                (
                    "10.0.0.1/8",
                    "it has bits behind the first 8; write \"10.0.0.0/8\", or \"10.0.0.1\" for one \
                     address",
                ),
                (
                    "2001:db8::1/0",
                    "it has bits behind the first 0; write \"::/0\", or \"2001:db8::1\" for one \
                     address",
                ),
                ("10.0.0.0/33", "an IPv4 prefix has at most 32 bits"),
                ("::/999", "an IPv6 prefix has at most 128 bits"),
                ("example.com", "a name is not looked up; give its addresses"),
            ],
        );
    }

    #[test]
    fn a_wrong_start_up_says_what_is_meant() {
        let of = |startup: &str| {
            let text = format!("[[policy]]\nname = \"a\"\nstartup = \"{startup}\"\n");
            let line = only("x.toml:3: ", &text);
            let (_, why) = line.split_once("cannot be chosen by a policy: ").unwrap();
            why.to_owned()
        };
        let meant = "there is none of this name; did you mean `onramp`?";
        assert_eq!((of("onrmp"), of("Onramp")), (meant.into(), meant.into()));
        let avoidance = "it is an avoidance, not a start-up; for no start-up write \"none\"";
        assert_eq!(
            (of("cubic"), of("BBR")),
            (avoidance.into(), avoidance.into())
        );
        assert!(of("zzzzzz").contains("none of this name; choose one of: "));
    }

    #[test]
    fn other_wrong_values_say_what_is_meant() {
        assert_eq!(
            message("percent = \"5 %\""),
            "`percent` is \"5 %\"; expected a number from 0 to 100, without quotes and percent \
             sign, such as 5"
        );
        assert_eq!(
            message("retransmission_budget = \"150 %\""),
            "`retransmission_budget` is \"150 %\"; expected a share above 0 % and at most 100 %, \
             such as \"5 %\""
        );
        assert_eq!(
            message("user = \"33\""),
            "this host has no user `33`; a user id has no quotes: user = 33"
        );
    }

    #[test]
    fn a_jump_without_memory_at_once_has_no_effect() {
        let of = |memory: &str| {
            let policy = "[[policy]]\nname = \"web\"\nstartup = \"onramp\"\n";
            let text = format!("{policy}memory_jump = \"64 KiB\"\n{memory}\n");
            only("x.toml:4: ", &text)
        };
        let expected = "`memory_jump` has no effect without memory = \"at-once\"; remove it";
        assert_eq!(of(""), expected);
        assert_eq!(of("memory = \"careful\""), expected);
        // Whether it has an effect is not known yet.
        message("memory = \"at once\"\nmemory_jump = \"64 KiB\"");
    }

    #[test]
    fn a_wrong_endpoint_or_file_for_metrics_says_what_is_meant() {
        let of = |line: &str| only("x.toml:2: ", &format!("[service]\n{line}\n"));
        assert_eq!(
            of("metrics = []"),
            "the list `metrics` is empty; write \"off\" for none, or add an address"
        );
        assert_eq!(
            of("metrics = [\"[::1]:90\", \"[0::1]:90\"]"),
            "the address [::1]:90 is given twice; remove one"
        );
        assert_eq!(
            of("text_file = \"onramp.prom\""),
            "`text_file` is \"onramp.prom\"; give the whole path, which begins with a slash"
        );
        let text = "policy = []\n[service]\ntext_file = \"/nowhere/at/all/onramp.prom\"\n";
        let config = parse("x.toml", text).unwrap();
        let warnings: Vec<_> = config.warnings.iter().map(ToString::to_string).collect();
        let expected = "x.toml:3: the directory /nowhere/at/all of `text_file` does not exist: no \
                        metrics can be written; create it";
        assert_eq!(warnings, [expected]);
    }

    #[test]
    fn what_is_given_twice_is_named() {
        let key = "[[policy]]\npercent = 1\npercent = 2\n";
        assert_eq!(
            only("x.toml:3: ", key),
            "`percent` is given twice in this table; remove one"
        );
        assert_eq!(
            only("x.toml:2: ", "[service]\n[service]\n"),
            "the table [service] is given twice; join both"
        );
        let brackets = "write [[policy]], with two brackets";
        let twice = only(
            "x.toml:3: ",
            "[policy]\nname = \"a\"\n[policy]\nname = \"b\"\n",
        );
        assert!(twice.ends_with(brackets), "{twice}");
        let once = only("x.toml:1: ", "[policy]\nname = \"a\"\n");
        assert!(once.ends_with(brackets), "{once}");
    }

    #[test]
    fn the_entry_of_a_list_that_is_wrong_has_its_line() {
        let list = |key: &str, right: &str, wrong: &str| {
            let text = format!(
                "[[policy]]\nname = \"a\"\nstartup = \"none\"\n{key} = [\n  {right}, # the first\n\
                 \n  {wrong},\n  {right}\n]\n"
            );
            only("x.toml:7: ", &text)
        };
        list("user", "0", "\"nobody-has-this-name\"");
        list("destination", "\"::1\"", "\"10.0.0.1/8\"");
        list("unit", "\"a.service\"", "\"a\"");
        list("local_port", "80", "0");
    }

    #[test]
    fn more_prefixes_than_the_kernel_has_room_for_are_refused() {
        let text = |count: u32| {
            let prefixes: Vec<String> = (0..count)
                .map(|at| format!("\"10.{}.{}.0/24\"", at >> 8, at & 255))
                .collect();
            let table = |name: &str, prefixes: &[String]| {
                let all = prefixes.join(",");
                format!("[[policy]]\nname=\"{name}\"\nstartup=\"none\"\ndestination=[{all}]\n")
            };
            let (first, second) = prefixes.split_at(20_000);
            // A prefix of two policies has one place.
            table("a", first) + &table("b", second) + &table("c", &first[..100])
        };
        assert_eq!(
            only("x.toml:5: ", &text(38_400)),
            "the file has 38400 prefixes; the maximum is 32768; join neighbours into shorter ones"
        );
        assert!(parse("x.toml", &text(32_768)).is_ok());
    }

    #[test]
    fn one_mistake_is_printed_once() {
        let text = "policy = []\n[service]\ninterval = 5\n";
        let report = parse("x.toml", text).unwrap_err().report(false);
        assert_eq!(report.matches("`interval` is 5").count(), 1, "{report}");
        assert!(
            report.contains("x.toml:3") && !report.contains("Error:"),
            "{report}"
        );
        assert!(report.contains("help: expected a time"), "{report}");
    }

    #[test]
    fn a_file_that_cannot_be_read_says_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let of = |path: &std::path::Path| read(path).unwrap_err().to_string();
        let missing = of(&folder.path().join("config.toml"));
        assert!(
            missing.ends_with("; name the file with --config"),
            "{missing}"
        );
        let directory = of(folder.path());
        let expected = ": it is a directory; name the file with --config";
        assert!(directory.ends_with(expected), "{directory}");
        let file = folder.path().join("latin1.toml");
        std::fs::write(&file, b"[service]\n# caf\xe9\n").unwrap();
        let expected = ": byte 15 (line 2) is not UTF-8 text; save the file as UTF-8";
        assert!(of(&file).ends_with(expected), "{}", of(&file));
    }
}
