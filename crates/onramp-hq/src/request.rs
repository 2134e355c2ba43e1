//! Requests of HTTP/0.9: `GET /path`, and a line end. There are no headers, and no status: a
//! refused request resets the stream with the code of a [`Refusal`].

use percent_encoding::percent_decode_str;
use std::io;
use std::path::{Component, Path, PathBuf};

/// Maximum length of a request in bytes, with its line end.
pub const MAX_REQUEST_BYTES: usize = 4096;

/// Why a server refuses a request: the error code of the stream's reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The request is not `GET /path`.
    #[error("it is no request of HTTP/0.9 (`GET /path`)")]
    Malformed,
    /// The request is longer than [`MAX_REQUEST_BYTES`].
    #[error("the request is longer than {MAX_REQUEST_BYTES} bytes")]
    TooLong,
    /// The path leaves the folder, or has `.` or `..` in it.
    #[error("the path leads out of the folder that it serves")]
    Outside,
    /// There is no such file.
    #[error("there is no such file")]
    NotFound,
    /// The file cannot be read.
    #[error("the file cannot be read")]
    Unreadable,
    /// The path is that of a folder.
    #[error("the path is a folder: name a file in it")]
    Folder,
    /// A code that this client does not know.
    #[error("error code {0}")]
    Other(u64),
}

impl Refusal {
    const KNOWN: [Refusal; 6] = [
        Refusal::Malformed,
        Refusal::TooLong,
        Refusal::Outside,
        Refusal::NotFound,
        Refusal::Unreadable,
        Refusal::Folder,
    ];

    /// The error code, from 1 on.
    pub fn code(self) -> u64 {
        match self {
            Refusal::Other(code) => code,
            known => {
                1 + Refusal::KNOWN
                    .iter()
                    .position(|other| *other == known)
                    .unwrap_or(0) as u64
            }
        }
    }

    /// The refusal with an error code.
    pub fn of_code(code: u64) -> Refusal {
        let known = Refusal::KNOWN
            .into_iter()
            .find(|refusal| refusal.code() == code);
        known.unwrap_or(Refusal::Other(code))
    }
}

/// An application that writes at regular intervals, the first time at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Writes {
    /// Size of a write in bytes, at least 1.
    pub bytes: u64,
    /// Microseconds between two writes.
    pub interval_us: u64,
}

/// What a request asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// This many bytes of generated content: `/bytes/N`; or `/bytes/N/WRITE/MICROSECONDS` from an
    /// application that has no more than the writes so far.
    Generated(u64, Option<Writes>),
    /// A file, relative to the folder that is served; empty: that folder.
    File(PathBuf),
}

/// Reads the path of a request.
///
/// # Errors
/// [`Refusal::Malformed`].
pub fn path_of(request: &[u8]) -> Result<&str, Refusal> {
    let text = std::str::from_utf8(request).map_err(|_| Refusal::Malformed)?;
    let path = text.trim_end_matches(['\r', '\n']).strip_prefix("GET ");
    path.filter(|path| path.starts_with('/') && !path.contains([' ', '\r', '\n', '\0', '\\']))
        .ok_or(Refusal::Malformed)
}

impl Target {
    /// The target of a path. `%20` stands for a blank, as in every URL. The query, from `?` on, is
    /// ignored.
    ///
    /// # Errors
    /// [`Refusal::Outside`] if a name is `.` or `..`, or has a `/` once it is decoded.
    /// [`Refusal::Malformed`] if it has a NUL then, or is not UTF-8. [`Refusal::NotFound`] for
    /// `/bytes/` without numbers.
    pub fn of(path: &str) -> Result<Target, Refusal> {
        let path = path.split('?').next().unwrap_or_default();
        if let Some(numbers) = path.strip_prefix("/bytes/") {
            return generated(numbers).ok_or(Refusal::NotFound);
        }
        let mut file = PathBuf::new();
        for part in path.split('/').filter(|part| !part.is_empty()) {
            let name = percent_decode_str(part).decode_utf8();
            let name = name.map_err(|_| Refusal::Malformed)?;
            if name.contains('\0') {
                return Err(Refusal::Malformed);
            }
            let mut components = Path::new(&*name).components();
            match (components.next(), components.next()) {
                (Some(Component::Normal(alone)), None) if alone == &*name => file.push(alone),
                _ => return Err(Refusal::Outside),
            }
        }
        Ok(Target::File(file))
    }
}

