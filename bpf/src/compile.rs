//! How a start-up program is compiled: `build.rs` does so for each algorithm of `core/registry.h`,
//! and `onramp-study try` for an algorithm of the user's.

/// The arguments of clang, from the folder of [`SOURCES`](crate::SOURCES).
///
/// clang inlines each function that does not forbid it, so an algorithm is one function. Before
/// Linux 6.5 (`fde2a3882bd0`) the verifier takes a register that the callee sets for the caller's
/// register of this number. So it may forget that a branch of the caller depends on the register,
/// and remove a branch that is needed.
pub const ARGUMENTS: [&str; 11] = [
    "-std=gnu11",
    "-ffreestanding",
    "-mcpu=v3",
    "-mllvm",
    "-inline-threshold=1000000",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wno-unused-parameter",
    "-I.",
    "-Iinclude",
];

/// A question about an algorithm of `core/registry.h`.
type Has = fn(&str) -> bool;

/// What an algorithm may need beside ACKs and losses. A program without it has none of its code.
pub(crate) const CAPABILITIES: [(&str, Has); 5] = [
    ("RESERVES", onramp_core::reserves),
    ("REPAIRS", onramp_core::repairs),
    ("RESUMES", onramp_core::resumes),
    ("SHARES", onramp_core::shares),
    ("SENDS_EARLY", onramp_core::sends_early),
];

/// The further arguments for an algorithm, for its capabilities and parameters. Packet pairs are a
/// choice of their own.
pub fn arguments_for(name: &str) -> Vec<String> {
    let own = CAPABILITIES.iter().filter(|(_, has)| has(name));
    let capabilities = own.map(|(capability, _)| format!("-DONRAMP_{capability}"));
    let has_parameters = !onramp_core::parameters(name).is_empty();
    let parameters = has_parameters.then(|| "-DONRAMP_PARAMETERS".to_owned());
    capabilities.chain(parameters).collect()
}

/// The further argument for a program that sends packet pairs.
pub const WITH_PAIRS: &str = "-DONRAMP_SENDS_PAIRS";

/// The `algorithm.h` of an algorithm, from the text of `startup/algorithm.template.h`.
pub fn algorithm_header(template: &str, name: &str) -> String {
    let congestion_control = format!("{}\"", onramp_core::congestion_control(name));
    template
        .replace("CONGESTION_CONTROL\"", &congestion_control)
        .replace("ALGORITHM", name)
}
