//! The program of the user's algorithm before the verifier of this machine's kernel.

use super::compile::Sources;
use onramp_cli::failure::Failure;
use onramp_cli::text::count;
use onramp_core::Parameters;
use onramp_kernel::{probe, Options};
use serde_json::{json, Value};

/// What the verifier said.
pub enum Verdict {
    /// The kernel's verifier was not asked, for this reason.
    LeftOut(String),
    /// It accepts the programs: their names, with the instructions that it processed.
    Accepted(Vec<(String, u64)>),
    /// It refuses one. The message has the end of its log.
    Refused(String),
}

impl Verdict {
    /// Compiles the program, and lets the kernel verify it. Nothing stays loaded.
    ///
    /// # Errors
    /// clang does not compile the header.
    pub fn of(sources: &Sources, name: &str, parameters: Parameters) -> Result<Verdict, Failure> {
        let object = match sources.object() {
            Err(reason) => return Ok(Verdict::LeftOut(reason)),
            Ok(object) => object?,
        };
        if let Err(error) = probe::check_permission() {
            return Ok(Verdict::LeftOut(error.to_string()));
        }
        let options = Options {
            parameters,
            ..Options::new(name)
        };
        Ok(match onramp_kernel::verify(&object, &options) {
            Ok(programs) => Verdict::Accepted(
                programs
                    .into_iter()
                    .map(|(name, cost)| (name, cost.verified_instructions))
                    .collect(),
            ),
            Err(error @ onramp_kernel::Error::Refused { .. }) => {
                Verdict::Refused(error.to_string())
            }
            Err(error) => Verdict::LeftOut(error.to_string()),
        })
    }

    /// A line for people.
    pub fn text(&self) -> String {
        match self {
            Verdict::LeftOut(reason) => format!("Verifier: left out: {reason}"),
            Verdict::Refused(reason) => format!("Verifier: {reason}"),
            Verdict::Accepted(programs) => {
                let sum: u64 = programs.iter().map(|(_, processed)| processed).sum();
                let most = programs.iter().max_by_key(|(_, processed)| processed);
                let most = most.map(|(name, processed)| format!(", {name} {processed} of them"));
                format!(
                    "Verifier: Linux {} accepts {}, after {sum} instructions{}",
                    probe::kernel_release(),
                    count(programs.len(), "program"),
                    most.unwrap_or_default(),
                )
            }
        }
    }

    /// The same for programs.
    pub fn json(&self) -> Value {
        match self {
            Verdict::LeftOut(reason) => json!({ "left_out": reason }),
            Verdict::Refused(reason) => json!({ "refused": reason }),
            Verdict::Accepted(programs) => {
                let of = |(name, processed): &(String, u64)| {
                    let processed = *processed;
                    json!({ "name": name, "verified_instructions": processed })
                };
                json!({
                    "kernel": probe::kernel_release(),
                    "programs": programs.iter().map(of).collect::<Vec<_>>(),
                })
            }
        }
    }
}
