//! Waiting in tests, at any speed of the machine.
//!
//! A test waits for a state ([`wait_until`], [`wait_for`]). [`HANG`] is its only limit, and only
//! ends a test that hangs. A test whose claim is about real time repeats a run that the machine has
//! disturbed ([`undisturbed`]).
//!
//! ```
//! let mut rounds = 0;
//! onramp_testing::wait_until("the third round begins", || {
//!     rounds += 1;
//!     rounds == 3
//! });
//! ```

use std::thread::sleep;
use std::time::{Duration, Instant};

/// What takes longer hangs. No test becomes more exact by a shorter limit, and a machine with other
/// work may need a hundred times as long as an idle one.
pub const HANG: Duration = Duration::from_secs(20 * 60);

/// Runs of a test that real time can disturb. A machine disturbs some of them, a mistake all.
pub const RUNS: usize = 10;

/// How often a state is asked for.
const POLL: Duration = Duration::from_millis(10);

/// Programs and sockets of a test that has ended leave the kernel later. The last is a socket that
/// retransmits to a path that is gone.
const AFTERMATH: Duration = Duration::from_secs(30);

/// Is the condition true, or does it become true when what earlier tests have used has left the
/// kernel?
pub fn is_true_soon(mut condition: impl FnMut() -> bool) -> bool {
    let begin = Instant::now();
    loop {
        if condition() {
            return true;
        }
        if begin.elapsed() > AFTERMATH {
            return false;
        }
        sleep(POLL);
    }
}

/// Waits for a condition.
///
/// # Panics
/// After [`HANG`], with `what`.
#[track_caller]
pub fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    wait_for(what, || condition().then_some(()));
}

/// Waits for a value.
///
/// # Panics
/// After [`HANG`], with `what`.
#[track_caller]
pub fn wait_for<T>(what: &str, mut value: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(value) = value() {
            return value;
        }
        assert!(begin.elapsed() < HANG, "waited for {HANG:?}: {what}");
        sleep(POLL);
    }
}

/// Repeats a run until `is_undisturbed`, at most [`RUNS`] times. Returns the last run, of which the
/// caller asserts what it claims.
pub fn undisturbed<T>(mut run: impl FnMut() -> T, is_undisturbed: impl Fn(&T) -> bool) -> T {
    let mut last = run();
    for again in 1..RUNS {
        if is_undisturbed(&last) {
            break;
        }
        eprintln!("run {again} was disturbed, or what it claims is wrong: it is repeated");
        last = run();
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_repeated_until_it_is_undisturbed() {
        let mut runs = 0;
        let mut run = || {
            runs += 1;
            runs
        };
        assert_eq!(undisturbed(&mut run, |run| *run == 3), 3);
        assert_eq!(undisturbed(&mut run, |run| *run == 4), 4);
    }

    #[test]
    fn a_claim_that_is_wrong_ends_after_the_last_run() {
        let mut runs = 0;
        undisturbed(|| runs += 1, |()| false);
        assert_eq!(runs, RUNS);
    }

    #[test]
    fn a_value_is_waited_for() {
        let mut asked = 0;
        let value = wait_for("the second answer", || {
            asked += 1;
            (asked == 2).then_some("it")
        });
        assert_eq!((value, asked), ("it", 2));
    }
}
