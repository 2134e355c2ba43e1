//! One `[[transfer]]` table before its lists are multiplied out.

use crate::model::{
    Avoidance, Clocks, Connect, Connections, Dscp, Given, InitialWindow, Memory, Transfer,
    NO_STARTUP,
};
use crate::random::Interval;
use onramp_tcp::{IpVersion, Stack};
use std::collections::HashSet;
use std::fmt;

/// The TCP of a stack.
pub(crate) fn tcp_of(stack: Stack) -> onramp_tcp::Config {
    onramp_tcp::Config::of(stack, 1500)
}

/// The congestion avoidance of a stack.
pub(crate) fn avoidance_of(stack: Stack) -> Avoidance {
    tcp_of(stack).avoidance.into()
}

/// The start-up of a transfer whose table names no start-up and no stack.
pub(crate) const DEFAULT_STARTUP: &str = "standard";

/// The start-up of a transfer whose table names none.
pub(crate) fn startup_of(stack: Stack) -> &'static str {
    match stack {
        Stack::Linux => DEFAULT_STARTUP,
        Stack::Lite => NO_STARTUP,
    }
}

/// Enters the value of a number into a transfer.
type Set = Box<dyn Fn(&mut Transfer, usize)>;

/// A key whose list is a factor of the cross product.
struct Factor {
    /// The number of values, at least 1.
    count: usize,
    /// Enters the value of this number.
    set: Set,
}

/// One `[[transfer]]` table.
pub(crate) struct TransferDraft {
    /// The values that all transfers of the table have in common.
    pub common: Transfer,
    /// How often each transfer runs.
    pub repeat: u32,
    /// The least of its sizes.
    pub least_bytes: Option<u64>,
    factors: Vec<Factor>,
}

impl TransferDraft {
    /// A table of one transfer. [`vary`](TransferDraft::vary) adds the keys that take lists.
    pub(crate) fn new(common: Transfer, repeat: u32) -> TransferDraft {
        TransferDraft {
            common,
            repeat,
            least_bytes: None,
            factors: Vec::new(),
        }
    }

    /// Adds a key with these values, at least one. Later keys change faster than earlier ones.
    /// Without values every transfer keeps what it has.
    pub(crate) fn vary<T: Clone + 'static>(
        &mut self,
        values: Option<Vec<T>>,
        set: impl Fn(&mut Transfer, T) + 'static,
    ) {
        let Some(values) = values.filter(|values| !values.is_empty()) else {
            return;
        };
        self.factors.push(Factor {
            count: values.len(),
            set: Box::new(move |transfer, number| set(transfer, values[number].clone())),
        });
    }

    /// Adds a key that each transfer has from its stack if the file does not give it.
    pub(crate) fn vary_or<T: Clone + 'static>(
        &mut self,
        values: Option<Vec<T>>,
        usual: impl Fn(&Transfer) -> T + 'static,
        set: impl Fn(&mut Transfer, T) + 'static,
    ) {
        match values {
            Some(_) => self.vary(values, set),
            None => self.factors.push(Factor {
                count: 1,
                set: Box::new(move |transfer, _| set(transfer, usual(transfer))),
            }),
        }
    }

    /// The transfers of this table, once each. The first key changes most slowly.
    pub(crate) fn product(&self) -> Vec<Transfer> {
        let mut transfers = vec![self.common.clone()];
        for factor in &self.factors {
            let with = |transfer: &Transfer, number| {
                let mut transfer = transfer.clone();
                (factor.set)(&mut transfer, number);
                transfer
            };
            transfers = transfers
                .iter()
                .flat_map(|transfer| (0..factor.count).map(|number| with(transfer, number)))
                .collect();
        }
        transfers
    }

    /// The number of runs that the table makes.
    pub(super) fn run_count(&self) -> u128 {
        let counts = self.factors.iter().map(|factor| factor.count as u128);
        counts.fold(u128::from(self.repeat), u128::saturating_mul)
    }

    /// The number of rows that the table makes for each size.
    pub(crate) fn row_count(&self) -> usize {
        let transfers = self.product();
        let sizes: HashSet<u64> = transfers.iter().map(|one| one.size_bytes).collect();
        transfers.len() / sizes.len().max(1)
    }
}

impl fmt::Debug for TransferDraft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts: Vec<_> = self.factors.iter().map(|factor| factor.count).collect();
        f.debug_struct("TransferDraft")
            .field("common", &self.common)
            .field("repeat", &self.repeat)
            .field("factors", &counts)
            .finish()
    }
}

/// A transfer of Linux between the nodes 0 and 1 of a path, before a table's keys are entered.
pub(crate) fn usual_transfer() -> Transfer {
    let stack = Stack::Linux;
    let tcp = tcp_of(stack);
    Transfer {
        label: "".into(),
        size_bytes: 0,
        sizes: None,
        ip: IpVersion::V4,
        segment_bytes: None,
        transport: Default::default(),
        startup: NO_STARTUP.to_owned(),
        avoidance: avoidance_of(stack),
        initial_window: InitialWindow::Host,
        stack,
        window_scaling: tcp.window_scaling,
        ecn: false,
        recovery: tcp.recovery,
        timers: tcp.timers,
        clocks: Clocks::of(stack),
        byte_counting: tcp.byte_counting,
        connect: Connect::Receiver,
        train: Default::default(),
        given: Given::default(),
        memory: Memory::Off,
        initial_ssthresh_bytes: None,
        from: [0].into(),
        to: [1].into(),
        split: None,
        connections: Connections::ONE,
        dscp: Dscp::BestEffort,
        count: 1,
        start_ns: 0,
        spacing: Interval::Fixed(0),
        application: None,
        requests: None,
    }
}
