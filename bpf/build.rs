//! Compiles the BPF programs: the start-up program once for each algorithm of `core/registry.h`,
//! and the tools beside it.
//!
//! Cargo keeps `OUT_DIR` and runs this script again when a C file changes. An object whose own
//! inputs did not change is not compiled again, so a change of one algorithm compiles one object.

#[path = "src/compile.rs"]
mod compile;

use libbpf_cargo::SkeletonBuilder;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;
use std::{env, fs, io, thread};

/// One compiler call: `bpf/{source}.bpf.c` into `file`.
struct Object {
    source: &'static str,
    file: PathBuf,
    arguments: Vec<String>,
}

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let core = env::var("DEP_ONRAMP_CORE_INCLUDE").expect("onramp-core's build script sets it");
    // Not `bpf/` as a whole: a change of src/bindings.rs compiles nothing again.
    for source in [
        "build.rs", "include", "pair", "policy", "qos", "receiver", "startup",
    ] {
        println!("cargo::rerun-if-changed={source}");
    }
    for file in fs::read_dir(".")
        .expect("cargo starts this script in bpf/")
        .flatten()
    {
        let path = file.path();
        if path
            .extension()
            .is_some_and(|kind| kind == "c" || kind == "h")
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

    let mut objects = Vec::new();
    let mut table = String::from("&[\n");
    for name in onramp_core::startup_names() {
        table += &add_startup(name, &out, &mut objects);
    }
    table += "]\n";
    fs::write(out.join("startups.rs"), table).expect("OUT_DIR can be written");
    objects.extend(
        [
            "connections",
            "adopt",
            "move",
            "observe",
            "pair",
            "policy",
            "qos",
            "receiver",
        ]
        .map(|source| Object {
            source,
            file: out.join(format!("{source}.o")),
            arguments: Vec::new(),
        }),
    );
    for object in &mut objects {
        object.arguments.splice(0..0, common_arguments(&core));
    }
    compile_changed(objects);
    write_sources(&out);
    println!("cargo::rustc-check-cfg=cfg(native_tests)");
    // A package has no tests, and a release is not tested in this way.
    if env::var("PROFILE").as_deref() == Ok("debug") && Path::new("tests/native").exists() {
        compile_native_tests(&out, &core);
    }
}

/// Writes the list `SOURCES` of src/lib.rs.
fn write_sources(out: &Path) {
    let mut names = vec!["startup.bpf.c".to_owned()];
    for folder in [".", "include/onramp", "pair", "policy", "qos", "startup"] {
        let files = fs::read_dir(folder).expect("the sources have this folder");
        let names_in = files.map(|file| file.expect("a source").file_name());
        let headers = names_in.filter_map(|name| name.into_string().ok());
        let headers = headers.filter(|name| name.ends_with(".h"));
        names.extend(headers.map(|name| match folder {
            "." => name,
            _ => format!("{folder}/{name}"),
        }));
    }
    names.sort();
    let here = env::current_dir().expect("cargo starts this script in bpf/");
    let row = |name: &String| format!("({name:?}, include_str!({:?})),\n", here.join(name));
    let rows: String = names.iter().map(row).collect();
    fs::write(out.join("sources.rs"), format!("&[\n{rows}]")).expect("OUT_DIR can be written");
}

/// Compiles the programs and their native tests for this machine, for tests/native.rs.
fn compile_native_tests(out: &Path, core: &str) {
    println!("cargo::rerun-if-changed=tests/native");
    let folder = out.join("native");
    fs::create_dir_all(&folder).expect("OUT_DIR can be written");
    write_algorithm("scripted", &folder);
    let mut build = cc::Build::new();
    build.define("ONRAMP_SENDS_PAIRS", None);
    for (capability, _) in compile::CAPABILITIES {
        build.define(&format!("ONRAMP_{capability}"), None);
    }
    // Undefined behaviour stops a test where it happens, as in core/build.rs.
    for flag in [
        "-fsanitize=undefined",
        "-fsanitize-undefined-trap-on-error",
        // kernel.h describes the kernel's types to clang's BPF backend.
        "-Wno-unknown-pragmas",
        "-Wno-attributes",
    ] {
        build.flag_if_supported(flag);
    }
    build
        .file("tests/native/native.c")
        .define("READ_ONLY_DATA", "static _Thread_local")
        .includes(["tests/native", ".", "include", core])
        .include(&folder)
        .std("gnu11")
        .warnings(true)
        .extra_warnings(true)
        .flag("-Wno-unused-parameter")
        .warnings_into_errors(true)
        .cargo_metadata(false)
        .out_dir(&folder)
        .compile("native_tests");
    println!("cargo::rustc-cfg=native_tests");
    let library = folder.join("libnative_tests.a");
    println!("cargo::rustc-link-arg-tests={}", library.display());
}

/// Writes the `algorithm.h` of an algorithm into a folder.
fn write_algorithm(name: &str, folder: &Path) {
    let template = fs::read_to_string("startup/algorithm.template.h").expect("it is a source");
    let header = compile::algorithm_header(&template, name);
    write_if_different(&folder.join("algorithm.h"), &header);
}

