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
mod error;
mod keys;
mod mistake;
mod policy;
mod section;
mod service;
mod values;
mod warning;

pub use error::{Error, Fault, Invalid};
pub use keys::{Key, POLICY_KEYS, SERVICE_KEYS};
pub use mistake::Mistake;
pub use policy::Policy;
pub use service::Service;
pub use warning::{Doubt, Warning};

use section::Reader;
use std::path::Path;

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
    let unreadable = |cause| Error::Unreadable {
        file: file.clone(),
        cause,
    };
    let bytes = read_bytes(path).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(Error::TooLarge { file });
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        let before = &error.as_bytes()[..offset];
        Error::NotUtf8 {
            offset,
            line: before.iter().filter(|&&byte| byte == b'\n').count() + 1,
            file: file.clone(),
        }
    })?;
    parse(&file, &text)
}

/// Opens a device or a pipe without waiting for its other end.
fn read_bytes(path: &Path) -> std::io::Result<Vec<u8>> {
    use std::io::{Error, ErrorKind, Read};
    let metadata = std::fs::metadata(path)?;
    if metadata.is_dir() {
        return Err(Error::new(ErrorKind::IsADirectory, "it is a directory"));
    }
    if !metadata.is_file() {
        return Err(Error::other("it is not a file"));
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path)?;
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Checks a text. `file` names it in messages.
///
/// # Errors
/// [`Error::Invalid`]
pub fn parse(file: &str, text: &str) -> Result<Config, Error> {
    let mut reader = Reader::new(file, text);
    let config = match toml::de::DeTable::parse(text) {
        Ok(document) => read_document(&mut reader, document.get_ref()),
        Err(error) => {
            reader.faults.push(Fault {
                mistake: Mistake::of_syntax(text, &error),
                span: error.span(),
            });
            None
        }
    };
    match (config, reader.faults.is_empty()) {
        (Some(config), true) => Ok(config),
        _ => Err(Error::Invalid(Box::new(Invalid::new(
            file,
            text,
            reader.faults,
        )))),
    }
}

fn read_document(reader: &mut Reader<'_>, document: &toml::de::DeTable<'_>) -> Option<Config> {
    let top = reader.top(document, &[keys::SERVICE, keys::POLICY]);
    let service = service::read(reader, &top);
    let policies = policy::read_all(reader, &top, &service.canary);
    if reader.faults.is_empty() && top.get(keys::POLICY).is_none() {
        // A file that was cut off must not end all policies at a reload.
        let file = reader.file.to_owned();
        reader.faults.push(Fault {
            mistake: Mistake::NoPolicy { file },
            span: None,
        });
    }
    warning::find(reader, &policies);
    let mut warnings = std::mem::take(&mut reader.warnings);
    warnings.sort_by_key(|warning| warning.line);
    Some(Config {
        service,
        policies,
        warnings,
    })
}

#[cfg(test)]
mod tests;
