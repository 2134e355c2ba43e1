//! `src/bindings.rs` is what bindgen makes of the C headers. If this test fails, the headers have
//! changed: run it again with `ONRAMP_UPDATE_BINDINGS=1`, which rewrites the file. Do that before
//! Rust code uses what is new in the headers, because this test needs a library that compiles.
//!
//! bindgen needs libclang (Debian: `apt-get install libclang-dev`).

use bindgen::callbacks::{
    AttributeInfo, EnumVariantValue, FieldAttributeInfo, FieldInfo, IntKind, ItemInfo,
    ParseCallbacks,
};
use bindgen::{Builder, EnumVariation, FieldVisibilityKind, Formatter, RustTarget};
use std::io::Write;
use std::process::{Command, Stdio};
use std::{env, fs};

/// The Rust names of the C types.
const TYPES: &[(&str, &str)] = &[
    ("startup_clock", "Clock"),
    ("startup_start", "Start"),
    ("startup_ack", "Ack"),
    ("startup_loss", "Loss"),
    ("startup_decision", "Decision"),
    ("path_memory_entry", "Entry"),
    ("ensemble_entry", "Ensemble"),
    ("first_round", "FirstRound"),
    ("governor_average", "Average"),
    ("host_limited", "Limited"),
    ("pair_option", "PairOption"),
    ("pair_counts", "Counts"),
    ("pair_meter", "Meter"),
    ("pair_probe", "Probe"),
    ("pair_probe_sent", "Sent"),
    ("pair_report", "Report"),
    ("onramp_algorithm", "Algorithm"),
    ("startup_variant", "Variant"),
    ("startup_parameter", "Parameter"),
    ("ack_train", "AckTrain"),
    ("ere", "EligibleRate"),
    ("receiver_clock", "ReceiverClock"),
    ("startup_option", "OptionBit"),
    ("startup_ack_flag", "AckFlag"),
    ("startup_loss_kind", "LossKind"),
    ("startup_phase", "Phase"),
    ("startup_exit", "Exit"),
    ("startup_pair_request", "PairRequest"),
    ("startup_first_round", "FirstRoundOutcome"),
    ("startup_capability", "Capability"),
    ("path_memory_news", "PathMemoryNews"),
    ("pair_option_form", "PairOptionForm"),
    ("pair_option_type", "PairOptionKind"),
    ("pair_option_reading", "PairOptionReading"),
];

/// How comments in C and in Rust refer to the same thing.
const REFERENCES: &[(&str, &str)] = &[
    ("enum startup_option", "`OPTION_*` bits"),
    ("enum startup_ack_flag", "`ACK_*` bits"),
    ("enum startup_loss_kind", "`LOSS_*`"),
    ("enum startup_phase", "`PHASE_*`"),
    ("enum startup_exit", "`EXIT_*`"),
    ("enum startup_pair_request", "`PAIR_*`"),
    ("enum startup_first_round", "`FIRST_ROUND_*`"),
    ("enum startup_capability", "Capabilities"),
    ("enum pair_option_type", "`PAIR_OPTION_*`"),
    ("struct startup_start", "[`Start`]"),
    ("struct startup_ack", "[`Ack`]"),
    ("startup_is_over()", "[`Decision::is_over`]"),
    ("path_memory_save()", "[`Entry::save`]"),
    ("STARTUP_", ""),
];

/// The records that recordings and results contain.
const SERIALIZED: &[&str] = &["Clock", "Start", "Ack", "Loss", "Decision", "Counts"];

