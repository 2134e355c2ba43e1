//! The playground: a scenario in, what happened in it out, in a browser.
//!
//! The page (`page/`) runs this crate as a WebAssembly module in a Web Worker, on the very C code
//! of `core/`. [`play`] simulates a scenario and records what the page draws. The records are those
//! of `onramp sim --json`. [`export`](export()) writes files, and [`check`] names mistakes.
//!
//! ```
//! let text = r#"
//!     name = "geo"
//!     [path]
//!     rate = "20 Mbit/s"
//!     rtt = "600 ms"
//!     [[transfer]]
//!     size = "1 MB"
//!     startup = ["none", "onramp"]
//! "#;
//! let played = onramp_web::play(text, &mut |_| true).expect("a valid scenario");
//! let [plain, onramp] = &played.cases[..] else { unreachable!("two start-ups") };
//! assert!(onramp.facts.end_s < plain.facts.end_s);
//! assert!(plain.packets.rows() > 1000);
//! ```

mod columns;
mod drawn_path;
mod export;
mod facts;
#[cfg(target_arch = "wasm32")]
mod js;
mod play;
mod program;
mod recorder;
mod refusal;
mod times;
mod transfer;
mod watch;
mod words;

pub use columns::{Column, Table};
pub use export::{export, ExportFormat, ExportedFile};
pub use facts::{CaseFacts, LinkFacts, RunFacts};
pub use play::{check, play, Check, PlayedCase, PlayedRun, MAX_CASES};
pub use program::{program_facts, ProgramFacts};
pub use recorder::MAX_PACKETS;
pub use refusal::{Fault, Refusal};
pub use times::completion_times;
pub use transfer::{PlayedTransfer, TransferFacts};
pub use watch::{Progress, MAX_SENT_PACKETS};
