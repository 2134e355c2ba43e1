//! Compiles the programs: the congestion control once for each algorithm of core/registry.h, and
//! the tools beside it.

use libbpf_cargo::SkeletonBuilder;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let core = env::var("DEP_ONRAMP_CORE_INCLUDE").expect("onramp-core's build script names it");
    println!("cargo::rerun-if-changed=.");
    println!("cargo::rerun-if-changed={core}");

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
        if onramp_core::resumes(name) {
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
            let defines = defines.iter().cloned().chain(pairs);
            compile("startup", &object, &core, defines.collect());
            table += &format!(
                "    StartupObject {{ name: {name:?}, with_pairs: {with_pairs}, \
                 object: include_bytes!({object:?}) }},\n"
            );
        }
    }
    table += "]\n";
    fs::write(out.join("startups.rs"), table).expect("OUT_DIR can be written");
    for tool in ["connections", "adopt", "pair", "qos"] {
        compile(tool, &out.join(format!("{tool}.o")), &core, Vec::new());
    }
}

fn compile(source: &str, object: &Path, core: &str, extra: Vec<String>) {
    let mut arguments: Vec<String> = [
        "-std=gnu11",
        "-ffreestanding",
        "-mcpu=v3",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-Wno-unused-parameter",
        "-I.",
        "-Iinclude",
    ]
    .map(str::to_owned)
    .to_vec();
    arguments.push(format!("-I{core}"));
    arguments.extend(extra);
    let built = SkeletonBuilder::new()
        .source(format!("{source}.bpf.c"))
        .obj(object)
        .clang_args(arguments)
        .build();
    if let Err(error) = built {
        panic!(
            "cannot compile bpf/{source}.bpf.c: {error:#}\n\
             clang 14 or later is needed (Debian: apt-get install clang libelf-dev zlib1g-dev)"
        );
    }
}
