//! The names and addresses of the two ends, as programs see them.

use onramp_lab::{Path, PathEnd};
use std::fs;
use std::net::IpAddr;

/// The name of the end where the command runs.
pub const CLIENT: &str = "client";
/// The name of the other end.
pub const SERVER: &str = "server";

/// The two ends of a path, with their names.
pub struct Ends {
    /// The addresses of the end where the command runs, one of each IP version.
    pub client: Vec<IpAddr>,
    /// Those of the other end.
    pub server: Vec<IpAddr>,
}

impl Ends {
    /// The ends of a path. The command runs at `client`.
    pub fn of(path: &Path, client: PathEnd) -> Ends {
        Ends {
            client: path.addresses_of(client),
            server: path.addresses_of(client.other()),
        }
    }

    /// The names with their addresses.
    fn named(&self) -> impl Iterator<Item = (&'static str, IpAddr)> + '_ {
        let of = |name, addresses: &'_ [IpAddr]| {
            addresses
                .iter()
                .map(move |address| (name, *address))
                .collect::<Vec<_>>()
        };
        of(CLIENT, &self.client)
            .into_iter()
            .chain(of(SERVER, &self.server))
    }

    /// The content of /etc/hosts: this machine's, and the two names.
    pub fn hosts(&self) -> String {
        let mut hosts = fs::read_to_string("/etc/hosts").unwrap_or_default();
        if !hosts.is_empty() && !hosts.ends_with('\n') {
            hosts.push('\n');
        }
        for (name, address) in self.named() {
            hosts += &format!("{address} {name}\n");
        }
        hosts
    }

    /// The addresses as variables of the environment.
    pub fn environment(&self) -> Vec<(&'static str, String)> {
        let variable = |(name, address): (&str, IpAddr)| {
            let variable = match (name, address) {
                (CLIENT, IpAddr::V4(_)) => "ONRAMP_CLIENT",
                (CLIENT, IpAddr::V6(_)) => "ONRAMP_CLIENT_IPV6",
                (_, IpAddr::V4(_)) => "ONRAMP_SERVER",
                (_, IpAddr::V6(_)) => "ONRAMP_SERVER_IPV6",
            };
            (variable, address.to_string())
        };
        self.named().map(variable).collect()
    }
}

/// Addresses as words: `198.18.0.1 and 2001:2:0:1::1`.
pub fn words(addresses: &[IpAddr]) -> String {
    let words: Vec<String> = addresses.iter().map(IpAddr::to_string).collect();
    words.join(" and ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_end_has_a_name_and_variables_for_both_versions() {
        let ends = Ends {
            client: vec![
                "198.18.0.2".parse().unwrap(),
                "2001:2:0:2::1".parse().unwrap(),
            ],
            server: vec![
                "198.18.0.1".parse().unwrap(),
                "2001:2:0:1::1".parse().unwrap(),
            ],
        };
        assert!(ends.hosts().ends_with(
            "198.18.0.2 client\n2001:2:0:2::1 client\n198.18.0.1 server\n2001:2:0:1::1 server\n"
        ));
        let of = |name| {
            let all = ends.environment();
            all.into_iter().find(|(found, _)| *found == name).unwrap().1
        };
        assert_eq!(of("ONRAMP_SERVER"), "198.18.0.1");
        assert_eq!(of("ONRAMP_CLIENT_IPV6"), "2001:2:0:2::1");
        assert_eq!(words(&ends.server), "198.18.0.1 and 2001:2:0:1::1");
    }
}
