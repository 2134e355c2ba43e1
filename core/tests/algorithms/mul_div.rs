//! `mul_div` of `core/math.h`: `a * b / divisor` for numbers of any size, without 128-bit types.

use crate::ack_train::any_size;
use onramp_core::mul_div;
use proptest::prelude::*;

fn exact(a: u64, b: u64, divisor: u64) -> u128 {
    u128::from(a) * u128::from(b) / u128::from(divisor)
}

fn bits(number: u64) -> u32 {
    u64::BITS - number.leading_zeros()
}

#[test]
fn a_divisor_or_a_factor_of_0_gives_0() {
    let max = u64::MAX;
    assert_eq!(
        [mul_div(3, 4, 0), mul_div(max, max, 0), mul_div(0, max, 7)],
        [0; 3]
    );
}

#[test]
fn the_bdp_of_100_gbit_per_s_and_600_ms_is_right_to_a_millionth() {
    let (rate, rtt_ns) = (12_500_000_000, 600_000_000);
    assert!(mul_div(rate, rtt_ns, 1_000_000_000).abs_diff(7_500_000_000) <= 7_500);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    /// If two factors have at most 64 bits together, so has their product.
    #[test]
    fn it_is_exact_while_its_factors_have_64_bits_together(
        a in any_size(),
        b in any_size(),
        divisor in any_size(),
    ) {
        let excess = (bits(a) + bits(b)).saturating_sub(64);
        let b = b.checked_shr(excess).unwrap_or(0);
        let expected = if divisor == 0 {
            0
        } else {
            exact(a, b, divisor)
        };
        prop_assert_eq!(u128::from(mul_div(a, b, divisor)), expected);
    }

    /// Each halving drops a bit of the larger factor, which makes the result smaller, and a bit of
    /// the divisor, which makes it larger. Halving can leave nothing of the divisor only where the
    /// result has more than 62 bits; the result is 0 then.
    #[test]
    fn beyond_64_bits_its_error_is_that_of_the_dropped_bits(
        a in any_size(),
        b in any_size(),
        divisor in any_size(),
    ) {
        let halvings = (bits(a) + bits(b)).saturating_sub(64).min(63);
        let kept = |number: u64| number >> halvings << halvings;
        let result = u128::from(mul_div(a, b, divisor));
        if kept(divisor) == 0 {
            prop_assert!(result == 0 && (divisor == 0 || exact(a, b, divisor) >= 1 << 62));
            return Ok(());
        }
        let min = exact(kept(a.max(b)), a.min(b), divisor);
        let max = exact(a, b, kept(divisor));
        prop_assert!(
            (min..=max).contains(&result),
            "{result} is not within {min}..={max}"
        );
    }

    /// The range that the algorithms use: rates of up to 2^44 bytes per second and times of up to a
    /// minute, multiplied and divided again.
    #[test]
    fn rates_and_times_are_right_to_a_ten_thousandth(
        rate in 1_000u64..1 << 44,
        time_ns in 1_000_000u64..60_000_000_000,
    ) {
        let bytes = mul_div(rate, time_ns, 1_000_000_000);
        let truth = exact(rate, time_ns, 1_000_000_000) as f64;
        prop_assert!(
            (bytes as f64 - truth).abs() <= truth * 1e-4 + 1.0,
            "{bytes} of {truth}"
        );
        let back = mul_div(bytes, 1_000_000_000, time_ns);
        let truth = exact(bytes, 1_000_000_000, time_ns) as f64;
        prop_assert!(
            (back as f64 - truth).abs() <= truth * 1e-4 + 1.0,
            "{back} of {truth}"
        );
    }
}
