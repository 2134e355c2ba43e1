//! Compiles core/ into a native library, freestanding as the kernel compiles it.

fn main() {
    let core = "../../core";
    println!("cargo::rerun-if-changed={core}");
    println!("cargo::rerun-if-changed=src/native.c");
    let mut build = cc::Build::new();
    // Undefined behaviour stops a test where it happens; without a run-time library, so nothing
    // else is linked.
    if std::env::var("PROFILE").as_deref() == Ok("debug") {
        build
            .flag_if_supported("-fsanitize=undefined")
            .flag_if_supported("-fsanitize-undefined-trap-on-error");
    }
    build
        .file("src/native.c")
        .include(core)
        .std("c11")
        .flag("-ffreestanding")
        .warnings(true)
        .extra_warnings(true)
        .warnings_into_errors(true)
        .compile("onramp_core");
}