/// The target of the numbers after `/bytes/`.
fn generated(numbers: &str) -> Option<Target> {
    let numbers: Result<Vec<u64>, _> = numbers.split('/').map(str::parse).collect();
    match numbers.ok()?[..] {
        [bytes] => Some(Target::Generated(bytes, None)),
        [bytes, write, interval_us] if write > 0 => {
            let writes = Writes {
                bytes: write,
                interval_us,
            };
            Some(Target::Generated(bytes, Some(writes)))
        }
        _ => None,
    }
}

/// The path of a regular file below a folder. A symbolic link must stay in the folder, whose path
/// is canonical.
///
/// # Errors
/// The refusal.
pub fn file_below(folder: &Path, file: &Path) -> Result<PathBuf, Refusal> {
    let refusal = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Refusal::NotFound,
        _ => Refusal::Unreadable,
    };
    let path = folder.join(file).canonicalize().map_err(refusal)?;
    if !path.starts_with(folder) {
        return Err(Refusal::Outside);
    }
    let kind = path.metadata().map_err(refusal)?.file_type();
    match (kind.is_file(), kind.is_dir()) {
        (true, _) => Ok(path),
        (false, true) => Err(Refusal::Folder),
        (false, false) => Err(Refusal::NotFound),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_a_method_a_path_and_a_line_end() {
        assert_eq!(path_of(b"GET /a/b\r\n"), Ok("/a/b"));
        assert_eq!(path_of(b"GET /a"), Ok("/a"));
        for malformed in [
            &b"POST /a\r\n"[..],
            b"GET a\r\n",
            b"GET /a HTTP/1.1\r\n",
            b"\xff",
            b"",
        ] {
            assert_eq!(path_of(malformed), Err(Refusal::Malformed), "{malformed:?}");
        }
    }

    #[test]
    fn a_path_cannot_leave_the_folder() {
        for path in ["/../etc/passwd", "/a/../../b", "/..", "/./a"] {
            assert_eq!(Target::of(path), Err(Refusal::Outside), "{path}");
        }
        assert_eq!(
            Target::of("//etc//passwd"),
            Ok(Target::File("etc/passwd".into()))
        );
        assert_eq!(Target::of("/bytes/1000"), Ok(Target::Generated(1000, None)));
        let writes = Writes {
            bytes: 50,
            interval_us: 2000,
        };
        assert_eq!(
            Target::of("/bytes/1000/50/2000"),
            Ok(Target::Generated(1000, Some(writes)))
        );
        for path in ["/bytes/many", "/bytes/", "/bytes/1/0/2", "/bytes/1/2"] {
            assert_eq!(Target::of(path), Err(Refusal::NotFound), "{path}");
        }
    }

    #[test]
    fn names_are_decoded_and_the_query_is_ignored() {
        let file = |name: &str| Ok(Target::File(name.into()));
        assert_eq!(Target::of("/a%20b/%C3%A4?x=%2F../y"), file("a b/ä"));
        assert_eq!(Target::of("/100%"), file("100%"));
        assert_eq!(Target::of("/a%3Fb"), file("a?b"));
        assert_eq!(Target::of("/bytes/10?x"), Ok(Target::Generated(10, None)));
        assert_eq!(Target::of("/?x"), file(""));
        for path in ["/%2e%2e/x", "/.%2E", "/%2e", "/a%2Fb", "/a%2f", "/%2Fetc"] {
            assert_eq!(Target::of(path), Err(Refusal::Outside), "{path}");
        }
        for path in ["/a%00b", "/%FF"] {
            assert_eq!(Target::of(path), Err(Refusal::Malformed), "{path}");
        }
    }

    #[test]
    fn a_link_out_of_the_folder_is_refused() {
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("secret"), "x").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::write(root.join("open"), "x").unwrap();
        std::fs::create_dir(root.join("folder")).unwrap();
        std::os::unix::fs::symlink(outside.path().join("secret"), root.join("link")).unwrap();
        std::os::unix::fs::symlink(root.join("open"), root.join("inside")).unwrap();
        let result = |file: &str| file_below(&root, Path::new(file));
        assert_eq!(result("open"), Ok(root.join("open")));
        assert_eq!(result("inside"), Ok(root.join("open")));
        assert_eq!(result("link"), Err(Refusal::Outside));
        assert_eq!(result("folder"), Err(Refusal::Folder));
        assert_eq!(result(""), Err(Refusal::Folder));
        assert_eq!(result("none"), Err(Refusal::NotFound));
        assert_eq!(result("open/none"), Err(Refusal::NotFound));
    }

    #[test]
    fn each_refusal_has_a_code_of_its_own() {
        for (refusal, code) in Refusal::KNOWN.into_iter().zip(1..) {
            assert_eq!((refusal.code(), Refusal::of_code(code)), (code, refusal));
        }
        assert_eq!(Refusal::of_code(77), Refusal::Other(77));
    }
}
