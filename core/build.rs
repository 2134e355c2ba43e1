//! Compiles the algorithms into a native library, freestanding as the kernel compiles them, and
//! tells the crates that depend on this one where the headers are (`DEP_ONRAMP_CORE_INCLUDE`).

use std::env;

fn main() {
    let include = env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
    println!("cargo::metadata=include={include}");
    for source in [
        "algorithms",
        "measure",
        "parts",
        "host.h",
        "math.h",
        "registry.h",
        "startup.h",
        "src/native.c",
        "src/native.h",
    ] {
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
