//! Why a configuration was refused.

use onramp_config::{Fault, Invalid, Unreadable};
use std::io::ErrorKind;

/// Why a configuration was refused.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no text that could be read.
    #[error("cannot read the configuration {file}: {}", why(cause))]
    Unreadable {
        /// The file's name.
        file: String,
        /// Why it cannot be read.
        cause: Unreadable,
    },
    /// The file could be read, and has mistakes.
    #[error("{}", summary(.0))]
    Invalid(Box<Invalid>),
}

/// Why there is no text, and what to do about it.
fn why(cause: &Unreadable) -> String {
    match cause {
        Unreadable::Failed(error) if error.kind() == ErrorKind::NotFound => {
            format!("{error}; name the file with --config")
        }
        Unreadable::Failed(error) => error.to_string(),
        Unreadable::NotAFile("a directory") => {
            "it is a directory; name the file with --config".to_owned()
        }
        Unreadable::NotAFile(_) => "it is not a file".to_owned(),
        Unreadable::TooLarge(max_bytes) => format!("it is larger than {max_bytes} B"),
        Unreadable::NotUtf8 { offset, line } => {
            format!("byte {offset} (line {line}) is not UTF-8 text; save the file as UTF-8")
        }
    }
}

fn summary(invalid: &Invalid) -> String {
    match invalid.faults() {
        [only] => line(invalid, only),
        _ => invalid.to_string(),
    }
}

/// One line about a mistake: the file, the line, what is wrong and what to do.
fn line(invalid: &Invalid, fault: &Fault) -> String {
    let file = invalid.file_name();
    let sentence = fault.mistake.to_string();
    let place = match invalid.line_column(fault) {
        Some((line, _)) => format!("{file}:{line}: "),
        None if sentence.starts_with(file) => String::new(),
        None => format!("{file}: "),
    };
    let help = fault.advice().map(|help| format!("; {help}"));
    format!("{place}{sentence}{}", help.unwrap_or_default())
}

impl Error {
    /// The error with the lines of the file that it is about, for a terminal.
    pub fn report(&self, has_colour: bool) -> String {
        const COLUMNS: usize = 100;
        let (invalid, sentence) = match self {
            Error::Invalid(invalid) => match invalid.faults() {
                // The place of a single mistake is not printed twice.
                [only] => (Some(&**invalid), only.to_string()),
                _ => (Some(&**invalid), self.to_string()),
            },
            Error::Unreadable { .. } => (None, self.to_string()),
        };
        onramp_config::report(&sentence, invalid, COLUMNS, has_colour)
    }

    /// The error in lines for a log: each says the file, the line, what is wrong, what to do.
    pub fn lines(&self) -> Vec<String> {
        match self {
            Error::Invalid(invalid) => {
                let faults = invalid.faults().iter();
                faults.map(|fault| line(invalid, fault)).collect()
            }
            other => vec![other.to_string()],
        }
    }
}
