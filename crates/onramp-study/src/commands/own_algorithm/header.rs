//! The user's header, and its name.

use onramp_cli::failure::{Failure, BAD_INPUT};
use std::path::{Path, PathBuf};

/// A congestion control of the kernel is named `onramp_NAME`, and has 15 characters.
const MAX_NAME: usize = 8;

/// A header with an algorithm.
pub struct Header {
    /// Where it is, from the root on: compilers name it so in their messages.
    pub path: PathBuf,
    /// The name of the algorithm: that of the file without `.h`.
    pub name: String,
}

impl Header {
    /// Checks that there is such a file, and that its name is one for an algorithm.
    pub fn at(path: &Path) -> Result<Header, Failure> {
        let bad = |message: String| Err(Failure::new(BAD_INPUT, message));
        let shown = path.display();
        let absolute = path
            .canonicalize()
            .map_err(|error| Failure::at("read", path, error))?;
        if !absolute.is_file() {
            return bad(format!("{shown} is no file: expected a C header"));
        }
        let name = path.file_name().and_then(|name| name.to_str());
        let Some(name) = name.and_then(|name| name.strip_suffix(".h")) else {
            return bad(format!("expected a C header NAME.h instead of {shown}"));
        };
        let is_first = |char: char| char.is_ascii_lowercase() || char == '_';
        let is_later = |char: char| is_first(char) || char.is_ascii_digit();
        if !name.starts_with(is_first) || !name.chars().all(is_later) || name.len() > MAX_NAME {
            return bad(format!(
                "{shown}: `{name}` is no name for an algorithm: expected 1 to {MAX_NAME} of a-z, \
                 0-9 and _, the first no digit, as in mine.h"
            ));
        }
        let name = name.to_owned();
        if onramp_core::startup_names().contains(&name.as_str()) {
            return bad(format!(
                "{shown}: Onramp has an algorithm `{name}`: rename the file, the struct and the \
                 functions"
            ));
        }
        // The path stands between quotation marks in C.
        if absolute
            .to_str()
            .is_none_or(|text| text.contains(['"', '\\', '\n']))
        {
            return bad(format!(
                "{shown}: a C compiler cannot include a path with a quotation mark, a backslash, a \
                 line feed, or without UTF-8: move the file"
            ));
        }
        Ok(Header {
            path: absolute,
            name,
        })
    }
}