/// Adds the start-up program of one algorithm, without packet pairs and with them, as far as the
/// algorithm can do either. Returns the rows of the table `STARTUPS`.
fn add_startup(name: &str, out: &Path, objects: &mut Vec<Object>) -> String {
    let folder = out.join(name);
    fs::create_dir_all(&folder).expect("OUT_DIR can be written");
    write_algorithm(name, &folder);

    let mut arguments = vec![format!("-I{}", folder.display())];
    arguments.extend(compile::arguments_for(name));
    let mut rows = String::new();
    // A program without pairs has none of the hooks for them, which cost a call per ACK and packet.
    if !onramp_core::needs_pairs(name) {
        let file = out.join(format!("startup_{name}.o"));
        rows += &row(name, false, &file);
        objects.push(startup(file, arguments.clone()));
    }
    if onramp_core::sends_pairs(name) {
        arguments.push(compile::WITH_PAIRS.to_owned());
        let file = out.join(format!("startup_{name}_pairs.o"));
        rows += &row(name, true, &file);
        objects.push(startup(file, arguments));
    }
    rows
}

fn row(name: &str, with_pairs: bool, object: &Path) -> String {
    format!(
        "    StartupObject {{ name: {name:?}, with_pairs: {with_pairs}, \
         object: include_bytes!({object:?}) }},\n"
    )
}

fn startup(file: PathBuf, arguments: Vec<String>) -> Object {
    Object {
        source: "startup",
        file,
        arguments,
    }
}

/// Keeps the modification time of a file that would be the same.
fn write_if_different(file: &Path, text: &str) {
    if fs::read_to_string(file).is_ok_and(|found| found == text) {
        return;
    }
    fs::write(file, text).expect("OUT_DIR can be written");
}

fn common_arguments(core: &str) -> Vec<String> {
    let mut arguments = compile::ARGUMENTS.map(str::to_owned).to_vec();
    arguments.push(format!("-I{core}"));
    arguments
}

/// Compiles the objects that are older than one of their inputs, several at a time.
fn compile_changed(objects: Vec<Object>) {
    let jobs = env::var("NUM_JOBS").map_or(1, |jobs| jobs.parse().expect("cargo gives a number"));
    let queue = Mutex::new(objects.into_iter().filter(|object| !is_up_to_date(object)));
    let next = || queue.lock().ok()?.next();
    thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some(object) = next() {
                    compile_object(&object);
                }
            });
        }
    });
}

/// The list of an object's inputs, which clang writes in the form of make.
fn inputs_file(object: &Object) -> PathBuf {
    object.file.with_extension("d")
}

/// The arguments of the last compilation. The file is missing if that failed.
fn arguments_file(object: &Object) -> PathBuf {
    object.file.with_extension("arguments")
}

fn is_up_to_date(object: &Object) -> bool {
    let compiled_with = fs::read_to_string(arguments_file(object));
    if compiled_with.is_ok_and(|found| found == object.arguments.join("\n")) {
        return !has_newer_input(object).unwrap_or(true);
    }
    false
}

fn has_newer_input(object: &Object) -> io::Result<bool> {
    let compiled = fs::metadata(&object.file)?.modified()?;
    let inputs = fs::read_to_string(inputs_file(object))?;
    // A file that is missing does not count. libbpf's headers were in a temporary folder (another
    // libbpf gives this script another OUT_DIR), and a file that included a removed one is newer.
    let is_newer = |input: &str| {
        let modified = fs::metadata(input).and_then(|metadata| metadata.modified());
        modified.is_ok_and(|modified| modified > compiled)
    };
    // `object: input input \`: a backslash at the end of a line continues it, and one before a
    // space makes the space part of the name.
    let inputs = inputs.replace("\\\n", " ").replace("\\ ", "\0");
    let mut words = inputs.split_whitespace().skip(1);
    Ok(words.any(|word| is_newer(&word.replace('\0', " "))))
}

fn compile_object(object: &Object) {
    // An input that changes during the compilation has to be newer than the object.
    let begun = SystemTime::now();
    let _ = fs::remove_file(arguments_file(object));
    let mut arguments = object.arguments.clone();
    arguments.extend(["-MMD".to_owned(), "-MF".to_owned()]);
    arguments.push(inputs_file(object).display().to_string());
    let source = format!("{}.bpf.c", object.source);
    let built = SkeletonBuilder::new()
        .source(&source)
        .obj(&object.file)
        .clang_args(arguments)
        .build();
    if let Err(error) = built {
        panic!(
            "cannot compile bpf/{source}: {error:#}\n\
             Compiling needs clang 14 or later: apt-get install clang libelf-dev zlib1g-dev"
        );
    }
    fs::File::options()
        .write(true)
        .open(&object.file)
        .and_then(|file| file.set_modified(begun))
        .and_then(|()| fs::write(arguments_file(object), object.arguments.join("\n")))
        .expect("OUT_DIR can be written");
}
