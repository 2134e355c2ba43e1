//! The canary's test: are the connections with the start-up worse than their control group?
//!
//! # What is compared
//! A connection is put into one of the two groups at random, by the kernel, when it is established.
//! So without an effect of the start-up the two groups differ by chance alone, whatever the paths,
//! the sizes and the time of the day. Three quantities are compared:
//!
//! - the time until 100 kB were acknowledged, and the time until 1 MB was ([`times`]): the
//!   Mann-Whitney test, turned into the ratio of times with an interval;
//! - the share of segments that were retransmitted ([`shares`]): the test of two proportions, with
//!   the variance between connections, because one connection's segments are lost together.
//!
//! # When to look
//! The service looks every few seconds, for months. A test with a fixed sample size would find a
//! difference by chance sooner or later. The test here is valid at every look ([`limit`]): with
//! the stated error rate it never errs, however often somebody looks, and a look is free.
//!
//! # Restarts
//! All values since the beginning would bury a change for the worse under months of good values. So
//! a test ends after [`Settings::test_connections`], and a new one begins. Each has a part of the
//! error rate, a/2, a/6, a/12, ... a/(k(k+1)), which add up to the whole. A test also begins anew
//! when the percentage changes: groups of different percentages are not comparable, because the
//! paths of another time would weigh differently in them.
//!
//! # Sources
//! - H. B. Mann, D. R. Whitney: On a test of whether one of two random variables is stochastically
//!   larger than the other. Annals of Mathematical Statistics 18 (1947)
//! - J. L. Hodges, E. L. Lehmann: Estimates of location based on rank tests. Annals of Mathematical
//!   Statistics 34 (1963): the ratio whose test finds no difference
//! - E. R. DeLong et al.: Comparing the areas under two or more correlated receiver operating
//!   characteristic curves. Biometrics 44 (1988): the variance without the assumption that the
//!   distributions are equal
//! - H. Robbins: Statistical methods related to the law of the iterated logarithm. Annals of
//!   Mathematical Statistics 41 (1970): the limit that is valid at every look
//! - R. Johari, P. Koomen, L. Pekelis, D. Walsh: Always valid inference. Operations Research 70
//!   (2022): the same for experiments that are watched
//! - I. Waudby-Smith et al.: Time-uniform central limit theory and asymptotic confidence sequences.
//!   Annals of Statistics 52 (2024): why it holds for means of large samples of any distribution
//! - W. G. Cochran: Sampling Techniques (1977), chapter 6: the variance of a ratio of sums
//!
//! The limits need a logarithm and a square root only, so no library of distributions is used.
//!
//! # What it cannot see
//! Both groups share bottlenecks. Segments that the start-up pushes out of a queue are lost by both
//! groups, and the comparison sees the difference only. The retransmission budget
//! ([`Settings::retransmission_budget`]) bounds the start-up's own share without a comparison.

mod budget;
mod comparison;
mod reason;
mod sequence;
mod settings;
pub mod shares;
pub mod times;
mod watch;

pub use budget::Budget;
pub use comparison::compare;
pub use reason::Reason;
pub use sequence::limit;
pub use settings::Settings;
pub use watch::{SwitchOff, Watch};