/// Fields that older recordings do not have: they are 0 there.
const OPTIONAL: &[(&str, &[&str])] = &[
    (
        "Start",
        &[
            "srtt_ns",
            "pace_bytes_per_s",
            "gamma_ppm",
            "burst_bytes",
            "excess_bytes",
            "remembered_bytes",
            "remembered_rtt_ns",
            "jump_bytes",
            "tsval",
            "peer_window_bytes",
            "initial_bytes_per_s",
            "siblings",
            "variant",
        ],
    ),
    (
        "Ack",
        &[
            "lost_bytes",
            "rtt_ns",
            "pair_interval_ns",
            "pair_bytes",
            "peer_window_bytes",
            "tsval",
            "siblings",
        ],
    ),
    ("Loss", &["acknowledged_bytes", "lost_bytes"]),
    (
        "Decision",
        &[
            "pair",
            "is_full",
            "first_round",
            "burst_bytes",
            "learned_bytes",
            "learned_rtt_ns",
            "restart_bytes",
        ],
    ),
];

fn rust_name(c_name: &str) -> Option<String> {
    let (_, name) = TYPES.iter().find(|(name, _)| *name == c_name)?;
    Some((*name).to_owned())
}

/// The C or the Rust name of a type, as its Rust name.
fn type_name(name: &str) -> String {
    rust_name(name).unwrap_or_else(|| name.to_owned())
}

#[derive(Debug)]
struct Names;

impl ParseCallbacks for Names {
    fn item_name(&self, item: ItemInfo) -> Option<String> {
        if let Some(constant) = item.name.strip_prefix("STARTUP_") {
            return Some(constant.to_owned());
        }
        rust_name(item.name)
    }

    fn enum_variant_name(
        &self,
        _enum_name: Option<&str>,
        name: &str,
        _value: EnumVariantValue,
    ) -> Option<String> {
        name.strip_prefix("STARTUP_").map(str::to_owned)
    }

    fn int_macro(&self, name: &str, _value: i64) -> Option<IntKind> {
        if name.ends_with("_NS") || name == "STARTUP_UNLIMITED" {
            return Some(IntKind::U64);
        }
        let is_size = name.ends_with("_BYTES");
        is_size.then_some(IntKind::Custom {
            name: "usize",
            is_signed: false,
        })
    }

    fn field_name(&self, field: FieldInfo<'_>) -> Option<String> {
        (field.field_name == "type").then(|| "kind".to_owned())
    }

    /// A reserved field is set by nobody.
    fn field_visibility(&self, field: FieldInfo<'_>) -> Option<FieldVisibilityKind> {
        (field.field_name == "reserved").then_some(FieldVisibilityKind::PublicCrate)
    }

    fn add_attributes(&self, info: &AttributeInfo<'_>) -> Vec<String> {
        if SERIALIZED.contains(&type_name(info.name).as_str()) {
            let derives = "derive(serde::Serialize, serde::Deserialize)";
            return vec![format!("#[cfg_attr(feature = \"serde\", {derives})]")];
        }
        Vec::new()
    }

    fn process_comment(&self, comment: &str) -> Option<String> {
        let replace = |text: String, (c, rust): &(&str, &str)| text.replace(c, rust);
        Some(REFERENCES.iter().fold(comment.to_owned(), replace))
    }

    fn field_attributes(&self, info: &FieldAttributeInfo<'_>) -> Vec<String> {
        let name = type_name(info.type_name);
        if !SERIALIZED.contains(&name.as_str()) {
            return Vec::new();
        }
        if info.field_name == "reserved" {
            return vec!["cfg_attr(feature = \"serde\", serde(skip))".to_owned()];
        }
        let is_optional = OPTIONAL
            .iter()
            .any(|(record, fields)| *record == name && fields.contains(&info.field_name));
        if is_optional {
            return vec!["cfg_attr(feature = \"serde\", serde(default))".to_owned()];
        }
        Vec::new()
    }
}

/// Doc attributes as the comments that people write.
fn with_doc_comments(bindings: &str) -> String {
    let mut text = String::new();
    for line in bindings.lines() {
        let indentation = &line[..line.len() - line.trim_start().len()];
        let doc = line
            .trim_start()
            .strip_prefix("#[doc = \"")
            .and_then(|rest| rest.strip_suffix("\"]"));
        let Some(doc) = doc else {
            text += line;
            text.push('\n');
            continue;
        };
        for comment in doc.replace("\\\"", "\"").split("\\n") {
            text += format!("{indentation}///{comment}").trim_end();
            text.push('\n');
        }
    }
    text
}

