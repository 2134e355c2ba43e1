//! Defaults that several tables share.

use onramp_config::key::Fallback;

/// The default of choices that a stack makes.
pub(super) const STACK_DEFAULT: Fallback = Fallback::Other("of the stack");

/// The default of granularities.
pub(super) const CLOCK_DEFAULT: Fallback =
    Fallback::Other("of the stack: `500 ms` with `lite`, else `1 ns`");
