//! Cases for tests, and the check whether a lab can run.

use onramp_lab::preflight;
use onramp_scenario::Case;

/// Whether this host can run a lab. If not, the reason is printed; with CI=true this is a failure.
pub fn lab_runs_here() -> bool {
    match preflight() {
        Ok(()) => true,
        Err(error) if std::env::var("CI").as_deref() == Ok("true") => {
            panic!("no lab on this CI host: {error}")
        }
        Err(error) => {
            eprintln!("skipped: no lab on this host: {error}");
            false
        }
    }
}

/// A transfer of the kernel's own CUBIC over a clean path.
#[allow(dead_code, reason = "not every test file has use for it")]
pub fn case(rate: &str, rtt: &str, size: &str) -> Case {
    case_with(rate, rtt, size, "")
}

/// The same with further tables in the scenario file.
pub fn case_with(rate: &str, rtt: &str, size: &str, tables: &str) -> Case {
    let text = format!(
        "name = \"test\"\n[path]\nrate = \"{rate}\"\nrtt = \"{rtt}\"\nqueue = \"1 \
         bdp\"\n[receiver]\nbuffer = \"16 MiB\"\n\
         [[transfer]]\nsize = \"{size}\"\nstartup = \"none\"\navoidance = \"cubic\"\n{tables}"
    );
    onramp_scenario::parse("test", &text)
        .expect("the test's scenario is right")
        .cases
        .remove(0)
}
