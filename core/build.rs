//! Compiles the algorithms into a native library, freestanding as the kernel compiles them, and
//! tells the crates that depend on this one where the headers are (`DEP_ONRAMP_CORE_INCLUDE`, the
//! folder, and `DEP_ONRAMP_CORE_HEADERS`, a list in the form of `PATH`).

use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// The headers of the algorithms, files and folders.
const HEADERS: [&str; 7] = [
    "algorithms",
    "measure",
    "parts",
    "host.h",
    "math.h",
    "registry.h",
    "startup.h",
];

fn main() {
    let include = env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
    let headers = HEADERS.map(|header| Path::new(&include).join(header));
    let headers = env::join_paths(headers).expect("the crate's path has no separator of lists");
    println!("cargo::metadata=include={include}");
    println!("cargo::metadata=headers={}", headers.display());
    let shared = env::var_os("CARGO_FEATURE_SHARED").is_some();
    // A program with a shared library runs with a variant of these, without a build.
    let exchangeable = if shared {
        ["algorithms", "measure"].as_slice()
    } else {
        &[]
    };
    for source in HEADERS.into_iter().chain([
        "src/inline.c",
        "src/native.c",
        "src/native.h",
        "src/table.h",
    ]) {
        if !exchangeable.contains(&source) {
            println!("cargo::rerun-if-changed={source}");
        }
    }
    write_sources(shared, Path::new(&include));
    let mut build = cc::Build::new();
    // Undefined behaviour stops a test where it happens; without a run-time library, so nothing
    // else is linked.
    if env::var("PROFILE").as_deref() == Ok("debug") {
        build
            .flag_if_supported("-fsanitize=undefined")
            .flag_if_supported("-fsanitize-undefined-trap-on-error");
    }
    // Tests simulate millions of ACKs.
    if env::var("OPT_LEVEL").as_deref() == Ok("0") {
        build.opt_level(2);
    }
    build
        .include(&include)
        .std("c11")
        .flag("-ffreestanding")
        .warnings(true)
        .extra_warnings(true)
        // Our own builds have no warnings. The published crate meets compilers that we do not know,
        // and has no tests.
        .warnings_into_errors(Path::new(&include).join("tests").is_dir());
    if shared {
        link_shared(&build);
    } else {
        build.file("src/native.c").compile("onramp_core");
    }
}

/// Writes the list `SOURCES` of src/supplied.rs: the headers, with their texts. With a shared
/// library it is empty: a change of the C would compile the crate again.
fn write_sources(shared: bool, core: &Path) {
    let mut names = Vec::new();
    if !shared {
        for header in HEADERS.into_iter().chain(["src/native.h", "src/table.h"]) {
            add_headers(core, header, &mut names);
        }
    }
    let row = |name: &String| format!("({name:?}, include_str!({:?})),\n", core.join(name));
    let rows: String = names.iter().map(row).collect();
    let out = env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    let file = Path::new(&out).join("sources.rs");
    fs::write(file, format!("&[\n{rows}]")).expect("OUT_DIR can be written");
}

/// Adds the names of a file, or of all files below a folder, in the order of the alphabet.
fn add_headers(core: &Path, name: &str, names: &mut Vec<String>) {
    let Ok(entries) = fs::read_dir(core.join(name)) else {
        names.push(name.to_owned());
        return;
    };
    let entries = entries.map(|entry| entry.expect("a header of this crate").file_name());
    let mut below: Vec<_> = entries
        .map(|name| name.into_string().expect("ASCII"))
        .collect();
    below.sort();
    for one in below {
        add_headers(core, &format!("{name}/{one}"), names);
    }
}

/// Links `libonramp_core.so`, which the dynamic linker looks for when the program starts.
fn link_shared(build: &cc::Build) {
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    let library = Path::new(&out).join("libonramp_core.so");
    let compiler = build.get_compiler();
    let mut command: Command = compiler.to_command();
    command.args(["-shared", "src/native.c", "-o"]).arg(library);
    assert!(command.status().expect("the C compiler runs").success());
    println!("cargo::rustc-link-search=native={out}");
    println!("cargo::rustc-link-lib=dylib=onramp_core");
}
