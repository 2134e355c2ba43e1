//! Compiles the algorithms into a native library, freestanding as the kernel compiles them, and
//! tells the crates that depend on this one where the headers are (`DEP_ONRAMP_CORE_INCLUDE`, the
//! folder, and `DEP_ONRAMP_CORE_HEADERS`, a list in the form of `PATH`).

use std::env;
use std::path::Path;

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
    for source in HEADERS.into_iter().chain(["src/native.c", "src/native.h"]) {
        println!("cargo::rerun-if-changed={source}");
    }
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
        .file("src/native.c")
        .include(include)
        .std("c11")
        .flag("-ffreestanding")
        .warnings(true)
        .extra_warnings(true)
        .warnings_into_errors(true)
        .compile("onramp_core");
}