/// The records that have pointers.
const WITH_POINTERS: &[&str] = &["Algorithm", "Parameter", "Variant"];

/// The checks of a layout with pointers of 8 bytes hold on 64-bit targets alone. On others (wasm32)
/// the C compiler and rustc derive the layout from the same declaration.
fn with_layouts_of_64_bits(bindings: String) -> String {
    let is_check = |line: &str, next: &str| {
        let size_of = |name: &&str| {
            next.trim_start()
                .starts_with(&format!("[\"Size of {name}\"]"))
        };
        line == "const _: () = {" && WITH_POINTERS.iter().any(size_of)
    };
    let lines: Vec<&str> = bindings.lines().collect();
    let mut text = String::new();
    for (place, line) in lines.iter().enumerate() {
        let next = lines.get(place + 1).unwrap_or(&"");
        if is_check(line, next) {
            text += "#[cfg(target_pointer_width = \"64\")]\n";
        }
        text += line;
        text.push('\n');
    }
    text
}

/// As `cargo fmt` has it.
fn formatted(bindings: &str) -> String {
    let mut rustfmt = Command::new("rustfmt")
        .args(["--edition", "2021"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("rustfmt is installed");
    let mut stdin = rustfmt.stdin.take().expect("stdin is piped");
    stdin
        .write_all(bindings.as_bytes())
        .expect("rustfmt reads its input");
    drop(stdin);
    let output = rustfmt.wait_with_output().expect("rustfmt ends");
    assert!(
        output.status.success(),
        "rustfmt does not accept the bindings"
    );
    String::from_utf8(output.stdout).expect("rustfmt writes UTF-8")
}

fn generate() -> String {
    let core = env!("CARGO_MANIFEST_DIR");
    let bindings = Builder::default()
        .header(format!("{core}/src/native.h"))
        .clang_args([
            &format!("-I{core}"),
            "-std=c11",
            "-ffreestanding",
            "-fparse-all-comments",
            "--target=x86_64-unknown-linux-gnu",
        ])
        .allowlist_file(format!("{core}/.*"))
        .default_enum_style(EnumVariation::Consts)
        .prepend_enum_name(false)
        .clang_macro_fallback()
        .clang_macro_fallback_build_dir(env!("CARGO_TARGET_TMPDIR"))
        .derive_default(true)
        .derive_eq(true)
        .derive_partialeq(true)
        .no_partialeq("onramp_algorithm")
        .use_core()
        .rust_target(RustTarget::stable(88, 0).expect("bindgen knows the workspace's Rust"))
        .formatter(Formatter::Rustfmt)
        .parse_callbacks(Box::new(Names))
        .disable_header_comment()
        .raw_line("//! The C records, constants and functions of `core/`, for the Rust side.")
        .raw_line("//!")
        .raw_line("//! Generated from `src/native.h` by `tests/bindings.rs`: do not edit.")
        .raw_line("")
        // Constants that only C uses; bindgen's own code.
        .raw_line("#![allow(dead_code, missing_docs, clippy::undocumented_unsafe_blocks)]")
        .generate()
        .expect("bindgen reads the headers of core/")
        .to_string();
    formatted(&with_layouts_of_64_bits(with_doc_comments(&bindings)))
}

#[test]
fn the_bindings_are_those_of_the_headers() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/src/bindings.rs");
    let generated = generate();
    if env::var_os("ONRAMP_UPDATE_BINDINGS").is_some() {
        fs::write(file, &generated).expect("the source tree can be written");
    }
    let present = fs::read_to_string(file).unwrap_or_default();
    assert!(
        present == generated,
        "src/bindings.rs is not what bindgen makes of the C headers; \
         run this test with ONRAMP_UPDATE_BINDINGS=1 to rewrite the file"
    );
}
