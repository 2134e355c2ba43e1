//! `docs/reference/service.md` is generated from the keys of the configuration:
//!
//!     ONRAMP_UPDATE_DOCS=1 cargo test -p onramp-service --test reference

use onramp_config::key::{AnyKey, Fallback};
use onramp_service::config::{POLICY_KEYS, SERVICE_KEYS};
use std::fmt::Write;
use std::path::Path;

fn table(keys: &[&dyn AnyKey]) -> String {
    let mut text = "| Key | Value | Default | Meaning |\n|---|---|---|---|\n".to_owned();
    for key in keys {
        let (name, expected, meaning) = (key.facts().name, key.expected(), key.meaning());
        let default = match key.facts().default {
            Fallback::Other(words) => words.to_owned(),
            Fallback::Text(text) => format!("\"{text}\""),
            _ => "required".to_owned(),
        };
        writeln!(text, "| `{name}` | {expected} | {default} | {meaning} |").unwrap();
    }
    text
}

#[test]
fn the_reference_of_the_configuration_is_up_to_date() {
    let generated = format!(
        "# Reference: the configuration of the service\n\n\
         <!-- Generated from crates/onramp-service/src/config/keys.rs:\n\
         ONRAMP_UPDATE_DOCS=1 cargo test -p onramp-service reference -->\n\n\
         [Running on a server](../service.md) explains it. The file is TOML, \
         `/etc/onramp/config.toml`.\n`onramp serve --check` says what is wrong with it.\n\n\
         ## `[service]`\n\n{}\n\
         ## `[[policy]]`\n\n\
         The first policy that matches a connection is the connection's. At most 64.\n\n{}",
        table(SERVICE_KEYS),
        table(POLICY_KEYS)
    );
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/service.md");
    if std::env::var_os("ONRAMP_UPDATE_DOCS").is_some() {
        std::fs::write(&path, &generated).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == generated,
        "run ONRAMP_UPDATE_DOCS=1 cargo test -p onramp-service reference"
    );
}
