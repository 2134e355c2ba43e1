//! A connection's start-up in a host: the algorithm, its last decision, and its use of the host's
//! path memory and ensembles.

use crate::bindings::FIRST_ROUND_UNKNOWN;
use crate::ensemble::{EnsembleMember, Ensembles};
use crate::first_round::LEARNED;
use crate::memory::{MemoryUser, PathMemory};
use crate::{
    shares, Ack, Decision, FirstRound, Limited, Loss, Start, Startup, EXIT_LOSS, EXIT_TIMEOUT,
    LOSS_TIMEOUT, PAIR_NONE, PHASE_DONE,
};
use alloc::boxed::Box;

/// A start-up algorithm, its last decision, and its use of what the host knows of the path.
///
/// The start-up ends by itself where `core/host.h` says so: after many quiet acknowledgements, and
/// after many round trips that cwnd did not limit.
#[derive(Clone, Debug)]
pub struct HostedStartup {
    decision: Decision,
    /// `None` when the start-up is over for good.
    running: Option<Box<Startup>>,
    /// Which segments the peer is to measure (`PAIR_*`), until a pair is sent.
    wanted_pair: u16,
    /// BDP that the path memory gave to the algorithm, in bytes; 0: none.
    remembered_bytes: u64,
    memory: Option<MemoryUser>,
    ensemble: Option<EnsembleMember>,
    /// What the host learns of the first round, until this connection has told its part.
    first_round: Option<Ensembles>,
    /// Other connections to the same destination that were starting up at the latest
    /// acknowledgement.
    siblings: u64,
    /// Successive quiet acknowledgements ([`Ack::is_quiet`]) until now.
    quiet_acks: u32,
    /// Round trips that cwnd has not limited.
    limited: Limited,
    /// Delivered in total at the latest acknowledgement that the algorithm has got.
    reported_bytes: u64,
}

impl HostedStartup {
    /// Starts a start-up. `start` does not contain what is remembered of the
    /// path: that comes from `memory`.
    ///
    /// `now_ns` is the time of the memory and of the ensembles. It may be finer than that of
    /// `start`.
    pub fn begin(
        startup: Startup,
        now_ns: u64,
        mut start: Start,
        memory: Option<&PathMemory>,
        ensembles: Option<&Ensembles>,
    ) -> HostedStartup {
        let learns = start.initial_bytes_per_s == LEARNED;
        if learns {
            start.initial_bytes_per_s = match ensembles {
                Some(ensembles) => ensembles.initial_rate(now_ns),
                None => FirstRound::default().rate(now_ns),
            };
        }
        let mut running = Box::new(startup);
        let memory = memory.map(|memory| memory.begin(now_ns, &mut start));
        let mut ensemble = ensembles
            .filter(|_| shares(running.name()))
            .map(|ensembles| ensembles.join(now_ns));
        start.siblings = ensemble
            .as_mut()
            .map_or(0, |ensemble| ensemble.siblings(now_ns));
        let decision = running.start(&start);
        let mut startup = HostedStartup {
            decision,
            running: Some(running),
            wanted_pair: decision.pair,
            remembered_bytes: start.remembered_bytes,
            memory,
            ensemble,
            first_round: ensembles.filter(|_| learns).cloned(),
            siblings: start.siblings,
            quiet_acks: 0,
            limited: Limited::default(),
            reported_bytes: 0,
        };
        startup.after_decision(now_ns);
        startup
    }

    /// The last decision.
    #[inline]
    pub fn decision(&self) -> &Decision {
        &self.decision
    }

    /// What an idle time leaves of cwnd at least, where so much has been delivered in total.
    pub fn restart_bytes(&self, idle_ns: u64, delivered_bytes: u64) -> u64 {
        self.decision
            .host_restart_bytes(idle_ns, delivered_bytes - self.reported_bytes)
    }

    /// The BDP in bytes that the path memory gave to the algorithm; 0: none.
    pub fn remembered_bytes(&self) -> u64 {
        self.remembered_bytes
    }

    /// The number of other connections to the same destination that were starting up at the latest
    /// [`count_siblings`](Self::count_siblings).
    pub fn siblings(&self) -> u64 {
        self.siblings
    }

