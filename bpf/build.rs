//! Compiles the BPF programs: the start-up program once for each algorithm of `core/registry.h`,
//! and the tools beside it.

use libbpf_cargo::SkeletonBuilder;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let core = env::var("DEP_ONRAMP_CORE_INCLUDE").expect("onramp-core's build script sets it");
    // Not `bpf/` as a whole: a change of src/bindings.rs compiles nothing again.
    for source in ["build.rs", "include", "pair", "policy", "qos", "startup"] {
        println!("cargo::rerun-if-changed={source}");
    }
    for file in fs::read_dir(".")
        .expect("cargo starts this script in bpf/")
        .flatten()
    {
        let path = file.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "c" || extension == "h")
        {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
    // Not core/ as a whole either, which has tests.
    let headers = env::var_os("DEP_ONRAMP_CORE_HEADERS").expect("onramp-core's build script");
    for header in env::split_paths(&headers) {
        println!("cargo::rerun-if-changed={}", header.display());
    }
    // For tests/bindings.rs
    println!("cargo::rustc-env=ONRAMP_CORE_INCLUDE={core}");

    let mut table = String::from("&[\n");
    for name in onramp_core::startup_names() {
        table += &compile_startup(name, &out, &core);
    }
    table += "]\n";
    fs::write(out.join("startups.rs"), table).expect("OUT_DIR can be written");
    for tool in ["connections", "adopt", "move", "pair", "policy", "qos"] {
        compile(tool, &out.join(format!("{tool}.o")), &core, Vec::new());
    }
}

/// Compiles the start-up program for one algorithm, without packet pairs and with them, as far as
/// the algorithm can do either. Returns the rows of the table `STARTUPS`.
fn compile_startup(name: &str, out: &Path, core: &str) -> String {
    let folder = out.join(name);
    fs::create_dir_all(&folder).expect("OUT_DIR can be written");
    let template = fs::read_to_string("startup/algorithm.template.h").expect("it is a source");
    let header = template
        .replace(
            "CONGESTION_CONTROL\"",
            &format!("{}\"", onramp_core::congestion_control(name)),
        )
        .replace("ALGORITHM", name);
    fs::write(folder.join("algorithm.h"), header).expect("OUT_DIR can be written");

    let mut arguments = vec![format!("-I{}", folder.display())];
    if onramp_core::reserves(name) {
        arguments.push("-DONRAMP_RESERVES".to_owned());
    }
    if onramp_core::repairs(name) {
        arguments.push("-DONRAMP_REPAIRS".to_owned());
    }
    if onramp_core::resumes(name) {
        arguments.push("-DONRAMP_RESUMES".to_owned());
    }
    if onramp_core::shares(name) {
        arguments.push("-DONRAMP_SHARES".to_owned());
    }
    let mut rows = String::new();
    // A program without pairs has none of the hooks for them, which cost a call per ACK and packet.
    if !onramp_core::needs_pairs(name) {
        let object = out.join(format!("startup_{name}.o"));
        compile("startup", &object, core, arguments.clone());
        rows += &row(name, false, &object);
    }
    if onramp_core::sends_pairs(name) {
        arguments.push("-DONRAMP_SENDS_PAIRS".to_owned());
        let object = out.join(format!("startup_{name}_pairs.o"));
        compile("startup", &object, core, arguments);
        rows += &row(name, true, &object);
    }
    rows
}

fn row(name: &str, with_pairs: bool, object: &Path) -> String {
    format!(
        "    StartupObject {{ name: {name:?}, with_pairs: {with_pairs}, \
         object: include_bytes!({object:?}) }},\n"
    )
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
             Compiling needs clang 14 or later: apt-get install clang libelf-dev zlib1g-dev"
        );
    }
}
