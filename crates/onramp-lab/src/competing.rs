//! The competing flows of a run. Transfers that all start at once are prepared before the run.
//! Transfers that arrive one by one are prepared shortly before they start, and their sockets are
//! closed when they have ended: there may be any number of them, if not too many are active
//! together.

use crate::error::Error;
use crate::layout::Layout;
use crate::maker::{control_of, Maker};
use crate::progress::{Measured, Progress};
use crate::startups::{Startups, Wanted};
use crate::supports::MAX_FLOWS;
use crate::work::{Flow, FlowState, PreparedFlow};
use onramp_host::now_ns;
use onramp_scenario::{Arrival, Arrivals, InitialWindow, Memory};
use std::sync::Arc;

/// How long before its start a transfer is prepared. This is much longer than preparing it takes,
/// and than the interval at which the run is checked.
const AHEAD_NS: u64 = 200_000_000;

/// The competing flows of a run.
pub struct CompetingFlows<'a> {
    maker: &'a Maker<'a>,
    layout: &'a Layout,
    tables: Vec<Table>,
    /// Maximum number of transfers of a table that arrive one by one and are active together.
    max_active: u64,
    prepared: Vec<(usize, Arrival, PreparedFlow)>,
    active: Vec<ActiveFlow>,
    /// The results of measured flows whose sockets are closed.
    measured: Vec<MeasuredCompetitor>,
    /// The states of the other flows whose sockets are closed.
    ended: Vec<Arc<FlowState>>,
}

/// One `[[traffic]]` table of transfers.
struct Table {
    /// The index of the traffic in the case.
    traffic: usize,
    control: String,
    arrivals: Arrivals,
    arrive_one_by_one: bool,
    is_measured: bool,
    active: u64,
}

/// A transfer that has started, or will start shortly.
struct ActiveFlow {
    table: usize,
    /// The index of its traffic in the case.
    traffic: usize,
    arrival: Arrival,
    flow: Flow,
    /// `None` if the flow is not measured.
    progress: Option<Progress>,
}

/// A transfer of measured traffic.
pub struct MeasuredCompetitor {
    /// The index of its traffic in the case.
    pub traffic: usize,
    /// Its planned start, and its size.
    pub arrival: Arrival,
    /// Its result.
    pub measured: Measured,
}

