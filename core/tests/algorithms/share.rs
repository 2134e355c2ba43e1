//! `onramp_share`: a product of two numbers of any size, divided, without one of 128 bits.

use crate::ack_train::any_size;
use onramp_core::share;
use proptest::prelude::*;

fn exact(a: u64, b: u64, whole: u64) -> u128 {
    u128::from(a) * u128::from(b) / u128::from(whole)
}

fn bits(number: u64) -> u32 {
    u64::BITS - number.leading_zeros()
}

#[test]
fn of_nothing_there_is_no_share() {
    assert_eq!(
        (
            share(3, 4, 0),
            share(u64::MAX, u64::MAX, 0),
            share(0, u64::MAX, 7)
        ),
        (0, 0, 0)
    );
}

#[test]
fn a_window_of_100_gbit_per_s_and_600_ms_is_right_to_a_millionth() {
    let (rate, rtt_ns) = (12_500_000_000, 600_000_000);
    assert!(share(rate, rtt_ns, 1_000_000_000).abs_diff(7_500_000_000) <= 7_500);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    /// Factors of so many bits together have a product of no more.
    #[test]
    fn it_is_exact_while_its_factors_have_64_bits_together(a in any_size(), b in any_size(), whole in any_size()) {
        let excess = (bits(a) + bits(b)).saturating_sub(64);
        let b = b.checked_shr(excess).unwrap_or(0);
        prop_assert_eq!(u128::from(share(a, b, whole)), if whole == 0 { 0 } else { exact(a, b, whole) });
    }

    /// Each halving takes a bit of the larger factor, which makes the share smaller, and one of the
    /// whole, which makes it larger. Only of a share of more than 62 bits it may leave nothing, and
    /// then it says 0.
    #[test]
    fn beyond_that_its_error_is_that_of_the_bits_that_are_lost(a in any_size(), b in any_size(), whole in any_size()) {
        let halvings = (bits(a) + bits(b)).saturating_sub(64).min(63);
        let kept = |number: u64| number >> halvings << halvings;
        let share = u128::from(share(a, b, whole));
        if kept(whole) == 0 {
            prop_assert!(share == 0 && (whole == 0 || exact(a, b, whole) >= 1 << 62));
            return Ok(());
        }
        let least = exact(kept(a.max(b)), a.min(b), whole);
        let most = exact(a, b, kept(whole));
        prop_assert!((least..=most).contains(&share), "{share} is not within {least}..={most}");
    }

    /// As the algorithms use it: rates of up to 2^44 bytes per second, times of up to a minute, and
    /// what they give.
    #[test]
    fn rates_and_times_are_right_to_a_ten_thousandth(
        rate in 1_000u64..1 << 44,
        time_ns in 1_000_000u64..60_000_000_000,
    ) {
        let bytes = share(rate, time_ns, 1_000_000_000);
        let truth = exact(rate, time_ns, 1_000_000_000) as f64;
        prop_assert!((bytes as f64 - truth).abs() <= truth * 1e-4 + 1.0, "{bytes} of {truth}");
        let back = share(bytes, 1_000_000_000, time_ns);
        let truth = exact(bytes, 1_000_000_000, time_ns) as f64;
        prop_assert!((back as f64 - truth).abs() <= truth * 1e-4 + 1.0, "{back} of {truth}");
    }
}
