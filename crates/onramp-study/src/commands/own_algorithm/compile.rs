//! Compiles the user's header: natively, as `core/build.rs` compiles the algorithms of `core/`, and
//! for the kernel, as `bpf/build.rs` does.

use super::header::Header;
use onramp_bpf::compile::{algorithm_header, arguments_for, ARGUMENTS, WITH_PAIRS};
use onramp_cli::failure::{Failure, BAD_INPUT, HOST_LACKS};
use serde_json::{json, Value};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// The row of the algorithm. What the header does not define is empty.
const ROW: &str = r#"#include "algorithms/NAME.h"
#include "src/native.h"

#ifndef UPPER_CAPABILITIES
#define UPPER_CAPABILITIES 0
#endif
#ifndef UPPER_VARIANTS
#define UPPER_VARIANTS(V)
#endif
#ifndef UPPER_PARAMETERS
#define UPPER_PARAMETERS(P)
#endif
#ifndef UPPER_SUMMARY
#define UPPER_SUMMARY "of the user"
#endif
#define STARTUP_ALGORITHMS(X)                                                                      \
	X(NAME, UPPER_CAPABILITIES, UPPER_VARIANTS, UPPER_PARAMETERS, UPPER_SUMMARY)

#include "src/table.h"

STARTUP_ASSERT_STATE(struct NAME);
const size_t onramp_state_bytes = sizeof(struct NAME);
"#;

/// How a native library is compiled.
#[derive(Clone, Copy)]
pub enum Build {
    /// As the algorithms of `core/` are.
    Optimised,
    /// Undefined behaviour ends the process.
    Checked,
}

/// A folder with the sources. It is removed when this is dropped.
pub struct Sources<'a> {
    header: &'a Header,
    folder: TempDir,
}

impl Sources<'_> {
    /// Writes the headers of `core/` and the sources of `bpf/`, which this program contains.
    pub fn of(header: &Header) -> Result<Sources<'_>, Failure> {
        let unwritten = |error| Failure::new(HOST_LACKS, format!("cannot write sources: {error}"));
        let folder = tempfile::tempdir().map_err(unwritten)?;
        let write = |name: &str, text: &str| {
            let file = folder.path().join(name);
            fs::create_dir_all(file.parent().expect("it is in a folder"))?;
            fs::write(file, text)
        };
        let all = onramp_core::supplied::SOURCES
            .iter()
            .map(|(name, text)| (format!("core/{name}"), *text))
            .chain(
                onramp_bpf::SOURCES
                    .iter()
                    .map(|(name, text)| (format!("bpf/{name}"), *text)),
            )
            .chain(
                onramp_kernel::LIBBPF_HEADERS
                    .iter()
                    .map(|(name, text)| (format!("libbpf/bpf/{name}"), *text)),
            );
        for (name, text) in all {
            write(&name, text).map_err(unwritten)?;
        }
        let name = &header.name;
        let include = format!("#include \"{}\"\n", header.path.display());
        let row = ROW
            .replace("UPPER", &name.to_uppercase())
            .replace("NAME", name);
        write(&format!("own/algorithms/{name}.h"), &include).map_err(unwritten)?;
        write("own/row.c", &row).map_err(unwritten)?;
        Ok(Sources { header, folder })
    }

    /// Compiles a library with the table of the algorithm.
    pub fn library(&self, build: Build) -> Result<PathBuf, Failure> {
        let (file, flags): (_, &[&str]) = match build {
            Build::Optimised => ("optimised.so", &["-O2"]),
            Build::Checked => (
                "checked.so",
                &[
                    "-O0",
                    "-fsanitize=undefined",
                    "-fsanitize-undefined-trap-on-error",
                ],
            ),
        };
        let library = self.folder.path().join(file);
        let name = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
        let mut words = name.split_whitespace();
        let mut compiler = Command::new(words.next().unwrap_or("cc"));
        compiler
            .args(words)
            .args(["-std=c11", "-ffreestanding", "-Wall", "-Wextra", "-Werror"])
            .args(["-fPIC", "-shared", "-Iown", "-Icore"])
            .args(flags)
            .args(["own/row.c", "-o"])
            .arg(&library)
            .current_dir(self.folder.path());
        let output = compiler.output().map_err(|error| {
            let message = format!(
                "cannot run the C compiler `{name}`: {error}. Install one (apt-get install gcc), \
                 or name yours: CC=clang"
            );
            Failure::new(HOST_LACKS, message)
        })?;
        let messages = String::from_utf8_lossy(&output.stderr);
        match output.status.success() {
            true => Ok(library),
            false => Err(self.wrong(&messages)),
        }
    }

    /// Compiles the object for the kernel, without packet pairs where the algorithm can do so. The
    /// outer error is a reason why it was not tried.
    pub fn object(&self) -> Result<Result<Vec<u8>, Failure>, String> {
        let name = &self.header.name;
        let sources = onramp_bpf::SOURCES.iter();
        let mut template = sources.filter(|(file, _)| *file == "startup/algorithm.template.h");
        let (_, template) = template.next().expect("bpf/build.rs includes it");
        let root = self.folder.path();
        let written = fs::write(
            root.join("own/algorithm.h"),
            algorithm_header(template, name),
        );
        written.map_err(|error| format!("cannot write its sources: {error}"))?;
        let object = root.join("own.o");
        let mut clang = Command::new("clang");
        clang
            .args(["-g", "-O2", "-target", "bpf"])
            .arg(format!("-D__TARGET_ARCH_{}", target_architecture()))
            .args(ARGUMENTS)
            .args(["-I../own", "-I../core", "-I../libbpf"])
            .args(arguments_for(name))
            .args(onramp_core::needs_pairs(name).then_some(WITH_PAIRS))
            .args(["-c", "startup.bpf.c", "-o"])
            .arg(&object)
            .current_dir(root.join("bpf"));
        let output = clang.output().map_err(|error| {
            format!("cannot run clang: {error}. Install version 14 or later: apt-get install clang")
        })?;
        if !output.status.success() {
            let messages = String::from_utf8_lossy(&output.stderr);
            return Ok(Err(self.wrong(&messages)));
        }
        fs::read(object)
            .map(Ok)
            .map_err(|error| format!("cannot read what clang has written: {error}"))
    }

    /// The failure for a header that a compiler refuses.
    fn wrong(&self, messages: &str) -> Failure {
        let path = self.header.path.display();
        let name = &self.header.name;
        let summary = format!(
            "onramp: {path} does not compile. It has to define struct {name}, {name}_start(), \
             {name}_ack() and {name}_loss() (docs/add-an-algorithm.md)\n"
        );
        let faults: Vec<Value> = messages.lines().filter_map(fault).collect();
        Failure::of_file(
            &summary.trim_end(),
            |_| format!("{messages}{summary}"),
            json!(faults),
        )
    }
}