impl<'a> CompetingFlows<'a> {
    /// The competing flows of a case, before the run. There is room for `room` flows beside those
    /// that start in any case.
    pub fn new(
        maker: &'a Maker<'a>,
        layout: &'a Layout,
        room: u64,
        startups: &mut dyn Startups,
    ) -> Result<CompetingFlows<'a>, Error> {
        let mut tables = Vec::new();
        for (number, traffic) in (0..).zip(maker.case.traffic.iter()) {
            let Some((transfers, arrivals)) = traffic
                .transfers()
                .zip(Arrivals::of_traffic(maker.case, number))
            else {
                continue;
            };
            tables.push(Table {
                traffic: number as usize,
                control: control_of(
                    startups,
                    &Wanted {
                        startup: &transfers.startup,
                        parameters: transfers.given.parameters,
                        avoidance: transfers.avoidance,
                        initial_window: InitialWindow::Host,
                        initial_rate: transfers.given.initial_rate,
                        memory: Memory::Off,
                        packet_pairs: maker.case.sender.packet_pairs,
                    },
                )?,
                arrivals,
                arrive_one_by_one: transfers.arrivals.is_some(),
                is_measured: traffic.measured,
                active: 0,
            });
        }
        let mut competing = CompetingFlows {
            maker,
            layout,
            tables,
            max_active: room.min(MAX_FLOWS.into()),
            prepared: Vec::new(),
            active: Vec::new(),
            measured: Vec::new(),
            ended: Vec::new(),
        };
        competing.prepare(AHEAD_NS, startups)?;
        Ok(competing)
    }

    /// Starts the prepared flows at their times, in a run that began at `begin_ns`.
    pub fn start(&mut self, begin_ns: u64) {
        for (table, arrival, flow) in self.prepared.drain(..) {
            let start_ns = begin_ns.saturating_add(arrival.start_ns);
            let progress = self.tables[table]
                .is_measured
                .then(|| Progress::from(start_ns));
            let flow = flow.start(begin_ns, arrival.start_ns);
            self.active.push(ActiveFlow {
                table,
                traffic: self.tables[table].traffic,
                arrival,
                flow,
                progress,
            });
        }
    }

    /// Checks the active flows, closes those that have ended and starts the next ones.
    ///
    /// # Errors
    /// A flow failed, stood still for `patience_ns`, or too many flows are active.
    pub fn check(
        &mut self,
        begin_ns: u64,
        startups: &mut dyn Startups,
        patience_ns: u64,
    ) -> Result<(), Error> {
        let now = now_ns();
        for flow in &mut self.active {
            if let Some(error) = flow.flow.take_error() {
                return Err(error);
            }
            if let Some(progress) = &mut flow.progress {
                progress.check(&flow.flow.state, flow.arrival.size_bytes, now, patience_ns)?;
            }
        }
        for flow in self.active.extract_if(.., |flow| flow.flow.has_ended()) {
            self.tables[flow.table].active -= 1;
            match flow.measured(begin_ns, u64::MAX) {
                Some(measured) => self.measured.push(measured),
                None => self.ended.push(flow.flow.state.clone()),
            }
            flow.flow.close();
        }
        self.prepare(
            now.saturating_sub(begin_ns).saturating_add(AHEAD_NS),
            startups,
        )?;
        self.start(begin_ns);
        Ok(())
    }

    /// Whether all measured flows are complete or stopped, and none is still to start.
    pub fn are_done(&self) -> bool {
        let is_exhausted = |table: &Table| !table.is_measured || table.arrivals.next_ns().is_none();
        let is_done = |flow: &ActiveFlow| flow.progress.as_ref().is_none_or(Progress::is_done);
        self.tables.iter().all(is_exhausted) && self.active.iter().all(is_done)
    }

    /// The results of the measured flows that started before the end of the run, in order of their
    /// starts, and the states of the other flows.
    pub fn take(
        &mut self,
        begin_ns: u64,
        end_ns: u64,
    ) -> (Vec<MeasuredCompetitor>, Vec<Arc<FlowState>>) {
        let mut measured = std::mem::take(&mut self.measured);
        measured.extend(
            self.active
                .iter()
                .filter_map(|flow| flow.measured(begin_ns, end_ns)),
        );
        measured.retain(|flow| begin_ns.saturating_add(flow.arrival.start_ns) <= end_ns);
        measured.sort_by_key(|flow| (flow.arrival.start_ns, flow.traffic));
        let mut others = std::mem::take(&mut self.ended);
        let unmeasured = self.active.iter().filter(|flow| flow.progress.is_none());
        others.extend(unmeasured.map(|flow| flow.flow.state.clone()));
        (measured, others)
    }

    /// The flows that have not ended.
    pub fn into_flows(self) -> impl Iterator<Item = Flow> {
        self.active.into_iter().map(|flow| flow.flow)
    }

    /// Prepares the flows that start by `until_ns` of the run, and all that start at once.
    fn prepare(&mut self, until_ns: u64, startups: &mut dyn Startups) -> Result<(), Error> {
        for (number, table) in self.tables.iter_mut().enumerate() {
            let is_due = |next_ns: &u64| !table.arrive_one_by_one || *next_ns <= until_ns;
            while table.arrivals.next_ns().filter(is_due).is_some() {
                let Some(arrival) = table.arrivals.next() else {
                    break;
                };
                table.active += 1;
                if table.arrive_one_by_one && table.active > self.max_active {
                    return Err(Error::Arrivals {
                        active: table.active,
                        max_active: self.max_active,
                        time_s: arrival.start_ns as f64 / 1e9,
                    });
                }
                let ends = self.layout.competing(table.traffic);
                let flow = self.maker.competing(
                    table.traffic,
                    &table.control,
                    ends,
                    arrival.size_bytes,
                    startups,
                )?;
                self.prepared.push((number, arrival, flow));
            }
        }
        Ok(())
    }
}

impl ActiveFlow {
    /// Its result at a time; `None` if it is not measured.
    fn measured(&self, begin_ns: u64, end_ns: u64) -> Option<MeasuredCompetitor> {
        let planned = Arrival {
            start_ns: begin_ns.saturating_add(self.arrival.start_ns),
            ..self.arrival
        };
        let measured = self
            .progress
            .as_ref()?
            .finish(self.flow.state.clone(), planned, end_ns);
        Some(MeasuredCompetitor {
            traffic: self.traffic,
            arrival: self.arrival,
            measured,
        })
    }
}
