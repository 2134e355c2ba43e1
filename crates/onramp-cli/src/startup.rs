//! Values of options that both programs have.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use onramp_core::memory::Memory;
use onramp_kernel::Avoidance;

/// The names of the start-ups.
pub fn startups() -> PossibleValuesParser {
    PossibleValuesParser::new(onramp_core::startup_names().iter().copied())
}

/// The congestion avoidances that a scenario can name. The simulator has all of them.
pub const AVOIDANCES: [&str; 9] = [
    "cubic", "bbr", "bbr3", "reno", "vegas", "westwood", "pipe", "dctcp", "prague",
];

/// The congestion avoidances that a start-up of the kernel can be followed by.
pub fn avoidances() -> impl TypedValueParser<Value = Avoidance> {
    let names = Avoidance::ALL.iter().map(|avoidance| avoidance.name());
    PossibleValuesParser::new(names)
        .map(|name| Avoidance::named(&name).expect("one of the names above"))
}

/// How a start-up uses what it remembers; [`Memory::Off`] is the option left out.
pub fn memories() -> impl TypedValueParser<Value = Memory> {
    PossibleValuesParser::new(["careful", "at-once"]).map(|name| match &*name {
        "careful" => Memory::Careful,
        _ => Memory::AtOnce,
    })
}
