//! How a start-up program is compiled: `build.rs` does so for each algorithm of `core/registry.h`,
//! and `onramp-study try` for an algorithm of the user's.

/// The arguments of clang, from the folder of [`SOURCES`](crate::SOURCES).
pub const ARGUMENTS: [&str; 9] = [
    "-std=gnu11",
    "-ffreestanding",
    "-mcpu=v3",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wno-unused-parameter",
    "-I.",
    "-Iinclude",
];

/// The further arguments for an algorithm, for its capabilities and parameters. Packet pairs are a
/// choice of their own.
pub fn arguments_for(name: &str) -> Vec<&'static str> {
    let all = [
        (onramp_core::reserves(name), "-DONRAMP_RESERVES"),
        (onramp_core::repairs(name), "-DONRAMP_REPAIRS"),
        (onramp_core::resumes(name), "-DONRAMP_RESUMES"),
        (onramp_core::shares(name), "-DONRAMP_SHARES"),
        (onramp_core::sends_early(name), "-DONRAMP_SENDS_EARLY"),
        (
            !onramp_core::parameters(name).is_empty(),
            "-DONRAMP_PARAMETERS",
        ),
    ];
    all.into_iter()
        .filter_map(|(is_wanted, argument)| is_wanted.then_some(argument))
        .collect()
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
