//! Compiles bpf/: the congestion control once for each algorithm of core/registry.h, and the tools
//! beside it.

use libbpf_cargo::SkeletonBuilder;
use std::path::PathBuf;
use std::{env, fs};

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    println!("cargo::rerun-if-changed=../../bpf");
    println!("cargo::rerun-if-changed=../../core");
    println!("cargo::rerun-if-changed=../../include");

    let mut table = String::from("&[\n");
    for name in onramp_core::startup_names() {
        let mut defines = vec![
            format!("-DONRAMP_ALGORITHM={name}"),
            format!(
                "-DONRAMP_CONGESTION_CONTROL={}",
                onramp_core::congestion_control(name)
            ),
        ];
        if onramp_core::reserves(name) {
            defines.push("-DONRAMP_RESERVES".to_owned());
        }
        if onramp_core::remembers(name) {
            defines.push("-DONRAMP_REMEMBERS".to_owned());
        }
        // Where they are a choice, who does not make it has none of their calls.
        for with_pairs in [false, true] {
            let is_there = if with_pairs {
                onramp_core::sends_pairs(name)
            } else {
                !onramp_core::needs_pairs(name)
            };
            if !is_there {
                continue;
            }
            let object = out.join(format!(
                "startup_{name}{}.o",
                if with_pairs { "_pairs" } else { "" }
            ));
            let pairs = with_pairs.then(|| "-DONRAMP_SENDS_PAIRS".to_owned());
            compile(
                "startup",
                &object,
                &defines.iter().cloned().chain(pairs).collect::<Vec<_>>(),
            );
            table += &format!("    ({name:?}, {with_pairs}, include_bytes!({object:?})),\n");
        }
    }
    table += "]\n";
    fs::write(out.join("startups.rs"), table).expect("OUT_DIR can be written");
    for tool in ["connections", "adopt", "pair", "qos"] {
        compile(tool, &out.join(format!("{tool}.o")), &[]);
    }
}

fn compile(source: &str, object: &PathBuf, extra: &[String]) {
    let flags = [
        "-std=gnu11",
        "-ffreestanding",
        "-mcpu=v3",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-Wno-unused-parameter",
    ];
    let paths = ["-I../../bpf", "-I../../core", "-I../../include"];
    let arguments = flags
        .into_iter()
        .chain(paths)
        .map(str::to_owned)
        .chain(extra.iter().cloned());
    let built = SkeletonBuilder::new()
        .source(format!("../../bpf/{source}.bpf.c"))
        .obj(object)
        .clang_args(arguments.collect::<Vec<_>>())
        .build();
    if let Err(error) = built {
        panic!("cannot compile bpf/{source}.bpf.c: {error:#}\nclang 14 or later is needed (Debian: apt-get install clang libelf-dev zlib1g-dev)");
    }
}
