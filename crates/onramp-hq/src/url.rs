//! URLs of downloads: `https://HOST[:PORT]/PATH`.

use crate::error::Error;
use std::net::{SocketAddr, ToSocketAddrs};
use std::str::FromStr;

/// The port of a URL without one.
pub const DEFAULT_PORT: u16 = 443;

/// Where to download from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url {
    /// The name or address of the server; an IPv6 address is without brackets.
    pub host: String,
    /// The UDP port.
    pub port: u16,
    /// The path, which begins with `/`.
    pub path: String,
}

impl FromStr for Url {
    type Err = Error;

    fn from_str(text: &str) -> Result<Url, Error> {
        let refuse = |reason: String| Error::Url {
            url: text.to_owned(),
            reason,
        };
        let uri: http::Uri = text
            .parse()
            .map_err(|error: http::uri::InvalidUri| refuse(error.to_string()))?;
        match uri.scheme_str() {
            Some("https") => {}
            Some(other) => return Err(refuse(format!("its scheme is `{other}`"))),
            None => return Err(refuse("it has no scheme".to_owned())),
        }
        let host = uri.host().unwrap_or_default();
        if host.is_empty()
            || uri
                .authority()
                .is_some_and(|all| all.as_str().contains('@'))
        {
            return Err(refuse(
                "a host alone must stand after `https://`".to_owned(),
            ));
        }
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        Ok(Url {
            host: host.to_owned(),
            port: uri.port_u16().unwrap_or(DEFAULT_PORT),
            path: path.to_owned(),
        })
    }
}

impl Url {
    /// The address of the server: the first that the system knows for its name. The call may ask a
    /// name server.
    ///
    /// # Errors
    /// The host has no address.
    pub fn address(&self) -> Result<SocketAddr, Error> {
        let refuse = |reason: String| Error::Host {
            host: self.host.clone(),
            reason,
        };
        let mut addresses = (self.host.as_str(), self.port)
            .to_socket_addrs()
            .map_err(|error| refuse(error.to_string()))?;
        addresses
            .next()
            .ok_or_else(|| refuse("the name server gave none".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_url_are_read() {
        let url = |text: &str| {
            let Url { host, port, path } = text.parse().unwrap();
            (host, port, path)
        };
        let expected = |host: &str, port, path: &str| (host.to_owned(), port, path.to_owned());
        assert_eq!(
            url("https://a.test:4433/b/c"),
            expected("a.test", 4433, "/b/c")
        );
        assert_eq!(url("https://[::1]/x"), expected("::1", 443, "/x"));
        assert_eq!(url("https://192.0.2.1"), expected("192.0.2.1", 443, "/"));
    }

    #[test]
    fn a_text_that_is_no_url_is_refused_with_what_was_expected() {
        for text in [
            "http://a/",
            "a.test/b",
            "https://",
            "https:///b",
            "https://u@h/",
            "https://a b/",
        ] {
            let error = text.parse::<Url>().unwrap_err().to_string();
            assert!(
                error.contains("expected https://HOST[:PORT]/PATH"),
                "{error}"
            );
            assert!(error.contains(text), "{error}");
        }
    }

    #[test]
    fn a_literal_address_needs_no_name_server() {
        let url: Url = "https://[::1]:7/x".parse().unwrap();
        assert_eq!(url.address().unwrap(), "[::1]:7".parse().unwrap());
    }
}