/// A line of a compiler: `FILE:LINE:COLUMN: error: MESSAGE`.
fn fault(line: &str) -> Option<Value> {
    let (place, message) = line.split_once(": error: ")?;
    let mut parts = place.rsplitn(3, ':');
    let column: u32 = parts.next()?.parse().ok()?;
    let number: u32 = parts.next()?.parse().ok()?;
    Some(json!({
        "file": parts.next()?,
        "line": number,
        "column": column,
        "message": message,
    }))
}

/// The name of this machine's architecture in libbpf's headers.
fn target_architecture() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" | "x86" => "x86",
        "aarch64" => "arm64",
        "riscv64" => "riscv",
        "powerpc64" => "powerpc",
        "s390x" => "s390",
        other => other,
    }
}

/// A library that is loaded for the rest of the process.
pub fn load(library: &Path) -> Result<onramp_core::supplied::Library, Failure> {
    use nix::libc::{dlerror, dlopen, dlsym, RTLD_LOCAL, RTLD_NOW};
    use std::ffi::{CStr, CString};
    use std::os::unix::ffi::OsStrExt;

    let path = CString::new(library.as_os_str().as_bytes()).expect("a path has no NUL");
    // SAFETY: the library has no constructors, and the path is a C string.
    let handle = unsafe { dlopen(path.as_ptr(), RTLD_NOW | RTLD_LOCAL) };
    if handle.is_null() {
        // SAFETY: dlopen() has failed, so dlerror() returns a string.
        let reason = unsafe { CStr::from_ptr(dlerror()) }.to_string_lossy();
        let message = format!(
            "cannot load the compiled header: {reason}. It may lack a function that it calls"
        );
        return Err(Failure::new(BAD_INPUT, message));
    }
    let symbol = |name: &CStr| {
        // SAFETY: the handle is of dlopen(), and nothing closes it.
        let found = unsafe { dlsym(handle, name.as_ptr()) };
        assert!(!found.is_null(), "row.c defines {name:?}");
        found
    };
    let state_bytes = symbol(c"onramp_state_bytes").cast::<usize>();
    // SAFETY: row.c defines both, with the headers of this build, and nothing unloads the library.
    Ok(unsafe { onramp_core::supplied::Library::new(symbol(c"onramp_algorithms"), *state_bytes) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_a_compiler_name_the_place() {
        let line = "/home/u/mine.h:12:5: error: unknown type name 'x'";
        assert_eq!(
            fault(line).unwrap(),
            json!({
                "file": "/home/u/mine.h", "line": 12, "column": 5,
                "message": "unknown type name 'x'",
            })
        );
        assert_eq!(fault("cc1: all warnings being treated as errors"), None);
    }
}
