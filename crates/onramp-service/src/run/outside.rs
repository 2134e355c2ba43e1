//! Requests to the service, and its notices.

use crate::counts::Counts;
use onramp_kernel::policy::Applied;
use onramp_kernel::RestoredDefault;
use std::time::Duration;

/// What the service is asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// Read the configuration again.
    Reload,
    /// Let another program continue in this process.
    Replace,
    /// Undo everything, and end.
    Stop,
}

/// What the service needs from the process that runs it.
pub trait Outside {
    /// Waits for a request, at most so long.
    fn wait(&mut self, at_most: Duration) -> Option<Request>;
    /// Something happened that a person may want to know.
    fn notice(&mut self, notice: &Notice);
    /// The service works, and has looked at the counts.
    fn looked(&mut self, counts: &Counts);
}

/// Something happened that a person may want to know.
#[derive(Debug)]
pub enum Notice {
    /// The configuration is in force.
    InForce {
        /// The policies, in their order.
        policies: Vec<String>,
        /// What changed in the kernel.
        applied: Applied,
        /// Where the metrics endpoint listens.
        metrics: Vec<String>,
    },
    /// A reload was refused. The configuration from before stays in force.
    ReloadRefused {
        /// Each line says what is wrong, where, and what to do.
        reasons: Vec<String>,
    },
    /// The configuration says something that is probably not meant.
    Doubtful {
        /// Its place, and a sentence.
        warning: String,
    },
    /// The default congestion control of this host is another one than when the configuration was
    /// read, or than when this was said last.
    DefaultChanged {
        /// The default from before.
        before: String,
        /// The default now.
        now: String,
    },
    /// The control group of a policy has another congestion avoidance than its start-up.
    OtherAvoidance {
        /// The policy.
        policy: String,
        /// What follows its start-up.
        avoidance: String,
        /// The default of this host.
        control: String,
    },
    /// A start-up was switched off.
    SwitchedOff {
        /// The policy.
        policy: String,
        /// Why: a sentence.
        reason: String,
    },
    /// A failure that does not end the service. A lasting failure is reported once.
    Failed {
        /// A sentence.
        what: String,
    },
    /// Something works again that had failed.
    Mended {
        /// A sentence.
        what: String,
    },
    /// Everything is undone.
    Stopped {
        /// Defaults of network namespaces that were put back.
        restored: Vec<RestoredDefault>,
    },
}
