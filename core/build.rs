//! Compiles the algorithms into a native library, freestanding as the kernel compiles them, and
//! tells the crates that depend on this one where the headers are (`DEP_ONRAMP_CORE_INCLUDE`, the
//! folder, and `DEP_ONRAMP_CORE_HEADERS`, a list in the form of `PATH`).

use std::env;
use std::path::Path;
use std::process::Command;

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
    for source in HEADERS.into_iter().chain(["src/native.c", "src/native.h"]) {
        if !exchangeable.contains(&source) {
            println!("cargo::rerun-if-changed={source}");
        }
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