    /// Which of the next segments the peer is to measure: `PAIR_*`.
    pub fn wanted_pair(&self) -> u16 {
        self.wanted_pair
    }

    /// A pair was sent.
    pub fn pair_sent(&mut self) {
        self.wanted_pair = PAIR_NONE;
    }

    /// An acknowledgement has arrived. Returns the number of other connections to the same
    /// destination that are starting up, for [`Ack::siblings`].
    pub fn count_siblings(&mut self, now_ns: u64) -> u64 {
        if let Some(ensemble) = &mut self.ensemble {
            self.siblings = ensemble.siblings(now_ns);
        }
        self.siblings
    }

    /// Reports an acknowledgement that [`Decision::host_reports_ack`] wants reported. False: it is
    /// one of successive quiet ones, which the algorithm does not get.
    pub fn report_ack(&mut self, now_ns: u64, ack: &Ack) -> bool {
        if self.skips(ack) {
            return false;
        }
        if let Some(running) = &mut self.running {
            self.decision = running.ack(ack);
            self.reported_bytes = ack.delivered_bytes;
            self.wanted_pair = self.decision.pair;
            self.after_decision(now_ns);
            if self.decision.end_limited_connection(&mut self.limited, ack) {
                self.end();
            }
        }
        true
    }

    /// An acknowledgement that the algorithm does not get has delivered so much in total. The
    /// start-up of a bulk transfer ends for good.
    #[inline]
    pub fn end_if_busy(&mut self, delivered_bytes: u64) {
        let unreported_bytes = delivered_bytes - self.reported_bytes;
        if self.decision.end_busy_connection(unreported_bytes) {
            self.end();
        }
    }

    /// Is this one of successive quiet acknowledgements? Many of them end the start-up.
    fn skips(&mut self, ack: &Ack) -> bool {
        if !ack.is_quiet() {
            self.quiet_acks = 0;
            return false;
        }
        self.quiet_acks += 1;
        if !self.decision.host_skips_quiet_ack(self.quiet_acks) {
            return false;
        }
        if self.decision.end_quiet_connection(self.quiet_acks) {
            self.end();
        }
        true
    }

    /// Reports a loss. Returns the ssthresh that the algorithm decided.
    pub fn report_loss(&mut self, now_ns: u64, loss: &Loss) -> u64 {
        let Some(running) = &mut self.running else {
            return loss.ssthresh_bytes;
        };
        self.wanted_pair = PAIR_NONE;
        self.decision = running.loss(loss);
        self.after_decision(now_ns);
        self.decision.ssthresh_bytes
    }

    /// Ends the start-up at a loss, because the host's avoidance repairs it in its own way. `kind`
    /// is `LOSS_*`.
    pub fn finish_at_loss(&mut self, kind: u32) {
        self.decision.phase = PHASE_DONE;
        self.decision.exit = match kind {
            LOSS_TIMEOUT => EXIT_TIMEOUT,
            _ => EXIT_LOSS,
        };
        self.running = None;
    }

    /// Keeps the path's entry in the memory, because the peer has answered.
    pub fn keep_memory(&mut self, now_ns: u64) {
        if let Some(memory) = &mut self.memory {
            memory.keep(now_ns);
        }
    }

    /// Passes the BDP of the decision to the path memory, leaves the ensemble when the start-up is
    /// over, and frees an algorithm that is done.
    fn after_decision(&mut self, now_ns: u64) {
        if let Some(memory) = &mut self.memory {
            memory.learn(&self.decision, now_ns);
        }
        let outcome = self.decision.first_round;
        if u32::from(outcome) != FIRST_ROUND_UNKNOWN {
            if let Some(host) = self.first_round.take() {
                host.learn_first_round(outcome, now_ns);
            }
        }
        if self.decision.is_over() {
            self.leave_ensemble();
        }
        if self.decision.is_done() {
            self.running = None;
        }
    }

    fn end(&mut self) {
        self.running = None;
        self.leave_ensemble();
    }

    /// Others no longer count this connection.
    fn leave_ensemble(&mut self) {
        if let Some(ensemble) = &mut self.ensemble {
            ensemble.leave();
        }
    }
}
