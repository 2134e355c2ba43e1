//! The arithmetic of `core/math.h`, for tests that compare with it.

use crate::bindings;

/// `a * b / divisor` in the arithmetic of the algorithms (`core/math.h`), 0 where the divisor is 0.
/// It is exact where the product has 64 bits; the error begins where it has more.
pub fn mul_div(a: u64, b: u64, divisor: u64) -> u64 {
    // SAFETY: the function takes any numbers.
    unsafe { bindings::mul_div(a, b, divisor) }
}
