//! The configuration file of `onramp serve`.
//!
//! ```toml
//! [service]
//! metrics = "127.0.0.1:9464"
//!
//! [[policy]]
//! name = "web"
//! local_port = [80, 443]
//! startup = "onramp"
//! percent = 5
//! ```
//!
//! The first policy that matches a connection is the connection's. All mistakes of a file are
//! reported together, each with its line, what was expected, and what to do.

mod advice;
mod cgroup;
mod error;
mod keys;
mod mistake;
mod policy;
mod service;
mod values;
mod warning;

pub use error::Error;
pub use keys::{POLICY_KEYS, SERVICE_KEYS};
pub use mistake::Mistake;
pub use onramp_config::{Fault, Invalid};
pub use policy::Policy;
pub use service::Service;
pub use warning::{Doubt, Warning};

use onramp_config::document::{Format, Reader, Section};
use onramp_config::key::Known;
use onramp_config::read_text;
use std::path::Path;
use toml::de::DeTable;

/// The configuration file of an installed service.
pub const CONFIG_FILE: &str = "/etc/onramp/config.toml";

/// The size of the largest file, in bytes.
pub const MAX_FILE_BYTES: u64 = 1 << 20;

/// A configuration.
#[derive(Clone, Debug)]
pub struct Config {
    /// The table `[service]`.
    pub service: Service,
    /// The tables `[[policy]]`, in their order.
    pub policies: Vec<Policy>,
    /// What is probably not meant, in the order of the file.
    pub warnings: Vec<Warning>,
}

/// Reads and checks a file.
///
/// # Errors
/// The file cannot be read, or has mistakes.
pub fn read(path: &Path) -> Result<Config, Error> {
    let file = path.display().to_string();
    match read_text(path, MAX_FILE_BYTES) {
        Ok(text) => parse(&file, &text),
        Err(cause) => Err(Error::Unreadable { file, cause }),
    }
}

/// The format of configurations.
static FORMAT: Format = Format {
    root: &keys::TOP,
    max_entries: usize::MAX,
    translate: Mistake::of_a_file,
};

/// Checks a text. `file` names it in messages.
///
/// # Errors
/// [`Error::Invalid`]
pub fn parse(file: &str, text: &str) -> Result<Config, Error> {
    let refused = |faults| Err(Error::Invalid(Box::new(Invalid::new(file, text, faults))));
    let document = match DeTable::parse(text) {
        Ok(document) => document,
        Err(error) => {
            let mistake = Mistake::of_syntax(text, &error);
            return refused(vec![match error.span() {
                Some(span) => Fault::at(mistake, span),
                None => Fault::of_the_file(mistake),
            }]);
        }
    };
    let mut reader = Reader::new(&FORMAT, Known::default());
    let config = read_document(&mut reader, file, text, document.get_ref());
    match reader.faults.is_empty() {
        true => Ok(config),
        false => refused(reader.faults),
    }
}

fn read_document(reader: &mut Reader, file: &str, text: &str, document: &DeTable) -> Config {
    let top = Section::top(&keys::TOP, document);
    reader.refuse_unknown_keys(&top);
    let section = reader.table(&top, &keys::SERVICE);
    let service = service::read(reader, &section);
    let line_of = |at: usize| text[..at].matches('\n').count() + 1;
    let policies = policy::read_all(reader, &top, line_of, &service.canary);
    if reader.faults.is_empty() && !top.has_name(keys::POLICY.name) {
        // A file that was cut off must not end all policies at a reload.
        let file = file.to_owned();
        let fault = Fault::of_the_file(Mistake::NoPolicy { file });
        reader.faults.push(fault);
    }
    let text_file_line = line_of(section.span(keys::TEXT_FILE.name()).start);
    let mut doubts = warning::of_policies(&policies);
    doubts.extend(warning::of_service(&service).map(|doubt| (doubt, text_file_line)));
    doubts.sort_by_key(|(_, line)| *line);
    let warning = |(doubt, line)| Warning {
        file: file.to_owned(),
        line,
        doubt,
    };
    Config {
        service,
        policies,
        warnings: doubts.into_iter().map(warning).collect(),
    }
}

#[cfg(test)]
mod tests;
